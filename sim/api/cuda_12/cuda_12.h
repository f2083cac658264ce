/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_12.h - what of CUDA 12's runtime has other parameters or structures than CUDA 13's, under the same name.
 *
 * Both forms of such a function are in libcudasim, as versions of one symbol, as glibc has them:
 *
 *	cudaMemAdvise@libcudart.so.12     CUDA 12's, defined in this room
 *	cudaMemAdvise@@libcudart.so.13    CUDA 13's, the default (sim/libcudasim.map)
 *
 * Programs and libraries that were linked with NVIDIA's libcudart.so.12 ask for the first. With a toolkit of CUDA
 * 12 `cudasim cc` links with a stub whose symbols have that version (libraries/stubs), and so does the tree that looks
 * like a toolkit. dlsym() gives the default. Names that CUDA 13 has no more are exported without a version.
 *
 * All forms call CUDA 13's trampolines, so they hold on a GPU, too. Which functions differ was found
 * by comparing all declarations and the layout of all structures in the headers of 12.4 to 13.5.
 *
 * Rejected: other names for these functions by a header before the program's (objects that g++ compiles with the
 * toolkit's headers do not see it, nor do programs that exist). */
#ifndef CUDASIM_SIM_API_CUDA_12_H
#define CUDASIM_SIM_API_CUDA_12_H

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <cuda_runtime_api.h>

#define CUDA_12_EXPORT __attribute__((visibility("default")))

/* Defines CUDA 12's form of a function that CUDA 13 has with other parameters. */
#define FORM_12(name, ...)                                                                         \
	__asm__(".symver form_12_" #name ", " #name "@libcudart.so.12, remove");                   \
	CUDA_12_EXPORT cudaError_t form_12_##name(__VA_ARGS__);                                    \
	cudaError_t form_12_##name(__VA_ARGS__)

/* Defines a function whose name CUDA 13 does not have. */
#define ONLY_12(name, ...)                                                                         \
	CUDA_12_EXPORT cudaError_t name(__VA_ARGS__);                                              \
	cudaError_t name(__VA_ARGS__)

/* Declares the trampoline of CUDA 13's form (sim/gpu/trampolines.S), called now_NAME. */
#define NOW(name, ...)                                                                             \
	extern __attribute__((visibility("hidden"))) cudaError_t now_##name(__VA_ARGS__)

#endif
