/* SPDX-License-Identifier: Apache-2.0 */
/* driverstate.cuh - what the driver API's tests work on: the primary context, a stream and two
 * pieces of memory. */
#ifndef DRIVERSTATE_CUH
#define DRIVERSTATE_CUH

#include "driver.cuh"

static CUcontext context;
static CUstream s;
static CUdeviceptr p, q; /* 256 bytes each */
static unsigned got[64];

static void state_begin()
{
	DO(cuInit(0));
	DO(cuDevicePrimaryCtxRetain(&context, 0));
	DO(cuCtxSetCurrent(context));
	DO(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	DO(cuMemAlloc(&p, 256));
	DO(cuMemAlloc(&q, 256));
}

static void state_end()
{
	DO(cuMemFree(p));
	DO(cuMemFree(q));
	DO(cuStreamDestroy(s));
	DO(cuDevicePrimaryCtxRelease(0));
}

#endif
