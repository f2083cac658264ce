/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - words of a line. */
#include "text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

const char *text_skip(const char *text)
{
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

bool text_word(const char **text, char *ret, size_t size)
{
	const char *t = text_skip(*text);
	size_t n = 0;
	bool any = *t;
	for (; *t && !isspace((unsigned char)*t); t++)
		if (n + 1 < size)
			ret[n++] = *t;
	if (size)
		ret[n] = 0;
	*text = text_skip(t);
	return any;
}

struct cudasim_error *text_format(const char **text, int64_t *count, char *format, char *size)
{
	const char *t = text_skip(*text);
	*count = 1;
	*format = *size = 0;
	if (*t++ != '/')
		return NULL;
	bool minus = *t == '-';
	t += minus;
	if (isdigit((unsigned char)*t)) {
		char *end;
		*count = strtoll(t, &end, 10);
		*count = minus ? -*count : *count;
		t = end;
	}
	for (; *t && !isspace((unsigned char)*t); t++) {
		if (strchr("bhwg", *t))
			*size = *t;
		else if (strchr("xduotacfszir", *t))
			*format = *t;
		else
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "Undefined output format \"%c\".", *t);
	}
	*text = text_skip(t);
	return NULL;
}

size_t text_word_length(const char *line)
{
	size_t n = 0;
	while (isalnum((unsigned char)line[n]) || line[n] == '-' || line[n] == '_')
		n++;
	return n ? n : line[0] == '!' || line[0] == '|';
}

const char *text_after_words(const char *name, const char *text, size_t n)
{
	const char *at = text_skip(text);
	while (at < text + n && *at) {
		size_t word = strcspn(name, " "), typed = text_word_length(at);
		if (!typed || typed > word || strncmp(name, at, typed) != 0)
			return NULL;
		name += word;
		while (*name == ' ')
			name++;
		at = text_skip(at + typed);
	}
	return *name ? name : NULL;
}
