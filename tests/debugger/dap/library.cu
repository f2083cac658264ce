// SPDX-License-Identifier: Apache-2.0
// What a program loads while it runs: element 31 is twice 31.
__global__ void twice(int *p)
{
	int i = threadIdx.x;
	p[i] = 2 * i;
}

extern "C" int run_twice()
{
	int *p;
	cudaMallocManaged(&p, 32 * sizeof *p);
	twice<<<1, 32>>>(p);
	cudaDeviceSynchronize();
	return p[31];
}
