/* SPDX-License-Identifier: Apache-2.0 */
/* driver.cuh - how the kernel tests call the driver API and NVRTC. */
#ifndef DRIVER_CUH
#define DRIVER_CUH

#include <cuda.h>

#include "case.cuh"

/* A call that is to succeed. */
#define DO(call)                                                                 \
	do {                                                                     \
		int result_ = (int)(call);                                       \
		if (result_)                                                     \
			printf("line %d: %s: %d\n", __LINE__, #call, result_);   \
	} while (0)

/* A case: what the call answers. */
#define ANSWER(name, call) say(name, "%d", (int)(call))

#endif
