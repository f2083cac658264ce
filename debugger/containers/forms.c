/* SPDX-License-Identifier: Apache-2.0 */
/* forms.c - from an object's class to its form, and what the forms have in common. */
#include "forms.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "call.h"
#include "error.h"
#include "unwritten.h"

static const struct form *const families[] = {forms_std, forms_std_nodes, forms_std_others,
					      forms_cuda, forms_thrust};

/* Only classes in these namespaces are looked for. */
static bool is_of_library(const char *name)
{
	static const char *const spaces[] = {"std::", "cuda::", "thrust::", "__gnu_cxx::"};
	for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
		if (!strncmp(name, spaces[i], strlen(spaces[i])))
			return true;
	return false;
}

static struct cudasim_error *open(const struct value *object, const struct form *form,
				  struct container *ret, bool *is_container)
{
	const struct type *type = type_strip(object->type);
	struct cudasim_error *error = NULL;
	*is_container = true;
	/* A local variable of device code that nobody has written. */
	if (object->is_lvalue && type->size && unwritten_at(object->address, type->size)) {
		container_head(ret, "<uninitialized>");
		return NULL;
	}
	error = form->open(object, form, ret);
	if (error && error->code == CUDASIM_E_FORMAT) { /* another version of the library */
		cudasim_error_free(error);
		error = NULL;
		*is_container = false;
	}
	if (error || !*is_container) {
		container_close(ret);
		*ret = (struct container){.index = 0};
	}
	return error;
}

static struct cudasim_error *find(const struct value *object, struct container *ret,
				  bool *is_container)
{
	const struct type *type = object->type ? type_strip(object->type) : NULL;
	char name[128];
	*is_container = false;
	if (!type || type->kind != TYPE_STRUCT || !type->name || type->is_declaration ||
	    !is_of_library(type->name))
		return NULL;
	symbols_plain_name(type->name, false, name, sizeof name);
	for (size_t i = 0; i < sizeof families / sizeof *families; i++)
		for (const struct form *form = families[i]; form->name; form++)
			if (!strcmp(form->name, name)) {
				struct cudasim_error *error = open(object, form, ret, is_container);
				if (error || *is_container)
					return error;
			}
	return NULL;
}

__attribute__((constructor)) static void start(void)
{
	containers_set(find);
}

/* ---- heads ------------------------------------------------------------------------------- */

void container_head(struct container *c, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsnprintf(c->head, sizeof c->head, format, list);
	va_end(list);
}

void container_count(struct container *c, const char *name, uint64_t n)
{
	container_head(c, "%s with %" PRIu64 " element%s", name, n, n == 1 ? "" : "s");
}

void container_instance(struct container *c, const struct value *object, const char *name)
{
	char argument[96] = "";
	const struct type *type = type_strip(object->type);
	if (type->n_arguments && !type->arguments[0].is_value)
		symbols_plain_name(type_text(type->arguments[0].type), true, argument,
				   sizeof argument);
	/* As everybody writes it. */
	if (!strncmp(argument, "std::basic_string<char,", 23))
		snprintf(argument, sizeof argument, "std::string");
	container_head(c, "%s<%s>", name, argument);
}

/* ---- parts ------------------------------------------------------------------------------- */

struct cudasim_error *field_number(const struct value *object, const char *path, uint64_t *ret)
{
	struct value field;
	wide number = 0;
	struct cudasim_error *error = value_field(object, path, &field);
	if (error)
		return error;
	error = value_to_integer(&field, &number);
	value_fini(&field);
	*ret = (uint64_t)number;
	return error;
}

struct cudasim_error *field_pointer(const struct value *object, const char *path, uint64_t *ret,
				    const struct type **ret_target)
{
	struct value field;
	struct cudasim_error *error = value_field(object, path, &field);
	if (error)
		return error;
	const struct type *type = type_strip(field.type);
	if (type->kind != TYPE_POINTER)
		error = cudasim_error_new(CUDASIM_E_FORMAT, "%s is no pointer.", path);
	else
		error = value_to_address(&field, ret, NULL);
	if (!error && ret_target)
		*ret_target = type->target ? type->target : type_base("void");
	value_fini(&field);
	return error;
}

struct cudasim_error *argument_type(const struct type *type, size_t i, const struct type **ret)
{
	type = type_strip(type);
	if (i >= type->n_arguments || type->arguments[i].is_value)
		return cudasim_error_new(CUDASIM_E_FORMAT,
					 "The class has no such template argument.");
	*ret = type->arguments[i].type;
	return NULL;
}

struct cudasim_error *base_named(const struct value *object, const char *name, size_t skip,
				 struct value *ret)
{
	const struct type *type = type_strip(object->type);
	for (size_t i = 0; i < type->n_members; i++) {
		char plain[128] = "";
		const struct member *m = &type->members[i];
		if (m->is_base && m->type->name)
			symbols_plain_name(m->type->name, false, plain, sizeof plain);
		if (m->is_base && !strcmp(plain, name) && !skip--)
			return value_member(object, m, ret);
	}
	return cudasim_error_new(CUDASIM_E_FORMAT, "The class has no base %s.", name);
}

struct cudasim_error *not_initialized(const char *format, ...)
{
	char text[256];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "%s", text);
}

uint64_t align_up(uint64_t offset, const struct type *type)
{
	uint64_t to = type_alignment(type_strip(type));
	return to ? (offset + to - 1) / to * to : offset;
}

struct cudasim_error *container_keep(struct container *c, const struct value *object)
{
	return value_copy(object, &c->object);
}
