/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx.h"

#include <stdlib.h>
#include <string.h>

#include "jit_link.h"

static cudaError_t error_of(const char *said)
{
	if (strstr(said, "its licence does not"))
		return cudaErrorNotSupported;
	if (strstr(said, "Unsupported .version"))
		return cudaErrorUnsupportedPtxVersion;
	if (strstr(said, "error   : Multiple definition"))
		return cudaErrorInvalidSource;
	return cudaErrorInvalidPtx;
}

cudaError_t ptx_compile(const struct ptx_piece *pieces, size_t n, char **ret, char **log)
{
	static const char *const options[] = {"-cubin", NULL};
	struct jit_piece *inputs = calloc(n, sizeof *inputs);
	cudaError_t error = cudaErrorMemoryAllocation;
	size_t size;
	*log = NULL;
	for (size_t i = 0; inputs && i < n; i++)
		inputs[i] = (struct jit_piece){pieces[i].text, strlen(pieces[i].text),
					       pieces[i].name, "ptx"};
	switch (inputs ? jit_link(options, inputs, n, ret, &size, log) : JIT_NOMEM) {
	case JIT_DONE:
		error = cudaSuccess;
		break;
	case JIT_FAILED:
		error = error_of(*log);
		break;
	case JIT_NO_COMPILER:
		error = cudaErrorJitCompilerNotFound;
		break;
	case JIT_NOMEM:
		break;
	}
	free(inputs);
	return error;
}
