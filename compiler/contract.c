/* SPDX-License-Identifier: Apache-2.0 */
/* contract.c - fuses the products and sums that nvcc fuses (-fmad=true).
 *
 * clang allows contraction by a flag and leaves the choice to the back end. All
 * bodies of a kernel must round alike, though, and the watched one keeps every
 * variable in memory, where `p = a * b; r = p + c;` shows no pair. So the choice
 * is made once, on a copy of the module with its variables in registers and what
 * does not change in a loop before it, and
 * then made true in the base: the sum becomes an llvm.fma of the product's
 * operands, and the product stays for who else reads it.
 *
 * The rule, recorded from nvcc 13 on 31 expressions and 6 sequences of
 * statements (tests/data/h200-contraction.txt), agrees with LLVM's NVPTX back
 * end: of two products a sum takes the one with fewer uses, or the left one, where
 * addition has the operand of lower rank on the left (rank.h); the
 * product must stand in the same block and be read by at most five sums of that
 * block and by nothing else (else it is needed as it is). A product written
 * several times is one product.
 *
 * Whole programs (HeCBench) told of the ranks and of the loops.
 *
 * Not seen: pairs that only inlining brings together. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"
#include "congruence.h"
#include "hash.h"
#include "llvm_bridge.h"
#include "rank.h"

enum { MAX_USES = 5 };

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
	return number;
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

/* A function of the copy with its products. */
struct scene {
	struct contraction *c;
	struct congruence *same;
	struct rank *ranks;
	LLVMValueRef *products;
	unsigned n_products;
};

/* The sums that read a product: distinct ones, by their numbers. */
struct uses {
	unsigned sums[MAX_USES];
	unsigned n;
	bool other; /* something else reads it, or more sums than that */
};

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
		number = congruence_of(scene->same, user);
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

/* The number of sums that read a product or its like; 0 where it may not be
 * fused. */
static unsigned uses_of(const struct scene *scene, LLVMValueRef product)
{
	LLVMBasicBlockRef block = LLVMGetInstructionParent(product);
	unsigned number = congruence_of(scene->same, product);
	struct uses uses = {.n = 0};
	for (unsigned i = 0; i < scene->n_products; i++) {
		LLVMValueRef p = scene->products[i];
		if (congruence_of(scene->same, p) == number &&
		    would_merge(block, LLVMGetInstructionParent(p)))
			collect(scene, p, block, &uses);
	}
	return uses.other ? 0 : uses.n;
}

/* The product behind one operand of a sum, if it may be fused into it; *n gets
 * the number of its uses. */
static bool find_product(const struct scene *scene, LLVMValueRef sum, bool left, struct pair *pair,
			 unsigned *n)
{
	*pair = (struct pair){.left = left};
	LLVMValueRef product = LLVMGetOperand(sum, left ? 0 : 1);
	for (; is_negation(product); product = LLVMGetOperand(product, 0))
		pair->negated = !pair->negated;
	if (!may_contract(product, LLVMFMul) ||
	    LLVMGetInstructionParent(product) != LLVMGetInstructionParent(sum))
		return false;
	*n = uses_of(scene, product);
	return *n && number_of(scene->c, sum, &pair->sum) &&
	       number_of(scene->c, product, &pair->product);
}

/* A sum of a product that may not be fused with it. */
static bool is_refused(const struct scene *scene, LLVMValueRef sum, struct pair *pair)
{
	*pair = (struct pair){.refused = true};
	for (unsigned i = 0; i < 2; i++) {
		LLVMValueRef product = LLVMGetOperand(sum, i);
		while (is_negation(product))
			product = LLVMGetOperand(product, 0);
		if (may_contract(product, LLVMFMul))
			return number_of(scene->c, sum, &pair->sum);
	}
	return false;
}

static void choose(const struct scene *scene, LLVMValueRef sum)
{
	struct contraction *c = scene->c;
	struct pair left, right;
	unsigned n_left, n_right;
	bool is_left = find_product(scene, sum, true, &left, &n_left);
	bool is_right = find_product(scene, sum, false, &right, &n_right);
	if (!is_left && !is_right) {
		if (!is_refused(scene, sum, &left))
			return;
		is_left = true;
		n_left = 0;
	}
	if (c->n_pairs == c->pairs_room) {
		c->pairs_room = c->pairs_room ? 2 * c->pairs_room : 64;
		struct pair *more = realloc(c->pairs, c->pairs_room * sizeof(*more));
		if (!more) {
			c->no_memory = true;
			return;
		}
		c->pairs = more;
	}
	bool swapped = LLVMGetInstructionOpcode(sum) == LLVMFAdd && rank_swaps(scene->ranks, sum);
	bool prefers_left = swapped ? n_left < n_right : n_left <= n_right;
	c->pairs[c->n_pairs++] = is_left && (!is_right || prefers_left) ? left : right;
}

typedef void (*scene_visitor)(struct scene *scene, LLVMValueRef instruction);

static void visit_scene(struct scene *scene, LLVMValueRef function, scene_visitor visit)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			visit(scene, i);
	}
}

static void note_product(struct scene *scene, LLVMValueRef i)
{
	if (!may_contract(i, LLVMFMul))
		return;
	if (scene->products)
		scene->products[scene->n_products] = i;
	scene->n_products++;
}

static void visit_sum(struct scene *scene, LLVMValueRef i)
{
	if (is_sum(i))
		choose(scene, i);
}

static void choose_in(struct contraction *c, LLVMValueRef function)
{
	struct scene scene = {.c = c};
	visit_scene(&scene, function, note_product);
	if (!scene.n_products)
		return;
	scene.products = calloc(scene.n_products, sizeof(*scene.products));
	scene.same = congruence_new(function);
	scene.ranks = rank_new(function);
	if (scene.products && scene.same && scene.ranks) {
		scene.n_products = 0;
		visit_scene(&scene, function, note_product);
		visit_scene(&scene, function, visit_sum);
	} else {
		c->no_memory = true;
	}
	free(scene.products);
	congruence_free(scene.same);
	rank_free(scene.ranks);
}

static struct cudasim_error *choose_pairs(struct contraction *c)
{
	struct device_module copy = *c->dm;
	copy.module = LLVMCloneModule(c->dm->module);
	struct cudasim_error *error = device_run_passes(&copy, "function(sroa)");
	if (!error) {
		device_visit(&copy, read_number, c);
		error = device_run_passes(&copy, "function(loop(loop-rotate),loop-mssa(licm))");
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
	if (pair->refused) {
		/* For a GPU this runs once more, behind LLVM's passes, and must not
		 * decide otherwise where they have taken other sums away. */
		if (c->dm->stage == DEVICE_GPU)
			bridge_forbid_contraction(sum);
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

struct cudasim_error *contract_products(struct device_module *dm)
{
	struct contraction c = {.dm = dm};
	struct cudasim_error *error = NULL;
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
