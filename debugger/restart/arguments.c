/* SPDX-License-Identifier: Apache-2.0 */
/* arguments.c - the program's arguments, as a shell reads them. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "restart.h"
#include "restart_state.h"
#include "setting.h"

/* As a shell would need it to read it back. */
static void quote(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./,:@%";
	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	fputc('\'', out);
}

static char *arguments_read(void)
{
	char *text = NULL, *word = NULL;
	size_t size, word_size = 0;
	FILE *in = fopen("/proc/self/cmdline", "r"), *out = open_memstream(&text, &size);
	if (in && out)
		for (int i = 0; getdelim(&word, &word_size, 0, in) > 0; i++) {
			if (i > 1)
				fputc(' ', out);
			if (i > 0)
				quote(out, word);
		}
	free(word);
	if (in)
		fclose(in);
	if (out)
		fclose(out);
	return text ? text : strdup("");
}

void program_arguments_are(const char *text)
{
	struct restart_arguments *own = &restart_state()->arguments;
	free(own->arguments);
	free(own->arguments_now);
	own->arguments = strdup(text);
	own->arguments_now = strdup(text);
}

const char *program_arguments(void)
{
	return restart_state()->arguments.arguments;
}

const char *program_arguments_now(void)
{
	return restart_state()->arguments.arguments_now;
}

void program_arguments_next(char *text)
{
	struct restart_arguments *own = &restart_state()->arguments;
	free(own->arguments);
	own->arguments = text;
}

const char *program_path(void)
{
	static char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
	path[n > 0 ? n : 0] = 0;
	return path;
}

__attribute__((constructor)) static void start(void)
{
	struct restart_arguments *own = &restart_state()->arguments;
	if (!own->arguments)
		program_arguments_are(arguments_read());
	const struct setting settings[] = {
		{.name = "args",
		 .kind = SETTING_TEXT,
		 .value = &own->arguments,
		 .show = "Argument list to give program being debugged when it is started is \"%s\".",
		 .summary = "Arguments of the program for the next run"},
	};
	settings_add(settings, sizeof settings / sizeof *settings);
}
