/* SPDX-License-Identifier: Apache-2.0 */
/* pass_pairs.c - in plain bodies a function's sine and cosine of one argument are one call of
 * libdevice's sincos(), which reduces the argument once and computes both polynomials with
 * constants, where a sine alone chooses each coefficient of one by the quadrant. The bits are
 * the same (tests/kernels/pairs.cu). Watched bodies keep the calls that stand in the source. */
#include "lower.h"
#include "pairs.h"

#include "call_pairs.h"
#include "llvm_functions.h"

static const struct {
	const char *one, *other, *both;
} pairs[] = {
	{"__nv_sin", "__nv_cos", "__nv_sincos"},
	{"__nv_sinf", "__nv_cosf", "__nv_sincosf"},
	{"__nv_sinpi", "__nv_cospi", "__nv_sincospi"},
	{"__nv_sinpif", "__nv_cospif", "__nv_sincospif"},
};

enum { N_PAIRS = sizeof(pairs) / sizeof(*pairs) };

void pairs_want(struct device_module *dm)
{
	for (size_t i = 0; i < N_PAIRS; i++) {
		LLVMValueRef one = LLVMGetNamedFunction(dm->module, pairs[i].one);
		LLVMValueRef other = LLVMGetNamedFunction(dm->module, pairs[i].other);
		LLVMValueRef both = LLVMGetNamedFunction(dm->module, pairs[i].both);
		if (!one || !other || !LLVMGetFirstUse(one) || !LLVMGetFirstUse(other))
			continue;
		if (!both) {
			LLVMTypeRef pointer = LLVMPointerTypeInContext(dm->context, 0);
			LLVMTypeRef params[] = {LLVMTypeOf(LLVMGetParam(one, 0)), pointer, pointer};
			LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(dm->context),
							    params, 3, 0);
			both = LLVMAddFunction(dm->module, pairs[i].both, type);
		}
		function_mark_used(both);
	}
}

void pairs_keep(struct device_module *dm)
{
	for (size_t i = 0; i < N_PAIRS; i++) {
		LLVMValueRef both = LLVMGetNamedFunction(dm->module, pairs[i].both);
		if (both && !LLVMIsDeclaration(both))
			function_mark_used(both);
	}
}

static bool calls(LLVMValueRef function, LLVMValueRef callee)
{
	for (LLVMUseRef use = LLVMGetFirstUse(callee); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsACallInst(user) &&
		    LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == function)
			return true;
	}
	return false;
}

static void pair(struct device_module *dm, struct function_passes *passes, LLVMValueRef one,
		 LLVMValueRef other, LLVMValueRef both)
{
	/* Or what lies between them might change what their argument is made of. */
	function_mark_pure(one);
	function_mark_pure(other);
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		if (f == both || LLVMIsDeclaration(f) || !calls(f, one) || !calls(f, other))
			continue;
		/* One argument is one value once variables are in registers. */
		function_passes_run(passes, f);
		calls_pair(f, one, other, both);
	}
}

struct cudasim_error *pass_pairs(struct device_module *dm)
{
	struct function_passes *passes = function_passes_new("sroa,early-cse");
	for (size_t i = 0; i < N_PAIRS; i++) {
		LLVMValueRef one = LLVMGetNamedFunction(dm->module, pairs[i].one);
		LLVMValueRef other = LLVMGetNamedFunction(dm->module, pairs[i].other);
		LLVMValueRef both = LLVMGetNamedFunction(dm->module, pairs[i].both);
		if (!both)
			continue;
		if (one && other && dm->stage == DEVICE_PLAIN)
			pair(dm, passes, one, other, both);
		function_mark_unused(both);
		if (!LLVMGetFirstUse(both))
			LLVMDeleteFunction(both);
	}
	function_passes_free(passes);
	return NULL;
}
