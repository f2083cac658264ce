/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - what stands between view and its expression. */
#include "options.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "expression.h"
#include "text.h"

enum { MOST_BINS = 200 };

static const struct {
	const char *name;
	unsigned way;  /* of those that show */
	size_t text;   /* where the option's text goes, or */
	size_t number; /* its number */
	size_t flag;
} known[] = {
	{"table", VIEW_TABLE, 0, 0, 0},
	{"heat", VIEW_HEAT, 0, 0, 0},
	{"hist", VIEW_HISTOGRAM, 0, 0, 0},
	{"shape", 0, offsetof(struct view_options, shape), 0, 0},
	{"stride", 0, offsetof(struct view_options, stride), 0, 0},
	{"layout", 0, offsetof(struct view_options, layout), 0, 0},
	{"slice", 0, offsetof(struct view_options, slice), 0, 0},
	{"fragment", 0, offsetof(struct view_options, fragment), 0, 0},
	{"png", 0, offsetof(struct view_options, png), 0, 0},
	{"npy", 0, offsetof(struct view_options, npy), 0, 0},
	{"bins", 0, 0, offsetof(struct view_options, bins), 0},
	{"level", 0, 0, offsetof(struct view_options, level), 0},
	{"transpose", 0, 0, 0, offsetof(struct view_options, transpose)},
};
enum { N_KNOWN = sizeof known / sizeof *known };

void view_options_fini(struct view_options *options)
{
	for (size_t i = 0; i < N_KNOWN; i++)
		if (known[i].text)
			free(*(char **)(void *)((char *)options + known[i].text));
	memset(options, 0, sizeof *options);
}

/* Names may be cut as long as they are unambiguous. */
static int find(const char *name, size_t n)
{
	int found = -1;
	for (size_t i = 0; i < N_KNOWN; i++) {
		if (strncmp(known[i].name, name, n))
			continue;
		if (strlen(known[i].name) == n)
			return (int)i;
		found = found == -1 ? (int)i : -2;
	}
	return found;
}

/* A word, with blanks where it is in quotes or parentheses; quotes around it go. malloc'ed. */
static char *take_word(const char **text)
{
	const char *start = text_skip(*text);
	char quote = *start == '"' || *start == '\'' ? *start : 0;
	size_t n = 0;
	int depth = 0;
	if (quote) {
		n = strcspn(++start, (char[]){quote, 0});
	} else {
		for (; start[n] && (depth || !strchr(" \t", start[n])); n++)
			depth += start[n] == '(' ? 1 : start[n] == ')' ? -1 : 0;
	}
	*text = text_skip(start + n + (quote && start[n]));
	return n ? strndup(start, n) : NULL;
}

static struct cudasim_error *needs(int i)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "--%s needs a value.", known[i].name);
}

static struct cudasim_error *take_number(const char **text, int i, uint32_t *ret)
{
	int64_t number;
	char *word = take_word(text);
	if (!word)
		return needs(i);
	struct cudasim_error *error = evaluate_integer(word, &number);
	free(word);
	if (error)
		return error;
	if (number < 0 || number > UINT32_MAX)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "--%s cannot be %lld.", known[i].name,
					 (long long)number);
	*ret = (uint32_t)number;
	return NULL;
}

static struct cudasim_error *take_option(const char **text, struct view_options *ret)
{
	const char *name = *text + 2;
	size_t n = strcspn(name, " \t=");
	int i = find(name, n);
	if (i < 0)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "%s option --%.*s.",
					 i == -2 ? "Ambiguous" : "Unknown", (int)n, name);
	*text = text_skip(name + n + (name[n] == '='));
	ret->ways |= known[i].way;
	char *base = (char *)ret;
	if (known[i].flag)
		*(bool *)(base + known[i].flag) = true;
	if (known[i].number)
		return take_number(text, i, (uint32_t *)(void *)(base + known[i].number));
	if (!known[i].text)
		return NULL;
	char **to = (char **)(void *)(base + known[i].text);
	free(*to);
	*to = take_word(text);
	return *to ? NULL : needs(i);
}

static struct cudasim_error *check(const struct view_options *o)
{
	int n = !!o->layout + !!o->fragment + (o->shape || o->stride);
	if (n > 1)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "--layout, --fragment and --shape exclude each other.");
	if (o->stride && !o->shape)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "--stride needs --shape.");
	if (!o->bins || o->bins > MOST_BINS)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "--bins is 1 to %d.", MOST_BINS);
	return NULL;
}

struct cudasim_error *view_options_parse(const char **text, struct view_options *ret)
{
	struct cudasim_error *error = NULL;
	*ret = (struct view_options){.bins = 10};
	*text = text_skip(*text);
	while (!error && !strncmp(*text, "--", 2)) {
		bool last = !(*text)[2] || strchr(" \t", (*text)[2]);
		if (!last)
			error = take_option(text, ret);
		else
			*text = text_skip(*text + 2);
		if (last)
			break;
	}
	if (!error)
		error = check(ret);
	if (!error && !ret->ways && !ret->png && !ret->npy)
		ret->ways = VIEW_TABLE;
	if (error)
		view_options_fini(ret);
	return error;
}
