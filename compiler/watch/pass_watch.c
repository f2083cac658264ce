/* SPDX-License-Identifier: Apache-2.0 */
/* pass_watch.c - the watched body announces what it does.
 *
 * On the watched clone, before anything is lowered, so that address spaces are
 * still known. Every function with debug information gets hooks (hooks.h):
 *
 *  - access: before loads, stores, atomics, memcpy and memset; bounds: before those whose
 *    address is computed from a variable by an index;
 *  - read: before those of local variables that may not have been written (unwritten.h);
 *  - fence: before fences;
 *  - line: where a new line begins, at the first instruction of a run, and at
 *    each loop header, so that even `while (!flag);` on one line can be stopped;
 *    not where all ways into a block come from the same line;
 *  - call and return: behind the storing of the parameters, before each ret.
 *
 * Functions of headers get access and fence hooks only. Variables of the user's
 * stay in memory for good: their lifetimes are dropped, so that no two share a
 * slot. What has no name of the user's (parameters of inlined header functions,
 * temporaries) becomes registers, and is nobody's business.
 *
 * Hooks read `want` and never change a value of the program. The context is
 * fetched once a function.
 *
 * The watched loops' clone gets calls for accesses, bounds and reads alone, which name the
 * thread by its number and stay as they are until its loops are vectors (loop_events.h). */
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "must.h"
#include "watch.h"
#include "debug_metadata.h"
#include "hooks.h"
#include "layout.h"
#include "llvm_functions.h"
#include "names.h"
#include "sites.h"
#include "unwritten.h"
#include "watch_access.h"
#include "watching.h"

/* Stand before i, with its place. */
static void stand_before(struct watching *w, LLVMValueRef i)
{
	LLVMPositionBuilderBefore(w->builder, i);
	LLVMSetCurrentDebugLocation2(w->builder, LLVMInstructionGetDebugLoc(i));
}

/* ---- accesses and fences -------------------------------------------------- */

/* The builder stands before the access. Its address may leave the variable that it names, and
 * still meet memory that is there. */
static void watch_bounds(struct watching *w, LLVMValueRef i, const struct watch_access *access)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(w->dm->context);
	uint64_t bytes;
	LLVMValueRef variable = watch_variable(access->address, w->layout, &bytes);
	if (!variable || !LLVMIsAConstantInt(access->size) ||
	    LLVMConstIntGetZExtValue(access->size) > bytes)
		return;
	uint64_t room = bytes - LLVMConstIntGetZExtValue(access->size);
	LLVMValueRef address = watching_generic(w, access->address),
		     base = watching_generic(w, variable);
	LLVMValueRef offset = LLVMBuildSub(w->builder,
					   LLVMBuildPtrToInt(w->builder, address, i64, ""),
					   LLVMBuildPtrToInt(w->builder, base, i64, ""), "");
	LLVMValueRef args[] = {
		w->context,
		offset,
		LLVMConstInt(i64, room, 0),
		address,
		LLVMBuildZExt(w->builder, access->size, i64, ""),
		watching_number(w, access->flags),
		base,
		LLVMConstInt(i64, bytes, 0),
		site_for(w->dm, i, CUDASIM_SITE_ACCESS),
	};
	if (w->in_loops) {
		args[0] = args[1];
		args[1] = args[2];
		args[2] = watching_linear(w->dm, w->builder, w->context);
	}
	hook_call(w->dm, w->builder, w->in_loops ? HOOK_LOOP_BOUNDS : HOOK_BOUNDS, args, 9);
}

/* Does the instruction stand in a header of the toolkit's, wherever that was inlined? */
static bool is_in_header(const struct watching *w, LLVMValueRef i)
{
	struct source_position place;
	return place_chain(i, &place, 1) && place_hidden(w->dm->program, &place);
}

static bool may_be_shared(const struct watch_access *access)
{
	unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(access->address));
	return access->want & CUDASIM_WANT_ACCESS && (space == 0 || space == 3);
}

static void watch_memory(struct watching *w, LLVMValueRef i)
{
	struct watch_access accesses[WATCH_MAX_ACCESSES];
	uint32_t scope, order;
	if (unwritten_own(i))
		return;
	unsigned n = watch_accesses(i, w->layout, accesses);
	if (n && watch_hands_on(i) && is_in_header(w, i))
		accesses[0].flags |= CUDASIM_ACCESS_COPY | CUDASIM_ACCESS_PART;
	bool header = false;
	for (unsigned k = 0; k < n; k++)
		header = header || (may_be_shared(&accesses[k]) && is_in_header(w, i));
	for (unsigned k = 0; k < n; k++) {
		if (header && may_be_shared(&accesses[k]))
			accesses[k].flags |= CUDASIM_ACCESS_TOOLKIT;
		stand_before(w, i);
		watch_bounds(w, i, &accesses[k]);
		LLVMTypeRef i64 = LLVMInt64TypeInContext(w->dm->context);
		LLVMValueRef size = accesses[k].size;
		if (LLVMTypeOf(size) != i64)
			size = LLVMBuildZExt(w->builder, size, i64, "");
		LLVMValueRef args[] = {
			w->context,
			watching_number(w, accesses[k].want),
			LLVMConstInt(i64, accesses[k].alignment - 1, 0),
			watching_generic(w, accesses[k].address),
			size,
			watching_number(w, accesses[k].flags),
			site_for(w->dm, i, CUDASIM_SITE_ACCESS),
		};
		/* The thread's own variables are where the compiler put them. */
		int64_t offset;
		address_base(i, accesses[k].address, &offset);
		bool placed = accesses[k].want == CUDASIM_WANT_LOCAL &&
			      (offset % accesses[k].alignment == 0 ||
			       address_is_aligned(i, accesses[k].address, accesses[k].alignment));
		if (w->in_loops) {
			watching_tell_in_loop(w, i, &accesses[k], size, placed);
			continue;
		}
		if (accesses[k].alignment > 1 && !placed) {
			hook_call(w->dm, w->builder, HOOK_ALIGNED, args, 7);
		} else {
			memmove(&args[2], &args[3], 4 * sizeof args[0]);
			hook_call(w->dm, w->builder, HOOK_ACCESS, args, 6);
		}
	}
	if (!watch_fence(i, &scope, &order))
		return;
	if (w->in_loops) {
		watching_forbid_loops(w, "has fences");
		return;
	}
	stand_before(w, i);
	LLVMValueRef args[] = {w->context, watching_number(w, scope), watching_number(w, order),
			       site_for(w->dm, i, CUDASIM_SITE_SYNC)};
	hook_call(w->dm, w->builder, HOOK_FENCE, args, 4);
}

/* ---- reads of what nobody wrote --------------------------------------------- */

static void watch_read(const struct unwritten_read *read, LLVMBuilderRef builder, void *arg)
{
	struct device_module *dm = arg;
	LLVMTypeRef pointer = LLVMPointerTypeInContext(dm->context, 0);
	LLVMValueRef address = read->address;
	if (LLVMTypeOf(address) != pointer)
		address = LLVMBuildAddrSpaceCast(builder, address, pointer, "");
	LLVMValueRef args[] = {
		read->state,
		address,
		LLVMConstInt(LLVMInt64TypeInContext(dm->context), read->size, 0),
		LLVMBuildGlobalString(builder, read->name, OWN_STRING),
		site_for(dm, read->instruction, CUDASIM_SITE_ACCESS),
	};
	if (dm->stage != DEVICE_WATCHED_LOOPS) {
		hook_call(dm, builder, HOOK_UNWRITTEN, args, 5);
		return;
	}
	LLVMValueRef context = device_call_runtime(dm, builder, "__cudasim_context", NULL, 0, NULL,
						   CUDASIM_SITE_OTHER);
	LLVMValueRef of_loop[] = {
		args[0], watching_linear(dm, builder, context), args[1], args[2], args[3], args[4]};
	hook_call(dm, builder, HOOK_LOOP_UNWRITTEN, of_loop, 6);
}

static bool is_hidden_file(const char *file, void *arg)
{
	const struct device_module *dm = arg;
	struct source_position place = {.file = file};
	return place_hidden(dm->program, &place);
}

/* ---- lines ---------------------------------------------------------------- */

/* A block, and the line on which it ends. */
struct line_block {
	LLVMBasicBlockRef ref;
	struct source_position last;   /* file NULL: several, or none */
	bool visited, loops; /* loops: a later block comes back to it */
};

static struct line_block *line_block(const struct watching *w, LLVMBasicBlockRef ref)
{
	for (unsigned i = 0; i < w->n_blocks; i++)
		if (w->blocks[i].ref == ref)
			return &w->blocks[i];
	abort();
}

static bool same_line(const struct source_position *a, const struct source_position *b)
{
	return a->file && a->file == b->file && a->line == b->line && a->scope == b->scope;
}

/* A store of a parameter into its variable, with which functions begin. */
static bool is_parameter_store(LLVMValueRef i)
{
	return LLVMIsAStoreInst(i) && LLVMIsAArgument(LLVMGetOperand(i, 0)) &&
	       LLVMIsAAllocaInst(LLVMGetOperand(i, 1));
}

static bool is_jump(LLVMValueRef i)
{
	return LLVMIsABranchInst(i) && !LLVMIsConditional(i);
}

/* Does a statement's line begin to count at this instruction? */
static bool counts(LLVMValueRef i, bool alone)
{
	if (LLVMIsAAllocaInst(i) || LLVMIsAPHINode(i) || is_parameter_store(i))
		return false;
	return alone || !is_jump(i);
}

static void watch_line(struct watching *w, LLVMValueRef i)
{
	uint32_t site = site_number_for(w->dm, i, CUDASIM_SITE_LINE);
	stand_before(w, i);
	/* A line that begins with a header's inlined code is the user's own all the same:
	 * without a row of its own in the line table it would have no address. */
	LLVMSetCurrentDebugLocation2(w->builder, place_location(w->dm->program, i));
	LLVMValueRef args[] = {w->context, site_armed(w->dm, site), site_address(w->dm, site)};
	hook_call(w->dm, w->builder, HOOK_LINE, args, 3);
}

/* The line on which all ways into b end, if it is the same for all. */
static struct source_position line_before(const struct watching *w, const struct line_block *b)
{
	struct source_position before = {0};
	bool first = true;
	for (unsigned i = 0; i < w->n_blocks; i++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(w->blocks[i].ref);
		for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
			if (LLVMGetSuccessor(end, k) != b->ref)
				continue;
			if (!w->blocks[i].visited)
				return (struct source_position){0};
			if (!first && !same_line(&before, &w->blocks[i].last))
				return (struct source_position){0};
			before = w->blocks[i].last;
			first = false;
		}
	}
	return before;
}

/* Does a jump go to the line that it stands on? Then it is the target's. */
static bool jumps_to_own_line(const struct watching *w, LLVMValueRef jump,
			      const struct source_position *here)
{
	struct source_position there;
	if (!is_jump(jump))
		return false;
	LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetSuccessor(jump, 0));
	for (; i; i = LLVMGetNextInstruction(i))
		if (counts(i, false) && place_of(w->dm->program, i, &there) && there.line)
			return same_line(&there, here);
	return false;
}

static void watch_lines(struct watching *w, struct line_block *b)
{
	struct source_position at = b->loops ? (struct source_position){0} : line_before(w, b);
	bool alone = true;
	for (LLVMValueRef i = LLVMGetFirstInstruction(b->ref), next; i; i = next) {
		struct source_position here;
		next = LLVMGetNextInstruction(i);
		if (!counts(i, alone) || hook_at(i) || !place_of(w->dm->program, i, &here) ||
		    !here.line || jumps_to_own_line(w, i, &here))
			continue;
		alone = false;
		if (!same_line(&at, &here))
			watch_line(w, i);
		at = here;
	}
	b->last = at;
	b->visited = true;
}

static void list_blocks(struct watching *w)
{
	w->n_blocks = LLVMCountBasicBlocks(w->function);
	w->blocks = must(calloc(w->n_blocks, sizeof *w->blocks));
	unsigned k = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(w->function); b;
	     b = LLVMGetNextBasicBlock(b))
		w->blocks[k++].ref = b;
	for (k = 0; k < w->n_blocks; k++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(w->blocks[k].ref);
		for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
			struct line_block *to = line_block(w, LLVMGetSuccessor(end, i));
			if (to <= &w->blocks[k])
				to->loops = true;
		}
	}
}

/* ---- calls ---------------------------------------------------------------- */

static LLVMValueRef frame_address(struct watching *w)
{
	LLVMTypeRef pointer = LLVMPointerTypeInContext(w->dm->context, 0);
	unsigned id = LLVMLookupIntrinsicID("llvm.frameaddress", 17);
	LLVMValueRef f = LLVMGetIntrinsicDeclaration(w->dm->module, id, &pointer, 1);
	LLVMValueRef level = watching_number(w, 0);
	return LLVMBuildCall2(w->builder, LLVMGlobalGetValueType(f), f, &level, 1, "");
}

/* The parameter through which the function returns a large value, or NULL. */
static LLVMValueRef result_parameter(LLVMValueRef function, LLVMTypeRef *type)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("sret", 4);
	if (!LLVMCountParams(function))
		return NULL;
	LLVMAttributeRef sret = LLVMGetEnumAttributeAtIndex(function, 1, kind);
	*type = sret ? LLVMGetTypeAttributeValue(sret) : NULL;
	return sret ? LLVMGetParam(function, 0) : NULL;
}

/* What `ret` returns, in memory, for tools to look at; the builder stands before it. */
static LLVMValueRef returned_value(struct watching *w, LLVMValueRef ret, LLVMValueRef *size)
{
	LLVMTypeRef i64 = LLVMInt64TypeInContext(w->dm->context), type = NULL;
	LLVMValueRef where = result_parameter(w->function, &type);
	if (!where && LLVMGetNumOperands(ret)) {
		type = LLVMTypeOf(LLVMGetOperand(ret, 0));
		LLVMPositionBuilderBefore(
			w->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(w->function)));
		LLVMSetCurrentDebugLocation2(w->builder, NULL);
		where = LLVMBuildAlloca(w->builder, type, "");
		LLVMPositionBuilderBefore(w->builder, ret);
		LLVMBuildStore(w->builder, LLVMGetOperand(ret, 0), where);
	}
	*size = LLVMConstInt(i64, type ? LLVMABISizeOfType(w->layout, type) : 0, 0);
	return where ? watching_generic(w, where)
		     : LLVMConstNull(LLVMPointerTypeInContext(w->dm->context, 0));
}

static void watch_call(struct watching *w, enum hook hook, LLVMValueRef before)
{
	/* Without a place of its own frame_address() begins no line. */
	LLVMPositionBuilderBefore(w->builder, before);
	LLVMSetCurrentDebugLocation2(w->builder, NULL);
	LLVMValueRef frame = frame_address(w), value = NULL, size = NULL;
	if (hook == HOOK_RETURN)
		value = returned_value(w, before, &size);
	stand_before(w, before);
	LLVMValueRef args[] = {w->context, site_for(w->dm, w->function, CUDASIM_SITE_ENTRY), frame,
			       value, size};
	hook_call(w->dm, w->builder, hook, args, value ? 5 : 3);
}

/* The first instruction behind the storing of the parameters; the context has
 * been fetched by then. */
static LLVMValueRef body_begin(const struct watching *w)
{
	LLVMValueRef begin = LLVMGetNextInstruction(w->context);
	for (LLVMValueRef i = begin; !LLVMIsATerminatorInst(i); i = LLVMGetNextInstruction(i))
		if (is_parameter_store(i))
			begin = LLVMGetNextInstruction(i);
	return begin;
}

/* ---- functions ------------------------------------------------------------ */

static void fetch_context(struct watching *w)
{
	LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(w->function));
	while (LLVMIsAAllocaInst(i))
		i = LLVMGetNextInstruction(i);
	LLVMPositionBuilderBefore(w->builder, i);
	LLVMSetCurrentDebugLocation2(w->builder, NULL);
	w->context = device_call_runtime(w->dm, w->builder, "__cudasim_context", NULL, 0, NULL,
					 CUDASIM_SITE_OTHER);
}

/* The instructions of the function as they are before hooks join them. */
static LLVMValueRef *list_instructions(LLVMValueRef function, unsigned *n)
{
	LLVMValueRef *all = NULL;
	unsigned room = 0;
	*n = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			if (*n == room) {
				room = room ? 2 * room : 256;
				all = must(realloc(all, room * sizeof *all));
			}
			all[(*n)++] = i;
		}
	return all;
}

static void watch_function(struct watching *w)
{
	unsigned n;
	fetch_context(w);
	LLVMValueRef begin = body_begin(w);
	LLVMValueRef *all = list_instructions(w->function, &n);
	if (!w->hidden && !w->in_loops) {
		watch_call(w, HOOK_CALL, begin);
		list_blocks(w);
		for (unsigned k = 0; k < w->n_blocks; k++)
			watch_lines(w, &w->blocks[k]);
		free(w->blocks);
	}
	if (w->in_loops && watching_hands_out_own(w, all, n))
		watching_forbid_loops(w, "hands out addresses of its variables");
	for (unsigned k = 0; k < n; k++) {
		watch_memory(w, all[k]);
		if (!w->hidden && !w->in_loops && LLVMIsAReturnInst(all[k]))
			watch_call(w, HOOK_RETURN, all[k]);
	}
	free(all);
}

struct cudasim_error *pass_watch(struct device_module *dm)
{
	struct watching w = {.dm = dm,
			     .layout = LLVMGetModuleDataLayout(dm->module),
			     .in_loops = dm->stage == DEVICE_WATCHED_LOOPS};
	struct unwritten_user reads = {is_hidden_file, watch_read, dm};
	w.builder = LLVMCreateBuilderInContext(dm->context);
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		struct source_position place;
		if (LLVMIsDeclaration(f) || hook_is(f) || !place_function(f, &place))
			continue;
		w.function = f;
		w.hidden = place_hidden(dm->program, &place);
		if (!w.hidden)
			unwritten_follow(f, &reads);
		if (!w.in_loops) {
			/* The user's functions are frames of their own. */
			if (!w.hidden)
				attribute_remove(f, WHOLE_FUNCTION, "alwaysinline");
			debug_drop_lifetimes(f);
			debug_promote_locals(f, is_hidden_file, dm);
		}
		watch_function(&w);
	}
	LLVMDisposeBuilder(w.builder);
	return NULL;
}
