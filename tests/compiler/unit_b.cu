// SPDX-License-Identifier: Apache-2.0
#define __device__ __attribute__((device))
static __device__ int own = 4;
__device__ int in_other_unit(int x) { return 10 * x + own; }
void *second_address() { return &own; }
