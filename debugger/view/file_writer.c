/* SPDX-License-Identifier: Apache-2.0 */
/* file_writer.c - files that commands write. */
#include "file_writer.h"

#include <errno.h>
#include <string.h>

#include "error.h"

static struct cudasim_error *failed(const char *path)
{
	return cudasim_error_new(CUDASIM_E_SYSTEM, "%s: %s.", path, strerror(errno));
}

static struct cudasim_error *open_as(const char *path, const char *mode, struct file_writer *ret)
{
	ret->path = path;
	ret->stream = fopen(path, mode);
	return ret->stream ? NULL : failed(path);
}

struct cudasim_error *file_open(const char *path, struct file_writer *ret)
{
	return open_as(path, "we", ret);
}

struct cudasim_error *file_append(const char *path, struct file_writer *ret)
{
	return open_as(path, "ae", ret);
}

struct cudasim_error *file_write(struct file_writer *file, const void *bytes, size_t n)
{
	return fwrite(bytes, 1, n, file->stream) == n ? NULL : failed(file->path);
}

struct cudasim_error *file_close(struct file_writer *file, struct cudasim_error *error)
{
	if (fclose(file->stream) && !error)
		error = failed(file->path);
	return error;
}
