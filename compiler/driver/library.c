/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "library.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* prefix: what the library's functions are called. NULL for those that
 * libcudasim.so stands in for. */
static const struct {
	const char *name, *prefix;
} libraries[] = {
	{"cudart", NULL}, {"cudart_static", NULL}, {"cudadevrt", NULL}, {"cuda", NULL},
	{"nvrtc", NULL}, {"nvrtc_static", NULL}, {"nvrtc-builtins_static", NULL},
	/* Old programs name it; what it held is in headers only today. */
	{"cutil", NULL}, {"nvToolsExt", NULL},
	{"cublas", "cublas"}, {"cublas_static", "cublas"}, {"cublasLt", "cublasLt"},
	{"cublasLt_static", "cublasLt"}, {"cufft", "cufft"}, {"cufft_static", "cufft"},
	{"cufft_static_nocallback", "cufft"}, {"cufftw", "fftw"}, {"curand", "curand"},
	{"curand_static", "curand"}, {"cusparse", "cusparse"}, {"cusparse_static", "cusparse"},
	{"cusolver", "cusolver"}, {"cusolver_static", "cusolver"}, {"cusolverMg", "cusolverMg"},
	{"cudnn", "cudnn"}, {"nccl", "nccl"},
	{"nvJitLink", "nvJitLink"}, {"nvjpeg", "nvjpeg"}, {"nvml", "nvml"},
	{"nvidia-ml", "nvml"}, {"cupti", "cupti"}, {"culibos", "culibos"},
	{"nppc", "npp"}, {"nppial", "npp"}, {"nppicc", "npp"}, {"nppidei", "npp"},
	{"nppif", "npp"}, {"nppig", "npp"}, {"nppim", "npp"}, {"nppist", "npp"},
	{"nppisu", "npp"}, {"nppitc", "npp"}, {"npps", "npp"}, {"nvvm", "nvvm"},
	{"cufile", "cuFile"}, {"nvblas", "nvblas"}, {"cutensor", "cutensor"},
	{"nvshmem", "nvshmem"},
};

enum { N_LIBRARIES = sizeof libraries / sizeof *libraries };

static const char *prefix_of(const char *name)
{
	for (size_t i = 0; i < N_LIBRARIES; i++)
		if (!strcmp(libraries[i].name, name))
			return libraries[i].prefix;
	return NULL;
}

enum library_kind library_kind(const char *name)
{
	for (size_t i = 0; i < N_LIBRARIES; i++)
		if (!strcmp(libraries[i].name, name))
			return libraries[i].prefix ? LIBRARY_MISSING : LIBRARY_OURS;
	return LIBRARY_OTHER;
}

/* The driver API's functions: cuInit, cuMemAlloc_v2. */
static bool has_driver_call(const char *linker_output)
{
	static const char start[] = "undefined reference to `cu";
	for (const char *at = linker_output; (at = strstr(at, start)); at += sizeof start - 1)
		if (isupper((unsigned char)at[sizeof start - 1]))
			return true;
	return false;
}

char *library_advice(const struct words *missing, const char *linker_output)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return text_copy("");
	for (size_t i = 0; i < missing->n; i++) {
		char *symbol = text_format("undefined reference to `%s", prefix_of(missing->at[i]));
		if (strstr(linker_output, symbol))
			fprintf(out, "cudasim: the program calls lib%s, which is not simulated\n",
				missing->at[i]);
		free(symbol);
	}
	if (has_driver_call(linker_output))
		fprintf(out, "cudasim: the program calls the driver API (libcuda); what is undefined "
			"above is not simulated\n");
	fclose(out);
	return text ? text : text_copy("");
}
