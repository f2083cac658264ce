/* SPDX-License-Identifier: Apache-2.0 */
/* pass_spin.c - volatile loads that a loop waits for are marked.
 *
 * CUDA programs make flags of volatile variables: one thread stores, others load until
 * the value changes. A race checker has to tell such a flag from volatile data. Here a
 * volatile load gets the metadata "cudasim.spin" where its value reaches a branch that
 * leaves a loop around the load, through variables, arithmetic and returned values;
 * watched bodies announce it as CUDASIM_ACCESS_SPIN. */
#include <llvm-c/Core.h>

#include "spin_loops.h"
#include "llvm_functions.h"
#include "spin.h"

enum { MAX_VALUES = 256 };

struct follow {
	LLVMValueRef values[MAX_VALUES]; /* what the loaded value reaches */
	LLVMBasicBlockRef from[MAX_VALUES]; /* where the load is done, seen from there */
	unsigned n;
};

static void add(struct follow *f, LLVMValueRef value, LLVMBasicBlockRef from)
{
	for (unsigned i = 0; i < f->n; i++)
		if (f->values[i] == value && f->from[i] == from)
			return;
	if (f->n < MAX_VALUES) {
		f->values[f->n] = value;
		f->from[f->n++] = from;
	}
}

static void add_loads(struct follow *f, LLVMValueRef variable, LLVMBasicBlockRef from)
{
	for (LLVMUseRef u = LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u))
		if (LLVMIsALoadInst(LLVMGetUser(u)))
			add(f, LLVMGetUser(u), from);
}

static void add_calls(struct follow *f, LLVMValueRef function)
{
	for (LLVMUseRef u = LLVMGetFirstUse(function); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef call = LLVMGetUser(u);
		if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == function)
			add(f, call, LLVMGetInstructionParent(call));
	}
}

bool spin_decides(LLVMValueRef load)
{
	struct follow f = {.n = 0};
	add(&f, load, LLVMGetInstructionParent(load));
	for (unsigned i = 0; i < f.n; i++) {
		LLVMBasicBlockRef from = f.from[i];
		for (LLVMUseRef u = LLVMGetFirstUse(f.values[i]); u; u = LLVMGetNextUse(u)) {
			LLVMValueRef user = LLVMGetUser(u);
			if (LLVMIsABranchInst(user) || LLVMIsASwitchInst(user)) {
				if (branch_leaves_loop(user, from))
					return true;
			} else if (LLVMIsAStoreInst(user)) {
				if (LLVMGetOperand(user, 0) == f.values[i] &&
				    LLVMIsAAllocaInst(LLVMGetOperand(user, 1)))
					add_loads(&f, LLVMGetOperand(user, 1), from);
			} else if (LLVMIsAReturnInst(user)) {
				add_calls(&f,
					  LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
			} else if (LLVMIsAUnaryInstruction(user) || LLVMIsABinaryOperator(user) ||
				   LLVMIsACmpInst(user) || LLVMIsAPHINode(user) ||
				   LLVMIsASelectInst(user) || LLVMIsAExtractValueInst(user)) {
				add(&f, user, from);
			}
		}
	}
	return false;
}

struct cudasim_error *pass_spin(struct device_module *dm)
{
	unsigned kind = LLVMGetMDKindIDInContext(dm->context, "cudasim.spin", 12);
	LLVMValueRef mark = LLVMMDNodeInContext(dm->context, NULL, 0);
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
		     b = LLVMGetNextBasicBlock(b))
			for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
			     i = LLVMGetNextInstruction(i))
				if (LLVMIsALoadInst(i) && LLVMGetVolatile(i) &&
				    !LLVMIsAAllocaInst(LLVMGetOperand(i, 0)) && spin_decides(i))
					LLVMSetMetadata(i, kind, mark);
	return NULL;
}
