/* SPDX-License-Identifier: Apache-2.0 */
/* watch_ranges.c - see watch_ranges.h. */
#define _GNU_SOURCE
#include "watch_ranges.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "stops_state.h"
#include "watchpoint.h"

static void write_piece(FILE *out, const struct breakpoint *b, const struct watcher *w)
{
	struct thread_id id = {0};
	if (w->thread)
		id = thread_id(w->thread);
	else if (w->block)
		id = (struct thread_id){w->block->launch->id, cudasim_block_index(w->block), 0};
	fprintf(out,
		"watched %" PRIu64 " %" PRIu64 " %" PRIu32 " %d %d %" PRIu64 " %" PRIu64 " %" PRIu32
		" %d %s %d: %s\n",
		w->low, w->high, w->what, w->thread != NULL, w->block != NULL, id.launch, id.block,
		id.linear, b->number, watch_title(b->watch), b->number, b->text);
}

void watch_ranges_write(FILE *out)
{
	for (const struct breakpoint *b = stops_state()->breakpoints; b; b = b->next)
		for (const struct watch_instance *i = b->watch ? b->watch->instances : NULL; i;
		     i = i->next)
			for (const struct watch_piece *p = i->pieces; p; p = p->next)
				if (p->registered)
					write_piece(out, b, &p->watcher);
}

static bool read_line(const char *line, size_t n, struct watch_range *ret)
{
	int by_thread, by_block, at = 0;
	*ret = (struct watch_range){0};
	if (sscanf(line,
		   "watched %" SCNu64 " %" SCNu64 " %" SCNu32 " %d %d %" SCNu64 " %" SCNu64
		   " %" SCNu32 " %d %n",
		   &ret->low, &ret->high, &ret->what, &by_thread, &by_block, &ret->thread.launch,
		   &ret->thread.block, &ret->thread.linear, &ret->number, &at) != 9)
		return false;
	ret->by_thread = by_thread;
	ret->by_block = by_block;
	int length = n > (size_t)at ? (int)(n - (size_t)at) : 0;
	snprintf(ret->title, sizeof ret->title, "%.*s", length, line + at);
	return true;
}

uint32_t watch_ranges_read(const char *session, struct watch_range **ret)
{
	uint32_t n = 0;
	*ret = NULL;
	for (const char *line = session, *end; *line; line = *end ? end + 1 : end) {
		struct watch_range range;
		end = strchrnul(line, '\n');
		if (!read_line(line, (size_t)(end - line), &range))
			continue;
		struct watch_range *grown = realloc(*ret, (n + 1) * sizeof *grown);
		if (!grown)
			break;
		grown[n++] = range;
		*ret = grown;
	}
	return n;
}

static void print_value(FILE *out, const char *title, const struct breakpoint *b,
			const struct motion_result *found, const uint8_t *bytes)
{
	const struct watchpoint *w = b ? b->watch : NULL;
	uint64_t low = w ? found->address - w->object.address : 0;
	fputs(title, out);
	if (w && w->fixed && found->address >= w->object.address &&
	    low + found->n_bytes <= w->object.n_bytes) {
		struct watch_part part;
		unsigned char *whole = calloc(1, w->object.n_bytes);
		watch_part_find(w, low, low + found->n_bytes, &part);
		if (whole) {
			memcpy(whole + low, bytes, found->n_bytes);
			watch_part_print(out, w, &part, whole);
		}
		free(whole);
		free(part.path);
	} else {
		for (uint32_t i = 0; i < found->n_bytes; i++)
			fprintf(out, "%s0x%02x", i ? " " : "", bytes[i]);
	}
	fputc('\n', out);
}

char *watch_ranges_report(const struct motion_result *found, bool backward)
{
	const struct breakpoint *b = breakpoint_find(found->watchpoint);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	fprintf(out, "\nCUDA thread hit %s\n\n", found->title);
	/* Backward the old value is that behind the line, as in gdb. */
	if (found->n_bytes) {
		print_value(out, "Old value = ", b, found, backward ? found->after : found->before);
		print_value(out, "New value = ", b, found, backward ? found->before : found->after);
	}
	fclose(out);
	return text;
}
