/* SPDX-License-Identifier: Apache-2.0 */
/* Words in memory that one stream writes and another waits for order what the two do. */
#include "../cases.h"

#include <cuda.h>

__global__ void put(int *p, int v)
{
	p[threadIdx.x] = v + threadIdx.x; /* FINDS(words_guilty): race FINDS(other_word_guilty): race */
}
__global__ void add(int *p, int v) { p[threadIdx.x] += v; }

static void two_streams(CUdeviceptr written, CUdeviceptr waited, unsigned value)
{
	device_array<int> p(64);
	cudaDeviceSynchronize(); /* p is set in the legacy stream, which these do not wait for */
	cudaStream_t a, b;
	cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
	put<<<1, 64, 0, a>>>(p, 1);
	cuStreamWriteValue32(a, written, 1, 0);
	if (waited)
		cuStreamWaitValue32(b, waited, value, CU_STREAM_WAIT_VALUE_EQ);
	add<<<1, 64, 0, b>>>(p, 2);
	cudaDeviceSynchronize();
	cudaStreamDestroy(a);
	cudaStreamDestroy(b);
}

static CUdeviceptr words()
{
	CUdeviceptr p = 0;
	cudaFree(0);
	cuMemAlloc(&p, 64);
	cuMemsetD32(p, 0, 16);
	cudaDeviceSynchronize();
	return p;
}

CASE(words_innocent)
{
	CUdeviceptr w = words();
	two_streams(w, w, 1);
	cuMemFree(w);
}
CASE(words_guilty)
{
	CUdeviceptr w = words();
	two_streams(w, 0, 0);
	cuMemFree(w);
}
/* A wait for another word than the one that is written. */
CASE(other_word_guilty)
{
	CUdeviceptr w = words();
	two_streams(w, w + 8, 0);
	cuMemFree(w);
}
