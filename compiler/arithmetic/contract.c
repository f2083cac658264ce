/* SPDX-License-Identifier: Apache-2.0 */
/* contract.c - fuses the products and sums that nvcc fuses (-fmad=true).
 *
 * clang allows contraction by a flag and leaves the choice to the back end. All
 * bodies of a kernel must round alike, though, and the watched one keeps every
 * variable in memory, where `p = a * b; r = p + c;` shows no pair. So the choice
 * is made once, on a copy of the module with its variables in registers, its small
 * branches made selects, what does not change in a loop before it and the rest where it is
 * used, and then made true in the base: the sum becomes an llvm.fma of the product's
 * operands, and the product stays for who else reads it.
 *
 * The rule was recorded from nvcc 13 (the expressions of tests/conformance). Two
 * programs choose one after the other:
 *  - The front half, LLVM's NVPTX back end, fuses a product that only additions
 *    read, at most four, into each of them (an eager product).
 *  - ptxas fuses any other product either into all the sums that read it or into none
 *    (a strict product): `a * b - a * b` is 0, since one of the two is needed. Sums that
 *    it leaves to a product of fewer uses do not count.
 * Of two products a sum takes the eager one, else the one with fewer uses, else the
 * left one, where addition has the operand of lower rank on the left (rank.h). A
 * product must stand in the block of the sums and be read by nothing else. A product
 * written several times is one product.
 *
 * Whole programs (HeCBench) told of the ranks and of the loops.
 *
 * Not seen: pairs that only inlining brings together. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"
#include "value_numbering.h"
#include "hash.h"
#include "llvm_functions.h"
#include "rank.h"

enum {
	MAX_USES = 64,      /* sums of one product that are looked at */
	MAX_EAGER_USES = 4, /* sums of an eager product */
};

/* The pair of a product and a sum, by their numbers in the base. */
struct pair {
	unsigned sum, product;
	bool left;    /* the product is the sum's left operand */
	bool negated; /* by an odd number of negations on the way */
	bool refused; /* the sum is to stay a sum, whatever becomes of the product */
};

struct contraction {
	struct device_module *dm;
	unsigned kind;           /* of the metadata that numbers instructions */
	LLVMValueRef *numbered;  /* the base's instructions */
	struct hash of_copy;     /* the copy's: their numbers, and one */
	unsigned n_numbered, room;
	struct pair *pairs;
	unsigned n_pairs, pairs_room;
	bool no_memory;
};

static bool is_float(LLVMValueRef i)
{
	LLVMTypeRef type = LLVMTypeOf(i);
	if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
		type = LLVMGetElementType(type);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	return kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
}

static bool may_contract(LLVMValueRef i, LLVMOpcode op)
{
	return LLVMIsAInstruction(i) && LLVMGetInstructionOpcode(i) == op && is_float(i) &&
	       (LLVMGetFastMathFlags(i) & LLVMFastMathAllowContract);
}

static bool is_sum(LLVMValueRef i)
{
	return may_contract(i, LLVMFAdd) || may_contract(i, LLVMFSub);
}

static bool is_negation(LLVMValueRef i)
{
	return LLVMIsAInstruction(i) && LLVMGetInstructionOpcode(i) == LLVMFNeg;
}

/* ---- numbers -------------------------------------------------------------------------- */

static void number(struct device_module *dm, LLVMValueRef i, void *arg)
{
	struct contraction *c = arg;
	if (!is_sum(i) && !may_contract(i, LLVMFMul))
		return;
	if (c->n_numbered == c->room) {
		c->room = c->room ? 2 * c->room : 256;
		LLVMValueRef *more = realloc(c->numbered, c->room * sizeof(*more));
		if (!more) {
			c->no_memory = true;
			return;
		}
		c->numbered = more;
	}
	LLVMValueRef n = LLVMConstInt(LLVMInt32TypeInContext(dm->context), c->n_numbered, 0);
	LLVMMetadataRef operand = LLVMValueAsMetadata(n);
	LLVMMetadataRef node = LLVMMDNodeInContext2(dm->context, &operand, 1);
	LLVMSetMetadata(i, c->kind, LLVMMetadataAsValue(dm->context, node));
	c->numbered[c->n_numbered++] = i;
}

static bool number_of(const struct contraction *c, LLVMValueRef i, unsigned *ret)
{
	uintptr_t number = (uintptr_t)hash_get(&c->of_copy, i);
	*ret = (unsigned)number - 1;
	/* The passes move products and sums; should one have died and something else
	 * stand in its memory, that is another operation. */
	return number && LLVMGetInstructionOpcode(c->numbered[*ret]) == LLVMGetInstructionOpcode(i);
}

/* The numbers of the copy's instructions, while they all have their metadata. */
static void read_number(struct device_module *dm, LLVMValueRef i, void *arg)
{
	struct contraction *c = arg;
	(void)dm;
	LLVMValueRef node = LLVMGetMetadata(i, c->kind), operand;
	if (!node || LLVMGetMDNodeNumOperands(node) != 1)
		return;
	LLVMGetMDNodeOperands(node, &operand);
	uintptr_t n = (uintptr_t)LLVMConstIntGetZExtValue(operand);
	if (n < c->n_numbered && !hash_put(&c->of_copy, i, (void *)(n + 1)))
		c->no_memory = true;
}

/* ---- the choice, on the copy ------------------------------------------------------------- */

/* A product of a function of the copy. */
struct product {
	LLVMValueRef value;
	unsigned number; /* of its computation */
	unsigned next;   /* index of the next one of that number, and one; 0 at the end */
	unsigned n_uses; /* distinct sums that read it or its like */
	bool other;      /* something else reads it, too, or more sums than MAX_USES */
	bool strict;     /* fused into all those sums or into none */
	bool refused;    /* strict, and needed as it is */
};

/* A function of the copy. */
struct scene {
	struct contraction *c;
	struct value_numbering *same;
	struct rank *ranks;
	struct hash index; /* products' indices, and one: by value, and the first one by number */
	struct product *products;
	unsigned n_products;
	LLVMValueRef *sums;
	struct pair *choices; /* of the sums; product and sum are not set yet */
	bool *has_choice;
	unsigned n_sums;
};

/* Keys of scene.index that are numbers are odd, values are even. */
static const void *number_key(unsigned number)
{
	return (const void *)(2 * (uintptr_t)number + 1);
}

static struct product *product_at(const struct scene *scene, uintptr_t index_and_one)
{
	return index_and_one ? &scene->products[index_and_one - 1] : NULL;
}

static struct product *product_of(const struct scene *scene, LLVMValueRef value)
{
	return product_at(scene, (uintptr_t)hash_get(&scene->index, value));
}

static struct product *first_like(const struct scene *scene, const struct product *p)
{
	return product_at(scene, (uintptr_t)hash_get(&scene->index, number_key(p->number)));
}

static LLVMValueRef without_negations(LLVMValueRef value, bool *negated)
{
	for (; is_negation(value); value = LLVMGetOperand(value, 0))
		*negated = !*negated;
	return value;
}

/* The product that an operand of a sum is, perhaps negated, or NULL. */
static struct product *operand_product(const struct scene *scene, LLVMValueRef sum, bool left,
				       bool *negated)
{
	LLVMValueRef value = without_negations(LLVMGetOperand(sum, left ? 0 : 1), negated);
	return may_contract(value, LLVMFMul) ? product_of(scene, value) : NULL;
}

/* Whether a sum is a subtraction once signs have moved out of its operands: x + -y is
 * x - y, and x - 2 is x + -2. */
static bool is_subtraction(LLVMValueRef sum)
{
	bool minus = LLVMGetInstructionOpcode(sum) == LLVMFSub;
	if (minus && LLVMIsAConstantFP(LLVMGetOperand(sum, 1)))
		minus = false;
	for (unsigned k = 0; k < 2; k++) {
		LLVMValueRef x = without_negations(LLVMGetOperand(sum, k), &minus);
		if (!may_contract(x, LLVMFMul))
			continue;
		without_negations(LLVMGetOperand(x, 0), &minus);
		without_negations(LLVMGetOperand(x, 1), &minus);
	}
	return minus;
}

/* The sums that read a product: distinct ones, by their numbers. */
struct uses {
	unsigned sums[MAX_USES];
	unsigned n;
	bool other, strict, self;
};

static bool reads_twice(const struct scene *scene, LLVMValueRef sum)
{
	bool negated;
	const struct product *l = operand_product(scene, sum, true, &negated);
	const struct product *r = operand_product(scene, sum, false, &negated);
	return l && r && l->number == r->number;
}

static void collect(const struct scene *scene, LLVMValueRef value, LLVMBasicBlockRef block,
		    struct uses *uses)
{
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (is_negation(user)) {
			collect(scene, user, block, uses);
			continue;
		}
		unsigned k = 0, number;
		if (!is_sum(user) || LLVMGetInstructionParent(user) != block) {
			uses->other = true;
			return;
		}
		uses->strict |= is_subtraction(user);
		uses->self |= reads_twice(scene, user);
		number = value_numbering_of(scene->same, user);
		while (k < uses->n && uses->sums[k] != number)
			k++;
		if (k == uses->n && k == MAX_USES)
			uses->other = true;
		else if (k == uses->n)
			uses->sums[uses->n++] = number;
	}
}

/* Whether a copy of the product in block `at` would have been computed once
 * with the one in block `here`. */
static bool would_merge(LLVMBasicBlockRef here, LLVMBasicBlockRef at)
{
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(here));
	return at == here || at == entry || here == entry;
}

static void count_uses(const struct scene *scene, struct product *product)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(product->value);
	struct uses uses = {.n = 0};
	for (const struct product *p = first_like(scene, product); p && !uses.other;
	     p = product_at(scene, p->next)) {
		if (would_merge(block, LLVMGetInstructionParent(p->value)))
			collect(scene, p->value, block, &uses);
	}
	product->n_uses = uses.n;
	product->other = uses.other || !uses.n;
	product->strict = uses.strict || uses.n > MAX_EAGER_USES;
	product->refused = product->strict && uses.self;
}

/* The product behind one operand of a sum, if it may be fused into it. */
static const struct product *candidate(const struct scene *scene, LLVMValueRef sum, bool left,
				       struct pair *pair)
{
	*pair = (struct pair){.left = left};
	const struct product *p = operand_product(scene, sum, left, &pair->negated);
	if (!p || p->other || p->refused ||
	    LLVMGetInstructionParent(p->value) != LLVMGetInstructionParent(sum))
		return NULL;
	return number_of(scene->c, sum, &pair->sum) && number_of(scene->c, p->value, &pair->product)
		       ? p
		       : NULL;
}

/* A sum of a product that may not be fused with it. */
static bool is_refused(const struct scene *scene, LLVMValueRef sum, struct pair *pair)
{
	*pair = (struct pair){.refused = true};
	bool found = false, negated;
	for (unsigned i = 0; i < 2; i++)
		found |= operand_product(scene, sum, !i, &negated) != NULL;
	return found && number_of(scene->c, sum, &pair->sum);
}

static bool choose(const struct scene *scene, LLVMValueRef sum, struct pair *ret)
{
	struct pair left, right;
	const struct product *l = candidate(scene, sum, true, &left);
	const struct product *r = candidate(scene, sum, false, &right);
	if (!l && !r)
		return is_refused(scene, sum, ret);
	bool takes_left = l;
	if (l && r && l->strict != r->strict) {
		takes_left = r->strict;
	} else if (l && r) {
		bool swapped = LLVMGetInstructionOpcode(sum) == LLVMFAdd &&
			       rank_swaps(scene->ranks, sum);
		takes_left = swapped ? l->n_uses < r->n_uses : l->n_uses <= r->n_uses;
	}
	*ret = takes_left ? left : right;
	return true;
}

/* Whether ptxas had fused the winner of a sum before it came to the loser, which it then
 * leaves alone: it takes products of one use first, the others in order, and leaves a sum
 * to a product of fewer uses that is still to come. */
static bool comes_first(const struct product *winner, const struct product *loser)
{
	return !winner->strict || winner->n_uses == 1 || winner->n_uses >= loser->n_uses;
}

/* A strict product that a sum has not taken is needed as it is. */
static bool refuse(const struct scene *scene, LLVMValueRef sum, const struct pair *choice)
{
	bool changed = false, negated;
	const struct product *winner = NULL;
	if (!choice->refused)
		winner = operand_product(scene, sum, choice->left, &negated);
	for (unsigned i = 0; i < 2; i++) {
		const struct product *p = operand_product(scene, sum, !i, &negated);
		if (!p || !p->strict || p->refused || p == winner ||
		    (winner && !comes_first(winner, p)))
			continue;
		LLVMBasicBlockRef block = LLVMGetInstructionParent(p->value);
		for (struct product *q = first_like(scene, p); q; q = product_at(scene, q->next)) {
			if (!q->strict || q->refused ||
			    !would_merge(block, LLVMGetInstructionParent(q->value)))
				continue;
			q->refused = true;
			changed = true;
		}
	}
	return changed;
}

static void choose_all(struct scene *scene)
{
	bool changed;
	do {
		changed = false;
		for (unsigned i = 0; i < scene->n_sums; i++)
			scene->has_choice[i] = choose(scene, scene->sums[i], &scene->choices[i]);
		for (unsigned i = 0; i < scene->n_sums; i++)
			changed |= scene->has_choice[i] &&
				   refuse(scene, scene->sums[i], &scene->choices[i]);
	} while (changed);
}

static void keep(struct contraction *c, const struct pair *pair)
{
	if (c->n_pairs == c->pairs_room) {
		c->pairs_room = c->pairs_room ? 2 * c->pairs_room : 64;
		struct pair *more = realloc(c->pairs, c->pairs_room * sizeof(*more));
		if (!more) {
			c->no_memory = true;
			return;
		}
		c->pairs = more;
	}
	c->pairs[c->n_pairs++] = *pair;
}

/* ---- a function of the copy --------------------------------------------------------------- */

static void note_product(struct scene *scene, LLVMValueRef i)
{
	if (!scene->products) {
		scene->n_products++;
		return;
	}
	uintptr_t index_and_one = scene->n_products + 1;
	struct product *p = &scene->products[scene->n_products++];
	*p = (struct product){.value = i, .number = value_numbering_of(scene->same, i)};
	struct product *first = first_like(scene, p);
	if (first) { /* behind the first one: the order tells nothing */
		p->next = first->next;
		first->next = (unsigned)index_and_one;
	} else if (!hash_put(&scene->index, number_key(p->number), (void *)index_and_one)) {
		scene->c->no_memory = true;
	}
	if (!hash_put(&scene->index, i, (void *)index_and_one))
		scene->c->no_memory = true;
}

static void note(struct scene *scene, LLVMValueRef function)
{
	scene->n_products = scene->n_sums = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			if (may_contract(i, LLVMFMul))
				note_product(scene, i);
			if (!is_sum(i))
				continue;
			if (scene->sums)
				scene->sums[scene->n_sums] = i;
			scene->n_sums++;
		}
	}
}

static void choose_in(struct contraction *c, LLVMValueRef function)
{
	struct scene scene = {.c = c};
	note(&scene, function);
	if (!scene.n_products || !scene.n_sums)
		return;
	scene.products = calloc(scene.n_products, sizeof(*scene.products));
	scene.sums = calloc(scene.n_sums, sizeof(*scene.sums));
	scene.choices = calloc(scene.n_sums, sizeof(*scene.choices));
	scene.has_choice = calloc(scene.n_sums, sizeof(*scene.has_choice));
	scene.same = value_numbering_new(function);
	scene.ranks = rank_new(function);
	if (scene.products && scene.sums && scene.choices && scene.has_choice && scene.same &&
	    scene.ranks) {
		note(&scene, function);
		for (unsigned i = 0; i < scene.n_products && !c->no_memory; i++)
			count_uses(&scene, &scene.products[i]);
		if (!c->no_memory)
			choose_all(&scene);
		for (unsigned i = 0; i < scene.n_sums; i++) {
			if (scene.has_choice[i])
				keep(c, &scene.choices[i]);
		}
	} else {
		c->no_memory = true;
	}
	hash_fini(&scene.index);
	free(scene.products);
	free(scene.sums);
	free(scene.choices);
	free(scene.has_choice);
	value_numbering_free(scene.same);
	rank_free(scene.ranks);
}

static struct cudasim_error *choose_pairs(struct contraction *c)
{
	struct device_module copy = *c->dm;
	copy.module = LLVMCloneModule(c->dm->module);
	struct cudasim_error *error = device_run_passes(&copy, CONTRACT_SCALARS);
	if (!error) {
		device_visit(&copy, read_number, c);
		error = device_run_passes(&copy, CONTRACT_SINK);
	}
	if (!error && !c->no_memory) {
		for (LLVMValueRef f = LLVMGetFirstFunction(copy.module); f;
		     f = LLVMGetNextFunction(f))
			choose_in(c, f);
	}
	LLVMDisposeModule(copy.module);
	hash_fini(&c->of_copy);
	return error;
}

/* ---- the deed, on the base ------------------------------------------------------------------ */

/* sum = left + right or left - right, one of which is the product p = x * y:
 *   p + z  fma(x, y, z)      z + p  fma(x, y, z)
 *   p - z  fma(x, y, -z)     z - p  fma(-x, y, z)
 * and a negation on the way to p changes the sign of x once more. */
static void fuse(struct contraction *c, LLVMBuilderRef b, const struct pair *pair)
{
	LLVMValueRef sum = c->numbered[pair->sum], product = c->numbered[pair->product];
	/* The passes may have merged products of two branches. */
	if (pair->refused || !instruction_dominates(product, sum)) {
		/* LLVM's back ends fuse what the flag allows where they see one use, as in
		 * the watched body, which computes a product as often as it is written. */
		instruction_forbid_contraction(sum);
		return;
	}
	bool minus = LLVMGetInstructionOpcode(sum) == LLVMFSub;
	LLVMPositionBuilderBefore(b, sum);
	LLVMValueRef x = LLVMGetOperand(product, 0), y = LLVMGetOperand(product, 1);
	LLVMValueRef z = LLVMGetOperand(sum, pair->left ? 1 : 0);
	if (pair->negated != (minus && !pair->left))
		x = LLVMBuildFNeg(b, x, "");
	if (minus && pair->left)
		z = LLVMBuildFNeg(b, z, "");
	LLVMTypeRef type = LLVMTypeOf(sum);
	unsigned id = LLVMLookupIntrinsicID("llvm.fma", 8);
	LLVMValueRef f = LLVMGetIntrinsicDeclaration(c->dm->module, id, &type, 1);
	LLVMValueRef args[] = {x, y, z};
	LLVMValueRef fused = LLVMBuildCall2(b, LLVMGlobalGetValueType(f), f, args, 3, "");
	LLVMReplaceAllUsesWith(sum, fused);
	/* Still an operand of nothing; later sums may not look at it any more. */
	LLVMInstructionEraseFromParent(sum);
	c->numbered[pair->sum] = NULL;
}

struct cudasim_error *pass_contract(struct device_module *dm)
{
	struct contraction c = {.dm = dm};
	struct cudasim_error *error = NULL;
	const struct device_options *options = dm->program->options;
	/* LLVM's NVPTX back end decides in code that is not optimised. */
	if (!options->fmad || (dm->stage == DEVICE_GPU && !options->optimize))
		return NULL;
	c.kind = LLVMGetMDKindIDInContext(dm->context, "cudasim.contract", 16);
	device_visit(dm, number, &c);
	if (c.n_numbered && !c.no_memory)
		error = choose_pairs(&c);
	if (!error && c.no_memory)
		error = &cudasim_error_nomem;
	LLVMBuilderRef b = LLVMCreateBuilderInContext(dm->context);
	for (unsigned i = 0; i < c.n_pairs && !error; i++)
		fuse(&c, b, &c.pairs[i]);
	LLVMDisposeBuilder(b);
	for (unsigned i = 0; i < c.n_numbered; i++) {
		if (c.numbered[i])
			LLVMSetMetadata(c.numbered[i], c.kind, NULL);
	}
	free(c.numbered);
	free(c.pairs);
	return error;
}
