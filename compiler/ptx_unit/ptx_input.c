/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
#include "ptx_pointers.h"
#include "ptx_unit.h"

bool ptx_input_is(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && !strcmp(path + n - 4, ".ptx");
}

static struct cudasim_error *read_file(const char *path, char **text, size_t *size)
{
	FILE *file = fopen(path, "re");
	struct cudasim_error *error = NULL;
	size_t room = 0;

	*text = NULL;
	*size = 0;
	if (!file)
		return cudasim_error_errno(errno, "%s: error", path);
	do {
		char *bigger;

		room = room ? 2 * room : 65536;
		bigger = realloc(*text, room);
		if (!bigger) {
			error = &cudasim_error_nomem;
			break;
		}
		*text = bigger;
		*size += fread(*text + *size, 1, room - *size, file);
	} while (*size == room);
	if (!error && ferror(file))
		error = cudasim_error_errno(errno, "%s: error", path);
	fclose(file);
	if (error)
		free(*text);
	return error;
}

static const char aborted[] = "ptxas fatal   : Ptx assembly aborted due to errors";

/* Whose errors are shown. */
struct reader {
	struct device_module *dm;
	const char *path;
};

static void show(void *arg, uint32_t line, const char *message)
{
	const struct reader *reader = arg;

	fprintf(stderr, "ptxas %s, line %u; error   : %s\n", reader->path, (unsigned)line, message);
	reader->dm->program->n_diagnoses++;
}

/* What ends the reading of the text, as a line; ptxas says then that it ends, but for what
 * it does not begin with: another version, another GPU. Takes error over. */
static struct cudasim_error *tell_fatal(const struct reader *reader, uint32_t line,
					struct cudasim_error *error)
{
	struct cudasim_error *ret;

	if (error->code == CUDASIM_E_NOTFOUND && line > 1) {
		ret = cudasim_error_new(CUDASIM_E_FAILED, "ptxas fatal   : %s", error->message);
	} else if (error->code == CUDASIM_E_NOTFOUND) {
		ret = cudasim_error_new(CUDASIM_E_FAILED, "ptxas %s, line %u; fatal   : %s",
					reader->path, (unsigned)line, error->message);
	} else {
		fprintf(stderr, "ptxas %s, line %u; fatal   : %s\n", reader->path, (unsigned)line,
			error->message);
		ret = cudasim_error_new(CUDASIM_E_FAILED, "%s", aborted);
	}
	cudasim_error_free(error);
	return ret;
}

struct cudasim_error *ptx_input_read(struct device_module *dm, const char *path, LLVMModuleRef *ret)
{
	struct reader reader = {dm, path};
	struct ptx_module tree;
	struct cudasim_error *error;
	struct device_module read = *dm;
	uint32_t line;
	size_t size;
	char *text;

	*ret = NULL;
	error = read_file(path, &text, &size);
	if (error)
		return error;
	error = ptx_module_parse(text, size, &tree, &line);
	if (error) {
		error = tell_fatal(&reader, line, error);
	} else {
		*ret = ptx_unit_build(dm->context, &tree, path, show, &reader);
		ptx_module_free(&tree);
	}
	free(text);
	if (error)
		return error;
	if (!*ret)
		return cudasim_error_new(CUDASIM_E_FAILED, "%s", aborted);
	read.module = *ret;
	error = device_run_passes(&read, "sroa,instsimplify,simplifycfg,adce");
	if (error)
		return error;
	ptx_pointers(*ret);
	return device_run_passes(&read, "instsimplify,adce");
}

static struct cudasim_error *unresolved(const char *what, const char *name)
{
	return cudasim_error_new(CUDASIM_E_FAILED, "ptxas fatal   : Unresolved extern %s '%s'",
				 what, name);
}

struct cudasim_error *ptx_input_check(struct device_module *dm)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f))
		if (LLVMIsDeclaration(f) && LLVMGetFirstUse(f) && !LLVMGetIntrinsicID(f) &&
		    strncmp(name_of(f), "llvm.", 5) && !ptx_unit_is_service(name_of(f)))
			return unresolved("function", name_of(f));
	/* Shared ones have the size that the launch says. */
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = LLVMGetNextGlobal(g))
		if (LLVMIsDeclaration(g) && LLVMGetFirstUse(g) &&
		    LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != 3)
			return unresolved("variable", name_of(g));
	return NULL;
}

/* Is it one of those of which a program may have one only? */
static bool is_strong(LLVMValueRef value)
{
	return value && !LLVMIsDeclaration(value) && LLVMGetLinkage(value) == LLVMExternalLinkage;
}

static struct cudasim_error *twice(LLVMValueRef value, const char *path)
{
	return cudasim_error_new(CUDASIM_E_FAILED, "error   : Multiple definition of '%s' in '%s'",
				 name_of(value), path);
}

struct cudasim_error *ptx_input_compare(struct device_module *dm, LLVMModuleRef module,
					const char *path)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		if (is_strong(f) && is_strong(LLVMGetNamedFunction(dm->module, name_of(f))))
			return twice(f, path);
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g))
		if (is_strong(g) && is_strong(LLVMGetNamedGlobal(dm->module, name_of(g))))
			return twice(g, path);
	return NULL;
}
