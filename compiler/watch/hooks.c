/* SPDX-License-Identifier: Apache-2.0 */
#include "hooks.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "attributes.h"

#define PREFIX "__cudasim_hook_"

/* Types: i 32 bits, l 64 bits, p pointer. */
static const struct {
	const char *name, *params;
	const char *event;    /* what the cold path calls */
	unsigned first_arg;   /* of the hook's, the first one that the event gets */
	uint32_t want;        /* tested bits; 0: the hook tests in a way of its own */
} hooks[N_HOOKS] = {
	[HOOK_YIELD] = {"yield", "pip", "__cudasim_yield", 0, 0},
	[HOOK_ACCESS] = {"access", "piplip", "__cudasim_on_access", 2, 0},
	[HOOK_ALIGNED] = {"aligned", "pilplip", "__cudasim_on_access", 3, 0},
	[HOOK_BOUNDS] = {"bounds", "pllpliplp", "__cudasim_on_bounds", 3, CUDASIM_WANT_ACCESS},
	[HOOK_UNWRITTEN] = {"unwritten", "iplpp", "__cudasim_on_unwritten", 1, 0},
	[HOOK_LOOP_BOUNDS] = {"loop_bounds", "llipliplp", "__cudasim_loop_bounds", 2, 0},
	[HOOK_LOOP_UNWRITTEN] = {"loop_unwritten", "iiplpp", "__cudasim_loop_unwritten", 1, 0},
	[HOOK_LINE] = {"line", "ppp", "__cudasim_on_line", 2, CUDASIM_WANT_LINE},
	[HOOK_CALL] = {"call", "ppp", "__cudasim_on_call", 1, CUDASIM_WANT_CALL},
	[HOOK_RETURN] = {"return", "ppppl", "__cudasim_on_return", 1, CUDASIM_WANT_CALL},
	[HOOK_FENCE] = {"fence", "piip", "__cudasim_on_fence", 1, CUDASIM_WANT_FENCE},
};

static LLVMValueRef field(LLVMBuilderRef b, LLVMContextRef context, LLVMValueRef base,
			  size_t offset)
{
	LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(context), offset, 0);
	return LLVMBuildInBoundsGEP2(b, LLVMInt8TypeInContext(context), base, &index, 1, "");
}

static LLVMValueRef number(LLVMContextRef context, uint64_t value)
{
	return LLVMConstInt(LLVMInt32TypeInContext(context), value, 0);
}

/* The context's `want`, read each time: another pthread may change it. */
static LLVMValueRef load_want(LLVMBuilderRef b, LLVMContextRef context, LLVMValueRef thread)
{
	LLVMValueRef at = field(b, context, thread, offsetof(struct cudasim_thread, want));
	LLVMValueRef want = LLVMBuildLoad2(b, LLVMInt32TypeInContext(context), at, "want");
	LLVMSetVolatile(want, 1);
	return want;
}

/* An i32 that is not 0 where the event is to be announced. */
static LLVMValueRef test(struct device_module *dm, LLVMBuilderRef b, enum hook hook, LLVMValueRef f)
{
	LLVMContextRef context = dm->context;
	LLVMTypeRef i32 = LLVMInt32TypeInContext(context), i8 = LLVMInt8TypeInContext(context);
	if (hook == HOOK_YIELD) {
		LLVMValueRef thread = device_call_runtime(dm, b, "__cudasim_context", NULL, 0, NULL,
							  CUDASIM_SITE_OTHER);
		LLVMValueRef at = field(b, context, thread, offsetof(struct cudasim_thread, fuel));
		LLVMValueRef fuel = LLVMBuildLoad2(b, i32, at, "fuel");
		fuel = LLVMBuildSub(b, fuel, number(context, 1), "");
		LLVMBuildStore(b, fuel, at);
		return LLVMBuildAnd(b, fuel, number(context, 1u << 31), "");
	}
	if (hook == HOOK_LOOP_BOUNDS)
		return number(context, 1);
	if (hook == HOOK_UNWRITTEN || hook == HOOK_LOOP_UNWRITTEN)
		return LLVMBuildZExt(
			b, LLVMBuildICmp(b, LLVMIntEQ, LLVMGetParam(f, 0), number(context, 0), ""),
			i32, "");
	LLVMValueRef want = load_want(b, context, LLVMGetParam(f, 0));
	LLVMValueRef bits = hook == HOOK_ACCESS || hook == HOOK_ALIGNED
				    ? LLVMGetParam(f, 1)
				    : number(context, hooks[hook].want);
	want = LLVMBuildAnd(b, want, bits, "");
	if (hook != HOOK_LINE)
		return want;
	LLVMValueRef armed = LLVMBuildLoad2(b, i8, LLVMGetParam(f, 1), "armed");
	LLVMSetVolatile(armed, 1);
	return LLVMBuildOr(b, want, LLVMBuildZExt(b, armed, i32, ""), "");
}

/* The branch to the event is hardly ever taken. */
static void set_cold(LLVMContextRef context, LLVMValueRef branch)
{
	LLVMMetadataRef weights[] = {
		LLVMMDStringInContext2(context, "branch_weights", 14),
		LLVMValueAsMetadata(number(context, 1)),
		LLVMValueAsMetadata(number(context, 1u << 20)),
	};
	LLVMMetadataRef node = LLVMMDNodeInContext2(context, weights, 3);
	LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(context, "prof", 4),
			LLVMMetadataAsValue(context, node));
}

/* Branch to end where the offset leaves the room that the access needs; else the builder
 * stands in a new block. What is compared is known without memory, and comes first. */
static void test_bounds(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef f, unsigned offset,
			LLVMBasicBlockRef end)
{
	LLVMBasicBlockRef outside = LLVMAppendBasicBlockInContext(dm->context, f, "outside");
	LLVMValueRef over = LLVMBuildICmp(b, LLVMIntUGT, LLVMGetParam(f, offset),
					  LLVMGetParam(f, offset + 1), "");
	set_cold(dm->context, LLVMBuildCondBr(b, over, outside, end));
	LLVMPositionBuilderAtEnd(b, outside);
}

/* Branch to event from where the builder stands if the address has bits of the
 * mask, else to a new block, where the builder stands then. */
static void test_alignment(struct device_module *dm, LLVMBuilderRef b, LLVMValueRef f,
			   LLVMBasicBlockRef event)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(dm->context);
	LLVMBasicBlockRef aligned = LLVMAppendBasicBlockInContext(dm->context, f, "aligned");
	LLVMValueRef bits = LLVMBuildPtrToInt(b, LLVMGetParam(f, 3), i64, "");
	bits = LLVMBuildAnd(b, bits, LLVMGetParam(f, 2), "");
	bits = LLVMBuildICmp(b, LLVMIntNE, bits, LLVMConstInt(i64, 0, 0), "");
	set_cold(dm->context, LLVMBuildCondBr(b, bits, event, aligned));
	LLVMPositionBuilderAtEnd(b, aligned);
}

static void define(struct device_module *dm, enum hook hook, LLVMValueRef f)
{
	LLVMContextRef context = dm->context;
	LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(context, f, "entry");
	LLVMBasicBlockRef event = LLVMAppendBasicBlockInContext(context, f, "event");
	LLVMBasicBlockRef end = LLVMAppendBasicBlockInContext(context, f, "end");
	LLVMBuilderRef b = LLVMCreateBuilderInContext(context);

	LLVMPositionBuilderAtEnd(b, entry);
	if (hook == HOOK_ALIGNED)
		test_alignment(dm, b, f, event);
	if (hook == HOOK_BOUNDS || hook == HOOK_LOOP_BOUNDS)
		test_bounds(dm, b, f, hook == HOOK_BOUNDS, end);
	LLVMValueRef wanted = test(dm, b, hook, f);
	wanted = LLVMBuildICmp(b, LLVMIntNE, wanted, number(context, 0), "");
	set_cold(context, LLVMBuildCondBr(b, wanted, event, end));

	LLVMPositionBuilderAtEnd(b, event);
	LLVMValueRef callee = device_runtime(dm, hooks[hook].event), args[8];
	unsigned n = 0;
	for (unsigned i = hooks[hook].first_arg; i < LLVMCountParams(f); i++)
		args[n++] = LLVMGetParam(f, i);
	LLVMBuildCall2(b, LLVMGlobalGetValueType(callee), callee, args, n, "");
	LLVMBuildBr(b, end);
	LLVMPositionBuilderAtEnd(b, end);
	LLVMBuildRetVoid(b);
	LLVMDisposeBuilder(b);
}

static LLVMValueRef hook_function(struct device_module *dm, enum hook hook)
{
	char name[64];
	snprintf(name, sizeof name, PREFIX "%s", hooks[hook].name);
	LLVMValueRef f = LLVMGetNamedFunction(dm->module, name);
	if (f)
		return f;
	LLVMTypeRef params[9];
	unsigned n = 0;
	for (; hooks[hook].params[n]; n++)
		params[n] = runtime_type(dm->context, hooks[hook].params[n]);
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(dm->context), params, n, 0);
	f = LLVMAddFunction(dm->module, name, type);
	LLVMSetLinkage(f, LLVMInternalLinkage);
	attribute_add(f, WHOLE_FUNCTION, "alwaysinline", 0);
	attribute_add(f, WHOLE_FUNCTION, "nounwind", 0);
	define(dm, hook, f);
	return f;
}

void hook_call(struct device_module *dm, LLVMBuilderRef builder, enum hook hook, LLVMValueRef *args,
	       unsigned n_args)
{
	LLVMValueRef f = hook_function(dm, hook);
	assert(n_args == LLVMCountParams(f));
	LLVMBuildCall2(builder, LLVMGlobalGetValueType(f), f, args, n_args, "");
}

bool hook_is(LLVMValueRef function)
{
	size_t n;
	return !strncmp(LLVMGetValueName2(function, &n), PREFIX, strlen(PREFIX));
}

bool hook_at(LLVMValueRef instruction)
{
	if (!LLVMIsACallInst(instruction))
		return false;
	LLVMValueRef callee = LLVMGetCalledValue(instruction);
	return LLVMIsAFunction(callee) && hook_is(callee);
}
