/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the CUDA API that fail, or that count on what is not so. */
#include "../case.cuh"

__global__ void nothing() {}

CASE(too_many_threads)
{
	nothing<<<1, 2048>>>(); // EXPECT too_many_threads: api-error
}
CASE(too_many_threads_fixed) { nothing<<<1, 1024>>>(); }

CASE(copy_too_long)
{
	char *a, host[200] = {0};
	cudaMalloc(&a, 100);
	cudaMemcpy(a, host, 101, cudaMemcpyHostToDevice); // EXPECT copy_too_long: api-error
	cudaFree(a);
}
CASE(copy_too_long_fixed)
{
	char *a, host[200] = {0};
	cudaMalloc(&a, 100);
	cudaMemcpy(a, host, 100, cudaMemcpyHostToDevice);
	cudaFree(a);
}

CASE(set_too_long)
{
	char *a;
	cudaMalloc(&a, 100);
	cudaMemset(a, 0, 101); // EXPECT set_too_long: api-error
	cudaFree(a);
}
CASE(set_too_long_fixed)
{
	char *a;
	cudaMalloc(&a, 100);
	cudaMemset(a, 0, 100);
	cudaFree(a);
}

CASE(no_such_device)
{
	cudaSetDevice(99); // EXPECT no_such_device: api-error
}
CASE(no_such_device_fixed) { cudaSetDevice(0); }

CASE(not_a_symbol)
{
	static int host;
	int v = 0;
	cudaMemcpyToSymbol(host, &v, sizeof v); // EXPECT not_a_symbol: api-error
}
__device__ int symbol;
CASE(not_a_symbol_fixed)
{
	int v = 0;
	cudaMemcpyToSymbol(symbol, &v, sizeof v);
}

CASE(too_much_shared)
{
	nothing<<<1, 1, 1 << 20>>>(); // EXPECT too_much_shared: api-error
}
CASE(too_much_shared_fixed) { nothing<<<1, 1, 1 << 10>>>(); }

/* "Not yet" is an answer, and asking for an earlier error is no error. */
CASE(query_fixed)
{
	cudaStream_t s;
	cudaStreamCreate(&s);
	nothing<<<1, 1, 0, s>>>();
	cudaStreamQuery(s);
	cudaStreamSynchronize(s);
	cudaStreamDestroy(s);
	cudaGetLastError();
}
