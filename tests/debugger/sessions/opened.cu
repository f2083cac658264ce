/* SPDX-License-Identifier: Apache-2.0 */
/* A library with a kernel, for opener.c. */

__global__ void twice(int *x)
{
	int t = threadIdx.x;
	x[t] *= 2;
}

extern "C" int doubled(int n)
{
	int *x;
	cudaMallocManaged(&x, 32 * sizeof *x);
	for (int i = 0; i < 32; i++)
		x[i] = i;
	twice<<<1, 32>>>(x);
	cudaDeviceSynchronize();
	return x[n];
}
