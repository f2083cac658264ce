/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting at barriers: small continuation functions as LLVM IR, and what is left of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>

#include "region_formation.h"
#include "cudasim/abi.h"

#define STEP                                                                                       \
	"define i32 @continuation(ptr %params, ptr %block, ptr %frame, i32 %x, i32 %y, i32 %z,"    \
	" i32 %linear, i32 %n, i32 %index, i32 %region, ptr %kept) {\n"
#define BARRIER "  call void @__cudasim_barrier(i32 0, i32 0, ptr null)\n"
#define END                                                                                        \
	"  ret i32 -1\n}\ndeclare void @__cudasim_barrier(i32, i32, ptr)\ndeclare void @other()\n"

struct cut {
	LLVMContextRef context;
	LLVMModuleRef module;
	LLVMValueRef continuation;
	unsigned regions;
	uint64_t bytes, kept;
	LLVMValueRef uniform_flow;
	bool loses; /* the first region */
	const char *why;
};

static struct cut cut(const char *text)
{
	struct cut c = {.context = LLVMContextCreate()};
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text),
									       "continuation");
	char *message = NULL;
	if (LLVMParseIRInContext(c.context, buffer, &c.module, &message))
		fail_msg("%s", message);
	c.continuation = LLVMGetNamedFunction(c.module, "continuation");
	struct region_plan plan = {0};
	regions_form(c.continuation, false, &plan, &c.why);
	c.regions = plan.n_regions;
	c.bytes = plan.frame_bytes;
	c.kept = plan.kept_bytes;
	c.uniform_flow = plan.uniform_flow;
	c.loses = c.regions && plan.regions[0].loses;
	free(plan.regions);
	if (c.regions && LLVMVerifyModule(c.module, LLVMReturnStatusAction, &message))
		fail_msg("%s", message);
	return c;
}

#define SHUFFLE "declare i64 @__cudasim_shfl(i32, i32, i32, i32, i32, ptr)\n"

/* Cut at all meetings: the number of operations at each, and what follows it. */
static struct region_plan plan(struct cut *c, const char *text)
{
	struct region_plan plan = {0};
	LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text),
									       "continuation");
	char *message = NULL;
	*c = (struct cut){.context = LLVMContextCreate()};
	if (LLVMParseIRInContext(c->context, buffer, &c->module, &message))
		fail_msg("%s", message);
	c->continuation = LLVMGetNamedFunction(c->module, "continuation");
	if (!regions_form(c->continuation, true, &plan, &c->why))
		fail_msg("%s", c->why);
	if (LLVMVerifyModule(c->module, LLVMReturnStatusAction, &message))
		fail_msg("%s", message);
	return plan;
}

static void end(struct cut *c)
{
	LLVMDisposeModule(c->module);
	LLVMContextDispose(c->context);
}

static unsigned count(const struct cut *c, LLVMOpcode opcode)
{
	unsigned n = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->continuation); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			n += LLVMGetInstructionOpcode(i) == opcode;
	return n;
}

static void each_barrier_begins_a_region(void **state)
{
	(void)state;
	struct cut c = cut(STEP BARRIER BARRIER END);
	assert_int_equal(c.regions, 3);
	assert_int_equal(c.bytes, 0);
	assert_int_equal(count(&c, LLVMCall), 0);
	assert_int_equal(count(&c, LLVMRet), 3);
	end(&c);
}

/* What the parameters give is computed again; nothing lies in the frame. */
static void indices_are_not_kept(void **state)
{
	(void)state;
	struct cut c = cut(STEP "  %i = mul i32 %x, 3\n  %j = add i32 %i, %y\n"
				"  %p = load ptr, ptr %params\n"
				"  %q = getelementptr i32, ptr %p, i32 %j\n"
				"  store i32 1, ptr %q\n" BARRIER "  store i32 2, ptr %q\n" END);
	assert_int_equal(c.regions, 2);
	assert_int_equal(c.bytes, 0);
	assert_int_equal(count(&c, LLVMStore), 2);
	assert_int_equal(count(&c, LLVMMul), 2);
	end(&c);
}

/* What memory gave is kept, once for each thread: 4 bytes, rounded up to 16. */
static void loaded_values_are_kept(void **state)
{
	(void)state;
	struct cut c = cut(STEP "  %p = load ptr, ptr %params\n  %v = load i32, ptr %p\n" BARRIER
				"  store i32 %v, ptr %p\n" BARRIER "  store i32 %v, ptr %p\n" END);
	assert_int_equal(c.regions, 3);
	assert_int_equal(c.bytes, 16);
	/* Stored where it is made, not again at the second barrier. */
	assert_int_equal(count(&c, LLVMStore), 3);
	end(&c);
}

/* A value that nobody wants behind the barrier is not kept. */
static void dead_values_are_not_kept(void **state)
{
	(void)state;
	struct cut c = cut(STEP "  %p = load ptr, ptr %params\n  %v = load i32, ptr %p\n"
				"  store i32 %v, ptr %p\n" BARRIER END);
	assert_int_equal(c.regions, 2);
	assert_int_equal(c.bytes, 0);
	end(&c);
}

static unsigned count_in(LLVMValueRef function, LLVMOpcode opcode)
{
	struct cut c = {.continuation = function};
	return count(&c, opcode);
}

#define LOOP                                                                                       \
	"  br label %loop\nloop:\n  %i = phi i32 [0, %0], [%next, %loop]\n" BARRIER                \
	"  %next = add i32 %i, 1\n"

/* A loop's counter is the same for all threads: it is kept once, by the uniform flow, and so is
 * the fork behind the barrier, whose two ends begin regions of their own. */
static void what_all_share_is_kept_once(void **state)
{
	(void)state;
	struct cut c = cut(STEP LOOP "  %more = icmp ult i32 %next, 10\n"
				     "  br i1 %more, label %loop, label %out\nout:\n" END);
	assert_int_equal(c.regions, 4);
	assert_int_equal(c.bytes, 0);
	assert_int_equal(c.kept, 16);
	assert_non_null(c.uniform_flow);
	assert_int_equal(count(&c, LLVMStore), 0);
	assert_int_not_equal(count_in(c.uniform_flow, LLVMStore), 0);
	end(&c);
}

/* Where memory decides, threads may go different ways, each with its own counter. */
static void a_fork_by_memory_is_each_threads_own(void **state)
{
	(void)state;
	struct cut c = cut(STEP LOOP "  %p = load ptr, ptr %params\n  %v = load i32, ptr %p\n"
				     "  %more = icmp ult i32 %next, %v\n"
				     "  br i1 %more, label %loop, label %out\nout:\n" BARRIER END);
	assert_int_equal(c.regions, 3);
	assert_int_equal(c.bytes, 16);
	assert_null(c.uniform_flow);
	assert_int_equal(count(&c, LLVMStore), 1);
	end(&c);
}

/* Threads that end leave the uniform flow to the others, which has nothing of what only they do. */
static void those_that_end_do_not_decide(void **state)
{
	(void)state;
	struct cut c = cut(STEP "  %out = icmp ugt i32 %x, 7\n  br i1 %out, label %end, label %on\n"
				"on:\n  store i32 1, ptr %frame\n" BARRIER
				"  br label %end\nend:\n" END);
	assert_int_equal(c.regions, 2);
	assert_non_null(c.uniform_flow);
	assert_true(c.loses);
	assert_int_equal(count_in(c.uniform_flow, LLVMStore), 0);
	assert_int_equal(count_in(c.uniform_flow, LLVMICmp), 1); /* of the region's number */
	assert_int_equal(count(&c, LLVMICmp), 2);
	end(&c);
}

/* An array stays whole, each thread's its own: 40 bytes, rounded up to 48. */
static void arrays_move_to_the_frame(void **state)
{
	(void)state;
	struct cut c = cut(
		STEP "  %a = alloca [10 x i32]\n"
		     "  %p = getelementptr i32, ptr %a, i32 %x\n  store i32 1, ptr %p\n" BARRIER
		     "  %q = getelementptr i32, ptr %a, i32 %y\n"
		     "  store i32 2, ptr %q\n" END);
	assert_int_equal(c.regions, 2);
	assert_int_equal(c.bytes, 48);
	assert_int_equal(count(&c, LLVMAlloca), 0);
	end(&c);
}

static void other_calls_forbid_it(void **state)
{
	(void)state;
	struct cut c = cut(STEP "  call void @other()\n" BARRIER END);
	assert_int_equal(c.regions, 0);
	assert_string_equal(c.why, "calls a function between barriers");
	end(&c);
}

static void numbered_barriers_forbid_it(void **state)
{
	(void)state;
	struct cut c = cut(STEP "  call void @__cudasim_barrier(i32 1, i32 64, ptr null)\n" END);
	assert_int_equal(c.regions, 0);
	assert_string_equal(c.why, "waits at a barrier of its own number or count");
	end(&c);
}

/* The halves of a double are shuffled at once, what needs their sum behind them. */
static void shuffles_that_need_not_wait_share_a_cut(void **state)
{
	(void)state;
	struct cut c;
	struct region_plan p = plan(
		&c, STEP
		"  %a = call i64 @__cudasim_shfl(i32 3, i32 -1, i32 %x, i32 1, i32 31, ptr null)\n"
		"  %t = trunc i64 %a to i32\n  %u = mul i32 %y, 3\n"
		"  %b = call i64 @__cudasim_shfl(i32 3, i32 -1, i32 %u, i32 1, i32 31, ptr null)\n"
		"  %v = trunc i64 %b to i32\n  %s = add i32 %t, %v\n"
		"  %d = call i64 @__cudasim_shfl(i32 3, i32 -1, i32 %s, i32 1, i32 31, ptr null)\n"
		"  store i64 %d, ptr %frame\n" END SHUFFLE);
	assert_int_equal(p.n_regions, 3);
	assert_int_equal(p.regions[0].n_ops, 0);
	assert_int_equal(p.regions[0].next, 1);
	assert_int_equal(p.regions[1].n_ops, 2);
	assert_int_equal(p.regions[1].next, 2);
	assert_int_equal(p.regions[2].n_ops, 1);
	assert_int_equal(p.regions[2].next, CONTINUATION_EXIT);
	const struct region_op *op = p.regions[1].op;
	assert_int_equal(op->kind, CUDASIM_REGION_SHFL);
	assert_int_equal(op->arg[0].size, 0);
	assert_int_equal(op->arg[0].constant, CUDASIM_SHFL_BFLY);
	assert_int_equal(op->arg[2].size, 4);
	assert_int_not_equal(op[0].arg[2].offset, op[1].arg[2].offset);
	/* Only the last one's predicate is looked at. */
	assert_int_equal(op[0].high, UINT32_MAX);
	assert_int_not_equal(p.regions[2].op[0].high, UINT32_MAX);
	free(p.regions);
	end(&c);
}

/* An access between two shuffles stays between them. */
static void accesses_keep_shuffles_apart(void **state)
{
	(void)state;
	struct cut c;
	struct region_plan p = plan(
		&c, STEP
		"  %a = call i64 @__cudasim_shfl(i32 3, i32 -1, i32 %x, i32 1, i32 31, ptr null)\n"
		"  store i32 %x, ptr %params\n"
		"  %b = call i64 @__cudasim_shfl(i32 3, i32 -1, i32 %y, i32 1, i32 31, ptr null)\n" END
			SHUFFLE);
	assert_int_equal(p.n_regions, 3);
	assert_int_equal(p.regions[1].n_ops, 1);
	free(p.regions);
	end(&c);
}

/* Before what only a fiber can do the function is cut, and the call stays. */
static void a_call_that_leaves_stays_behind_its_cut(void **state)
{
	(void)state;
	struct cut c;
	struct region_plan p = plan(
		&c, STEP
		"  %bad = icmp ugt i32 %x, 7\n  br i1 %bad, label %stop, label %on\nstop:\n"
		"  call void @__cudasim_trap(i32 0, ptr null)\n  unreachable\non:\n" BARRIER END
		"declare void @__cudasim_trap(i32, ptr)\n");
	unsigned n_leaving = 0;
	assert_int_equal(p.n_regions, 3);
	assert_int_equal(p.regions[0].next, REGION_SEVERAL);
	for (unsigned k = 1; k < 3; k++)
		n_leaving += p.regions[k].op[0].kind == CUDASIM_REGION_LEAVE;
	assert_int_equal(n_leaving, 1);
	assert_int_equal(count(&c, LLVMCall), 1);
	free(p.regions);
	end(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_barrier_begins_a_region),
		cmocka_unit_test(shuffles_that_need_not_wait_share_a_cut),
		cmocka_unit_test(accesses_keep_shuffles_apart),
		cmocka_unit_test(a_call_that_leaves_stays_behind_its_cut),
		cmocka_unit_test(indices_are_not_kept),
		cmocka_unit_test(loaded_values_are_kept),
		cmocka_unit_test(dead_values_are_not_kept),
		cmocka_unit_test(what_all_share_is_kept_once),
		cmocka_unit_test(a_fork_by_memory_is_each_threads_own),
		cmocka_unit_test(those_that_end_do_not_decide),
		cmocka_unit_test(arrays_move_to_the_frame),
		cmocka_unit_test(other_calls_forbid_it),
		cmocka_unit_test(numbered_barriers_forbid_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
