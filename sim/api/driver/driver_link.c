/* SPDX-License-Identifier: Apache-2.0 */
/* driver_link.c - the linker of the driver API. Pieces of PTX are looked at when they are added,
 * as a GPU's driver compiles them then, and compiled as one when all are there. What cudasim
 * made is an image (image.h): one alone is the result as it is, several are linked by their PTX. */
#define _GNU_SOURCE
#include "driver_api.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fatbin.h"
#include "image.h"
#include "jit.h"
#include "loaded.h"
#include "log.h"
#include "ptx.h"
#include "ptx_text.h"

struct piece {
	char *data; /* with zeros behind it */
	size_t size;
	char *name; /* or NULL */
	bool is_image;
};

struct CUlinkState_st {
	struct piece *pieces;
	size_t n_pieces;
	bool has_runtime; /* the device runtime's library was added */
	/* What cuLinkCreate() was given; the caller keeps it. */
	struct jit jit;
	char *result; /* of cuLinkComplete() */
	size_t size;
};

static CUresult call_cuLinkCreate_v2(unsigned n, CUjit_option *options, void **values,
				     CUlinkState *ret)
{
	cudaError_t error = api_context();
	if (error)
		return (CUresult)error;
	if (!ret || (n && (!options || !values)))
		return CUDA_ERROR_INVALID_VALUE;
	*ret = calloc(1, sizeof **ret);
	if (!*ret)
		return CUDA_ERROR_OUT_OF_MEMORY;
	(*ret)->jit = (struct jit){n, (const enum cudaJitOption *)options, values};
	return CUDA_SUCCESS;
}
SAME(cuLinkCreate_v2, (unsigned n, CUjit_option *options, void **values, CUlinkState *ret),
     call_cuLinkCreate_v2(n, options, values, ret))

/* The buffers are filled once: their rooms become the bytes written. */
static void say(CUlinkState state, const char *call, CUresult result, const char *log)
{
	if (result)
		loaded_tell(call, (cudaError_t)result, log);
	jit_fill_logs(&state->jit, log, result);
	state->jit.n = 0;
}

static char *copy_of(const char *text)
{
	return text ? strdup(text) : NULL;
}

static struct piece *add_piece(CUlinkState state, const void *data, size_t size, const char *name)
{
	/* Behind it a NUL, and no less than is looked at to know what it is. */
	enum { BEHIND = 64 };
	struct piece *pieces = realloc(state->pieces, (state->n_pieces + 1) * sizeof *pieces);
	if (!pieces)
		return NULL;
	state->pieces = pieces;
	struct piece *piece = &pieces[state->n_pieces];
	*piece = (struct piece){
		.data = calloc(1, size + BEHIND), .size = size, .name = copy_of(name)};
	if (!piece->data || (name && !piece->name)) {
		free(piece->data);
		free(piece->name);
		return NULL;
	}
	memcpy(piece->data, data, size);
	state->n_pieces++;
	return piece;
}

/* All pieces, if they are PTX or hold PTX; ret and log as of ptx_compile(). */
static CUresult compile(CUlinkState state, char **ret, char **log)
{
	struct ptx_piece *texts = calloc(state->n_pieces, sizeof *texts);
	if (!texts)
		return CUDA_ERROR_OUT_OF_MEMORY;
	CUresult result = CUDA_SUCCESS;
	for (size_t i = 0; i < state->n_pieces; i++) {
		texts[i] = (struct ptx_piece){state->pieces[i].data, state->pieces[i].name};
		if (!ptx_is(texts[i].text))
			result = CUDA_ERROR_NOT_SUPPORTED;
	}
	if (!result)
		result = (CUresult)ptx_compile(texts, state->n_pieces, ret, log);
	free(texts);
	return result;
}

/* Is there anything wrong with the piece that was added last, or with it beside the others? */
static CUresult look_at(CUlinkState state, const char *call, CUjitInputType type)
{
	struct piece *piece = &state->pieces[state->n_pieces - 1];
	unsigned char *object = NULL;
	size_t n;
	switch (image_read(piece->data, &object, &n)) {
	case IMAGE_FOUND:
		free(object);
		piece->is_image = true;
		/* Beside others it may define what one of them does. */
		if (state->n_pieces == 1 || !ptx_is(piece->data))
			return CUDA_SUCCESS;
		break;
	case IMAGE_NOMEM:
		return CUDA_ERROR_OUT_OF_MEMORY;
	case IMAGE_DAMAGED:
	case IMAGE_NONE:
		break;
	}
	char *log = NULL;
	CUresult result = CUDA_SUCCESS;
	if (ptx_is(piece->data)) {
		result = compile(state, NULL, &log);
		if (piece->is_image && result == CUDA_ERROR_NOT_SUPPORTED && !log)
			result = CUDA_SUCCESS; /* cuLinkComplete() tells of the others */
	} else if (type == CU_JIT_INPUT_PTX) {
		result = CUDA_ERROR_INVALID_IMAGE;
	}
	/* Whatever else it is, loading it will tell. */
	if (result)
		say(state, call, result, log);
	free(log);
	return result;
}

/* cudasim's own libcudadevrt.a, whose functions all device code has: a script for the linker. */
static bool is_runtime(CUjitInputType type, const char *data, size_t size)
{
	static const char script[] = "/* GNU ld script */", library[] = "libcudasim.so";
	return type == CU_JIT_INPUT_LIBRARY && size > sizeof script &&
	       !memcmp(data, script, sizeof script - 1) &&
	       memmem(data, size, library, sizeof library - 1);
}

static CUresult add(CUlinkState state, const char *call, CUjitInputType type, const void *data,
		    size_t size, const char *name, unsigned n, CUjit_option *options, void **values)
{
	if (!state)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!data || !size || type >= CU_JIT_NUM_INPUT_TYPES || (n && (!options || !values)))
		return CUDA_ERROR_INVALID_VALUE;
	if (size >= sizeof(uint32_t) && fatbin_is(data) && !fatbin_is_whole(data, size))
		return CUDA_ERROR_INVALID_IMAGE;
	if (is_runtime(type, data, size)) {
		state->has_runtime = true;
		return CUDA_SUCCESS;
	}
	struct piece *piece = add_piece(state, data, size, name);
	return piece ? look_at(state, call, type) : CUDA_ERROR_OUT_OF_MEMORY;
}

static CUresult call_cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data,
				      size_t size, const char *name, unsigned n,
				      CUjit_option *options, void **values)
{
	return add(state, "cuLinkAddData_v2", type, data, size, name, n, options, values);
}
SAME(cuLinkAddData_v2,
     (CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name, unsigned n,
      CUjit_option *options, void **values),
     call_cuLinkAddData_v2(state, type, data, size, name, n, options, values))

static CUresult call_cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path,
				      unsigned n, CUjit_option *options, void **values)
{
	if (!state)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!path)
		return CUDA_ERROR_INVALID_VALUE;
	char *bytes;
	size_t size;
	cudaError_t error = loaded_read_file(path, &bytes, &size);
	if (error)
		return (CUresult)error;
	CUresult result = add(state, "cuLinkAddFile_v2", type, bytes, size, path, n, options,
			      values);
	free(bytes);
	return result;
}
SAME(cuLinkAddFile_v2,
     (CUlinkState state, CUjitInputType type, const char *path, unsigned n, CUjit_option *options,
      void **values),
     call_cuLinkAddFile_v2(state, type, path, n, options, values))

static CUresult link_pieces(CUlinkState state, const char *call)
{
	char *log = NULL;
	CUresult result = compile(state, &state->result, &log);
	if (result == CUDA_ERROR_NOT_SUPPORTED && !log)
		log_line(
			"%s: only PTX, and what cudasim makes with -ptx, -cubin or -fatbin, is linked",
			call);
	/* What is defined nowhere is no fault of a piece. */
	if (log && strstr(log, "Unresolved extern"))
		result = CUDA_ERROR_INVALID_SOURCE;
	say(state, call, result, log);
	free(log);
	if (!result)
		state->size = strlen(state->result) + 1;
	return result;
}

static CUresult call_cuLinkComplete(CUlinkState state, void **cubin, size_t *size)
{
	if (!state)
		return CUDA_ERROR_INVALID_HANDLE;
	static const char nothing[] = ".version 7.0\n.target sm_50\n.address_size 64\n";
	if (!cubin || (!state->n_pieces && !state->has_runtime))
		return CUDA_ERROR_INVALID_VALUE;
	if (!state->n_pieces && !add_piece(state, nothing, sizeof nothing, NULL))
		return CUDA_ERROR_OUT_OF_MEMORY;
	const struct piece *first = state->pieces;
	/* What is no PTX is refused, or not, when it is loaded. */
	if (state->n_pieces > 1 || (!first->is_image && ptx_is(first->data))) {
		CUresult result = state->result ? CUDA_SUCCESS
						: link_pieces(state, "cuLinkComplete");
		if (result)
			return result;
		*cubin = state->result;
		if (size)
			*size = state->size;
		return CUDA_SUCCESS;
	}
	say(state, "cuLinkComplete", CUDA_SUCCESS, NULL);
	*cubin = first->data;
	if (size)
		*size = first->size + 1;
	return CUDA_SUCCESS;
}
SAME(cuLinkComplete, (CUlinkState state, void **cubin, size_t *size),
     call_cuLinkComplete(state, cubin, size))

static CUresult call_cuLinkDestroy(CUlinkState state)
{
	if (!state)
		return CUDA_ERROR_INVALID_HANDLE;
	for (size_t i = 0; i < state->n_pieces; i++) {
		free(state->pieces[i].data);
		free(state->pieces[i].name);
	}
	free(state->pieces);
	free(state->result);
	free(state);
	return CUDA_SUCCESS;
}
SAME(cuLinkDestroy, (CUlinkState state), call_cuLinkDestroy(state))
