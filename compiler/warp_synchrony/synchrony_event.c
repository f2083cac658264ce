/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_event.c - what the instructions of a function mean to warp_synchrony.c. */
#include "device.h"
#include "synchrony_analysis.h"
#include "synchrony_origin.h"

#include <stdlib.h>
#include <string.h>

const char *synchrony_callee_name(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	size_t n;
	return callee && LLVMIsAFunction(callee) ? LLVMGetValueName2(callee, &n) : "";
}

bool synchrony_read_marker(LLVMValueRef i, uint32_t *number)
{
	if (!LLVMIsACallInst(i) || strcmp(synchrony_callee_name(i), SYNCHRONY_MARKER))
		return false;
	*number = (uint32_t)LLVMConstIntGetZExtValue(LLVMGetOperand(i, 0));
	return true;
}

int synchrony_is_meeting(LLVMValueRef i)
{
	static const char *const parts[] = {
		"barrier", "bar_sync", "syncwarp",   "bar_warp",   "bar.warp",
		"shfl",    "vote",     "match_",     "match.",     "sim_mma.",
		"redux",   "elect",    "reconverge", "activemask", "cluster_wait",
	};
	if (!LLVMIsACallInst(i))
		return 0;
	const char *name = synchrony_callee_name(i);
	if (strncmp(name, "__cudasim_", 10) && strncmp(name, "llvm.nvvm.", 10))
		return 0;
	for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
		if (strstr(name, parts[k]) && !strstr(name, "mbarrier") && !strstr(name, "arrive"))
			return 1;
	return 0;
}

bool synchrony_is_barrier(LLVMValueRef i)
{
	return synchrony_is_meeting(i) && (strstr(synchrony_callee_name(i), "barrier") ||
					   strstr(synchrony_callee_name(i), "bar_sync"));
}

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

static objects objects_of(const struct analysis *a, LLVMValueRef address)
{
	return synchrony_origins_of(a->origins, address) | synchrony_exchange_of(a, address);
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
	if (!from || e->is_volatile || a->blocks[synchrony_block_number(a, block)].cyclic)
		return;
	if (!(objects_of(a, from) & e->store))
		return;
	e->copied_key = synchrony_key(a, from, i, false);
	a->nodes = 0;
	e->moves = e->copied_key != e->store_key &&
		   (synchrony_is_looked_up(a, from, 0) || synchrony_is_looked_up(a, to, 0));
}

/* May several lanes of a warp come to the address where i stores? */
static bool is_several(struct analysis *a, LLVMValueRef address, LLVMValueRef i)
{
	return !a->blocks[synchrony_block_number(a, LLVMGetInstructionParent(i))].elected &&
	       !synchrony_is_lanes_own(a, address, i);
}

static struct event *new_event(struct analysis *a)
{
	if (a->n_events == a->room) {
		a->room = a->room ? 2 * a->room : 128;
		a->events = must(realloc(a->events, a->room * sizeof *a->events));
	}
	return &a->events[a->n_events++];
}

static bool is_fence(LLVMValueRef i)
{
	return LLVMIsAFenceInst(i) != NULL;
}

/* marked: no other access stands between the marker of this number and i. */
static void add_event(struct analysis *a, LLVMValueRef i, uint32_t number, bool marked)
{
	struct event e = {.meets = synchrony_is_meeting(i),
			  .number = number,
			  .instruction = i,
			  .is_first = marked};
	e.asks = e.meets && strstr(synchrony_callee_name(i), "activemask");
	e.is_end = marked && LLVMIsATerminatorInst(i);
	LLVMValueRef load, store;
	addresses(i, &load, &store);
	e.is_volatile = (LLVMIsALoadInst(i) || LLVMIsAStoreInst(i)) && LLVMGetVolatile(i);
	if (load && (e.load = objects_of(a, load)))
		e.load_key = synchrony_key(a, load, i, e.is_volatile);
	if (store && (e.store = objects_of(a, store)))
		e.store_key = synchrony_key(a, store, i, e.is_volatile);
	e.is_plain = LLVMIsALoadInst(i) && LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;
	e.is_atomic = LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i);
	e.is_shared = e.store && (e.is_atomic || e.is_volatile) && is_several(a, store, i);
	e.is_several = e.store && a->has_fences && is_several(a, store, i);
	e.fences = is_fence(i);
	if (e.store)
		find_move(a, i, &e);
	/* What an atomic has made is known by is_shared. */
	if (e.is_atomic)
		e.store_key &= ~((int64_t)1 << UNIFORM_SHIFT);
	else if (e.store_key >> UNIFORM_SHIFT & 1)
		e.store_key |= (a->n_events + 1) & ((1 << STORE_BITS) - 1);
	if (LLVMIsACallInst(i) && !LLVMIsAMemIntrinsic(i) && !e.meets) {
		synchrony_origins_called(a->origins, i, &e.load, &e.store);
		e.calls = e.load || e.store;
	}
	if (!e.meets && !e.load && !e.store && !e.is_end && !e.fences)
		return;
	*new_event(a) = e;
}

void synchrony_list_events(struct analysis *a)
{
	a->has_fences = function_has(a->function, is_fence);
	for (unsigned k = 0; k < a->n_blocks; k++) {
		uint32_t number = 0;
		bool marked = false;
		a->blocks[k].first = a->n_events;
		for (LLVMValueRef i = LLVMGetFirstInstruction(a->blocks[k].ref); i;
		     i = LLVMGetNextInstruction(i)) {
			if (synchrony_read_marker(i, &number)) {
				marked = true;
				if (!(number & SYNCHRONY_JOIN))
					continue;
				number &= ~SYNCHRONY_JOIN;
				*new_event(a) = (struct event){
					.number = number, .instruction = i, .is_first = true};
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
