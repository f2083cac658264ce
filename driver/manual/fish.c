/* SPDX-License-Identifier: Apache-2.0 */
/* fish.c - the completion for fish: a line for each option. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "completion.h"

/* A ' within '...'. */
static const char quote[] = "\\'";

static const char begin[] =
	"# SPDX-License-Identifier: Apache-2.0\n"
	"# Completion of cudasim for fish. Made by driver/manual of the tables that `cudasim help` prints.\n"
	"\n"
	"function __cudasim_needs_command\n"
	"\ttest (count (commandline -opc)) -eq 1\n"
	"end\n"
	"\n"
	"# Is it this command?\n"
	"function __cudasim_in\n"
	"\tset -l words (commandline -opc)\n"
	"\ttest (count $words) -ge 2; and test $words[2] = $argv[1]\n"
	"end\n"
	"\n"
	"# Is it this command, and its program has not come? The others are its options with a value.\n"
	"function __cudasim_before_program\n"
	"\tset -l words (commandline -opc)\n"
	"\tset -l is_value 0\n"
	"\t__cudasim_in $argv[1]; or return 1\n"
	"\tfor word in $words[3..-1]\n"
	"\t\tif test $is_value -eq 1\n"
	"\t\t\tset is_value 0\n"
	"\t\telse if contains -- $word $argv[2..-1]\n"
	"\t\t\tset is_value 1\n"
	"\t\telse if not string match -q -- '-*' $word\n"
	"\t\t\treturn 1\n"
	"\t\tend\n"
	"\tend\n"
	"\treturn 0\n"
	"end\n"
	"\n"
	"complete -c cudasim -f\n";

/* The condition under which options of the command are completed. */
static void condition(FILE *out, const struct manual *manual, bool has_program)
{
	fprintf(out, "complete -c cudasim -n '%s %s",
		has_program ? "__cudasim_before_program" : "__cudasim_in", manual->name);
	if (has_program)
		fprintf(out, " $__cudasim_values_%s", manual->name);
	fputc('\'', out);
}

static void values(FILE *out, const struct manual *manual)
{
	struct manual_option option;
	fprintf(out, "set -g __cudasim_values_%s", manual->name);
	for (size_t i = 0; manual_option(manual, i, &option); i++) {
		const char *names = option.names;
		char *name;
		if (option.status != MANUAL_DONE || !completion_takes_word(&option))
			continue;
		while (completion_next(&names, ", ", &name)) {
			fprintf(out, " %s", name);
			free(name);
		}
	}
	fputc('\n', out);
}

static void choices(FILE *out, const char *value)
{
	char *word;
	for (const char *between = ""; completion_next(&value, "|,", &word); between = " ") {
		fprintf(out, "%s%s", between, word);
		free(word);
	}
}

/* What completes a value, as options of `complete`. */
static void action(FILE *out, const char *value)
{
	switch (completion_of(value)) {
	case COMPLETE_NOTHING:
		fputs(" -x", out);
		break;
	case COMPLETE_FILE:
		fputs(" -r -F", out);
		break;
	case COMPLETE_FOLDER:
		fputs(" -x -a '(__fish_complete_directories (commandline -ct))'", out);
		break;
	case COMPLETE_SOURCE:
		fprintf(out, " -k -x -a '(__fish_complete_suffix .%s)'", command_suffix(0));
		break;
	case COMPLETE_PROGRAM:
		fputs(" -x -a '(__fish_complete_command)'", out);
		break;
	case COMPLETE_TOPIC:
		fputs(" -x -a '", out);
		for (const struct command_row *row = command_table; row->manual; row++)
			fprintf(out, "%s%s", row == command_table ? "" : " ", row->manual->name);
		fputc('\'', out);
		break;
	case COMPLETE_CHOICE:
		fputs(" -x -a '", out);
		choices(out, value);
		fputc('\'', out);
		break;
	case COMPLETE_LIST:
		fputs(" -x -a '(__fish_append , ", out);
		choices(out, value);
		fputs(")'", out);
		break;
	}
}

static void put_option(FILE *out, const struct manual *manual, const struct manual_option *option,
		       bool has_program)
{
	const char *names = option->names;
	char *name;
	condition(out, manual, has_program);
	while (completion_next(&names, ", ", &name)) {
		const char *kind = !strncmp(name, "--", 2) ? "-l" : strlen(name) == 2 ? "-s" : "-o";
		fprintf(out, " %s %s", kind, name + strspn(name, "-"));
		free(name);
	}
	if (completion_takes_word(option))
		action(out, option->value);
	fputs(" -d '", out);
	completion_put(out, option->text, "\\", quote);
	fputs("'\n", out);
}

static void command(FILE *out, const struct manual *manual)
{
	struct manual_option option;
	char *words;
	enum completion completion = completion_of_arguments(manual, &words);
	bool has_program = completion == COMPLETE_PROGRAM;
	fprintf(out, "\n# %s\n", manual->name);
	if (has_program)
		values(out, manual);
	for (size_t i = 0; manual_option(manual, i, &option); i++)
		if (option.status == MANUAL_DONE)
			put_option(out, manual, &option, has_program);
	if (completion) {
		condition(out, manual, has_program);
		action(out, words);
		fputc('\n', out);
	}
	if (has_program)
		fprintf(out,
			"complete -c cudasim -n '__cudasim_in %s; and not __cudasim_before_program %s "
			"$__cudasim_values_%s' -F\n",
			manual->name, manual->name, manual->name);
	free(words);
}

void completion_fish(FILE *out)
{
	fputs(begin, out);
	for (const struct command_row *row = command_table; row->manual; row++) {
		fprintf(out, "complete -c cudasim -n __cudasim_needs_command -a %s -d '",
			row->manual->name);
		completion_put(out, row->manual->summary, "\\", quote);
		fputs("'\n", out);
	}
	for (const struct command_row *row = command_table; row->manual; row++)
		command(out, row->manual);
}
