/* SPDX-License-Identifier: Apache-2.0 */
#include "value_numbering.h"
#include "hash.h"
#include "must.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPERANDS = 4 };

/* What decides an expression. Padding is zero: keys are compared as bytes. */
struct key {
	uint64_t opcode, type, extra, n;
	uint64_t operands[MAX_OPERANDS];
};

struct expression {
	struct key key;
	unsigned number; /* 0 for an empty slot */
};

struct value_numbering {
	struct expression *expressions; /* a table, never more than half full */
	size_t room;                    /* a power of two */
	struct hash values;             /* instructions to their numbers */
	unsigned last;
};

static unsigned number_expression(struct value_numbering *c, const struct key *key)
{
	uint64_t h = 0, words[sizeof(*key) / sizeof(uint64_t)];
	memcpy(words, key, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		h = hash_mix(h, words[i]);
	size_t i = h & (c->room - 1);
	while (c->expressions[i].number && memcmp(&c->expressions[i].key, key, sizeof(*key)))
		i = (i + 1) & (c->room - 1);
	if (!c->expressions[i].number) {
		c->expressions[i].key = *key;
		c->expressions[i].number = ++c->last;
	}
	return c->expressions[i].number;
}

/* An operand's number; arguments, constants and what is not numbered yet (the
 * operands of phis) stand for themselves. */
static uint64_t operand_number(const struct value_numbering *c, LLVMValueRef operand)
{
	const void *number = hash_get(&c->values, operand);
	return number ? hash_number_of(number) : (uint64_t)(uintptr_t)operand | 1ull << 63;
}

static bool commutes(LLVMOpcode op)
{
	return op == LLVMFMul || op == LLVMFAdd || op == LLVMMul || op == LLVMAdd ||
	       op == LLVMAnd || op == LLVMOr || op == LLVMXor;
}

static bool is_pure(LLVMValueRef i, LLVMOpcode op)
{
	switch (op) {
	case LLVMFMul:
	case LLVMFAdd:
	case LLVMFSub:
	case LLVMFDiv:
	case LLVMFNeg:
	case LLVMMul:
	case LLVMAdd:
	case LLVMSub:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor:
	case LLVMTrunc:
	case LLVMZExt:
	case LLVMSExt:
	case LLVMFPExt:
	case LLVMFPTrunc:
	case LLVMSIToFP:
	case LLVMUIToFP:
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMGetElementPtr:
	case LLVMLoad:
		return LLVMGetNumOperands(i) <= MAX_OPERANDS;
	default:
		return false;
	}
}

static bool may_write(LLVMOpcode op)
{
	return op == LLVMStore || op == LLVMCall || op == LLVMInvoke || op == LLVMFence ||
	       op == LLVMAtomicRMW || op == LLVMAtomicCmpXchg;
}

static unsigned number_of(struct value_numbering *c, LLVMValueRef i, uint64_t epoch)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	struct key key;
	if (!is_pure(i, op) || (op == LLVMLoad && LLVMGetVolatile(i)))
		return ++c->last;
	memset(&key, 0, sizeof(key));
	key.opcode = op;
	key.type = (uintptr_t)LLVMTypeOf(i);
	key.n = (uint64_t)LLVMGetNumOperands(i);
	if (op == LLVMLoad)
		key.extra = epoch;
	if (op == LLVMGetElementPtr)
		key.extra = (uintptr_t)LLVMGetGEPSourceElementType(i);
	for (unsigned k = 0; k < key.n; k++) {
		LLVMValueRef operand = LLVMGetOperand(i, k);
		/* A product is that of its factors without their signs. */
		while (op == LLVMFMul && LLVMIsAInstruction(operand) &&
		       LLVMGetInstructionOpcode(operand) == LLVMFNeg)
			operand = LLVMGetOperand(operand, 0);
		key.operands[k] = operand_number(c, operand);
	}
	if (commutes(op) && key.operands[0] > key.operands[1]) {
		uint64_t first = key.operands[0];
		key.operands[0] = key.operands[1];
		key.operands[1] = first;
	}
	return number_expression(c, &key);
}

static size_t count(LLVMValueRef function)
{
	size_t n = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			n++;
	}
	return n;
}

struct value_numbering *value_numbering_new(LLVMValueRef function)
{
	struct value_numbering *c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	for (c->room = 16; c->room < 2 * count(function); c->room *= 2)
		;
	c->expressions = calloc(c->room, sizeof(*c->expressions));
	if (!c->expressions) {
		value_numbering_free(c);
		return NULL;
	}
	uint64_t epoch = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b)) {
		epoch++;
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i;
		     i = LLVMGetNextInstruction(i)) {
			unsigned number = number_of(c, i, epoch);
			if (!hash_put(&c->values, i, hash_number(number)))
				must_fail();
			epoch += may_write(LLVMGetInstructionOpcode(i));
		}
	}
	return c;
}

void value_numbering_free(struct value_numbering *c)
{
	if (!c)
		return;
	free(c->expressions);
	hash_fini(&c->values);
	free(c);
}

unsigned value_numbering_of(const struct value_numbering *c, LLVMValueRef instruction)
{
	return (unsigned)hash_number_of(hash_get(&c->values, instruction));
}
