/* SPDX-License-Identifier: Apache-2.0 */
/* dialect_guide.c - deduction guides. nvcc does not ask on which side a guide is; to clang it is
 * the host's unless it says otherwise, and device code is deduced without it: another type, and no
 * error, where a constructor fits as well. So the guides of the user's files are mended before
 * clang is asked, and those of other headers where it complains. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dialect_text.h"

static const char sides[] = "__host__ __device__ ";

static const char *skip_space_back(const char *text, const char *at)
{
	while (at > text && isspace((unsigned char)at[-1]))
		at--;
	return at;
}

/* The name in `name(...) -> name<...>`, given the -> of a guide; NULL if it is none: a word before
 * the name, other than explicit, is a type, or a macro that says the sides. */
static const char *guide_name(const char *text, const char *arrow)
{
	const char *close = skip_space_back(text, arrow);
	const char *open = close > text && close[-1] == ')' ? opening_bracket(text, close) : NULL;
	struct piece name = open ? last_word((struct piece){text, open})
				 : (struct piece){text, text};
	if (name.start == name.end || *skip_space(name.end) != '(')
		return NULL;
	/* The class's name, with its namespace if it has one before. */
	const char *result = skip_space(arrow + 2);
	if (starts_word(result, "typename"))
		result = skip_space(result + strlen("typename"));
	struct piece word = {result, result};
	for (;;) {
		while (is_word(*word.end))
			word.end++;
		if (strncmp(skip_space(word.end), "::", 2))
			break;
		word.start = word.end = skip_space(skip_space(word.end) + 2);
	}
	size_t n = (size_t)(name.end - name.start);
	if ((size_t)(word.end - word.start) != n || strncmp(name.start, word.start, n))
		return NULL;
	const char *before = skip_space_back(text, name.start);
	struct piece previous = last_word((struct piece){text, before});
	bool is_explicit = previous.end == before && piece_is(previous, "explicit");
	if (is_explicit) {
		before = skip_space_back(text, previous.start);
		previous = last_word((struct piece){text, before});
	}
	if (previous.start < previous.end && previous.end == before)
		return NULL;
	if (is_explicit)
		return name.start;
	return before == text || strchr(";{}>)]:/", before[-1]) || *name.start == '\n' ? name.start
										       : NULL;
}

char *mend_guide(const char *text, const char *at)
{
	size_t n = sizeof sides - 1;
	bool done = (size_t)(at - text) >= n && !strncmp(at - n, sides, n);
	const char *open = at;
	while (is_word(*open))
		open++;
	open = skip_space(open);
	const char *behind = *open == '(' ? skip_brackets(open) : NULL;
	bool guides = behind && !strncmp(skip_space(behind), "->", 2);
	return done || !is_word(*at) || !guides ? NULL : text_replace(text, at, at, sides);
}

char *dialect_mend_guides(const char *text)
{
	char *mended = NULL;
	const char *whole = text;
	for (const char *c = text; *c;) {
		const char *behind = skip_literal(whole, c);
		const char *name = behind == c && !strncmp(c, "->", 2) ? guide_name(whole, c)
								       : NULL;
		char *more = name ? mend_guide(whole, name) : NULL;
		if (!more) {
			c = behind > c ? behind : c + 1;
			continue;
		}
		size_t offset = (size_t)(c - whole) + sizeof sides - 1 + 2;
		free(mended);
		whole = mended = more;
		c = whole + offset;
	}
	return mended;
}
