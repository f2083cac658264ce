/* SPDX-License-Identifier: Apache-2.0 */
/* skip.c - functions and files that step does not enter. */
#define _GNU_SOURCE
#include "skip.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "source_state.h"
#include "symbols.h"

/* ---- asking -------------------------------------------------------------------------- */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Of "src/a.cu" a.cu and src/a.cu are names, too. */
static bool is_name_of(const char *name, const char *path)
{
	size_t n = strlen(name), m = strlen(path);
	return n <= m && !strcmp(path + m - n, name) && (n == m || path[m - n - 1] == '/');
}

static bool matches_file(const struct skip *s, const struct function *f)
{
	const char *paths[] = {f->file, f->path};
	for (size_t i = 0; i < 2; i++) {
		if (!paths[i])
			continue;
		if (!s->is_glob && is_name_of(s->file, paths[i]))
			return true;
		if (s->is_glob && (!fnmatch(s->file, paths[i], FNM_NOESCAPE) ||
				   !fnmatch(s->file, base_of(paths[i]), FNM_NOESCAPE)))
			return true;
	}
	return false;
}

/* All instances of a template by its name alone. */
static bool matches_function(const struct skip *s, const struct function *f)
{
	size_t n = strlen(s->function);
	if (s->is_regex)
		return !regexec(&s->regex, f->signature, 0, NULL, 0);
	return !strcmp(s->function, f->signature) ||
	       (!strncmp(s->function, f->name, n) && (!f->name[n] || f->name[n] == '<'));
}

bool skip_at(uint64_t pc)
{
	struct source_skips *own = &source_state()->skips;
	const struct function *f = own->skips ? symbols_function_at(pc) : NULL;
	for (const struct skip *s = f ? own->skips : NULL; s; s = s->next)
		if (s->enabled && (!s->file || matches_file(s, f)) &&
		    (!s->function || matches_function(s, f)))
			return true;
	return false;
}

bool skip_holds(struct cudasim_thread *thread, uint64_t frame)
{
	struct cudasim_frame frames[64];
	size_t n = source_state()->skips.skips ? cudasim_thread_frames(thread, frames, 64) : 0;
	for (size_t i = 0; i < n && i < 64 && frames[i].frame < frame; i++)
		if (skip_at(frames[i].pc - 1))
			return true;
	return false;
}

void skip_free(struct skip *s)
{
	if (s->is_regex)
		regfree(&s->regex);
	free(s->file);
	free(s->function);
	free(s);
}

void skip_append(struct skip *s)
{
	struct source_skips *own = &source_state()->skips;
	struct skip **at = &own->skips;
	while (*at)
		at = &(*at)->next;
	*at = s;
	s->enabled = true;
	if (s->number > own->last_number)
		own->last_number = s->number;
	else
		s->number = ++own->last_number;
}

size_t skips_change(enum skip_change what, long first, long last)
{
	size_t n = 0;
	for (struct skip **at = &source_state()->skips.skips; *at;) {
		struct skip *s = *at;
		if (s->number < first || s->number > last) {
			at = &s->next;
			continue;
		}
		n++;
		if (what == SKIP_DELETE) {
			*at = s->next;
			skip_free(s);
			continue;
		}
		s->enabled = what == SKIP_ENABLE;
		at = &s->next;
	}
	return n;
}

const struct skip *skips_first(void)
{
	return source_state()->skips.skips;
}
