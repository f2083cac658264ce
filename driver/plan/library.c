/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "library.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Those that have something in their place. */
static const struct {
	const char *name;
	const char *beside; /* libcudasim-NAME.so; NULL: libcudasim.so */
} in_place[] = {
	{"cudart", NULL},
	{"cudart_static", NULL},
	{"cudadevrt", NULL},
	{"cuda", NULL},
	{"nvrtc", "nvrtc"},
	{"nvrtc_static", "nvrtc"},
	{"nvvm", "nvvm"},
	{"nvJitLink", "nvjitlink"},
	{"nvJitLink_static", "nvjitlink"},
	{"nvrtc-builtins", NULL},
	{"nvrtc-builtins_static", NULL},
	/* Old programs name it; what it held is in headers only today. */
	{"cutil", NULL},
	{"nvToolsExt", NULL},
	{"cublas", "cublas"},
	{"cublas_static", "cublas"},
};

/* Others, and what their functions are called. */
static const struct {
	const char *name, *prefix;
} missing_libraries[] = {
	{"cublasLt", "cublasLt"},
	{"cublasLt_static", "cublasLt"},
	{"cufft", "cufft"},
	{"cufft_static", "cufft"},
	{"cufft_static_nocallback", "cufft"},
	{"cufftw", "fftw"},
	{"curand", "curand"},
	{"curand_static", "curand"},
	{"cusparse", "cusparse"},
	{"cusparse_static", "cusparse"},
	{"cusolver", "cusolver"},
	{"cusolver_static", "cusolver"},
	{"cusolverMg", "cusolverMg"},
	{"cudnn", "cudnn"},
	{"nccl", "nccl"},
	{"nvjpeg", "nvjpeg"},
	{"nvml", "nvml"},
	{"nvidia-ml", "nvml"},
	{"cupti", "cupti"},
	{"culibos", "culibos"},
	{"nppc", "npp"},
	{"nppial", "npp"},
	{"nppicc", "npp"},
	{"nppidei", "npp"},
	{"nppif", "npp"},
	{"nppig", "npp"},
	{"nppim", "npp"},
	{"nppist", "npp"},
	{"nppisu", "npp"},
	{"nppitc", "npp"},
	{"npps", "npp"},
	{"cufile", "cuFile"},
	{"nvblas", "nvblas"},
	{"cutensor", "cutensor"},
	{"nvshmem", "nvshmem"},
};

#define LENGTH(table) (sizeof(table) / sizeof *(table))

static const char *prefix_of(const char *name)
{
	for (size_t i = 0; i < LENGTH(missing_libraries); i++)
		if (!strcmp(missing_libraries[i].name, name))
			return missing_libraries[i].prefix;
	return NULL;
}

enum library_kind library_kind(const char *name)
{
	for (size_t i = 0; i < LENGTH(in_place); i++)
		if (!strcmp(in_place[i].name, name))
			return in_place[i].beside ? LIBRARY_BESIDE : LIBRARY_OURS;
	return prefix_of(name) ? LIBRARY_MISSING : LIBRARY_OTHER;
}

const char *library_beside(const char *name)
{
	for (size_t i = 0; i < LENGTH(in_place); i++)
		if (!strcmp(in_place[i].name, name))
			return in_place[i].beside;
	return NULL;
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
		fprintf(out, "cudasim: the program calls the driver API (libcuda); the functions "
			     "that are undefined above are not simulated\n");
	fclose(out);
	return text ? text : text_copy("");
}
