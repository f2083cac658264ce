#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What libcublas's stand-in says of misuse and of what it has not, and how others link it.
here=$(dirname "$(realpath "$0")")
. "$here/lib.sh"

cat >misuse.cu <<'CU'
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
extern "C" {
int cublasCreate_v2(void **);
int cublasSetStream_v2(void *, cudaStream_t);
int cublasSscal_v2(void *, int, const float *, float *, int);
int cublasSscal_v2_64(void *, long, const float *, float *, long);
}
int main(int argc, char **argv)
{
	void *handle;
	float two = 2, *x;
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaMalloc(&x, 400);
	cudaMemset(x, 0, 400);
	cudaStreamCreate(&stream);
	cublasCreate_v2(&handle);
	if (!strcmp(argv[1], "beyond"))
		return cublasSscal_v2(handle, 101, &two, x, 1);
	if (!strcmp(argv[1], "host"))
		return cublasSscal_v2(handle, 1, &two, NULL, 1);
	if (!strcmp(argv[1], "wide"))
		return cublasSscal_v2_64(handle, 100, &two, x, 1);
	cublasSetStream_v2(handle, stream);
	cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
	int status = cublasSscal_v2(handle, 100, &two, x, 1);
	cudaStreamEndCapture(stream, &graph);
	return status;
}
CU
cat >uninitialized.cu <<'CU'
extern "C" {
int cublasCreate_v2(void **);
int cublasSasum_v2(void *, int, const float *, int, float *);
}
int main()
{
	void *handle;
	float *x, sum;
	cudaMalloc(&x, 400);
	cublasCreate_v2(&handle);
	int status = cublasSasum_v2(handle, 100, x, 1, &sum);
	cudaFree(x);
	return status;
}
CU
cat >host.c <<'C'
int cublasCreate_v2(void **);
int main(void)
{
	void *handle;
	return cublasCreate_v2(&handle);
}
C
expect "builds with -lcublas" 0 '' "$cudasim" cc misuse.cu -lcublas -o misuse
expect "an operand beyond its allocation: CUBLAS_STATUS_EXECUTION_FAILED" 13 \
	'^cudasim: cublasSscal: what it was given at 0x[0-9a-f]+: invalid argument$' ./misuse beyond
expect "no vector: CUBLAS_STATUS_INVALID_VALUE" 7 '^$' ./misuse host
expect "a function that is not simulated: CUBLAS_STATUS_NOT_SUPPORTED" 15 \
	'^cudasim: cublasSscal_v2_64 is not simulated$' ./misuse wide
expect "a stream that is being captured: CUBLAS_STATUS_NOT_SUPPORTED" 15 \
	'^cudasim: cublasSscal in a stream that is being captured is not simulated$' ./misuse capture
"$cudasim" cc uninitialized.cu -lcublas -o uninitialized
expect "initcheck sees what a call reads" 0 'Copy of uninitialized device memory to the host' \
	"$cudasim" check --tool initcheck --error-exitcode 0 ./uninitialized
expect "a toolkit's folder has libcublas" 0 '' gcc host.c -o host -L"$("$cudasim" toolkit-path)/lib64" -lcublas \
	-Wl,-rpath,"$("$cudasim" toolkit-path)/lib64"
expect "which works" 0 '' ./host
finish
