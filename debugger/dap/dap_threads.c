/* SPDX-License-Identifier: Apache-2.0 */
/* dap_threads.c - threads as the protocol has them, a flat list: the host's, the focused CUDA
 * thread, and of the others one for each line where some of them stand. A grid has more threads
 * than a client can list; any of them becomes a thread of the list by the focus. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command_cuda.h"
#include "coordinates.h"
#include "dap_views.h"
#include "error.h"
#include "restart.h"

enum { MOST_GROUPS = 256, MOST_LAUNCHES_LISTED = 64 };

/* ---- ids ---------------------------------------------------------------------------- */

static bool id_is(const struct thread_id *a, const struct thread_id *b)
{
	return a->launch == b->launch && a->block == b->block && a->linear == b->linear;
}

int64_t dap_thread_id(const struct cudasim_thread *thread)
{
	struct dap_names *own = &dap_state()->names;
	struct thread_id id = thread_id(thread);
	for (size_t i = own->n; i-- > 0;)
		if (id_is(&own->ids[i], &id))
			return DAP_FIRST_DEVICE + (int64_t)i;
	if (own->n == own->capacity) {
		size_t more = own->capacity ? 2 * own->capacity : 64;
		struct thread_id *ids = realloc(own->ids, more * sizeof *ids);
		if (!ids)
			return DAP_HOST_THREAD;
		own->ids = ids;
		own->capacity = more;
	}
	own->ids[own->n] = id;
	return DAP_FIRST_DEVICE + (int64_t)own->n++;
}

int64_t dap_focused_thread(void)
{
	const struct focus *focus = focus_get();
	return focus->is_device ? dap_thread_id(focus->thread) : DAP_HOST_THREAD;
}

static struct cudasim_error *no_thread(int64_t id)
{
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "There is no thread %lld (any more).",
				 (long long)id);
}

struct cudasim_error *dap_thread_of(int64_t id, struct cudasim_thread **ret)
{
	const struct dap_names *own = &dap_state()->names;
	struct cudasim_launch *launches[MOST_LAUNCHES_LISTED];
	*ret = NULL;
	if (id == DAP_HOST_THREAD)
		return NULL;
	if (id < DAP_FIRST_DEVICE || (uint64_t)(id - DAP_FIRST_DEVICE) >= own->n)
		return no_thread(id);
	const struct thread_id *wanted = &own->ids[id - DAP_FIRST_DEVICE];
	size_t n = cudasim_launches(launches, MOST_LAUNCHES_LISTED);
	for (size_t i = 0; i < n && i < MOST_LAUNCHES_LISTED; i++) {
		struct cudasim_block *block = NULL;
		if (launches[i]->id != wanted->launch ||
		    cudasim_block_state(launches[i], wanted->block, &block) !=
			    CUDASIM_BLOCK_RUNNING ||
		    !block)
			continue;
		struct cudasim_thread *thread = cudasim_block_thread(block, wanted->linear);
		if (!thread || !focus_can_see(thread))
			break;
		*ret = thread;
		return NULL;
	}
	return no_thread(id);
}

struct cudasim_error *dap_thread_focus(int64_t id)
{
	struct cudasim_thread *thread;
	struct cudasim_error *error = dap_thread_of(id, &thread);
	if (error)
		return error;
	const struct focus *focus = focus_get();
	if (!thread && focus->is_device)
		focus_clear();
	else if (thread && (!focus->is_device || focus->thread != thread))
		focus_set(thread->block->launch, thread);
	return NULL;
}

/* ---- the list ------------------------------------------------------------------------- */

char *dap_thread_name(const struct cudasim_thread *thread)
{
	const uint32_t *b = thread->block->ctaid, *t = thread->tid;
	char *ret;
	if (asprintf(&ret, "block (%u,%u,%u), thread (%u,%u,%u)", b[0], b[1], b[2], t[0], t[1],
		     t[2]) < 0)
		return NULL;
	return ret;
}

/* Threads of a kernel that stand at the same line. */
struct group {
	struct cudasim_thread *first;
	const char *file;
	uint32_t line;
	uint64_t n;
};
struct groups {
	struct group list[MOST_GROUPS];
	size_t n;
	uint64_t left_out; /* threads */
	const struct cudasim_thread *focused;
};

static bool add(void *user, struct cudasim_thread *thread)
{
	struct groups *groups = user;
	const struct cudasim_site *site;
	const char *file;
	uint32_t line;
	if (thread == groups->focused)
		return true;
	uint64_t pc = thread_pc(thread, &site);
	thread_line(thread, pc, site, &file, &line);
	for (size_t i = 0; i < groups->n; i++) {
		struct group *group = &groups->list[i];
		if (group->line != line || group->first->block->launch != thread->block->launch ||
		    strcmp(group->file, file) != 0)
			continue;
		group->n++;
		return true;
	}
	if (groups->n < MOST_GROUPS)
		groups->list[groups->n++] = (struct group){thread, file, line, 1};
	else
		groups->left_out++;
	return true;
}

static json_t *thread_entry(int64_t id, json_t *name)
{
	return json_pack("{s:I, s:o}", "id", (json_int_t)id, "name", name);
}

static json_t *device_entry(const struct group *group, const char *what)
{
	const struct cudasim_launch *launch = group->first->block->launch;
	char *name = dap_thread_name(group->first), others[64] = "";
	if (group->n > 1)
		snprintf(others, sizeof others, " and %" PRIu64 " more", group->n - 1);
	json_t *text = dap_format("CUDA kernel %" PRIu64 " %s: %s%s at %s:%u%s",
				  focus_kernel_number(launch), launch->kernel->display,
				  name ? name : "", others, *group->file ? group->file : "??",
				  group->line, what);
	free(name);
	return thread_entry(dap_thread_id(group->first), text);
}

struct cudasim_error *dap_threads(const json_t *arguments, json_t **ret)
{
	json_t *list = json_array();
	(void)arguments;
	json_array_append_new(list,
			      thread_entry(DAP_HOST_THREAD,
					   dap_format("host: %s", file_base_name(program_path()))));
	*ret = json_pack("{s:o}", "threads", list);
	/* Threads of a grid that moves cannot be looked at. */
	if (dap_state()->session.is_running || !program_is_running())
		return NULL;
	struct groups *groups = calloc(1, sizeof *groups);
	struct coordinates all = {0};
	if (!groups)
		return &cudasim_error_nomem;
	const struct focus *focus = focus_get();
	if (focus->is_device) {
		struct group own = {.first = focus->thread, .n = 1};
		const struct cudasim_site *site;
		uint64_t pc = thread_pc(focus->thread, &site);
		thread_line(focus->thread, pc, site, &own.file, &own.line);
		json_array_append_new(list, device_entry(&own, " (focus)"));
		groups->focused = focus->thread;
	}
	coordinates_each_thread(&all, add, groups);
	for (size_t i = 0; i < groups->n; i++)
		json_array_append_new(list, device_entry(&groups->list[i], ""));
	if (groups->left_out) {
		char text[128];
		int n = snprintf(text, sizeof text,
				 "%" PRIu64 " CUDA threads stand at more lines than are listed; "
				 "\"info cuda threads\" lists all.\n",
				 groups->left_out);
		dap_output("console", text, (size_t)n);
	}
	free(groups);
	return NULL;
}

/* ---- the focus --------------------------------------------------------------------------- */

static json_t *triple(const uint32_t v[3])
{
	return json_pack("[I, I, I]", (json_int_t)v[0], (json_int_t)v[1], (json_int_t)v[2]);
}

static json_t *focus_body(void)
{
	struct dap_buffer buffer;
	const struct focus *focus = focus_get();
	json_t *ret = json_pack("{s:I, s:b}", "threadId", (json_int_t)dap_focused_thread(),
				"isDevice", focus->is_device);
	FILE *out = focus->is_device ? dap_open(&buffer) : NULL;
	if (!out)
		return ret;
	focus_print(out, focus);
	json_object_set_new(ret, "description", dap_close(&buffer));
	json_object_set_new(ret, "kernel", json_integer((json_int_t)focus->kernel));
	json_object_set_new(ret, "grid", json_integer((json_int_t)focus->launch->gridid));
	json_object_set_new(ret, "device", json_integer(focus->launch->device));
	json_object_set_new(ret, "sm", json_integer(focus->block->smid));
	json_object_set_new(ret, "warp", json_integer(focus->thread->warp));
	json_object_set_new(ret, "lane", json_integer(focus->thread->lane));
	json_object_set_new(ret, "block", triple(focus->block_index));
	json_object_set_new(ret, "thread", triple(focus->thread_index));
	return ret;
}

/* `cudasim/focus`: "coordinates", as the command `cuda` takes them, or "threadId", or neither to
 * ask. The answer has the focus; a `stopped` event follows where it is another one. */
struct cudasim_error *dap_focus(const json_t *arguments, json_t **ret)
{
	const char *coordinates = dap_string_of(arguments, "coordinates");
	int64_t id = dap_integer_of(arguments, "threadId", 0);
	struct focus before = *focus_get();
	struct cudasim_error *error = NULL;
	json_t *text = NULL;
	char *line = NULL;
	if (coordinates && strpbrk(coordinates, "\r\n"))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Coordinates have no line breaks.");
	if (coordinates && asprintf(&line, "cuda %s", coordinates) < 0)
		return &cudasim_error_nomem;
	if (line)
		error = dap_command(line, &text);
	else if (id)
		error = dap_thread_focus(id);
	free(line);
	json_decref(text);
	if (error)
		return error;
	*ret = focus_body();
	dap_state()->session.focus_moved = !focus_same(&before, focus_get());
	return NULL;
}
