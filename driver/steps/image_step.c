/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fatbin_format.h"
#include "image.h"
#include "steps.h"

static struct cudasim_error *write_text(FILE *out, const char *ptx_path, const char *object,
					size_t n)
{
	char *ptx = NULL;
	size_t n_ptx = 0;
	struct cudasim_error *error = step_read(ptx_path, &ptx, &n_ptx);
	if (!error)
		image_write(out, ptx, n_ptx, object, n);
	free(ptx);
	return error;
}

static struct cudasim_error *write_fatbin(FILE *out, const char *path, const char *text, size_t n)
{
	static const char zeros[8];
	char *fatbin = NULL;
	size_t size = 0, at = sizeof(struct fatbin_header), last = 0;
	struct fatbin_header header;
	struct fatbin_entry entry = {0};
	struct cudasim_error *error = step_read(path, &fatbin, &size);
	if (error)
		return error;
	/* The PTX is the last entry. */
	while (at + sizeof entry <= size) {
		last = at;
		memcpy(&entry, fatbin + at, sizeof entry);
		at += entry.header_bytes + entry.payload_bytes;
	}
	if (at != size || entry.kind != FATBIN_PTX) {
		free(fatbin);
		return cudasim_error_new(CUDASIM_E_FORMAT,
					 "'%s' does not have the form of fatbinary's output", path);
	}
	size_t padding = (8 - (n + 1) % 8) % 8 + 1;
	memcpy(&header, fatbin, sizeof header);
	header.bytes += n + padding - entry.payload_bytes;
	size_t entry_bytes = entry.header_bytes;
	entry.payload_bytes = n + padding;
	memcpy(fatbin, &header, sizeof header);
	memcpy(fatbin + last, &entry, sizeof entry);
	fwrite(fatbin, 1, last + entry_bytes, out);
	fwrite(text, 1, n, out);
	fwrite(zeros, 1, padding, out);
	free(fatbin);
	return NULL;
}

/* What the object was to be linked of is not complete: the PTX alone. */
static struct cudasim_error *copy_ptx(const char *from, const char *to)
{
	char *ptx = NULL;
	size_t n = 0;
	struct cudasim_error *error = step_read(from, &ptx, &n);
	FILE *out = error ? NULL : fopen(to, "we");
	bool failed = !out || fwrite(ptx, 1, n, out) != n;
	failed |= out && fclose(out);
	if (failed && !error)
		error = cudasim_error_errno(errno, "cannot write '%s'", to);
	free(ptx);
	return error;
}

struct cudasim_error *step_image(int n, char **arguments)
{
	const char *of = step_take(&n, arguments, "--of");
	const char *ptx = step_take(&n, arguments, "--ptx");
	const char *fatbin = step_take(&n, arguments, "--fatbin");
	const char *output = step_take(&n, arguments, "-o");
	if (!ptx == !fatbin || !output || n != 2)
		return step_usage(arguments[0]);
	struct stat status;
	if (of && !stat(of, &status) && !status.st_size)
		return copy_ptx(ptx, output);
	char *bytes = NULL;
	size_t n_bytes = 0;
	struct cudasim_error *error = step_read(arguments[1], &bytes, &n_bytes);
	if (error)
		return error;
	FILE *out = fopen(output, "we");
	if (out)
		error = ptx ? write_text(out, ptx, bytes, n_bytes)
			    : write_fatbin(out, fatbin, bytes, n_bytes);
	bool failed = !out || ferror(out);
	failed |= out && fclose(out);
	if (failed && !error)
		error = cudasim_error_errno(errno, "cannot write '%s'", output);
	free(bytes);
	return error;
}
