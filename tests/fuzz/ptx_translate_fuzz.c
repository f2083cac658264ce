/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_translate_fuzz.c - libFuzzer target: whatever the text of an asm statement,
 * pass_asm's translator gives valid IR or an error. The statement has an output
 * and an input of each kind: $0..$4 are =r =l =f =d =h, $5..$9 the same as inputs. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <llvm-c/Analysis.h>

#include "ptx_emit.h"

enum { N_KINDS = 5, N_OPERANDS = 2 * N_KINDS };

static const enum ptx_type types[N_KINDS] = {PTX_B32, PTX_B64, PTX_B32, PTX_B64, PTX_B16};

static void translate(LLVMModuleRef module, const struct ptx_program *program)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	struct ptx_asm_operand operands[N_OPERANDS] = {0};
	LLVMTypeRef params[N_KINDS];
	LLVMValueRef function, outputs[N_OPERANDS], carry;
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	struct cudasim_error *error;
	char *message = NULL;

	for (int i = 0; i < N_KINDS; i++)
		params[i] = LLVMIntTypeInContext(context, ptx_bits(types[i]));
	function = LLVMAddFunction(
		module, "f", LLVMFunctionType(LLVMVoidTypeInContext(context), params, N_KINDS, 0));
	LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
	for (int i = 0; i < N_KINDS; i++) {
		operands[i] = (struct ptx_asm_operand){types[i], NULL, true};
		operands[N_KINDS + i] = (struct ptx_asm_operand){
			types[i], LLVMGetParam(function, (unsigned)i), false};
	}
	error = ptx_emit_program(module, builder, function, program, operands, N_OPERANDS, NULL,
				 outputs, &carry);
	if (!error) {
		LLVMBuildRetVoid(builder);
		if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message)) {
			fprintf(stderr, "%s\n", message);
			abort();
		}
		LLVMDisposeMessage(message);
	}
	cudasim_error_free(error);
	LLVMDisposeBuilder(builder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ptx_program program;
	struct cudasim_error *error = ptx_parse((const char *)data, size, true, &program);
	LLVMContextRef context;
	LLVMModuleRef module;

	if (error) {
		cudasim_error_free(error);
		return 0;
	}
	context = LLVMContextCreate();
	module = LLVMModuleCreateWithNameInContext("fuzz", context);
	translate(module, &program);
	LLVMDisposeModule(module);
	LLVMContextDispose(context);
	ptx_program_free(&program);
	return 0;
}
