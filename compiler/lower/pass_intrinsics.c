/* SPDX-License-Identifier: Apache-2.0 */
/* pass_intrinsics.c - llvm.nvvm.* to builtins: afterwards none is left.
 *
 * An intrinsic llvm.nvvm.a.b is either a row of the table below, which builds
 * plain LLVM IR (so that later passes see the load, the atomic or the fence),
 * or the function __cudasim_nvvm_a_b of compiler/builtins. Those that may be needed are linked
 * from bitcode first, made internal and always-inline, and those that nobody
 * calls are removed. Builtins have no debug information, and later passes leave
 * functions without any alone. */
#define _GNU_SOURCE
#include "lower.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"
#include "attributes.h"
#include "intrinsics.h"
#include "llvm_functions.h"
#include "llvm_versions.h"
#include "tensor.h"

#define BUILTIN "__cudasim_nvvm_"

static const char *name_of(LLVMValueRef value)
{
	size_t n;
	return LLVMGetValueName2(value, &n);
}

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

/* ---- the builtins' functions ---------------------------------------------------- */

/* The bitcode was compiled for some x86-64; what it runs on is for the bodies
 * to say. Extension of narrow parameters would need the same word at each call. */
static void strip_attributes(LLVMValueRef function)
{
	static const char *const strings[] = {
		"target-cpu",       "target-features",
		"tune-cpu",         "min-legal-vector-width",
		"no-trapping-math", "stack-protector-buffer-size",
		"frame-pointer",
	};
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		LLVMRemoveStringAttributeAtIndex(function, WHOLE_FUNCTION, strings[i],
						 (unsigned)strlen(strings[i]));
	attribute_remove(function, WHOLE_FUNCTION, "uwtable");
	unsigned n = LLVMCountParams(function);
	for (unsigned i = 0; i <= n; i++) { /* 0 is the result */
		attribute_remove(function, i, "zeroext");
		attribute_remove(function, i, "signext");
	}
}

/* A special register reads the same all through the life of a thread. */
static void mark_loads_invariant(LLVMContextRef context, LLVMValueRef function)
{
	unsigned kind = LLVMGetMDKindIDInContext(context, "invariant.load", 14);
	LLVMValueRef empty = LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, NULL, 0));
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			if (LLVMIsALoadInst(i))
				LLVMSetMetadata(i, kind, empty);
		}
	}
}

/* Whether the builtin takes a site, and so stands for something that threads
 * do together or that shows outside. */
static bool takes_site(LLVMValueRef builtin, unsigned n_args)
{
	return LLVMCountParams(builtin) == n_args + 1;
}

static void adopt_builtin(struct device_module *dm, LLVMValueRef function)
{
	LLVMSetLinkage(function, LLVMInternalLinkage);
	strip_attributes(function);
	if (!attribute_has(function, "noinline"))
		attribute_add(function, WHOLE_FUNCTION, "alwaysinline", 0);
	if (starts_with(name_of(function), BUILTIN "read_ptx_sreg_"))
		mark_loads_invariant(dm->context, function);
}

/* Intrinsics of LLVM itself whose meaning is the GPU's business. */
static const char *alias_of(const struct device_options *options, const char *name)
{
	const struct {
		const char *name, *builtin;
		bool wanted;
	} aliases[] = {
		{"llvm.minnum.f32", "llvm.nvvm.fmin.f", true},
		{"llvm.maxnum.f32", "llvm.nvvm.fmax.f", true},
		{"llvm.minnum.f64", "llvm.nvvm.fmin.d", true},
		{"llvm.maxnum.f64", "llvm.nvvm.fmax.d", true},
		{"llvm.minnum.f16", "llvm.nvvm.fmin.f16", true},
		{"llvm.maxnum.f16", "llvm.nvvm.fmax.f16", true},
		{"llvm.fma.f16", "llvm.nvvm.fma.rn.f16", true},
		{"llvm.fmuladd.f16", "llvm.nvvm.fma.rn.f16", true},
		{"llvm.sqrt.f32", "llvm.nvvm.sqrt.approx.f", !options->prec_sqrt && !options->ftz},
		{"llvm.sqrt.f32", "llvm.nvvm.sqrt.approx.ftz.f",
		 !options->prec_sqrt && options->ftz},
		{"llvm.nvvm.sqrt.f", "llvm.nvvm.sqrt.approx.f",
		 !options->prec_sqrt && !options->ftz},
		{"llvm.nvvm.sqrt.f", "llvm.nvvm.sqrt.approx.ftz.f",
		 !options->prec_sqrt && options->ftz},
		{"llvm.nvvm.sqrt.f", "llvm.nvvm.sqrt.rn.ftz.f", options->prec_sqrt && options->ftz},
	};
	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++) {
		if (aliases[i].wanted && !strcmp(aliases[i].name, name))
			return aliases[i].builtin;
	}
	return intrinsic_name_19(name);
}

/* The builtin's name for llvm.nvvm.a.b. */
static void builtin_name(const char *intrinsic, char *name, size_t size)
{
	snprintf(name, size, BUILTIN "%s", intrinsic + strlen("llvm.nvvm."));
	for (char *p = name; *p; p++) {
		if (*p == '.')
			*p = '_';
	}
}

/* Declares the builtin of a library that is yet to be linked, if it has one. */
static void want_builtin(struct device_module *dm, LLVMModuleRef library, const char *intrinsic)
{
	char name[128];
	builtin_name(intrinsic, name, sizeof(name));
	LLVMValueRef f = LLVMGetNamedFunction(library, name);
	if (f && !LLVMIsDeclaration(f) && !LLVMGetNamedFunction(dm->module, name))
		LLVMAddFunction(dm->module, name, LLVMGlobalGetValueType(f));
}

/* Declares what lowering may ask for: builtins for the intrinsics that the module declares, and those
 * that take the place of other code. A program uses few of them, and reading all takes longer than compiling it. */
static void want_builtins(struct device_module *dm, LLVMModuleRef library)
{
	static const char *const always[] = {
		"llvm.nvvm.read.ptx.sreg.laneid", "llvm.nvvm.isspacep.global",
		"llvm.nvvm.div.full.f",           "llvm.nvvm.div.full.ftz.f",
		"llvm.nvvm.div.approx.ftz.f",     "llvm.nvvm.rsqrt.approx.ftz.f",
	};
	for (size_t i = 0; i < sizeof(always) / sizeof(always[0]); i++)
		want_builtin(dm, library, always[i]);
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		if (!LLVMIsDeclaration(f) || !starts_with(name_of(f), "llvm."))
			continue;
		const char *name = alias_of(dm->program->options, name_of(f));
		if (starts_with(name, "llvm.nvvm."))
			want_builtin(dm, library, name);
	}
}

static struct cudasim_error *link_builtins(struct device_module *dm)
{
	const char *path = dm->program->options->builtins;
	LLVMModuleRef library;
	struct cudasim_error *error = device_read_bitcode_lazily(dm, path, &library);
	if (error)
		return error;
	LLVMSetTarget(library, LLVMGetTarget(dm->module));
	LLVMSetDataLayout(library, LLVMGetDataLayoutStr(dm->module));
	want_builtins(dm, library);
	if (module_link_needed(dm->module, library))
		return cudasim_error_new(CUDASIM_E_FORMAT, "%s: error: does not link", path);
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		if (!LLVMIsDeclaration(f) && starts_with(name_of(f), BUILTIN))
			adopt_builtin(dm, f);
	}
	device_declare_runtime(dm);
	return NULL;
}

/* Builtins call builtins, so look again after each that went. */
static void remove_unused(struct device_module *dm)
{
	bool again = true;
	while (again) {
		again = false;
		LLVMValueRef next;
		for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = next) {
			next = LLVMGetNextFunction(f);
			if (LLVMGetFirstUse(f) || !starts_with(name_of(f), BUILTIN))
				continue;
			LLVMDeleteFunction(f);
			again = true;
		}
		LLVMValueRef following;
		for (LLVMValueRef g = LLVMGetFirstGlobal(dm->module); g; g = following) {
			following = LLVMGetNextGlobal(g);
			if (!LLVMGetFirstUse(g) && LLVMGetLinkage(g) != LLVMAppendingLinkage &&
			    starts_with(name_of(g), "__cudasim_table_"))
				LLVMDeleteGlobal(g);
		}
	}
}

/* ---- a call of a builtin in an intrinsic's place ---------------------------------- */

static unsigned bits_of(LLVMTypeRef type)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMGetIntTypeWidth(type);
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
		return 16;
	case LLVMFloatTypeKind:
		return 32;
	case LLVMDoubleTypeKind:
	case LLVMPointerTypeKind:
		return 64;
	case LLVMVectorTypeKind:
		return LLVMGetVectorSize(type) * bits_of(LLVMGetElementType(type));
	default:
		return 0;
	}
}

/* value as a `to` of the same size, or NULL if there is no such thing. */
static LLVMValueRef convert(LLVMBuilderRef builder, LLVMValueRef value, LLVMTypeRef to)
{
	LLVMTypeRef from = LLVMTypeOf(value);
	if (from == to)
		return value;
	bool from_pointer = LLVMGetTypeKind(from) == LLVMPointerTypeKind;
	bool to_pointer = LLVMGetTypeKind(to) == LLVMPointerTypeKind;
	if (from_pointer && to_pointer)
		return LLVMBuildAddrSpaceCast(builder, value, to, "");
	if (from_pointer || to_pointer || !bits_of(from) || bits_of(from) != bits_of(to))
		return NULL;
	return LLVMBuildBitCast(builder, value, to, "");
}

/* An answer {T, i1} comes as 64 bits: T below, the predicate in bit 32. */
static LLVMValueRef unpack(LLVMBuilderRef builder, LLVMValueRef value, LLVMTypeRef to)
{
	LLVMContextRef context = LLVMGetTypeContext(to);
	LLVMTypeRef parts[2];
	if (LLVMCountStructElementTypes(to) != 2)
		return NULL;
	LLVMGetStructElementTypes(to, parts);
	LLVMValueRef low = LLVMBuildTrunc(builder, value, LLVMInt32TypeInContext(context), "");
	LLVMValueRef shift = LLVMConstInt(LLVMInt64TypeInContext(context), 32, 0);
	LLVMValueRef high = LLVMBuildLShr(builder, value, shift, "");
	LLVMValueRef first = convert(builder, low, parts[0]);
	if (!first || parts[1] != LLVMInt1TypeInContext(context))
		return NULL;
	LLVMValueRef r = LLVMBuildInsertValue(builder, LLVMGetPoison(to), first, 0, "");
	return LLVMBuildInsertValue(builder, r, LLVMBuildTrunc(builder, high, parts[1], ""), 1, "");
}

/* The builtin's result in the place of the intrinsic's; NULL where their types
 * do not fit each other. */
static LLVMValueRef call_builtin(struct device_module *dm, LLVMBuilderRef builder,
				 LLVMValueRef call, LLVMValueRef builtin)
{
	enum { MAX_ARGS = 16 };
	LLVMTypeRef type = LLVMGlobalGetValueType(builtin), params[MAX_ARGS];
	LLVMValueRef args[MAX_ARGS];
	unsigned n = LLVMGetNumArgOperands(call), n_params = LLVMCountParamTypes(type);
	if (n_params > MAX_ARGS || (n_params != n && n_params != n + 1))
		return NULL;
	LLVMGetParamTypes(type, params);
	for (unsigned i = 0; i < n; i++) {
		args[i] = convert(builder, LLVMGetOperand(call, i), params[i]);
		if (!args[i])
			return NULL;
	}
	if (takes_site(builtin, n)) {
		args[n] = site_for(dm, call, CUDASIM_SITE_SYNC);
		attribute_add(builtin, WHOLE_FUNCTION, "convergent", 0);
	}
	LLVMValueRef r = LLVMBuildCall2(builder, type, builtin, args, n_params, "");
	LLVMTypeRef to = LLVMTypeOf(call);
	if (LLVMGetTypeKind(to) == LLVMVoidTypeKind)
		return r;
	return LLVMGetTypeKind(to) == LLVMStructTypeKind ? unpack(builder, r, to)
							 : convert(builder, r, to);
}

/* ---- the pass ------------------------------------------------------------------------ */

static LLVMValueRef find_builtin(struct device_module *dm, const char *intrinsic)
{
	char name[128];
	builtin_name(intrinsic, name, sizeof(name));
	LLVMValueRef f = LLVMGetNamedFunction(dm->module, name);
	return f && !LLVMIsDeclaration(f) ? f : NULL;
}

/* Whether value is the square root of something, by any of its names. */
static bool is_root(LLVMValueRef value)
{
	if (!LLVMIsACallInst(value) || !LLVMIsAFunction(LLVMGetCalledValue(value)))
		return false;
	const char *name = name_of(LLVMGetCalledValue(value));
	return !strcmp(name, "__nv_sqrtf") || !strcmp(name, "llvm.sqrt.f32") ||
	       starts_with(name, BUILTIN "sqrt_");
}

static bool is_one(LLVMValueRef value)
{
	LLVMBool loses;
	return LLVMIsAConstantFP(value) && LLVMConstRealGetDouble(value, &loses) == 1.0;
}

/* The y of 1 / y, which was lowered before; else NULL. */
static LLVMValueRef reciprocal_of(LLVMValueRef value)
{
	bool quotient = LLVMIsACallInst(value) && LLVMIsAFunction(LLVMGetCalledValue(value)) &&
			starts_with(name_of(LLVMGetCalledValue(value)), BUILTIN "div_approx_ftz_f");
	return quotient && is_one(LLVMGetOperand(value, 0)) ? LLVMGetOperand(value, 1) : NULL;
}

/* What ptxas makes of two of -use_fast_math's quotients: x / (1 / y) is x * y, and y where x is
 * 1; x / 1 is a product, which flushes and makes the GPU's NaN, and which LLVM would drop. */
static LLVMValueRef lower_as_product(struct device_module *dm, LLVMBuilderRef b,
				     LLVMValueRef division)
{
	LLVMValueRef x = LLVMGetOperand(division, 0), y = LLVMGetOperand(division, 1);
	LLVMValueRef factor = reciprocal_of(y);
	if (factor && is_one(x))
		return factor;
	if (factor) {
		LLVMValueRef product = LLVMBuildFMul(b, x, factor, "");
		if (LLVMIsAInstruction(product))
			LLVMSetFastMathFlags(product, LLVMFastMathAllowContract);
		return product;
	}
	if (!is_one(y))
		return NULL;
	const uint32_t bits = 0x7fffffff;
	LLVMValueRef nan = LLVMConstBitCast(
		LLVMConstInt(LLVMInt32TypeInContext(dm->context), bits, 0), LLVMTypeOf(x));
	LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
	return LLVMBuildSelect(b, is_nan, nan, flush_value(dm, b, x), "");
}

/* A single precision quotient with --prec-div=0. Those of -use_fast_math are
 * nvcc's quickest ones. */
static void lower_division(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef division)
{
	const struct device_options *options = dm->program->options;
	LLVMValueRef x = LLVMGetOperand(division, 0), y = LLVMGetOperand(division, 1);
	bool fast = options->fast_math && options->ftz;
	bool root = options->ftz && !options->prec_sqrt && is_one(x) && is_root(y);
	const char *name = root           ? "llvm.nvvm.rsqrt.approx.ftz.f"
			   : fast         ? "llvm.nvvm.div.approx.ftz.f"
			   : options->ftz ? "llvm.nvvm.div.full.ftz.f"
					  : "llvm.nvvm.div.full.f";
	LLVMValueRef builtin = find_builtin(dm, name);
	assert(builtin);
	LLVMValueRef args[] = {x, y};
	if (root)
		args[0] = LLVMGetOperand(y, 0);
	LLVMPositionBuilderBefore(builder, division);
	LLVMValueRef r = fast && !root ? lower_as_product(dm, builder, division) : NULL;
	if (!r)
		r = LLVMBuildCall2(builder, LLVMGlobalGetValueType(builtin), builtin, args,
				   root ? 1 : 2, "");
	LLVMReplaceAllUsesWith(division, r);
	LLVMInstructionEraseFromParent(division);
}

static bool is_single_division(LLVMValueRef instruction)
{
	return LLVMGetInstructionOpcode(instruction) == LLVMFDiv &&
	       LLVMGetTypeKind(LLVMTypeOf(instruction)) == LLVMFloatTypeKind;
}

static bool is_builtin(LLVMValueRef function)
{
	return starts_with(name_of(function), BUILTIN);
}

/* The lane's number, i32. */
static LLVMValueRef own_lane(struct device_module *dm, LLVMBuilderRef builder)
{
	LLVMValueRef f = find_builtin(dm, "llvm.nvvm.read.ptx.sreg.laneid");
	assert(f);
	return LLVMBuildCall2(builder, LLVMGlobalGetValueType(f), f, NULL, 0, "");
}

static void lower(struct device_module *dm, LLVMValueRef call, void *arg)
{
	LLVMBuilderRef builder = arg;
	if (is_builtin(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call))))
		return;
	if (!dm->program->options->prec_div && is_single_division(call)) {
		lower_division(dm, builder, call);
		return;
	}
	if (!LLVMIsACallInst(call))
		return;
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee))
		return;
	if (!starts_with(name_of(callee), "llvm."))
		return;
	const char *name = alias_of(dm->program->options, name_of(callee));
	bool is_nvvm = starts_with(name, "llvm.nvvm.");

	LLVMPositionBuilderBefore(builder, call);
	bool known;
	LLVMValueRef r = intrinsic_build(dm, builder, call, name, &known);
	if (!known)
		r = tensor_build(dm, builder, call, name, own_lane, &known);
	if (!known) {
		if (!is_nvvm)
			return;
		LLVMValueRef builtin = find_builtin(dm, name);
		r = builtin ? call_builtin(dm, builder, call, builtin) : NULL;
		if (!r) {
			device_diagnose(dm, call, "intrinsic %s is not supported", name);
			return;
		}
	}
	if (r && LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
		LLVMReplaceAllUsesWith(call, r);
	LLVMInstructionEraseFromParent(call);
}

/* What the asm translator wrote as a call of a builtin by name. */
static void check_declared(struct device_module *dm)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) && LLVMGetFirstUse(f) && starts_with(name_of(f), BUILTIN))
			device_diagnose(dm, LLVMGetUser(LLVMGetFirstUse(f)), "%s is not a builtin",
					name_of(f));
	}
}

struct cudasim_error *pass_intrinsics(struct device_module *dm)
{
	struct cudasim_error *error = link_builtins(dm);
	if (error)
		return error;
	check_declared(dm);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	device_visit(dm, lower, builder);
	LLVMDisposeBuilder(builder);
	remove_unused(dm);
	LLVMValueRef next;
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = next) {
		next = LLVMGetNextFunction(f);
		if (starts_with(name_of(f), "llvm.nvvm.") && !LLVMGetFirstUse(f))
			LLVMDeleteFunction(f);
	}
	return NULL;
}
