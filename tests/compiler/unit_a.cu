// SPDX-License-Identifier: Apache-2.0
// With unit_b.cu: two relocatable units, each with a static variable of one name.
#define __device__ __attribute__((device))
extern __device__ int in_other_unit(int);
static __device__ int own = 3;
extern "C" __attribute__((global)) void first(int *out) { out[0] = in_other_unit(own); }
void *first_address() { return &own; }
