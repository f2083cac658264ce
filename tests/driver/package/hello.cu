/* SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>

__global__ void hello()
{
	printf("thread %d\n", threadIdx.x);
}

int main()
{
	hello<<<1, 2>>>();
	return cudaDeviceSynchronize();
}
