/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_refused_test.c - asm statements that cannot be translated: each is named in
 * one line on stderr, and no inline assembly is left behind. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <llvm-c/Analysis.h>

#include "lower.h"

static const struct {
	const char *text, *constraints, *message;
} refused[] = {
	{"frobnicate.u32 $0, $1;", "=r,r",
	 "PTX instruction 'frobnicate.u32 %0, %1' is not supported"},
	{"add.sat.u32 $0, $1, 1;", "=r,r",
	 "PTX instruction 'add.sat.u32 %0, %1, 1' is not supported"},
	{"add.u32 $0, $1;", "=r,r", "PTX instruction 'add.u32 %0, %1' is not supported"},
	{"add.u32 $0, $1, x;", "=r,r",
	 "PTX instruction 'add.u32 %0, %1, x' names a register that is not declared here"},
	{"add.u32 $0, $1, $7;", "=r,r",
	 "PTX instruction 'add.u32 %0, %1, %7' names a register that is not declared here"},
	{"{ .reg .u32 t; mov.u32 t, 1; } mov.u32 $0, t;", "=r,r",
	 "PTX instruction 'mov.u32 %0, t' names a register that is not declared here"},
	{"mov.u32 5, $1;", "=r,r",
	 "PTX instruction 'mov.u32 5, %1' writes to something that is not a declared register"},
	{"mov.u32 $0, %notareg;", "=r,r",
	 "PTX instruction 'mov.u32 %0, %notareg' names a register that is not declared here"},
	{"mov.u32 $0, $1; bra OUT;", "=r,r",
	 "PTX instruction 'bra OUT' jumps to a label outside of this asm statement"},
	{"L: mov.u32 $0, $1; L: exit;", "=r,r",
	 "PTX instruction 'L' is defined twice: labels must be unique"},
	{"ld.u32 $0, [$1, {$1}];", "=r,r",
	 "PTX instruction 'ld.u32 %0, [%1, {%1}]' is not supported"},
	{"ld.v2.u32 $0, [$1];", "=r,r", "PTX instruction 'ld.v2.u32 %0, [%1]' is not supported"},
	{".reg .q7 t; mov.u32 $0, $1;", "=r,r",
	 "PTX instruction '.reg .q7 t' declares registers of an unknown type"},
	{"add.u32 $0 $1;", "=r,r", "PTX 'add.u32 %0 %1' cannot be read: expected ',' or ';'"},
	{"add.f32 $0, $1, 1;", "=f,r",
	 "PTX instruction 'add.f32 %0, %1, 1' has an integer where its type needs a floating-point number"},
	{".shared .q7 t; mov.u32 $0, t;", "=r,r",
	 "PTX instruction '.shared .q7 t' declares variables of an unknown type"},
	{"brx.idx $1, T; mov.u32 $0, $1;", "=r,r",
	 "PTX instruction 'brx.idx %1, T' names no .branchtargets of this asm statement"},
	{"{ .reg .v2 .b32 v; mov.v4.b32 v, v; mov.u32 $0, $1; }", "=r,r",
	 "PTX instruction 'mov.v4.b32 v, v' is not supported"},
	{"wgmma.fence.sync.aligned; mov.u32 $0, $1;", "=r,r",
	 "PTX instruction 'wgmma.fence.sync.aligned' is not supported"},
	{"tex.2d.v4.f32.f32 {$0, $0, $0, $0}, [$1, {$0, $0}];", "=f,r",
	 "PTX instruction 'tex.2d.v4.f32.f32 {%0, %0, %0, %0}, [%1, {%0, %0}]' is not supported"},
	{"mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {$0}, {$1}, {$1}, {$0};", "=r,r",
	 "has an operand of another number of registers"},
	{"mma.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {$0}, {$1}, {$1}, {$0};", "=r,r",
	 "is not supported"},
	{"mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {$0}, {$1}, {$1}, {$0};", "=r,r",
	 "is not supported"},
	{"wmma.load.a.sync.aligned.col.m8n8k32.s4 {$0}, [$1];", "=r,l", "is not supported"},
	{"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {$0}, [$1];", "=r,r",
	 "has an operand of another number of registers"},
	{".const .b32 t;", "=r,r", "PTX directive '.const' is not supported"},
	{"mov.u32 $0, $1;", "=Z,r", "has an operand of an unknown constraint"},
};

enum { N_REFUSED = sizeof(refused) / sizeof(refused[0]) };

/* i32 f(i32): the statement. */
static void build(LLVMModuleRef module, size_t k)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef word = LLVMInt32TypeInContext(context);
	LLVMTypeRef type = LLVMFunctionType(word, &word, 1, false);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
	LLVMValueRef function, statement, argument;

	function = LLVMAddFunction(module, "f", type);
	argument = LLVMGetParam(function, 0);
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, function, ""));
	statement = LLVMGetInlineAsm(type, refused[k].text, strlen(refused[k].text),
				     refused[k].constraints, strlen(refused[k].constraints), true,
				     false, LLVMInlineAsmDialectATT, false);
	LLVMBuildRet(b, LLVMBuildCall2(b, type, statement, &argument, 1, ""));
	LLVMDisposeBuilder(b);
}

/* pass_asm with what it says on stderr; freed by the caller. */
static char *run_and_listen(struct device_module *dm)
{
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	char *said = calloc(1, 4096);
	struct cudasim_error *error;

	assert_non_null(file);
	assert_non_null(said);
	fflush(stderr);
	dup2(fileno(file), STDERR_FILENO);
	error = pass_asm(dm);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	assert_true(fread(said, 1, 4095, file) < 4095);
	fclose(file);
	assert_null(error);
	return said;
}

static void each_is_named_in_one_line(void **state)
{
	(void)state;
	for (size_t k = 0; k < N_REFUSED; k++) {
		struct device_options options = {.source = "x.cu"};
		struct device_program program = {.options = &options};
		struct device_module dm = {.program = &program};
		char *said, *message = NULL;

		dm.context = program.context = LLVMContextCreate();
		dm.module = LLVMModuleCreateWithNameInContext("refused", dm.context);
		build(dm.module, k);
		said = run_and_listen(&dm);
		if (!strstr(said, refused[k].message))
			fail_msg("'%s': said '%s'", refused[k].text, said);
		assert_non_null(strstr(said, "error: "));
		assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1);
		assert_int_equal(program.n_diagnoses, 1);
		assert_false(LLVMVerifyModule(dm.module, LLVMReturnStatusAction, &message));
		LLVMDisposeMessage(message);
		message = LLVMPrintModuleToString(dm.module);
		assert_null(strstr(message, " asm "));
		LLVMDisposeMessage(message);
		free(said);
		LLVMDisposeModule(dm.module);
		LLVMContextDispose(dm.context);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_named_in_one_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
