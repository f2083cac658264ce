/* SPDX-License-Identifier: Apache-2.0 */
/* pass_functions.c - the address of a function is the address of its
 * descriptor (struct cudasim_function).
 *
 * The descriptor's definition stands in the tables. Bodies see its entries as
 * an available_externally constant, so that LLVM resolves calls through
 * pointers that it can follow. */
#include "pass_functions.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "callgraph.h"
#include "layout.h"
#include "names.h"

/* Give every use of a function but its direct calls the descriptor. */
static void replace_uses(LLVMValueRef function, LLVMValueRef descriptor)
{
	size_t n = 0, capacity = 0;
	LLVMValueRef *calls = NULL;
	for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function)
			continue;
		if (n == capacity) {
			capacity = capacity ? 2 * capacity : 16;
			calls = realloc(calls, capacity * sizeof(*calls));
			assert(calls);
		}
		calls[n++] = user;
	}
	LLVMReplaceAllUsesWith(function, descriptor);
	for (size_t i = 0; i < n; i++)
		LLVMSetOperand(calls[i], (unsigned)LLVMGetNumOperands(calls[i]) - 1, function);
	free(calls);
}

LLVMValueRef functions_declare(struct device_module *dm, const char *function)
{
	LLVMTypeRef ptr = LLVMPointerTypeInContext(dm->context, 0);
	LLVMTypeRef fields[] = {LLVMArrayType2(ptr, CUDASIM_N_BODIES), ptr};
	char *symbol = name_shared(dm->program, "function", function);
	LLVMValueRef descriptor = LLVMAddGlobal(
		dm->module, LLVMStructTypeInContext(dm->context, fields, 2, 0), symbol);
	free(symbol);
	LLVMSetGlobalConstant(descriptor, 1);
	LLVMSetVisibility(descriptor, LLVMHiddenVisibility);
	LLVMSetAlignment(descriptor, 8);
	return descriptor;
}

struct cudasim_error *pass_functions(struct device_module *dm)
{
	const struct device_layout *layout = dm->program->layout;
	for (size_t i = 0; i < layout->n_functions; i++) {
		LLVMValueRef function = LLVMGetNamedFunction(dm->module, layout->functions[i]);
		assert(function);
		replace_uses(function, functions_declare(dm, layout->functions[i]));
	}
	return NULL;
}
