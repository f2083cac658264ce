/* SPDX-License-Identifier: Apache-2.0 */
/* wrap.c - addresses of shared memory have 32 bits on a GPU and wrap there.
 *
 * So `p[~x]`, `p[-1u]` and `p[a - b]` with unsigned numbers of 32 bits count down from p where
 * the compiler knows that p points into shared memory, though C++ counts 4 G elements up.
 * Programs do it: a merge path walks its second sequence so. An address here has 64 bits,
 * and such an index, extended by zeros, leads far away. Extended by its sign it means the
 * same modulo 2^32, and lies in the window.
 *
 * That p points into shared memory is seen in the inlined copy that pass_reconverge makes, by a
 * number that the indices carry as metadata; an index that one copy of its function
 * applies to other memory stays as it is. */
#include "wrap.h"
#include "must.h"

#include <stdio.h>
#include <stdlib.h>

#include <llvm-c/DebugInfo.h>

enum { SHARED_SPACE = 3, MAX_DEPTH = 24, MAX_PHIS = 32 };

static unsigned kind(LLVMContextRef context)
{
	static const char name[] = "cudasim.wrap";
	return LLVMGetMDKindIDInContext(context, name, sizeof name - 1);
}

static bool has_width(LLVMValueRef value, unsigned bits)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	return LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == bits;
}

/* Is it extended for one address, as the front end does it? */
static bool is_index(LLVMValueRef i)
{
	if (!LLVMIsAZExtInst(i) || !has_width(i, 64) || !has_width(LLVMGetOperand(i, 0), 32))
		return false;
	LLVMUseRef use = LLVMGetFirstUse(i);
	return use && !LLVMGetNextUse(use) && LLVMIsAGetElementPtrInst(LLVMGetUser(use));
}

static void number(struct device_module *dm, LLVMValueRef i, void *arg)
{
	struct wrap *wrap = arg;
	if (!is_index(i))
		return;
	if (!(wrap->n & (wrap->n - 1)))
		wrap->indices = must(realloc(wrap->indices,
					     (wrap->n ? 2 * wrap->n : 1) * sizeof *wrap->indices));
	LLVMValueRef n = LLVMConstInt(LLVMInt32TypeInContext(dm->context), wrap->n, 0);
	LLVMSetMetadata(i, kind(dm->context), LLVMMDNodeInContext(dm->context, &n, 1));
	wrap->indices[wrap->n++] = i;
}

void wrap_number(struct device_module *dm, struct wrap *wrap)
{
	*wrap = (struct wrap){.n = 0};
	device_visit(dm, number, wrap);
	wrap->uses = must(calloc(wrap->n + 1, 1));
}

/* ---- in the copy ----------------------------------------------------------- */

/* Phis on the way of one search. */
struct search {
	LLVMValueRef phis[MAX_PHIS];
	unsigned n_phis;
};

/* Does the address lie in shared memory, whatever way the program takes? A phi that is
 * being looked at says nothing against it. */
static bool is_shared(struct search *s, LLVMValueRef address, unsigned depth)
{
	if (LLVMGetPointerAddressSpace(LLVMTypeOf(address)) == SHARED_SPACE)
		return true;
	if (depth > MAX_DEPTH)
		return false;
	if (LLVMIsASelectInst(address))
		return is_shared(s, LLVMGetOperand(address, 1), depth + 1) &&
		       is_shared(s, LLVMGetOperand(address, 2), depth + 1);
	if (LLVMIsAPHINode(address)) {
		for (unsigned i = 0; i < s->n_phis; i++)
			if (s->phis[i] == address)
				return true;
		if (s->n_phis == MAX_PHIS)
			return false;
		s->phis[s->n_phis++] = address;
		for (unsigned i = 0, n = LLVMCountIncoming(address); i < n; i++)
			if (!is_shared(s, LLVMGetIncomingValue(address, i), depth + 1))
				return false;
		return true;
	}
	if (LLVMIsAGetElementPtrInst(address) || LLVMIsAAddrSpaceCastInst(address))
		return is_shared(s, LLVMGetOperand(address, 0), depth + 1);
	if (LLVMIsAConstantExpr(address) && LLVMGetConstOpcode(address) != LLVMIntToPtr)
		return is_shared(s, LLVMGetOperand(address, 0), depth + 1);
	return false;
}

static bool is_negative(LLVMValueRef value)
{
	return LLVMIsAConstantInt(value) && LLVMConstIntGetSExtValue(value) < 0;
}

/* Is the index written as one that can count down? What only grows keeps its form, which
 * loops over threads are vectorised by. */
static bool counts_down(LLVMValueRef index, unsigned depth)
{
	if (LLVMIsAPHINode(index) && depth < 2) {
		for (unsigned i = 0, n = LLVMCountIncoming(index); i < n; i++)
			if (counts_down(LLVMGetIncomingValue(index, i), depth + 1))
				return true;
		return false;
	}
	if (!LLVMIsAInstruction(index))
		return is_negative(index);
	switch (LLVMGetInstructionOpcode(index)) {
	case LLVMSub:
		return true;
	case LLVMXor:
	case LLVMAdd:
	case LLVMMul:
		return is_negative(LLVMGetOperand(index, 1)) ||
		       is_negative(LLVMGetOperand(index, 0));
	case LLVMSelect:
		return depth < 2 && (counts_down(LLVMGetOperand(index, 1), depth + 1) ||
				     counts_down(LLVMGetOperand(index, 2), depth + 1));
	default:
		return false;
	}
}

static void look_at(struct device_module *copy, LLVMValueRef i, void *arg)
{
	const struct wrap *wrap = arg;
	LLVMValueRef node = LLVMIsAZExtInst(i) ? LLVMGetMetadata(i, kind(copy->context)) : NULL;
	if (!node)
		return;
	LLVMValueRef n;
	LLVMGetMDNodeOperands(node, &n);
	unsigned char *uses = &wrap->uses[LLVMConstIntGetZExtValue(n)];
	for (LLVMUseRef u = LLVMGetFirstUse(i); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		struct search search = {.n_phis = 0};
		if (LLVMIsAGetElementPtrInst(user) && counts_down(LLVMGetOperand(i, 0), 0) &&
		    is_shared(&search, LLVMGetOperand(user, 0), 0))
			*uses |= WRAP_SHARED;
		else
			*uses |= WRAP_OTHER;
	}
}

void wrap_analyse(struct device_module *copy, const struct wrap *wrap)
{
	if (wrap->n)
		device_visit(copy, look_at, (void *)wrap);
}

/* ---- and back -------------------------------------------------------------- */

static unsigned wraps_kind(LLVMContextRef context)
{
	return LLVMGetMDKindIDInContext(context, "cudasim.wraps", 13);
}

void wrap_mark(struct device_module *dm, const struct wrap *wrap)
{
	for (unsigned k = 0; k < wrap->n; k++) {
		LLVMSetMetadata(wrap->indices[k], kind(dm->context), NULL);
		if (wrap->uses[k] == WRAP_SHARED)
			LLVMSetMetadata(wrap->indices[k], wraps_kind(dm->context),
					LLVMMDNodeInContext(dm->context, NULL, 0));
	}
}

static void widen_signed(struct device_module *dm, LLVMValueRef i, void *arg)
{
	LLVMBuilderRef builder = arg;
	if (!LLVMIsAZExtInst(i) || !LLVMGetMetadata(i, wraps_kind(dm->context)))
		return;
	LLVMPositionBuilderBefore(builder, i);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(i));
	LLVMValueRef made = LLVMBuildSExt(builder, LLVMGetOperand(i, 0), LLVMTypeOf(i), "");
	LLVMReplaceAllUsesWith(i, made);
	LLVMInstructionEraseFromParent(i);
}

void wrap_apply(struct device_module *dm)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(dm->context);
	device_visit(dm, widen_signed, builder);
	LLVMDisposeBuilder(builder);
}

void wrap_free(struct wrap *wrap)
{
	free(wrap->indices);
	free(wrap->uses);
}
