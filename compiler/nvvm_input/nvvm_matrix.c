/* SPDX-License-Identifier: Apache-2.0 */
/* nvvm_matrix.c - NVVM IR's matrix operations (specification 2.0, section 15.6.5) as LLVM's:
 *
 *	llvm.nvvm.hmma.SHAPE.ld.X[.T].pN...(pointer, ldm, order)        wmma.SHAPE.load.X...
 *	llvm.nvvm.hmma.SHAPE.st.c.T.pN...(pointer, ldm, order, c...)    wmma.SHAPE.store.d...
 *	llvm.nvvm.hmma.SHAPE.mma.D.C(orders, 0, a..., b..., c...)       wmma.SHAPE.mma...
 *
 * Two halves are an i32 there, and a vector here. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvvm_matrix.h"

enum { MAX_OPERANDS = 32 };

struct matrix {
	struct device_module *dm;
	LLVMBuilderRef builder;
	LLVMValueRef call;
	char shape[16];
};

/* An operand that selects a form: a constant below n. */
static bool select_form(const struct matrix *m, unsigned i, uint64_t n, uint64_t *ret)
{
	LLVMValueRef value = i < LLVMGetNumArgOperands(m->call) ? LLVMGetOperand(m->call, i) : NULL;
	*ret = value && LLVMIsAConstantInt(value) ? LLVMConstIntGetZExtValue(value) : n;
	return *ret < n;
}

/* The value as the type: itself, or of the same size. NULL: neither. */
static LLVMValueRef convert(const struct matrix *m, LLVMValueRef value, LLVMTypeRef to)
{
	LLVMTypeRef from = LLVMTypeOf(value), i32 = LLVMInt32TypeInContext(m->dm->context);
	LLVMTypeRef halves = LLVMVectorType(LLVMHalfTypeInContext(m->dm->context), 2);
	if (from == to)
		return value;
	if ((from == i32 && to == halves) || (from == halves && to == i32))
		return LLVMBuildBitCast(m->builder, value, to, "");
	return NULL;
}

/* A call of LLVM's intrinsic of that name; with a pointer in front it is named after its type. */
static LLVMValueRef build(const struct matrix *m, const char *name, LLVMValueRef *args, unsigned n,
			  bool of_pointer)
{
	unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
	LLVMTypeRef pointer = of_pointer ? LLVMTypeOf(args[0]) : NULL, params[MAX_OPERANDS];
	if (!id || (of_pointer && LLVMGetTypeKind(pointer) != LLVMPointerTypeKind))
		return NULL;
	LLVMValueRef f = LLVMGetIntrinsicDeclaration(m->dm->module, id, &pointer, of_pointer);
	LLVMTypeRef type = LLVMGlobalGetValueType(f);
	if (LLVMCountParamTypes(type) != n)
		return NULL;
	LLVMGetParamTypes(type, params);
	for (unsigned i = 0; i < n; i++) {
		args[i] = convert(m, args[i], params[i]);
		if (!args[i])
			return NULL;
	}
	return LLVMBuildCall2(m->builder, type, f, args, n, "");
}

/* The result with the members that the original has; NULL where they do not fit. */
static LLVMValueRef repack(const struct matrix *m, LLVMValueRef made)
{
	LLVMTypeRef to = LLVMTypeOf(m->call), from = made ? LLVMTypeOf(made) : NULL;
	if (!made || LLVMGetTypeKind(to) != LLVMStructTypeKind ||
	    LLVMGetTypeKind(from) != LLVMStructTypeKind ||
	    LLVMCountStructElementTypes(to) != LLVMCountStructElementTypes(from))
		return NULL;
	LLVMValueRef r = LLVMGetPoison(to);
	for (unsigned i = 0; i < LLVMCountStructElementTypes(to); i++) {
		LLVMValueRef member = LLVMBuildExtractValue(m->builder, made, i, "");
		member = convert(m, member, LLVMStructGetTypeAtIndex(to, i));
		if (!member)
			return NULL;
		r = LLVMBuildInsertValue(m->builder, r, member, i, "");
	}
	return r;
}

static const char *const orders[] = {"row", "col"};

static LLVMValueRef load(const struct matrix *m, char fragment, const char *type)
{
	char name[96];
	uint64_t order;
	if (LLVMGetNumArgOperands(m->call) != 3 || !select_form(m, 2, 2, &order))
		return NULL;
	LLVMValueRef args[] = {LLVMGetOperand(m->call, 0), LLVMGetOperand(m->call, 1)};
	snprintf(name, sizeof name, "llvm.nvvm.wmma.%s.load.%c.%s.stride.%s", m->shape, fragment,
		 orders[order], type);
	return repack(m, build(m, name, args, 2, true));
}

static LLVMValueRef store(const struct matrix *m, const char *type)
{
	char name[96];
	uint64_t order;
	LLVMValueRef args[MAX_OPERANDS];
	unsigned n = LLVMGetNumArgOperands(m->call);
	if (n < 4 || n > MAX_OPERANDS || !select_form(m, 2, 2, &order))
		return NULL;
	args[0] = LLVMGetOperand(m->call, 0);
	for (unsigned i = 3; i < n; i++)
		args[i - 2] = LLVMGetOperand(m->call, i);
	args[n - 2] = LLVMGetOperand(m->call, 1);
	snprintf(name, sizeof name, "llvm.nvvm.wmma.%s.store.d.%s.stride.%s", m->shape,
		 orders[order], type);
	return build(m, name, args, n - 1, true);
}

static LLVMValueRef multiply(const struct matrix *m, const char *to, const char *from)
{
	char name[96];
	uint64_t order, saturates;
	LLVMValueRef args[MAX_OPERANDS];
	unsigned n = LLVMGetNumArgOperands(m->call);
	if (n < 3 || n > MAX_OPERANDS || !select_form(m, 0, 4, &order) ||
	    !select_form(m, 1, 1, &saturates))
		return NULL;
	for (unsigned i = 2; i < n; i++)
		args[i - 2] = LLVMGetOperand(m->call, i);
	snprintf(name, sizeof name, "llvm.nvvm.wmma.%s.mma.%s.%s.%s.%s", m->shape,
		 orders[order / 2], orders[order % 2], to, from);
	return repack(m, build(m, name, args, n - 2, false));
}

LLVMValueRef nvvm_matrix_build(struct device_module *dm, LLVMBuilderRef builder, LLVMValueRef call,
			       const char *name)
{
	struct matrix m = {.dm = dm, .builder = builder, .call = call};
	char fragment, type[4], from[4];
	unsigned space;
	if (sscanf(name, NVVM_MATRIX "%15[mnk0-9].ld.%1[ab].p%u", m.shape, type, &space) == 3)
		return load(&m, *type, "f16");
	if (sscanf(name, NVVM_MATRIX "%15[mnk0-9].ld.%c.%3[f0-9].p%u", m.shape, &fragment, type,
		   &space) == 4 &&
	    fragment == 'c')
		return load(&m, fragment, type);
	if (sscanf(name, NVVM_MATRIX "%15[mnk0-9].st.c.%3[f0-9].p%u", m.shape, type, &space) == 3)
		return store(&m, type);
	if (sscanf(name, NVVM_MATRIX "%15[mnk0-9].mma.%3[f0-9].%3[f0-9]", m.shape, type, from) == 3)
		return multiply(&m, type, from);
	return NULL;
}
