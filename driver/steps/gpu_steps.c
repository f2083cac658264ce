/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_steps.c - the jobs of --gpu that cudasim does itself.
 *
 * ptxas names lines of PTX, which nobody has written. The PTX says with .loc which
 * line of the source each instruction is of, and with .file what the files are: the
 * last .loc above the line tells. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "cudasim/abi.h"
#include "fatbin.h"
#include "object.h"
#include "ptx_lines.h"
#include "steps.h"

enum { ALIGNMENT = 64 };

struct cudasim_error *step_read(const char *path, char **ret, size_t *n)
{
	FILE *file = fopen(path, "re");
	if (!file)
		return cudasim_error_errno(errno, "cannot open '%s'", path);
	*ret = NULL;
	*n = 0;
	FILE *out = open_memstream(ret, n);
	char buffer[65536];
	size_t got;
	while (out && (got = fread(buffer, 1, sizeof buffer, file)) > 0)
		fwrite(buffer, 1, got, out);
	bool failed = !out || ferror(file);
	failed |= out && fclose(out);
	fclose(file);
	return failed ? cudasim_error_errno(errno, "cannot read '%s'", path) : NULL;
}

struct cudasim_error *step_gpu_blob(int n, char **arguments)
{
	const char *id_path = step_take(&n, arguments, "--id");
	const char *blob_path = step_take(&n, arguments, "-o");
	if (!id_path || !blob_path || n != 2)
		return step_usage(arguments[0]);
	char id[33], *fatbin = NULL;
	size_t size;
	struct cudasim_error *error = step_read_id(id_path, id);
	if (!error)
		error = step_read(arguments[1], &fatbin, &size);
	if (error)
		return error;
	size_t offset = (sizeof(struct cudasim_blob) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	char *bytes = calloc(1, offset + size);
	if (!bytes)
		return &cudasim_error_nomem;
	struct cudasim_blob blob = {.gpu_offset = (int64_t)offset, .gpu_size = size};
	memcpy(blob.magic, CUDASIM_BLOB_MAGIC, sizeof blob.magic);
	for (size_t i = 0; i < sizeof blob.id; i++) {
		char digits[3] = {id[2 * i], id[2 * i + 1], 0};
		blob.id[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	memcpy(bytes, &blob, sizeof blob);
	memcpy(bytes + offset, fatbin, size);
	error = step_write(blob_path, bytes, offset + size);
	free(bytes);
	free(fatbin);
	return error;
}

/* What cc-gpu-blob wrote, the fat binary before the blob: as the host object carries it. */
static struct cudasim_error *fatbin_first(const char *blob_path, const char *path)
{
	char *bytes = NULL;
	size_t size = 0;
	struct cudasim_blob blob;
	struct cudasim_error *error = step_read(blob_path, &bytes, &size);
	if (error)
		return error;
	if (size >= sizeof blob)
		memcpy(&blob, bytes, sizeof blob);
	size_t at = size >= sizeof blob ? (size_t)blob.gpu_offset : 0;
	if (!at || at > size || blob.gpu_size != size - at ||
	    !fatbin_is_whole(bytes + at, blob.gpu_size)) {
		free(bytes);
		return cudasim_error_new(CUDASIM_E_FORMAT, "'%s' holds no fat binary", blob_path);
	}
	size_t n = (fatbin_size(bytes + at) + 7) / 8 * 8;
	char *embedded = calloc(1, n + sizeof blob);
	if (!embedded) {
		free(bytes);
		return &cudasim_error_nomem;
	}
	memcpy(embedded, bytes + at, fatbin_size(bytes + at));
	blob.gpu_offset = -(int64_t)n;
	memcpy(embedded + n, &blob, sizeof blob);
	error = step_write(path, embedded, n + sizeof blob);
	free(embedded);
	free(bytes);
	return error;
}

struct cudasim_error *step_gpu_embed(int n, char **arguments)
{
	bool has = false;
	if (n != 3)
		return step_usage(arguments[0]);
	struct cudasim_error *error = object_has_section(arguments[2], ".nv_fatbin", &has);
	if (error || !has)
		return error;
	char *path = text_format("%s.embedded", arguments[1]);
	error = fatbin_first(arguments[1], path);
	if (error) {
		free(path);
		return error;
	}
	struct words words = {0};
	words_add(&words, "objcopy");
	words_addf(&words, "--update-section=.nv_fatbin=%s", path);
	words_add(&words, arguments[2]);
	error = step_run(&words);
	unlink(path);
	free(path);
	words_fini(&words);
	return error;
}

struct cudasim_error *step_ptxas(int n, char **arguments, int *ret)
{
	if (n < 3)
		return step_usage(arguments[0]);
	FILE *said = tmpfile();
	if (!said)
		return cudasim_error_errno(errno, "cannot make a temporary file");
	struct words words = {.at = arguments + 1, .n = (size_t)n - 1};
	struct cudasim_error *error = child_run(&words, said, said, ret);
	if (!error && *ret == 255) /* ptxas' own status of failure */
		*ret = 1;
	char *ptx = NULL, *line = NULL;
	size_t size = 0;
	rewind(said);
	while (!error && getline(&line, &size, said) >= 0) {
		size_t n_bytes;
		if (!ptx && strstr(line, ", line "))
			error = step_read(arguments[n - 1], &ptx, &n_bytes);
		char *told = ptx ? ptx_lines_tell(line, ptx) : NULL;
		fputs(told ? told : line, stderr);
		free(told);
	}
	free(line);
	free(ptx);
	fclose(said);
	return error;
}
