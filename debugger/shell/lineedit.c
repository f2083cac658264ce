/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "lineedit.h"

#include <errno.h>
#include <histedit.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command_table.h"
#include "complete.h"
#include "input.h"
#include "shell_state.h"

enum { MAX_HISTORY = 2000 };

/* ---- the history's file --------------------------------------------------------- */

/* XDG_STATE_HOME/cudasim/debug_history, else under ~/.local/state. */
static const char *history_path(void)
{
	static char path[PATH_MAX];
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char folder[PATH_MAX - 32];
	if (state && *state == '/')
		snprintf(folder, sizeof folder, "%s", state);
	else if (home && *home)
		snprintf(folder, sizeof folder, "%s/.local/state", home);
	else
		return NULL;
	if (snprintf(path, sizeof path, "%s/cudasim", folder) >= (int)sizeof path)
		return NULL;
	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
	mkdir(path, 0700);
	strcat(path, "/debug_history");
	return path;
}

void lineedit_save(void)
{
	struct shell_editor *own = &shell_state()->editor;
	HistEvent event;
	const char *path = own->past ? history_path() : NULL;
	if (path)
		history(own->past, &event, H_SAVE, path);
}

void lineedit_list(FILE *out, uint32_t n)
{
	struct shell_editor *own = &shell_state()->editor;
	HistEvent event;
	if (!own->past || history(own->past, &event, H_LAST) < 0)
		return;
	int newest = 0, number = 0;
	HistEvent first;
	if (history(own->past, &first, H_FIRST) >= 0)
		newest = first.num;
	for (int ok = history(own->past, &event, H_LAST); ok >= 0;
	     ok = history(own->past, &event, H_PREV)) {
		number = event.num;
		if (!n || newest - number < (int)n)
			fprintf(out, "%5d  %s%s", number, event.str,
				event.str[0] && event.str[strlen(event.str) - 1] == '\n' ? ""
											 : "\n");
	}
}

void lineedit_window(uint32_t *rows, uint32_t *columns)
{
	struct winsize size;
	*rows = *columns = 0;
	if (ioctl(input_descriptor(), TIOCGWINSZ, &size) == 0) {
		*rows = size.ws_row;
		*columns = size.ws_col;
	}
}

/* ---- completion ------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static size_t common(char *const *words, size_t n)
{
	size_t length = strlen(words[0]);
	for (size_t i = 1; i < n; i++) {
		size_t same = 0;
		while (same < length && words[i][same] == words[0][same])
			same++;
		length = same;
	}
	return length;
}

static void list(char **words, size_t n)
{
	uint32_t rows, columns;
	size_t widest = 0;
	lineedit_window(&rows, &columns);
	for (size_t i = 0; i < n; i++)
		widest = strlen(words[i]) > widest ? strlen(words[i]) : widest;
	size_t across = columns ? columns / (widest + 2) : 1;
	if (!across)
		across = 1;
	dprintf(input_descriptor(), "\r\n");
	for (size_t i = 0; i < n; i++)
		dprintf(input_descriptor(), "%-*s%s", (int)widest + 2, words[i],
			(i + 1) % across && i + 1 < n ? "" : "\r\n");
}

static unsigned char complete(EditLine *el, int key)
{
	struct shell_editor *own = &shell_state()->editor;
	(void)key;
	const LineInfo *line = el_line(el);
	struct completions found = {0};
	char *text = strndup(line->buffer, (size_t)(line->cursor - line->buffer));
	unsigned char ret = CC_ERROR;
	if (!text)
		return ret;
	complete_line(text, &found);
	size_t typed = strlen(text) - found.start;
	if (found.n) {
		qsort(found.words, found.n, sizeof *found.words, by_text);
		size_t length = common(found.words, found.n);
		char *more = length > typed ? strndup(found.words[0] + typed, length - typed)
					    : NULL;
		if (more) {
			el_insertstr(el, more);
			ret = CC_REFRESH;
		}
		free(more);
		if (found.n == 1) {
			if (found.space)
				el_insertstr(el, " ");
			ret = CC_REFRESH;
		} else if (ret == CC_ERROR && own->has_listed) {
			list(found.words, found.n);
			ret = CC_REDISPLAY;
		}
		own->has_listed = ret == CC_ERROR;
	}
	completions_fini(&found);
	free(text);
	return ret;
}

/* Ctrl-C: the line is dropped, not the program interrupted, which stands still anyway. */
static unsigned char drop(EditLine *el, int key)
{
	struct shell_editor *own = &shell_state()->editor;
	(void)key;
	const LineInfo *line = el_line(el);
	el_cursor(el, (int)(line->lastchar - line->cursor));
	el_deletestr(el, (int)(line->lastchar - line->buffer));
	dprintf(input_descriptor(), "^C\n");
	own->is_dropped = true;
	return own->is_question ? CC_NEWLINE : CC_REDISPLAY;
}

static unsigned char suspend(EditLine *el, int key)
{
	(void)key;
	el_set(el, EL_PREP_TERM, 0);
	kill(0, SIGTSTP);
	el_set(el, EL_PREP_TERM, 1);
	return CC_REDISPLAY;
}

/* ---- reading ------------------------------------------------------------------------ */

static char *prompt_of(EditLine *el)
{
	(void)el;
	return (char *)(uintptr_t)shell_state()->editor.prompt_now;
}

static void start(void)
{
	struct shell_editor *own = &shell_state()->editor;
	HistEvent event;
	int fd = input_descriptor();
	FILE *in = fdopen(dup(fd), "r"), *out = fdopen(dup(fd), "w");
	if (!in || !out)
		return;
	setvbuf(in, NULL, _IONBF, 0);
	own->editor = el_init("cudasim", in, out, out);
	own->past = history_init();
	if (!own->editor || !own->past)
		return;
	history(own->past, &event, H_SETSIZE, MAX_HISTORY);
	history(own->past, &event, H_SETUNIQUE, 1);
	const char *path = history_path();
	if (path)
		history(own->past, &event, H_LOAD, path);
	el_set(own->editor, EL_PROMPT, prompt_of);
	el_set(own->editor, EL_EDITOR, "emacs");
	el_set(own->editor, EL_HIST, history, own->past);
	el_set(own->editor, EL_ADDFN, "cudasim-complete", "complete the word", complete);
	el_set(own->editor, EL_BIND, "^I", "cudasim-complete", NULL);
	el_set(own->editor, EL_BIND, "^R", "em-inc-search-prev", NULL);
	/* Ctrl-C and Ctrl-Z are keys while a line is edited, signals otherwise. */
	el_set(own->editor, EL_SETTY, "-d", "-isig", NULL);
	el_set(own->editor, EL_ADDFN, "cudasim-drop", "drop the line", drop);
	el_set(own->editor, EL_BIND, "^C", "cudasim-drop", NULL);
	el_set(own->editor, EL_ADDFN, "cudasim-suspend", "suspend the process", suspend);
	el_set(own->editor, EL_BIND, "^Z", "cudasim-suspend", NULL);
	el_source(own->editor, NULL);
}

bool lineedit_quits(void)
{
	struct shell_editor *own = &shell_state()->editor;
	bool ret = own->is_dropped;
	own->is_dropped = false;
	return ret;
}

char *lineedit_read(const char *prompt)
{
	struct shell_editor *own = &shell_state()->editor;
	int n;
	if (!own->editor)
		start();
	if (!own->editor)
		return NULL;
	own->prompt_now = prompt;
	own->is_question = strcmp(prompt, shell_state()->prompt) != 0;
	own->is_dropped = false;
	/* libedit does this once it has shown the prompt: Ctrl-C in between would be a signal. */
	el_set(own->editor, EL_PREP_TERM, 1);
	const char *line = el_gets(own->editor, &n);
	if (own->is_question && own->is_dropped)
		return NULL;
	own->is_dropped = false;
	if (!line || n <= 0)
		return NULL;
	HistEvent event;
	char *ret = strdup(line);
	if (ret && n && ret[n - 1] == '\n')
		ret[n - 1] = 0;
	if (ret && *ret)
		history(own->past, &event, H_ENTER, ret);
	return ret;
}
