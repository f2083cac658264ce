/* SPDX-License-Identifier: Apache-2.0 */
/* synchrony_blocks.c - the control flow of one function, for warp_synchrony.c: blocks, loops, ways. */
#include "synchrony_analysis.h"

#include <stdlib.h>

unsigned synchrony_block_number(const struct analysis *a, LLVMBasicBlockRef ref)
{
	return (unsigned)hash_number_of(hash_get(&a->numbers, ref));
}

static void list_blocks(struct analysis *a, LLVMValueRef function)
{
	unsigned k = 0, n_edges = 0;
	a->n_blocks = LLVMCountBasicBlocks(function);
	a->blocks = must(calloc(a->n_blocks, sizeof *a->blocks));
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		a->blocks[k].ref = b;
		if (!hash_put(&a->numbers, b, hash_number(k++)))
			must_fail();
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
			unsigned number = synchrony_block_number(a, LLVMGetSuccessor(end, i));
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
		member->component = b->index;
		member->cyclic |= !alone;
		if (member == b)
			break;
	}
}

/* Which blocks control can come to from block `from` without block `without`: a byte for each,
 * which the caller frees. */
static unsigned char *reach(const struct analysis *a, unsigned from, unsigned without)
{
	unsigned char *seen = must(calloc(a->n_blocks, 1));
	unsigned *stack = must(malloc((a->n_blocks + 1) * sizeof *stack)), n = 0;
	if (from != without) {
		stack[n++] = from;
		seen[from] = 1;
	}
	while (n) {
		const struct block *b = &a->blocks[stack[--n]];
		for (unsigned i = 0; i < b->n_to; i++) {
			unsigned next = a->edges[b->to + i];
			if (next != without && !seen[next]) {
				seen[next] = 1;
				stack[n++] = next;
			}
		}
	}
	free(stack);
	return seen;
}

bool synchrony_leads_past(const struct analysis *a, unsigned from, unsigned to, unsigned without)
{
	unsigned char *seen = reach(a, from, without);
	bool reached = seen[to];
	free(seen);
	return reached;
}

bool synchrony_is_passed_on_every_way(const struct analysis *a, unsigned from, unsigned by)
{
	unsigned char *seen = reach(a, from, by);
	bool passed = true;
	for (unsigned i = 0; i < a->n_blocks; i++)
		passed &= a->blocks[i].n_to || !seen[i];
	free(seen);
	return passed;
}

/* Is it `a && b`? */
static bool is_both(LLVMValueRef condition, LLVMValueRef *a, LLVMValueRef *b)
{
	bool selects = LLVMIsASelectInst(condition) &&
		       LLVMIsAConstantInt(LLVMGetOperand(condition, 2)) &&
		       LLVMIsNull(LLVMGetOperand(condition, 2));
	if (!selects &&
	    !(LLVMIsAInstruction(condition) && LLVMGetInstructionOpcode(condition) == LLVMAnd))
		return false;
	*a = LLVMGetOperand(condition, 0);
	*b = LLVMGetOperand(condition, 1);
	return true;
}

/* Does it compare `threadIdx.x | threadIdx.y` with 0, LLVM's form of two comparisons? */
static bool are_zero(LLVMValueRef compare)
{
	LLVMValueRef both = LLVMGetOperand(compare, 0);
	uint64_t which;
	if (!LLVMIsAInstruction(both) || LLVMGetInstructionOpcode(both) != LLVMOr ||
	    !LLVMIsNull(LLVMGetOperand(compare, 1)))
		return false;
	for (unsigned k = 0; k < 2; k++) {
		LLVMValueRef word = LLVMGetOperand(both, k);
		if (synchrony_is_context(word) && synchrony_word_of(word, &which) == SYNCHRONY_X)
			return true;
	}
	return false;
}

/* Does the condition let one lane of a warp pass? *way: the successor that this one takes. */
static bool elects(struct analysis *a, LLVMValueRef condition, unsigned *way)
{
	LLVMValueRef one, other;
	*way = 0;
	if (is_both(condition, &one, &other))
		return (elects(a, one, way) && !*way) || (elects(a, other, way) && !*way);
	if (!LLVMIsAICmpInst(condition) ||
	    !(synchrony_is_elected(synchrony_ranges_of(a), condition) || are_zero(condition)))
		return false;
	LLVMIntPredicate predicate = LLVMGetICmpPredicate(condition);
	*way = predicate == LLVMIntNE;
	return predicate == LLVMIntEQ || *way;
}

/* Has it one value in a run of the function, whatever loops are around it? */
static bool is_steady(LLVMValueRef value, unsigned depth)
{
	enum { DEEPEST = 8 };
	if (LLVMIsAConstant(value) || LLVMIsAArgument(value))
		return true;
	if (synchrony_is_context(value))
		return true;
	if (depth == DEEPEST || !LLVMIsAInstruction(value))
		return false;
	if (!LLVMIsABinaryOperator(value) && !LLVMIsACastInst(value) && !LLVMIsAICmpInst(value) &&
	    !LLVMIsASelectInst(value))
		return false;
	for (int k = 0; k < LLVMGetNumOperands(value); k++)
		if (!is_steady(LLVMGetOperand(value, (unsigned)k), depth + 1))
			return false;
	return true;
}

/* Is the value made of this word of the thread's? */
static bool is_made_of(LLVMValueRef value, enum synchrony_word word, unsigned depth)
{
	enum { DEEPEST = 8 };
	uint64_t which;
	if (!LLVMIsAInstruction(value) || depth == DEEPEST)
		return false;
	if (synchrony_is_context(value))
		return synchrony_word_of(value, &which) == word;
	for (int k = 0; k < LLVMGetNumOperands(value); k++)
		if (is_made_of(LLVMGetOperand(value, (unsigned)k), word, depth + 1))
			return true;
	return false;
}

static bool reads(const struct analysis *a, enum synchrony_word word)
{
	uint64_t which;
	for (unsigned k = 0; k < a->n_blocks; k++)
		for (LLVMValueRef i = LLVMGetFirstInstruction(a->blocks[k].ref); i;
		     i = LLVMGetNextInstruction(i))
			if (synchrony_is_context(i) && synchrony_word_of(i, &which) == word)
				return true;
	return false;
}

static LLVMValueRef without_extensions(LLVMValueRef value)
{
	while (LLVMIsAZExtInst(value) || LLVMIsASExtInst(value))
		value = LLVMGetOperand(value, 0);
	return value;
}

/* Is it this word of the thread's? */
static bool is_word(LLVMValueRef value, enum synchrony_word word)
{
	uint64_t which;
	value = without_extensions(value);
	return LLVMIsAInstruction(value) && synchrony_is_context(value) &&
	       synchrony_word_of(value, &which) == word;
}

/* Are these two values equal for one value of the word alone? Remainders and masks of it, say, are for several. */
static bool compares(struct analysis *a, LLVMValueRef compare, enum synchrony_word word)
{
	for (unsigned k = 0; k < 2; k++) {
		LLVMValueRef value = LLVMGetOperand(compare, k),
			     other = LLVMGetOperand(compare, 1 - k);
		if (is_word(value, word) && synchrony_is_uniform(synchrony_ranges_of(a), other))
			return true;
	}
	LLVMValueRef both = LLVMGetOperand(compare, 0);
	if (are_zero(compare))
		return is_word(LLVMGetOperand(both, 0), word) ||
		       is_word(LLVMGetOperand(both, 1), word);
	/* threadIdx.y * blockDim.x + threadIdx.x */
	return synchrony_is_elected(synchrony_ranges_of(a), compare) &&
	       is_made_of(compare, word, 0);
}

/* Does it say what the word is? by: of a comparison alone, what it has to be. */
static bool fixes(struct analysis *a, LLVMValueRef condition, enum synchrony_word word,
		  LLVMIntPredicate by)
{
	LLVMValueRef one, other;
	if (is_both(condition, &one, &other))
		return by == LLVMIntEQ && (fixes(a, one, word, by) || fixes(a, other, word, by));
	return LLVMIsAICmpInst(condition) && LLVMGetICmpPredicate(condition) == by &&
	       compares(a, condition, word);
}

/* Do lanes that take this side of block k's end have one value of the word? */
static bool side_fixes(struct analysis *a, unsigned k, unsigned side, enum synchrony_word word)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(a->blocks[k].ref);
	return LLVMIsABranchInst(end) && LLVMIsConditional(end) &&
	       is_steady(LLVMGetCondition(end), 0) &&
	       fixes(a, LLVMGetCondition(end), word, side ? LLVMIntNE : LLVMIntEQ);
}

/* Or do they for what leads to block k alone? *above is set where it is that. */
static bool is_fixed(struct analysis *a, unsigned k, unsigned side, enum synchrony_word word,
		     bool *above)
{
	enum { MOST = 8 };
	if (side_fixes(a, k, side, word))
		return true;
	for (unsigned n = 0; n < MOST && a->blocks[k].n_from == 1; n++) {
		unsigned from = a->blocks[k].from[0];
		side = a->edges[a->blocks[from].to] != k;
		if (side_fixes(a, from, side, word)) {
			*above = true;
			return true;
		}
		k = from;
	}
	return false;
}

/* A warp may have several rows, and one threadIdx.x in each: then conditions are about rows, too. */
static bool is_for_one_row(struct analysis *a, unsigned k, unsigned side, bool *above)
{
	return (!reads(a, SYNCHRONY_Y) || is_fixed(a, k, side, SYNCHRONY_Y, above)) &&
	       (!reads(a, SYNCHRONY_Z) || is_fixed(a, k, side, SYNCHRONY_Z, above));
}

/* The first block that ends with this condition, + 1. */
static int64_t elector_of(const struct analysis *a, LLVMValueRef condition)
{
	for (unsigned k = 0; k < a->n_blocks; k++) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(a->blocks[k].ref);
		if (LLVMIsABranchInst(end) && LLVMIsConditional(end) &&
		    LLVMGetCondition(end) == condition)
			return k + 1;
	}
	return 0;
}

/* Blocks to which only the way leads that one lane of a warp takes. */
static void find_elected(struct analysis *a, unsigned k)
{
	const struct block *b = &a->blocks[k];
	LLVMValueRef end = LLVMGetBasicBlockTerminator(b->ref);
	unsigned side;
	bool above = false;
	if (b->elector || !LLVMIsABranchInst(end) || !LLVMIsConditional(end))
		return;
	LLVMValueRef condition = LLVMGetCondition(end);
	bool is_elected = elects(a, condition, &side);
	/* Of the lanes of one threadIdx.x those of one row. */
	if (!is_elected && b->elected && LLVMIsAICmpInst(condition)) {
		side = LLVMGetICmpPredicate(condition) == LLVMIntNE;
		is_elected = above = side_fixes(a, k, side, SYNCHRONY_Y) ||
				     side_fixes(a, k, side, SYNCHRONY_Z);
	}
	if (!is_elected)
		return;
	unsigned way = a->edges[b->to + side];
	if (a->blocks[way].n_from != 1)
		return;
	int64_t elector = 0;
	if (is_steady(condition, 0) && is_for_one_row(a, k, side, &above))
		elector = above ? k + 1 + a->n_blocks : elector_of(a, condition);
	unsigned char *others = reach(a, 0, way);
	for (unsigned i = 0; i < a->n_blocks; i++)
		if (!others[i]) {
			a->blocks[i].elected = true;
			a->blocks[i].elector = elector;
		}
	free(others);
}

static void find_joins(struct analysis *a)
{
	struct synchrony_joins *joins = synchrony_joins_new(
		a->function, synchrony_origins_is_called(a->origins, a->function));
	for (unsigned k = 0; k < a->n_blocks; k++) {
		LLVMBasicBlockRef join = a->blocks[k].n_to > 1
						 ? synchrony_join_of(joins, a->blocks[k].ref)
						 : NULL;
		a->blocks[k].join = join ? synchrony_block_number(a, join) + 1 : 0;
	}
	synchrony_joins_free(joins);
}

unsigned synchrony_join(struct analysis *a, unsigned k)
{
	if (!a->has_joins)
		find_joins(a);
	a->has_joins = true;
	return a->blocks[k].join;
}

void synchrony_list_blocks(struct analysis *a)
{
	list_blocks(a, a->function);
	a->stack = must(malloc(a->n_blocks * sizeof *a->stack));
	for (unsigned k = 0; k < a->n_blocks; k++)
		if (!a->blocks[k].index)
			component(a, k);
	unsigned char *state = must(calloc(a->n_blocks, 1));
	find_loops(a, 0, state);
	free(state);
	for (unsigned k = 0; k < a->n_blocks; k++)
		find_elected(a, k);
}
