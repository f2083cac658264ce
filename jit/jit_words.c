/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "jit_words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

char *jit_format(const char *format, ...)
{
	char *ret = NULL;
	va_list list;
	va_start(list, format);
	int n = vasprintf(&ret, format, list);
	va_end(list);
	return n < 0 ? NULL : ret;
}

bool jit_words_add(struct jit_words *words, char *text)
{
	char **at = text ? realloc(words->at, (words->n + 2) * sizeof *at) : NULL;
	if (!at) {
		free(text);
		return false;
	}
	words->at = at;
	words->at[words->n++] = text;
	words->at[words->n] = NULL;
	return true;
}

void jit_words_fini(struct jit_words *words)
{
	for (size_t i = 0; i < words->n; i++)
		free(words->at[i]);
	free(words->at);
	*words = (struct jit_words){0};
}
