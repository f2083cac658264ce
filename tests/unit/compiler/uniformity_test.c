/* SPDX-License-Identifier: Apache-2.0 */
/* uniformity_test.c - what is the same for all threads; the answers follow from the text of each
 * function, whose argument %t differs and whose argument %n does not. */
#include <stdarg.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <llvm-c/IRReader.h>

#include "uniformity.h"

struct fixture {
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMValueRef function;
	struct uniformity *uniformity;
};

/* Values whose name begins with "same" are the same in all threads, loads differ. */
static enum uniformity_source source_of(LLVMValueRef value, void *arg)
{
	size_t n;
	(void)arg;
	const char *name = LLVMGetValueName2(value, &n);
	if (!strncmp(name, "same", 4))
		return UNIFORMITY_SAME;
	bool differs = LLVMIsALoadInst(value) || (LLVMIsAArgument(value) && !strcmp(name, "t"));
	return differs ? UNIFORMITY_DIFFERS : UNIFORMITY_FOLLOWS;
}

static struct fixture analyse(const char *body)
{
	struct fixture f = {.context = LLVMContextCreate()};
	char text[4096], *message = NULL;
	int length = snprintf(text, sizeof text,
			      "define i32 @f(i32 %%t, i32 %%n, ptr %%p) {\n%s}\n", body);
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, (size_t)length,
									       "text");
	if (LLVMParseIRInContext(f.context, buffer, &f.module, &message))
		fail_msg("%s", message);
	f.function = LLVMGetNamedFunction(f.module, "f");
	f.uniformity = uniformity_new(f.function, source_of, NULL);
	return f;
}

static void end(struct fixture *f)
{
	uniformity_free(f->uniformity);
	LLVMDisposeModule(f->module);
	LLVMContextDispose(f->context);
}

static LLVMBasicBlockRef block(const struct fixture *f, const char *name)
{
	LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->function);
	while (b && strcmp(LLVMGetBasicBlockName(b), name))
		b = LLVMGetNextBasicBlock(b);
	assert_non_null(b);
	return b;
}

static bool is_uniform(const struct fixture *f, const char *name)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			size_t n;
			if (!strcmp(LLVMGetValueName2(i, &n), name))
				return uniformity_is_uniform(f->uniformity, i);
		}
	fail_msg("no value %s", name);
	return false;
}

static void sums_follow_their_operands(void **state)
{
	(void)state;
	struct fixture f = analyse("a: %x = add i32 %n, 1\n %y = add i32 %x, %t\n"
				   " %l = load i32, ptr %p\n ret i32 %y\n");
	assert_true(is_uniform(&f, "x"));
	assert_false(is_uniform(&f, "y"));
	assert_false(is_uniform(&f, "l"));
	assert_true(uniformity_is_uniform(f.uniformity, LLVMGetParam(f.function, 1)));
	assert_false(uniformity_is_uniform(f.uniformity, LLVMGetParam(f.function, 0)));
	end(&f);
}

static void what_the_caller_calls_the_same_is_the_same(void **state)
{
	(void)state;
	struct fixture f = analyse("a: %same = load i32, ptr %p\n %x = add i32 %same, %n\n"
				   " ret i32 %x\n");
	assert_true(is_uniform(&f, "same"));
	assert_true(is_uniform(&f, "x"));
	end(&f);
}

static const char join[] = "a: %%c = icmp ult i32 %s, 7\n br i1 %%c, label %%b, label %%d\n"
			   "b: br label %%d\n"
			   "d: %%x = phi i32 [ 1, %%a ], [ 2, %%b ]\n %%y = add i32 %%n, 1\n"
			   " ret i32 %%x\n";

/* The constants are the same for all; which of them a thread has is not. */
static void a_phi_behind_threads_that_parted_differs(void **state)
{
	(void)state;
	char text[512];
	snprintf(text, sizeof text, join, "%t");
	struct fixture f = analyse(text);
	assert_true(uniformity_diverges(f.uniformity, block(&f, "a")));
	assert_false(is_uniform(&f, "x"));
	assert_true(is_uniform(&f, "y"));
	end(&f);
}

static void a_phi_behind_a_common_branch_is_the_same(void **state)
{
	(void)state;
	char text[512];
	snprintf(text, sizeof text, join, "%n");
	struct fixture f = analyse(text);
	assert_false(uniformity_diverges(f.uniformity, block(&f, "a")));
	assert_true(is_uniform(&f, "x"));
	end(&f);
}

/* i is the same in all threads that are in the loop; behind it, each has the i that it left
 * with. */
static void a_counter_differs_behind_a_loop_left_at_different_times(void **state)
{
	(void)state;
	struct fixture f = analyse("a: br label %b\n"
				   "b: %i = phi i32 [ 0, %a ], [ %j, %b ]\n %j = add i32 %i, 1\n"
				   " %c = icmp ult i32 %j, %t\n br i1 %c, label %b, label %d\n"
				   "d: %k = add i32 %i, 3\n ret i32 %k\n");
	assert_true(is_uniform(&f, "i"));
	assert_false(is_uniform(&f, "k"));
	end(&f);
}

static void what_is_not_reached_is_not_uniform(void **state)
{
	(void)state;
	struct fixture f = analyse("a: ret i32 0\n"
				   "b: %x = add i32 %n, 1\n %c = icmp eq i32 %t, 0\n"
				   " br i1 %c, label %d, label %e\nd: ret i32 %x\ne: ret i32 1\n");
	assert_false(is_uniform(&f, "x"));
	assert_false(uniformity_diverges(f.uniformity, block(&f, "b")));
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_follow_their_operands),
		cmocka_unit_test(what_the_caller_calls_the_same_is_the_same),
		cmocka_unit_test(a_phi_behind_threads_that_parted_differs),
		cmocka_unit_test(a_phi_behind_a_common_branch_is_the_same),
		cmocka_unit_test(a_counter_differs_behind_a_loop_left_at_different_times),
		cmocka_unit_test(what_is_not_reached_is_not_uniform),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
