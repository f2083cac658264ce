/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_forms_test.c - each form of instruction that ptxas takes for sm_90 is
 * translated, and each that stands in the list of refused ones is refused.
 *
 * The lists (tests/ptx) hold one statement a line, with registers %h0 %r0 %l0 %q0
 * %f0 %d0 %p0 and so on by size; tests/ptx/forms.py made them. */
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

#include "device.h"

#define REGISTERS                                                                              \
	"{ .reg .b16 %h<16>; .reg .b32 %r<16>; .reg .b64 %l<16>; .reg .b128 %q<16>;"            \
	" .reg .f32 %f<16>; .reg .f64 %d<16>; .reg .pred %p<16>; "

/* void f(void): the statement, nothing else. */
static void build(LLVMModuleRef module, const char *text)
{
	LLVMContextRef context = LLVMGetModuleContext(module);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false);
	LLVMBuilderRef b = LLVMCreateBuilderInContext(context);
	LLVMValueRef function = LLVMAddFunction(module, "f", type), statement;
	char whole[1024];

	snprintf(whole, sizeof(whole), "%s%s }", REGISTERS, text);
	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, function, ""));
	statement = LLVMGetInlineAsm(type, whole, strlen(whole), "", 0, true, false,
				     LLVMInlineAsmDialectATT, false);
	LLVMBuildCall2(b, type, statement, NULL, 0, "");
	LLVMBuildRetVoid(b);
	LLVMDisposeBuilder(b);
}

/* Translates every line of the file; says on stdout which were refused. */
static size_t refused(const char *path, size_t *n_lines)
{
	struct device_options options = { .source = "forms.cu" };
	struct device_program program = { .options = &options };
	struct device_module dm = { .program = &program };
	FILE *file = fopen(path, "r");
	char line[512], *message = NULL;
	size_t n_refused = 0;

	assert_non_null(file);
	*n_lines = 0;
	dm.context = program.context = LLVMContextCreate();
	dm.module = LLVMModuleCreateWithNameInContext("forms", dm.context);
	while (fgets(line, sizeof(line), file)) {
		if (line[0] == '#' || line[0] == '\n')
			continue;
		build(dm.module, line);
		++*n_lines;
	}
	fclose(file);
	assert_null(pass_asm(&dm));
	n_refused = (size_t)program.n_diagnoses;
	assert_false(LLVMVerifyModule(dm.module, LLVMReturnStatusAction, &message));
	LLVMDisposeMessage(message);
	LLVMDisposeModule(dm.module);
	LLVMContextDispose(dm.context);
	return n_refused;
}

static void every_form_is_translated(void **state)
{
	size_t n;

	(void)state;
	assert_int_equal(refused(PTX_FORMS, &n), 0);
	print_message("# %zu forms\n", n);
	assert_true(n > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_translated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
