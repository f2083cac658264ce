/* SPDX-License-Identifier: Apache-2.0 */
/* nvvm.c - the functions of libnvvm. Programs are borrowed by one thread at a time, as libNVVM
 * asks for. */
#define _GNU_SOURCE
#include "nvvm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
/* Declared where it is defined, as the toolkit's header is not here. */
#define FUNCTION(name, ...)                                                                        \
	EXPORT enum nvvm_result name(__VA_ARGS__);                                                 \
	enum nvvm_result name(__VA_ARGS__)

/* ---- helpers --------------------------------------------------------------------------------- */

bool nvvm_say(struct nvvm_program *program, char *text)
{
	if (!text)
		return false;
	free(program->log);
	program->log = text;
	return true;
}

/* ---- versions -------------------------------------------------------------------------------- */

EXPORT const char *nvvmGetErrorString(enum nvvm_result result);
const char *nvvmGetErrorString(enum nvvm_result result)
{
	static const char *const names[] = {
		"NVVM_SUCCESS",
		"NVVM_ERROR_OUT_OF_MEMORY",
		"NVVM_ERROR_PROGRAM_CREATION_FAILURE",
		"NVVM_ERROR_IR_VERSION_MISMATCH",
		"NVVM_ERROR_INVALID_INPUT",
		"NVVM_ERROR_INVALID_PROGRAM",
		"NVVM_ERROR_INVALID_IR",
		"NVVM_ERROR_INVALID_OPTION",
		"NVVM_ERROR_NO_MODULE_IN_PROGRAM",
		"NVVM_ERROR_COMPILATION",
	};
	return (size_t)result < sizeof names / sizeof *names ? names[result]
							     : "NVVM_ERROR not found";
}

/* Those of CUDA 13.0. */
FUNCTION(nvvmVersion, int *major, int *minor)
{
	if (!major || !minor)
		return NVVM_ERROR_INVALID_INPUT;
	*major = 2;
	*minor = 0;
	return NVVM_SUCCESS;
}

FUNCTION(nvvmIRVersion, int *major, int *minor, int *major_debug, int *minor_debug)
{
	if (!major || !minor || !major_debug || !minor_debug)
		return NVVM_ERROR_INVALID_INPUT;
	*major = 2;
	*minor = 0;
	*major_debug = 3;
	*minor_debug = 2;
	return NVVM_SUCCESS;
}

/* Of CUDA 13.1 and later: the version of LLVM whose dialect an architecture's modules may have.
 * The older one, which has typed pointers, is read for all. */
FUNCTION(nvvmLLVMVersion, const char *architecture, int *major)
{
	if (!architecture || !major)
		return NVVM_ERROR_INVALID_INPUT;
	if (strncmp(architecture, "compute_", 8))
		return NVVM_ERROR_INVALID_OPTION;
	*major = atoi(architecture + 8) >= 100 ? 19 : 7;
	return NVVM_SUCCESS;
}

/* ---- programs -------------------------------------------------------------------------------- */

static void dispose(struct nvvm_program *p)
{
	for (size_t i = 0; i < p->n_modules; i++) {
		free(p->modules[i].bytes);
		free(p->modules[i].name);
	}
	free(p->modules);
	free(p->log);
	free(p->result);
	free(p);
}

FUNCTION(nvvmCreateProgram, struct nvvm_program **ret)
{
	if (!ret)
		return NVVM_ERROR_INVALID_PROGRAM;
	struct nvvm_program *p = calloc(1, sizeof *p);
	if (!p)
		return NVVM_ERROR_OUT_OF_MEMORY;
	p->log = strdup("");
	if (!p->log) {
		dispose(p);
		return NVVM_ERROR_OUT_OF_MEMORY;
	}
	*ret = p;
	return NVVM_SUCCESS;
}

FUNCTION(nvvmDestroyProgram, struct nvvm_program **program)
{
	if (!program || !*program)
		return NVVM_ERROR_INVALID_PROGRAM;
	dispose(*program);
	*program = NULL;
	return NVVM_SUCCESS;
}

static enum nvvm_result add(struct nvvm_program *p, const char *bytes, size_t n, const char *name,
			    bool lazy)
{
	if (!p)
		return NVVM_ERROR_INVALID_PROGRAM;
	if (!bytes)
		return NVVM_ERROR_INVALID_INPUT;
	struct nvvm_module *modules = realloc(p->modules, (p->n_modules + 1) * sizeof *modules);
	struct nvvm_module module = {.bytes = malloc(n + 1),
				     .n = n,
				     .name = strdup(name ? name : "<unnamed>"),
				     .lazy = lazy};
	if (modules)
		p->modules = modules;
	if (!modules || !module.bytes || !module.name) {
		free(module.bytes);
		free(module.name);
		return NVVM_ERROR_OUT_OF_MEMORY;
	}
	memcpy(module.bytes, bytes, n);
	module.bytes[n] = 0;
	p->modules[p->n_modules++] = module;
	return NVVM_SUCCESS;
}

FUNCTION(nvvmAddModuleToProgram, struct nvvm_program *p, const char *bytes, size_t n,
	 const char *name)
{
	return add(p, bytes, n, name, false);
}

FUNCTION(nvvmLazyAddModuleToProgram, struct nvvm_program *p, const char *bytes, size_t n,
	 const char *name)
{
	return add(p, bytes, n, name, true);
}

static enum nvvm_result run(struct nvvm_program *p, int n, const char *const *options, bool verify)
{
	if (!p)
		return NVVM_ERROR_INVALID_PROGRAM;
	if (n < 0 || (n && !options))
		return NVVM_ERROR_INVALID_INPUT;
	size_t n_lazy = 0;
	for (size_t i = 0; i < p->n_modules; i++)
		n_lazy += p->modules[i].lazy;
	if (n_lazy == p->n_modules)
		return NVVM_ERROR_NO_MODULE_IN_PROGRAM;
	if (!nvvm_say(p, strdup("")))
		return NVVM_ERROR_OUT_OF_MEMORY;
	struct jit_words words = {0};
	enum nvvm_result result = nvvm_options_read(p, n, options, &words);
	if (!result)
		result = nvvm_compile(p, &words, verify);
	jit_words_fini(&words);
	return result;
}

FUNCTION(nvvmCompileProgram, struct nvvm_program *p, int n, const char *const *options)
{
	return run(p, n, options, false);
}

FUNCTION(nvvmVerifyProgram, struct nvvm_program *p, int n, const char *const *options)
{
	return run(p, n, options, true);
}

/* ---- what came out --------------------------------------------------------------------------- */

FUNCTION(nvvmGetCompiledResultSize, struct nvvm_program *p, size_t *ret)
{
	if (!p)
		return NVVM_ERROR_INVALID_PROGRAM;
	if (!ret)
		return NVVM_ERROR_INVALID_INPUT;
	*ret = p->result ? p->n_result : 1;
	return NVVM_SUCCESS;
}

FUNCTION(nvvmGetCompiledResult, struct nvvm_program *p, char *to)
{
	if (!p)
		return NVVM_ERROR_INVALID_PROGRAM;
	if (!to)
		return NVVM_ERROR_INVALID_INPUT;
	if (p->result)
		memcpy(to, p->result, p->n_result);
	else
		*to = 0;
	return NVVM_SUCCESS;
}

FUNCTION(nvvmGetProgramLogSize, struct nvvm_program *p, size_t *ret)
{
	if (!p)
		return NVVM_ERROR_INVALID_PROGRAM;
	if (!ret)
		return NVVM_ERROR_INVALID_INPUT;
	*ret = strlen(p->log) + 1;
	return NVVM_SUCCESS;
}

FUNCTION(nvvmGetProgramLog, struct nvvm_program *p, char *to)
{
	if (!p)
		return NVVM_ERROR_INVALID_PROGRAM;
	if (!to)
		return NVVM_ERROR_INVALID_INPUT;
	strcpy(to, p->log);
	return NVVM_SUCCESS;
}
