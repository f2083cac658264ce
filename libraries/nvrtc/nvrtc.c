/* SPDX-License-Identifier: Apache-2.0 */
/* nvrtc.c - the functions of libnvrtc. Programs are borrowed by one thread at a time, as NVRTC
 * asks for. */
#include "nvrtc.h"

#include <stdlib.h>
#include <string.h>

#include "toolkit_version.h"

#define EXPORT __attribute__((visibility("default")))
/* Declared where it is defined, as the toolkit's header is not here. */
#define FUNCTION(name, ...)                                                                        \
	EXPORT enum nvrtc_result name(__VA_ARGS__);                                                \
	enum nvrtc_result name(__VA_ARGS__)

EXPORT const char *nvrtcGetErrorString(enum nvrtc_result result);
const char *nvrtcGetErrorString(enum nvrtc_result result)
{
	static const char *const names[] = {
		"NVRTC_SUCCESS",
		"NVRTC_ERROR_OUT_OF_MEMORY",
		"NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
		"NVRTC_ERROR_INVALID_INPUT",
		"NVRTC_ERROR_INVALID_PROGRAM",
		"NVRTC_ERROR_INVALID_OPTION",
		"NVRTC_ERROR_COMPILATION",
		"NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
		"NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
		"NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
		"NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
		"NVRTC_ERROR_INTERNAL_ERROR",
		"NVRTC_ERROR_TIME_FILE_WRITE_FAILED",
		"NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED",
		"NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED",
		"NVRTC_ERROR_PCH_CREATE",
		"NVRTC_ERROR_CANCELLED",
		"NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED",
	};
	return (size_t)result < sizeof names / sizeof *names ? names[result]
							     : "NVRTC_ERROR unknown";
}

FUNCTION(nvrtcVersion, int *major, int *minor)
{
	if (!major || !minor)
		return NVRTC_ERROR_INVALID_INPUT;
	int version = toolkit_version(12, toolkit_version(13, 13000));
	*major = version / 1000;
	*minor = version % 1000 / 10;
	return NVRTC_SUCCESS;
}

/* Those that cudasim cc compiles for. */
static const int architectures[] = {75, 80, 86, 87, 88, 89, 90};

FUNCTION(nvrtcGetNumSupportedArchs, int *n)
{
	if (!n)
		return NVRTC_ERROR_INVALID_INPUT;
	*n = sizeof architectures / sizeof *architectures;
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcGetSupportedArchs, int *ret)
{
	if (!ret)
		return NVRTC_ERROR_INVALID_INPUT;
	memcpy(ret, architectures, sizeof architectures);
	return NVRTC_SUCCESS;
}

/* ---- programs ------------------------------------------------------------------------------ */

static void dispose(struct nvrtc_program *p)
{
	for (size_t i = 0; p->headers && i < p->n_headers; i++) {
		free(p->headers[i].name);
		free(p->headers[i].text);
	}
	for (size_t i = 0; i < p->n_names; i++) {
		free(p->names[i].expression);
		free(p->names[i].lowered);
	}
	free(p->headers);
	free(p->names);
	free(p->source);
	free(p->name);
	free(p->log);
	free(p->code);
	free(p->ltoir);
	free(p);
}

static bool copy_headers(struct nvrtc_program *p, int n, const char *const *texts,
			 const char *const *names)
{
	p->headers = calloc((size_t)n + 1, sizeof *p->headers);
	if (!p->headers)
		return false;
	p->n_headers = (size_t)n;
	for (int i = 0; i < n; i++) {
		p->headers[i].name = strdup(names[i]);
		p->headers[i].text = strdup(texts[i]);
		if (!p->headers[i].name || !p->headers[i].text)
			return false;
	}
	return true;
}

FUNCTION(nvrtcCreateProgram, struct nvrtc_program **ret, const char *source, const char *name,
	 int n, const char *const *texts, const char *const *names)
{
	if (!ret || !source || n < 0 || (n && (!texts || !names)))
		return NVRTC_ERROR_INVALID_INPUT;
	struct nvrtc_program *p = calloc(1, sizeof *p);
	if (!p)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	p->source = strdup(source);
	p->name = strdup(name && *name ? name : "default_program");
	p->log = strdup("");
	if (!p->source || !p->name || !p->log || !copy_headers(p, n, texts, names)) {
		dispose(p);
		return NVRTC_ERROR_OUT_OF_MEMORY;
	}
	*ret = p;
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcDestroyProgram, struct nvrtc_program **program)
{
	if (!program || !*program)
		return NVRTC_ERROR_INVALID_PROGRAM;
	dispose(*program);
	*program = NULL;
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcAddNameExpression, struct nvrtc_program *p, const char *expression)
{
	if (!p)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!expression)
		return NVRTC_ERROR_INVALID_INPUT;
	if (p->compiled)
		return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
	struct nvrtc_name *names = realloc(p->names, (p->n_names + 1) * sizeof *names);
	char *copy = strdup(expression);
	if (names)
		p->names = names;
	if (!names || !copy) {
		free(copy);
		return NVRTC_ERROR_OUT_OF_MEMORY;
	}
	names[p->n_names++] = (struct nvrtc_name){.expression = copy};
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcCompileProgram, struct nvrtc_program *p, int n, const char *const *options)
{
	if (!p)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (n < 0 || (n && !options))
		return NVRTC_ERROR_INVALID_INPUT;
	/* A second time: all anew. */
	free(p->code);
	free(p->ltoir);
	p->code = p->ltoir = NULL;
	p->n_ltoir = 0;
	for (size_t i = 0; i < p->n_names; i++) {
		free(p->names[i].lowered);
		p->names[i].lowered = NULL;
	}
	struct jit_words arguments = {0};
	struct nvrtc_options read;
	enum nvrtc_result result = nvrtc_options_read(n, options, &arguments, &read, &p->log);
	if (!result) {
		p->compiled = true;
		p->has_cubin = read.real && !read.lto;
		result = nvrtc_compile(p, &read, &arguments);
	}
	jit_words_fini(&arguments);
	free(read.lines);
	return result;
}

FUNCTION(nvrtcGetLoweredName, struct nvrtc_program *p, const char *expression, const char **ret)
{
	if (!p)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!expression || !ret)
		return NVRTC_ERROR_INVALID_INPUT;
	if (!p->code && !p->ltoir)
		return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
	for (size_t i = 0; i < p->n_names; i++) {
		if (!strcmp(p->names[i].expression, expression) && p->names[i].lowered) {
			*ret = p->names[i].lowered;
			return NVRTC_SUCCESS;
		}
	}
	return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* ---- what came out ------------------------------------------------------------------------- */

static enum nvrtc_result size_of(const struct nvrtc_program *p, const char *text, size_t *ret)
{
	if (!p)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!ret)
		return NVRTC_ERROR_INVALID_INPUT;
	*ret = text ? strlen(text) + 1 : 0;
	return NVRTC_SUCCESS;
}

static enum nvrtc_result copy(const struct nvrtc_program *p, const char *text, char *to)
{
	if (!p)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!to)
		return NVRTC_ERROR_INVALID_INPUT;
	/* Of a size of 0. */
	if (text)
		strcpy(to, text);
	return NVRTC_SUCCESS;
}

/* A kind of product: NULL where there is none. */
#define PRODUCT(kind, text)                                                                        \
	FUNCTION(nvrtcGet##kind##Size, struct nvrtc_program *p, size_t *ret)                       \
	{                                                                                          \
		return size_of(p, p ? (text) : NULL, ret);                                         \
	}                                                                                          \
	FUNCTION(nvrtcGet##kind, struct nvrtc_program *p, char *to)                                \
	{                                                                                          \
		return copy(p, p ? (text) : NULL, to);                                             \
	}
PRODUCT(PTX, p->code)
PRODUCT(CUBIN, p->has_cubin ? p->code : NULL)
PRODUCT(OptiXIR, NULL)
PRODUCT(ProgramLog, p->log)

/* Bytes, not a text. */
FUNCTION(nvrtcGetLTOIRSize, struct nvrtc_program *p, size_t *ret)
{
	if (!p)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!ret)
		return NVRTC_ERROR_INVALID_INPUT;
	*ret = p->n_ltoir;
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcGetLTOIR, struct nvrtc_program *p, char *to)
{
	if (!p)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!to)
		return NVRTC_ERROR_INVALID_INPUT;
	if (p->ltoir)
		memcpy(to, p->ltoir, p->n_ltoir);
	return NVRTC_SUCCESS;
}

/* Headers are never precompiled. */
FUNCTION(nvrtcGetPCHHeapSize, size_t *ret)
{
	if (!ret)
		return NVRTC_ERROR_INVALID_INPUT;
	*ret = 0;
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcSetPCHHeapSize, size_t size)
{
	(void)size;
	return NVRTC_SUCCESS;
}

FUNCTION(nvrtcGetPCHCreateStatus, struct nvrtc_program *p)
{
	return p ? NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED : NVRTC_ERROR_INVALID_PROGRAM;
}

FUNCTION(nvrtcGetPCHHeapSizeRequired, struct nvrtc_program *p, size_t *size)
{
	if (!p)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!size)
		return NVRTC_ERROR_INVALID_INPUT;
	*size = 0;
	return NVRTC_SUCCESS;
}

/* The compilation is another process; nothing asks in between. */
FUNCTION(nvrtcSetFlowCallback, struct nvrtc_program *p, int (*callback)(void *, void *),
	 void *payload)
{
	(void)payload;
	if (!p)
		return NVRTC_ERROR_INVALID_PROGRAM;
	return callback ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_INPUT;
}
