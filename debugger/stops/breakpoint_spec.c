/* SPDX-License-Identifier: Apache-2.0 */
/* breakpoint_spec.c - LOCATION [thread (x,y,z)] [block (x,y,z)] [if EXPR].
 *
 * Keywords count only as words of their own outside of brackets and quotes, so that
 * `break f(int) thread (1,0,0) if a[i] > (b)` falls apart as meant, and a function
 * named `iffy` or a template argument is left alone. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "breakpoint.h"
#include "error.h"
#include "text.h"

bool filter_accepts(const struct thread_filter *filter, const struct cudasim_thread *thread)
{
	if (filter->has_thread && memcmp(filter->thread, thread->tid, sizeof thread->tid) != 0)
		return false;
	return !filter->has_block ||
	       !memcmp(filter->block, thread->block->ctaid, sizeof thread->block->ctaid);
}

void filter_print(FILE *out, const struct thread_filter *f)
{
	if (f->has_thread)
		fprintf(out, " thread (%u,%u,%u)", f->thread[0], f->thread[1], f->thread[2]);
	if (f->has_block)
		fprintf(out, " block (%u,%u,%u)", f->block[0], f->block[1], f->block[2]);
}

void spec_fini(struct breakpoint_spec *spec)
{
	free(spec->location);
	free(spec->condition);
}

/* Is the word `keyword` at text (which begins a word)? */
static bool is_keyword(const char *text, const char *keyword)
{
	size_t n = strlen(keyword);
	return !strncmp(text, keyword, n) &&
	       (!text[n] || isspace((unsigned char)text[n]) || text[n] == '(');
}

/* At the beginning `block` and `thread` may be functions: `break block`, `break block(int)`. */
static bool begins_filter(const char *text)
{
	const char *at = text_skip(text + strcspn(text, " \t("));
	if (*at == '(')
		at = text_skip(at + 1);
	return isdigit((unsigned char)*at);
}

/* The first keyword's place behind the location, or the end. */
static const char *keyword_find(const char *text)
{
	int depth = 0;
	char quote = 0;
	for (const char *at = text; *at; at++) {
		if (quote) {
			quote = *at == quote ? 0 : quote;
			continue;
		}
		if (*at == '\'' || *at == '"')
			quote = *at;
		else if (strchr("([{", *at))
			depth++;
		else if (strchr(")]}", *at))
			depth--;
		bool begins = at == text || isspace((unsigned char)at[-1]) || at[-1] == ')';
		if (!begins || depth > 0)
			continue;
		if (is_keyword(at, "if"))
			return at;
		if ((is_keyword(at, "thread") || is_keyword(at, "block")) &&
		    (at != text || begins_filter(at)))
			return at;
	}
	return text + strlen(text);
}

/* One coordinate; below limit. */
static bool coordinate(const char **text, uint32_t *ret)
{
	char *end;
	*text = text_skip(*text);
	if (!isdigit((unsigned char)**text))
		return false;
	unsigned long long value = strtoull(*text, &end, 0);
	*ret = value > 0x7fffffff ? 0xffffffff : (uint32_t)value;
	*text = text_skip(end);
	return true;
}

static struct cudasim_error *out_of_range(const char *what, const uint32_t c[3])
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "No %s can ever be (%u,%u,%u).", what, c[0],
				 c[1], c[2]);
}

/* "(x,y,z)", "(x,y)", "(x)" or "x" behind the keyword. */
static struct cudasim_error *coordinates(const char **text, const char *what, uint32_t ret[3])
{
	const char *begin = text_skip(*text), *at = begin;
	bool bracket = *at == '(', good;
	ret[0] = ret[1] = ret[2] = 0;
	at += bracket;
	good = coordinate(&at, &ret[0]);
	for (int i = 1; good && bracket && i < 3 && *at == ','; i++) {
		at++;
		good = coordinate(&at, &ret[i]);
	}
	if (good && bracket)
		good = *at++ == ')';
	if (!good || (*at && !isspace((unsigned char)*at) && !isalpha((unsigned char)*at)))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid %s '%s': write %s (x,y,z).",
					 what, begin, what);
	*text = text_skip(at);
	/* The limits of every device that CUDA runs on. */
	if (!strcmp(what, "thread") ? ret[0] > 1023 || ret[1] > 1023 || ret[2] > 63
				    : ret[0] > 0x7ffffffe || ret[1] > 65534 || ret[2] > 65534)
		return out_of_range(what, ret);
	return NULL;
}

static struct cudasim_error *part(const char **text, struct breakpoint_spec *ret)
{
	struct thread_filter *f = &ret->filter;
	if (is_keyword(*text, "thread")) {
		*text += strlen("thread");
		f->has_thread = true;
		return coordinates(text, "thread", f->thread);
	}
	if (is_keyword(*text, "block")) {
		*text += strlen("block");
		f->has_block = true;
		return coordinates(text, "block", f->block);
	}
	if (!is_keyword(*text, "if"))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Junk at end of arguments: %s", *text);
	const char *condition = text_skip(*text + 2);
	if (!*condition)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Argument required (a condition after "
							     "`if').");
	ret->condition = strdup(condition);
	*text += strlen(*text);
	return ret->condition ? NULL : &cudasim_error_nomem;
}

struct cudasim_error *spec_parse(const char *text, struct breakpoint_spec *ret)
{
	struct cudasim_error *error = NULL;
	*ret = (struct breakpoint_spec){0};
	text = text_skip(text);
	const char *at = keyword_find(text);
	size_t n = (size_t)(at - text);
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	ret->location = strndup(text, n);
	if (!ret->location)
		return &cudasim_error_nomem;
	while (!error && *at)
		error = part(&at, ret);
	if (error) {
		spec_fini(ret);
		*ret = (struct breakpoint_spec){0};
	}
	return error;
}
