/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - see options.h. */
#define _GNU_SOURCE
#include "options.h"

#include <stdlib.h>
#include <string.h>

#include "env.h"
#include "error.h"

static struct cudasim_error *add(struct options *options, bool is_file, const char *text, size_t n)
{
	struct option *list = realloc(options->list, (options->n + 1) * sizeof *list);
	if (!list)
		return &cudasim_error_nomem;
	options->list = list;
	list[options->n] = (struct option){is_file, strndup(text, n)};
	if (!list[options->n].text)
		return &cudasim_error_nomem;
	options->n++;
	return NULL;
}

static bool is_word(const char *line, size_t n, const char *word)
{
	return n == strlen(word) && !strncmp(line, word, n);
}

static struct cudasim_error *parse_line(const char *line, size_t n, struct options *ret)
{
	if (is_word(line, n, "quiet"))
		ret->quiet = true;
	else if (is_word(line, n, "batch"))
		ret->batch = true;
	else if (is_word(line, n, "return-child-result"))
		ret->return_child_result = true;
	else if (n > 2 && !strncmp(line, "x ", 2))
		return add(ret, true, line + 2, n - 2);
	else if (n >= 3 && !strncmp(line, "ex ", 3))
		return add(ret, false, line + 3, n - 3);
	else
		return cudasim_error_new(CUDASIM_E_FORMAT, "CUDASIM_DEBUG_OPTIONS: '%.*s' is no option",
					 (int)n, line);
	return NULL;
}

struct cudasim_error *options_parse(const char *text, struct options *ret)
{
	*ret = (struct options){0};
	while (text && *text) {
		size_t n = strcspn(text, "\n");
		struct cudasim_error *error = n ? parse_line(text, n, ret) : NULL;
		if (error) {
			options_fini(ret);
			return error;
		}
		text += n + (text[n] == '\n');
	}
	return NULL;
}

struct cudasim_error *options_read(struct options *ret)
{
	struct cudasim_error *error = options_parse(env_get("CUDASIM_DEBUG_OPTIONS"), ret);
	unsetenv("CUDASIM_DEBUG_OPTIONS");
	return error;
}

void options_fini(struct options *options)
{
	for (size_t i = 0; i < options->n; i++)
		free(options->list[i].text);
	free(options->list);
	*options = (struct options){0};
}
