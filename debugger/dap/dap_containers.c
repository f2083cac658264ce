/* SPDX-License-Identifier: Apache-2.0 */
/* dap_containers.c - what was shown that has parts, by reference, and values as the client
 * shows them. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dap_views.h"
#include "error.h"

/* Elements of an array that its own line shows; its parts are all of them. */
enum { SHOWN_ELEMENTS = 16, MOST_TEXT = 4096 };

/* ---- references -------------------------------------------------------------------- */

void dap_containers_forget(void)
{
	struct dap_containers *own = &dap_state()->containers;
	for (size_t i = 0; i < own->n; i++) {
		if (own->list[i].kind == DAP_VALUE)
			value_fini(&own->list[i].value);
		free(own->list[i].expression);
	}
	own->first += (int64_t)own->n;
	own->n = 0;
}

int64_t dap_container_new(const struct dap_container *container)
{
	struct dap_containers *own = &dap_state()->containers;
	if (own->n == own->capacity) {
		size_t more = own->capacity ? 2 * own->capacity : 64;
		struct dap_container *list = realloc(own->list, more * sizeof *list);
		if (!list)
			return 0;
		own->list = list;
		own->capacity = more;
	}
	own->list[own->n] = *container;
	return own->first + (int64_t)own->n++;
}

struct cudasim_error *dap_container_of(int64_t reference, const struct dap_container **ret)
{
	const struct dap_containers *own = &dap_state()->containers;
	if (reference < own->first || reference >= own->first + (int64_t)own->n)
		return cudasim_error_new(
			CUDASIM_E_NOTFOUND,
			"There are no variables with the reference %lld: it was of an earlier stop.",
			(long long)reference);
	*ret = &own->list[reference - own->first];
	return NULL;
}

/* ---- values -------------------------------------------------------------------------- */

static bool is_struct(const struct type *type)
{
	return type->kind == TYPE_STRUCT && !type->float_format && !type->is_declaration;
}

bool dap_has_parts(const struct value *value)
{
	if (value->is_void || value->is_optimized_out || !value->type)
		return false;
	const struct type *type = type_target(value->type);
	if (type->kind == TYPE_POINTER) {
		const struct type *to = type_strip(type->target);
		return to->kind != TYPE_VOID && to->kind != TYPE_FUNCTION && !to->is_declaration;
	}
	return (is_struct(type) && type->n_members) || (type->kind == TYPE_ARRAY && type->n);
}

static bool is_text(const struct type *type)
{
	return type->kind == TYPE_ARRAY && type_strip(type->target)->kind == TYPE_CHAR;
}

static json_t *text_of(const struct value *value, bool is_hex, bool is_short)
{
	struct dap_buffer buffer;
	struct print_settings *settings = print_settings(), before = *settings;
	FILE *out = dap_open(&buffer);
	if (!out)
		return NULL;
	if (is_short && !is_text(type_target(value->type)) &&
	    (!settings->elements || settings->elements > SHOWN_ELEMENTS))
		settings->elements = SHOWN_ELEMENTS;
	settings->pretty = false;
	if (value->is_optimized_out)
		fputs("<optimized out>", out);
	else
		value_print(out, value, is_hex ? 'x' : 0, 0, false);
	*settings = before;
	return dap_close(&buffer);
}

static json_t *type_of(const struct value *value)
{
	struct dap_buffer buffer;
	FILE *out = dap_open(&buffer);
	if (!out)
		return NULL;
	type_print(out, value->type, value->storage, false);
	return dap_close(&buffer);
}

/* Where memory views begin: a pointer's target, else the object itself. */
static void add_memory(json_t *object, const struct value *value)
{
	const struct type *type = type_target(value->type);
	uint64_t address;
	if (type->kind == TYPE_POINTER && type_strip(type->target)->kind != TYPE_FUNCTION) {
		struct cudasim_error *error = value_to_address(value, &address, NULL);
		if (!error)
			json_object_set_new(object, "memoryReference", dap_address(address));
		cudasim_error_free(error);
	} else if (value->is_lvalue && value->address) {
		json_object_set_new(object, "memoryReference", dap_address(value->address));
	}
}

/* A value that is not there is an error in the variable's place, not of the request. */
static void describe_error(json_t *object, const char *name, struct cudasim_error *error)
{
	json_object_set_new(object, name, dap_format("<error: %s>", error->message));
	json_object_set_new(object, "variablesReference", json_integer(0));
	json_object_set_new(object, "presentationHint",
			    json_pack("{s:[s]}", "attributes", "readOnly"));
	cudasim_error_free(error);
}

/* What is in memory is read again for its parts, which may have been set meanwhile. */
static void keep_place(struct value *value)
{
	enum type_kind kind = type_strip(value->type)->kind;
	if (!value->is_lvalue || !value->address || value->bit_size ||
	    (kind != TYPE_STRUCT && kind != TYPE_ARRAY && kind != TYPE_POINTER))
		return;
	struct value place = value_at(value->type, value->storage, value->address);
	value_fini(value);
	*value = place;
}

static void describe_parts(json_t *object, struct value *value, const char *expression,
			   const struct frame *frame, bool is_hex)
{
	const struct type *type = type_target(value->type);
	keep_place(value);
	struct dap_container container = {.kind = DAP_VALUE,
					  .frame = frame,
					  .value = *value,
					  .expression = expression ? strdup(expression) : NULL,
					  .is_hex = is_hex};
	int64_t reference = dap_container_new(&container);
	json_object_set_new(object, "variablesReference", json_integer(reference));
	if (!reference) {
		value_fini(value);
		free(container.expression);
	}
	if (type->kind == TYPE_ARRAY)
		json_object_set_new(object, "indexedVariables", json_integer((json_int_t)type->n));
}

void dap_describe(json_t *object, const char *name, struct cudasim_error *error,
		  struct value *value, const char *expression, const struct frame *frame,
		  bool is_hex)
{
	struct cudasim_thread *before = value_thread_swap(frame ? frame->thread : NULL);
	if (!error && !value->is_void && !value->is_optimized_out && value->type &&
	    type_strip(value->type)->kind != TYPE_FUNCTION && (error = value_fetch(value)))
		value_fini(value);
	if (error) {
		describe_error(object, name, error);
	} else if (value->is_void || !value->type) {
		json_object_set_new(object, name, json_string("void"));
		json_object_set_new(object, "variablesReference", json_integer(0));
	} else {
		bool has_parts = dap_has_parts(value);
		json_object_set_new(object, name, text_of(value, is_hex, has_parts));
		json_object_set_new(object, "type", type_of(value));
		add_memory(object, value);
		if (has_parts) {
			describe_parts(object, value, expression, frame, is_hex);
		} else {
			json_object_set_new(object, "variablesReference", json_integer(0));
			value_fini(value);
		}
	}
	value_thread_swap(before);
}
