/* SPDX-License-Identifier: Apache-2.0 */
/* help.c - `cudasim help` and `cudasim version`. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "command_table.h"
#include "commands.h"
#include "env.h"
#include "manual.h"

const struct manual help_manual = {
	.name = "help",
	.summary = "print the commands, or all about one of them",
	.usage = "[TOPIC]",
	.text = "Prints the commands, or all about the one that TOPIC names: for `cc` every option of "
		"nvcc and what cudasim does with it, for `env` every CUDASIM_ variable. `cudasim "
		"COMMAND --help` prints the same.",
	.see = "env",
};

const struct manual version_manual = {
	.name = "version",
	.summary = "print cudasim's version",
	.usage = "",
	.text = "Prints cudasim's version. `cudasim --version` does the same.",
	.see = "doctor",
};

struct cudasim_error *command_version(int n, char **arguments, int *ret)
{
	(void)n;
	(void)arguments;
	*ret = 0;
	puts("cudasim " CUDASIM_VERSION);
	return NULL;
}

static void show_all(void)
{
	puts("usage: cudasim COMMAND [ARGUMENTS]\n");
	manual_paragraphs(stdout, cudasim_manual.text);
	putchar('\n');
	for (const struct command_row *row = command_table; row->manual; row++)
		printf("  %-14s %s\n", row->manual->name, row->manual->summary);
	putchar('\n');
	manual_paragraphs(stdout, cudasim_manual.notes);
	manual_examples(stdout, cudasim_manual.examples);
}

static void show_env(void)
{
	puts("\nEnvironment variables of cudasim:\n");
	for (const struct env_variable *v = env_variables; v->name; v++) {
		printf("  %s=%s\n      ", v->name, v->values);
		manual_wrap(stdout, v->help, strlen(v->help), 6, 6);
	}
	puts("\nCUDA_VISIBLE_DEVICES and CUDA_LAUNCH_BLOCKING have their usual meaning.");
}

/* How many letters have to be put in, left out or changed to make b of a (Wagner and
 * Fischer, 1974). Names have 15 letters at most; of a longer word all are too many. */
static size_t distance(const char *a, const char *b)
{
	enum { LONGEST = 15 };
	size_t row[LONGEST + 1], n = strlen(b);
	if (n > LONGEST || strlen(a) > LONGEST)
		return SIZE_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; *a; i++, a++) {
		size_t corner = row[0];
		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t best = corner + (*a != b[j - 1]);
			corner = row[j];
			best = row[j] + 1 < best ? row[j] + 1 : best;
			row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
		}
	}
	return row[n];
}

const char *help_nearest(const char *word)
{
	const char *ret = NULL;
	size_t least = strlen(word) < 4 ? 2 : 3; /* of two letters none is meant by a third */
	for (size_t i = 0; command_table[i].manual; i++) {
		const char *name = command_table[i].manual->name;
		size_t d = distance(word, name);
		if (d < least && d < strlen(name) - 1) {
			least = d;
			ret = name;
		}
	}
	return ret;
}

struct cudasim_error *command_help(int n, char **arguments, int *ret)
{
	*ret = 0;
	if (n > 2)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "help takes only one topic: unexpected '%s'",
					 arguments[2]);
	if (n < 2) {
		show_all();
		return NULL;
	}
	const char *word = arguments[1];
	const struct command_row *row = command_named(word);
	if (row) {
		if (row->manual == &help_manual)
			show_all();
		else
			manual_print(stdout, row->manual);
		if (row->manual == &env_manual)
			show_env();
		return NULL;
	}
	const char *near = help_nearest(word);
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "there is no help on '%s'%s%s%s `cudasim help` "
				 "lists the commands",
				 word, near ? ": is '" : ";", near ? near : "",
				 near ? "' meant?" : "");
}
