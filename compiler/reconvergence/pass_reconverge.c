/* SPDX-License-Identifier: Apache-2.0 */
/* pass_reconverge.c - warps meet where a program relies on their lockstep.
 *
 * Threads of a warp run one after the other here, yet programs that pass on
 * hardware rely on lockstep: they store to shared memory and load what another
 * lane stored without __syncwarp in between. This pass puts a call of
 * __cudasim_reconverge() before such loads, and in the same stretches between two
 * barriers before stores that overwrite what another lane loads. Programs with
 * their barriers in place get none, and accesses by which a thread only comes
 * back to its own address need none. Atomics load and store, but need none among each other.
 *
 * What a warp stores in global memory and one of its lanes then releases by an atomic is
 * waited for, too (synchrony_release.c).
 *
 * Where all load one address behind a barrier and a store comes before the next, the block
 * waits behind the load, at a post-barrier point (synchrony_post_barrier.c).
 *
 * What is volatile and not known to be shared memory is judged by its form alone.
 *
 * The question (warp_synchrony.c) is asked of a copy of the module in which all is
 * inlined and locals are registers; markers with numbers carry the answers back. The
 * copy answers a question of its own, too: which indices of shared memory wrap (wrap.c).
 * The pass works on the base, so that all bodies meet at the same places.
 *
 * Rejected: meeting at every transition between a shared store and a shared
 * load, as a GPU's lockstep would: it costs a switch a lane where nothing can
 * come of it. */
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attributes.h"
#include "device.h"
#include "must.h"
#include "warp_synchrony.h"
#include "synchrony_origin.h"
#include "pass_reconverge.h"
#include "wrap.h"

enum { SHARED_SPACE = 3, INLINE_LIMIT = 4000 /* instructions */ };

static LLVMValueRef *list_shared(LLVMModuleRef module, unsigned *n)
{
	LLVMValueRef *all = NULL;
	*n = 0;
	for (LLVMValueRef g = LLVMGetFirstGlobal(module); g; g = LLVMGetNextGlobal(g)) {
		if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != SHARED_SPACE)
			continue;
		all = must(realloc(all, (*n + 1) * sizeof *all));
		all[(*n)++] = g;
	}
	return all;
}

/* Accesses, and ends of blocks, before which a meeting may have to stand. */
static bool is_marked(LLVMValueRef i)
{
	return LLVMIsABranchInst(i) || LLVMIsASwitchInst(i) || LLVMIsAReturnInst(i) ||
	       LLVMIsALoadInst(i) || LLVMIsAStoreInst(i) || LLVMIsAAtomicRMWInst(i) ||
	       LLVMIsAAtomicCmpXchgInst(i) || LLVMIsAMemIntrinsic(i);
}

/* Accesses to plain locals are none of ours, and there are many. */
static bool is_local(LLVMValueRef i)
{
	return (LLVMIsALoadInst(i) && LLVMIsAAllocaInst(LLVMGetOperand(i, 0))) ||
	       (LLVMIsAStoreInst(i) && LLVMIsAAllocaInst(LLVMGetOperand(i, 1)));
}

struct numbered {
	LLVMValueRef *list; /* by number */
	unsigned n, room;
};

static void number(struct device_module *dm, LLVMValueRef i, void *arg)
{
	struct numbered *all = arg;
	(void)dm;
	if (!is_marked(i) || is_local(i))
		return;
	if (all->n == all->room) {
		all->room = all->room ? 2 * all->room : 256;
		all->list = must(realloc(all->list, all->room * sizeof *all->list));
	}
	all->list[all->n++] = i;
}

struct marking {
	LLVMBuilderRef builder;
	LLVMTypeRef type;
	LLVMValueRef marker;
	unsigned n;
};

static void mark(struct device_module *dm, LLVMValueRef i, void *arg)
{
	struct marking *m = arg;
	if (!is_marked(i) || is_local(i))
		return;
	LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(dm->context), m->n++, 0);
	LLVMPositionBuilderBefore(m->builder, i);
	LLVMBuildCall2(m->builder, m->type, m->marker, &number, 1, "");
}

/* Markers keep their place among accesses, and nothing else keeps them. */
static void mark_all(struct device_module *copy)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(copy->context);
	struct marking m = {
		.builder = LLVMCreateBuilderInContext(copy->context),
		.type = LLVMFunctionType(LLVMVoidTypeInContext(copy->context), &i32, 1, 0),
	};
	m.marker = LLVMAddFunction(copy->module, SYNCHRONY_MARKER, m.type);
	device_visit(copy, mark, &m);
	LLVMDisposeBuilder(m.builder);
}

static void set_attribute(LLVMValueRef function, const char *name, bool on)
{
	if (on)
		attribute_add(function, WHOLE_FUNCTION, name, 0);
	else
		attribute_remove(function, WHOLE_FUNCTION, name);
}

/* Functions of libdevice and the builtins touch no shared memory. */
static bool is_foreign(LLVMValueRef function)
{
	size_t n;
	const char *name = LLVMGetValueName2(function, &n);
	return !strncmp(name, "__nv_", 5) || !strncmp(name, "__cudasim_", 10);
}

static struct cudasim_error *inline_all(struct device_module *copy)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(copy->module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f))
			continue;
		bool inlined = !is_foreign(f) && device_size(f) < INLINE_LIMIT;
		set_attribute(f, "noinline", false);
		set_attribute(f, "optnone", false);
		set_attribute(f, "alwaysinline", inlined);
	}
	/* Once here, not again in each copy: variables of functions that are inlined in many places,
	 * and what is said of them for debuggers. */
	LLVMStripModuleDebugInfo(copy->module);
	return device_run_passes(copy, MEETINGS_COPY_PASSES);
}

static struct cudasim_error *analyse(struct device_module *dm, unsigned char *meet)
{
	struct device_module copy = *dm;
	struct wrap wrap;
	unsigned n_shared;
	wrap_number(dm, &wrap);
	copy.module = LLVMCloneModule(dm->module);
	mark_all(&copy);
	struct cudasim_error *error = inline_all(&copy);
	LLVMValueRef *shared = list_shared(copy.module, &n_shared);
	struct synchrony_origins *origins = NULL;
	if (!error)
		origins = synchrony_origins_new(copy.module, shared, n_shared);
	for (LLVMValueRef f = LLVMGetFirstFunction(copy.module); f && !error;
	     f = LLVMGetNextFunction(f))
		if (!LLVMIsDeclaration(f) && !is_foreign(f)) {
			synchrony_analyse(f, origins, meet);
			synchrony_analyse_releases(f, meet);
			synchrony_analyse_post_barrier(f, shared, n_shared, meet);
		}
	if (!error)
		wrap_analyse(&copy, &wrap);
	wrap_mark(dm, &wrap);
	wrap_free(&wrap);
	synchrony_origins_free(origins);
	free(shared);
	LLVMDisposeModule(copy.module);
	return error;
}

/* ---- volatile accesses of any memory -------------------------------------- */

static bool is_volatile(LLVMValueRef i)
{
	return (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && LLVMGetVolatile(i);
}

/* Whether the second follows in the same block, and nothing is called between. */
static bool runs_on(LLVMValueRef first, LLVMValueRef second)
{
	if (!first || LLVMGetInstructionParent(first) != LLVMGetInstructionParent(second))
		return false;
	for (LLVMValueRef i = LLVMGetNextInstruction(first); i != second;
	     i = LLVMGetNextInstruction(i))
		if (LLVMIsACallInst(i) && !LLVMIsADbgInfoIntrinsic(i))
			return false;
	return true;
}

/* The accesses [from, to) of one stretch of code: each that loads behind a store or
 * stores behind a load meets, if there are several rounds of these and the question
 * above has not been answered for shared memory. */
static void meet_in_run(const struct numbered *all, unsigned from, unsigned to, unsigned char *meet)
{
	LLVMValueRef last = NULL;
	unsigned rounds = 0;
	for (unsigned i = from; i < to; i++) {
		if (!is_volatile(all->list[i]))
			continue;
		rounds += last && LLVMIsAStoreInst(last) && LLVMIsALoadInst(all->list[i]);
		last = all->list[i];
		if (meet[i] & ~SYNCHRONY_POST_BARRIER)
			return;
	}
	last = NULL;
	for (unsigned i = from; i < to && rounds > 1; i++) {
		if (!is_volatile(all->list[i]))
			continue;
		meet[i] |= last && !LLVMIsAStoreInst(last) != !LLVMIsAStoreInst(all->list[i]);
		last = all->list[i];
	}
}

/* A warp's last steps of a reduction in global memory, written through a volatile
 * pointer without __syncwarp: load, store, load what another lane has stored, and so on.
 * One store and one load are left alone, as locks and flags look like that. */
static void meet_volatile(const struct numbered *all, unsigned char *meet)
{
	unsigned from = 0;
	LLVMValueRef last = NULL;
	for (unsigned i = 0; i < all->n; i++) {
		if (!is_volatile(all->list[i]))
			continue;
		if (!runs_on(last, all->list[i])) {
			meet_in_run(all, from, i, meet);
			from = i;
		}
		last = all->list[i];
	}
	meet_in_run(all, from, all->n, meet);
}

static void order_post_barrier(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef load)
{
	LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(load));
	device_call_runtime(dm, builder, "__cudasim_post_barrier", NULL, 0, load,
			    CUDASIM_SITE_SYNC);
}

static unsigned line_of(LLVMValueRef i)
{
	return LLVMInstructionGetDebugLoc(i) ? LLVMGetDebugLocLine(i) : 0;
}

/* The instruction that says best where the meeting is, for lanes go on by the order of places:
 * the end of a loop's last block stands at the loop's beginning. */
static LLVMValueRef place_of_meeting(LLVMValueRef access)
{
	LLVMValueRef place = access;
	if (!LLVMIsATerminatorInst(access))
		return access;
	for (LLVMValueRef i = LLVMGetFirstInstruction(LLVMGetInstructionParent(access));
	     i != access; i = LLVMGetNextInstruction(i))
		if (!LLVMIsAPHINode(i) && line_of(i) > line_of(place))
			place = i;
	return place;
}

static void meet_at(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef access)
{
	device_call_runtime(dm, builder, "__cudasim_reconverge", NULL, 0, place_of_meeting(access),
			    CUDASIM_SITE_SYNC);
}

/* A copy becomes two, by way of a local, where its length is known. */
static void part(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef copy)
{
	LLVMValueRef length = LLVMGetOperand(copy, 2);
	LLVMBasicBlockRef block = LLVMGetInstructionParent(copy);
	if (!LLVMIsAConstantInt(length))
		return;
	unsigned n = (unsigned)LLVMConstIntGetZExtValue(length);
	LLVMTypeRef type = LLVMArrayType2(LLVMInt8TypeInContext(dm->context), n);
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(block));
	LLVMPositionBuilderBefore(builder, LLVMGetFirstInstruction(entry));
	LLVMSetCurrentDebugLocation2(builder, NULL);
	LLVMValueRef local = LLVMBuildAlloca(builder, type, "moved");
	LLVMPositionBuilderBefore(builder, copy);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(copy));
	LLVMBuildMemCpy(builder, local, 1, LLVMGetOperand(copy, 1), 1, length);
	meet_at(dm, builder, copy);
	LLVMBuildMemCpy(builder, LLVMGetOperand(copy, 0), 1, local, 1, length);
	LLVMInstructionEraseFromParent(copy);
}

/* What a release (synchrony_release.c) is made of. */
struct parts {
	bool fence, atomic, warp;
};

static void find_part(struct device_module *dm, LLVMValueRef i, void *arg)
{
	struct parts *parts = arg;
	(void)dm;
	parts->fence |= LLVMIsAFenceInst(i) != NULL;
	parts->atomic |= LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
	parts->warp |= synchrony_is_meeting(i) && !synchrony_is_barrier(i);
}

static bool may_release(struct device_module *dm)
{
	struct parts parts = {.fence = false};
	device_visit(dm, find_part, &parts);
	return parts.fence && parts.atomic && parts.warp;
}

/* ---- the passes: what is found is kept in the module until the last of them ---- */

static unsigned mark_kind(const struct device_module *dm)
{
	return LLVMGetMDKindIDInContext(dm->context, "cudasim.meet", 12);
}

/* The bits of enum synchrony_meeting that stand at each access, and all accesses. */
static unsigned char *read_marks(struct device_module *dm, struct numbered *all)
{
	*all = (struct numbered){0};
	device_visit(dm, number, all);
	unsigned char *meet = must(calloc(all->n + 1, 1));
	for (unsigned i = 0; i < all->n; i++) {
		LLVMValueRef node = LLVMHasMetadata(all->list[i])
					    ? LLVMGetMetadata(all->list[i], mark_kind(dm))
					    : NULL;
		LLVMValueRef bits;
		if (!node)
			continue;
		LLVMGetMDNodeOperands(node, &bits);
		meet[i] = (unsigned char)LLVMConstIntGetZExtValue(bits);
	}
	return meet;
}

static void write_marks(struct device_module *dm, const struct numbered *all,
			const unsigned char *meet)
{
	for (unsigned i = 0; i < all->n; i++) {
		if (!meet[i])
			continue;
		LLVMValueRef bits = LLVMConstInt(LLVMInt32TypeInContext(dm->context), meet[i], 0);
		LLVMSetMetadata(all->list[i], mark_kind(dm),
				LLVMMDNodeInContext(dm->context, &bits, 1));
	}
}

struct cudasim_error *pass_meetings(struct device_module *dm)
{
	struct numbered all;
	struct cudasim_error *error = NULL;
	unsigned n_shared;
	free(list_shared(dm->module, &n_shared));
	if (!n_shared && !may_release(dm))
		return NULL;
	unsigned char *meet = read_marks(dm, &all);
	error = analyse(dm, meet);
	write_marks(dm, &all, meet);
	free(meet);
	free(all.list);
	return error;
}

struct cudasim_error *pass_wrap(struct device_module *dm)
{
	wrap_apply(dm);
	return NULL;
}

struct cudasim_error *pass_volatile_meetings(struct device_module *dm)
{
	struct numbered all;
	unsigned char *meet = read_marks(dm, &all);
	meet_volatile(&all, meet);
	write_marks(dm, &all, meet);
	free(meet);
	free(all.list);
	return NULL;
}

struct cudasim_error *pass_reconverge(struct device_module *dm)
{
	struct numbered all;
	unsigned char *meet = read_marks(dm, &all);
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	for (unsigned i = 0; i < all.n; i++) {
		if (!meet[i])
			continue;
		LLVMSetMetadata(all.list[i], mark_kind(dm), NULL);
		LLVMPositionBuilderBefore(builder, all.list[i]);
		LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(all.list[i]));
		if (meet[i] & SYNCHRONY_BEFORE)
			meet_at(dm, builder, all.list[i]);
		if (meet[i] & SYNCHRONY_POST_BARRIER)
			order_post_barrier(dm, builder, all.list[i]);
		if (meet[i] & SYNCHRONY_WITHIN)
			part(dm, builder, all.list[i]);
	}
	LLVMDisposeBuilder(builder);
	free(meet);
	free(all.list);
	return NULL;
}
