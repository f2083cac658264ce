/* SPDX-License-Identifier: Apache-2.0 */
/* contract.c - fuses the products and sums that nvcc fuses (-fmad=true).
 *
 * clang allows contraction by a flag and leaves the choice to the back end. All
 * bodies of a kernel must round alike, though, and the watched one keeps every
 * variable in memory, where `p = a * b; r = p + c;` shows no pair. So the choice
 * is made once, on a copy of the module with its variables in registers, and
 * then made true in the base: the sum becomes an llvm.fma of the product's
 * operands, and the product stays for who else reads it.
 *
 * The rule, recorded from nvcc 13 on 31 expressions and 6 sequences of
 * statements (tests/data/h200-contraction.txt), agrees with LLVM's NVPTX back
 * end: a sum takes its left operand if that is a product, else its right one; the
 * product must stand in the same block, and have at most four uses, all of them
 * sums (else it is needed as it is).
 *
 * Not seen: pairs that only inlining brings together. */
#include <stdlib.h>
#include <string.h>

#include "arithmetic.h"

enum { MAX_USES = 4 };

/* The pair of a product and a sum, by their numbers in the base. */
struct pair {
	unsigned sum, product;
	bool left;    /* the product is the sum's left operand */
	bool negated; /* by an odd number of negations on the way */
};

struct contraction {
	struct device_module *dm;
	unsigned kind;           /* of the metadata that numbers instructions */
	LLVMValueRef *numbered;  /* the base's instructions */
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
	LLVMValueRef node = LLVMGetMetadata(i, c->kind), operand;
	if (!node || LLVMGetMDNodeNumOperands(node) != 1)
		return false;
	LLVMGetMDNodeOperands(node, &operand);
	*ret = (unsigned)LLVMConstIntGetZExtValue(operand);
	return *ret < c->n_numbered;
}

/* ---- the choice, on the copy ------------------------------------------------------------- */

/* Whether all uses are sums, directly or through negations. */
static bool only_in_sums(LLVMValueRef product, unsigned *n)
{
	for (LLVMUseRef use = LLVMGetFirstUse(product); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (is_negation(user) ? !only_in_sums(user, n) : !is_sum(user))
			return false;
		if (!is_negation(user) && ++*n > MAX_USES)
			return false;
	}
	return true;
}

static bool choose(struct contraction *c, LLVMValueRef sum, bool left)
{
	struct pair pair = {.left = left};
	LLVMValueRef product = LLVMGetOperand(sum, left ? 0 : 1);
	unsigned n = 0;
	for (; is_negation(product); product = LLVMGetOperand(product, 0))
		pair.negated = !pair.negated;
	if (!may_contract(product, LLVMFMul) ||
	    LLVMGetInstructionParent(product) != LLVMGetInstructionParent(sum) ||
	    !only_in_sums(product, &n) || !number_of(c, sum, &pair.sum) ||
	    !number_of(c, product, &pair.product))
		return false;
	if (c->n_pairs == c->pairs_room) {
		c->pairs_room = c->pairs_room ? 2 * c->pairs_room : 64;
		struct pair *more = realloc(c->pairs, c->pairs_room * sizeof(*more));
		if (!more) {
			c->no_memory = true;
			return false;
		}
		c->pairs = more;
	}
	c->pairs[c->n_pairs++] = pair;
	return true;
}

static void visit_copy(struct device_module *dm, LLVMValueRef i, void *arg)
{
	(void)dm;
	struct contraction *c = arg;
	if (is_sum(i) && !choose(c, i, true))
		choose(c, i, false);
}

static struct cudasim_error *choose_pairs(struct contraction *c)
{
	struct device_module copy = *c->dm;
	copy.module = LLVMCloneModule(c->dm->module);
	struct cudasim_error *error = device_run_passes(&copy, "function(sroa)");
	if (!error)
		device_visit(&copy, visit_copy, c);
	LLVMDisposeModule(copy.module);
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
