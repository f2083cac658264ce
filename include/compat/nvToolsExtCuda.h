/* SPDX-License-Identifier: Apache-2.0 */
/* nvToolsExtCuda.h - where older toolkits had it: CUDA 13 keeps version 3, headers alone. */
#include <nvtx3/nvToolsExtCuda.h>
