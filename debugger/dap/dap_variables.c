/* SPDX-License-Identifier: Apache-2.0 */
/* dap_variables.c - the parts of scopes and values, and setting them.
 *
 * Every part has an expression that denotes it in its frame, if there is one: setting it is an
 * assignment to that, and a client may watch it. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dap_views.h"
#include "error.h"
#include "frame_print.h"

enum {
	MOST_ELEMENTS = 100000, /* of one answer */
	MOST_SHOWN = 1000,      /* that are not in ranges */
};

/* ---- one part ----------------------------------------------------------------------------- */

struct parts {
	const struct dap_container *container;
	json_t *list;
};

/* Takes error, or value. expression: malloc'ed or NULL; taken. */
static void add(struct parts *parts, const char *name, struct cudasim_error *error,
		struct value *value, char *expression)
{
	json_t *part = json_pack("{s:o}", "name", dap_text(name));
	dap_describe(part, "value", error, value, expression, parts->container->frame,
		     parts->container->is_hex);
	if (expression)
		json_object_set_new(part, "evaluateName", dap_text(expression));
	json_array_append_new(parts->list, part);
	free(expression);
}

static char *join(const char *format, const char *a, const char *b)
	__attribute__((format(printf, 1, 0)));
static char *join(const char *format, const char *a, const char *b)
{
	char *ret;
	if (!a)
		return NULL;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	return asprintf(&ret, format, a, b) < 0 ? NULL : ret;
#pragma GCC diagnostic pop
}

/* ---- scopes ------------------------------------------------------------------------------- */

static bool is_listed(const struct parts *parts, const char *name)
{
	size_t i;
	json_t *part;
	json_array_foreach(parts->list, i,
			   part) if (!strcmp(dap_string_of(part, "name"), name)) return true;
	return false;
}

static void add_variable(struct parts *parts, const struct variable *variable)
{
	const struct frame *frame = parts->container->frame;
	struct value value = {0};
	/* An outer variable that an inner one hides has no expression of its own. */
	bool is_hidden = is_listed(parts, variable->name);
	struct cudasim_thread *before = value_thread_swap(frame->thread);
	struct cudasim_error *error = frame_variable(frame, variable, &value);
	add(parts, variable->name, error, &value, is_hidden ? NULL : strdup(variable->name));
	value_thread_swap(before);
}

/* What finish has brought back, first of the frame that it returned to. */
static void add_returned(struct parts *parts)
{
	const struct stop *stop = stop_current();
	const struct frame *frame = parts->container->frame;
	if (stop->kind != STOP_FINISH || !stop->return_value || frame->level)
		return;
	const struct function *function = symbols_function_at((uint64_t)stop->returned_pc);
	const struct type *type = function ? symbols_function_type(function) : NULL;
	type = type && type->kind == TYPE_FUNCTION ? type->target : NULL;
	if (!type || type_strip(type)->kind == TYPE_VOID || frame->thread != stop->thread)
		return;
	struct value value = value_at(type, STORAGE_NONE, (uintptr_t)stop->return_value);
	char *name = join("%s%s returned", function->name, "");
	struct cudasim_error *error = value_fetch(&value);
	value.is_lvalue = false;
	add(parts, name ? name : "returned", error, &value, NULL);
	free(name);
}

static void add_locals(struct parts *parts)
{
	const struct frame *frame = parts->container->frame;
	add_returned(parts);
	for (size_t i = 0; i < frame->n_scopes; i++)
		for (size_t k = 0; k < frame->scopes[i].n_variables; k++) {
			const struct variable *v = &frame->scopes[i].variables[k];
			if (!v->is_argument && !v->is_template && !v->is_artificial)
				add_variable(parts, v);
		}
}

static void add_arguments(struct parts *parts)
{
	const struct frame *frame = parts->container->frame;
	const struct scope *scope = frame->n_scopes ? &frame->scopes[frame->n_scopes - 1] : NULL;
	for (size_t k = 0; scope && k < scope->n_variables; k++)
		if (scope->variables[k].is_argument)
			add_variable(parts, &scope->variables[k]);
}

static void add_number(struct parts *parts, const char *name, uint64_t number)
{
	json_array_append_new(parts->list,
			      json_pack("{s:s, s:o, s:i, s:{s:[s]}}", "name", name, "value",
					dap_format("%" PRIu64, number), "variablesReference", 0,
					"presentationHint", "attributes", "readOnly"));
}

static void add_cuda(struct parts *parts)
{
	static const char *const names[] = {"threadIdx", "blockIdx", "blockDim", "gridDim",
					    "warpSize"};
	const struct frame *frame = parts->container->frame;
	const struct cudasim_thread *thread = frame->thread;
	struct context context = dap_context_in(frame);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct value value = {0};
		struct cudasim_error *error = dap_evaluate_in(names[i], &context, &value);
		add(parts, names[i], error, &value, strdup(names[i]));
	}
	add_number(parts, "kernel", focus_kernel_number(frame->launch));
	add_number(parts, "grid", frame->launch->gridid);
	add_number(parts, "device", frame->launch->device);
	add_number(parts, "sm", thread->block->smid);
	add_number(parts, "warp", thread->warp);
	add_number(parts, "lane", thread->lane);
}

static void add_registers(struct parts *parts)
{
	static const char *const names[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi",
					    "rbp", "rsp", "r8",  "r9",  "r10", "r11",
					    "r12", "r13", "r14", "r15", "rip"};
	const struct frame *frame = parts->container->frame;
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (frame->registers.known & 1u << i)
			json_array_append_new(
				parts->list,
				json_pack("{s:s, s:o, s:i, s:o, s:o, s:{s:[s]}}", "name", names[i],
					  "value", dap_address(frame->registers.value[i]),
					  "variablesReference", 0, "memoryReference",
					  dap_address(frame->registers.value[i]), "evaluateName",
					  dap_format("$%s", names[i]), "presentationHint",
					  "attributes", "readOnly"));
}

/* ---- values ---------------------------------------------------------------------------------- */

/* prefix: what stands before a member's name; NULL: nothing denotes the object. */
static void add_members(struct parts *parts, const struct value *object, const char *prefix)
{
	const struct type *type = type_strip(object->type);
	for (size_t i = 0; i < type->n_members; i++) {
		const struct member *member = &type->members[i];
		struct value value = {0};
		if (member->is_vptr || member->is_artificial)
			continue;
		if (member->is_static) {
			struct context context = dap_context_in(parts->container->frame);
			char *text = join("%s%s", prefix, member->name);
			if (text) {
				struct cudasim_error *error = dap_evaluate_in(text, &context,
									      &value);
				add(parts, member->name, error, &value, text);
			}
			continue;
		}
		struct cudasim_error *error = value_member(object, member, &value);
		const char *name = member->name ? member->name : type_text(member->type);
		/* Members of bases and of what has no name are found through the object itself. */
		if (member->name && !member->is_base) {
			add(parts, name, error, &value, join("%s%s", prefix, name));
			continue;
		}
		json_t *part = json_pack("{s:o}", "name",
					 dap_text(member->is_base || name[0] ? name : "<unnamed>"));
		dap_describe(part, "value", error, &value, parts->container->expression,
			     parts->container->frame, parts->container->is_hex);
		json_array_append_new(parts->list, part);
	}
}

/* Elements in ranges, for a client that does not ask for a part of so many. */
static struct cudasim_error *add_ranges(struct parts *parts, int64_t start, int64_t end)
{
	const struct dap_container *whole = parts->container;
	int64_t step = MOST_SHOWN;
	while ((end - start) / step >= MOST_SHOWN)
		step *= MOST_SHOWN;
	for (int64_t i = start; i < end; i += step) {
		struct dap_container range = *whole;
		struct cudasim_error *error = value_copy(&whole->value, &range.value);
		if (error)
			return error;
		range.expression = whole->expression ? strdup(whole->expression) : NULL;
		range.start = i;
		range.count = step < end - i ? step : end - i;
		json_array_append_new(
			parts->list,
			json_pack("{s:o, s:s, s:I, s:I, s:{s:s}}", "name",
				  dap_format("[%" PRId64 "...%" PRId64 "]", i, i + range.count - 1),
				  "value", "", "variablesReference",
				  (json_int_t)dap_container_new(&range), "indexedVariables",
				  (json_int_t)range.count, "presentationHint", "kind", "virtual"));
	}
	return NULL;
}

/* start and count: of those that the container stands for. */
static struct cudasim_error *add_elements(struct parts *parts, const struct value *array,
					  int64_t start, int64_t count)
{
	const struct dap_container *own = parts->container;
	int64_t n = own->count ? own->count : (int64_t)type_strip(array->type)->n;
	start = start < n ? start : n;
	int64_t end = count && count < n - start ? start + count : n;
	if (!count && end - start > MOST_SHOWN)
		return add_ranges(parts, own->start + start, own->start + end);
	if (end - start > MOST_ELEMENTS)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "An answer has at most %d elements: ask for parts of it.",
					 MOST_ELEMENTS);
	for (int64_t i = own->start + start; i < own->start + end; i++) {
		char name[32];
		struct value value = {0};
		struct cudasim_error *error = value_element(array, i, &value);
		snprintf(name, sizeof name, "[%" PRId64 "]", i);
		add(parts, name, error, &value, join("%s%s", own->expression, name));
	}
	return NULL;
}

/* A pointer's parts are those of a struct that it points at, else its target. */
static void add_pointee(struct parts *parts, const struct value *pointer)
{
	const char *expression = parts->container->expression;
	struct value value = {0};
	struct cudasim_error *error = value_pointee(pointer, &value);
	if (!error && type_strip(value.type)->kind == TYPE_STRUCT &&
	    !type_strip(value.type)->float_format) {
		char *prefix = join("%s%s", expression, "->");
		add_members(parts, &value, prefix);
		free(prefix);
		value_fini(&value);
		return;
	}
	char *name = join("*%s%s", expression ? expression : "", "");
	add(parts, name ? name : "*", error, &value,
	    expression ? join("*(%s)%s", expression, "") : NULL);
	free(name);
}

static struct cudasim_error *add_value(struct parts *parts, int64_t start, int64_t count,
				       const char *filter)
{
	struct value object;
	struct cudasim_error *error = value_object(&parts->container->value, &object);
	if (error)
		return error;
	const struct type *type = type_strip(object.type);
	bool is_array = type->kind == TYPE_ARRAY;
	bool is_wanted = !filter || !strcmp(filter, is_array ? "indexed" : "named");
	if (is_wanted && is_array) {
		error = add_elements(parts, &object, start, count);
	} else if (is_wanted && type->kind == TYPE_POINTER) {
		add_pointee(parts, &object);
	} else if (is_wanted && type->kind == TYPE_STRUCT) {
		char *prefix = join("%s%s", parts->container->expression, ".");
		add_members(parts, &object, prefix);
		free(prefix);
	}
	value_fini(&object);
	return error;
}

struct cudasim_error *dap_parts(const struct dap_container *container, int64_t start, int64_t count,
				const char *filter, json_t **ret)
{
	/* New parts may move the list in which it stands. */
	struct dap_container copy = *container;
	struct parts parts = {&copy, json_array()};
	struct cudasim_error *error = NULL;
	if (start < 0 || count < 0) {
		json_decref(parts.list);
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "\"start\" and \"count\" are not negative.");
	}
	struct cudasim_thread *before = value_thread_swap(copy.frame ? copy.frame->thread : NULL);
	if (copy.kind == DAP_VALUE)
		error = add_value(&parts, start, count, filter);
	else if (!filter || !strcmp(filter, "named"))
		(copy.kind == DAP_ARGUMENTS ? add_arguments
		 : copy.kind == DAP_LOCALS  ? add_locals
		 : copy.kind == DAP_CUDA    ? add_cuda
					    : add_registers)(&parts);
	value_thread_swap(before);
	*ret = parts.list;
	return error;
}

struct cudasim_error *dap_variables(const json_t *arguments, json_t **ret)
{
	const struct dap_container *container;
	int64_t reference;
	json_t *list = NULL;
	struct cudasim_error *error = dap_need_integer(arguments, "variablesReference", &reference);
	if (!error)
		error = dap_container_of(reference, &container);
	if (error)
		return error;
	struct dap_container *own = (struct dap_container *)container;
	if (json_object_get(arguments, "format"))
		own->is_hex = dap_bool_of(json_object_get(arguments, "format"), "hex", false);
	error = dap_parts(container, dap_integer_of(arguments, "start", 0),
			  dap_integer_of(arguments, "count", 0), dap_string_of(arguments, "filter"),
			  &list);
	if (error)
		json_decref(list);
	else
		*ret = json_pack("{s:o}", "variables", list);
	return error;
}

/* ---- setting ------------------------------------------------------------------------------------ */

static struct cudasim_error *assign(const char *expression, const char *text,
				    const struct context *context, bool is_hex, json_t **ret)
{
	struct value value;
	char *whole;
	if (asprintf(&whole, "%s = (%s)", expression, text) < 0)
		return &cudasim_error_nomem;
	struct cudasim_error *error = dap_evaluate_in(whole, context, &value);
	free(whole);
	if (error)
		return error;
	value_fini(&value);
	/* What stands there now, which a conversion may have changed. */
	error = dap_evaluate_in(expression, context, &value);
	if (error)
		return error;
	json_t *body = json_object();
	uint64_t address = value.is_lvalue ? value.address : 0;
	uint64_t size = value.type ? type_strip(value.type)->size : 0;
	dap_describe(body, "value", NULL, &value, expression, context->frame, is_hex);
	if (address && size && dap_state()->session.client.has_memory_events)
		dap_event("memory",
			  json_pack("{s:o, s:i, s:I}", "memoryReference", dap_address(address),
				    "offset", 0, "count", (json_int_t)size));
	*ret = body;
	return NULL;
}

bool dap_index_of(const char *name, int64_t *ret)
{
	char *end;
	if (name[0] != '[' || name[1] < '0' || name[1] > '9')
		return false;
	*ret = strtoll(name + 1, &end, 10);
	return !strcmp(end, "]");
}

/* The expression of the part of that name; malloc'ed. */
static struct cudasim_error *part_expression(const struct dap_container *container,
					     const char *name, char **ret)
{
	json_t *list = NULL, *part;
	size_t i;
	int64_t start = 0, count = 0;
	bool found = false;
	*ret = NULL;
	if (dap_index_of(name, &start)) {
		start -= container->start;
		count = 1;
	}
	struct cudasim_error *error = dap_parts(container, start, count, NULL, &list);
	json_array_foreach(list, i, part)
	{
		const char *expression = dap_string_of(part, "evaluateName");
		if (found || strcmp(dap_string_of(part, "name"), name) != 0)
			continue;
		found = true;
		*ret = expression ? strdup(expression) : NULL;
	}
	json_decref(list);
	if (error)
		return error;
	if (!found)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "There is no variable \"%s\" there.",
					 name);
	return *ret ? NULL
		    : cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					"\"%s\" cannot be set: no expression denotes it.", name);
}

struct cudasim_error *dap_set_variable(const json_t *arguments, json_t **ret)
{
	const struct dap_container *container;
	const char *name, *text;
	char *expression = NULL;
	int64_t reference;
	struct cudasim_error *error = dap_need_integer(arguments, "variablesReference", &reference);
	if (!error)
		error = dap_need_string(arguments, "name", &name);
	if (!error)
		error = dap_need_string(arguments, "value", &text);
	if (!error)
		error = dap_container_of(reference, &container);
	if (!error)
		error = part_expression(container, name, &expression);
	if (error) {
		free(expression);
		return error;
	}
	/* New parts may have moved it. */
	error = dap_container_of(reference, &container);
	struct context context = dap_context_in(container->frame);
	if (!error)
		error = assign(expression, text, &context,
			       dap_bool_of(json_object_get(arguments, "format"), "hex", false),
			       ret);
	free(expression);
	return error;
}

struct cudasim_error *dap_set_expression(const json_t *arguments, json_t **ret)
{
	const char *expression, *text;
	struct context context;
	struct cudasim_error *error = dap_need_string(arguments, "expression", &expression);
	if (!error)
		error = dap_need_string(arguments, "value", &text);
	if (!error)
		error = dap_context_of(arguments, &context);
	if (error)
		return error;
	return assign(expression, text, &context,
		      dap_bool_of(json_object_get(arguments, "format"), "hex", false), ret);
}
