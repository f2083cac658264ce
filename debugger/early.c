/* SPDX-License-Identifier: Apache-2.0 */
/* early.c - a plain REPL of weak functions, so that the other parts can be tried
 * before theirs is there. Goes when repl.c comes. */
#define _GNU_SOURCE
#include <ctype.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "debugger.h"
#include "error.h"
#include "expression.h"
#include "focus.h"
#include "frame.h"
#include "repl.h"

#define WEAK __attribute__((weak))

FILE *console WEAK;

/* ---- text ---- */
WEAK const char *text_skip(const char *t)
{
	while (isspace((unsigned char)*t))
		t++;
	return t;
}

WEAK bool text_word(const char **text, char *ret, size_t size)
{
	const char *t = text_skip(*text);
	size_t n = 0;
	while (*t && !isspace((unsigned char)*t)) {
		if (n + 1 < size)
			ret[n++] = *t;
		t++;
	}
	ret[n] = 0;
	*text = text_skip(t);
	return n;
}

WEAK struct cudasim_error *text_format(const char **text, int64_t *count, char *format, char *size)
{
	const char *t = text_skip(*text);
	*count = 1, *format = 0, *size = 0;
	if (*t++ != '/')
		return NULL;
	bool minus = *t == '-';
	if (minus)
		t++;
	if (isdigit((unsigned char)*t)) {
		*count = strtoll(t, (char **)&t, 10);
		if (minus)
			*count = -*count;
	}
	for (; *t && !isspace((unsigned char)*t); t++) {
		if (strchr("bhwg", *t))
			*size = *t;
		else if (strchr("xduotacfszir", *t))
			*format = *t;
		else
			return cudasim_error_new(CUDASIM_E_ARGUMENT, "Undefined output format \"%c\".", *t);
	}
	*text = text_skip(t);
	return NULL;
}

/* ---- settings ---- */
static struct setting known[256];
static size_t n_known;

WEAK void settings_add(const struct setting *s, size_t n)
{
	for (size_t i = 0; i < n && n_known < 256; i++)
		known[n_known++] = s[i];
}

static struct cudasim_error *setting_set(const struct setting *s, const char *v)
{
	switch (s->kind) {
	case SETTING_BOOL:
		*(bool *)s->value = !*v || !strcmp(v, "on") || !strcmp(v, "1") || !strcmp(v, "yes");
		break;
	case SETTING_NUMBER:
		*(uint32_t *)s->value = !strcmp(v, "unlimited") ? 0 : (uint32_t)strtoul(v, NULL, 0);
		break;
	case SETTING_CHOICE:
		for (int i = 0; s->choices[i]; i++)
			if (!strcmp(s->choices[i], v)) {
				*(int *)s->value = i;
				if (s->changed)
					s->changed();
				return NULL;
			}
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Undefined item: \"%s\".", v);
	case SETTING_TEXT:
		free(*(char **)s->value);
		*(char **)s->value = strdup(v);
		break;
	}
	if (s->changed)
		s->changed();
	return NULL;
}

static const struct setting *find_setting(const char **text)
{
	const struct setting *best = NULL;
	size_t longest = 0;
	for (size_t i = 0; i < n_known; i++) {
		size_t n = strlen(known[i].name);
		if (n > longest && !strncmp(*text, known[i].name, n) &&
		    (!(*text)[n] || isspace((unsigned char)(*text)[n]))) {
			best = &known[i];
			longest = n;
		}
	}
	if (best)
		*text = text_skip(*text + longest);
	return best;
}

static struct cudasim_error *run_set(const char *argument)
{
	static const char *const later[] = {"confirm", "width", "height", "pagination", "print", "prompt"};
	const char *text = argument;
	const struct setting *s = find_setting(&text);
	if (s)
		return setting_set(s, text);
	for (size_t i = 0; i < sizeof later / sizeof *later; i++)
		if (!strncmp(argument, later[i], strlen(later[i])))
			return NULL;
	char *line = NULL;
	if (asprintf(&line, "set var %s", !strncmp(argument, "var ", 4) ? argument + 4 : argument) < 0)
		return &cudasim_error_nomem;
	struct value value;
	struct cudasim_error *error = evaluate_text(line + 8, &value);
	if (!error)
		value_fini(&value);
	free(line);
	return error;
}

static struct cudasim_error *run_show(const char *argument)
{
	const char *text = argument;
	const struct setting *s = find_setting(&text);
	if (!s)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Undefined show command: \"%s\".", argument);
	char value[64];
	if (s->kind == SETTING_BOOL)
		strcpy(value, *(bool *)s->value ? "on" : "off");
	else if (s->kind == SETTING_NUMBER)
		snprintf(value, sizeof value, "%u", *(uint32_t *)s->value);
	else if (s->kind == SETTING_CHOICE)
		snprintf(value, sizeof value, "%s", s->choices[*(int *)s->value]);
	else
		snprintf(value, sizeof value, "%s", *(char **)s->value ? *(char **)s->value : "");
	fprintf(console, s->show, value);
	fputc('\n', console);
	return NULL;
}

static struct cudasim_error *run_quit(const char *argument)
{
	(void)argument;
	fflush(console);
	_exit(0);
}

static struct cudasim_error *run_print(const char *argument)
{
	int64_t count;
	char format, size;
	struct value value;
	struct cudasim_error *error = text_format(&argument, &count, &format, &size);
	if (!error)
		error = evaluate_text(argument, &value);
	if (error)
		return error;
	fprintf(console, "$%u = ", history_add(&value));
	value_print(console, &value, format, size, true);
	fputc('\n', console);
	value_fini(&value);
	return NULL;
}

static struct cudasim_error *run_bt(const char *argument)
{
	const struct frame *frames;
	size_t n = frames_of_focus(&frames);
	(void)argument;
	if (!n)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "No stack.");
	for (size_t i = 0; i < n; i++)
		frame_print(console, &frames[i], true, !frames[i].at_line_start);
	return NULL;
}

static const struct command early[] = {
	{.name = "set", .run = run_set},
	{.name = "show", .run = run_show},
	{.name = "quit", .aliases = "q", .run = run_quit},
	{.name = "print", .aliases = "p", .run = run_print, .takes_format = true},
	{.name = "backtrace", .aliases = "bt", .run = run_bt},
	{0},
};

/* ---- commands ---- */
static const struct command *const tables[] = {
	commands_running, commands_breakpoints, commands_data, commands_stack, commands_cuda,
	commands_host, commands_support, early,
};

/* Does the line begin with this name, each word perhaps cut short? Returns what follows. */
static const char *match(const char *name, size_t n_name, const char *line, bool format, bool *exact)
{
	const char *end = name + n_name;
	*exact = true;
	while (name < end) {
		line = text_skip(line);
		size_t n = 0;
		while (isalnum((unsigned char)line[n]) || line[n] == '-' || line[n] == '_')
			n++;
		size_t w = strcspn(name, " ,");
		if (name + w > end)
			w = (size_t)(end - name);
		if (!n || n > w || strncmp(name, line, n))
			return NULL;
		if (n < w)
			*exact = false;
		line += n;
		name += w;
		while (name < end && *name == ' ')
			name++;
	}
	if (*line && !isspace((unsigned char)*line) && !(format && *line == '/') && isalnum((unsigned char)*line))
		return NULL;
	return text_skip(line);
}

static const struct command *find(const char *line, const char **argument)
{
	const struct command *best = NULL;
	size_t longest = 0;
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (const struct command *c = tables[t]; c->name; c++)
			for (const char *name = c->name; name;) {
				size_t n = strcspn(name, ",");
				bool exact;
				const char *rest = match(name, n, line, c->takes_format, &exact);
				size_t score = rest ? (size_t)(rest - line) * 2 + exact : 0;
				if (rest && score > longest) {
					best = c;
					longest = score;
					*argument = rest;
				}
				if (name >= c->name && name < c->name + strlen(c->name))
					name = c->aliases;
				else
					name = name[n] ? name + n + 1 : NULL;
			}
	return best;
}

WEAK struct cudasim_error *command_execute(const char *line)
{
	const char *argument = "";
	line = text_skip(line);
	if (!*line || *line == '#')
		return NULL;
	const struct command *c = find(line, &argument);
	if (!c)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Undefined command: \"%.*s\".  Try \"help\".",
					 (int)strcspn(line, " "), line);
	return c->run(argument);
}

WEAK struct cudasim_error *commands_execute(const char *const *lines, size_t n)
{
	struct cudasim_error *error = NULL;
	for (size_t i = 0; i < n && !error; i++)
		error = command_execute(lines[i]);
	return error;
}

static char *read_line(void)
{
	size_t n = 0, max = 128;
	char *line = malloc(max), c;
	ssize_t got;
	while (line && (got = read(0, &c, 1)) == 1 && c != '\n') {
		if (n + 2 > max)
			line = realloc(line, max *= 2);
		line[n++] = c;
	}
	if (!n && got != 1) {
		free(line);
		return NULL;
	}
	line[n] = 0;
	return line;
}

WEAK struct cudasim_error *command_read_block(const char *prompt, char ***ret, size_t *n)
{
	(void)prompt;
	*ret = NULL;
	*n = 0;
	for (char *line; (line = read_line());) {
		if (!strcmp(text_skip(line), "end"))
			break;
		*ret = realloc(*ret, (*n + 1) * sizeof **ret);
		(*ret)[(*n)++] = line;
	}
	return NULL;
}

WEAK bool command_confirm(const char *f, ...) { (void)f; return true; }
WEAK bool command_ask(const char *f, ...) { (void)f; return false; }

/* ---- the loop ---- */
static void *loop(void *arg)
{
	(void)arg;
	program_await_start();
	for (;;) {
		if (!ftrylockfile(stdout)) {
			fflush(stdout);
			funlockfile(stdout);
		}
		fputs("(cudasim) ", console);
		fflush(console);
		char *line = read_line();
		if (!line)
			run_quit("");
		struct cudasim_error *error = command_execute(line);
		if (error)
			fprintf(console, "%s\n", error->message);
		cudasim_error_free(error);
		free(line);
	}
	return NULL;
}

WEAK struct cudasim_error *repl_start(void)
{
	pthread_t pthread;
	console = fdopen(dup(1), "w");
	symbols_load(NULL);
	if (pthread_create(&pthread, NULL, loop, NULL))
		return cudasim_error_new(CUDASIM_E_FAILED, "no thread for the REPL");
	return NULL;
}
