/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "complete.h"

#include <ctype.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "command_table.h"
#include "expression.h"
#include "setting.h"
#include "shell_state.h"
#include "text.h"

enum { MOST = 2000 };

struct collect {
	struct completions *to;
	const char *word;
	size_t length;
};

void completions_fini(struct completions *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->words[i]);
	free(c->words);
}

static void add(struct completions *to, const char *word)
{
	for (size_t i = 0; i < to->n; i++)
		if (!strcmp(to->words[i], word))
			return;
	char **more = to->n < MOST ? realloc(to->words, (to->n + 1) * sizeof *more) : NULL;
	if (!more)
		return;
	to->words = more;
	to->words[to->n] = strdup(word);
	if (to->words[to->n])
		to->n++;
}

static void offer(const struct collect *c, const char *word)
{
	if (word && !strncmp(word, c->word, c->length))
		add(c->to, word);
}

/* ---- kinds of words ---------------------------------------------------------------- */

static void one_function(void *user, const struct function *f)
{
	const struct collect *c = user;
	offer(c, f->name);
	/* A name may be typed without the namespaces around it. */
	const char *last = NULL;
	for (const char *p = f->name; *p && *p != '<'; p++)
		if (p[0] == ':' && p[1] == ':')
			last = p + 2;
	if (last)
		offer(c, last);
}

static void one_file(void *user, const char *file, const char *path)
{
	const char *slash = strrchr(file, '/');
	(void)path;
	offer(user, slash ? slash + 1 : file);
}

static void one_type(void *user, const struct type *type, const struct type_place *place)
{
	(void)place;
	offer(user, type->name);
}

static void one_word(void *user, const char *word)
{
	add(((struct collect *)user)->to, word);
}

static void files(const struct collect *c)
{
	char *pattern = NULL;
	glob_t found;
	if (asprintf(&pattern, "%s*", c->word) < 0)
		return;
	if (!glob(pattern, GLOB_MARK | GLOB_TILDE, NULL, &found)) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			add(c->to, found.gl_pathv[i]);
		globfree(&found);
	}
	free(pattern);
}

static void commands(const struct collect *c)
{
	for (size_t t = 0; shell_state()->tables[t]; t++)
		for (const struct command *command = shell_state()->tables[t]; command->name;
		     command++)
			offer(c, command->name);
	definition_each(one_word, (void *)(uintptr_t)c);
}

/* ---- a line -------------------------------------------------------------------------- */

static size_t last_word(const char *text, const char *stops)
{
	size_t n = strlen(text);
	while (n && !isspace((unsigned char)text[n - 1]) && !strchr(stops, text[n - 1]))
		n--;
	return n;
}

/* The next word of commands whose first words have been typed: "info cu" gives "cuda". */
static void subcommands(const char *text, struct completions *ret)
{
	size_t start = last_word(text, "");
	struct collect c = {ret, text + start, strlen(text + start)};
	ret->start = start;
	ret->space = true;
	for (size_t t = 0; shell_state()->tables[t]; t++)
		for (const struct command *command = shell_state()->tables[t]; command->name;
		     command++) {
			const char *rest = text_after_words(command->name, text, start);
			if (!rest)
				continue;
			char word[64];
			snprintf(word, sizeof word, "%.*s", (int)strcspn(rest, " "), rest);
			offer(&c, word);
		}
	setting_each_word(text, start, one_word, &c);
	for (size_t i = 0; i < ret->n;) {
		if (!strncmp(ret->words[i], c.word, c.length)) {
			i++;
			continue;
		}
		free(ret->words[i]);
		ret->words[i] = ret->words[--ret->n];
	}
}

void complete_line(const char *text, struct completions *ret)
{
	const char *argument;
	while (isspace((unsigned char)*text)) {
		text++;
		ret->start++;
	}
	size_t blanks = ret->start;
	const struct command *command = command_find_typed(text, &argument);
	subcommands(text, ret);
	ret->start += blanks;
	if (ret->n || !command || argument == text)
		return;
	ret->space = false;
	struct collect c = {ret, argument, 0};
	size_t start = (size_t)(argument - text);
	switch (command->completer) {
	case COMPLETE_EXPRESSION:
		start += expression_complete(argument, one_word, &c);
		break;
	case COMPLETE_LOCATION:
		start = last_word(text, "");
		c = (struct collect){ret, text + start, strlen(text + start)};
		if (strstr(argument, " if ")) {
			const char *condition = strstr(argument, " if ") + 4;
			start = (size_t)(condition - text) +
				expression_complete(condition, one_word, &c);
			break;
		}
		symbols_each_function(one_function, &c);
		symbols_each_file(one_file, &c);
		break;
	case COMPLETE_FILE:
		start = last_word(text, "");
		c = (struct collect){ret, text + start, strlen(text + start)};
		files(&c);
		break;
	case COMPLETE_COMMAND:
		c = (struct collect){ret, argument, strlen(argument)};
		commands(&c);
		break;
	case COMPLETE_TYPE:
		c = (struct collect){ret, argument, strlen(argument)};
		symbols_each_type(one_type, &c);
		if (!ret->n)
			start = (size_t)(argument - text) +
				expression_complete(argument, one_word, &c);
		break;
	case COMPLETE_NONE:
		break;
	}
	ret->start = start + blanks;
}
