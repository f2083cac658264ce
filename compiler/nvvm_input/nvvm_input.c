/* SPDX-License-Identifier: Apache-2.0 */
#include "nvvm_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Linker.h>

#include "llvm_functions.h"
#include "names.h"
#include "nvvm_parts.h"

/* As clang 19 has them for CUDA; the layouts that NVVM IR allows agree with this one. */
static const char triple[] = "nvptx64-nvidia-cuda";
static const char layout[] = "e-i64:64-i128:128-v16:16-v32:32-n16:32:64";

/* Takes the module over. lazy: what is not needed so far is left out, the rest becomes internal. */
static struct cudasim_error *add(struct device_module *dm, LLVMModuleRef module, const char *path,
				 bool lazy)
{
	char *text;
	if (!dm->module) {
		dm->module = module;
		return NULL;
	}
	device_note_diagnostics(dm, &text);
	bool failed = lazy ? module_link_needed(dm->module, module)
			   : LLVMLinkModules2(dm->module, module);
	device_watch_diagnostics(dm->program);
	struct cudasim_error *error =
		failed ? cudasim_error_new(CUDASIM_E_FORMAT, "%s: link error: error: %s\n", path,
					   text ? text : "the modules do not fit each other")
		       : NULL;
	free(text);
	return error;
}

/* libdevice: what it defines for others are functions __nv_NAME, and nothing else. */
static bool is_libdevice(LLVMModuleRef module)
{
	bool found = false;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) == LLVMInternalLinkage)
			continue;
		if (strncmp(name_of(f), "__nv_", 5))
			return false;
		found = true;
	}
	return found;
}

static struct cudasim_error *read_one(struct device_module *dm, const char *path, bool lazy)
{
	LLVMModuleRef module;
	struct cudasim_error *error = nvvm_read(dm, path, &module);
	if (error)
		return error;
	if (is_libdevice(module)) {
		LLVMDisposeModule(module);
		return NULL;
	}
	error = lazy ? NULL : nvvm_check_header(module, path, dm->program->options->check);
	if (error) {
		LLVMDisposeModule(module);
		return error;
	}
	LLVMSetTarget(module, triple);
	LLVMSetDataLayout(module, layout);
	return add(dm, module, path, lazy);
}

static struct cudasim_error *verify(struct device_module *dm)
{
	char *message = NULL;
	struct cudasim_error *error = NULL;
	if (LLVMVerifyModule(dm->module, LLVMReturnStatusAction, &message))
		error = cudasim_error_new(CUDASIM_E_FORMAT, "%s", message);
	LLVMDisposeMessage(message);
	return error;
}

static struct cudasim_error *finish(struct device_module *dm)
{
	const struct device_options *options = dm->program->options;
	struct cudasim_error *error = verify(dm);
	if (!error && options->check)
		error = nvvm_check_rules(dm->module);
	if (error)
		return error;
	nvvm_translate_intrinsics(dm);
	if (dm->program->n_diagnoses)
		return cudasim_error_new(CUDASIM_E_FAILED, "%zu error%s generated.",
					 dm->program->n_diagnoses,
					 dm->program->n_diagnoses == 1 ? "" : "s");
	if (options->check)
		return NULL;
	error = nvvm_add_groups(dm);
	if (error)
		return error;
	nvvm_adapt(dm);
	if (LLVMWriteBitcodeToFile(dm->module, options->output))
		return cudasim_error_new(CUDASIM_E_SYSTEM, "cannot write '%s'", options->output);
	return NULL;
}

struct cudasim_error *nvvm_input_run(struct device_module *dm)
{
	const struct device_options *options = dm->program->options;
	struct cudasim_error *error = NULL;
	for (size_t i = 0; i < options->n_inputs && !error; i++)
		error = read_one(dm, options->inputs[i], false);
	if (!error && !dm->module) {
		/* libdevice alone: nothing is wanted of it. */
		dm->module = LLVMModuleCreateWithNameInContext("nvvm", dm->context);
		LLVMSetTarget(dm->module, triple);
		LLVMSetDataLayout(dm->module, layout);
	}
	for (size_t i = 0; i < options->n_lazy && !error; i++)
		error = read_one(dm, options->lazy[i], true);
	return error ? error : finish(dm);
}
