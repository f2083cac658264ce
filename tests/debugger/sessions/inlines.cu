/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are inlined, a lambda, a recursion, a loop: for until, advance and finish. */
#include <cstdio>

__device__ __forceinline__ int square(int n)
{
	int result = n * n;
	return result;
}

__device__ __forceinline__ int cube(int n)
{
	int part = square(n);
	return part * n;
}

__device__ __noinline__ int count_down(int n)
{
	if (n == 0)
		return 0;
	int below = count_down(n - 1);
	return below + 2;
}

template <typename F> __device__ int apply(F f, int n)
{
	return f(n) + 1;
}

__global__ void inlines(int *out)
{
	int t = threadIdx.x;
	int sum = cube(t + 2);
	auto add = [sum](int n) {
		int both = sum + n;
		return both;
	};
	sum += apply(add, 5);
	for (int k = 0; k < 4; k++)
		sum += k;
	sum += count_down(3);
	out[t] = sum;
}

int main()
{
	int *out, host[2];
	cudaMalloc(&out, sizeof host);
	inlines<<<1, 2>>>(out);
	cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
	printf("%d %d\n", host[0], host[1]);
	return 0;
}
