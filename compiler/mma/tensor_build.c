/* SPDX-License-Identifier: Apache-2.0 */
/* tensor_build.c - what stands for the intrinsics of tensor cores, and products of one thread. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "attributes.h"
#include "names.h"
#include "tensor.h"

static LLVMValueRef number(LLVMTypeRef type, uint64_t value)
{
	return LLVMConstInt(type, value, 0);
}

/* ---- intrinsics ---------------------------------------------------------------- */

enum { MOST = CUDASIM_MMA_MOST_WORDS };

/* A value in a register of an intrinsic as one or two words. */
static unsigned to_words(LLVMBuilderRef b, LLVMValueRef value, LLVMValueRef *words)
{
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(value));
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context), i64 = LLVMInt64TypeInContext(context);
	if (LLVMGetTypeKind(LLVMTypeOf(value)) != LLVMDoubleTypeKind) {
		words[0] = LLVMBuildBitCast(b, value, i32, "");
		return 1;
	}
	value = LLVMBuildBitCast(b, value, i64, "");
	words[0] = LLVMBuildTrunc(b, value, i32, "");
	words[1] = LLVMBuildTrunc(b, LLVMBuildLShr(b, value, number(i64, 32), ""), i32, "");
	return 2;
}

static LLVMValueRef from_words(LLVMBuilderRef b, LLVMTypeRef type, LLVMValueRef *words, unsigned *n)
{
	if (LLVMGetTypeKind(type) != LLVMDoubleTypeKind) {
		*n = 1;
		return LLVMBuildBitCast(b, words[0], type, "");
	}
	*n = 2;
	return LLVMBuildBitCast(b, tensor_pair(b, words[0], words[1]), type, "");
}

/* Words as an intrinsic's result: a single register, or a structure or array of them. */
static LLVMValueRef result_of(LLVMBuilderRef b, LLVMTypeRef type, LLVMValueRef *words)
{
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	unsigned n = kind == LLVMStructTypeKind  ? LLVMCountStructElementTypes(type)
		     : kind == LLVMArrayTypeKind ? (unsigned)LLVMGetArrayLength2(type)
						 : 0;
	unsigned used;
	if (!n)
		return from_words(b, type, words, &used);
	LLVMValueRef all = LLVMGetPoison(type);
	for (unsigned i = 0; i < n; i++, words += used) {
		LLVMTypeRef part = kind == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(type, i)
							      : LLVMGetElementType(type);
		all = LLVMBuildInsertValue(b, all, from_words(b, part, words, &used), i, "");
	}
	return all;
}

/* llvm.nvvm.wmma.SHAPE.load.OPERAND.LAYOUT[.stride].TYPE.pN and its like; the words behind
 * the shape. */
struct transfer {
	uint32_t form;
	enum cudasim_mma_operand of;
	bool by_columns, has_stride;
};

static bool parse_transfer(const char *name, struct transfer *ret)
{
	char copy[160], *next = NULL;
	uint32_t shape = UINT32_MAX;
	enum cudasim_mma_type type = CUDASIM_MMA_N_TYPES;
	*ret = (struct transfer){0};
	snprintf(copy, sizeof(copy), "%s", name);
	for (char *word = strtok_r(copy, ".", &next); word; word = strtok_r(NULL, ".", &next)) {
		if (tensor_shape(word) != UINT32_MAX)
			shape = tensor_shape(word);
		else if (strlen(word) == 1 && *word >= 'a' && *word <= 'd')
			ret->of = (enum cudasim_mma_operand)(*word - 'a');
		else if (tensor_type(word) < CUDASIM_MMA_N_TYPES)
			type = tensor_type(word);
		ret->by_columns |= !strcmp(word, "col");
		ret->has_stride |= !strcmp(word, "stride");
	}
	if (shape == UINT32_MAX || type == CUDASIM_MMA_N_TYPES)
		return false;
	ret->form = tensor_form_of(shape, type);
	return true;
}

/* From row to row (column to column) of a matrix without anything between. */
static uint32_t own_stride(const struct transfer *t)
{
	uint32_t m = cudasim_mma_m(t->form), n = cudasim_mma_n(t->form), k = cudasim_mma_k(t->form);
	uint32_t rows = t->of == CUDASIM_MMA_B ? k : m, columns = t->of == CUDASIM_MMA_A ? k : n;
	return t->by_columns ? rows : columns;
}

static LLVMValueRef build_transfer(LLVMBuilderRef b, LLVMValueRef call, const struct transfer *t,
				   LLVMValueRef lane)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(lane)));
	unsigned n = LLVMGetNumArgOperands(call), n_words = 0;
	LLVMValueRef words[MOST];
	struct tensor_memory memory = {
		LLVMGetOperand(call, 0),
		t->has_stride ? LLVMGetOperand(call, n - 1) : number(i32, own_stride(t)),
		t->by_columns,
	};
	if (t->of != CUDASIM_MMA_D) {
		tensor_load(b, t->form, t->of, &memory, lane, words);
		return result_of(b, LLVMTypeOf(call), words);
	}
	for (unsigned i = 1; i < n - t->has_stride; i++)
		n_words += to_words(b, LLVMGetOperand(call, i), &words[n_words]);
	assert(n_words == cudasim_mma_words(t->form, CUDASIM_MMA_D));
	tensor_store(b, t->form, &memory, lane, words);
	return NULL;
}

/* The function that stands for the product. */
static LLVMValueRef product_function(struct device_module *dm, uint32_t form)
{
	char name[40];
	snprintf(name, sizeof(name), TENSOR_PRODUCT "%u", form);
	LLVMValueRef function = LLVMGetNamedFunction(dm->module, name);
	if (function)
		return function;
	unsigned n = cudasim_mma_c_at(form) + cudasim_mma_words(form, CUDASIM_MMA_C);
	LLVMTypeRef i32 = LLVMInt32TypeInContext(dm->context), params[MOST + 1];
	for (unsigned i = 0; i < n; i++)
		params[i] = i32;
	params[n] = LLVMPointerTypeInContext(dm->context, 0);
	LLVMTypeRef result = LLVMArrayType2(i32, cudasim_mma_words(form, CUDASIM_MMA_D));
	function = LLVMAddFunction(dm->module, name, LLVMFunctionType(result, params, n + 1, 0));
	attribute_add(function, WHOLE_FUNCTION, "nounwind", 0);
	attribute_add(function, WHOLE_FUNCTION, "convergent", 0);
	return function;
}

static LLVMValueRef build_product(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef call,
				  uint32_t form)
{
	LLVMValueRef words[2 * MOST], function = product_function(dm, form);
	LLVMTypeRef type = LLVMGlobalGetValueType(function);
	unsigned n = 0, n_args = LLVMGetNumArgOperands(call);
	for (unsigned i = 0; i < n_args; i++)
		n += to_words(b, LLVMGetOperand(call, i), &words[n]);
	if (n + 1 != LLVMCountParamTypes(type))
		return NULL;
	words[n++] = site_for(dm, call, CUDASIM_SITE_SYNC);
	LLVMValueRef d = LLVMBuildCall2(b, type, function, words, n, "");
	unsigned n_results = cudasim_mma_words(form, CUDASIM_MMA_D);
	for (unsigned i = 0; i < n_results; i++)
		words[i] = LLVMBuildExtractValue(b, d, i, "");
	return result_of(b, LLVMTypeOf(call), words);
}

LLVMValueRef tensor_build(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef call,
			  const char *name,
			  LLVMValueRef (*lane)(struct device_module *, LLVMBuilderRef), bool *known)
{
	static const char own[] = "llvm.nvvm.tensor.mma.";
	struct transfer transfer;
	uint32_t form;
	LLVMValueRef r = NULL;
	*known = false;
	if (!strncmp(name, own, strlen(own))) {
		r = build_product(dm, builder, call,
				  (uint32_t)strtoul(name + strlen(own), NULL, 10));
		*known = r != NULL;
	} else if (strncmp(name, "llvm.nvvm.wmma.", 15) && strncmp(name, "llvm.nvvm.mma.", 14)) {
		return NULL;
	} else if (strstr(name, ".load.") || strstr(name, ".store.")) {
		*known = parse_transfer(name, &transfer);
		if (*known)
			r = build_transfer(builder, call, &transfer, lane(dm, builder));
	} else if (tensor_parse(name, &form)) {
		r = build_product(dm, builder, call, form);
		*known = r != NULL;
	}
	return r;
}

/* ---- for one thread --------------------------------------------------------------- */

/* Eight registers that travel as one vector would be spilled where the stack is aligned for
 * them, and a debugger would no longer find variables by the frame pointer. */
static void keep_frame(struct device_module *dm, LLVMValueRef function)
{
	static const char name[] = "no-realign-stack";
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
	for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i))
		if (LLVMIsAAllocaInst(i) && LLVMGetAlignment(i) > 16)
			return;
	LLVMAddAttributeAtIndex(
		function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
		LLVMCreateStringAttribute(dm->context, name, sizeof(name) - 1, "", 0));
}

bool tensor_lower(struct device_module *dm, LLVMValueRef call)
{
	uint32_t form;
	if (!LLVMIsACallInst(call) || !LLVMIsAFunction(LLVMGetCalledValue(call)) ||
	    !tensor_is_product(name_of(LLVMGetCalledValue(call)), &form))
		return false;
	LLVMTypeRef i32 = LLVMInt32TypeInContext(dm->context);
	LLVMTypeRef type = LLVMArrayType2(i32, cudasim_mma_n_words(form));
	LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
	LLVMBuilderRef b = LLVMCreateBuilderInContext(dm->context);
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
	LLVMPositionBuilderBefore(b, LLVMGetFirstInstruction(entry));
	LLVMValueRef registers = LLVMBuildAlloca(b, type, "registers");
	LLVMPositionBuilderBefore(b, call);
	LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(call));
	unsigned n = LLVMGetNumArgOperands(call) - 1, c = cudasim_mma_c_at(form);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef index = number(i32, i);
		LLVMBuildStore(b, LLVMGetOperand(call, i),
			       LLVMBuildInBoundsGEP2(b, i32, registers, &index, 1, ""));
	}
	LLVMValueRef args[] = {number(i32, form), registers, LLVMGetOperand(call, n)};
	LLVMValueRef f = device_runtime(dm, "__cudasim_mma"), d = LLVMGetPoison(LLVMTypeOf(call));
	LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, args, 3, "");
	for (unsigned i = 0; i < cudasim_mma_words(form, CUDASIM_MMA_D); i++) {
		LLVMValueRef index = number(i32, c + i);
		LLVMValueRef at = LLVMBuildInBoundsGEP2(b, i32, registers, &index, 1, "");
		d = LLVMBuildInsertValue(b, d, LLVMBuildLoad2(b, i32, at, ""), i, "");
	}
	LLVMReplaceAllUsesWith(call, d);
	LLVMInstructionEraseFromParent(call);
	LLVMDisposeBuilder(b);
	if (dm->stage == DEVICE_WATCHED)
		keep_frame(dm, function);
	return true;
}
