/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_fuzz.c - libFuzzer target: any bytes are a program or an error, and a tree
 * that came out can be walked to its ends. The first byte chooses the dialect. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_syntax.h"

static size_t walk(const struct ptx_operand *operand)
{
	size_t n = 1;

	if (operand->name)
		n += strlen(operand->name);
	if (operand->component)
		n += strlen(operand->component);
	for (uint32_t i = 0; i < operand->n_parts; i++)
		n += walk(&operand->parts[i]);
	if (operand->second)
		n += walk(operand->second);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ptx_program program;
	struct cudasim_error *error;
	size_t n = 0;

	if (!size)
		return 0;
	error = ptx_parse((const char *)data + 1, size - 1, data[0] & 1, &program);
	if (error) {
		if (!error->message || strchr(error->message, '\n'))
			abort();
		cudasim_error_free(error);
		return 0;
	}
	for (size_t i = 0; i < program.n_statements; i++) {
		const struct ptx_statement *s = &program.statements[i];

		n += strlen(s->text);
		if (s->guard)
			n += walk(s->guard);
		for (uint32_t k = 0; k < s->n_operands; k++)
			n += walk(&s->operands[k]);
		for (uint32_t k = 0; k < s->n_modifiers; k++)
			n += strlen(s->modifiers[k]);
	}
	ptx_program_free(&program);
	return n == SIZE_MAX;
}
