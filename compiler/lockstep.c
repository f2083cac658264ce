/* SPDX-License-Identifier: Apache-2.0 */
/* lockstep.c - a forward data-flow analysis over the shared accesses of one
 * function, between the places where its warps meet anyway.
 *
 * State at a point, for each shared variable: the stores, and the loads, that
 * may have happened since the warp met last, as one key: none, the accesses of
 * one address only, or many. Keys are hashes of address expressions; equal keys
 * mean that a thread comes back to its own address, which needs no meeting. An
 * expression that can have several values in one run of the function (because
 * it depends on what is computed in a loop) ends with the loop's round, unless the
 * thread is known to walk over addresses of its own (lockstep_private.c); in volatile
 * accesses, with which warp-synchronous code is written, its key ends with its block.
 *
 * First round: a load is to be preceded by a meeting where a store to the same
 * variable, with another key, is pending, unless the thread has loaded the same
 * address in the same block of code before (a swap's second half). Second round: a store likewise for
 * pending loads, where a load found by the first round comes before or after it
 * without a meeting in between; for only there is the program known to count on
 * lockstep. States only grow from round to round, so both end.
 *
 * In the first round, too, elements that a warp moves by an index that memory holds
 * (a[p[i]] = a[i], and no loop around) are stored after all its lanes have loaded theirs.
 *
 * Lanes that do not take a branch in which a meeting has been found wait for those that do
 * before the next round of their loop; at the branch's end, where the loop asks who is there,
 * or has other such meetings: they would meet without them.
 *
 * Functions that are inlined nowhere begin as if their callers had accessed everything at
 * unknown addresses, and a call of one leaves what it accesses behind in the same way.
 *
 * A load in a loop that stores nothing to its variables needs one meeting before
 * the loop, not one each time round. */
#include "lockstep.h"
#include "lockstep_origin.h"
#include "lockstep_range.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_OBJECTS = ORIGIN_VARIABLES,
	MAX_DEPTH = 24,    /* of address expressions followed */
	MAX_NODES = 256,   /* of one address expression */
	MAX_LOADED = 8,    /* addresses remembered within a block */
	KEY_NONE = 0,      /* no access pending */
	KEY_MANY = -1,     /* several addresses, or not known */
};

typedef lockstep_objects objects;

struct state {
	int64_t stores[MAX_OBJECTS], loads[MAX_OBJECTS]; /* KEY_*, or a key above 0 */
	bool needed; /* a load that needs a meeting came since the last one */
};

/* What an instruction means here, in the order of its block. */
struct event {
	bool meets;
	uint32_t number; /* of the access */
	bool is_volatile, is_end; /* is_end: of a block, neither load nor store */
	bool needed;              /* a load that counts on lockstep */
	bool moves;               /* it stores what was loaded at copied_key */
	bool asks;                /* it meets, and asks who is there */
	bool calls;               /* a function that accesses load and store */
	objects load, store;
	int64_t load_key, store_key, copied_key;
};

struct block {
	LLVMBasicBlockRef ref;
	unsigned first, n;      /* its events */
	unsigned to, n_to;      /* its successors in analysis.edges */
	unsigned *from, n_from; /* its predecessors */
	struct state in, out;
	unsigned before;        /* of a loop's header: its way in, + 1; else 0 */
	unsigned latch;         /* of a loop's header: where its back-edge begins */
	bool cyclic;            /* lies on a cycle: what it computes has many values */
	bool needed_later;      /* from its end a needed load may come first */
	unsigned index, low;    /* Tarjan's */
	bool on_stack;
};

struct analysis {
	LLVMValueRef function;
	const struct lockstep_origins *origins;
	struct lockstep_ranges *ranges; /* NULL before they are asked */
	struct block *blocks;
	unsigned n_blocks;
	unsigned *slots;        /* block number + 1 by its address's hash */
	unsigned n_slots;       /* a power of two */
	unsigned *edges;        /* block numbers */
	unsigned char *back;    /* of each edge: does it close a loop? */
	struct event *events;
	unsigned n_events, room;
	unsigned char *meet;
	bool changed;
	unsigned nodes;         /* of the expression in work */
	unsigned *stack, n_stack, next_index;
};

static void *must(void *memory)
{
	if (!memory) {
		fputs("cudasim-devcc: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

static const char *callee_name(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t n;
	return callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &n) : "";
}

int lockstep_is_meeting(LLVMValueRef i)
{
	static const char *const parts[] = {
		"barrier", "bar_sync", "syncwarp", "bar_warp", "bar.warp", "shfl", "vote", "match_",
		"match.", "sim_mma.", "redux", "elect", "converge", "activemask", "cluster_wait",
	};
	if (!LLVMIsACallInst(i))
		return 0;
	const char *name = callee_name(i);
	if (strncmp(name, "__cudasim_", 10) && strncmp(name, "llvm.nvvm.", 10))
		return 0;
	for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
		if (strstr(name, parts[k]) && !strstr(name, "mbarrier") &&
		    !strstr(name, "arrive"))
			return 1;
	return 0;
}

int lockstep_is_barrier(LLVMValueRef i)
{
	return lockstep_is_meeting(i) && (strstr(callee_name(i), "barrier") ||
					  strstr(callee_name(i), "bar_sync"));
}

/* ---- blocks --------------------------------------------------------------- */

static unsigned *block_slot(const struct analysis *a, LLVMBasicBlockRef ref)
{
	for (size_t i = ((uintptr_t)ref >> 4) * 0x9e3779b97f4a7c15u >> 20;; i++) {
		unsigned *slot = &a->slots[i & (a->n_slots - 1)];
		if (!*slot || a->blocks[*slot - 1].ref == ref)
			return slot;
	}
}

static unsigned block_number(const struct analysis *a, LLVMBasicBlockRef ref)
{
	return *block_slot(a, ref) - 1;
}

static void list_blocks(struct analysis *a, LLVMValueRef function)
{
	unsigned k = 0, n_edges = 0;
	a->n_blocks = LLVMCountBasicBlocks(function);
	a->blocks = must(calloc(a->n_blocks, sizeof *a->blocks));
	for (a->n_slots = 16; a->n_slots < 2 * a->n_blocks;)
		a->n_slots *= 2;
	a->slots = must(calloc(a->n_slots, sizeof *a->slots));
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		a->blocks[k].ref = b;
		*block_slot(a, b) = ++k;
		n_edges += LLVMGetNumSuccessors(LLVMGetBasicBlockTerminator(b));
	}
	a->edges = must(calloc(n_edges + 1, sizeof *a->edges));
	a->back = must(calloc(n_edges + 1, 1));
	n_edges = 0;
	for (k = 0; k < a->n_blocks; k++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(a->blocks[k].ref);
		a->blocks[k].to = n_edges;
		a->blocks[k].n_to = LLVMGetNumSuccessors(end);
		for (unsigned i = 0; i < a->blocks[k].n_to; i++) {
			unsigned number = block_number(a, LLVMGetSuccessor(end, i));
			struct block *to = &a->blocks[number];
			a->edges[n_edges++] = number;
			to->from = must(realloc(to->from, (to->n_from + 1) * sizeof *to->from));
			to->from[to->n_from++] = k;
		}
	}
}

/* Headers of loops: one of two ways in is the back-edge, which comes from a block
 * that the depth-first search reached from the header. */
static void find_loops(struct analysis *a, unsigned k, unsigned char *state)
{
	struct block *b = &a->blocks[k];
	state[k] = 1;
	for (unsigned i = 0; i < b->n_to; i++) {
		unsigned to = a->edges[b->to + i];
		struct block *header = &a->blocks[to];
		if (!state[to]) {
			find_loops(a, to, state);
		} else if (state[to] == 1) {
			a->back[b->to + i] = 1;
			if (header->n_from != 2)
				continue;
			unsigned other = header->from[0] == k ? header->from[1] : header->from[0];
			header->before = other + 1;
			header->latch = k;
		}
	}
	state[k] = 2;
}

/* Tarjan, "Depth-first search and linear graph algorithms", 1972: blocks of a
 * strong component with a cycle are cyclic. */
static void component(struct analysis *a, unsigned k)
{
	struct block *b = &a->blocks[k];
	b->index = b->low = ++a->next_index;
	b->on_stack = true;
	a->stack[a->n_stack++] = k;
	for (unsigned i = 0; i < b->n_to; i++) {
		struct block *to = &a->blocks[a->edges[b->to + i]];
		if (to == b)
			b->cyclic = true;
		if (!to->index)
			component(a, a->edges[b->to + i]);
		if (to->on_stack && to->low < b->low)
			b->low = to->low;
	}
	if (b->low != b->index)
		return;
	bool alone = a->stack[a->n_stack - 1] == k;
	for (;;) {
		struct block *member = &a->blocks[a->stack[--a->n_stack]];
		member->on_stack = false;
		member->cyclic |= !alone;
		if (member == b)
			break;
	}
}

/* ---- addresses ------------------------------------------------------------ */

static int64_t mix(int64_t h, int64_t x)
{
	uint64_t m = ((uint64_t)h ^ (uint64_t)x) * 0x9e3779b97f4a7c15u;
	return (int64_t)(m ^ m >> 29);
}

static bool is_pure(LLVMOpcode op)
{
	switch (op) {
	case LLVMGetElementPtr: case LLVMAddrSpaceCast: case LLVMBitCast: case LLVMAdd:
	case LLVMSub: case LLVMMul: case LLVMShl: case LLVMLShr: case LLVMAShr: case LLVMAnd:
	case LLVMOr: case LLVMXor: case LLVMZExt: case LLVMSExt: case LLVMTrunc: case LLVMURem:
	case LLVMUDiv: case LLVMSRem: case LLVMSDiv:
		return true;
	default:
		return false;
	}
}

/* Is it the thread's context, or what lies in it or its block (threadIdx and its
 * kin)? Constant for a thread, whoever asks. */
static bool is_context(LLVMValueRef value, unsigned depth)
{
	if (depth > MAX_DEPTH)
		return false;
	if (LLVMIsAGetElementPtrInst(value) || LLVMIsALoadInst(value))
		return is_context(LLVMGetOperand(value, 0), depth + 1);
	return LLVMIsACallInst(value) && LLVMGetNumArgOperands(value) == 0 &&
	       (strstr(callee_name(value), "sreg") || strstr(callee_name(value), "context"));
}

int lockstep_is_context(LLVMValueRef value)
{
	return is_context(value, 0);
}

/* A number that is equal for equal expressions; *stable is cleared where the
 * expression may have several values in one run. */
static int64_t key_of(struct analysis *a, LLVMValueRef value, unsigned depth, bool *stable)
{
	if (depth > MAX_DEPTH || a->nodes++ > MAX_NODES) {
		*stable = false;
		return mix(7, (intptr_t)value);
	}
	if (LLVMIsAConstantInt(value))
		return mix(1, (int64_t)LLVMConstIntGetZExtValue(value));
	bool constant = LLVMIsAConstantExpr(value);
	if (!constant && !LLVMIsAInstruction(value))
		return mix(6, (intptr_t)value);
	LLVMOpcode op = constant ? LLVMGetConstOpcode(value) : LLVMGetInstructionOpcode(value);
	if (!constant && op == LLVMCall && is_context(value, 0))
		return mix(2, (intptr_t)LLVMGetCalledValue(value));
	bool reads = !constant && op == LLVMLoad && is_context(value, 0);
	if (constant || reads || is_pure(op)) {
		int64_t h = mix(3, op);
		for (int i = 0, n = LLVMGetNumOperands(value); i < n; i++)
			h = mix(h, key_of(a, LLVMGetOperand(value, (unsigned)i), depth + 1, stable));
		return h;
	}
	if (a->blocks[block_number(a, LLVMGetInstructionParent(value))].cyclic)
		*stable = false;
	return mix(4, (intptr_t)value);
}

/* Bits of a key: ends with its block; ends with a round of a loop. */
enum { UNSTABLE_SHIFT = 62, ROUND_SHIFT = 61 };

static bool is_private(struct analysis *a, LLVMValueRef address, LLVMValueRef access)
{
	if (!a->ranges)
		a->ranges = lockstep_ranges_new(a->function);
	return lockstep_is_private(a->ranges, address, access);
}

static int64_t key(struct analysis *a, LLVMValueRef address, LLVMValueRef access,
		   bool is_volatile)
{
	bool stable = true;
	a->nodes = 0;
	int64_t h = key_of(a, address, 0, &stable) & (((int64_t)1 << ROUND_SHIFT) - 1);
	return (h ? h : 1) | (int64_t)(!stable && is_volatile) << UNSTABLE_SHIFT |
	       (int64_t)(!stable && !is_private(a, address, access)) << ROUND_SHIFT;
}

/* Does the address hold a value that comes from memory? */
static bool is_looked_up(struct analysis *a, LLVMValueRef value, unsigned depth)
{
	if (!LLVMIsAInstruction(value) || depth > MAX_DEPTH || a->nodes++ > MAX_NODES)
		return false;
	if (LLVMIsALoadInst(value))
		return !is_context(value, 0);
	if (!is_pure(LLVMGetInstructionOpcode(value)))
		return false;
	for (int i = 0, n = LLVMGetNumOperands(value); i < n; i++)
		if (is_looked_up(a, LLVMGetOperand(value, (unsigned)i), depth + 1))
			return true;
	return false;
}

/* At a block's end the next time round may be meant. */
static void settle(int64_t *pending, unsigned shift)
{
	for (unsigned i = 0; i < MAX_OBJECTS; i++)
		if (pending[i] > 0 && pending[i] >> shift & 1)
			pending[i] = KEY_MANY;
}

/* ---- events --------------------------------------------------------------- */

/* The addresses that an instruction loads from and stores to, or NULL. */
static void addresses(LLVMValueRef i, LLVMValueRef *load, LLVMValueRef *store)
{
	*load = *store = NULL;
	if (LLVMIsALoadInst(i)) {
		*load = LLVMGetOperand(i, 0);
	} else if (LLVMIsAStoreInst(i)) {
		*store = LLVMGetOperand(i, 1);
	} else if (LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i)) {
		*store = LLVMGetOperand(i, 0);
	} else if (LLVMIsAMemIntrinsic(i)) {
		*store = LLVMGetOperand(i, 0);
		if (!LLVMIsAMemSetInst(i))
			*load = LLVMGetOperand(i, 1);
	}
}

/* Does instruction i, the event e, store to a variable what it had elsewhere, one of the
 * two places looked up? */
static void find_move(struct analysis *a, LLVMValueRef i, struct event *e)
{
	LLVMValueRef from = NULL, to = LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0);
	LLVMBasicBlockRef block = LLVMGetInstructionParent(i);
	if (LLVMIsAMemCpyInst(i)) {
		from = LLVMGetOperand(i, 1);
	} else if (LLVMIsAStoreInst(i)) {
		LLVMValueRef value = LLVMGetOperand(i, 0);
		if (LLVMIsALoadInst(value) && LLVMGetInstructionParent(value) == block)
			from = LLVMGetOperand(value, 0);
	}
	if (!from || e->is_volatile || a->blocks[block_number(a, block)].cyclic)
		return;
	if (!(lockstep_origins_of(a->origins, from) & e->store))
		return;
	e->copied_key = key(a, from, i, false);
	a->nodes = 0;
	e->moves = e->copied_key != e->store_key &&
		   (is_looked_up(a, from, 0) || is_looked_up(a, to, 0));
}

static void add_event(struct analysis *a, LLVMValueRef i, uint32_t number, bool marked)
{
	struct event e = { .meets = lockstep_is_meeting(i), .number = number };
	e.asks = e.meets && strstr(callee_name(i), "activemask");
	e.is_end = marked && LLVMIsATerminatorInst(i);
	LLVMValueRef load, store;
	addresses(i, &load, &store);
	e.is_volatile = (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && LLVMGetVolatile(i);
	if (load && (e.load = lockstep_origins_of(a->origins, load)))
		e.load_key = key(a, load, i, e.is_volatile);
	if (store && (e.store = lockstep_origins_of(a->origins, store)))
		e.store_key = key(a, store, i, e.is_volatile);
	if (e.store)
		find_move(a, i, &e);
	if (LLVMIsACallInst(i) && !LLVMIsAMemIntrinsic(i) && !e.meets) {
		lockstep_origins_called(a->origins, i, &e.load, &e.store);
		e.calls = e.load || e.store;
	}
	if (!e.meets && !e.load && !e.store && !e.is_end)
		return;
	if (a->n_events == a->room) {
		a->room = a->room ? 2 * a->room : 128;
		a->events = must(realloc(a->events, a->room * sizeof *a->events));
	}
	a->events[a->n_events++] = e;
}

static void list_events(struct analysis *a)
{
	for (unsigned k = 0; k < a->n_blocks; k++) {
		uint32_t number = 0;
		bool marked = false;
		a->blocks[k].first = a->n_events;
		for (LLVMValueRef i = LLVMGetFirstInstruction(a->blocks[k].ref); i;
		     i = LLVMGetNextInstruction(i)) {
			if (LLVMIsACallInst(i) && !strcmp(callee_name(i), LOCKSTEP_MARKER)) {
				number = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0));
				marked = true;
				continue;
			}
			add_event(a, i, number, marked);
			marked &= !LLVMIsALoadInst(i) && !LLVMIsAStoreInst(i) &&
				  !LLVMIsAAtomicRMWInst(i) && !LLVMIsAAtomicCmpXchgInst(i) &&
				  !LLVMIsAMemIntrinsic(i);
		}
		a->blocks[k].n = a->n_events - a->blocks[k].first;
	}
}

/* ---- the flow ------------------------------------------------------------- */

static int64_t join(int64_t a, int64_t b)
{
	if (a == KEY_NONE || a == b)
		return b;
	return b == KEY_NONE ? a : KEY_MANY;
}

static bool conflicts(const int64_t *pending, objects where, int64_t with)
{
	for (unsigned i = 0; i < MAX_OBJECTS; i++)
		if (where >> i & 1 && pending[i] != KEY_NONE && pending[i] != with)
			return true;
	return false;
}

static void pend(int64_t *pending, objects where, int64_t with)
{
	for (unsigned i = 0; i < MAX_OBJECTS; i++)
		if (where >> i & 1)
			pending[i] = join(pending[i], with);
}

static void met(struct state *s)
{
	memset(s->stores, 0, sizeof s->stores);
	memset(s->loads, 0, sizeof s->loads);
}

/* May a load that needs a meeting come before the next meeting, from event k of
 * block b on? */
static bool needed_from(const struct analysis *a, const struct block *b, unsigned k)
{
	for (; k < b->first + b->n; k++) {
		if (a->events[k].meets)
			return false;
		if (a->events[k].needed)
			return true;
	}
	return b->needed_later;
}

/* Addresses that the thread has loaded in this block since the warp met. */
struct loaded {
	int64_t keys[MAX_LOADED];
	unsigned n;
};

static bool has(const struct loaded *loaded, int64_t key)
{
	for (unsigned i = 0; i < loaded->n; i++)
		if (loaded->keys[i] == key)
			return true;
	return false;
}

static bool was_loaded(const struct loaded *loaded, const struct event *e)
{
	return has(loaded, e->load_key) && !e->is_volatile;
}

static void remember(struct loaded *loaded, int64_t key)
{
	if (loaded->n < MAX_LOADED)
		loaded->keys[loaded->n++] = key;
}

static void want(struct analysis *a, uint32_t number, enum lockstep_meeting where)
{
	if (!(a->meet[number] & where)) {
		a->meet[number] |= (unsigned char)where;
		a->changed = true;
	}
}

/* What is moved within a variable, unless it is one half of a swap. */
static void want_move(struct analysis *a, const struct event *e, const struct loaded *loaded)
{
	if (!e->moves || has(loaded, e->store_key))
		return;
	if (e->load)
		want(a, e->number, LOCKSTEP_WITHIN);
	else if (has(loaded, e->copied_key))
		want(a, e->number, LOCKSTEP_BEFORE);
}

/* ---- before loops --------------------------------------------------------- */

static bool stores_to(const struct analysis *a, const struct block *b, objects where)
{
	for (unsigned k = b->first; k < b->first + b->n; k++)
		if (a->events[k].store & where)
			return true;
	return false;
}

/* Is block k in the natural loop of header h, which stores nothing to `where`?
 * The loop is collected backwards from its latch, and with it, where a cycle is entered past
 * the header, all that leads there: what is stored on such a way counts as stored inside. */
static bool loop_is_quiet(const struct analysis *a, unsigned h, unsigned k, objects where)
{
	unsigned char *in = must(calloc(a->n_blocks, 1));
	unsigned *stack = must(malloc(a->n_blocks * sizeof *stack)), n = 0;
	bool quiet = !stores_to(a, &a->blocks[h], where);
	in[h] = 1;
	if (!in[a->blocks[h].latch]) {
		in[a->blocks[h].latch] = 1;
		stack[n++] = a->blocks[h].latch;
	}
	while (n && quiet) {
		const struct block *b = &a->blocks[stack[--n]];
		quiet = !stores_to(a, b, where);
		for (unsigned i = 0; i < b->n_from; i++)
			if (!in[b->from[i]]) {
				in[b->from[i]] = 1;
				stack[n++] = b->from[i];
			}
	}
	quiet &= in[k];
	free(in);
	free(stack);
	return quiet;
}

/* Want meetings at the ends of block k or, where the end has no number, of the
 * blocks before it. False where that leads nowhere; then nothing is wanted. */
static bool want_at_end(struct analysis *a, unsigned k, unsigned depth)
{
	enum { MOST = 8 };
	const struct block *b = &a->blocks[k];
	const struct event *last = b->n ? &a->events[b->first + b->n - 1] : NULL;
	if (last && last->is_end) {
		want(a, last->number, LOCKSTEP_BEFORE);
		return true;
	}
	if (depth == MOST || b->n_from != 1)
		return false;
	return want_at_end(a, b->from[0], depth + 1);
}

/* The outermost quiet loop around block k gets the meeting before it. */
static bool want_before_loop(struct analysis *a, unsigned k, objects where)
{
	unsigned best = 0, best_size = 0;
	if (!a->blocks[k].cyclic)
		return false;
	for (unsigned h = 0; h < a->n_blocks; h++) {
		if (!a->blocks[h].before || !loop_is_quiet(a, h, k, where))
			continue;
		/* Blocks stand in the order of the source: an outer loop's header
		 * comes before an inner one's. */
		if (!best_size) {
			best = h;
			best_size = 1;
		}
	}
	return best_size && want_at_end(a, a->blocks[best].before - 1, 0);
}

/* ---- in loops ------------------------------------------------------------- */

/* Can control come from block `from` to block `to` without block `without`? */
static bool leads_past(const struct analysis *a, unsigned from, unsigned to, unsigned without)
{
	unsigned char *seen = must(calloc(a->n_blocks, 1));
	unsigned *stack = must(malloc((a->n_blocks + 1) * sizeof *stack)), n = 0;
	if (from != without) {
		stack[n++] = from;
		seen[from] = 1;
	}
	while (n && !seen[to]) {
		const struct block *b = &a->blocks[stack[--n]];
		for (unsigned i = 0; i < b->n_to; i++) {
			unsigned next = a->edges[b->to + i];
			if (next != without && !seen[next]) {
				seen[next] = 1;
				stack[n++] = next;
			}
		}
	}
	bool reached = seen[to];
	free(seen);
	free(stack);
	return reached;
}

static bool has_meeting(const struct analysis *a, const struct block *b)
{
	for (unsigned k = b->first; k < b->first + b->n; k++)
		if (a->events[k].meets || a->meet[a->events[k].number] & LOCKSTEP_BEFORE)
			return true;
	return false;
}

/* Lanes that pass by a meeting in a loop wait for the others before the next round, where
 * they would meet without them: at the end of the one block before the latch. */
static void want_in_loops(struct analysis *a)
{
	for (unsigned h = 0; h < a->n_blocks; h++) {
		const struct block *header = &a->blocks[h];
		if (!header->before || header->latch == h)
			continue;
		const struct block *latch = &a->blocks[header->latch];
		if (latch->n_from != 1 || has_meeting(a, latch))
			continue;
		unsigned last = latch->from[0];
		if (last == h || a->blocks[last].n_from < 2)
			continue;
		/* A branch's arm that ends in that block, and meets. */
		bool wanted = false;
		for (unsigned i = 0; i < a->blocks[last].n_from; i++) {
			unsigned k = a->blocks[last].from[i];
			wanted |= a->blocks[k].n_to == 1 && has_meeting(a, &a->blocks[k]) &&
				  leads_past(a, h, last, k);
		}
		if (wanted && !has_meeting(a, &a->blocks[last]))
			want_at_end(a, last, 0);
	}
}

/* A meeting that nobody wrote. */
static bool has_wanted(const struct analysis *a, unsigned k)
{
	const struct block *b = &a->blocks[k];
	for (unsigned i = b->first; i < b->first + b->n; i++)
		if (a->meet[a->events[i].number] & LOCKSTEP_BEFORE && !a->events[i].is_end)
			return true;
	return false;
}

/* Is there another place, from which block k can be reached and that can be reached from it,
 * where lanes could meet without those that stand in block k? */
static bool may_be_lapped(const struct analysis *a, unsigned k)
{
	for (unsigned i = 0; i < a->n_blocks; i++) {
		const struct block *b = &a->blocks[i];
		bool meets = i != k && has_wanted(a, i);
		for (unsigned n = b->first; n < b->first + b->n; n++)
			meets |= a->events[n].asks;
		if (meets && leads_past(a, k, i, a->n_blocks) && leads_past(a, i, k, a->n_blocks))
			return true;
	}
	return false;
}

static bool is_passed_on_every_way(const struct analysis *a, unsigned from, unsigned by)
{
	for (unsigned i = 0; i < a->n_blocks; i++)
		if (!a->blocks[i].n_to && leads_past(a, from, i, by))
			return false;
	return true;
}

/* Lanes in a branch that meet where nobody wrote it come back to the others where the branch
 * ends, as on hardware, and not only a round later. */
static void want_behind_branches(struct analysis *a)
{
	for (unsigned k = 0; k < a->n_blocks; k++) {
		const struct block *b = &a->blocks[k];
		if (!b->cyclic || !has_wanted(a, k) || b->n_from != 1 || !may_be_lapped(a, k))
			continue;
		/* The first block behind it that all lanes of the branch before it come to. */
		unsigned before = b->from[0], join = k;
		while (a->blocks[join].n_to == 1 && (join == k || a->blocks[join].n_from == 1))
			join = a->edges[a->blocks[join].to];
		if (a->blocks[before].n_to > 1 && a->blocks[join].n_from > 1 &&
		    leads_past(a, before, join, k) && is_passed_on_every_way(a, before, join) &&
		    !has_meeting(a, &a->blocks[join]))
			want_at_end(a, join, 0);
	}
}

static void walk(struct analysis *a, struct block *b, bool stores_too)
{
	struct state s = b->in;
	struct loaded loaded = { .n = 0 };
	for (unsigned k = b->first; k < b->first + b->n; k++) {
		struct event *e = &a->events[k];
		if (e->meets) {
			met(&s);
			s.needed = false;
			loaded.n = 0;
			continue;
		}
		if (e->calls) {
			/* It meets by itself where it comes to an access. */
			pend(s.loads, e->load, KEY_MANY);
			pend(s.stores, e->store, KEY_MANY);
			continue;
		}
		if (e->load && conflicts(s.stores, e->load, e->load_key) && !was_loaded(&loaded, e)) {
			e->needed = true;
			if (!want_before_loop(a, (unsigned)(b - a->blocks), e->load))
				want(a, e->number, LOCKSTEP_BEFORE);
		}
		want_move(a, e, &loaded);
		s.needed |= e->needed;
		if (stores_too && e->store && conflicts(s.loads, e->store, e->store_key) &&
		    (s.needed || needed_from(a, b, k + 1)))
			want(a, e->number, LOCKSTEP_BEFORE);
		if (a->meet[e->number] & LOCKSTEP_BEFORE) {
			met(&s);
			loaded.n = 0;
		}
		if (e->load) {
			pend(s.loads, e->load, e->load_key);
			remember(&loaded, e->load_key);
		}
		if (e->store)
			pend(s.stores, e->store, e->store_key);
	}
	settle(s.stores, UNSTABLE_SHIFT);
	settle(s.loads, UNSTABLE_SHIFT);
	b->out = s;
}

static void merge(struct analysis *a, struct state *into, const struct state *from)
{
	struct state before = *into;
	for (unsigned i = 0; i < MAX_OBJECTS; i++) {
		into->stores[i] = join(into->stores[i], from->stores[i]);
		into->loads[i] = join(into->loads[i], from->loads[i]);
	}
	into->needed |= from->needed;
	a->changed |= memcmp(&before, into, sizeof before) != 0;
}

static void flow(struct analysis *a, bool stores_too)
{
	do {
		a->changed = false;
		for (unsigned k = 0; k < a->n_blocks; k++) {
			struct block *b = &a->blocks[k];
			walk(a, b, stores_too);
			for (unsigned i = 0; i < b->n_to; i++) {
				struct block *to = &a->blocks[a->edges[b->to + i]];
				struct state out = b->out;
				if (a->back[b->to + i]) {
					settle(out.stores, ROUND_SHIFT);
					settle(out.loads, ROUND_SHIFT);
				}
				merge(a, &to->in, &out);
				if (!b->needed_later && needed_from(a, to, to->first)) {
					b->needed_later = true;
					a->changed = true;
				}
			}
		}
	} while (a->changed);
}

void lockstep_analyse(LLVMValueRef function, const struct lockstep_origins *origins,
		      unsigned char *meet)
{
	struct analysis a = { .function = function, .origins = origins, .meet = meet };
	list_blocks(&a, function);
	a.stack = must(malloc(a.n_blocks * sizeof *a.stack));
	for (unsigned k = 0; k < a.n_blocks; k++)
		if (!a.blocks[k].index)
			component(&a, k);
	unsigned char *state = must(calloc(a.n_blocks, 1));
	find_loops(&a, 0, state);
	free(state);
	list_events(&a);
	if (lockstep_origins_is_called(origins, function))
		/* What its callers have done is not known. */
		for (unsigned k = 0; k < MAX_OBJECTS; k++)
			a.blocks[0].in.stores[k] = a.blocks[0].in.loads[k] = KEY_MANY;
	flow(&a, false);
	flow(&a, true);
	want_behind_branches(&a);
	want_in_loops(&a);
	lockstep_ranges_free(a.ranges);
	for (unsigned k = 0; k < a.n_blocks; k++)
		free(a.blocks[k].from);
	free(a.blocks);
	free(a.slots);
	free(a.edges);
	free(a.back);
	free(a.events);
	free(a.stack);
}
