/* SPDX-License-Identifier: Apache-2.0 */
/* choice.h - simulate, or use a GPU? Chosen once in the life of a process, at the first call
 * of CUDA that is no registration:
 *
 *	CUDASIM=1   simulate
 *	CUDASIM=0   use the GPU; what is in the way is said in one line, exit status 1
 *	unset       the GPU where all device code of the program has been built for one
 *	            (cudasim cc --gpu), a device is there that runs it and no tool has been asked
 *	            for; otherwise simulate, which is said in one line where GPU code was there
 *
 * Safe from any thread. */
#ifndef CUDASIM_SIM_GPU_CHOICE_H
#define CUDASIM_SIM_GPU_CHOICE_H

#include <stdbool.h>

enum gpu_mode {
	GPU_MODE_SIMULATE, /* CUDASIM=1, or a tool of the simulator's is asked for */
	GPU_MODE_GPU,      /* CUDASIM=0 */
	GPU_MODE_AUTO,     /* unset */
};

/* What the environment says; of a wrong value too (one line, exit status 1). */
enum gpu_mode gpu_mode(void);

/* Is a GPU used? Chooses if nobody has. False for the thread that is choosing. */
bool gpu_in_use(void);
/* Is this thread choosing, so that its calls are those of the real library, which asks what it
 * takes for the driver? */
bool gpu_being_chosen(void);
/* The same, for the libraries beside libcudasim. */
__attribute__((visibility("default"))) bool __cudasim_gpu_in_use(void);

#endif
