/* SPDX-License-Identifier: Apache-2.0 */
/* The manuals of the commands: what driver/common/manual.h asks of their texts, and their form on
 * a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "command_table.h"
#include "env.h"

static void is_phrase(const char *text)
{
	assert_non_null(text);
	size_t n = strlen(text);
	bool stops = n && text[n - 1] == '.' && (n < 3 || strcmp(text + n - 3, "..."));
	if (!n || stops || strchr(text, '\n'))
		fail_msg("'%s' is empty or ends with a full stop", text);
}

static void texts_have_their_form(void **state)
{
	(void)state;
	struct manual_option option;
	for (const struct command_row *row = command_table; row->manual; row++) {
		const struct manual *m = row->manual;
		is_phrase(m->summary);
		assert_in_range(strlen(m->summary), 10, 63);
		assert_true(m->text[0] >= 'A' && m->text[strlen(m->text) - 1] == '.');
		for (size_t i = 0; manual_option(m, i, &option); i++) {
			assert_true(option.names[0] == '-');
			if (option.status != MANUAL_ACCEPTED || option.text)
				is_phrase(option.text);
		}
		for (const struct manual_row *r = m->statuses; r && r->head; r++)
			is_phrase(r->text);
		for (const struct manual_row *r = m->files; r && r->head; r++)
			is_phrase(r->text);
	}
}

static bool is_variable(const char *name)
{
	for (const struct env_variable *v = env_variables; v->name; v++)
		if (!strcmp(v->name, name))
			return true;
	return false;
}

static bool is_command(const char *name)
{
	return command_named(name) != NULL;
}

static void each_is_known(const char *list, bool (*known)(const char *name))
{
	char *copy = strdup(list ? list : ""), *rest = copy, *word;
	while ((word = strsep(&rest, " ")))
		if (*word && !known(word))
			fail_msg("'%s' of '%s'", word, list);
	free(copy);
}

static void variables_and_commands_are_there(void **state)
{
	(void)state;
	for (const struct command_row *row = command_table; row->manual; row++) {
		each_is_known(row->manual->variables, is_variable);
		each_is_known(row->manual->see, is_command);
	}
}

/* Examples may be longer: they are not broken. */
static void lines_fit_a_terminal(void **state)
{
	(void)state;
	for (const struct command_row *row = command_table; row->manual; row++) {
		char *text = NULL;
		size_t size;
		FILE *out = open_memstream(&text, &size);
		manual_print(out, row->manual);
		fclose(out);
		for (char *rest = text, *line; (line = strsep(&rest, "\n"));)
			if (strlen(line) > 80 && strncmp(line, "  cudasim ", 10))
				fail_msg("%s: %s", row->manual->name, line);
		free(text);
	}
}

static char *printed(const struct manual *manual)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	manual_print(out, manual);
	fclose(out);
	return text;
}

static void a_manual_is_printed(void **state)
{
	(void)state;
	static const struct manual_option options[] = {
		MANUAL_OPTION("-o, --out", "FILE", "where to"),
		{"--level", "N", "how much", MANUAL_OPTIONAL, MANUAL_DONE},
		{"--old", NULL, NULL, MANUAL_WORD, MANUAL_ACCEPTED},
		{"--older", "N", "it is old", MANUAL_WORD, MANUAL_REFUSED},
		{0},
	};
	static const struct manual_row statuses[] = {{"0", "all is well"}, {"1", "not"}, {0}};
	static const struct manual m = {
		.name = "try",
		.summary = "try this",
		.usage = "[OPTIONS] ONE\n[OPTIONS] TWO",
		.text = "This is a paragraph that is longer than a line of eighty columns, so a second "
			"one follows.\n"
			"  as it is   here\n"
			"  and here",
		.options = options,
		.statuses = statuses,
	};
	char *text = printed(&m);
	assert_string_equal(
		text,
		"usage: cudasim try [OPTIONS] ONE\n"
		"       cudasim try [OPTIONS] TWO\n"
		"\n"
		"This is a paragraph that is longer than a line of eighty columns, so a second\n"
		"one follows.\n"
		"\n"
		"  as it is   here\n"
		"  and here\n"
		"\n"
		"  -o, --out FILE  where to\n"
		"  --level[=N]     how much\n"
		"\n"
		"Accepted without effect:\n"
		"\n"
		"  --old\n"
		"\n"
		"Refused:\n"
		"\n"
		"  --older: it is old\n"
		"\n"
		"Exit status: 0 all is well, 1 not.\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_have_their_form),
		cmocka_unit_test(variables_and_commands_are_there),
		cmocka_unit_test(lines_fit_a_terminal),
		cmocka_unit_test(a_manual_is_printed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
