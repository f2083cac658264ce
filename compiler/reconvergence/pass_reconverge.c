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

#include "assumed_block.h"
#include "attributes.h"
#include "device.h"
#include "layout.h"
#include "lockstep_signs.h"
#include "must.h"
#include "names.h"
#include "warp_synchrony.h"
#include "synchrony_origin.h"
#include "order.h"
#include "pass_reconverge.h"
#include "sites.h"
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

/* Is it the first of its block, to which several ways lead? */
static bool begins_join(LLVMValueRef i)
{
	LLVMValueRef before = LLVMGetPreviousInstruction(i);
	unsigned n = 0;
	if (LLVMIsAPHINode(i) || (before && !LLVMIsAPHINode(before)))
		return false;
	LLVMValueRef block = LLVMBasicBlockAsValue(LLVMGetInstructionParent(i));
	for (LLVMUseRef use = LLVMGetFirstUse(block); use; use = LLVMGetNextUse(use))
		n += LLVMIsATerminatorInst(LLVMGetUser(use)) != NULL;
	return n > 1;
}

static bool has_number(LLVMValueRef i)
{
	return (is_marked(i) && !is_local(i)) || begins_join(i);
}

static unsigned mark_kind(const struct device_module *dm)
{
	return LLVMGetMDKindIDInContext(dm->context, "cudasim.meet", 12);
}

struct numbered {
	LLVMValueRef *list; /* by number */
	unsigned n, room;
};

/* What is known of each of the accesses, ends of blocks, and places where ways join. */
struct marks {
	struct numbered all;
	unsigned char *meet; /* bits of enum synchrony_meeting */
	unsigned char *assumed; /* in blocks as their kernels' sources assume them */
	uint32_t *rank;      /* order.h */
};

static void number(struct device_module *dm, LLVMValueRef i, void *arg)
{
	struct numbered *all = arg;
	/* What a pass has put before the first of a join does not change its mark. */
	if (!has_number(i) && !(LLVMHasMetadata(i) && LLVMGetMetadata(i, mark_kind(dm))))
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
	if (!has_number(i))
		return;
	LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(dm->context),
					   m->n++ | (begins_join(i) ? SYNCHRONY_JOIN : 0), 0);
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

static bool is_volatile(LLVMValueRef i)
{
	return (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && LLVMGetVolatile(i);
}

/* Which place comes first is asked of those with meetings, and those that may get one for being
 * volatile. */
static void rank(LLVMModuleRef copy, struct marks *m)
{
	unsigned char *wanted = must(calloc(m->all.n + 1, 1));
	for (unsigned i = 0; i < m->all.n; i++)
		wanted[i] = m->meet[i] || is_volatile(m->all.list[i]);
	order_places(copy, wanted, m->all.n, m->rank);
	free(wanted);
}

/* All marks of a function in blocks of that size, into `meet`. */
static void ask(LLVMValueRef function, const struct synchrony_origins *origins,
		struct synchrony_block block, const LLVMValueRef *shared, unsigned n_shared,
		unsigned char *meet)
{
	synchrony_analyse(function, origins, block, meet);
	synchrony_analyse_releases(function, meet);
	synchrony_analyse_post_barrier(function, shared, n_shared, meet);
}

/* How many marks of meetings before accesses. */
static unsigned count(const unsigned char *meet, unsigned n)
{
	unsigned found = 0;
	for (unsigned i = 0; i < n; i++)
		found += (meet[i] & SYNCHRONY_BEFORE) != 0;
	return found;
}

/* The block to assume: what has fewer marks with less being assumed. Its marks are in `meet`. */
static struct synchrony_block find_block(LLVMValueRef function,
					 const struct synchrony_origins *origins,
					 const LLVMValueRef *shared, unsigned n_shared,
					 unsigned char *meet, unsigned n)
{
	struct synchrony_block block = {.has_warps = true};
	ask(function, origins, block, shared, n_shared, meet);
	if (!count(meet, n))
		return block;
	block = synchrony_assumed_block(function);
	memset(meet, 0, n);
	ask(function, origins, block, shared, n_shared, meet);
	if (!count(meet, n) || (block.x && block.x < CUDASIM_WARP_SIZE))
		return block;
	unsigned char *whole = must(calloc(n + 1, 1));
	struct synchrony_block rows = block;
	rows.has_whole_rows = true;
	ask(function, origins, rows, shared, n_shared, whole);
	bool is_better = count(whole, n) < count(meet, n);
	if (is_better)
		memcpy(meet, whole, n);
	free(whole);
	return is_better ? rows : block;
}

/* The marks of one function of the copy, for any block and for the one that it assumes. */
static void mark_function(struct device_module *dm, LLVMValueRef function,
			  const struct synchrony_origins *origins, const LLVMValueRef *shared,
			  unsigned n_shared, struct marks *m)
{
	unsigned char *meet = must(calloc(m->all.n + 1, 1)), *within = meet;
	struct synchrony_block block = {.has_warps = false};
	ask(function, origins, block, shared, n_shared, meet);
	if (count(meet, m->all.n) && layout_find_kernel(dm->program->layout, name_of(function))) {
		within = must(calloc(m->all.n + 1, 1));
		block = find_block(function, origins, shared, n_shared, within, m->all.n);
		if (memcmp(meet, within, m->all.n))
			assumed_block_set(LLVMGetNamedFunction(dm->module, name_of(function)),
					  &(struct assumed_block){{block.x, block.y},
								  block.has_warps,
								  block.has_whole_rows});
	}
	for (unsigned i = 0; i < m->all.n; i++) {
		m->meet[i] |= meet[i];
		m->assumed[i] |= within[i];
	}
	if (within != meet)
		free(within);
	free(meet);
}

static struct cudasim_error *analyse(struct device_module *dm, struct marks *m)
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
		if (!LLVMIsDeclaration(f) && !is_foreign(f))
			mark_function(dm, f, origins, shared, n_shared, m);
	if (!error) {
		wrap_analyse(&copy, &wrap);
		rank(copy.module, m);
	}
	wrap_mark(dm, &wrap);
	wrap_free(&wrap);
	synchrony_origins_free(origins);
	free(shared);
	LLVMDisposeModule(copy.module);
	return error;
}

/* ---- volatile accesses of any memory -------------------------------------- */

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

/* rank: 0 where it is not known. Returns the call. */
static LLVMValueRef meet_at(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef access,
			    uint32_t rank)
{
	LLVMValueRef place = place_of_meeting(access);
	if (!rank)
		return device_call_runtime(dm, builder, "__cudasim_reconverge", NULL, 0, place,
					   CUDASIM_SITE_SYNC);
	LLVMValueRef function = device_runtime(dm, "__cudasim_reconverge"),
		     site = site_ranked(dm, place, CUDASIM_SITE_SYNC);
	return LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, &site, 1, "");
}

/* A copy becomes two, by way of a local, where its length is known. */
static void part(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef copy, uint32_t rank)
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
	meet_at(dm, builder, copy, rank);
	LLVMBuildMemCpy(builder, LLVMGetOperand(copy, 0), 1, local, 1, length);
	LLVMInstructionEraseFromParent(copy);
}

/* ---- the passes: what is found is kept in the module until the last of them ---- */

enum { MARK_MEET, MARK_RANK, MARK_ASSUMED, N_OF_MARK };

static unsigned operand(LLVMValueRef node, unsigned k)
{
	LLVMValueRef operands[N_OF_MARK];
	LLVMGetMDNodeOperands(node, operands);
	return (unsigned)LLVMConstIntGetZExtValue(operands[k]);
}

static struct marks read_marks(struct device_module *dm)
{
	struct marks m = {.meet = NULL};
	device_visit(dm, number, &m.all);
	m.meet = must(calloc(m.all.n + 1, sizeof *m.meet));
	m.assumed = must(calloc(m.all.n + 1, sizeof *m.assumed));
	m.rank = must(calloc(m.all.n + 1, sizeof *m.rank));
	for (unsigned i = 0; i < m.all.n; i++) {
		LLVMValueRef access = m.all.list[i];
		LLVMValueRef node = LLVMHasMetadata(access) ? LLVMGetMetadata(access, mark_kind(dm))
							    : NULL;
		if (!node)
			continue;
		m.meet[i] = (unsigned char)operand(node, MARK_MEET);
		m.rank[i] = operand(node, MARK_RANK);
		m.assumed[i] = (unsigned char)operand(node, MARK_ASSUMED);
	}
	return m;
}

static void write_marks(struct device_module *dm, const struct marks *m)
{
	LLVMTypeRef i32 = LLVMInt32TypeInContext(dm->context);
	for (unsigned i = 0; i < m->all.n; i++) {
		if (!m->meet[i] && !m->rank[i])
			continue;
		LLVMValueRef node[N_OF_MARK] = {
			[MARK_MEET] = LLVMConstInt(i32, m->meet[i], 0),
			[MARK_RANK] = LLVMConstInt(i32, m->rank[i], 0),
			[MARK_ASSUMED] = LLVMConstInt(i32, m->assumed[i], 0),
		};
		LLVMSetMetadata(m->all.list[i], mark_kind(dm),
				LLVMMDNodeInContext(dm->context, node, N_OF_MARK));
	}
}

static void free_marks(struct marks *m)
{
	free(m->all.list);
	free(m->meet);
	free(m->assumed);
	free(m->rank);
}

struct cudasim_error *pass_meetings(struct device_module *dm)
{
	struct cudasim_error *error = NULL;
	unsigned n_shared;
	free(list_shared(dm->module, &n_shared));
	if (!n_shared && !lockstep_may_matter(dm))
		return NULL;
	struct marks m = read_marks(dm);
	error = analyse(dm, &m);
	write_marks(dm, &m);
	free_marks(&m);
	return error;
}

struct cudasim_error *pass_wrap(struct device_module *dm)
{
	wrap_apply(dm);
	return NULL;
}

struct cudasim_error *pass_volatile_meetings(struct device_module *dm)
{
	struct marks m = read_marks(dm);
	unsigned char *before = must(malloc(m.all.n + 1));
	memcpy(before, m.meet, m.all.n);
	meet_volatile(&m.all, m.meet);
	for (unsigned i = 0; i < m.all.n; i++)
		m.assumed[i] |= m.meet[i] & ~before[i];
	free(before);
	write_marks(dm, &m);
	free_marks(&m);
	return NULL;
}

struct ranked {
	uint32_t rank;
	unsigned place;
};

static int by_rank(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

static void meet(struct device_module *dm, LLVMBuilderRef builder, const struct marks *m,
		 unsigned i)
{
	LLVMValueRef access = m->all.list[i];
	LLVMPositionBuilderBefore(builder, access);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(access));
	if (m->meet[i] & SYNCHRONY_BEFORE) {
		LLVMValueRef call = meet_at(dm, builder, access, m->rank[i]);
		if (!(m->assumed[i] & SYNCHRONY_BEFORE))
			assumed_block_mark(call);
	}
	if (m->meet[i] & SYNCHRONY_POST_BARRIER)
		order_post_barrier(dm, builder, access);
	if (m->meet[i] & SYNCHRONY_WITHIN)
		part(dm, builder, access, m->rank[i]);
}

/* Sites are made in the order of ranks. */
struct cudasim_error *pass_reconverge(struct device_module *dm)
{
	struct marks m = read_marks(dm);
	struct ranked *order = must(calloc(m.all.n + 1, sizeof *order));
	size_t n = 0;
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	for (unsigned i = 0; i < m.all.n; i++) {
		if (m.meet[i] || m.rank[i])
			LLVMSetMetadata(m.all.list[i], mark_kind(dm), NULL);
		if (m.meet[i])
			order[n++] = (struct ranked){m.rank[i], i};
	}
	qsort(order, n, sizeof *order, by_rank);
	for (size_t i = 0; i < n; i++)
		meet(dm, builder, &m, order[i].place);
	LLVMDisposeBuilder(builder);
	free(order);
	free_marks(&m);
	return NULL;
}
