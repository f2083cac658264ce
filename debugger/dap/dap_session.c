/* SPDX-License-Identifier: Apache-2.0 */
/* dap_session.c - the session goes on in a process that executes another program: its socket and
 * what the client is known to have are handed on as lines of the session file. Breakpoints are
 * there already, as commands that give them their numbers. */
#include "dap_session.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "dap_message.h"
#include "dap_views.h"
#include "setting.h"

static json_t *points(void)
{
	const struct dap_points *own = &dap_state()->points;
	json_t *ret = json_array();
	for (size_t i = 0; i < own->n; i++) {
		const struct dap_point *p = &own->list[i];
		json_array_append_new(ret, json_pack("{s:i, s:i, s:s, s:s, s:I, s:b, s:b, s:I}",
						     "number", p->number, "kind", (int)p->kind,
						     "group", p->group, "key", p->key, "every",
						     (json_int_t)p->every, "told", p->is_told,
						     "verified", p->was_verified, "line",
						     (json_int_t)p->was_line));
	}
	return ret;
}

static json_t *names(void)
{
	const struct dap_names *own = &dap_state()->names;
	json_t *ret = json_array();
	for (size_t i = 0; i < own->n; i++)
		json_array_append_new(ret, json_pack("[I, I, I]", (json_int_t)own->ids[i].launch,
						     (json_int_t)own->ids[i].block,
						     (json_int_t)own->ids[i].linear));
	return ret;
}

/* What was read and is no whole message yet. */
static json_t *unread(void)
{
	const struct message_stream *stream = &dap_state()->session.stream;
	json_t *ret = json_array();
	for (size_t i = 0; i < stream->n; i++)
		json_array_append_new(ret, json_integer((unsigned char)stream->bytes[i]));
	return ret;
}

/* For a copy of this process, which has the socket: threads keep their numbers, and requests that were
 * read are answered there. */
static void save_for_copy(json_t *state)
{
	struct dap_session *own = &dap_state()->session;
	json_object_set_new(state, "names", names());
	json_object_set_new(state, "unread", unread());
	json_object_set(state, "queue", own->queue);
	json_object_set_new(state, "gone", json_boolean(own->is_gone));
	json_object_set_new(state, "detach", json_boolean(own->detach_wanted));
}

void dap_session_save(FILE *out)
{
	const struct dap_session *own = &dap_state()->session;
	const struct dap_client *client = &own->client;
	bool is_copy = *session_same_run();
	/* Beyond those that shells use, and kept through exec. */
	int fd = own->fd < 0 || is_copy ? own->fd : fcntl(own->fd, F_DUPFD, 20);
	if (fd < 0)
		return;
	json_t *state = json_pack("{s:b, s:b, s:b, s:b, s:b, s:o}", "lines", client->lines_from_0,
				  "columns", client->columns_from_0, "uris", client->paths_are_uris,
				  "progress", client->has_progress, "memory",
				  client->has_memory_events, "points", points());
	if (state && is_copy)
		save_for_copy(state);
	char *text = state ? json_dumps(state, JSON_COMPACT) : NULL;
	fprintf(out, "dap %d\n%s", fd, own->is_launched ? "dap-launched\n" : "");
	if (text)
		fprintf(out, "dap-state %s\n", text);
	free(text);
	json_decref(state);
}

static void restore_point(const json_t *item)
{
	struct dap_points *own = &dap_state()->points;
	const char *group = dap_string_of(item, "group"), *key = dap_string_of(item, "key");
	struct dap_point point = {
		.number = (int)dap_integer_of(item, "number", 0),
		.kind = (enum dap_point_kind)dap_integer_of(item, "kind", 0),
		.group = strdup(group ? group : ""),
		.key = strdup(key ? key : ""),
		.every = (uint64_t)dap_integer_of(item, "every", 0),
		.is_told = dap_bool_of(item, "told", false),
		.was_verified = dap_bool_of(item, "verified", false),
		.was_line = (uint32_t)dap_integer_of(item, "line", 0),
	};
	struct dap_point *list = realloc(own->list, (own->n + 1) * sizeof *list);
	if (list)
		own->list = list;
	if (!list || !point.group || !point.key) {
		free(point.group);
		free(point.key);
		return;
	}
	own->capacity = own->n + 1;
	own->list[own->n++] = point;
}

static void restore_names(const json_t *list)
{
	struct dap_names *own = &dap_state()->names;
	size_t n = json_array_size(list);
	struct thread_id *ids = calloc(n + 1, sizeof *ids);
	if (!ids)
		return;
	for (size_t i = 0; i < n; i++) {
		const json_t *item = json_array_get(list, i);
		ids[i] = (struct thread_id){(uint64_t)json_integer_value(json_array_get(item, 0)),
					    (uint64_t)json_integer_value(json_array_get(item, 1)),
					    (uint32_t)json_integer_value(json_array_get(item, 2))};
	}
	free(own->ids);
	*own = (struct dap_names){ids, n, n + 1};
}

static void restore_unread(const json_t *list)
{
	struct message_stream *stream = &dap_state()->session.stream;
	size_t n = json_array_size(list);
	char *bytes = malloc(n + 1);
	if (!bytes)
		return;
	for (size_t i = 0; i < n; i++)
		bytes[i] = (char)json_integer_value(json_array_get(list, i));
	free(stream->bytes);
	stream->bytes = bytes;
	stream->n = n;
	stream->capacity = n + 1;
}

static void restore_from_copy(json_t *state)
{
	struct dap_session *own = &dap_state()->session;
	restore_names(json_object_get(state, "names"));
	restore_unread(json_object_get(state, "unread"));
	json_decref(own->queue);
	own->queue = json_incref(json_object_get(state, "queue"));
	own->is_gone = dap_bool_of(state, "gone", false);
	own->detach_wanted = dap_bool_of(state, "detach", false);
	dap_state()->points.n = 0;
}

void dap_session_restore(const char *text)
{
	struct dap_client *client = &dap_state()->session.client;
	json_t *state = json_loads(text, 0, NULL), *item;
	size_t i;
	if (json_object_get(state, "names"))
		restore_from_copy(state);
	client->lines_from_0 = dap_bool_of(state, "lines", false);
	client->columns_from_0 = dap_bool_of(state, "columns", false);
	client->paths_are_uris = dap_bool_of(state, "uris", false);
	client->has_progress = dap_bool_of(state, "progress", false);
	client->has_memory_events = dap_bool_of(state, "memory", false);
	json_array_foreach(json_object_get(state, "points"), i, item) restore_point(item);
	json_decref(state);
}
