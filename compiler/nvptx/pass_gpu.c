/* SPDX-License-Identifier: Apache-2.0 */
/* pass_gpu.c - NVVM IR as the simulator gets it, made ready for NVPTX. */
#define _GNU_SOURCE
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Comdat.h>
#include <llvm-c/Linker.h>

#include "annotations.h"
#include "arithmetic.h"
#include "debug_metadata.h"
#include "gpu.h"
#include "layout.h"
#include "llvm_functions.h"
#include "names.h"
#include "retarget.h"

static const LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;

/* ---- what only the simulator knows --------------------------------------------- */

/* Our headers' calls of the simulator that mean something on a GPU as well, and
 * those of device.h, which mean nothing there (gpu_builtins/). */
static struct cudasim_error *link_builtins(struct device_module *dm)
{
	static const char *const names[] = {"cudasim_texture_call", "cudasim_surface_call",
					    "cudasim_host_call"};
	bool wanted = false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		wanted |= LLVMGetNamedFunction(dm->module, names[i]) != NULL;
	const char *builtins = dm->program->options->builtins;
	if (!wanted || !builtins)
		return NULL;
	/* They lie side by side. */
	const char *end = strrchr(builtins, '/');
	char *path = NULL;
	if (asprintf(&path, "%.*sgpu-builtins.bc", end ? (int)(end - builtins + 1) : 0, builtins) <
	    0)
		return &cudasim_error_nomem;
	LLVMModuleRef library;
	struct cudasim_error *error = device_read_bitcode(dm, path, &library);
	if (!error) {
		LLVMSetTarget(library, LLVMGetTarget(dm->module));
		LLVMSetDataLayout(library, LLVMGetDataLayoutStr(dm->module));
		if (LLVMLinkModules2(dm->module, library))
			error = cudasim_error_new(CUDASIM_E_FORMAT, "%s: error: does not link",
						  path);
	}
	free(path);
	return error;
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
	constants_expand(&global, 1);
	device_replace_global(dm, global, load_slot, slot);
	if (used_by_variable(global))
		device_diagnose(dm, global,
				"the address of the __managed__ variable '%s' is used "
				"in the initial value of another variable, which is not supported",
				name);
	LLVMReplaceAllUsesWith(global, LLVMGetUndef(LLVMTypeOf(global)));
	LLVMDeleteGlobal(global);
	LLVMSetValueName2(slot, name, strlen(name));
	free(name);
}

/* Drivers know managed variables by themselves. */
static void mark_managed(struct device_module *dm, LLVMValueRef global)
{
	if (LLVMIsDeclaration(global))
		return;
	LLVMMetadataRef parts[] = {
		LLVMValueAsMetadata(global),
		LLVMMDStringInContext2(dm->context, "managed", 7),
		LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(dm->context), 1, 0)),
	};
	LLVMAddNamedMetadataOperand(
		dm->module, "nvvm.annotations",
		LLVMMetadataAsValue(dm->context, LLVMMDNodeInContext2(dm->context, parts, 3)));
}

static void make_slots(struct device_module *dm)
{
	struct managed list = {0};
	annotations_visit(dm, collect_managed, &list);
	retarget_delete_list(dm, "llvm.global.annotations");
	retarget_delete_list(dm, "llvm.compiler.used");
	retarget_delete_list(dm, "llvm.used");
	for (size_t i = 0; i < list.n; i++)
		if (dm->program->options->gpu_alone)
			mark_managed(dm, list.at[i]);
		else
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

/* One instruction of PTX that LLVM looks through nowhere. */
static LLVMValueRef build_asm(LLVMBuilderRef b, const char *text, const char *constraints,
			      LLVMTypeRef result, LLVMValueRef x)
{
	LLVMTypeRef from = LLVMTypeOf(x);
	LLVMTypeRef type = LLVMFunctionType(result, &from, 1, 0);
	LLVMValueRef code = LLVMGetInlineAsm(type, text, strlen(text), constraints,
					     strlen(constraints), 0, 0, LLVMInlineAsmDialectATT, 0);
	return LLVMBuildCall2(b, type, code, &x, 1, "");
}

/* A conversion to an integer saturates on a GPU, whatever LLVM thinks of values
 * out of range (it makes the ordinary conversion even of llvm.nvvm.f2i.rz); to 8 and
 * 16 bits it is cut from 32. */
static void define_conversion(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef i)
{
	bool is_signed = LLVMGetInstructionOpcode(i) == LLVMFPToSI;
	LLVMValueRef x = LLVMGetOperand(i, 0);
	LLVMTypeRef to = LLVMTypeOf(i);
	LLVMTypeKind from = LLVMGetTypeKind(LLVMTypeOf(x));
	bool is_double = from == LLVMDoubleTypeKind;
	if (LLVMGetTypeKind(to) != LLVMIntegerTypeKind ||
	    (!is_double && from != LLVMFloatTypeKind) || LLVMGetIntTypeWidth(to) > 64 ||
	    LLVMIsConstant(x))
		return;
	bool is_wide = LLVMGetIntTypeWidth(to) > 32;
	static const char *const code[2][2][2] = {
		{{"cvt.rzi.u32.f32 $0, $1;", "cvt.rzi.s32.f32 $0, $1;"},
		 {"cvt.rzi.u64.f32 $0, $1;", "cvt.rzi.s64.f32 $0, $1;"}},
		{{"cvt.rzi.u32.f64 $0, $1;", "cvt.rzi.s32.f64 $0, $1;"},
		 {"cvt.rzi.u64.f64 $0, $1;", "cvt.rzi.s64.f64 $0, $1;"}},
	};
	static const char *const constraints[2][2] = {{"=r,f", "=l,f"}, {"=r,d", "=l,d"}};
	LLVMTypeRef type = is_wide ? LLVMInt64TypeInContext(dm->context)
				   : LLVMInt32TypeInContext(dm->context);
	LLVMPositionBuilderBefore(b, i);
	LLVMValueRef r = build_asm(b, code[is_double][is_wide][is_signed],
				   constraints[is_double][is_wide], type, x);
	if (to != type)
		r = LLVMBuildTrunc(b, r, to, "");
	LLVMReplaceAllUsesWith(i, r);
	LLVMInstructionEraseFromParent(i);
}

/* Intrinsics that LLVM 19 does not know or rounds to nearest when it folds them:
 * conversions of integers with another rounding, and what libdevice 13 has new. */
static void define_intrinsic(LLVMBuilderRef b, LLVMValueRef call)
{
	static const struct {
		const char *name, *ptx; /* without rounding */
		const char *constraints;
	} conversions[] = {
		{"i2f", ".f32.s32", "=f,r"},  {"ui2f", ".f32.u32", "=f,r"},
		{"ll2f", ".f32.s64", "=f,l"}, {"ull2f", ".f32.u64", "=f,l"},
		{"i2d", ".f64.s32", "=d,r"},  {"ui2d", ".f64.u32", "=d,r"},
		{"ll2d", ".f64.s64", "=d,l"}, {"ull2d", ".f64.u64", "=d,l"},
	};
	char name[32], rounding[3], text[64];
	const char *constraints = NULL;
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee))
		return;
	if (!strcmp(name_of(callee), "llvm.nvvm.tanh.approx.f32")) {
		strcpy(text, "tanh.approx.f32 $0, $1;");
		constraints = "=f,f";
	} else if (sscanf(name_of(callee), "llvm.nvvm.%31[a-z0-9].%2[a-z]", name, rounding) == 2 &&
		   (!strcmp(rounding, "rz") || !strcmp(rounding, "rm") ||
		    !strcmp(rounding, "rp"))) {
		for (size_t i = 0; i < sizeof(conversions) / sizeof(conversions[0]); i++) {
			if (strcmp(name, conversions[i].name))
				continue;
			snprintf(text, sizeof(text), "cvt.%s%s $0, $1;", rounding,
				 conversions[i].ptx);
			constraints = conversions[i].constraints;
		}
	}
	if (!constraints)
		return;
	LLVMPositionBuilderBefore(b, call);
	LLVMReplaceAllUsesWith(
		call, build_asm(b, text, constraints, LLVMTypeOf(call), LLVMGetOperand(call, 0)));
	LLVMInstructionEraseFromParent(call);
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
	case LLVMCall:
		define_intrinsic(arg, i);
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
		LLVMRemoveStringAttributeAtIndex(function, whole, gone[i],
						 (unsigned)strlen(gone[i]));
	set_text(function, "denormal-fp-math-f32",
		 dm->program->options->ftz ? "preserve-sign,preserve-sign" : "ieee,ieee");
}

/* Our own functions and libdevice's, which each product has for itself. */
static bool is_foreign(const char *name)
{
	return !strncmp(name, "__nv_", 5) || !strncmp(name, "__cudasim_", 10) ||
	       !strncmp(name, "cudasim_", 8);
}

static bool keeps_linkage(struct device_module *dm, LLVMValueRef function)
{
	return layout_find_kernel(dm->program->layout, name_of(function)) ||
	       (dm->program->options->relocatable && !is_foreign(name_of(function)));
}

static void internalize(struct device_module *dm)
{
	bool relocatable = dm->program->options->relocatable;
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		LLVMSetComdat(f, NULL);
		if (!LLVMGetIntrinsicID(f))
			/* Device malloc() fails where the heap is full; LLVM would fold the
			 * question. */
			set_text(f, "no-builtins", "");
		if (LLVMIsDeclaration(f))
			continue;
		set_attributes(dm, f);
		LLVMSetVisibility(f, LLVMDefaultVisibility);
		if (!keeps_linkage(dm, f))
			LLVMSetLinkage(f, LLVMInternalLinkage);
		else if (!relocatable)
			LLVMSetLinkage(f, LLVMExternalLinkage);
	}
	for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = LLVMGetNextGlobal(g)) {
		LLVMSetComdat(g, NULL);
		if (LLVMIsDeclaration(g))
			continue;
		LLVMSetVisibility(g, LLVMDefaultVisibility);
		if (relocatable && LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != 3)
			continue;
		LLVMSetLinkage(g, LLVMIsExternallyInitialized(g) ? LLVMExternalLinkage
								 : LLVMInternalLinkage);
	}
}

/* nvcc's own calls for these are not documented. The last name is what the toolkit's headers call where clang 22 has
 * made code of a launch. */
static void refuse_launches(struct device_module *dm)
{
	static const char *const names[] = {"__cudasim_launch_go", "__cudaPushCallConfiguration",
					    "__cudaCDP2LaunchDevice"};
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		LLVMValueRef function = LLVMGetNamedFunction(dm->module, names[i]);
		LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL;
		if (!use)
			continue;
		/* What only the simulator loads may have them; compile.c says so in the PTX. */
		if (dm->program->options->gpu_alone) {
			dm->program->incomplete = true;
			return;
		}
		device_diagnose(
			dm, LLVMGetUser(use),
			"a launch from device code is not supported in code for a GPU (--gpu)");
		return;
	}
}

struct cudasim_error *pass_gpu(struct device_module *dm)
{
	refuse_launches(dm);
	layout_new(dm);
	struct cudasim_error *error = link_builtins(dm);
	if (error)
		return error;
	make_slots(dm);
	retarget_resolve_weak(dm);
	return NULL;
}

struct cudasim_error *pass_gpu_define(struct device_module *dm)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	device_visit(dm, define, builder);
	LLVMDisposeBuilder(builder);
	internalize(dm);
	return device_run_passes(dm, "globaldce");
}

/* ---- behind LLVM's own passes ------------------------------------------------------- */

/* copysign.f64 of a NaN gives the positive one; nvcc moves the sign bit. */
static void define_copysign(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef call)
{
	LLVMTypeRef type = LLVMInt64TypeInContext(dm->context);
	LLVMValueRef sign = LLVMConstInt(type, 1ull << 63, 0);
	LLVMPositionBuilderBefore(b, call);
	LLVMValueRef x = LLVMBuildBitCast(b, LLVMGetOperand(call, 0), type, "");
	LLVMValueRef y = LLVMBuildBitCast(b, LLVMGetOperand(call, 1), type, "");
	LLVMValueRef magnitude = LLVMBuildAnd(b, x, LLVMConstNot(sign), "");
	LLVMValueRef bits = LLVMBuildOr(b, magnitude, LLVMBuildAnd(b, y, sign, ""), "");
	LLVMReplaceAllUsesWith(call, LLVMBuildBitCast(b, bits, LLVMTypeOf(call), ""));
	LLVMInstructionEraseFromParent(call);
}

static void settle(struct device_module *dm, LLVMValueRef i, void *arg)
{
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMCall:
		if (is_call_of(i, "llvm.copysign.f64"))
			define_copysign(dm, arg, i);
		break;
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFMul:
		instruction_forbid_contraction(i);
		break;
	default:
		break;
	}
}

struct cudasim_error *pass_gpu_settle(struct device_module *dm)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	device_visit(dm, settle, builder);
	LLVMDisposeBuilder(builder);
	return NULL;
}
