/* SPDX-License-Identifier: Apache-2.0 */
/* dap_points.c - the client's breakpoints in the debugger's list.
 *
 * A request names all breakpoints of a kind (of a file). One that was there with the same words
 * stays as it is, with its number and hits; the others go. Breakpoints that commands make are
 * told by `breakpoint` events. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "breakpoint_commands.h"
#include "dap_views.h"
#include "error.h"
#include "stops_state.h"

/* ---- the list --------------------------------------------------------------------------- */

static struct dap_point *point_of(int number)
{
	struct dap_points *own = &dap_state()->points;
	for (size_t i = 0; i < own->n; i++)
		if (own->list[i].number == number)
			return &own->list[i];
	return NULL;
}

enum dap_point_kind dap_point_kind(int number)
{
	const struct dap_point *point = point_of(number);
	return point ? point->kind : DAP_POINT_NONE;
}

static struct dap_point *point_add(const struct dap_point *point)
{
	struct dap_points *own = &dap_state()->points;
	if (own->n == own->capacity) {
		size_t more = own->capacity ? 2 * own->capacity : 16;
		struct dap_point *list = realloc(own->list, more * sizeof *list);
		if (!list)
			return NULL;
		own->list = list;
		own->capacity = more;
	}
	own->list[own->n] = *point;
	return &own->list[own->n++];
}

static void point_remove(struct dap_point *point)
{
	struct dap_points *own = &dap_state()->points;
	free(point->group);
	free(point->key);
	*point = own->list[--own->n];
}

/* ---- what the client is told ---------------------------------------------------------------- */

static bool is_verified(const struct breakpoint *b)
{
	if (b->kind == KIND_WATCHPOINT)
		return !watchpoint_is_gone(b);
	return b->kind == KIND_CATCHPOINT || b->locations;
}

static uint32_t line_of(const struct breakpoint *b)
{
	return b->kind == KIND_BREAKPOINT && b->locations ? b->locations->place.line : 0;
}

static const char *pending_text(const struct breakpoint *b)
{
	if (b->kind == KIND_WATCHPOINT)
		return "What it watched is no more.";
	return "No code for it is loaded yet: it is looked for whenever code is loaded.";
}

static json_t *entry_of(const struct breakpoint *b)
{
	json_t *ret = json_pack("{s:i, s:b}", "id", b->number, "verified", is_verified(b));
	if (!is_verified(b)) {
		json_object_set_new(ret, "message", json_string(pending_text(b)));
		json_object_set_new(ret, "reason",
				    json_string(b->kind == KIND_WATCHPOINT ? "failed" : "pending"));
	} else if (b->warning) {
		json_object_set_new(ret, "message", dap_text(b->warning));
	}
	const struct breakpoint_location *l = b->kind == KIND_BREAKPOINT ? b->locations : NULL;
	if (l && l->place.file) {
		json_object_set_new(ret, "source", dap_source_of(l->place.file));
		json_object_set_new(ret, "line", dap_line(l->place.line));
	}
	if (l && l->pc)
		json_object_set_new(ret, "instructionReference", dap_address(l->pc));
	return ret;
}

static void remember(struct dap_point *point, const struct breakpoint *b)
{
	point->was_verified = is_verified(b);
	point->was_line = line_of(b);
}

static void tell(const char *reason, json_t *entry)
{
	dap_event("breakpoint", json_pack("{s:s, s:o}", "reason", reason, "breakpoint", entry));
}

void dap_points_tell(void)
{
	struct dap_points *own = &dap_state()->points;
	for (size_t i = own->n; i-- > 0;) {
		struct dap_point *point = &own->list[i];
		const struct breakpoint *b = breakpoint_find(point->number);
		if (!b) {
			if (point->is_told)
				tell("removed",
				     json_pack("{s:i, s:b}", "id", point->number, "verified", 0));
			point_remove(point);
		} else if (point->is_told && (point->was_verified != is_verified(b) ||
					      point->was_line != line_of(b))) {
			remember(point, b);
			tell("changed", entry_of(b));
		}
	}
	for (const struct breakpoint *b = stops_state()->breakpoints; b; b = b->next) {
		struct dap_point new = {.number = b->number};
		if (point_of(b->number))
			continue;
		new.group = strdup("");
		new.key = strdup("");
		/* Those that are not at lines are no breakpoints of an editor. */
		new.is_told = b->kind == KIND_BREAKPOINT && b->locations &&
			      b->disposition != DELETE;
		remember(&new, b);
		if (new.is_told)
			tell("new", entry_of(b));
		if (!point_add(&new)) {
			free(new.group);
			free(new.key);
		}
	}
}

void dap_points_stopped(const struct stop *stop)
{
	for (int i = 0; i < 8 && stop->numbers[i]; i++) {
		const struct dap_point *point = point_of(stop->numbers[i]);
		struct breakpoint *b = point && point->every ? breakpoint_find(point->number)
							     : NULL;
		if (b)
			b->ignore = point->every - 1;
	}
}

/* ---- what is the same for all kinds ------------------------------------------------------- */

static struct cudasim_error *not_a_count(const char *text)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "\"%s\" is no hit condition: N or >=N stops from the Nth hit on, "
				 ">N behind it, ==N at it alone, and %%N at every Nth.",
				 text);
}

/* Into ignore counts, as the debugger has them. */
static struct cudasim_error *count_hits(const char *text, struct breakpoint *b, uint64_t *every)
{
	static const char *const signs[] = {">=", "==", "=", ">", "%"};
	const char *at = text + strspn(text, " \t"), *sign = ">=";
	char *end;
	for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
		if (!strncmp(at, signs[i], strlen(signs[i]))) {
			sign = signs[i];
			at += strlen(sign);
			break;
		}
	at += strspn(at, " \t");
	if (*at < '0' || *at > '9' || strlen(at) > 15)
		return not_a_count(text);
	uint64_t n = strtoull(at, &end, 10);
	if (end[strspn(end, " \t")] || (!n && strcmp(sign, ">") != 0))
		return not_a_count(text);
	b->ignore = n - (strcmp(sign, ">") != 0);
	if (*sign == '%')
		*every = n;
	if (*sign == '=') {
		b->disposition = DISABLE;
		b->enable_count = 1;
	}
	return NULL;
}

static bool is_given(const char *text)
{
	return text && text[strspn(text, " \t")];
}

static struct cudasim_error *make(const struct dap_wish *wish, struct breakpoint **ret,
				  uint64_t *every)
{
	const char *condition = dap_string_of(wish->item, "condition");
	const char *hits = dap_string_of(wish->item, "hitCondition");
	*ret = NULL;
	struct cudasim_error *error = wish->make(wish->item, ret);
	if (!error && is_given(condition) && strpbrk(condition, "\r\n"))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "A condition is one line.");
	/* Of a pending one it is read when it has a location. */
	if (!error && is_given(condition))
		error = breakpoint_condition_set(*ret, condition);
	if (!error && is_given(hits))
		error = count_hits(hits, *ret, every);
	if (error && *ret)
		breakpoint_delete(*ret);
	if (error)
		*ret = NULL;
	return error;
}

static json_t *failed(struct cudasim_error *error)
{
	json_t *ret = json_pack("{s:b, s:o, s:s}", "verified", 0, "message",
				dap_text(error->message), "reason", "failed");
	cudasim_error_free(error);
	return ret;
}

/* The breakpoint that was there with these words, taken out of the list. */
static struct breakpoint *take(const struct dap_wish *wish, const char *key, struct dap_point *ret)
{
	struct dap_points *own = &dap_state()->points;
	for (size_t i = 0; i < own->n; i++) {
		struct dap_point *point = &own->list[i];
		if (point->kind != wish->kind || strcmp(point->group, wish->group) != 0 ||
		    strcmp(point->key, key) != 0)
			continue;
		struct breakpoint *b = breakpoint_find(point->number);
		*ret = *point;
		*point = own->list[--own->n];
		if (b)
			return b;
		free(ret->group);
		free(ret->key);
		return NULL;
	}
	return NULL;
}

/* In whose answer a breakpoint is. */
static json_t *fulfil(const struct dap_wish *wish, struct dap_point *kept)
{
	struct breakpoint *b;
	struct dap_point point = {.kind = wish->kind};
	char *key = json_dumps(wish->item, JSON_COMPACT | JSON_SORT_KEYS);
	*kept = point;
	b = key ? take(wish, key, kept) : NULL;
	if (!b) {
		struct cudasim_error *error = make(wish, &b, &point.every);
		if (error) {
			free(key);
			return failed(error);
		}
		point.number = b->number;
		point.group = strdup(wish->group);
		point.key = key;
		point.is_told = true;
		*kept = point;
		breakpoint_number_tell(b);
	} else {
		free(key);
	}
	remember(kept, b);
	return entry_of(b);
}

struct cudasim_error *dap_points_set(const struct dap_wish *wishes, size_t n,
				     enum dap_point_kind kind, const char *group, json_t **ret)
{
	struct dap_points *own = &dap_state()->points;
	struct dap_point *kept = calloc(n + 1, sizeof *kept);
	json_t *list = json_array();
	if (!kept)
		return &cudasim_error_nomem;
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, fulfil(&wishes[i], &kept[i]));
	for (size_t i = own->n; i-- > 0;) {
		struct dap_point *point = &own->list[i];
		if (point->kind != kind || strcmp(point->group, group) != 0)
			continue;
		struct breakpoint *b = breakpoint_find(point->number);
		point_remove(point);
		if (b)
			breakpoint_delete(b);
	}
	for (size_t i = 0; i < n; i++)
		if (kept[i].number)
			point_add(&kept[i]);
	free(kept);
	*ret = json_pack("{s:o}", "breakpoints", list);
	return NULL;
}
