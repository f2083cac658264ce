/* SPDX-License-Identifier: Apache-2.0 */
/* dialect_offset.c - a member's offset by way of an object at address 0, in a constant: clang refuses to
 * go through the pointer, and has a builtin for it. */
#include "dialect_text.h"

#include <stddef.h>
#include <stdlib.h>

#include "words.h"

struct offset {
	struct piece type, member;
	const char *end;
};

/* Reads "&((TYPE *)0)->MEMBER", with as many parentheses around each part as there are. */
static bool read_offset(const char *at, struct offset *ret)
{
	unsigned open = 0;
	const char *c = skip_space(at + 1), *end;
	if (*at != '&')
		return false;
	for (; *c == '('; c = skip_space(c + 1), open++) {
		end = skip_brackets(c);
		if (!end)
			return false;
		ret->type = trim((struct piece){c + 1, end - 1});
		if (ret->type.end > ret->type.start && ret->type.end[-1] == '*')
			break;
	}
	if (*c != '(')
		return false;
	ret->type.end--;
	c = skip_space(end);
	if (*c != '0' || is_word(c[1]))
		return false;
	for (c = skip_space(c + 1); *c == ')' && open; c = skip_space(c + 1))
		open--;
	if (c[0] != '-' || c[1] != '>')
		return false;
	ret->member.start = ret->member.end = skip_space(c + 2);
	while (is_word(*ret->member.end) || *ret->member.end == '.')
		ret->member.end++;
	ret->end = ret->member.end;
	for (c = skip_space(ret->end); *c == ')' && open; c = skip_space(c + 1), open--)
		ret->end = c + 1;
	return !open && ret->member.end > ret->member.start;
}

char *mend_offset(const char *text, const char *at)
{
	struct offset offset = {0};
	while (*at && *at != ';') {
		const char *behind = skip_literal(text, at);
		if (behind == at && read_offset(at, &offset))
			break;
		at = behind > at ? behind : at + 1;
	}
	if (*at != '&')
		return NULL;
	char *fresh = text_format("__builtin_offsetof(%.*s, %.*s)",
				  (int)(offset.type.end - offset.type.start), offset.type.start,
				  (int)(offset.member.end - offset.member.start),
				  offset.member.start);
	char *mended = text_replace(text, at, offset.end, fresh);
	free(fresh);
	return mended;
}
