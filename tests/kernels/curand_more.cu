/* SPDX-License-Identifier: Apache-2.0 */
/* cuRAND's device generators, on: Sobol' sequences plain and scrambled, MTGP32,
 * every distribution in its widths.
 * Long: builds for 15 seconds, and curand.cu shows the main parts */
#include <curand_kernel.h>
#include <curand_mtgp32_host.h>
#include <curand_mtgp32dc_p_11213.h>

#include "case.cuh"

/* Directions of a first dimension, and one made up; any will do. */
template <typename T> static std::vector<T> directions()
{
	const int bits = 8 * sizeof(T);
	std::vector<T> v;
	for (int i = 0; i < bits; i++)
		v.push_back((T)1 << (bits - 1 - i));
	T x = (T)1 << (bits - 1);
	for (int i = 0; i < bits; i++, x ^= x >> 1)
		v.push_back(x);
	return v;
}

template <typename S, typename V> static __device__ void start(S *state, V *v, unsigned offset)
{
	curand_init(v, offset, state);
}
static __device__ void start(curandStateScrambledSobol32_t *state, curandDirectionVectors32_t v, unsigned offset)
{
	curand_init(v, 0x12345678u, offset, state);
}
static __device__ void start(curandStateScrambledSobol64_t *state, curandDirectionVectors64_t v, unsigned offset)
{
	curand_init(v, 0x123456789abcdefull, offset, state);
}

template <typename S, typename T> __global__ void sobol(uint64_t *out, T *v)
{
	S state;
	const int bits = 8 * sizeof(T);
	start(&state, v + bits * (threadIdx.x & 1), threadIdx.x * 17);
	uint64_t *o = out + 12 * threadIdx.x;
	o[0] = curand(&state);
	o[1] = curand(&state);
	skipahead((T)1000, &state);
	o[2] = curand(&state);
	o[3] = __float_as_uint(curand_uniform(&state));
	o[4] = __double_as_longlong(curand_uniform_double(&state));
	o[5] = __float_as_uint(curand_normal(&state));
	o[6] = __double_as_longlong(curand_normal_double(&state));
	o[7] = __float_as_uint(curand_log_normal(&state, 0.0f, 0.5f));
	o[8] = __double_as_longlong(curand_log_normal_double(&state, 0.0, 0.5));
	o[9] = curand_poisson(&state, 12.5);
	o[10] = curand_poisson(&state, 900.0);
	o[11] = curand(&state);
}

template <typename S> __global__ void distributions(uint64_t *out)
{
	S state;
	curand_init(4242 + threadIdx.x, threadIdx.x / 2, 3 * threadIdx.x, &state);
	uint64_t *o = out + 20 * threadIdx.x;
	float2 f = curand_normal2(&state);
	double2 d = curand_normal2_double(&state);
	o[0] = __float_as_uint(f.x) | (uint64_t)__float_as_uint(f.y) << 32;
	o[1] = __double_as_longlong(d.x);
	o[2] = __double_as_longlong(d.y);
	f = curand_log_normal2(&state, 1.0f, 0.25f);
	d = curand_log_normal2_double(&state, 1.0, 0.25);
	o[3] = __float_as_uint(f.x) | (uint64_t)__float_as_uint(f.y) << 32;
	o[4] = __double_as_longlong(d.x);
	o[5] = __double_as_longlong(d.y);
	o[6] = __double_as_longlong(curand_uniform_double(&state));
	o[7] = __double_as_longlong(curand_normal_double(&state));
	o[8] = __float_as_uint(curand_normal(&state));
	o[9] = __float_as_uint(curand_normal(&state));
	o[10] = __float_as_uint(curand_log_normal(&state, -1.0f, 2.0f));
	const double means[] = {0.5, 7, 63, 64.5, 1000, 4500};
	for (int k = 0; k < 6; k++)
		o[11 + k] = curand_poisson(&state, means[k]);
	o[17] = curand(&state);
	skipahead_sequence(2, &state);
	o[18] = curand(&state);
	skipahead(100000ull, &state);
	o[19] = curand(&state);
}

__global__ void fours(uint64_t *out)
{
	curandStatePhilox4_32_10_t state;
	curand_init(77, threadIdx.x, 1, &state);
	uint64_t *o = out + 16 * threadIdx.x;
	uint4 u = curand4(&state);
	float4 f = curand_uniform4(&state), g = curand_normal4(&state), h = curand_log_normal4(&state, 0.1f, 0.2f);
	double2 d = curand_uniform2_double(&state), e = curand_normal2_double(&state);
	uint4 p = curand_poisson4(&state, 40.0);
	o[0] = u.x ^ (uint64_t)u.w << 32;
	o[1] = u.y ^ (uint64_t)u.z << 32;
	o[2] = __float_as_uint(f.x) ^ (uint64_t)__float_as_uint(f.w) << 32;
	o[3] = __float_as_uint(f.y) ^ (uint64_t)__float_as_uint(f.z) << 32;
	o[4] = __float_as_uint(g.x) ^ (uint64_t)__float_as_uint(g.w) << 32;
	o[5] = __float_as_uint(g.y) ^ (uint64_t)__float_as_uint(g.z) << 32;
	o[6] = __float_as_uint(h.x) ^ (uint64_t)__float_as_uint(h.w) << 32;
	o[7] = __double_as_longlong(d.x);
	o[8] = __double_as_longlong(d.y);
	o[9] = __double_as_longlong(e.x);
	o[10] = __double_as_longlong(e.y);
	o[11] = p.x ^ (uint64_t)p.w << 32;
	o[12] = p.y ^ (uint64_t)p.z << 32;
	o[13] = curand(&state);
	double4_16a q = {};
	q.x = curand_uniform_double(&state);
	o[14] = __double_as_longlong(q.x);
	o[15] = curand(&state);
}

/* One block shares a state. */
__global__ void mersenne(uint64_t *out, curandStateMtgp32 *states)
{
	curandStateMtgp32 *state = &states[blockIdx.x];
	uint64_t *o = out + 5 * (threadIdx.x + blockDim.x * blockIdx.x);
	o[0] = curand(state);
	o[1] = curand(state);
	o[2] = __float_as_uint(curand_uniform(state));
	o[3] = __float_as_uint(curand_normal(state));
	for (int k = 0; k < 10; k++)
		o[4] = o[4] * 31 + curand(state);
}

int main()
{
	std::vector<unsigned> d32 = directions<unsigned>();
	std::vector<unsigned long long> d64 = directions<unsigned long long>();
	memory<unsigned> v32(d32);
	memory<unsigned long long> v64(d64);
	run("Sobol 32", 12 * 6, 1, 6, sobol<curandStateSobol32_t, unsigned>, v32.there);
	run("scrambled Sobol 32", 12 * 6, 1, 6, sobol<curandStateScrambledSobol32_t, unsigned>, v32.there);
	run("Sobol 64", 12 * 6, 1, 6, sobol<curandStateSobol64_t, unsigned long long>, v64.there);
	run("scrambled Sobol 64", 12 * 6, 1, 6, sobol<curandStateScrambledSobol64_t, unsigned long long>, v64.there);
	run("XORWOW", 60, 1, 3, distributions<curandStateXORWOW_t>);
	run("MRG32k3a", 60, 1, 3, distributions<curandStateMRG32k3a_t>);
	run("Philox", 60, 1, 3, distributions<curandStatePhilox4_32_10_t>);
	run("Philox by fours", 64, 1, 4, fours);
	{
		memory<mtgp32_kernel_params> parameters(1);
		memory<curandStateMtgp32> states(2);
		if (curandMakeMTGP32Constants(mtgp32dc_params_fast_11213, parameters) != CURAND_STATUS_SUCCESS ||
		    curandMakeMTGP32KernelState(states, mtgp32dc_params_fast_11213, parameters, 2, 1234) !=
			    CURAND_STATUS_SUCCESS)
			say("MTGP32", "not set up");
		run("MTGP32", 5 * 512, 2, 256, mersenne, states.there);
	}
	return 0;
}
