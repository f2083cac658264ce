/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

#include <stdio.h>

#include <llvm-c/Target.h>

#include "compile_budget.h"
#include "llvm_functions.h"

const char machine_triple[] = "x86_64-unknown-linux-gnu";
const char machine_data_layout[] = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-"
				   "f80:128-n8:16:32:64-S128";

/* The watched body keeps its variables in memory whatever the level, because
 * nothing promotes them; level 1 only makes better code than 0 around them
 * (a quarter faster), for more than twice the compile time, so large ones and those with a
 * long function get 0. */
static LLVMCodeGenOptLevel watched_level(const struct device_module *dm)
{
	if (!budget_is_large(dm) && !budget_is_long(dm))
		return LLVMCodeGenLevelLess;
	if (dm->program->options->verbose)
		fputs("watched  code of level 0: too large for more\n", stderr);
	return LLVMCodeGenLevelNone;
}

/* Most of their time is spent in tools: of bench/check.cu's kernels level 0 slows most by a tenth or
 * less and sums by shuffles by two fifths at most, and code is made four times as fast. */
static LLVMCodeGenOptLevel watched_loops_level(const struct device_module *dm)
{
	return budget_is_above(dm, BUDGET_WATCHED_LOOPS) ? LLVMCodeGenLevelNone
							 : LLVMCodeGenLevelLess;
}

static LLVMCodeGenOptLevel level_of(const struct device_module *dm)
{
	if (dm->stage == DEVICE_TABLES)
		return LLVMCodeGenLevelNone;
	if (dm->stage == DEVICE_WATCHED_LOOPS)
		return watched_loops_level(dm);
	if (dm->stage == DEVICE_WATCHED)
		return watched_level(dm);
	switch (dm->program->options->optimize) {
	case 0:
		return LLVMCodeGenLevelNone;
	case 1:
		return LLVMCodeGenLevelLess;
	case 2:
		return LLVMCodeGenLevelDefault;
	default:
		return LLVMCodeGenLevelAggressive;
	}
}

struct cudasim_error *machine_new(const struct device_module *dm, LLVMTargetMachineRef *ret)
{
	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86Target();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86AsmPrinter();
	LLVMTargetRef target;
	char *message = NULL;
	if (LLVMGetTargetFromTriple(machine_triple, &target, &message)) {
		struct cudasim_error *error = cudasim_error_new(
			CUDASIM_E_NOTFOUND, "error: this LLVM has no x86-64 target: %s", message);
		LLVMDisposeMessage(message);
		return error;
	}
	const char *cpu = dm->stage == DEVICE_V4 ? "x86-64-v4" : "x86-64-v3";
	*ret = LLVMCreateTargetMachine(target, machine_triple, cpu, "", level_of(dm), LLVMRelocPIC,
				       LLVMCodeModelDefault);
	machine_set_options(*ret);
	return NULL;
}

struct cudasim_error *machine_emit(struct device_module *dm, LLVMTargetMachineRef machine,
				   const char *path)
{
	char *message = NULL;
	if (!LLVMTargetMachineEmitToFile(machine, dm->module, path, LLVMObjectFile, &message))
		return NULL;
	struct cudasim_error *error = cudasim_error_new(CUDASIM_E_SYSTEM, "%s: error: %s", path,
							message);
	LLVMDisposeMessage(message);
	return error;
}
