/* SPDX-License-Identifier: Apache-2.0 */
/* command_find.c - find START, +LENGTH | END, VALUE...: where bytes stand in memory, as gdb. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "baton.h"
#include "command_data.h"
#include "console.h"
#include "error.h"
#include "expression.h"
#include "history.h"
#include "text.h"

enum { CHUNK = 1 << 16, MAX_PATTERN = 4096 };

/* The text up to the next comma outside of brackets and quotes, cut off; *rest is behind it,
 * NULL at the end. */
static char *cut(char **rest)
{
	char *start = *rest, *c = start, quote = 0;
	int depth = 0;
	for (; *c && (*c != ',' || depth || quote); c++) {
		if (quote)
			quote = *c == quote && c[-1] != '\\' ? 0 : quote;
		else if (*c == '"' || *c == '\'')
			quote = *c;
		else
			depth += strchr("([{", *c) ? 1 : strchr(")]}", *c) ? -1 : 0;
	}
	*rest = *c ? c + 1 : NULL;
	*c = 0;
	return start;
}

/* Append the value's bytes; size 0: as many as its type has. */
static struct cudasim_error *append(const char *text, uint32_t size, unsigned char *pattern,
				    size_t *n)
{
	struct value value;
	struct cudasim_error *error = evaluate_text(text, &value);
	if (error)
		return error;
	error = value_fetch(&value);
	const struct type *type = error || !value.type ? NULL : type_target(value.type);
	uint64_t bytes = value.n_bytes;
	/* A string is looked for without its end. */
	if (type && type->kind == TYPE_ARRAY && type_strip(type->target)->kind == TYPE_CHAR &&
	    bytes && *text_skip(text) == '"')
		bytes--;
	else if (type && size && type_is_scalar(type))
		bytes = size;
	if (!error && (!type || !bytes || *n + bytes > MAX_PATTERN))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Search pattern is empty or too long.");
	if (!error) {
		uint64_t has = bytes < value.n_bytes ? bytes : value.n_bytes;
		memset(pattern + *n, 0, bytes);
		memcpy(pattern + *n, value_bytes(&value), has);
		*n += bytes;
	}
	value_fini(&value);
	return error;
}

static struct cudasim_error *address_of(const char *text, uint64_t *ret)
{
	struct value value;
	enum storage storage;
	struct cudasim_error *error = evaluate_text(text, &value);
	if (error)
		return error;
	error = value_to_address(&value, ret, &storage);
	value_fini(&value);
	return error;
}

/* $_ is the last place. */
static void keep(uint64_t address)
{
	struct value place = value_integer(type_pointer(type_base("void"), STORAGE_NONE),
					   (wide)address);
	convenience_set("_", &place);
	value_fini(&place);
}

static struct cudasim_error *search(uint64_t low, uint64_t n, const unsigned char *pattern,
				    size_t length, uint64_t most, uint64_t *ret)
{
	unsigned char *bytes = malloc(CHUNK);
	struct cudasim_error *error = bytes ? NULL : &cudasim_error_nomem;
	*ret = 0;
	while (!error && n >= length && *ret < most && !(error = interrupt_quits())) {
		uint64_t size = n < CHUNK ? n : CHUNK;
		if ((error = value_memory_read(low, bytes, size)))
			break;
		const unsigned char *at = bytes, *end = bytes + size;
		while (*ret < most && (at = memmem(at, (size_t)(end - at), pattern, length))) {
			fprintf(console(), "0x%" PRIx64, low + (uint64_t)(at - bytes));
			value_print_symbol(console(), low + (uint64_t)(at - bytes));
			fputc('\n', console());
			keep(low + (uint64_t)(at - bytes));
			++*ret;
			at++;
		}
		/* What began in this piece and ends in the next is not in both. */
		uint64_t step = size - (length - 1);
		low += step;
		n -= step;
	}
	free(bytes);
	return error;
}

struct cudasim_error *command_find_memory(const char *argument)
{
	static const char usage[] = "Usage: find [/SIZE][/MAX] START, +LENGTH | END, VALUE...";
	unsigned char pattern[MAX_PATTERN];
	uint64_t start, n = 0, most = UINT64_MAX, found;
	size_t length = 0;
	uint32_t size = 0;
	int64_t count;
	for (; *argument == '/'; argument = text_skip(argument))
		for (argument++; *argument && *argument != ' ' && *argument != '/';) {
			const char *unit = strchr("bhwg", *argument);
			if (unit)
				size = 1u << (unit - "bhwg"), argument++;
			else if (*argument >= '1' && *argument <= '9')
				most = strtoull(argument, (char **)&argument, 10);
			else
				return cudasim_error_new(CUDASIM_E_ARGUMENT, "%s", usage);
		}
	char *copy = strdup(argument), *rest = copy;
	if (!copy)
		return &cudasim_error_nomem;
	struct cudasim_error *error = address_of(cut(&rest), &start);
	const char *end = rest ? text_skip(cut(&rest)) : "";
	if (!error && (!*end || !rest))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "%s", usage);
	if (!error && *end == '+') {
		error = evaluate_integer(end + 1, &count);
		n = error || count < 0 ? 0 : (uint64_t)count;
	} else if (!error && !(error = address_of(end, &n))) {
		n = n >= start ? n - start + 1 : 0;
	}
	if (!error && !n)
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "Empty search range.");
	while (!error && rest)
		error = append(cut(&rest), size, pattern, &length);
	if (!error)
		error = search(start, n, pattern, length, most, &found);
	if (!error) {
		struct value number = value_integer(type_base("int"), (wide)found);
		convenience_set("numfound", &number);
		value_fini(&number);
	}
	if (!error && found)
		fprintf(console(), "%" PRIu64 " pattern%s found.\n", found, found == 1 ? "" : "s");
	else if (!error)
		fputs("Pattern not found.\n", console());
	free(copy);
	return error;
}
