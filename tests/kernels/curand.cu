/* SPDX-License-Identifier: Apache-2.0 */
/* cuRAND's device generators: the first numbers of several sequences, skipped
 * ahead, uniform, normal, Poisson. */
#include <curand_kernel.h>

#include "case.cuh"

template <typename S> __global__ void integers(unsigned *out)
{
	S state;
	curand_init(1234, threadIdx.x, 5, &state);
	for (int k = 0; k < 8; k++)
		out[8 * threadIdx.x + k] = curand(&state);
}

template <typename S> __global__ void reals(float *out)
{
	S state;
	curand_init(99, threadIdx.x, 0, &state);
	float *o = out + 9 * threadIdx.x;
	o[0] = curand_uniform(&state);
	o[1] = (float)curand_uniform_double(&state);
	o[2] = curand_normal(&state);
	o[3] = curand_normal(&state);
	o[4] = (float)curand_normal_double(&state);
	float2 two = curand_normal2(&state);
	o[5] = two.x;
	o[6] = two.y;
	o[7] = curand_log_normal(&state, 0.5f, 0.25f);
	o[8] = curand_poisson(&state, 3.5);
}

__global__ void states(curandState *states)
{
	curand_init(7, threadIdx.x, 0, &states[threadIdx.x]);
}
__global__ void use(float *out, curandState *states)
{
	curandState mine = states[threadIdx.x];
	float sum = 0;
	for (int k = 0; k < 10; k++)
		sum += curand_uniform(&mine);
	states[threadIdx.x] = mine;
	out[threadIdx.x] = sum;
}
__global__ void skip(unsigned *out)
{
	curandStatePhilox4_32_10_t p;
	curand_init(5, 0, 0, &p);
	skipahead(1000ull, &p);
	uint4 four = curand4(&p);
	out[0] = four.x;
	out[1] = four.w;
	curandState x;
	curand_init(5, 0, 0, &x);
	skipahead(77ull, &x);
	out[2] = curand(&x);
	skipahead_sequence(3ull, &x);
	out[3] = curand(&x);
}

int main()
{
	run("XORWOW", 64, 1, 8, integers<curandStateXORWOW_t>);
	run("MRG32k3a", 64, 1, 8, integers<curandStateMRG32k3a_t>);
	run("Philox", 64, 1, 8, integers<curandStatePhilox4_32_10_t>);
	run("XORWOW reals", 36, 1, 4, reals<curandStateXORWOW_t>);
	run("MRG32k3a reals", 36, 1, 4, reals<curandStateMRG32k3a_t>);
	run("Philox reals", 36, 1, 4, reals<curandStatePhilox4_32_10_t>);
	memory<curandState> kept(32);
	states<<<1, 32>>>(kept.there);
	run("kept states", 32, 1, 32, use, kept.there);
	run("kept states, on", 32, 1, 32, use, kept.there);
	run("skip ahead", 4, 1, 1, skip);
	return 0;
}
