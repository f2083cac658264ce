/* SPDX-License-Identifier: Apache-2.0 */
/* ptx.c - the pieces lie as files in a folder of their own, in which the compiler runs, so
 * that neither messages nor the compiler's cache know where that folder is. */
#define _GNU_SOURCE
#include "ptx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler.h"

enum { MAX_PIECES = 256, FIRST_INPUT = 5 };

bool ptx_is(const char *text)
{
	/* Behind blanks and comments. */
	for (;;) {
		while (isspace((unsigned char)*text))
			text++;
		if (!strncmp(text, "//", 2)) {
			text += strcspn(text, "\n");
		} else if (!strncmp(text, "/*", 2)) {
			const char *end = strstr(text + 2, "*/");
			if (!end)
				return false;
			text = end + 2;
		} else {
			return !strncmp(text, ".version", 8);
		}
	}
}

/* Files' names in messages become the pieces' own. */
static char *tell(const char *said, const struct ptx_piece *pieces, size_t n)
{
	char *ret = NULL;
	size_t size;
	FILE *out = open_memstream(&ret, &size);
	while (out && *said) {
		unsigned long i = 0;
		int length = 0;
		if (!strncmp(said, "ptx-input-", 10) &&
		    sscanf(said, "ptx-input-%lu.ptx%n", &i, &length) == 1 && length && i < n) {
			fputs(pieces[i].name ? pieces[i].name : "application ptx input", out);
			said += length;
		} else {
			fputc(*said++, out);
		}
	}
	if (!out || fclose(out))
		return NULL;
	if (size && ret[size - 1] == '\n')
		ret[size - 1] = 0;
	return ret;
}

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

static cudaError_t run(char **words, const char *folder, const struct ptx_piece *pieces, size_t n,
		       char **ret, char **log)
{
	char *said = NULL, *log_path = NULL, *image_path = NULL;
	cudaError_t error = cudaErrorMemoryAllocation;
	if (asprintf(&log_path, "%s/log", folder) < 0)
		log_path = NULL;
	if (asprintf(&image_path, "%s/image", folder) < 0)
		image_path = NULL;
	if (!log_path || !image_path)
		goto end;
	int status = compiler_run(words, folder, log_path);
	error = cudaErrorJitCompilerNotFound;
	said = compiler_read_text(log_path);
	if (status < 0 || status == 127 || !said)
		goto end;
	*log = tell(said, pieces, n);
	error = !*log ? cudaErrorMemoryAllocation : status ? error_of(said) : cudaSuccess;
	if (!error && ret) {
		*ret = compiler_read_text(image_path);
		error = *ret ? cudaSuccess : cudaErrorMemoryAllocation;
	}
end:
	free(said);
	free(log_path);
	free(image_path);
	return error;
}

cudaError_t ptx_compile(const struct ptx_piece *pieces, size_t n, char **ret, char **log)
{
	const char *tmp = getenv("TMPDIR");
	char *words[FIRST_INPUT + MAX_PIECES + 3] = {compiler_find(), "cc", "-cubin", "-dlink",
						     ret ? "-w" : "-fdevice-syntax-only"};
	char *folder = NULL;
	size_t at = FIRST_INPUT;
	*log = NULL;
	if (n > MAX_PIECES)
		return cudaErrorNotSupported;
	bool ready = words[0] &&
		     asprintf(&folder, "%s/cudasim-ptx-XXXXXX", tmp && *tmp ? tmp : "/tmp") >= 0;
	bool made = ready && mkdtemp(folder);
	for (size_t i = 0; i < n && made; i++) {
		char *path = NULL;
		if (asprintf(&path, "%s/ptx-input-%zu.ptx", folder, i) < 0) {
			ready = false;
			break;
		}
		ready &= compiler_write_text(path, pieces[i].text);
		memmove(path, path + strlen(folder) + 1, strlen(path) - strlen(folder));
		words[at++] = path;
	}
	words[at] = "-o";
	words[at + 1] = "image";
	cudaError_t error = ready && made ? run(words, folder, pieces, n, ret, log)
					  : cudaErrorMemoryAllocation;
	if (made)
		compiler_remove_folder(folder);
	for (size_t i = FIRST_INPUT; i < at; i++)
		free(words[i]);
	free(words[0]);
	free(folder);
	return error;
}
