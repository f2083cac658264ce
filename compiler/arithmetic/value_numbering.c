/* SPDX-License-Identifier: Apache-2.0 */
#include "value_numbering.h"

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

struct value {
	LLVMValueRef value; /* NULL for an empty slot */
	unsigned number;
};

/* Two hash tables with open addresses, never more than half full. */
struct value_numbering {
	struct expression *expressions;
	struct value *values;
	size_t room; /* a power of two */
	unsigned last;
};

static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;
	return x ^ x >> 29;
}

static struct value *value_slot(const struct value_numbering *c, LLVMValueRef value)
{
	size_t i = mix((uintptr_t)value) & (c->room - 1);
	while (c->values[i].value && c->values[i].value != value)
		i = (i + 1) & (c->room - 1);
	return &c->values[i];
}

static unsigned number_expression(struct value_numbering *c, const struct key *key)
{
	uint64_t h = 0, words[sizeof(*key) / sizeof(uint64_t)];
	memcpy(words, key, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		h = mix(h ^ words[i]);
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
	const struct value *slot = value_slot(c, operand);
	return slot->value ? slot->number : (uint64_t)(uintptr_t)operand | 1ull << 63;
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
	c->values = calloc(c->room, sizeof(*c->values));
	if (!c->expressions || !c->values) {
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
			struct value *slot = value_slot(c, i);
			slot->value = i;
			slot->number = number;
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
	free(c->values);
	free(c);
}

unsigned value_numbering_of(const struct value_numbering *c, LLVMValueRef instruction)
{
	return value_slot(c, instruction)->number;
}
