/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_forms_test.c - which forms of instructions are translated: those of
 * tests/ptx/forms.txt all, those of gaps.txt (which ptxas takes as well) and
 * wrong.txt (which it does not take) none.
 *
 * The lists hold one statement a line, <a|b> in it stands for a and for b;
 * registers are %h0 %r0 %l0 %q0 %f0 %d0 %p0 and so on by size. tests/ptx/forms.py
 * made them. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <llvm-c/Analysis.h>

#include "lower.h"

#define REGISTERS                                                                                     \
	"{ .reg .b8 %b<16>; .reg .b16 %h<16>; .reg .b32 %r<64>; .reg .b64 %l<16>; .reg .b128 %q<16>;" \
	" .reg .f32 %f<64>; .reg .f64 %d<64>; .reg .pred %p<16>; "

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

/* Builds a function for each statement that a line stands for. */
static size_t expand(LLVMModuleRef module, const char *line)
{
	const char *open = strchr(line, '<'), *close = open ? strchr(open, '>') : NULL;
	char one[1024];
	size_t n = 0;

	if (!close) {
		build(module, line);
		return 1;
	}
	for (const char *word = open + 1; word <= close;) {
		size_t size = strcspn(word, "|>");

		snprintf(one, sizeof(one), "%.*s%.*s%s", (int)(open - line), line, (int)size, word,
			 close + 1);
		n += expand(module, one);
		word += size + 1;
	}
	return n;
}

/* Sends all that is said on stderr to nowhere, and back again. */
static int silence(int saved)
{
	int now = -1;

	fflush(stderr);
	if (saved < 0) {
		int null = open("/dev/null", O_WRONLY);

		now = dup(STDERR_FILENO);
		dup2(null, STDERR_FILENO);
		close(null);
	} else {
		dup2(saved, STDERR_FILENO);
		close(saved);
	}
	return now;
}

/* How many of the file's statements were refused; quietly where all should be. */
static size_t refused(const char *path, bool quietly, size_t *n_statements)
{
	struct device_options options = {.source = "forms.cu"};
	struct device_program program = {.options = &options};
	struct device_module dm = {.program = &program};
	FILE *file = fopen(path, "r");
	char line[1024], *message = NULL;
	int saved = -1;

	assert_non_null(file);
	*n_statements = 0;
	dm.context = program.context = LLVMContextCreate();
	dm.module = LLVMModuleCreateWithNameInContext("forms", dm.context);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] != '#' && line[0])
			*n_statements += expand(dm.module, line);
	}
	fclose(file);
	if (quietly)
		saved = silence(-1);
	assert_null(pass_asm(&dm));
	if (quietly)
		silence(saved);
	assert_false(LLVMVerifyModule(dm.module, LLVMReturnStatusAction, &message));
	LLVMDisposeMessage(message);
	LLVMDisposeModule(dm.module);
	LLVMContextDispose(dm.context);
	return (size_t)program.n_diagnoses;
}

static void every_form_is_translated(void **state)
{
	size_t n;

	(void)state;
	assert_int_equal(refused(PTX_LISTS "/forms.txt", false, &n), 0);
	print_message("# %zu forms\n", n);
	assert_true(n > 10000);
}

static void gaps_are_refused(void **state)
{
	size_t n, n_refused;

	(void)state;
	n_refused = refused(PTX_LISTS "/gaps.txt", true, &n);
	assert_int_equal(n_refused, n);
}

static void what_ptxas_refuses_is_refused(void **state)
{
	size_t n, n_refused;

	(void)state;
	n_refused = refused(PTX_LISTS "/wrong.txt", true, &n);
	assert_int_equal(n_refused, n);
	assert_true(n > 5000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_is_translated),
		cmocka_unit_test(gaps_are_refused),
		cmocka_unit_test(what_ptxas_refuses_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
