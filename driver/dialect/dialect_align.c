/* SPDX-License-Identifier: Apache-2.0 */
/* dialect_align.c - alignas() with less than the natural alignment, which C++ forbids. nvcc
 * takes it for GNU's attribute: classes and their members stay as they are, variables may lie
 * at any address that is a multiple of it. */
#include <stdlib.h>
#include <string.h>

#include "dialect_text.h"
#include "words.h"

/* The attribute takes an expression only. A type's own name is taken for a constant. */
static bool is_type(struct piece p)
{
	static const char *const words[] = {
		"bool", "char", "short", "int", "long", "signed", "unsigned", "float", "double",
	};
	p = trim(p);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (starts_word(p.start, words[i]))
			return true;
	return p.end > p.start && p.end[-1] == '*';
}

char *mend_align(const char *text, const char *at)
{
	const char *open = starts_word(at, "alignas")    ? skip_space(at + strlen("alignas"))
			   : starts_word(at, "_Alignas") ? skip_space(at + strlen("_Alignas"))
							 : at;
	const char *end = *open == '(' ? skip_brackets(open) : NULL;
	if (open == at || !end || (end - open > 5 && !strncmp(end - 4, "...", 3)))
		return NULL;
	struct piece inner = {open + 1, end - 1};
	char *fresh = text_format(is_type(inner) ? "__attribute__((aligned(alignof(%.*s))))"
						 : "__attribute__((aligned(%.*s)))",
				  (int)(inner.end - inner.start), inner.start);
	char *mended = text_replace(text, at, end, fresh);
	free(fresh);
	return mended;
}
