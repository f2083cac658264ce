/* SPDX-License-Identifier: Apache-2.0 */
/* irreducible.cu - control flow that is no nest of loops: alone, before barriers and
 * shuffles, and with these in it. What g++ gives is expected of functions of one thread; the
 * first two and the exchanges are worked out by hand. */
#include <string>

#include "case.cuh"

#define BOTH __device__
#define FLOW(...) __VA_ARGS__
#include "irreducible.cuh"

static const int N = 64;

template <int which> __global__ void alone(unsigned *out)
{
	out[threadIdx.x] = flow(which, (int)threadIdx.x);
}

/* Of a thread's neighbour. */
template <int which> __global__ void before_barrier(unsigned *out)
{
	__shared__ unsigned s[N];
	int t = (int)threadIdx.x;
	s[t] = flow(which, t);
	__syncthreads();
	out[t] = s[t ^ 1];
}

template <int which> __global__ void before_shuffle(unsigned *out)
{
	unsigned v = flow(which, (int)threadIdx.x);
	out[threadIdx.x] = __shfl_xor_sync(0xffffffff, v, 1);
}

/* Each other turn is the neighbour's: twice a thread's own. */
template <int which> __global__ void in_turns(unsigned *out, int n)
{
	__shared__ unsigned s[N];
	int t = (int)threadIdx.x;
	unsigned sum = 0;
	for (int i = 0; i < n; i++) {
		s[t] = flow(which, t ^ (i & 1));
		__syncthreads();
		sum += s[t ^ (i & 1)];
		__syncthreads();
	}
	out[t] = sum;
}

template <int which> static void all_of(const std::string &name)
{
	run(name.c_str(), N, 1, N, alone<which>);
	run((name + ", before a barrier").c_str(), N, 1, N, before_barrier<which>);
	run((name + ", before a shuffle").c_str(), N, 1, N, before_shuffle<which>);
	run((name + ", in turns").c_str(), N, 1, N, in_turns<which>, 2);
}

/* All threads go round together, by an odd n into the cycle's middle, which holds a loop
 * with barriers. */
__global__ void with_barriers(unsigned *out, int n)
{
	__shared__ unsigned s[N];
	unsigned t = threadIdx.x, v = t;
	int k = n;
	if (n & 1)
		goto in;
top:
	s[t] = v;
	__syncthreads();
	v += s[t ^ 1];
	__syncthreads();
in:
	v += 1;
	for (int i = 0; i < k; i++) {
		s[t] = v;
		__syncthreads();
		v += s[t ^ 2];
		__syncthreads();
	}
	if (--k > 0) {
		if (k & 1)
			goto top;
		goto in;
	}
	out[t] = v;
}

/* As before with a warp's operations, and the second warp enters elsewhere. */
__global__ void with_shuffles(unsigned *out)
{
	unsigned t = threadIdx.x, v = t;
	int k = 4;
	if (t / 32)
		goto in;
top:
	v += __shfl_xor_sync(0xffffffff, v, 1);
in:
	v += 1;
	for (int i = 0; i < k; i++)
		v += __shfl_xor_sync(0xffffffff, v, 2);
	if (--k > 0) {
		if (k & 1)
			goto top;
		goto in;
	}
	out[t] = v;
}

/* Threads come into the cycle in two places, and to different barriers of it, but to
 * equally many: neighbours' values are added three times. */
__global__ void apart(unsigned *out)
{
	__shared__ unsigned s[2][N];
	unsigned t = threadIdx.x, v = t;
	int k = 3;
	if (t & 1)
		goto odd;
even:
	s[k & 1][t] = v;
	__syncthreads();
	v += s[k & 1][t ^ 1];
	if (--k == 0)
		goto out;
	if (t & 2)
		goto even;
odd:
	s[k & 1][t] = v;
	__syncthreads();
	v += s[k & 1][t ^ 1];
	if (--k == 0)
		goto out;
	if (t & 4)
		goto odd;
	goto even;
out:
	out[t] = v;
}

int main()
{
	all_of<0>("switch into a loop, equal");
	all_of<1>("switch into a loop");
	all_of<2>("goto into a cycle");
	all_of<3>("inside a loop");
	all_of<4>("around a loop");
	all_of<5>("nested");
	all_of<6>("several ends");
	all_of<7>("switch default");
	run("with barriers, even", N, 1, N, with_barriers, 4);
	run("with barriers, odd", N, 1, N, with_barriers, 3);
	run("with shuffles", N, 1, N, with_shuffles);
	run("apart", N, 1, N, apart);
	return 0;
}
