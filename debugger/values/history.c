/* SPDX-License-Identifier: Apache-2.0 */
/* history.c - $1, $$ and $name: values that stay when the program goes on.
 * Convenience variables are kept in the order in which they were first set. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "history.h"

/* ---- history ---------------------------------------------------------------------- */

static struct value *values;
static uint32_t n_values, capacity;

uint32_t history_add(const struct value *value)
{
	if (n_values == capacity) {
		uint32_t more = capacity ? 2 * capacity : 64;
		struct value *grown = realloc(values, more * sizeof *grown);
		if (!grown)
			return 0;
		values = grown;
		capacity = more;
	}
	struct value *kept = &values[n_values];
	struct cudasim_error *error = value_copy(value, kept);
	if (!error && !kept->is_void)
		error = value_fetch(kept);
	if (error) {
		/* What could not be read stays lazy; printing says why. */
		cudasim_error_free(error);
	}
	return ++n_values;
}

uint32_t history_length(void)
{
	return n_values;
}

struct cudasim_error *history_at(int64_t number, struct value *ret)
{
	return history_get(number, false, ret);
}

struct cudasim_error *history_get(int64_t number, bool relative, struct value *ret)
{
	int64_t index = relative ? (int64_t)n_values - number : number;
	if (!n_values && relative) { /* $ and $$ of an empty history are void */
		*ret = value_void();
		return NULL;
	}
	if (index < 1 && relative)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "History does not go back to $$%lld.",
					 (long long)number);
	if (index < 1) { /* $0 is the last one, as $ is */
		if (!n_values) {
			*ret = value_void();
			return NULL;
		}
		index = n_values;
	}
	if (index > n_values)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "History has not yet reached $%lld.",
					 (long long)index);
	return value_copy(&values[index - 1], ret);
}

/* ---- convenience variables ----------------------------------------------------------- */

struct convenience {
	struct convenience *next;
	char *name;
	struct value value;
};
static struct convenience *first, **last = &first;

static struct convenience *find(const char *name)
{
	for (struct convenience *one = first; one; one = one->next)
		if (!strcmp(one->name, name))
			return one;
	return NULL;
}

void convenience_set(const char *name, const struct value *value)
{
	struct convenience *one = find(name);
	struct value kept;
	struct cudasim_error *error = value_copy(value, &kept);
	if (!error && !kept.is_void)
		error = value_fetch(&kept);
	if (error) {
		cudasim_error_free(error);
		return;
	}
	if (!one) {
		one = calloc(1, sizeof *one);
		if (!one || !(one->name = strdup(name))) {
			free(one);
			value_fini(&kept);
			return;
		}
		*last = one;
		last = &one->next;
	} else {
		value_fini(&one->value);
	}
	one->value = kept;
	one->value.is_lvalue = false; /* a copy, whatever it was of */
}

bool convenience_get(const char *name, struct value *ret)
{
	struct convenience *one = find(name);
	if (!one)
		return false;
	struct cudasim_error *error = value_copy(&one->value, ret);
	cudasim_error_free(error);
	return !error;
}

void convenience_each(void (*f)(void *user, const char *name, const struct value *), void *user)
{
	for (struct convenience *one = first; one; one = one->next)
		f(user, one->name, &one->value);
}

/* What a line of text can hold: numbers. Others are gone when the program starts again. */
static void save_number(void *user, const char *name, const struct value *value)
{
	FILE *out = user;
	const struct type *type = value->type ? type_strip(value->type) : NULL;
	if (!type || value->is_void || !type->name ||
	    (type->kind != TYPE_BOOL && type->kind != TYPE_CHAR && type->kind != TYPE_INTEGER &&
	     type->kind != TYPE_FLOAT))
		return;
	char *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size);
	if (!line)
		return;
	value_print(line, value,
		    type->kind == TYPE_FLOAT ? 0
		    : type->is_signed        ? 'd'
					     : 'u',
		    0, true);
	fclose(line);
	/* inf and nan are names to an expression. */
	if (isdigit((unsigned char)text[text[0] == '-']))
		fprintf(out, "set $%s = (%s)%s\n", name, type->name, text);
	free(text);
}

void convenience_save(FILE *out)
{
	convenience_each(save_number, out);
}
