/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_table.c - finds the row of a statement. */
#include "ptx_table.h"

#include <string.h>

const struct ptx_row *const ptx_tables[] = {
	ptx_rows_integer, ptx_rows_carry,   ptx_rows_float, ptx_rows_half,
	ptx_rows_compare, ptx_rows_convert, ptx_rows_move,  ptx_rows_memory,
	ptx_rows_atomic,  ptx_rows_sync,    ptx_rows_async, ptx_rows_video,
	ptx_rows_mma,     ptx_rows_flow,    ptx_rows_call,  NULL,
};

/* Is word one of the alternatives in [list, list + size), bars between them? */
static bool among(const char *list, size_t size, const char *word)
{
	size_t length = strlen(word);

	for (size_t i = 0; i < size;) {
		const char *bar = memchr(list + i, '|', size - i);
		size_t end = bar ? (size_t)(bar - list) : size;

		if (end - i == length && !memcmp(list + i, word, length))
			return true;
		i = end + 1;
	}
	return false;
}

/* Takes the word as the next type of the row, if it may be that. */
static bool take_type(const struct ptx_row *row, unsigned n_taken, const char *word,
		      enum ptx_type *ret)
{
	const char *list = row->types;
	size_t size;

	for (; n_taken; n_taken--) {
		list = strchr(list, ',');
		if (!list)
			return false;
		list++;
	}
	size = strcspn(list, ",");
	*ret = size && among(list, size, word) ? ptx_type_find(word) : PTX_NONE;
	return *ret != PTX_NONE;
}

static bool take_modifier(const struct ptx_row *row, struct ptx_match *match, const char *word)
{
	const char *list = row->modifiers;

	for (unsigned group = 0; *list && group < PTX_MAX_GROUPS; group++) {
		size_t size = strcspn(list, " ");
		size_t names = size - (list[size - 1] == '?');

		if (!match->modifiers[group] && among(list, names, word)) {
			match->modifiers[group] = word;
			return true;
		}
		list += size;
		list += *list == ' ';
	}
	return false;
}

/* Has every group that may not be absent been used, and every type? */
static bool is_complete(const struct ptx_row *row, const struct ptx_match *match, unsigned n_types)
{
	const char *list = row->modifiers;
	unsigned wanted = *row->types ? 1 : 0;

	for (const char *c = row->types; *c; c++)
		wanted += *c == ',';
	if (n_types != wanted)
		return false;
	for (unsigned group = 0; *list && group < PTX_MAX_GROUPS; group++) {
		size_t size = strcspn(list, " ");

		if (list[size - 1] != '?' && !match->modifiers[group])
			return false;
		list += size;
		list += *list == ' ';
	}
	return true;
}

static bool accepts(const struct ptx_row *row, const struct ptx_statement *statement,
		    struct ptx_match *ret)
{
	unsigned n_types = 0;

	*ret = (struct ptx_match){.row = row};
	for (uint32_t i = 0; i < statement->n_modifiers; i++) {
		const char *word = statement->modifiers[i];

		if (n_types < PTX_MAX_TYPES && take_type(row, n_types, word, &ret->types[n_types]))
			n_types++;
		else if (!take_modifier(row, ret, word))
			return false;
	}
	return is_complete(row, ret, n_types);
}

/* Does the number of operands fit the row? */
static bool fits(const struct ptx_row *row, const struct ptx_statement *statement)
{
	unsigned most = 0, least = 0;
	bool optional = false;

	for (const char *c = row->operands; *c; c++) {
		if (*c == ':')
			continue;
		if (*c == '?') {
			optional = true;
			least = least > most - 1 ? most - 1 : least;
		} else {
			most++;
			least += !optional;
		}
	}
	return statement->n_operands >= least && statement->n_operands <= most;
}

bool ptx_table_find(const struct ptx_statement *statement, struct ptx_match *ret)
{
	for (const struct ptx_row *const *table = ptx_tables; *table; table++)
		for (const struct ptx_row *row = *table; row->opcode; row++)
			if (!strcmp(row->opcode, statement->opcode) &&
			    accepts(row, statement, ret) && fits(row, statement))
				return true;
	return false;
}
