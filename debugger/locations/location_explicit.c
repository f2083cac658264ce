/* SPDX-License-Identifier: Apache-2.0 */
/* location_explicit.c - gdb's explicit locations: -source FILE, -function NAME, -line N, and
 * -qualified, each perhaps cut short, as the linespec that means the same. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "location.h"
#include "text.h"

enum { SOURCE, FUNCTION, LINE, QUALIFIED, LABEL, N_OPTIONS };
static const char *const options[N_OPTIONS] = {
	[SOURCE] = "source",       [FUNCTION] = "function", [LINE] = "line",
	[QUALIFIED] = "qualified", [LABEL] = "label",
};

/* The option that text begins with, of which a beginning is enough; or -1. */
static int option_of(const char *text, size_t *n)
{
	int found = -1;
	*n = 1;
	while (isalpha((unsigned char)text[*n]))
		++*n;
	if (*text != '-' || *n < 2)
		return -1;
	for (int i = 0; i < N_OPTIONS; i++)
		if (*n - 1 <= strlen(options[i]) && !strncmp(options[i], text + 1, *n - 1) &&
		    (found < 0 || *n - 1 == strlen(options[i])))
			found = i;
	return found;
}

/* What stands behind an option, up to the next one: a function may have blanks in it. */
static size_t value_length(const char *text)
{
	size_t n = 0, ignored;
	int depth = 0;
	for (; text[n]; n++) {
		depth += (text[n] == '(' || text[n] == '<') - (text[n] == ')' || text[n] == '>');
		if (depth <= 0 && n && isspace((unsigned char)text[n - 1]) &&
		    option_of(text + n, &ignored) >= 0)
			break;
	}
	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	return n;
}

/* A function by its whole name begins with "::". */
static struct cudasim_error *whole_name(const char *text, char **ret)
{
	bool is_name = isalpha((unsigned char)*text) || *text == '_';
	/* FILE:FUNCTION */
	const char *colon = strchr(text, ':');
	int before = colon && colon[1] != ':' ? (int)(colon + 1 - text) : 0;
	is_name = before ? isalpha((unsigned char)text[before]) || text[before] == '_' : is_name;
	if (asprintf(ret, "%.*s%s%s", before, text, is_name ? "::" : "", text + before) >= 0)
		return NULL;
	*ret = NULL;
	return &cudasim_error_nomem;
}

struct cudasim_error *location_explicit(const char *text, char **ret)
{
	char *value[N_OPTIONS] = {NULL};
	struct cudasim_error *error = NULL;
	size_t n;
	*ret = NULL;
	if (option_of(text, &n) < 0)
		return NULL;
	while (!error && *text) {
		int option = option_of(text, &n);
		if (option < 0) {
			/* -qualified may stand before a linespec. */
			if (value[QUALIFIED] && !value[SOURCE] && !value[FUNCTION] &&
			    !value[LINE]) {
				error = whole_name(text, ret);
			} else {
				error = cudasim_error_new(CUDASIM_E_ARGUMENT,
							  "Junk in the location: %s", text);
			}
			break;
		}
		text = text_skip(text + n);
		n = option == QUALIFIED ? 0 : value_length(text);
		if (option != QUALIFIED && !n)
			error = cudasim_error_new(CUDASIM_E_ARGUMENT,
						  "missing argument for \"-%s\"", options[option]);
		free(value[option]);
		value[option] = strndup(text, n);
		if (!value[option] && !error)
			error = &cudasim_error_nomem;
		text = text_skip(text + n);
	}
	if (!error && value[LABEL])
		error = cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					  "-label is not supported: the debug information has no "
					  "labels; use -line.");
	else if (!error && value[FUNCTION] && value[LINE])
		error = cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					  "-function with -line is not supported: use -source with "
					  "-line.");
	else if (!error && value[SOURCE] && !value[FUNCTION] && !value[LINE])
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Source filename requires function, label, "
					  "or line offset.");
	else if (!error && !*ret && !value[FUNCTION] && !value[LINE])
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "missing location after \"-qualified\"");
	bool whole = value[QUALIFIED] && value[FUNCTION] && strncmp(value[FUNCTION], "::", 2) != 0;
	if (!error && !*ret &&
	    asprintf(ret, "%s%s%s%s", value[SOURCE] ? value[SOURCE] : "", value[SOURCE] ? ":" : "",
		     whole ? "::" : "", value[FUNCTION] ? value[FUNCTION] : value[LINE]) < 0) {
		*ret = NULL;
		error = &cudasim_error_nomem;
	}
	for (int i = 0; i < N_OPTIONS; i++)
		free(value[i]);
	if (error) {
		free(*ret);
		*ret = NULL;
	}
	return error;
}
