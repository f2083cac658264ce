/* SPDX-License-Identifier: Apache-2.0 */
#include "manual.h"

#include <string.h>

enum { WIDTH = 80, SHORT_HEAD = 20, DEEP = 8 };

bool manual_option(const struct manual *manual, size_t i, struct manual_option *ret)
{
	if (manual->option)
		return manual->option(i, ret);
	/* The table's end is passed by nobody: options are asked for in their order. */
	if (!manual->options || !manual->options[i].names)
		return false;
	*ret = manual->options[i];
	return true;
}

void manual_value(const struct manual_option *option, char *ret, size_t size)
{
	const char *form = !option->value                     ? "%s"
			   : option->joint == MANUAL_OPTIONAL ? "[=%s]"
							      : " %s";
	snprintf(ret, size, form, option->value ? option->value : "");
}

void manual_wrap(FILE *out, const char *text, size_t n, size_t at, size_t indent)
{
	bool first = true;
	while (n) {
		size_t word = 0, blanks = 0;
		while (word < n && text[word] != ' ')
			word++;
		if (!first && at + 1 + word > WIDTH) {
			fprintf(out, "\n%*s", (int)indent, "");
			at = indent;
		} else if (!first) {
			fputc(' ', out);
			at++;
		}
		fprintf(out, "%.*s", (int)word, text);
		at += word;
		first = false;
		while (word + blanks < n && text[word + blanks] == ' ')
			blanks++;
		text += word + blanks;
		n -= word + blanks;
	}
	fputc('\n', out);
}

void manual_paragraphs(FILE *out, const char *text)
{
	bool literal_before = false;
	for (const char *line = text; *line;) {
		size_t n = strcspn(line, "\n");
		bool literal = *line == ' ';
		if (line != text && !(literal && literal_before))
			fputc('\n', out);
		if (literal)
			fprintf(out, "%.*s\n", (int)n, line);
		else
			manual_wrap(out, line, n, 0, 0);
		literal_before = literal;
		line += n + (line[n] == '\n');
	}
}

/* ---- options ------------------------------------------------------------------------------ */

static int head(const struct manual_option *option, char *ret, size_t size)
{
	char value[128];
	manual_value(option, value, sizeof value);
	return snprintf(ret, size, "%s%s", option->names, value);
}

/* Two columns where the heads are short. */
static void print_options(FILE *out, const struct manual *manual)
{
	struct manual_option option;
	size_t longest = 0, n;
	char text[256];
	for (size_t i = 0; manual_option(manual, i, &option); i++) {
		if (option.status != MANUAL_DONE)
			continue;
		n = (size_t)head(&option, text, sizeof text);
		longest = n > longest ? n : longest;
	}
	if (longest)
		fputc('\n', out);
	size_t indent = longest <= SHORT_HEAD ? longest + 4 : DEEP;
	for (size_t i = 0; manual_option(manual, i, &option); i++) {
		if (option.status != MANUAL_DONE)
			continue;
		n = (size_t)head(&option, text, sizeof text) + 2;
		fprintf(out, "  %s", text);
		if (indent == DEEP)
			fputc('\n', out);
		fprintf(out, "%*s", (int)(indent == DEEP ? indent : indent - n), "");
		manual_wrap(out, option.text, strlen(option.text), indent, indent);
	}
}

/* Those that do nothing: a line each with the reason. */
static void print_others(FILE *out, const struct manual *manual, enum manual_status status,
			 const char *title)
{
	struct manual_option option;
	char text[512];
	bool any = false;
	for (size_t i = 0; manual_option(manual, i, &option); i++) {
		if (option.status != status)
			continue;
		if (!any)
			fprintf(out, "\n%s:\n\n", title);
		any = true;
		snprintf(text, sizeof text, "%s%s%s", option.names, option.text ? ": " : "",
			 option.text ? option.text : "");
		fputs("  ", out);
		manual_wrap(out, text, strlen(text), 2, DEEP);
	}
}

/* ---- the whole ---------------------------------------------------------------------------- */

static void print_usage(FILE *out, const struct manual *manual)
{
	const char *before = "usage:";
	for (const char *line = manual->usage;; line++) {
		size_t n = strcspn(line, "\n");
		fprintf(out, "%s cudasim %s%s%.*s\n", before, manual->name, n ? " " : "", (int)n,
			line);
		before = "      ";
		line += n;
		if (!*line)
			return;
	}
}

/* Beside each other where that is possible for all. */
void manual_examples(FILE *out, const struct manual_row *row)
{
	size_t head = 0, text = 0;
	for (const struct manual_row *r = row; r->head; r++) {
		if (!r->text)
			continue;
		head = strlen(r->head) > head ? strlen(r->head) : head;
		text = strlen(r->text) > text ? strlen(r->text) : text;
	}
	bool beside = head + text + 4 <= WIDTH;
	fputs("\nExamples:\n\n", out);
	for (; row->head; row++) {
		if (row->text && beside)
			fprintf(out, "  %-*s  %s\n", (int)head, row->head, row->text);
		else if (row->text)
			fprintf(out, "  %s\n      %s\n", row->head, row->text);
		else
			fprintf(out, "  %s\n", row->head);
	}
}

static void print_statuses(FILE *out, const struct manual_row *row)
{
	char text[512] = "Exit status:";
	size_t n = strlen(text);
	for (; row->head && n < sizeof text; row++)
		n += (size_t)snprintf(text + n, sizeof text - n, " %s %s%s", row->head, row->text,
				      row[1].head ? "," : ".");
	fputc('\n', out);
	manual_wrap(out, text, strlen(text), 0, 0);
}

void manual_print(FILE *out, const struct manual *manual)
{
	print_usage(out, manual);
	fputc('\n', out);
	manual_paragraphs(out, manual->text);
	print_options(out, manual);
	print_others(out, manual, MANUAL_ACCEPTED, "Accepted without effect");
	print_others(out, manual, MANUAL_REFUSED, "Refused");
	if (manual->notes) {
		fputc('\n', out);
		manual_paragraphs(out, manual->notes);
	}
	if (manual->examples)
		manual_examples(out, manual->examples);
	if (manual->statuses)
		print_statuses(out, manual->statuses);
}
