/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx_input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "names.h"
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

struct cudasim_error *ptx_input_read(struct device_module *dm, const char *path,
				     LLVMModuleRef *ret)
{
	struct reader reader = { dm, path };
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
		show(&reader, line, error->message);
		cudasim_error_free(error);
	} else {
		*ret = ptx_unit_build(dm->context, &tree, path, show, &reader);
		ptx_module_free(&tree);
	}
	free(text);
	if (!*ret)
		return cudasim_error_new(CUDASIM_E_FAILED,
					 "ptxas fatal   : Ptx assembly aborted due to errors");
	read.module = *ret;
	return device_run_passes(&read, "sroa,instsimplify,simplifycfg,adce");
}

static void show_unresolved(struct device_module *dm, const char *what, const char *name)
{
	fprintf(stderr, "ptxas fatal   : Unresolved extern %s '%s'\n", what, name);
	dm->program->n_diagnoses++;
}

struct cudasim_error *ptx_input_check(struct device_module *dm)
{
	size_t before = dm->program->n_diagnoses;

	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f))
		if (LLVMIsDeclaration(f) && LLVMGetFirstUse(f) && !LLVMGetIntrinsicID(f) &&
		    strncmp(name_of(f), "llvm.", 5) && !ptx_unit_is_service(name_of(f)))
			show_unresolved(dm, "function", name_of(f));
	/* Shared ones have the size that the launch says. */
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = LLVMGetNextGlobal(g))
		if (LLVMIsDeclaration(g) && LLVMGetFirstUse(g) &&
		    LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != 3)
			show_unresolved(dm, "variable", name_of(g));
	if (dm->program->n_diagnoses == before)
		return NULL;
	return cudasim_error_new(CUDASIM_E_FAILED,
				 "ptxas fatal   : Ptx assembly aborted due to errors");
}
