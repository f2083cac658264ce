/* SPDX-License-Identifier: Apache-2.0 */
/* command_vtbl.c - info vtbl: the virtual tables of an object, as its class sees it.
 *
 * Itanium C++ ABI 2.5: an object and each base that is not its primary one begin with a
 * pointer into the table; entries are pointers to functions, in device code to
 * descriptors. How many there are is known from the classes' virtual functions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command_stack.h"
#include "console.h"
#include "error.h"
#include "expression.h"

enum { MOST = 64 }; /* subobjects with tables of their own; deeper nesting is corrupt */

struct table {
	const struct type *type;
	uint64_t object, vptr;
	int64_t last; /* entry */
};
struct tables {
	struct table all[MOST];
	size_t n;
	int depth;
};

/* Has the class a table: a virtual function, a virtual base, or a base that has? */
static bool is_dynamic(const struct type *type, int depth)
{
	if (type->kind != TYPE_STRUCT || depth > 32)
		return false;
	for (size_t i = 0; i < type->n_methods; i++)
		if (type->methods[i].is_virtual)
			return true;
	for (size_t i = 0; i < type->n_members; i++)
		if (type->members[i].is_virtual_base || type->members[i].is_vptr ||
		    (type->members[i].is_base &&
		     is_dynamic(type_strip(type->members[i].type), depth + 1)))
			return true;
	return false;
}

static int64_t last_entry(const struct type *type)
{
	int64_t last = -1;
	for (size_t i = 0; i < type->n_methods; i++)
		if (type->methods[i].is_virtual && type->methods[i].vtable_index > last)
			last = type->methods[i].vtable_index;
	return last;
}

static struct cudasim_error *add(struct tables *tables, const struct value *object)
{
	const struct type *type = type_strip(object->type);
	struct cudasim_error *error = NULL;
	struct table *table = NULL;
	uint64_t vptr;
	if (!is_dynamic(type, 0) || tables->n == MOST || tables->depth > 32)
		return NULL;
	if ((error = value_memory_read(object->address, &vptr, sizeof vptr)))
		return error;
	/* A primary base shares the table of the class that has it. */
	for (size_t i = 0; i < tables->n; i++)
		if (tables->all[i].object == object->address)
			table = &tables->all[i];
	if (!table) {
		table = &tables->all[tables->n++];
		*table = (struct table){type, object->address, vptr, -1};
	}
	int64_t last = last_entry(type);
	if (last > table->last)
		table->last = last;
	tables->depth++;
	for (size_t i = 0; i < type->n_members && !error; i++) {
		struct value base;
		if (!type->members[i].is_base)
			continue;
		error = value_member(object, &type->members[i], &base);
		if (!error) {
			error = add(tables, &base);
			value_fini(&base);
		}
	}
	tables->depth--;
	return error;
}

static int by_address(const void *a, const void *b)
{
	const struct table *x = a, *y = b;
	return (x->object > y->object) - (x->object < y->object);
}

static void print_table(const struct table *table)
{
	fprintf(console(), "vtable for '%s' @ 0x%" PRIx64 " (subobject @ 0x%" PRIx64 "):\n",
		table->type->name ? table->type->name : "", table->vptr, table->object);
	for (int64_t i = 0; i <= table->last; i++) {
		uint64_t entry;
		struct cudasim_error *error = value_memory_read(table->vptr + 8 * (uint64_t)i,
								&entry, sizeof entry);
		fprintf(console(), "[%" PRId64 "]: ", i);
		if (error) {
			fprintf(console(), "<error: %s>\n", error->message);
			cudasim_error_free(error);
			continue;
		}
		entry = value_code_of(entry);
		fprintf(console(), "0x%" PRIx64, entry);
		value_print_symbol(console(), entry);
		fputc('\n', console());
	}
}

/* What text means, pointers and references followed, in memory. */
static struct cudasim_error *object_of(const char *text, struct value *ret)
{
	struct value value;
	struct cudasim_error *error = evaluate_text(text, &value);
	if (error)
		return error;
	const struct type *type = value.type && !value.is_void ? type_strip(value.type) : NULL;
	if (type && (type->kind == TYPE_POINTER || type->kind == TYPE_REFERENCE) && type->target)
		error = value_pointee(&value, ret);
	else
		error = value_copy(&value, ret);
	value_fini(&value);
	return error;
}

struct cudasim_error *command_info_vtbl(const char *argument)
{
	struct value object;
	struct tables tables = {.n = 0};
	if (!*argument)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Argument required (an object).");
	struct cudasim_error *error = object_of(argument, &object);
	if (error)
		return error;
	const struct type *type = object.type && !object.is_void ? type_strip(object.type) : NULL;
	if (!type || !object.is_lvalue || !is_dynamic(type, 0))
		fputs("This object does not have a virtual function table\n", console());
	else
		error = add(&tables, &object);
	value_fini(&object);
	if (error)
		return error;
	if (tables.n)
		qsort(tables.all, tables.n, sizeof *tables.all, by_address);
	bool first = true;
	for (size_t i = 0; i < tables.n; i++) {
		if (tables.all[i].last < 0)
			continue;
		if (!first)
			fputc('\n', console());
		first = false;
		print_table(&tables.all[i]);
	}
	return NULL;
}
