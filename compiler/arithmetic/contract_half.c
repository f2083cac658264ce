/* SPDX-License-Identifier: Apache-2.0 */
/* contract_half.c - fuses products and sums of f16 and bf16, as ptxas does where
 * neither says .rn (mul.f16 t, a, b; add.f16 d, t, c;).
 *
 * contract.c does the same for f32 and f64, and the scheme is the same: headers
 * are inlined by now, but variables are still in memory, so the choice is made
 * on a copy of the module whose variables are registers, and carried out in the
 * base by numbers. A product is fused where all that reads it are sums of its
 * own block; of two products a sum takes the left one. */
#include "contract_half.h"

#include <stdlib.h>
#include <string.h>

enum role { NEITHER, PRODUCT, SUM, DIFFERENCE };

struct pair {
	unsigned sum, product;
	bool left; /* the product is the sum's left operand */
};

struct fusion {
	struct device_module *dm;
	unsigned kind; /* of the metadata that numbers calls */
	LLVMValueRef *numbered;
	struct pair *pairs;
	unsigned n_numbered, n_pairs, n_products;
};

/* What a call does, and in which type. */
static enum role role_of(LLVMValueRef call, const char **type)
{
	static const struct {
		const char *start;
		enum role role;
	} names[] = {{"llvm.nvvm.half.mul.", PRODUCT},
		     {"llvm.nvvm.half.add.", SUM},
		     {"llvm.nvvm.half.sub.", DIFFERENCE}};
	size_t length;
	const char *name;

	if (!LLVMIsACallInst(call) || !LLVMIsAFunction(LLVMGetCalledValue(call)))
		return NEITHER;
	name = LLVMGetValueName2(LLVMGetCalledValue(call), &length);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t start = strlen(names[i].start);

		*type = name + start;
		if (!strncmp(name, names[i].start, start) &&
		    (!strcmp(*type, "f16") || !strcmp(*type, "bf16")))
			return names[i].role;
	}
	return NEITHER;
}

static bool is_sum(LLVMValueRef call)
{
	const char *type;
	enum role role = role_of(call, &type);

	return role == SUM || role == DIFFERENCE;
}

static void count(struct device_module *dm, LLVMValueRef call, void *arg)
{
	struct fusion *fusion = arg;
	const char *type;
	enum role role = role_of(call, &type);

	(void)dm;
	fusion->n_numbered += role != NEITHER;
	fusion->n_products += role == PRODUCT;
}

static void number(struct device_module *dm, LLVMValueRef call, void *arg)
{
	struct fusion *fusion = arg;
	const char *type;
	LLVMMetadataRef operand;

	if (role_of(call, &type) == NEITHER)
		return;
	operand = LLVMValueAsMetadata(
		LLVMConstInt(LLVMInt32TypeInContext(dm->context), fusion->n_numbered, 0));
	LLVMSetMetadata(
		call, fusion->kind,
		LLVMMetadataAsValue(dm->context, LLVMMDNodeInContext2(dm->context, &operand, 1)));
	fusion->numbered[fusion->n_numbered++] = call;
}

static bool number_of(const struct fusion *fusion, LLVMValueRef call, unsigned *ret)
{
	LLVMValueRef node = LLVMGetMetadata(call, fusion->kind), operand;

	if (!node)
		return false;
	LLVMGetMDNodeOperands(node, &operand);
	*ret = (unsigned)LLVMConstIntGetZExtValue(operand);
	return true;
}

/* May the product go into the sum? */
static bool fits(LLVMValueRef product, LLVMValueRef sum)
{
	const char *type, *sum_type;
	LLVMBasicBlockRef block = LLVMGetInstructionParent(sum);

	if (role_of(product, &type) != PRODUCT || LLVMGetInstructionParent(product) != block)
		return false;
	role_of(sum, &sum_type);
	if (strcmp(type, sum_type))
		return false;
	for (LLVMUseRef use = LLVMGetFirstUse(product); use; use = LLVMGetNextUse(use))
		if (!is_sum(LLVMGetUser(use)) ||
		    LLVMGetInstructionParent(LLVMGetUser(use)) != block)
			return false;
	return true;
}

static void choose(struct device_module *dm, LLVMValueRef sum, void *arg)
{
	struct fusion *fusion = arg;
	struct pair *pair = &fusion->pairs[fusion->n_pairs];

	(void)dm;
	if (!is_sum(sum) || !number_of(fusion, sum, &pair->sum))
		return;
	for (unsigned i = 0; i < 2; i++) {
		LLVMValueRef product = LLVMGetOperand(sum, i);

		if (!fits(product, sum) || !number_of(fusion, product, &pair->product))
			continue;
		pair->left = i == 0;
		fusion->n_pairs++;
		return;
	}
}

static struct cudasim_error *choose_pairs(struct fusion *fusion)
{
	struct device_module copy = *fusion->dm;
	struct cudasim_error *error;

	copy.module = LLVMCloneModule(fusion->dm->module);
	error = device_run_passes(&copy, "function(sroa<preserve-cfg>,"
					 "instcombine<no-verify-fixpoint>)");
	if (!error)
		device_visit(&copy, choose, fusion);
	LLVMDisposeModule(copy.module);
	return error;
}

static LLVMValueRef negate(LLVMBuilderRef builder, LLVMValueRef bits)
{
	return LLVMBuildXor(builder, bits, LLVMConstInt(LLVMTypeOf(bits), 0x8000, false), "");
}

/* The sum becomes fma(x, y, z), with the signs of p - z and z - p. */
static void fuse(struct fusion *fusion, LLVMBuilderRef builder, const struct pair *pair)
{
	LLVMValueRef sum = fusion->numbered[pair->sum], product = fusion->numbered[pair->product];
	LLVMValueRef args[3] = {LLVMGetOperand(product, 0), LLVMGetOperand(product, 1),
				LLVMGetOperand(sum, pair->left ? 1 : 0)};
	LLVMTypeRef half = LLVMTypeOf(sum), params[3] = {half, half, half}, fma_type;
	LLVMValueRef fma, value;
	const char *type, *name;

	LLVMPositionBuilderBefore(builder, sum);
	if (role_of(sum, &type) == DIFFERENCE)
		args[pair->left ? 2 : 0] = negate(builder, args[pair->left ? 2 : 0]);
	name = strcmp(type, "f16") ? "llvm.nvvm.half.fma.bf16" : "llvm.nvvm.half.fma.f16";
	fma_type = LLVMFunctionType(half, params, 3, false);
	fma = LLVMGetNamedFunction(fusion->dm->module, name);
	if (!fma)
		fma = LLVMAddFunction(fusion->dm->module, name, fma_type);
	value = LLVMBuildCall2(builder, fma_type, fma, args, 3, "");
	LLVMReplaceAllUsesWith(sum, value);
	LLVMInstructionEraseFromParent(sum);
	fusion->numbered[pair->sum] = NULL;
}

struct cudasim_error *pass_contract_half(struct device_module *dm)
{
	struct fusion fusion = {.dm = dm};
	struct cudasim_error *error = NULL;
	LLVMBuilderRef builder;

	if (!dm->program->options->fmad)
		return NULL;
	device_visit(dm, count, &fusion);
	if (!fusion.n_products || fusion.n_products == fusion.n_numbered)
		return NULL;
	fusion.kind = LLVMGetMDKindIDInContext(dm->context, "cudasim.half", 12);
	fusion.numbered = calloc(fusion.n_numbered, sizeof(*fusion.numbered));
	fusion.pairs = calloc(fusion.n_numbered + 1, sizeof(*fusion.pairs));
	fusion.n_numbered = 0;
	if (fusion.numbered && fusion.pairs) {
		device_visit(dm, number, &fusion);
		error = choose_pairs(&fusion);
	} else {
		error = &cudasim_error_nomem;
	}
	builder = LLVMCreateBuilderInContext(dm->context);
	for (unsigned i = 0; i < fusion.n_pairs && !error; i++)
		fuse(&fusion, builder, &fusion.pairs[i]);
	LLVMDisposeBuilder(builder);
	for (unsigned i = 0; i < fusion.n_numbered; i++)
		if (fusion.numbered[i])
			LLVMSetMetadata(fusion.numbered[i], fusion.kind, NULL);
	free(fusion.numbered);
	free(fusion.pairs);
	return error;
}
