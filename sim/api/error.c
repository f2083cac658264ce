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
	api_announce(__func__, __builtin_return_address(0));
	const struct text *text = find((int)error);
	return text ? text->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
	api_announce(__func__, __builtin_return_address(0));
	const struct text *text = find((int)error);
	return text ? text->text : "unrecognized error code";
}

/* What the calling thread's calls have answered; a context that has died does
 * not count before a call has met it. */
cudaError_t cudaGetLastError(void)
{
	api_announce(__func__, __builtin_return_address(0));
	return api_last_error(true);
}

cudaError_t cudaPeekAtLastError(void)
{
	api_announce(__func__, __builtin_return_address(0));
	return api_last_error(false);
}
