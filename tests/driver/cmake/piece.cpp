// SPDX-License-Identifier: Apache-2.0
__global__ void seven(int *value)
{
	*value = 7;
}

int run_piece()
{
	int *value, result;
	cudaMallocManaged(&value, sizeof *value);
	seven<<<1, 1>>>(value);
	cudaDeviceSynchronize();
	result = *value;
	cudaFree(value);
	return result;
}
