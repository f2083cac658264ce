/* SPDX-License-Identifier: Apache-2.0 */
#include "jit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "api.h"
#include "loaded.h"

/* A text into the buffer that options name, cut to its room; the bytes of it that were written
 * in the place of the room. */
static void fill_log(const struct jit *jit, enum cudaJitOption buffer, const char *text)
{
	char *to = NULL;
	void **room = NULL;
	for (unsigned i = 0; i < jit->n; i++) {
		if (jit->options[i] == buffer)
			to = jit->values[i];
		else if ((unsigned)jit->options[i] == (unsigned)buffer + 1)
			room = &jit->values[i];
	}
	if (!to || !room)
		return;
	size_t bytes = (size_t)(uintptr_t)*room, length = text ? strlen(text) : 0;
	if (bytes && length > bytes - 1)
		length = bytes - 1;
	if (bytes) {
		if (length)
			memcpy(to, text, length);
		to[length] = 0;
	}
	/* As an H200's driver counts: without the NUL, but where the text is cut. */
	*room = (void *)(uintptr_t)(text && strlen(text) > length ? bytes : length);
}

void jit_fill_logs(const struct jit *jit, const char *said, bool failed)
{
	fill_log(jit, cudaJitInfoLogBuffer, failed ? NULL : said);
	fill_log(jit, cudaJitErrorLogBuffer, failed ? said : NULL);
	for (unsigned i = 0; i < jit->n; i++)
		if (jit->options[i] == cudaJitWallTime)
			memset(&jit->values[i], 0, sizeof(float));
}

cudaError_t jit_load(const void *image, const char *path, const struct jit *jit,
		     struct loaded **ret)
{
	char *bytes = NULL, *log = NULL;
	size_t size;
	cudaError_t error = image ? cudaSuccess : loaded_read_file(path, &bytes, &size);
	if (!error)
		error = loaded_new(image ? image : bytes, api_name(), &log, ret);
	if (jit)
		jit_fill_logs(jit, log, error);
	free(bytes);
	free(log);
	return error;
}
