/* SPDX-License-Identifier: Apache-2.0 */
#include "expression_subject.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "error.h"
#include "expression.h"

/* expression_subject.cpp */
void subject_prepare(void);

const char *subject_shown(const char *text, char format)
{
	static char *line;
	static size_t size;
	struct value value;
	free(line);
	FILE *out = open_memstream(&line, &size);
	struct cudasim_error *error = evaluate_text(text, &value);
	if (error) {
		fputs(error->message, out);
		cudasim_error_free(error);
	} else {
		value_print(out, &value, format, 0, true);
		value_fini(&value);
	}
	fclose(out);
	return line;
}

const char *subject_type(const char *text)
{
	static char *line;
	static size_t size;
	struct expression *expression;
	const struct type *type;
	enum storage storage;
	free(line);
	FILE *out = open_memstream(&line, &size);
	struct cudasim_error *error = expression_parse(text, 0, &expression);
	if (!error) {
		error = expression_type(expression, &type, &storage);
		if (!error)
			type_print(out, type, STORAGE_NONE, false);
		expression_free(expression);
	}
	if (error)
		fputs(error->message, out);
	cudasim_error_free(error);
	fclose(out);
	return line;
}

void subject_check(const struct expectation *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *got = subject_shown(e[i].text, e[i].format);
		if (strcmp(got, e[i].expected))
			fail_msg("print/%c %s: %s, expected %s", e[i].format ? e[i].format : ' ',
				 e[i].text, got, e[i].expected);
	}
}

int subject_load(void **state)
{
	(void)state;
	const char *missing;
	struct cudasim_error *error = symbols_load(&missing);
	if (error) {
		fprintf(stderr, "%s\n", error->message);
		return -1;
	}
	subject_prepare();
	return 0;
}
