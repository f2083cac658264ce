/* SPDX-License-Identifier: Apache-2.0 */
/* cudasim_nvcc.h - what nvcc brings by itself and clang lacks. The driver
 * includes it before every .cu file, after clang's own CUDA headers. */
#ifndef CUDASIM_COMPAT_NVCC_H
#define CUDASIM_COMPAT_NVCC_H

#endif
