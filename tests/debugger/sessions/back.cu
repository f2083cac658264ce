// SPDX-License-Identifier: Apache-2.0
// Two launches, a copy by the host between them, and functions: what is gone back through.
__device__ int twice(int x)
{
	int y = x + x;
	return y;
}

__global__ void first(int *a, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int v = i;
	if (i < n)
		v = twice(v);
	a[i] = v;
}

__global__ void second(const int *a, int *b)
{
	__shared__ int s[64];
	int t = threadIdx.x;
	s[t] = a[blockIdx.x * 64 + t];
	__syncthreads();
	int sum = 0;
	for (int k = 0; k < 4; k++)
		sum += s[(t + k) % 64];
	b[blockIdx.x * 64 + t] = sum;
}

int main()
{
	int *a, *b, nine = 9;
	cudaMalloc(&a, 128 * sizeof *a);
	cudaMalloc(&b, 128 * sizeof *b);
	cudaMemset(a, 0, 128 * sizeof *a);
	first<<<2, 64>>>(a, 100);
	cudaMemcpy(a + 1, &nine, sizeof nine, cudaMemcpyHostToDevice);
	second<<<2, 64>>>(a, b);
	cudaDeviceSynchronize();
	return 0;
}
