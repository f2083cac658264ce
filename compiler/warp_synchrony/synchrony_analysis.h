/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_analysis.h - what the parts of warp_synchrony.c share: synchrony_blocks.c,
 * synchrony_address.c, synchrony_event.c and synchrony_loop.c. Nobody else includes this. */
#ifndef CUDASIM_COMPILER_SYNCHRONY_ANALYSIS_H
#define CUDASIM_COMPILER_SYNCHRONY_ANALYSIS_H

#include "hash.h"
#include "must.h"
#include "warp_synchrony.h"
#include "synchrony_origin.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	MAX_EXCHANGES = 4, /* arrays in global memory; the last stands for all others */
	MAX_OBJECTS = ORIGIN_VARIABLES + MAX_EXCHANGES,
	KEY_NONE = 0, /* no access pending */
	KEY_MANY = -1, /* several addresses, or not known */
};

/* Bits of a key: ends with its block; ends with a round of a loop; all lanes of a warp come to
 * the address. Below are the address's hash and, of a store to an address for all lanes, its
 * number, as lanes that have not executed it have another's value to load. */
enum { UNSTABLE_SHIFT = 62, ROUND_SHIFT = 61, UNIFORM_SHIFT = 60, STORE_BITS = 20 };

typedef synchrony_objects objects;

struct state {
	int64_t stores[MAX_OBJECTS]; /* KEY_*, or a key above 0 */
	int64_t plain[MAX_OBJECTS]; /* of stores, those that are no atomics */
	int64_t owners[MAX_OBJECTS]; /* whose they are: block.elector, KEY_NONE or KEY_MANY */
	objects shared; /* atomics and volatile stores at addresses that several lanes may
				     * come to, and plain stores there that a fence follows */
	objects several; /* plain stores there */
	bool reached;
};

/* What an instruction means here, in the order of its block. */
struct event {
	bool meets;
	uint32_t number; /* of the access */
	LLVMValueRef instruction;
	bool is_first; /* of those that an access has been taken apart to: they share its number */
	bool is_volatile, is_end; /* is_end: of a block, neither load nor store */
	bool is_atomic; /* it loads, too, but nobody counts on the order of atomics */
	bool is_shared; /* it is atomic or a volatile store, and several lanes may come to
				   * its address */
	bool is_several; /* a plain store, where the function has fences: the same */
	bool fences; /* it orders memory accesses */
	bool is_plain; /* of a load: no atomic one */
	bool moves; /* it stores what was loaded at copied_key */
	bool again; /* the thread has loaded the address before in this block; whether
				   * others have stored there since is left to the proofs */
	bool asks; /* it meets, and asks who is there */
	bool calls; /* a function that accesses load and store */
	objects load, store;
	int64_t load_key, store_key, copied_key;
};

struct late {
	unsigned block;
	bool is_in_loop; /* whose rounds they may be in, while the others are behind it */
};

struct block {
	LLVMBasicBlockRef ref;
	unsigned first, n; /* its events */
	unsigned to, n_to; /* its successors in analysis.edges */
	unsigned *from, n_from; /* its predecessors */
	struct state in, out;
	unsigned before; /* of a loop's header: its way in, + 1; else 0 */
	unsigned latch; /* of a loop's header: where its back-edge begins */
	bool elected; /* one lane of a warp comes here */
	int64_t elector; /* above 0: one lane, the same each time; equal where it is the same lane's */
	bool cyclic; /* lies on a cycle: what it computes has many values */
	unsigned index, low; /* Tarjan's */
	bool on_stack;
	unsigned component; /* equal in blocks that lead to each other */
	struct late *late; /* blocks that some lanes may yet be in when others come here */
	unsigned n_late;
	unsigned join; /* synchrony_join() */
};

/* A parameter that is a pointer, or a pointer `offset` bytes from the beginning of one. */
struct exchange {
	LLVMValueRef argument;
	uint64_t offset;
};

struct analysis {
	LLVMValueRef function;
	const struct synchrony_origins *origins;
	struct synchrony_block block;
	struct synchrony_ranges *ranges; /* NULL before they are asked */
	struct block *blocks;
	unsigned n_blocks;
	struct hash numbers; /* blocks to their numbers */
	unsigned *edges; /* block numbers */
	unsigned char *back; /* of each edge: does it close a loop? */
	struct event *events;
	unsigned n_events, room;
	unsigned char *meet;
	bool changed;
	unsigned nodes; /* of the expression in work */
	unsigned *stack, n_stack, next_index;
	bool has_fences, has_joins;
	struct exchange *exchanges;
	unsigned n_exchanges;
	objects exchanged; /* lanes load what others have stored, without a barrier */
};

/* The name of the function that is called, "" where it has none. */
const char *synchrony_callee_name(LLVMValueRef call);

/* synchrony_blocks.c: fills in blocks, edges and loops of a->function. */
void synchrony_list_blocks(struct analysis *a);
unsigned synchrony_block_number(const struct analysis *a, LLVMBasicBlockRef ref);

/* Can control come from block `from` to block `to` without block `without`? */
bool synchrony_leads_past(const struct analysis *a, unsigned from, unsigned to, unsigned without);

/* Does each way from block `from` to the function's ends pass block `by`? */
bool synchrony_is_passed_on_every_way(const struct analysis *a, unsigned from, unsigned by);

/* Where lanes that part at the end of block k come together, + 1; 0: nowhere, or they do not part. */
unsigned synchrony_join(struct analysis *a, unsigned k);

/* The analyses of a->function, which are made when they are asked for. */
struct synchrony_ranges *synchrony_ranges_of(struct analysis *a);

/* synchrony_address.c: a number above 0 that is equal for equal addresses, with the bits above. */
int64_t synchrony_key(struct analysis *a, LLVMValueRef address, LLVMValueRef access,
		      bool is_volatile);

/* Is no other lane of the warp known to come to the address at `access`? */
bool synchrony_is_lanes_own(struct analysis *a, LLVMValueRef address, LLVMValueRef access);

/* Does the address hold a value that comes from memory? */
bool synchrony_is_looked_up(struct analysis *a, LLVMValueRef value, unsigned depth);

/* Does the address hold a value, or is it one, that comes from an array of the thread's own? */
bool synchrony_is_kept(struct analysis *a, LLVMValueRef value, unsigned depth);

/* synchrony_exchange.c: fills in a->exchanges: the arrays in global memory, by the parameters that point to them, in which
 * elements trade places. None where the function does not look like one of single warps. */
void synchrony_find_exchanges(struct analysis *a);

/* The one of a->exchanges that address points into, as an object; 0 for other memory. */
objects synchrony_exchange_of(const struct analysis *a, LLVMValueRef address);

/* synchrony_event.c: fills in the events of all blocks. */
void synchrony_list_events(struct analysis *a);

/* Does the warp meet before the event, where nobody wrote it? */
bool synchrony_meets_before(const struct analysis *a, const struct event *e);

/* warp_synchrony.c: wants a meeting at this access or end of a block. */
void synchrony_want(struct analysis *a, uint32_t number, enum synchrony_meeting where);

/* Are the addresses of two keys one? */
bool synchrony_is_one_address(int64_t a, int64_t b);

/* Fills in which blocks are late, with the meetings that are wanted now. True where
 * any has come to be. */
bool synchrony_find_late(struct analysis *a);

/* synchrony_overwrite.c: the meetings before stores over what other lanes load. */
void synchrony_want_before_overwriting(struct analysis *a);

/* synchrony_loop.c: the outermost loop around block k that stores nothing to `where` (loads: loads
 * nothing from there) gets the meeting before it; false where there is none. */
bool synchrony_want_before_loop(struct analysis *a, unsigned k, objects where, bool loads);

/* The meetings that follow from those at accesses, once these are known. */
void synchrony_want_in_loops(struct analysis *a);
void synchrony_want_behind_branches(struct analysis *a);

#endif
