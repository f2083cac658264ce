/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "page.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "debugger_commands.h"
#include "env.h"
#include "roff.h"
#include "words.h"

/* ---- parts -------------------------------------------------------------------------------- */

static void head(FILE *out, const char *name, const char *summary)
{
	fputs(".\\\" SPDX-License-Identifier: Apache-2.0\n", out);
	fputs(".\\\" Made by driver/manual of the tables that `cudasim help` prints.\n.TH ", out);
	for (const char *c = name; *c; c++)
		fputc(toupper((unsigned char)*c), out);
	fprintf(out, " 1 %s \"cudasim %s\"\n.SH NAME\n", MANUAL_DATE, CUDASIM_VERSION);
	roff_escape(out, name, strlen(name));
	fputs(" \\- ", out);
	roff_escape(out, summary, strlen(summary));
	fputc('\n', out);
}

static void bold_line(FILE *out, const char *text)
{
	fputs("\\fB", out);
	roff_escape(out, text, strlen(text));
	fputs("\\fR\n", out);
}

static void synopsis(FILE *out, const struct manual *manual)
{
	fputs(".SH SYNOPSIS\n", out);
	for (const char *line = manual->usage;; line++) {
		size_t n = strcspn(line, "\n");
		if (line != manual->usage)
			fputs(".br\n", out);
		fputs("\\fBcudasim", out);
		if (*manual->name) {
			fputc(' ', out);
			roff_escape(out, manual->name, strlen(manual->name));
		}
		fputs(n ? "\\fR " : "\\fR", out);
		roff_syntax(out, line, n);
		fputc('\n', out);
		line += n;
		if (!*line)
			return;
	}
}

/* The first letter as at a sentence's begin, and a full stop, unless it has one. */
static void sentence(FILE *out, const struct manual *manual, const char *text)
{
	char *whole = NULL;
	size_t n = strlen(text);
	/* A name keeps its spelling. */
	size_t word = strspn(text, "abcdefghijklmnopqrstuvwxyz");
	bool is_word = word && strchr(" ,;:", text[word]) && strncmp(text, "libcudasim", word);
	if (asprintf(&whole, "%c%s%s", is_word ? toupper((unsigned char)text[0]) : text[0],
		     text + 1, text[n - 1] == '.' ? "" : ".") < 0)
		abort();
	roff_paragraph(out, manual, whole, strlen(whole));
	free(whole);
}

static void option(FILE *out, const struct manual *manual, const struct manual_option *option)
{
	char value[128];
	fputs(".TP\n", out);
	for (const char *name = option->names; *name;) {
		size_t n = strcspn(name, ",");
		fputs("\\fB", out);
		roff_escape(out, name, n);
		fputs("\\fR", out);
		name += n;
		if (*name) {
			fputs(", ", out);
			name += strspn(name, ", ");
		}
	}
	if (option->status == MANUAL_DONE) {
		manual_value(option, value, sizeof value);
		roff_syntax(out, value, strlen(value));
	}
	fputc('\n', out);
	if (option->text)
		sentence(out, manual, option->text);
}

static void options(FILE *out, const struct manual *manual)
{
	static const char *const titles[] = {
		[MANUAL_DONE] = ".SH OPTIONS\n",
		[MANUAL_ACCEPTED] = ".SS Accepted without effect\n",
		[MANUAL_REFUSED] = ".SS Refused\n",
	};
	struct manual_option o;
	for (enum manual_status status = MANUAL_DONE; status <= MANUAL_REFUSED; status++) {
		bool any = false;
		for (size_t i = 0; manual_option(manual, i, &o); i++) {
			if (o.status != status)
				continue;
			if (!any)
				fputs(titles[status], out);
			any = true;
			option(out, manual, &o);
		}
	}
}

/* The head as it is, and a sentence on it. */
static void rows(FILE *out, const char *title, const struct manual_row *row)
{
	if (row)
		fprintf(out, ".SH %s\n", title);
	for (; row && row->head; row++) {
		fputs(".TP\n", out);
		bold_line(out, row->head);
		if (row->text)
			sentence(out, NULL, row->text);
	}
}

static void examples(FILE *out, const struct manual_row *row)
{
	if (row)
		fputs(".SH EXAMPLES\n", out);
	for (const struct manual_row *first = row; row && row->head; row++) {
		if (row->text)
			fputs(".TP\n", out);
		else if (row != first)
			fputs(".PP\n", out);
		bold_line(out, row->head);
		if (row->text)
			sentence(out, NULL, row->text);
	}
}

static void variable(FILE *out, const struct env_variable *v)
{
	fprintf(out, ".TP\n\\fB%s\\fR=", v->name);
	roff_escape(out, v->values, strlen(v->values));
	fputc('\n', out);
	sentence(out, NULL, v->help);
}

/* Those that a command looks at; all of them for `env`. */
static void variables(FILE *out, const struct manual *manual)
{
	bool all = !strcmp(manual->name, "env");
	if (!all && !manual->variables && !manual->others)
		return;
	if (manual->others) {
		rows(out, "ENVIRONMENT", manual->others);
	} else {
		fputs(".SH ENVIRONMENT\n", out);
	}
	for (const struct env_variable *v = env_variables; v->name; v++) {
		char *list = NULL, *name = NULL;
		if (asprintf(&list, " %s ", manual->variables ? manual->variables : "") < 0 ||
		    asprintf(&name, " %s ", v->name) < 0)
			abort();
		if (all || strstr(list, name))
			variable(out, v);
		free(list);
		free(name);
	}
	if (!all)
		fputs(".PP\n\\fBcudasim\\-env\\fR(1) lists all of cudasim's variables.\n", out);
}

/* Names are not divided at a line's end. */
static void see_also(FILE *out, const char *list)
{
	fputs(".SH SEE ALSO\n", out);
	while (list && *list) {
		size_t n = strcspn(list, " ");
		fputs("\\fB\\%", out);
		roff_escape(out, list, n);
		list += n + strspn(list + n, " ");
		fputs(*list ? "\\fR(1),\n" : "\\fR(1)\n", out);
	}
}

/* ---- the debugger's commands -------------------------------------------------------------- */

/* What has been gathered of a command, as one paragraph. */
static void flush_words(FILE *out, struct words *words)
{
	char *text = NULL;
	size_t size;
	if (!words->n)
		return;
	FILE *whole = open_memstream(&text, &size);
	if (!whole)
		abort();
	for (size_t i = 0; i < words->n; i++)
		fprintf(whole, "%s%s", i ? " " : "", words->at[i]);
	fclose(whole);
	sentence(out, NULL, text);
	free(text);
	words_fini(words);
	*words = (struct words){0};
}

static void debugger_commands(FILE *out, FILE *in)
{
	static const char intro[] = "Commands may be shortened as long as they are unambiguous. In "
				    "the debugger `help` explains each.";
	char *line = NULL;
	size_t size = 0;
	ssize_t n;
	struct words words = {0};
	fputs(".SH COMMANDS OF THE DEBUGGER\n", out);
	roff_text(out, NULL, intro);
	while ((n = getline(&line, &size, in)) > 2) {
		const char *text = line + 2;
		line[n - 1] = '\0';
		if (line[0] == DEBUGGER_CLASS || line[0] == DEBUGGER_NAME)
			flush_words(out, &words);
		if (line[0] == DEBUGGER_CLASS) {
			fputs(".SS ", out);
			roff_escape(out, text, strlen(text));
			fputc('\n', out);
		} else if (line[0] == DEBUGGER_USAGE) {
			fputs(".TP\n", out);
			roff_syntax(out, text, strlen(text));
			fputc('\n', out);
		} else if (line[0] == DEBUGGER_SUMMARY) {
			words_addf(&words, "%s%s", text, text[strlen(text) - 1] == '.' ? "" : ".");
		} else if (line[0] == DEBUGGER_TEXT) {
			words_add(&words, text + strspn(text, " "));
		}
	}
	flush_words(out, &words);
	free(line);
}

/* ---- pages -------------------------------------------------------------------------------- */

static void text(FILE *out, const struct manual *manual)
{
	fputs(".SH DESCRIPTION\n", out);
	roff_text(out, manual, manual->text);
	if (manual->notes) {
		fputs(".PP\n", out);
		roff_text(out, manual, manual->notes);
	}
}

void page_of_cudasim(FILE *out)
{
	static const struct manual_row statuses[] = {
		{"0", "the command did what it is for"},
		{"1", "an error, which stderr explains"},
		{"any other", "as the page of the command says"},
		{0},
	};
	char all[512] = "";
	head(out, "cudasim", cudasim_manual.summary);
	synopsis(out, &cudasim_manual);
	text(out, &cudasim_manual);
	fputs(".SH COMMANDS\n", out);
	for (const struct command_row *row = command_table; row->manual; row++) {
		const struct manual *m = row->manual;
		fputs(".TP\n", out);
		bold_line(out, m->name);
		sentence(out, NULL, m->summary);
		size_t n = strlen(all);
		snprintf(all + n, sizeof all - n, "%scudasim-%s", n ? " " : "", m->name);
	}
	rows(out, "EXIT STATUS", statuses);
	fputs(".SH ENVIRONMENT\n", out);
	variable(out, env_variables);
	fputs(".PP\n\\fBcudasim\\-env\\fR(1) lists the others.\n", out);
	examples(out, cudasim_manual.examples);
	see_also(out, all);
}

void page_of_command(FILE *out, const struct manual *manual, FILE *debugger)
{
	char name[64];
	snprintf(name, sizeof name, "cudasim-%s", manual->name);
	head(out, name, manual->summary);
	synopsis(out, manual);
	text(out, manual);
	options(out, manual);
	if (debugger && !strcmp(manual->name, "debug"))
		debugger_commands(out, debugger);
	rows(out, "EXIT STATUS", manual->statuses);
	variables(out, manual);
	rows(out, "FILES", manual->files);
	examples(out, manual->examples);
	char all[512] = "cudasim";
	for (const char *rest = manual->see ? manual->see : ""; *rest; rest += strspn(rest, " ")) {
		size_t n = strcspn(rest, " "), length = strlen(all);
		snprintf(all + length, sizeof all - length, " cudasim-%.*s", (int)n, rest);
		rest += n;
	}
	see_also(out, all);
}
