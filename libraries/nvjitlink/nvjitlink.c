/* SPDX-License-Identifier: Apache-2.0 */
/* nvjitlink.c - the functions of libnvJitLink: each by its name, which programs look up, and by the names
 * with a version that the toolkits' headers call. Codes are those of NVIDIA's library of CUDA 13.0. */
#define _GNU_SOURCE
#include "nvjitlink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "toolkit_version.h"

/* The header of each toolkit calls its own version; what they do has not changed. */
#define VERSIONS_12(X, name)                                                                       \
	X(name, 12_0)                                                                              \
	X(name, 12_1)                                                                              \
	X(name, 12_2)                                                                              \
	X(name, 12_3)                                                                              \
	X(name, 12_4)                                                                              \
	X(name, 12_5)                                                                              \
	X(name, 12_6)                                                                              \
	X(name, 12_7)                                                                              \
	X(name, 12_8)                                                                              \
	X(name, 12_9)
#define VERSIONS_13(X, name)                                                                       \
	X(name, 13_0)                                                                              \
	X(name, 13_1)                                                                              \
	X(name, 13_2)                                                                              \
	X(name, 13_3)                                                                              \
	X(name, 13_4)                                                                              \
	X(name, 13_5)
#define ALIAS(name, version)                                                                       \
	__attribute__((visibility("default"),                                                      \
		       alias(#name))) extern __typeof__(name) __##name##_##version;
/* Declared where it is defined, as the toolkit's header is not here. */
#define FUNCTION(name, ...)                                                                        \
	__attribute__((visibility("default"))) enum nvjitlink_result name(__VA_ARGS__);            \
	VERSIONS_12(ALIAS, name)                                                                   \
	VERSIONS_13(ALIAS, name)                                                                   \
	enum nvjitlink_result name(__VA_ARGS__)

__attribute__((visibility("default"))) enum nvjitlink_result nvJitLinkVersion(unsigned *major,
									      unsigned *minor);
enum nvjitlink_result nvJitLinkVersion(unsigned *major, unsigned *minor)
{
	if (!major || !minor)
		return NVJITLINK_ERROR_NULL_INPUT;
	int version = toolkit_version(12, toolkit_version(13, 13000));
	*major = (unsigned)version / 1000;
	*minor = (unsigned)version % 1000 / 10;
	return NVJITLINK_SUCCESS;
}

FUNCTION(nvJitLinkCreate, struct nvJitLink **ret, uint32_t n, const char *const *options)
{
	if (!ret || (n && !options))
		return NVJITLINK_ERROR_NULL_INPUT;
	struct nvJitLink *link = calloc(1, sizeof *link);
	if (!link)
		return NVJITLINK_ERROR_INTERNAL;
	enum nvjitlink_result result = nvjitlink_options_read(n, options, &link->options,
							      &link->error);
	link->bad = result;
	*ret = link; /* for its log, too */
	return result;
}

FUNCTION(nvJitLinkDestroy, struct nvJitLink **link)
{
	if (!link || !*link)
		return NVJITLINK_ERROR_NULL_INPUT;
	for (size_t i = 0; i < (*link)->n_inputs; i++) {
		free((*link)->inputs[i].data);
		free((*link)->inputs[i].name);
	}
	nvjitlink_options_fini(&(*link)->options);
	free((*link)->inputs);
	free((*link)->error.at);
	free((*link)->info.at);
	free((*link)->product);
	free(*link);
	*link = NULL;
	return NVJITLINK_SUCCESS;
}

FUNCTION(nvJitLinkAddData, struct nvJitLink *link, int type, const void *data, size_t size,
	 const char *name)
{
	if (!link || !data)
		return NVJITLINK_ERROR_NULL_INPUT;
	if (!size)
		return NVJITLINK_ERROR_INVALID_INPUT;
	if (link->bad || link->complete) {
		nvjitlink_say(&link->error, "ERROR: nothing is added after the link (%s)\n",
			      name ? name : "");
		return NVJITLINK_ERROR_INTERNAL;
	}
	return nvjitlink_add(link, type, data, size, name);
}

FUNCTION(nvJitLinkAddFile, struct nvJitLink *link, int type, const char *path)
{
	if (!link || !path)
		return NVJITLINK_ERROR_NULL_INPUT;
	char *bytes = NULL, buffer[65536];
	size_t size, got;
	FILE *file = fopen(path, "re"), *out = file ? open_memstream(&bytes, &size) : NULL;
	while (out && (got = fread(buffer, 1, sizeof buffer, file)) > 0)
		fwrite(buffer, 1, got, out);
	bool failed = !out || ferror(file);
	failed |= out && fclose(out);
	if (file)
		fclose(file);
	enum nvjitlink_result result = NVJITLINK_ERROR_INVALID_INPUT;
	if (failed)
		nvjitlink_say(&link->error, "no such file: %s\n", path);
	else
		result = nvJitLinkAddData(link, type, bytes, size, path);
	free(bytes);
	return result;
}

FUNCTION(nvJitLinkComplete, struct nvJitLink *link)
{
	if (!link)
		return NVJITLINK_ERROR_NULL_INPUT;
	if (link->bad || link->complete) {
		nvjitlink_say(&link->error, "ERROR: linked already\n");
		return NVJITLINK_ERROR_INTERNAL;
	}
	enum nvjitlink_result result = nvjitlink_complete(link);
	link->complete = true;
	return result;
}

/* ---- what came out ------------------------------------------------------------------------- */

/* PTX needs -ptx; NVIDIA's library finds that out first. A text counts its NUL, as programs load it. */
static enum nvjitlink_result product(const struct nvJitLink *link, bool ptx)
{
	if (ptx != link->options.ptx)
		return ptx ? NVJITLINK_ERROR_INVALID_INPUT : NVJITLINK_ERROR_INTERNAL;
	return link->product ? NVJITLINK_SUCCESS : NVJITLINK_ERROR_INTERNAL;
}

static enum nvjitlink_result product_size(const struct nvJitLink *link, bool ptx, size_t *size)
{
	if (!link || !size)
		return NVJITLINK_ERROR_NULL_INPUT;
	enum nvjitlink_result result = product(link, ptx);
	if (!result)
		*size = link->n_product + 1;
	return result;
}

static enum nvjitlink_result copy_product(const struct nvJitLink *link, bool ptx, void *to)
{
	if (!link || !to)
		return NVJITLINK_ERROR_NULL_INPUT;
	enum nvjitlink_result result = product(link, ptx);
	if (!result)
		memcpy(to, link->product, link->n_product + 1);
	return result;
}

FUNCTION(nvJitLinkGetLinkedCubinSize, struct nvJitLink *link, size_t *size)
{
	return product_size(link, false, size);
}

FUNCTION(nvJitLinkGetLinkedCubin, struct nvJitLink *link, void *to)
{
	return copy_product(link, false, to);
}

FUNCTION(nvJitLinkGetLinkedPtxSize, struct nvJitLink *link, size_t *size)
{
	return product_size(link, true, size);
}

FUNCTION(nvJitLinkGetLinkedPtx, struct nvJitLink *link, char *to)
{
	return copy_product(link, true, to);
}

/* Of nothing the size is 0, of a text that with its NUL. */
static enum nvjitlink_result text_size(const struct nvjitlink_text *text, size_t *size)
{
	if (!size)
		return NVJITLINK_ERROR_NULL_INPUT;
	*size = text->at ? text->n + 1 : 0;
	return NVJITLINK_SUCCESS;
}

static enum nvjitlink_result copy_text(const struct nvjitlink_text *text, char *to)
{
	if (!to)
		return NVJITLINK_ERROR_NULL_INPUT;
	if (text->at)
		memcpy(to, text->at, text->n + 1);
	return NVJITLINK_SUCCESS;
}

FUNCTION(nvJitLinkGetErrorLogSize, struct nvJitLink *link, size_t *size)
{
	return link ? text_size(&link->error, size) : NVJITLINK_ERROR_NULL_INPUT;
}

FUNCTION(nvJitLinkGetErrorLog, struct nvJitLink *link, char *to)
{
	return link ? copy_text(&link->error, to) : NVJITLINK_ERROR_NULL_INPUT;
}

FUNCTION(nvJitLinkGetInfoLogSize, struct nvJitLink *link, size_t *size)
{
	return link ? text_size(&link->info, size) : NVJITLINK_ERROR_NULL_INPUT;
}

FUNCTION(nvJitLinkGetInfoLog, struct nvJitLink *link, char *to)
{
	return link ? copy_text(&link->info, to) : NVJITLINK_ERROR_NULL_INPUT;
}
