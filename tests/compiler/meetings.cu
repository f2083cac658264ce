/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose names end with the number of places at which their warps have to meet, in them
 * and in the functions of the namespace that is named after the kernel. */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

static __device__ unsigned thread() { return __nvvm_read_ptx_sreg_tid_x(); }

/* A histogram's agent: the counters lie in shared or in global memory, of which one is chosen
 * late. Loops over channels, of which there is one, index its arrays. */
namespace in_histogram_0 {
struct Agent {
	unsigned (&shared)[256];
	const unsigned *samples;
	unsigned *global[1], *result[1];
	bool prefers_shared;

	__device__ Agent(unsigned (&shared)[256], const unsigned *samples, unsigned *to, unsigned *result)
		: shared(shared), samples(samples), prefers_shared(samples[0] & 1)
	{
		for (int channel = 0; channel < 1; channel++) {
			this->global[channel] = to + 256 * __nvvm_read_ptx_sreg_ctaid_x();
			this->result[channel] = result;
		}
	}

	__device__ void clear(unsigned *counters[1])
	{
		for (int channel = 0; channel < 1; channel++)
			for (unsigned i = thread(); i < 256; i += 64)
				counters[channel][i] = 0;
		__syncthreads();
	}

	__device__ void count(unsigned *counters[1])
	{
		unsigned mine[4];
		for (int i = 0; i < 4; i++)
			mine[i] = samples[4 * thread() + i];
		for (int i = 0; i < 4; i++)
			for (int channel = 0; channel < 1; channel++)
				__nvvm_atom_add_gen_i((int *)&counters[channel][mine[i] % 256], 1);
		__syncthreads();
	}

	__device__ void store(unsigned *counters[1])
	{
		for (int channel = 0; channel < 1; channel++)
			for (unsigned i = thread(); i < 256; i += 64)
				result[channel][i] += counters[channel][i];
	}

	__device__ void run()
	{
		unsigned *counters[1];
		for (int channel = 0; channel < 1; channel++)
			counters[channel] = shared;
		if (prefers_shared)
			clear(counters);
		else
			clear(global);
		if (prefers_shared)
			count(counters);
		else
			count(global);
		if (prefers_shared)
			store(counters);
		else
			store(global);
	}
};
}

extern "C" __global__ void histogram_0(const unsigned *samples, unsigned *global, unsigned *result)
{
	static __shared__ unsigned counters[256];
	in_histogram_0::Agent agent(counters, samples, global, result);
	agent.run();
}

/* The neighbour's element, through the one of two fields that holds a shared address. */
struct Pair {
	unsigned *of[2];
};

#define REVERSED                                                          \
	static __device__ unsigned reversed(Pair pair, int from, int to)  \
	{                                                                 \
		unsigned sum = 0;                                         \
		for (int i = from; i < to; i++) {                         \
			pair.of[i][thread()] = thread();                  \
			sum += pair.of[i][31 - thread()];                 \
		}                                                         \
		return sum;                                               \
	}

namespace in_other_field_0 { REVERSED }
namespace in_that_field_2 { REVERSED }
namespace in_any_field_2 { REVERSED }

extern "C" __global__ void other_field_0(unsigned *out)
{
	static __shared__ unsigned shared[32];
	out[thread()] = in_other_field_0::reversed({{shared, out + 64}}, 1, 2);
}

extern "C" __global__ void that_field_2(unsigned *out)
{
	static __shared__ unsigned shared[32];
	out[thread()] = in_that_field_2::reversed({{shared, out + 64}}, 0, 1);
}

extern "C" __global__ void any_field_2(unsigned *out, int from)
{
	static __shared__ unsigned shared[32];
	out[thread()] = in_any_field_2::reversed({{shared, out + 64}}, from, from + 1);
}

/* Atomics and what one lane stores. */
extern "C" __global__ void counted_by_barrier_0(unsigned *out)
{
	static __shared__ unsigned bins[32];
	bins[thread()] = 0;
	__syncthreads();
	for (unsigned i = thread(); i < 1024; i += 64)
		__nvvm_atom_add_gen_i((int *)&bins[out[i] % 32], 1);
	__syncthreads();
	out[thread()] = bins[thread()];
}

extern "C" __global__ void counted_1(unsigned *out)
{
	static __shared__ unsigned bins[32];
	bins[thread()] = 0;
	__syncthreads();
	__nvvm_atom_add_gen_i((int *)&bins[thread() / 2], 1);
	out[thread()] = bins[thread() / 2];
}

extern "C" __global__ void own_counter_0(unsigned *out)
{
	static __shared__ unsigned bins[32];
	bins[thread()] = 0;
	__nvvm_atom_add_gen_i((int *)&bins[thread()], out[thread()]);
	out[thread()] = bins[thread()];
}

extern "C" __global__ void one_lane_0(unsigned *out)
{
	static __shared__ unsigned sum;
	if (thread() == 0) {
		sum = 0;
		for (unsigned i = 0; i < 32; i++)
			if (out[i] & 1)
				sum += out[i];
		if (sum > 100)
			sum = 100;
		out[32] = sum;
	}
}

extern "C" __global__ void for_all_1(unsigned *out)
{
	static __shared__ unsigned last;
	if (thread() == 31)
		last = out[31];
	out[thread()] += last;
}

/* Stores over what other lanes load: the bodies of reductions, scans and networks need none. */
extern "C" __global__ void tree_0(float *out)
{
	extern __shared__ float elements[];
	unsigned t = thread();
	elements[t] = out[t];
	__syncthreads();
	for (unsigned n = __nvvm_read_ptx_sreg_ntid_x() / 2; n > 0; n /= 2) {
		if (t < n)
			elements[t] += elements[t + n];
		__syncthreads();
	}
	out[t] = elements[0];
}

extern "C" __global__ void unguarded_tree_1(float *out)
{
	static __shared__ float s[64];
	unsigned t = thread();
	s[t] = out[t];
	__syncthreads();
	s[t] += s[t + 16];
	__syncthreads();
	out[t] = s[t];
}

extern "C" __global__ void strided_tree_0(float *out)
{
	static __shared__ float s[256];
	unsigned t = thread();
	s[t] = out[t];
	__syncthreads();
	for (unsigned n = 1; n < 256; n *= 2) {
		if (2 * n * t < 256)
			s[2 * n * t] += s[2 * n * t + n];
		__syncthreads();
	}
	out[t] = s[0];
}

extern "C" __global__ void tree_of_remainders_0(float *out)
{
	static __shared__ float s[256];
	unsigned t = thread();
	s[t] = out[t];
	__syncthreads();
	for (unsigned n = 1; n < 256; n *= 2) {
		if (t % (2 * n) == 0)
			s[t] += s[t + n];
		__syncthreads();
	}
	out[t] = s[0];
}

extern "C" __global__ void sweep_up_0(float *out)
{
	static __shared__ float s[256];
	int t = thread(), apart = 1;
	s[t] = out[t];
	for (int n = 128; n > 0; n >>= 1) {
		__syncthreads();
		if (t < n)
			s[apart * (2 * t + 2) - 1] += s[apart * (2 * t + 1) - 1];
		apart *= 2;
	}
	__syncthreads();
	out[t] = s[t];
}

extern "C" __global__ void network_0(float *out)
{
	static __shared__ float s[512];
	int t = thread();
	s[t] = out[t];
	for (int size = 2; size <= 512; size *= 2)
		for (int stride = size / 2; stride > 0; stride /= 2) {
			__syncthreads();
			int j = 2 * t - (t & (stride - 1));
			float a = s[j], b = s[j + stride];
			if ((a > b) == !(j & size)) {
				s[j] = b;
				s[j + stride] = a;
			}
		}
	__syncthreads();
	out[t] = s[t];
}

extern "C" __global__ void tile_0(float *out)
{
	static __shared__ float s[16][17];
	int x = thread(), y = __nvvm_read_ptx_sreg_tid_y();
	s[y][x] = out[16 * y + x];
	__syncthreads();
	s[y][x] = 2 * s[y][x] + 1;
	__syncthreads();
	out[16 * y + x] = s[x][y];
}

extern "C" __global__ void stages_0(float *out, int n)
{
	static __shared__ float s[2][64];
	int t = thread(), now = 0;
	s[0][t] = out[t];
	__syncthreads();
	for (int i = 0; i < n; i++) {
		s[1 - now][t] = s[now][(t + 1) % 64];
		now = 1 - now;
		__syncthreads();
	}
	for (int i = 0; i < n; i++) {
		s[i & 1][t] = out[64 * i + t];
		__syncthreads();
		out[64 * i + t] = s[i & 1][(t + 1) % 64];
	}
}

extern "C" __global__ void neighbour_1(float *out)
{
	static __shared__ float s[32];
	unsigned t = thread();
	s[t] = out[t];
	__syncthreads();
	float next = s[t ^ 1];
	s[t] = 2;
	out[t] = next;
}

extern "C" __global__ void neighbours_counter_1(int *out)
{
	static __shared__ int s[32];
	unsigned t = thread();
	s[t] = out[t];
	__syncthreads();
	int next = s[t ^ 1];
	__nvvm_atom_add_gen_i(&s[t], 50);
	out[t] = next;
}
