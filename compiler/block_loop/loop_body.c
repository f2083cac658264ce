/* SPDX-License-Identifier: Apache-2.0 */
/* loop_body.c - a kernel's body inside the loop over a block's threads.
 *
 * There a thread's state is a variable of the loop's own function, whose fields
 * LLVM keeps in registers, and so is a copy of the block. Only calls that are left
 * after inlining see them no more: before these, libcudasim's thread is made the
 * running one. */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "region_formation.h"
#include "loop_marks.h"
#include "context.h"
#include "llvm_functions.h"
#include "loop.h"
#include "names.h"

enum {
	MOST_INSTRUCTIONS = 30000, /* of a loop's function, for inlining */
	MOST_ROUNDS = 40,
};

/* ---- inlining ------------------------------------------------------------------- */

/* A list of instructions that may be changed one after the other. */
struct list {
	LLVMValueRef *items;
	size_t n, room;
};

static void push(struct list *list, LLVMValueRef item)
{
	if (list->n == list->room) {
		list->room = list->room ? 2 * list->room : 64;
		list->items = realloc(list->items, list->room * sizeof(*list->items));
		assert(list->items);
	}
	list->items[list->n++] = item;
}

static bool calls_itself(const struct callgraph *graph, LLVMValueRef function)
{
	bool *reached = calloc(graph->n + 1, sizeof(*reached));
	assert(reached);
	bool cycle = callgraph_reach(graph, callgraph_find(graph, function), reached);
	free(reached);
	return cycle;
}

static bool is_intrinsic(LLVMValueRef function)
{
	return !strncmp(name_of(function), "llvm.", 5);
}

/* Calls in the function, those of intrinsics aside. */
static struct list find_calls(LLVMValueRef function)
{
	struct list list = {0};
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			if (!LLVMIsACallInst(i))
				continue;
			LLVMValueRef callee = LLVMGetCalledValue(i);
			if (!LLVMIsAInlineAsm(callee) &&
			    !(LLVMIsAFunction(callee) && is_intrinsic(callee)))
				push(&list, i);
		}
	}
	return list;
}

void loop_inline(struct device_module *dm, const struct callgraph *graph, LLVMValueRef function)
{
	size_t size = device_size(function);
	bool again = true;
	(void)dm;
	for (unsigned round = 0; again && round < MOST_ROUNDS; round++) {
		struct list calls = find_calls(function);
		again = false;
		for (size_t i = 0; i < calls.n; i++) {
			LLVMValueRef callee = LLVMGetCalledValue(calls.items[i]);
			if (!LLVMIsAFunction(callee) || LLVMIsDeclaration(callee))
				continue;
			size_t more = device_size(callee);
			if (size + more > MOST_INSTRUCTIONS || calls_itself(graph, callee))
				continue;
			if (call_try_inline(calls.items[i])) {
				size += more;
				again = true;
			}
		}
		free(calls.items);
	}
}

/* ---- lowering ------------------------------------------------------------------- */

struct lowering {
	struct device_module *dm;
	LLVMBuilderRef builder;
	const struct loop_values *values;
	LLVMTypeRef i8, i32;
	bool calls;
};

static void place_before(struct lowering *l, LLVMValueRef instruction)
{
	LLVMPositionBuilderBefore(l->builder, instruction);
	LLVMSetCurrentDebugLocation2(l->builder, LLVMInstructionGetDebugLoc(instruction));
}

/* The thread ends: on to the end of the iteration. What follows in the block goes. */
static void leave(struct lowering *l, LLVMValueRef call)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(call);
	place_before(l, call);
	block_truncate(call);
	LLVMPositionBuilderAtEnd(l->builder, block);
	LLVMBuildBr(l->builder, l->values->end);
}

/* Lower the function's first __cudasim_exit; false if there is none. */
static bool leave_first(struct lowering *l, LLVMValueRef function)
{
	struct list calls = find_calls(function);
	bool found = false;
	for (size_t i = 0; i < calls.n && !found; i++) {
		LLVMValueRef callee = LLVMGetCalledValue(calls.items[i]);
		found = LLVMIsAFunction(callee) && !strcmp(name_of(callee), "__cudasim_exit");
		if (found)
			leave(l, calls.items[i]);
	}
	free(calls.items);
	return found;
}

static void become_thread(struct lowering *l, LLVMValueRef call)
{
	LLVMValueRef args[] = {l->values->real_block, l->values->linear};
	place_before(l, call);
	LLVMValueRef thread = device_call_runtime(l->dm, l->builder, "__cudasim_loop_thread", args,
						  2, call, CUDASIM_SITE_OTHER);
	LLVMBuildStore(l->builder, LLVMConstInt(l->i8, 1, 0), l->values->called);
	l->calls = true;
	call_forbid_inlining(call);
	LLVMValueRef callee = LLVMGetCalledValue(call);
	if (!LLVMIsAFunction(callee) || strcmp(name_of(callee), "__cudasim_yield"))
		return;
	/* It has filled the tank of libcudasim's thread. */
	LLVMPositionBuilderBefore(l->builder, LLVMGetNextInstruction(call));
	LLVMValueRef offset = LLVMConstInt(l->i32, offsetof(struct cudasim_thread, fuel), 0);
	LLVMValueRef from = LLVMBuildInBoundsGEP2(l->builder, l->i8, thread, &offset, 1, "");
	LLVMValueRef to = LLVMBuildInBoundsGEP2(l->builder, l->i8, l->values->context, &offset, 1,
						"");
	LLVMBuildStore(l->builder, LLVMBuildLoad2(l->builder, l->i32, from, ""), to);
}

bool loop_lower(struct device_module *dm, LLVMValueRef function, const struct loop_values *values)
{
	struct lowering l = {
		.dm = dm,
		.builder = LLVMCreateBuilderInContext(dm->context),
		.values = values,
		.i8 = LLVMInt8TypeInContext(dm->context),
		.i32 = LLVMInt32TypeInContext(dm->context),
	};
	struct context_values context = {values->context, values->block};
	struct list calls = find_calls(function);
	for (size_t i = 0; i < calls.n; i++) {
		LLVMValueRef call = calls.items[i], callee = LLVMGetCalledValue(call);
		const char *name = LLVMIsAFunction(callee) ? name_of(callee) : "";
		if (context_lower(dm, call, &context) || !strncmp(name, "__cudasim_loop_", 15))
			continue;
		if (values->is_cut && (values->is_cut(name) || region_spares(name)))
			continue;
		if (strcmp(name, "__cudasim_exit") && strcmp(name, "__cudasim_barrier") &&
		    strcmp(name, "__cudasim_post_barrier"))
			become_thread(&l, call);
	}
	free(calls.items);
	while (leave_first(&l, function))
		;
	LLVMDisposeBuilder(l.builder);
	return l.calls;
}
