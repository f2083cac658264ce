/* SPDX-License-Identifier: Apache-2.0 */
/* history.c - $1, $$ and $name: values that stay when the program goes on.
 * Convenience variables are kept in the order in which they were first set. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "values_state.h"
#include "history.h"

/* ---- history ---------------------------------------------------------------------- */

uint32_t history_add(const struct value *value)
{
	struct values_history *own = &values_state()->history;
	if (own->n_values == own->capacity) {
		uint32_t more = own->capacity ? 2 * own->capacity : 64;
		struct value *grown = realloc(own->values, more * sizeof *grown);
		if (!grown)
			return 0;
		own->values = grown;
		own->capacity = more;
	}
	struct value *kept = &own->values[own->n_values];
	struct cudasim_error *error = value_copy(value, kept);
	if (!error && !kept->is_void)
		error = value_fetch(kept);
	if (error) {
		/* What could not be read stays lazy; printing says why. */
		cudasim_error_free(error);
	}
	return ++own->n_values;
}

uint32_t history_length(void)
{
	return values_state()->history.n_values;
}

struct cudasim_error *history_at(int64_t number, struct value *ret)
{
	return history_get(number, false, ret);
}

struct cudasim_error *history_get(int64_t number, bool relative, struct value *ret)
{
	struct values_history *own = &values_state()->history;
	int64_t index = relative ? (int64_t)own->n_values - number : number;
	if (!own->n_values && relative) { /* $ and $$ of an empty history are void */
		*ret = value_void();
		return NULL;
	}
	if (index < 1 && relative)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "History does not go back to $$%lld.",
					 (long long)number);
	if (index < 1) { /* $0 is the last one, as $ is */
		if (!own->n_values) {
			*ret = value_void();
			return NULL;
		}
		index = own->n_values;
	}
	if (index > own->n_values)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "History has not yet reached $%lld.",
					 (long long)index);
	return value_copy(&own->values[index - 1], ret);
}

/* ---- convenience variables ----------------------------------------------------------- */

struct convenience {
	struct convenience *next;
	char *name;
	struct value value;
};

static struct convenience *find(const char *name)
{
	for (struct convenience *one = values_state()->history.first; one; one = one->next)
		if (!strcmp(one->name, name))
			return one;
	return NULL;
}

void convenience_set(const char *name, const struct value *value)
{
	struct values_history *own = &values_state()->history;
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
		*(own->last ? own->last : &own->first) = one;
		own->last = &one->next;
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
	for (struct convenience *one = values_state()->history.first; one; one = one->next)
		f(user, one->name, &one->value);
}

/* The value as an expression where a line of text can hold it: numbers; else NULL. malloc'ed. */
static char *number_text(const struct value *value)
{
	const struct type *type = value->type ? type_strip(value->type) : NULL;
	if (!type || value->is_void || !type->name ||
	    (type->kind != TYPE_BOOL && type->kind != TYPE_CHAR && type->kind != TYPE_INTEGER &&
	     type->kind != TYPE_FLOAT))
		return NULL;
	char *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size);
	if (!line)
		return NULL;
	fprintf(line, "(%s)", type->name);
	long start = ftell(line);
	value_print(line, value,
		    type->kind == TYPE_FLOAT ? 0
		    : type->is_signed        ? 'd'
					     : 'u',
		    0, true);
	fclose(line);
	/* inf and nan are names to an expression. */
	if (isdigit((unsigned char)text[start + (text[start] == '-')]))
		return text;
	free(text);
	return NULL;
}

/* Others are gone when the program starts again. */
static void save_number(void *user, const char *name, const struct value *value)
{
	char *text = number_text(value);
	if (text)
		fprintf(user, "set $%s = %s\n", name, text);
	free(text);
}

void history_save(FILE *out)
{
	const struct values_history *own = &values_state()->history;
	for (uint32_t i = 0; i < own->n_values; i++) {
		char *text = number_text(&own->values[i]);
		fprintf(out, "maintenance history %s\n", text ? text : "");
		free(text);
	}
}

void history_swap(struct values_history *other)
{
	struct values_history *own = &values_state()->history, mine = *own;
	*own = *other;
	*other = mine;
	/* The end of an empty list is in the structure itself. */
	if (!own->first)
		own->last = NULL;
	if (!other->first)
		other->last = NULL;
}

void history_forget(void)
{
	struct values_history *own = &values_state()->history;
	while (own->n_values)
		value_fini(&own->values[--own->n_values]);
}

void convenience_save(FILE *out)
{
	convenience_each(save_number, out);
}
