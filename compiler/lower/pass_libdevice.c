/* SPDX-License-Identifier: Apache-2.0 */
/* pass_libdevice.c - links libdevice: afterwards no __nv_* is undefined.
 *
 * libdevice.10.bc asks __nvvm_reflect() how the program was compiled; the
 * answers are constants here, and the code they leave unreachable is removed
 * while libdevice is still a module of its own, so that the program's code is
 * not touched. Of libdevice only what the program calls is linked, with
 * internal linkage and under its own names. */
#define _GNU_SOURCE
#include "lower.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Linker.h>

#include "pairs.h"

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

static const char *name_of(LLVMValueRef value)
{
	size_t n;
	return LLVMGetValueName2(value, &n);
}

/* A function of the program that has uses and no body and may be libdevice's. */
static bool is_wanted(LLVMValueRef function)
{
	return LLVMIsDeclaration(function) && LLVMGetFirstUse(function) &&
	       starts_with(name_of(function), "__nv_");
}

/* What libdevice is told about the options and the device. */
static bool reflect(const struct device_options *options, const char *question, unsigned *ret)
{
	const struct {
		const char *name;
		unsigned answer;
	} answers[] = {
		{"__CUDA_FTZ", options->ftz},
		{"__CUDA_PREC_DIV", options->prec_div},
		{"__CUDA_PREC_SQRT", options->prec_sqrt},
		{"__CUDA_ARCH", options->gpu && options->arch ? options->arch : 900},
	};
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		if (!strcmp(answers[i].name, question)) {
			*ret = answers[i].answer;
			return true;
		}
	}
	return false;
}

/* The text that a constant pointer to a constant string points to, or NULL. */
static const char *string_at(LLVMValueRef pointer)
{
	size_t n;
	while (LLVMIsAConstantExpr(pointer))
		pointer = LLVMGetOperand(pointer, 0);
	if (!LLVMIsAGlobalVariable(pointer))
		return NULL;
	LLVMValueRef text = LLVMGetInitializer(pointer);
	return text && LLVMIsConstantString(text) ? LLVMGetAsString(text, &n) : NULL;
}

static struct cudasim_error *answer_reflect(struct device_module *dm, LLVMModuleRef module,
					    const char *name)
{
	LLVMValueRef function = LLVMGetNamedFunction(module, name);
	if (!function)
		return NULL;
	for (LLVMUseRef use = LLVMGetFirstUse(function), next; use; use = next) {
		LLVMValueRef call = LLVMGetUser(use);
		next = LLVMGetNextUse(use);
		const char *question = LLVMIsACallInst(call) ? string_at(LLVMGetOperand(call, 0))
							     : NULL;
		unsigned answer;
		if (!question || !reflect(dm->program->options, question, &answer))
			return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
						 "error: __nvvm_reflect(\"%s\") is not known",
						 question ? question : "?");
		LLVMReplaceAllUsesWith(call, LLVMConstInt(LLVMTypeOf(call), answer, 0));
		LLVMInstructionEraseFromParent(call);
	}
	LLVMDeleteFunction(function);
	return NULL;
}

/* nvcc fuses libdevice's own products and sums, too: those that must stay apart
 * are intrinsics with a rounding mode. */
static void allow_contraction(LLVMModuleRef library)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(library); f; f = LLVMGetNextFunction(f)) {
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b)) {
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i)) {
				LLVMOpcode op = LLVMGetInstructionOpcode(i);
				if (op == LLVMFMul || op == LLVMFAdd || op == LLVMFSub)
					LLVMSetFastMathFlags(i, LLVMFastMathAllowContract);
			}
		}
	}
}

/* Functions of one double that answer any NaN with 0x7fffffff00000000 on an H200.
 * They multiply two NaNs, the operand's and one of rcp.approx.ftz.f64; which of them
 * x86 would pass on is up to the register allocator, and so another in each body. */
static void answer_nans(struct device_module *dm, LLVMModuleRef library)
{
	static const char *const names[] = {"__nv_j0", "__nv_j1", "__nv_y0", "__nv_y1"};
	LLVMTypeRef type = LLVMDoubleTypeInContext(dm->context);
	LLVMValueRef word = LLVMConstInt(LLVMInt64TypeInContext(dm->context), 0x7fffffff00000000,
					 0);
	LLVMValueRef nan = LLVMConstBitCast(word, type);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(dm->context);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		LLVMValueRef f = LLVMGetNamedFunction(library, names[i]);
		if (!f || LLVMIsDeclaration(f))
			continue;
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
		     block = LLVMGetNextBasicBlock(block)) {
			LLVMValueRef end = LLVMGetBasicBlockTerminator(block),
				     x = LLVMGetParam(f, 0);
			if (!LLVMIsAReturnInst(end))
				continue;
			LLVMPositionBuilderBefore(b, end);
			LLVMValueRef is_nan = LLVMBuildFCmp(b, LLVMRealUNO, x, x, "");
			LLVMSetOperand(end, 0,
				       LLVMBuildSelect(b, is_nan, nan, LLVMGetOperand(end, 0), ""));
		}
	}
	LLVMDisposeBuilder(b);
}

/* Keep what the program wants and what that rests on. */
static struct cudasim_error *reduce(struct device_module *dm, LLVMModuleRef library)
{
	struct device_module of_library = *dm;
	of_library.module = library;
	for (LLVMValueRef f = LLVMGetFirstFunction(library); f; f = LLVMGetNextFunction(f)) {
		LLVMValueRef user = LLVMGetNamedFunction(dm->module, name_of(f));
		if (LLVMIsDeclaration(f))
			continue;
		LLVMSetLinkage(f,
			       user && is_wanted(user) ? LLVMExternalLinkage : LLVMInternalLinkage);
	}
	struct cudasim_error *error = device_run_passes(&of_library, "globaldce");
	if (!error)
		error = answer_reflect(dm, library, "__nvvm_reflect");
	if (!error)
		error = device_run_passes(&of_library, "function(sccp,simplifycfg),globaldce");
	allow_contraction(library);
	if (dm->stage != DEVICE_GPU)
		answer_nans(dm, library);
	return error;
}

/* clang's headers know the quick forms of sinf, cosf, logf, log2f and sincosf
 * alone; nvcc's -use_fast_math means these, too. */
static void prefer_fast_forms(struct device_module *dm, LLVMModuleRef library)
{
	static const char *const names[] = {"expf", "exp10f", "log10f", "powf", "tanf", "tanhf"};
	if (!dm->program->options->fast_math)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char slow[32], fast[32];
		snprintf(slow, sizeof(slow), "__nv_%s", names[i]);
		snprintf(fast, sizeof(fast), "__nv_fast_%s", names[i]);
		/* tanhf's came with CUDA 12.8. */
		if (!LLVMGetNamedFunction(library, fast))
			continue;
		LLVMValueRef f = LLVMGetNamedFunction(dm->module, slow);
		LLVMValueRef g = LLVMGetNamedFunction(dm->module, fast);
		if (!f || !LLVMIsDeclaration(f))
			continue;
		if (!g)
			g = LLVMAddFunction(dm->module, fast, LLVMGlobalGetValueType(f));
		LLVMReplaceAllUsesWith(f, g);
	}
}

struct cudasim_error *pass_libdevice(struct device_module *dm)
{
	const char *path = dm->program->options->libdevice;
	size_t n_wanted = 0, n = 0;
	LLVMValueRef first = NULL;
	if (dm->stage != DEVICE_GPU)
		pairs_want(dm);
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		if (is_wanted(f) && !n_wanted++)
			first = LLVMGetUser(LLVMGetFirstUse(f));
	}
	/* The program's own questions (headers of CUDA's libraries ask, too). */
	struct cudasim_error *error = answer_reflect(dm, dm->module, "__nvvm_reflect");
	if (!error)
		error = answer_reflect(dm, dm->module, "llvm.nvvm.reflect");
	if (error || !n_wanted)
		return error;
	if (!path)
		return device_error(first,
				    "the program calls libdevice, but no --libdevice was given");

	LLVMModuleRef library;
	error = device_read_bitcode(dm, path, &library);
	if (error)
		return error;
	prefer_fast_forms(dm, library);
	LLVMSetTarget(library, LLVMGetTarget(dm->module));
	LLVMSetDataLayout(library, LLVMGetDataLayoutStr(dm->module));
	error = reduce(dm, library);
	if (error) {
		LLVMDisposeModule(library);
		return error;
	}

	const char **names = calloc(n_wanted, sizeof(*names));
	if (!names) {
		LLVMDisposeModule(library);
		return &cudasim_error_nomem;
	}
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		if (is_wanted(f) && n < n_wanted)
			names[n++] = strdup(name_of(f));
	}
	if (LLVMLinkModules2(dm->module, library))
		error = cudasim_error_new(CUDASIM_E_FORMAT, "%s: error: does not link", path);
	for (size_t i = 0; i < n; i++) {
		LLVMValueRef f = error || !names[i] ? NULL
						    : LLVMGetNamedFunction(dm->module, names[i]);
		if (f && !LLVMIsDeclaration(f))
			LLVMSetLinkage(f, LLVMInternalLinkage);
		else if (f)
			device_diagnose(dm, LLVMGetUser(LLVMGetFirstUse(f)),
					"libdevice has no function %s", names[i]);
		free((char *)names[i]);
	}
	free(names);
	return error;
}
