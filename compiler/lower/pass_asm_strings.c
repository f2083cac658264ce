/* SPDX-License-Identifier: Apache-2.0 */
/* pass_asm_strings.c - strings among the operands of asm statements become part of
 * their text: nvcc's constraint "C", which the driver gives to clang as "X"
 * (dialect.c).
 *
 * Each call of a statement whose X operand is a constant array of characters gets a
 * statement of its own, with the characters in the place of $N. The operand stays,
 * unused, so that the others keep their numbers. */
#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lower.h"

#define MAX_STRINGS 64

struct string {
	const char *text; /* NULL: the operand is none */
	size_t size;
};

/* The characters that an operand points to, up to the first zero byte. */
static struct string string_of(LLVMValueRef value)
{
	struct string none = {NULL, 0}, ret;

	while (LLVMIsAConstantExpr(value) && (LLVMGetConstOpcode(value) == LLVMAddrSpaceCast ||
					      LLVMGetConstOpcode(value) == LLVMBitCast))
		value = LLVMGetOperand(value, 0);
	if (LLVMIsAAddrSpaceCastInst(value))
		value = LLVMGetOperand(value, 0);
	if (!LLVMIsAGlobalVariable(value) || !LLVMIsGlobalConstant(value) ||
	    !LLVMGetInitializer(value))
		return none;
	value = LLVMGetInitializer(value);
	if (LLVMIsAConstantAggregateZero(value))
		return (struct string){"", 0};
	if (!LLVMIsAConstantDataArray(value) || !LLVMIsConstantString(value))
		return none;
	ret.text = LLVMGetAsString(value, &ret.size);
	ret.size = strnlen(ret.text, ret.size);
	return ret;
}

/* Fills strings[N] for each operand $N of constraint X; answers whether any is one. */
static bool find_strings(LLVMValueRef call, LLVMValueRef statement, struct string *strings)
{
	size_t size, number = 0;
	const char *text = LLVMGetInlineAsmConstraintString(statement, &size), *end = text + size;
	unsigned argument = 0;
	bool any = false;

	memset(strings, 0, MAX_STRINGS * sizeof(*strings));
	while (text < end && number < MAX_STRINGS) {
		const char *comma = memchr(text, ',', (size_t)(end - text));
		size_t length = (size_t)((comma ? comma : end) - text);

		if (length && *text == '~')
			break;
		if (!length || *text != '=') {
			if (length == 1 && *text == 'X' && argument < LLVMGetNumArgOperands(call))
				strings[number] = string_of(LLVMGetOperand(call, argument));
			any |= strings[number].text != NULL;
			argument++;
		}
		number++;
		text += length + 1;
	}
	return any;
}

/* The number of the operand at text ($2, ${2:x}), -1 for other text; *ret_end is
 * behind it. */
static int operand_at(const char *text, const char *end, const char **ret_end)
{
	const char *c = text + 1;
	bool braces = c < end && *c == '{';
	int number = 0;

	c += braces;
	if (*text != '$' || c >= end || !isdigit((unsigned char)*c))
		return -1;
	for (; c < end && isdigit((unsigned char)*c) && number < MAX_STRINGS; c++)
		number = 10 * number + (*c - '0');
	if (braces) {
		c = memchr(c, '}', (size_t)(end - c));
		if (!c)
			return -1;
		c++;
	}
	*ret_end = c;
	return number < MAX_STRINGS ? number : -1;
}

/* Puts the strings into the template; *ret_size without a terminator. */
static char *substitute(const char *text, size_t size, const struct string *strings,
			size_t *ret_size)
{
	const char *end = text + size, *next;
	size_t room = size + 1, n = 0;
	char *ret;

	for (const char *c = text; c < end; c++) {
		int number = operand_at(c, end, &next);

		room += number >= 0 ? 2 * strings[number].size : 0;
	}
	ret = malloc(room);
	assert(ret);
	while (text < end) {
		int number = *text == '$' && text + 1 < end && text[1] == '$'
				     ? -1
				     : operand_at(text, end, &next);

		if (number < 0 || !strings[number].text) {
			/* $$ is one dollar: its second half begins no operand. */
			if (*text == '$' && text + 1 < end && text[1] == '$')
				ret[n++] = *text++;
			ret[n++] = *text++;
			continue;
		}
		for (size_t i = 0; i < strings[number].size; i++) {
			if (strings[number].text[i] == '$')
				ret[n++] = '$';
			ret[n++] = strings[number].text[i];
		}
		text = next;
	}
	*ret_size = n;
	return ret;
}

static void run_call(LLVMValueRef call)
{
	LLVMValueRef statement = LLVMGetCalledValue(call);
	struct string strings[MAX_STRINGS];
	size_t size, constraints_size, fresh_size;
	const char *text, *constraints;
	char *fresh;

	if (!find_strings(call, statement, strings))
		return;
	text = LLVMGetInlineAsmAsmString(statement, &size);
	constraints = LLVMGetInlineAsmConstraintString(statement, &constraints_size);
	fresh = substitute(text, size, strings, &fresh_size);
	statement = LLVMGetInlineAsm(
		LLVMGetCalledFunctionType(call), fresh, fresh_size, constraints, constraints_size,
		LLVMGetInlineAsmHasSideEffects(statement),
		LLVMGetInlineAsmNeedsAlignedStack(statement), LLVMGetInlineAsmDialect(statement),
		LLVMGetInlineAsmCanUnwind(statement));
	LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, statement);
	free(fresh);
}

struct cudasim_error *pass_asm_strings(struct device_module *dm)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f))
		for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block;
		     block = LLVMGetNextBasicBlock(block))
			for (LLVMValueRef i = LLVMGetFirstInstruction(block); i;
			     i = LLVMGetNextInstruction(i))
				if (LLVMIsACallInst(i) && LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
					run_call(i);
	return NULL;
}
