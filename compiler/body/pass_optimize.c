/* SPDX-License-Identifier: Apache-2.0 */
/* pass_optimize.c - LLVM's own pipelines, on plain bodies, and what prepares a body for them.
 * The watched body gets nothing but frame pointers and inlined hooks (pipeline.c), since its
 * variables must stay where the debugger looks for them. */
#include "body.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Error.h>
#include "attributes.h"
#include "debug_metadata.h"
#include "budgeted_passes.h"
#include "compile_budget.h"
#include "layout.h"
#include "machine.h"
#include "names.h"

static bool is_called_once(LLVMValueRef function)
{
	LLVMUseRef use = LLVMGetFirstUse(function);
	return use && !LLVMGetNextUse(use) && LLVMIsACallInst(LLVMGetUser(use)) &&
	       LLVMGetCalledValue(LLVMGetUser(use)) == function;
}

static bool has_loop(const struct device_module *dm, const char *kernel)
{
	char *name = name_in_body(dm->program, "loop", kernel, dm->stage);
	bool has = LLVMGetNamedFunction(dm->module, name);
	free(name);
	return has;
}

/* A kernel that has a loop runs thread by thread only where somebody asks for that engine. */
static void mark_seldom(struct device_module *dm, LLVMValueRef function)
{
	LLVMAddAttributeAtIndex(
		function, WHOLE_FUNCTION,
		LLVMCreateStringAttribute(dm->context, "cudasim-seldom", 14, "", 0));
	attribute_add(function, WHOLE_FUNCTION, "optsize", 0);
}

/* A continuation, which is simple already, is called where lanes part or threads have ended. */
static void leave_continuation(struct device_module *dm, const char *kernel)
{
	char *name = name_in_body(dm->program, "continuation", kernel, dm->stage);
	LLVMValueRef continuation = LLVMGetNamedFunction(dm->module, name);
	free(name);
	if (!continuation || LLVMIsDeclaration(continuation))
		return;
	attribute_remove(continuation, WHOLE_FUNCTION, "optsize");
	attribute_add(continuation, WHOLE_FUNCTION, "noinline", 0);
	attribute_add(continuation, WHOLE_FUNCTION, "optnone", 0);
}

struct cudasim_error *pass_inlining(struct device_module *dm)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		bool wanted = LLVMGetStringAttributeAtIndex(f, WHOLE_FUNCTION, "cudasim-inline",
							    14);
		if (wanted && !LLVMIsDeclaration(f) && !dm->large)
			attribute_add(f, WHOLE_FUNCTION, "alwaysinline", 0);
	}
	const struct device_layout *layout = dm->program->layout;
	for (size_t i = 0; i < layout->n_kernels; i++) {
		char name[4096];
		if (dm->large)
			leave_continuation(dm, layout->kernels[i].name);
		snprintf(name, sizeof(name), "%s.%s", layout->kernels[i].name,
			 name_body(dm->stage));
		LLVMValueRef kernel = LLVMGetNamedFunction(dm->module, name);
		if (kernel && is_called_once(kernel)) {
			attribute_remove(kernel, WHOLE_FUNCTION, "noinline");
			attribute_add(kernel, WHOLE_FUNCTION, "alwaysinline", 0);
			debug_lend_location(LLVMGetUser(LLVMGetFirstUse(kernel)));
			if (dm->large && has_loop(dm, layout->kernels[i].name)) {
				mark_seldom(dm, kernel);
				mark_seldom(dm, LLVMGetBasicBlockParent(LLVMGetInstructionParent(
							LLVMGetUser(LLVMGetFirstUse(kernel)))));
			}
		}
	}
	return NULL;
}

struct cudasim_error *pass_frame_pointers(struct device_module *dm)
{
	LLVMAttributeRef all = LLVMCreateStringAttribute(dm->context, "frame-pointer", 13, "all",
							 3);
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		if (!LLVMIsDeclaration(f))
			LLVMAddAttributeAtIndex(f, WHOLE_FUNCTION, all);
	}
	return NULL;
}

/* Is it `x << n` of an x that was loaded, and is narrower than the result? */
static bool is_moved_byte(LLVMValueRef value)
{
	if (!LLVMIsAInstruction(value) || LLVMGetInstructionOpcode(value) != LLVMShl)
		return false;
	LLVMValueRef of = LLVMGetOperand(value, 0);
	return LLVMIsAZExtInst(of) && LLVMIsALoadInst(LLVMGetOperand(of, 0));
}

static bool makes_numbers_of_bytes(LLVMModuleRef module)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i))
				if (LLVMGetInstructionOpcode(i) == LLVMOr &&
				    (is_moved_byte(LLVMGetOperand(i, 0)) ||
				     is_moved_byte(LLVMGetOperand(i, 1))))
					return true;
	return false;
}

struct cudasim_error *pass_join_loads(struct device_module *dm)
{
	LLVMTargetMachineRef machine;
	if (!makes_numbers_of_bytes(dm->module))
		return NULL;
	struct cudasim_error *error = machine_new(dm, &machine);
	if (error)
		return error;
	error = device_run_passes_for(dm, JOIN_LOADS, machine);
	LLVMDisposeTargetMachine(machine);
	return error;
}

struct cudasim_error *pass_optimize(struct device_module *dm)
{
	LLVMTargetMachineRef machine;
	struct cudasim_error *error = machine_new(dm, &machine);
	if (error)
		return error;
	char *passes = budget_passes(dm);
	struct pass_budget budget = {.limit = BUDGET_LOOPS,
				     .inlined = budget_inlined(dm),
				     .tell = budget_show_less,
				     .arg = dm};
	LLVMErrorRef failure = budgeted_passes_run(dm->module, machine, passes, &budget);
	LLVMDisposeTargetMachine(machine);
	if (failure) {
		char *message = LLVMGetErrorMessage(failure);
		error = cudasim_error_new(CUDASIM_E_FAILED, "error: passes '%s': %s", passes,
					  message);
		LLVMDisposeErrorMessage(message);
	}
	free(passes);
	return error;
}
