/* SPDX-License-Identifier: Apache-2.0 */
/* bash.c - the completion for bash: tables as functions, and behind them what reads them. It needs
 * bash 4.3 and nothing of bash-completion, which finds it by its name. */
#include <stdlib.h>

#include "command.h"
#include "completion.h"

static const char *const kinds[] = {
	[COMPLETE_NOTHING] = "nothing", [COMPLETE_FILE] = "file",
	[COMPLETE_FOLDER] = "folder",   [COMPLETE_SOURCE] = "source",
	[COMPLETE_PROGRAM] = "program", [COMPLETE_TOPIC] = "topic",
	[COMPLETE_CHOICE] = "choice",   [COMPLETE_LIST] = "list",
};

static const char begin[] =
	"# SPDX-License-Identifier: Apache-2.0\n"
	"# Completion of cudasim for bash. Made by driver/manual of the tables that `cudasim help` prints.\n"
	"\n";

static const char reader[] =
	"\n"
	"# Adds the words of $1 that begin with $cur.\n"
	"_cudasim_add() {\n"
	"\tlocal word\n"
	"\tfor word in $1; do\n"
	"\t\t[[ $word != \"$cur\"* ]] || COMPREPLY+=(\"$word\")\n"
	"\tdone\n"
	"}\n"
	"\n"
	"# Adds files: folders, and those that pass the test of $1.\n"
	"_cudasim_add_files() {\n"
	"\tlocal name path\n"
	"\tcompopt -o filenames 2>/dev/null\n"
	"\twhile IFS= read -r name; do\n"
	"\t\tpath=${name/#\\~\\//$HOME/}\n"
	"\t\tif [ -d \"$path\" ] || \"$1\" \"$path\"; then COMPREPLY+=(\"$name\"); fi\n"
	"\tdone < <(compgen -f -- \"$cur\")\n"
	"}\n"
	"_cudasim_is_program() { [ -x \"$1\" ]; }\n"
	"_cudasim_is_source() { [[ ${1##*.} == @($suffixes) ]]; }\n"
	"\n"
	"# The same as _cudasim_option, with one dash or two.\n"
	"_cudasim_value() {\n"
	"\t_cudasim_option \"$1\" \"$2\" || _cudasim_option \"$1\" \"-$2\" || _cudasim_option \"$1\" \"${2#-}\"\n"
	"}\n"
	"\n"
	"# Completes $cur as what $1 is, of the words $2.\n"
	"_cudasim_complete() {\n"
	"\tlocal before word\n"
	"\tcase $1 in\n"
	"\tfile) _cudasim_add_files true ;;\n"
	"\tfolder) _cudasim_add_files false ;;\n"
	"\tsource) _cudasim_add_files _cudasim_is_source ;;\n"
	"\tprogram)\n"
	"\t\t_cudasim_add_files _cudasim_is_program\n"
	"\t\tif [[ $cur && $cur != */* ]]; then\n"
	"\t\t\twhile IFS= read -r word; do COMPREPLY+=(\"$word\"); done < <(compgen -c -- \"$cur\" | sort -u)\n"
	"\t\tfi\n"
	"\t\t;;\n"
	"\ttopic) _cudasim_add \"$commands\" ;;\n"
	"\tchoice) _cudasim_add \"$2\" ;;\n"
	"\tlist)\n"
	"\t\tbefore=${cur%\"${cur##*,}\"}\n"
	"\t\tfor word in $2; do\n"
	"\t\t\t[[ $before$word != \"$cur\"* ]] || COMPREPLY+=(\"$before$word\")\n"
	"\t\tdone\n"
	"\t\t;;\n"
	"\tesac\n"
	"}\n"
	"\n"
	"_cudasim() {\n"
	"\tlocal cur commands suffixes options kind choices optional word i waits= program= ended=\n"
	"\tlocal -a words=() at=()\n"
	"\tCOMPREPLY=()\n"
	"\t# What stands around = is one word here.\n"
	"\tfor ((i = 1; i <= COMP_CWORD; i++)); do\n"
	"\t\tword=${COMP_WORDS[i]}\n"
	"\t\tif [[ $i -gt 1 && ($word == '=' || ${COMP_WORDS[i - 1]} == '=') ]]; then\n"
	"\t\t\twords[-1]+=$word\n"
	"\t\telse\n"
	"\t\t\twords+=(\"$word\")\n"
	"\t\t\tat+=(\"$i\")\n"
	"\t\tfi\n"
	"\tdone\n"
	"\tcur=${words[-1]}\n"
	"\t_cudasim_tables\n"
	"\tif [ ${#words[@]} -eq 1 ]; then\n"
	"\t\t_cudasim_add \"$commands\"\n"
	"\t\treturn\n"
	"\tfi\n"
	"\tfor ((i = 1; i < ${#words[@]} - 1; i++)); do\n"
	"\t\tword=${words[i]}\n"
	"\t\tif [ \"$waits\" ]; then\n"
	"\t\t\twaits=\n"
	"\t\telif [ \"$word\" = -- ]; then\n"
	"\t\t\tended=1\n"
	"\t\telif [[ $word == -* && ! $ended ]]; then\n"
	"\t\t\t_cudasim_value \"${words[0]}\" \"$word\" && [ ! \"$optional\" ] && waits=$word\n"
	"\t\telse\n"
	"\t\t\t_cudasim_arguments \"${words[0]}\"\n"
	"\t\t\tif [ \"$kind\" = program ]; then\n"
	"\t\t\t\tprogram=$i\n"
	"\t\t\t\tbreak\n"
	"\t\t\tfi\n"
	"\t\tfi\n"
	"\tdone\n"
	"\tif [ \"$program\" ]; then\n"
	"\t\tif declare -F _command_offset >/dev/null; then\n"
	"\t\t\t_command_offset \"${at[program]}\"\n"
	"\t\telse\n"
	"\t\t\t_cudasim_complete file\n"
	"\t\tfi\n"
	"\telif [ \"$waits\" ]; then\n"
	"\t\t_cudasim_value \"${words[0]}\" \"$waits\"\n"
	"\t\t_cudasim_complete \"$kind\" \"$choices\"\n"
	"\telif [[ $cur == -*=* && ! $ended ]]; then\n"
	"\t\tword=${cur%%=*}\n"
	"\t\tcur=${cur#*=}\n"
	"\t\t_cudasim_value \"${words[0]}\" \"$word\" && _cudasim_complete \"$kind\" \"$choices\"\n"
	"\t\t# Where = does not separate words, they begin with the option.\n"
	"\t\t[[ $COMP_WORDBREAKS == *=* ]] || COMPREPLY=(\"${COMPREPLY[@]/#/$word=}\")\n"
	"\telif [[ $cur == -* && ! $ended ]]; then\n"
	"\t\t_cudasim_options \"${words[0]}\"\n"
	"\t\t_cudasim_add \"$options\"\n"
	"\telse\n"
	"\t\t_cudasim_arguments \"${words[0]}\"\n"
	"\t\t_cudasim_complete \"$kind\" \"$choices\"\n"
	"\tfi\n"
	"}\n"
	"complete -F _cudasim cudasim\n";

static void put_words(FILE *out, const char *text, const char *separators)
{
	char *word;
	for (const char *between = ""; completion_next(&text, separators, &word); between = " ") {
		fprintf(out, "%s%s", between, word);
		free(word);
	}
}

static void tables(FILE *out)
{
	fputs("_cudasim_tables() {\n\tcommands='", out);
	for (const struct command_row *row = command_table; row->manual; row++)
		fprintf(out, "%s%s", row == command_table ? "" : " ", row->manual->name);
	fputs("'\n\tsuffixes='", out);
	for (size_t i = 0; command_suffix(i); i++)
		fprintf(out, "%s%s", i ? "|" : "", command_suffix(i));
	fputs("'\n}\n", out);
}

/* All names of the command's options. */
static void options_of(FILE *out, const struct manual *manual)
{
	struct manual_option option;
	fprintf(out, "\t%s) options='", manual->name);
	bool any = false;
	for (size_t i = 0; manual_option(manual, i, &option); i++) {
		if (option.status != MANUAL_DONE)
			continue;
		fputs(any ? " " : "", out);
		put_words(out, option.names, ", ");
		any = true;
	}
	fputs("' ;;\n", out);
}

/* What the values of a command's options are. */
static void values_of(FILE *out, const struct manual *manual)
{
	struct manual_option option;
	for (size_t i = 0; manual_option(manual, i, &option); i++) {
		const char *names = option.names;
		char *name;
		if (option.status != MANUAL_DONE || !option.value)
			continue;
		fputc('\t', out);
		for (const char *between = ""; completion_next(&names, ", ", &name);
		     between = " | ") {
			fprintf(out, "%s'%s %s'", between, manual->name, name);
			free(name);
		}
		enum completion completion = completion_of(option.value);
		fprintf(out, ") kind=%s", kinds[completion]);
		if (completion == COMPLETE_CHOICE || completion == COMPLETE_LIST) {
			fputs(" choices='", out);
			put_words(out, option.value, "|,");
			fputc('\'', out);
		}
		fputs(option.joint == MANUAL_OPTIONAL ? " optional=1 ;;\n" : " ;;\n", out);
	}
}

void completion_bash(FILE *out)
{
	fputs(begin, out);
	tables(out);
	fputs("\n_cudasim_options() {\n\toptions=\n\tcase $1 in\n", out);
	for (const struct command_row *row = command_table; row->manual; row++)
		options_of(out, row->manual);
	fputs("\tesac\n}\n\n# What the value of the command's option is; fails where it takes none.\n"
	      "_cudasim_option() {\n\tkind= choices= optional=\n\tcase \"$1 $2\" in\n",
	      out);
	for (const struct command_row *row = command_table; row->manual; row++)
		values_of(out, row->manual);
	fputs("\t*) return 1 ;;\n\tesac\n}\n\n# What the command's arguments are.\n"
	      "_cudasim_arguments() {\n\tkind= choices=\n\tcase $1 in\n",
	      out);
	for (const struct command_row *row = command_table; row->manual; row++) {
		char *words;
		enum completion completion = completion_of_arguments(row->manual, &words);
		if (completion)
			fprintf(out, "\t%s) kind=%s", row->manual->name, kinds[completion]);
		if (completion == COMPLETE_CHOICE)
			fprintf(out, " choices=%s", words);
		fputs(completion ? " ;;\n" : "", out);
		free(words);
	}
	fputs("\tesac\n}\n", out);
	fputs(reader, out);
}
