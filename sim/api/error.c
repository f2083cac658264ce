/* SPDX-License-Identifier: Apache-2.0 */
#include "api.h"

struct text {
	int code;
	const char *name, *text;
};

static const struct text texts[] = {
#define X(code, name, text) {code, #name, text},
#include "errors.def"
#undef X
};

/* Sorted by code. */
static const struct text *find(int code)
{
	size_t low = 0, high = sizeof texts / sizeof *texts;
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (texts[middle].code < code)
			low = middle + 1;
		else
			high = middle;
	}
	return low < sizeof texts / sizeof *texts && texts[low].code == code ? &texts[low] : NULL;
}

const char *cudaGetErrorName(cudaError_t error)
{
	const struct text *text = find((int)error);
	return text ? text->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
	const struct text *text = find((int)error);
	return text ? text->text : "unrecognized error code";
}

/* Neither is itself announced as a call with a result to keep. A dead context
 * keeps its error, whoever asks. */
static cudaError_t last(bool clear)
{
	cudaError_t error = api_last_error(clear);
	int sticky = device_count() ? atomic_load(&device_current()->sticky) : 0;
	return error || !sticky ? error : (cudaError_t)sticky;
}

cudaError_t cudaGetLastError(void)
{
	return last(true);
}

cudaError_t cudaPeekAtLastError(void)
{
	return last(false);
}
