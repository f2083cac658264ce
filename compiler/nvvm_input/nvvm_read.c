/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/IRReader.h>

#include "llvm_versions.h"
#include "nvvm_parts.h"
#include "opaque_pointers.h"

static struct cudasim_error *read_file(const char *path, char **text, size_t *size)
{
	FILE *file = fopen(path, "re");
	if (!file)
		return cudasim_error_errno(errno, "%s: error", path);
	*text = NULL;
	FILE *copy = open_memstream(text, size);
	char part[65536];
	size_t n;
	bool failed = !copy;
	while (!failed && (n = fread(part, 1, sizeof part, file)) > 0)
		failed = fwrite(part, 1, n, copy) != n;
	struct cudasim_error *error = ferror(file) ? cudasim_error_errno(errno, "%s: error", path)
						   : NULL;
	fclose(file);
	if (copy)
		failed |= fclose(copy);
	if (!error && failed)
		error = &cudasim_error_nomem;
	if (error)
		free(*text);
	return error;
}

/* The bitcode itself, or the wrapper that some systems put around it. */
static bool is_bitcode(const char *bytes, size_t n)
{
	return n >= 4 && (!memcmp(bytes, "BC\xc0\xde", 4) || !memcmp(bytes, "\xde\xc0\x17\x0b", 4));
}

static struct cudasim_error *read_bitcode(struct device_module *dm, const char *path,
					  const char *bytes, size_t n, LLVMModuleRef *ret)
{
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, n, path);
	char *text;
	device_note_diagnostics(dm, &text);
	bool failed = LLVMParseBitcodeInContext2(dm->context, buffer, ret);
	device_watch_diagnostics(dm->program);
	LLVMDisposeMemoryBuffer(buffer);
	struct cudasim_error *error = NULL;
	if (failed)
		error = cudasim_error_new(CUDASIM_E_FORMAT, "%s: error: not LLVM bitcode: %s", path,
					  text ? text : "Invalid bitcode signature");
	free(text);
	return error;
}

/* LLVM's message is "NAME:LINE:COLUMN: error: TEXT", and lines of the text that it has read. */
static struct cudasim_error *located(const char *path, const char *original,
				     const struct opaque_text *made, const char *message)
{
	unsigned line = 0, column = 0;
	const char *colon = strchr(message, ':');
	const char *text = strstr(message, ": error: ");
	if (!colon || !text || sscanf(colon, ":%u:%u:", &line, &column) != 2)
		return cudasim_error_new(CUDASIM_E_FORMAT, "%s: error: %s", path, message);
	text += strlen(": error: ");
	opaque_place(made, original, &line, &column);
	return cudasim_error_new(CUDASIM_E_FORMAT, "%s:%u:%u: error: %.*s", path, line, column,
				 (int)strcspn(text, "\n"), text);
}

static struct cudasim_error *read_text(struct device_module *dm, const char *path, const char *text,
				       size_t n, LLVMModuleRef *ret)
{
	struct opaque_text made;
	char *message = NULL;
	opaque_pointers(text, n, &made);
	if (made.dropped_debug)
		fprintf(stderr,
			"%s: warning: debug information of this old form is left out: it is read "
			"from LLVM 3.7 on\n",
			path);
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(made.text.at,
									       made.text.n, "nvvm");
	struct cudasim_error *error = NULL;
	/* It takes the buffer over. */
	if (LLVMParseIRInContext(dm->context, buffer, ret, &message))
		error = located(path, text, &made, message);
	LLVMDisposeMessage(message);
	opaque_text_fini(&made);
	return error;
}

struct cudasim_error *nvvm_read(struct device_module *dm, const char *path, LLVMModuleRef *ret)
{
	char *bytes;
	size_t n;
	struct cudasim_error *error = read_file(path, &bytes, &n);
	if (error)
		return error;
	error = is_bitcode(bytes, n) ? read_bitcode(dm, path, bytes, n, ret)
				     : read_text(dm, path, bytes, n, ret);
	free(bytes);
	if (!error)
		module_settle(*ret, false);
	return error;
}
