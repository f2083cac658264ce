/* SPDX-License-Identifier: Apache-2.0 */
/* pass_gpu.c - NVVM IR as the simulator gets it, made ready for NVPTX. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Comdat.h>

#include "annotations.h"
#include "arithmetic.h"
#include "bridge_debug.h"
#include "gpu.h"
#include "layout.h"
#include "llvm_bridge.h"
#include "names.h"

static const LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

/* ---- what only the simulator knows --------------------------------------------- */

/* Calls that device.h makes: nothing on a GPU, as with nvcc. */
static void drop_calls(struct device_module *dm)
{
	static const char *const names[] = {"cudasim_host_call", "cudasim_break_call"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		LLVMValueRef f = LLVMGetNamedFunction(dm->module, names[i]);
		if (!f || !LLVMIsDeclaration(f))
			continue;
		LLVMUseRef use;
		while ((use = LLVMGetFirstUse(f)) && LLVMIsACallInst(LLVMGetUser(use)))
			LLVMInstructionEraseFromParent(LLVMGetUser(use));
		if (!LLVMGetFirstUse(f))
			LLVMDeleteFunction(f);
	}
}

/* A weak variable that nobody defines has no address: clang's threadIdx and kin,
 * whose `this` is passed about without being used. */
static void drop_weak(struct device_module *dm)
{
	LLVMValueRef next;
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = next) {
		next = LLVMGetNextGlobal(g);
		if (LLVMGetLinkage(g) != LLVMExternalWeakLinkage)
			continue;
		LLVMReplaceAllUsesWith(g, LLVMConstNull(LLVMTypeOf(g)));
		LLVMDeleteGlobal(g);
	}
}

static void delete_list(struct device_module *dm, const char *name)
{
	LLVMValueRef list = LLVMGetNamedGlobal(dm->module, name);
	if (list)
		LLVMDeleteGlobal(list);
}

/* ---- managed variables ---------------------------------------------------------- */

struct managed {
	LLVMValueRef *at;
	size_t n;
};

static void collect_managed(LLVMValueRef global, const char *text, const uint64_t *values,
			    size_t n_values, void *arg)
{
	struct managed *list = arg;
	(void)values, (void)n_values;
	if (strcmp(text, "cudasim_managed") || !LLVMIsAGlobalVariable(global))
		return;
	for (size_t i = 0; i < list->n; i++)
		if (list->at[i] == global)
			return;
	list->at = realloc(list->at, (list->n + 1) * sizeof(*list->at));
	assert(list->at);
	list->at[list->n++] = global;
}

static LLVMValueRef load_slot(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef global,
			      void *arg)
{
	(void)global;
	LLVMTypeRef ptr = LLVMPointerTypeInContext(dm->context, 0);
	return LLVMBuildLoad2(builder, ptr, arg, "");
}

/* A variable whose initial value holds a managed variable's address would have to
 * be made anew at run time. Constants may be left of lists that are gone. */
static bool used_by_variable(LLVMValueRef global)
{
	for (LLVMUseRef use = LLVMGetFirstUse(global); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAGlobalVariable(user) ||
		    (LLVMIsAConstant(user) && !LLVMIsAGlobalValue(user) && used_by_variable(user)))
			return true;
	}
	return false;
}

static void make_slot(struct device_module *dm, LLVMValueRef global)
{
	if (LLVMIsDeclaration(global) && !LLVMGetFirstUse(global))
		return;
	LLVMTypeRef ptr = LLVMPointerTypeInContext(dm->context, 0);
	LLVMValueRef slot = LLVMAddGlobalInAddressSpace(dm->module, ptr, "", 1);
	char *name = strdup(name_of(global));
	assert(name);
	if (!LLVMIsDeclaration(global)) {
		LLVMSetInitializer(slot, LLVMConstNull(ptr));
		LLVMSetExternallyInitialized(slot, 1);
	}
	LLVMSetAlignment(slot, 8);
	device_replace_global(dm, global, load_slot, slot);
	if (used_by_variable(global))
		device_diagnose(dm, global, "the address of the __managed__ variable '%s' is used "
				"in the initial value of another variable, which is not supported", name);
	LLVMReplaceAllUsesWith(global, LLVMGetUndef(LLVMTypeOf(global)));
	LLVMDeleteGlobal(global);
	LLVMSetValueName2(slot, name, strlen(name));
	free(name);
}

static void make_slots(struct device_module *dm)
{
	struct managed list = {0};
	annotations_visit(dm, collect_managed, &list);
	delete_list(dm, "llvm.global.annotations");
	delete_list(dm, "llvm.compiler.used");
	delete_list(dm, "llvm.used");
	for (size_t i = 0; i < list.n; i++)
		make_slot(dm, list.at[i]);
	free(list.at);
}

/* ---- arithmetic ------------------------------------------------------------------ */

static LLVMValueRef call_nvvm(struct device_module *dm, LLVMBuilderRef b, const char *name,
			      LLVMTypeRef result, LLVMValueRef x)
{
	LLVMTypeRef from = LLVMTypeOf(x);
	LLVMTypeRef type = LLVMFunctionType(result, &from, 1, 0);
	LLVMValueRef f = LLVMGetNamedFunction(dm->module, name);
	if (!f)
		f = LLVMAddFunction(dm->module, name, type);
	return LLVMBuildCall2(b, type, f, &x, 1, "");
}

/* A conversion to an integer saturates on a GPU, whatever LLVM thinks of values
 * out of range; to 8 and 16 bits it is cut from 32. */
static void define_conversion(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef i)
{
	bool is_signed = LLVMGetInstructionOpcode(i) == LLVMFPToSI;
	LLVMValueRef x = LLVMGetOperand(i, 0);
	LLVMTypeRef to = LLVMTypeOf(i);
	LLVMTypeKind from = LLVMGetTypeKind(LLVMTypeOf(x));
	bool is_double = from == LLVMDoubleTypeKind;
	if (LLVMGetTypeKind(to) != LLVMIntegerTypeKind || (!is_double && from != LLVMFloatTypeKind) ||
	    LLVMGetIntTypeWidth(to) > 64)
		return;
	bool is_wide = LLVMGetIntTypeWidth(to) > 32;
	static const char *const names[2][2][2] = {
		{{"llvm.nvvm.f2ui.rz", "llvm.nvvm.f2i.rz"}, {"llvm.nvvm.f2ull.rz", "llvm.nvvm.f2ll.rz"}},
		{{"llvm.nvvm.d2ui.rz", "llvm.nvvm.d2i.rz"}, {"llvm.nvvm.d2ull.rz", "llvm.nvvm.d2ll.rz"}},
	};
	LLVMTypeRef type = is_wide ? LLVMInt64TypeInContext(dm->context)
				   : LLVMInt32TypeInContext(dm->context);
	LLVMPositionBuilderBefore(b, i);
	LLVMValueRef r = call_nvvm(dm, b, names[is_double][is_wide][is_signed], type, x);
	if (to != type)
		r = LLVMBuildTrunc(b, r, to, "");
	LLVMReplaceAllUsesWith(i, r);
	LLVMInstructionEraseFromParent(i);
}

static bool is_call_of(LLVMValueRef value, const char *name)
{
	return LLVMIsACallInst(value) && LLVMIsAFunction(LLVMGetCalledValue(value)) &&
	       !strcmp(name_of(LLVMGetCalledValue(value)), name);
}

/* nvcc's -use_fast_math makes rsqrt of 1 / sqrt. */
static void shorten_root(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef i)
{
	LLVMBool loses;
	LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
	if (!LLVMIsAConstantFP(x) || LLVMConstRealGetDouble(x, &loses) != 1.0 ||
	    !is_call_of(y, "llvm.nvvm.sqrt.approx.ftz.f"))
		return;
	LLVMPositionBuilderBefore(b, i);
	LLVMReplaceAllUsesWith(i, call_nvvm(dm, b, "llvm.nvvm.rsqrt.approx.ftz.f", LLVMTypeOf(i),
					    LLVMGetOperand(y, 0)));
	LLVMInstructionEraseFromParent(i);
}

static void define(struct device_module *dm, LLVMValueRef i, void *arg)
{
	const struct device_options *options = dm->program->options;
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMFPToSI:
	case LLVMFPToUI:
		define_conversion(dm, arg, i);
		break;
	case LLVMFDiv:
		if (options->ftz && !options->prec_div && !options->prec_sqrt)
			shorten_root(dm, arg, i);
		break;
	case LLVMAlloca:
		/* LLVM 19 writes the alignment 0 for those of ordinary alignment. */
		if (!LLVMIsConstant(LLVMGetOperand(i, 0)) && LLVMGetAlignment(i) < 16)
			LLVMSetAlignment(i, 16);
		break;
	default:
		break;
	}
}

/* ---- functions --------------------------------------------------------------------- */

static void set_text(LLVMValueRef function, const char *name, const char *value)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
	LLVMAddAttributeAtIndex(function, whole,
				LLVMCreateStringAttribute(context, name, (unsigned)strlen(name),
							  value, (unsigned)strlen(value)));
}

/* libdevice's functions become like the program's: NVPTX reads of each function
 * whether it flushes. */
static void set_attributes(struct device_module *dm, LLVMValueRef function)
{
	static const char *const gone[] = {"target-cpu", "target-features", "tune-cpu"};
	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		LLVMRemoveStringAttributeAtIndex(function, whole, gone[i], (unsigned)strlen(gone[i]));
	set_text(function, "denormal-fp-math-f32",
		 dm->program->options->ftz ? "preserve-sign,preserve-sign" : "ieee,ieee");
}

static void internalize(struct device_module *dm)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		LLVMSetComdat(f, NULL);
		if (LLVMIsDeclaration(f))
			continue;
		set_attributes(dm, f);
		LLVMSetVisibility(f, LLVMDefaultVisibility);
		LLVMSetLinkage(f, layout_find_kernel(dm->program->layout, name_of(f))
					  ? LLVMExternalLinkage : LLVMInternalLinkage);
	}
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = LLVMGetNextGlobal(g)) {
		LLVMSetComdat(g, NULL);
		if (LLVMIsDeclaration(g))
			continue;
		LLVMSetVisibility(g, LLVMDefaultVisibility);
		LLVMSetLinkage(g, LLVMIsExternallyInitialized(g) ? LLVMExternalLinkage
								: LLVMInternalLinkage);
	}
}

struct cudasim_error *pass_gpu(struct device_module *dm)
{
	struct device_layout *layout = calloc(1, sizeof(*layout));
	assert(layout);
	dm->program->layout = layout;
	struct cudasim_error *error = layout_kernels(dm, layout);
	if (error)
		return error;
	drop_calls(dm);
	make_slots(dm);
	drop_weak(dm);
	if (dm->program->options->fmad && dm->program->options->optimize)
		error = contract_products(dm);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	device_visit(dm, define, builder);
	LLVMDisposeBuilder(builder);
	internalize(dm);
	return error ? error : device_run_passes(dm, "globaldce");
}
