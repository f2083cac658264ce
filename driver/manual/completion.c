/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "completion.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum completion completion_of(const char *value)
{
	static const struct {
		const char *placeholder;
		enum completion completion;
	} known[] = {
		{"FILE", COMPLETE_FILE},       {"PATH", COMPLETE_FILE},
		{"FOLDER", COMPLETE_FOLDER},   {"SOURCE", COMPLETE_SOURCE},
		{"PROGRAM", COMPLETE_PROGRAM}, {"TOPIC", COMPLETE_TOPIC},
		{"ARGUMENTS", COMPLETE_FILE},
	};
	if (!value)
		return COMPLETE_NOTHING;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(value, known[i].placeholder))
			return known[i].completion;
	for (const char *c = value; *c; c++)
		if (isupper((unsigned char)*c))
			return COMPLETE_NOTHING;
	return strchr(value, ',') ? COMPLETE_LIST : COMPLETE_CHOICE;
}

bool completion_next(const char **text, const char *separators, char **ret)
{
	*text += strspn(*text, separators);
	size_t n = strcspn(*text, separators);
	*ret = n ? strndup(*text, n) : NULL;
	if (n && !*ret)
		abort();
	*text += n;
	return n;
}

enum completion completion_of_arguments(const struct manual *manual, char **ret)
{
	const char *rest = manual->usage;
	while (completion_next(&rest, " []\n.", ret)) {
		enum completion completion = completion_of(*ret);
		if (completion)
			return completion;
		free(*ret);
	}
	*ret = NULL;
	return COMPLETE_NOTHING;
}

bool completion_takes_word(const struct manual_option *option)
{
	return option->value && option->joint != MANUAL_OPTIONAL;
}

void completion_put(FILE *out, const char *text, const char *special, const char *quote)
{
	for (; *text; text++) {
		if (*text == '`')
			continue;
		if (*text == '\'') {
			fputs(quote, out);
			continue;
		}
		if (strchr(special, *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}
