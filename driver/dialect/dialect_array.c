/* SPDX-License-Identifier: Apache-2.0 */
/* dialect_array.c - initializers of arrays whose length is known at run time, which
 * gcc takes in C++ and so nvcc does.
 *
 * The declaration loses its initializer, and a call behind it fills the array; the
 * functions are in cudasim_array.h. As gcc has it, what the list lacks is zero, and
 * what it has too much is left out. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dialect_text.h"
#include "words.h"

enum { MAX_DEPTH = 3 };

/* The declaration's text before the array's name. */
static struct piece head_before(const char *text, const char *name)
{
	const char *start = name;
	while (start > text && !strchr(";{}", start[-1]))
		start--;
	return trim((struct piece){skip_space(start), name});
}

/* Such as are assigned to, one by one. */
static bool can_be_filled(struct piece head)
{
	if (head.start >= head.end || contains(head, "()="))
		return false;
	const char *star = memrchr(head.start, '*', (size_t)(head.end - head.start));
	const char *elements = star ? star + 1 : head.start;
	return !memmem(elements, (size_t)(head.end - elements), "const", 5) &&
	       !memmem(head.start, (size_t)(head.end - head.start), "static", 6);
}

/* The braces that the list begins with. */
static int list_depth(const char *list)
{
	int depth = 0;
	for (; *list == '{'; list = skip_space(list + 1))
		depth++;
	return depth;
}

/* The spot is in the first of the brackets behind the name. */
char *mend_array(const char *text, const char *at)
{
	const char *open = at;
	while (open > text && !strchr("[;{}", *open))
		open--;
	if (*open != '[')
		return NULL;
	struct piece name = last_word((struct piece){text, open});
	if (name.start == name.end)
		return NULL;
	int n_bounds = 0;
	const char *end = open;
	for (const char *c = open; *c == '['; c = skip_space(end), n_bounds++) {
		end = skip_brackets(c);
		if (!end)
			return NULL;
	}
	const char *list = skip_space(end);
	list = *list == '=' ? skip_space(list + 1) : list;
	const char *behind = *list == '{' ? skip_brackets(list) : NULL;
	if (!behind || n_bounds > MAX_DEPTH)
		return NULL;
	struct piece head = head_before(text, name.start);
	const char *next = skip_space(behind);
	/* Another declarator behind this one gets a declaration of its own. */
	bool more = *next == ',' && !contains(head, ",*&");
	if (!can_be_filled(head) || (*next != ';' && !more))
		return NULL;
	int depth = list_depth(list);
	depth = depth > n_bounds ? n_bounds : depth;

	char *element = text_copy_n(name.start, (size_t)(name.end - name.start));
	char *sizes = text_copy("");
	for (int i = 0; i < n_bounds; i++) {
		/* The size of what one index less than depth names is that of a row. */
		if (i < depth) {
			char *longer = text_format("%ssizeof(%s), ", sizes, element);
			free(sizes);
			sizes = longer;
		}
		char *indexed = text_format("%s[0]", element);
		free(element);
		element = indexed;
	}
	char *fresh = text_format("; __cudasim_fill_array(&%s, %s%.*s)%s%.*s%s", element, sizes,
				  (int)(behind - list), list, more ? "; " : "",
				  more ? (int)(head.end - head.start) : 0, head.start,
				  more ? " " : "");
	char *mended = text_replace(text, end, more ? next + 1 : behind, fresh);
	free(fresh);
	free(sizes);
	free(element);
	return mended;
}
