/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_call.c - calls of intrinsics and builtins, and the emitter of rows that are
 * one such call. */
#include "ptx_emit.h"

#include <assert.h>
#include <string.h>

#include "llvm_versions.h"

static LLVMValueRef call(struct ptx_emit *emit, LLVMValueRef function, LLVMTypeRef type,
			 LLVMValueRef *args, unsigned n_args)
{
	return LLVMBuildCall2(emit->builder, type, function, args, n_args, "");
}

LLVMValueRef ptx_intrinsic(struct ptx_emit *emit, const char *name, LLVMTypeRef overload,
			   LLVMValueRef *args, unsigned n_args)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMValueRef function;

	assert(id && "an unknown LLVM intrinsic");
	function = LLVMGetIntrinsicDeclaration(emit->module, id, &overload, overload ? 1 : 0);
	return call(emit, function,
		    LLVMIntrinsicGetType(emit->context, id, &overload, overload ? 1 : 0), args,
		    n_args);
}

LLVMValueRef ptx_nvvm(struct ptx_emit *emit, const char *name, LLVMTypeRef result,
		      LLVMValueRef *args, unsigned n_args)
{
	char name_of_19[160] = "llvm.nvvm.";
	const char *full;
	LLVMTypeRef params[48], type;
	LLVMValueRef function;

	assert(n_args <= sizeof(params) / sizeof(params[0]) && strlen(name) < 140);
	full = intrinsic_name_here(strcat(name_of_19, name));
	function = LLVMGetNamedFunction(emit->module, full);
	for (unsigned i = 0; i < n_args; i++)
		params[i] = LLVMTypeOf(args[i]);
	type = LLVMFunctionType(result, params, n_args, false);
	if (!function) {
		unsigned id = LLVMLookupIntrinsicID(full, strlen(full));

		if (id && !LLVMIntrinsicIsOverloaded(id)) {
			/* Only where the builtin's signature is the intrinsic's. */
			assert(LLVMIntrinsicGetType(emit->context, id, NULL, 0) == type);
			function = LLVMGetIntrinsicDeclaration(emit->module, id, NULL, 0);
		} else {
			function = LLVMAddFunction(emit->module, full, type);
		}
	}
	assert(LLVMGlobalGetValueType(function) == type && "a builtin called with two signatures");
	return call(emit, function, type, args, n_args);
}

LLVMValueRef ptx_nvvm_convergent(struct ptx_emit *emit, const char *name, LLVMTypeRef result,
				 LLVMValueRef *args, unsigned n_args)
{
	LLVMValueRef value = ptx_nvvm(emit, name, result, args, n_args);
	unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10);

	LLVMAddCallSiteAttribute(value, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
				 LLVMCreateEnumAttribute(emit->context, kind, 0));
	return value;
}

/* The type that a row's operand letter stands for. */
static enum ptx_type letter_type(const struct ptx_emit *emit, char letter)
{
	switch (letter) {
	case 's':
		return emit->match.types[0];
	case 't':
		return emit->match.types[1];
	case 'u':
		return emit->match.types[2];
	case 'h':
		return PTX_B16;
	case 'w':
		return PTX_B32;
	case 'l':
		return PTX_B64;
	case 'p':
		return PTX_PRED;
	default:
		return PTX_NONE;
	}
}

/* How builtins take a type: f32 and f64 by value, all else as integers. */
static enum ptx_type passed_type(enum ptx_type type)
{
	if (type == PTX_F32 || type == PTX_F64 || ptx_types[type].lanes == 1)
		if (type != PTX_F16 && type != PTX_BF16)
			return type;
	return ptx_type_of_bits(ptx_bits(type));
}

static void expand_name(const struct ptx_emit *emit, const char *from, char *to, size_t size)
{
	size_t n = 0;

	for (; *from && n + 1 < size; from++) {
		const char *piece;

		if (*from != '%') {
			to[n++] = *from;
			continue;
		}
		from++;
		if (*from >= '0' && *from < '0' + PTX_MAX_TYPES) {
			piece = ptx_types[emit->match.types[*from - '0']].name;
		} else {
			piece = emit->match.modifiers[*from - 'a'];
			if (piece)
				to[n++] = '.';
		}
		for (; piece && *piece && n + 1 < size; piece++)
			to[n++] = *piece;
	}
	to[n] = '\0';
}

static void emit_call(struct ptx_emit *emit, const struct ptx_row *row, bool convergent)
{
	LLVMValueRef args[16], value;
	LLVMTypeRef result = LLVMVoidTypeInContext(emit->context);
	enum ptx_type type = PTX_NONE;
	const char *letter = row->operands;
	bool has_dest = *letter && letter[1] == ':';
	uint32_t i = 0, n_args = 0;
	char name[140];

	if (has_dest) {
		type = passed_type(letter_type(emit, *letter));
		result = ptx_llvm_type(emit, type);
		letter += 2;
		i++;
	}
	for (; *letter && i < emit->at->n_operands; letter++) {
		if (*letter != '?' && *letter != ':')
			args[n_args++] = ptx_source(emit, i++,
						    passed_type(letter_type(emit, *letter)));
	}
	expand_name(emit, row->function, name, sizeof(name));
	value = convergent ? ptx_nvvm_convergent(emit, name, result, args, n_args)
			   : ptx_nvvm(emit, name, result, args, n_args);
	if (has_dest)
		ptx_dest(emit, 0, letter_type(emit, row->operands[0]), value);
}

void ptx_emit_call(struct ptx_emit *emit, const struct ptx_row *row)
{
	emit_call(emit, row, false);
}

void ptx_emit_call_convergent(struct ptx_emit *emit, const struct ptx_row *row)
{
	emit_call(emit, row, true);
}

void ptx_emit_nothing(struct ptx_emit *emit, const struct ptx_row *row)
{
	(void)emit;
	(void)row;
}
