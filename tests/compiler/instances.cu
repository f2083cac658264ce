/* SPDX-License-Identifier: Apache-2.0 */
/* 400 instances of a kernel that is on the large side itself, each with calls of one long
 * function that its author wants inlined: inlined as wished, all would be a million
 * instructions. They arrive at the cluster's barrier, so none becomes a loop. */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))

#define TWICE(x) x x
#define EIGHT(x) TWICE(TWICE(TWICE(x)))

static __device__ __attribute__((always_inline)) unsigned scramble(const unsigned *words,
								   unsigned state)
{
	EIGHT(EIGHT(state ^= words[state & 7] + (state << 7 | state >> 25);))
	return state;
}

template <int N> __global__ void instance(const unsigned *words, volatile unsigned *out)
{
	asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
	unsigned state = N;
	TWICE(TWICE(state = scramble(words, state);))
	EIGHT(TWICE(*out = state += N;))
}

#define FOUR(n) \
	template __global__ void instance<n>(const unsigned *, volatile unsigned *); \
	template __global__ void instance<n + 1>(const unsigned *, volatile unsigned *); \
	template __global__ void instance<n + 2>(const unsigned *, volatile unsigned *); \
	template __global__ void instance<n + 3>(const unsigned *, volatile unsigned *);
#define TWENTY(n) FOUR(n) FOUR(n + 4) FOUR(n + 8) FOUR(n + 12) FOUR(n + 16)
#define HUNDRED(n) TWENTY(n) TWENTY(n + 20) TWENTY(n + 40) TWENTY(n + 60) TWENTY(n + 80)

HUNDRED(0)
HUNDRED(100)
HUNDRED(200)
HUNDRED(300)
