/* SPDX-License-Identifier: Apache-2.0 */
/* zsh.c - the completion for zsh: specifications for its _arguments. */
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "completion.h"

/* A ' within '...'. */
static const char quote[] = "'\\''";

/* What completes a value; the whole stands within '...'. */
static void action(FILE *out, const char *value)
{
	char *word;
	switch (completion_of(value)) {
	case COMPLETE_NOTHING:
		fputc(' ', out);
		break;
	case COMPLETE_FILE:
		fputs("_files", out);
		break;
	case COMPLETE_FOLDER:
		fputs("_files -/", out);
		break;
	case COMPLETE_SOURCE:
		fputs("_files -g \"*.(", out);
		for (size_t i = 0; command_suffix(i); i++)
			fprintf(out, "%s%s", i ? "|" : "", command_suffix(i));
		fputs(")\"", out);
		break;
	case COMPLETE_PROGRAM:
		fputs("_cudasim_programs", out);
		break;
	case COMPLETE_TOPIC:
		fputs("_cudasim_commands", out);
		break;
	case COMPLETE_CHOICE:
		fputc('(', out);
		for (const char *between = ""; completion_next(&value, "|", &word); between = " ") {
			fprintf(out, "%s%s", between, word);
			free(word);
		}
		fputc(')', out);
		break;
	case COMPLETE_LIST:
		fputs("_values -s , word", out);
		while (completion_next(&value, "|,", &word)) {
			fprintf(out, " %s", word);
			free(word);
		}
		break;
	}
}

/* How the option's name is joined with its value, as _arguments writes it. */
static const char *joint(const struct manual_option *option, const char *name)
{
	if (!option->value)
		return "";
	if (option->joint == MANUAL_OPTIONAL)
		return "=-";
	if (!strncmp(name, "--", 2))
		return "=";
	return option->joint == MANUAL_GLUED && strlen(name) == 2 ? "+" : "";
}

static void put_option(FILE *out, const struct manual_option *option)
{
	const char *names = option->names;
	char *name;
	while (completion_next(&names, ", ", &name)) {
		fprintf(out, "\t\t'*%s%s[", name, joint(option, name));
		completion_put(out, option->text, "[]:\\", quote);
		fputc(']', out);
		if (option->value) {
			fputs(option->joint == MANUAL_OPTIONAL ? "::" : ":", out);
			completion_put(out,
				       completion_of(option->value) < COMPLETE_CHOICE
					       ? option->value
					       : "value",
				       ":\\", quote);
			fputc(':', out);
			action(out, option->value);
		}
		fputs("' \\\n", out);
		free(name);
	}
}

static void put_options(FILE *out, const struct manual *manual)
{
	struct manual_option option;
	for (size_t i = 0; manual_option(manual, i, &option); i++)
		if (option.status == MANUAL_DONE)
			put_option(out, &option);
}

static void command(FILE *out, const struct manual *manual)
{
	char *words;
	enum completion completion = completion_of_arguments(manual, &words);
	fprintf(out, "\n_cudasim_%s() {\n\t_arguments -S \\\n", manual->name);
	put_options(out, manual);
	if (completion == COMPLETE_PROGRAM) {
		fputs("\t\t'(-)1:program:_cudasim_programs' \\\n\t\t'*::arguments:_normal'\n", out);
	} else if (completion) {
		fprintf(out, "\t\t'%s:%s:", completion >= COMPLETE_TOPIC ? "1" : "*",
			completion == COMPLETE_CHOICE ? "what" : words);
		action(out, words);
		fputs("'\n", out);
	} else {
		fputs("\t\t&& return 0\n", out);
	}
	fputs("}\n", out);
	free(words);
}

void completion_zsh(FILE *out)
{
	fputs("#compdef cudasim\n"
	      "# SPDX-License-Identifier: Apache-2.0\n"
	      "# Completion of cudasim for zsh. Made by driver/manual of the tables that `cudasim help` "
	      "prints.\n"
	      "\n"
	      "_cudasim_commands() {\n\tlocal -a commands=(\n",
	      out);
	for (const struct command_row *row = command_table; row->manual; row++) {
		fprintf(out, "\t\t'%s:", row->manual->name);
		completion_put(out, row->manual->summary, ":\\", quote);
		fputs("'\n", out);
	}
	fputs("\t)\n\t_describe -t commands command commands\n}\n"
	      "\n"
	      "_cudasim_programs() {\n"
	      "\tif [[ $PREFIX == */* ]]; then\n"
	      "\t\t_files -g '*(-*)'\n"
	      "\telse\n"
	      "\t\t_alternative 'files:program:_files -g \"*(-*)\"' 'commands:command:_command_names -e'\n"
	      "\tfi\n"
	      "}\n",
	      out);
	for (const struct command_row *row = command_table; row->manual; row++)
		command(out, row->manual);
	fputs("\n_cudasim() {\n"
	      "\tlocal context state state_descr line\n"
	      "\ttypeset -A opt_args\n"
	      "\t_arguments -C '1:command:_cudasim_commands' '*::argument:->argument' && return 0\n"
	      "\t[[ $state == argument ]] || return 1\n"
	      "\t(( $+functions[_cudasim_$words[1]] )) && _cudasim_$words[1]\n"
	      "}\n"
	      "\n"
	      "_cudasim \"$@\"\n",
	      out);
}
