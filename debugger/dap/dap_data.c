/* SPDX-License-Identifier: Apache-2.0 */
/* dap_data.c - data breakpoints: watchpoints on what the client has named before.
 *
 * The protocol asks first what can be watched, and later for all that is watched, by an id. The
 * id stands for an expression in a frame of a CUDA thread or of the host: the watchpoint is set
 * there while the program stands at the same stop. Where it stands elsewhere, an object that
 * outlives the frame is watched by its address, and what does not is refused. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "breakpoint_commands.h"
#include "dap_views.h"
#include "error.h"
#include "stack.h"

struct dap_data {
	int64_t frame;    /* id; 0: the focus's */
	char *expression; /* in that frame; with address: NULL */
	uint64_t address, size;
	bool is_lasting;  /* it outlives the frame */
};

static struct cudasim_error *remember(const struct dap_data *data, unsigned *ret)
{
	struct dap_points *own = &dap_state()->points;
	struct dap_data *list = realloc(own->data, (own->n_data + 1) * sizeof *list);
	if (!list)
		return &cudasim_error_nomem;
	own->data = list;
	list[own->n_data] = *data;
	*ret = (unsigned)own->n_data++;
	return NULL;
}

static json_t *not_watched(const char *why)
{
	return json_pack("{s:n, s:o}", "dataId", "description", dap_text(why));
}

static json_t *watched(unsigned id, json_t *description)
{
	return json_pack("{s:o, s:o, s:[s,s,s]}", "dataId", dap_format("%u", id), "description",
			 description, "accessTypes", "read", "write", "readWrite");
}

/* ---- what can be watched ------------------------------------------------------------------ */

static struct cudasim_error *info_of_bytes(const json_t *arguments, const char *name, json_t **ret)
{
	struct dap_data data = {.size = (uint64_t)dap_integer_of(arguments, "bytes", 8)};
	unsigned id;
	struct cudasim_error *error = dap_need_address(arguments, "name", &data.address);
	if (!error && (!data.size || data.size > 1 << 20))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "\"bytes\" is a number from 1 to %d.",
					  1 << 20);
	if (!error)
		error = remember(&data, &id);
	if (!error)
		*ret = watched(id, dap_format("%" PRIu64 " bytes at %s", data.size, name));
	return error;
}

/* The expression of a container's part; malloc'ed, NULL where there is none. */
static struct cudasim_error *name_of_part(int64_t reference, const char *name, int64_t *frame,
					  char **ret)
{
	const struct dap_container *container;
	json_t *list = NULL, *part;
	size_t i;
	int64_t start = 0, count = 0;
	*ret = NULL;
	struct cudasim_error *error = dap_container_of(reference, &container);
	if (error)
		return error;
	if (dap_index_of(name, &start)) {
		start -= container->start;
		count = 1;
	}
	*frame = dap_frame_id(container->frame);
	error = dap_parts(container, start, count, NULL, &list);
	json_array_foreach(list, i, part)
	{
		const char *expression = dap_string_of(part, "evaluateName");
		if (!*ret && expression && !strcmp(dap_string_of(part, "name"), name))
			*ret = strdup(expression);
	}
	json_decref(list);
	return error;
}

/* Does the object outlive the frame where its name was looked up? */
static bool is_lasting(const char *expression, const struct value *value)
{
	struct context global = {0};
	struct value other;
	switch (value->storage) {
	case STORAGE_GLOBAL:
	case STORAGE_CONSTANT:
	case STORAGE_MANAGED:
	case STORAGE_SHARED:
		return true;
	case STORAGE_LOCAL:
	case STORAGE_PARAMETER:
		return false;
	default:
		break;
	}
	struct cudasim_error *error = dap_evaluate_in(expression, &global, &other);
	bool ret = !error && other.is_lvalue && other.address == value->address;
	if (!error)
		value_fini(&other);
	cudasim_error_free(error);
	return ret;
}

struct cudasim_error *dap_data_breakpoint_info(const json_t *arguments, json_t **ret)
{
	const char *name;
	struct dap_data data = {.frame = dap_integer_of(arguments, "frameId", 0)};
	int64_t reference = dap_integer_of(arguments, "variablesReference", 0);
	struct context context;
	struct value value;
	unsigned id;
	struct cudasim_error *error = dap_need_string(arguments, "name", &name);
	if (!error && dap_bool_of(arguments, "asAddress", false))
		return info_of_bytes(arguments, name, ret);
	if (!error && reference)
		error = name_of_part(reference, name, &data.frame, &data.expression);
	else if (!error)
		data.expression = strdup(name);
	if (error) {
		free(data.expression);
		return error;
	}
	if (!data.expression) {
		*ret = not_watched("No expression denotes it.");
		return NULL;
	}
	json_t *where = json_object();
	if (data.frame)
		json_object_set_new(where, "frameId", json_integer(data.frame));
	error = dap_context_of(where, &context);
	json_decref(where);
	if (!error)
		error = dap_evaluate_in(data.expression, &context, &value);
	if (error) {
		*ret = not_watched(error->message);
		cudasim_error_free(error);
		free(data.expression);
		return NULL;
	}
	bool is_there = value.is_lvalue;
	data.address = value.is_lvalue ? value.address : 0;
	data.size = value.type ? type_strip(value.type)->size : 0;
	data.is_lasting = is_there && is_lasting(data.expression, &value);
	value_fini(&value);
	if (!is_there || !data.size) {
		*ret = not_watched("It lies nowhere in memory.");
		free(data.expression);
		return NULL;
	}
	error = remember(&data, &id);
	if (error)
		free(data.expression);
	else
		*ret = watched(id, dap_text(data.expression));
	return error;
}

/* ---- setting ---------------------------------------------------------------------------------- */

static const char *type_of_size(uint64_t size)
{
	return size == 1   ? "unsigned char"
	       : size == 2 ? "unsigned short"
	       : size == 4 ? "unsigned int"
	       : size == 8 ? "unsigned long"
			   : NULL;
}

static struct cudasim_error *watch_address(const struct dap_data *data, enum watch_mode mode,
					   struct breakpoint **ret)
{
	char *text;
	const char *type = type_of_size(data->size);
	int n = type ? asprintf(&text, "-location *(%s *)0x%" PRIx64, type, data->address)
		     : asprintf(&text, "-location *(unsigned char (*)[%" PRIu64 "])0x%" PRIx64,
				data->size, data->address);
	if (n < 0)
		return &cudasim_error_nomem;
	struct cudasim_error *error = watchpoint_set(text, mode, ret);
	free(text);
	return error;
}

/* In the frame, which becomes the selected one for a moment. */
static struct cudasim_error *watch_expression(const struct dap_data *data, enum watch_mode mode,
					      struct breakpoint **ret)
{
	int64_t thread = dap_focused_thread();
	const struct frame *selected = frame_selected();
	uint32_t level = selected ? selected->level : 0;
	struct cudasim_error *error = data->frame ? dap_frame_select(data->frame) : NULL;
	if (!error)
		error = watchpoint_set(data->expression, mode, ret);
	cudasim_error_free(dap_thread_focus(thread));
	cudasim_error_free(frame_select(level));
	return error;
}

static bool is_there(int64_t frame)
{
	const struct frame *found;
	struct cudasim_error *error = frame ? dap_frame_of(frame, &found) : NULL;
	cudasim_error_free(error);
	return !error;
}

static struct cudasim_error *make(const json_t *item, struct breakpoint **ret)
{
	const struct dap_points *own = &dap_state()->points;
	const char *text, *access = dap_string_of(item, "accessType");
	char *end;
	struct cudasim_error *error = dap_need_string(item, "dataId", &text);
	if (error)
		return error;
	unsigned long id = strtoul(text, &end, 10);
	if (end == text || *end || id >= own->n_data)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "\"%s\" is no dataId of this session.",
					 text);
	enum watch_mode mode = !access || !strcmp(access, "write") ? WATCH_WRITE
			       : !strcmp(access, "read")           ? WATCH_READ
								   : WATCH_ACCESS;
	const struct dap_data *data = &own->data[id];
	if (!data->expression)
		return watch_address(data, mode, ret);
	if (is_there(data->frame))
		return watch_expression(data, mode, ret);
	if (!data->is_lasting)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "%s was named at an earlier stop, in a frame that it goes "
					 "with: name it again.",
					 data->expression);
	return watch_address(data, mode, ret);
}

struct cudasim_error *dap_set_data_breakpoints(const json_t *arguments, json_t **ret)
{
	const json_t *items;
	struct cudasim_error *error = dap_need_array(arguments, "breakpoints", &items);
	size_t n = json_array_size(items);
	struct dap_wish *wishes = error ? NULL : calloc(n + 1, sizeof *wishes);
	if (!wishes)
		return error ? error : &cudasim_error_nomem;
	for (size_t i = 0; i < n; i++)
		wishes[i] = (struct dap_wish){DAP_POINT_DATA, "", json_array_get(items, i), make};
	error = dap_points_set(wishes, n, DAP_POINT_DATA, "", ret);
	free(wishes);
	return error;
}
