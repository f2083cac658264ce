/* SPDX-License-Identifier: Apache-2.0 */
/* Templates and constant expressions: what nvcc reads without a word that the language
 * asks for, or in spite of one that it forbids (see dialect.h). */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dialect_text.h"
#include "words.h"

/* Behind the <...> at `at`, NULL if none closes it. */
static const char *skip_angles(const char *at)
{
	int depth = 0;
	for (; *at && *at != ';' && *at != '{'; at++) {
		const char *behind = *at == '(' ? skip_brackets(at) : NULL;
		depth += (*at == '<') - (*at == '>');
		if (*at == '>' && depth <= 0)
			return at + 1;
		at = behind ? behind - 1 : at;
	}
	return NULL;
}

/* A member template of what depends on a template's parameters: clang wants the word
 * `template` before its name, and without takes the < for a comparison. */
char *mend_template(const char *text, const char *at)
{
	const char *name = NULL;
	bool is_member = true; /* as clang names the member itself */
	for (const char *c = at; *c;) {
		if (is_word(*c)) {
			const char *word = c;
			bool keyword = starts_word(c, "template");
			while (is_word(*c))
				c++;
			if (starts_word(word, "operator"))
				c += strspn(c, "()[]+-*/%&|^!~,=");
			if (keyword)
				is_member = false;
			else if (is_member && *skip_space(c) == '<')
				name = word;
		} else if (*c == '<') {
			c = skip_angles(c);
			if (!c)
				break;
			is_member = false;
		} else if (!strncmp(c, "::", 2) || !strncmp(c, "->", 2) || *c == '.') {
			c += *c == '.' ? 1 : 2;
			is_member = true;
		} else if (isspace((unsigned char)*c)) {
			c++;
		} else {
			break;
		}
		if (name == at && c > at && (*c == '<' || isspace((unsigned char)*c))) {
			/* The first name is the member only where one comes before it. */
			const char *before = at;
			while (before > text && isspace((unsigned char)before[-1]))
				before--;
			if (before > text &&
			    (strchr(".:", before[-1]) || (before[-1] == '>' && before[-2] == '-')))
				break;
			name = NULL;
		}
	}
	return name ? text_replace(text, name, name, "template ") : NULL;
}

/* Which name is a type is known when the template is instantiated. */
char *mend_typename(const char *text, const char *at)
{
	return is_word(*at) || !strncmp(at, "::", 2) ? text_replace(text, at, at, "typename ")
						     : NULL;
}

/* A member of a base class that depends on a parameter, called by its bare name. */
char *mend_member(const char *text, const char *at)
{
	return is_word(*at) ? text_replace(text, at, at, "this->") : NULL;
}

/* `this->constant`: what a static member is does not depend on the object, but clang 19
 * evaluates the pointer first. All of the expression that begins at `at`. */
char *mend_this(const char *text, const char *at)
{
	char *fresh = text_copy("");
	const char *c = at, *taken = at;
	bool any = false;
	for (int depth = 0; *c && !strchr(";{}", *c) && (depth || !strchr(")]", *c));) {
		const char *arrow = starts_word(c, "this") ? skip_space(c + 4) : c;
		const char *behind = skip_literal(text, c);
		if (arrow > c && !strncmp(arrow, "->", 2)) {
			char *longer = text_format("%s%.*s", fresh, (int)(c - taken), taken);
			free(fresh);
			fresh = longer;
			c = taken = skip_space(arrow + 2);
			any = true;
		} else if (behind > c) {
			c = behind;
		} else if (is_word(*c)) {
			while (is_word(*c))
				c++;
		} else {
			depth += !!strchr("([", *c) - !!strchr(")]", *c);
			c++;
		}
	}
	char *mended = any ? text_replace(text, at, taken, fresh) : NULL;
	free(fresh);
	return mended;
}

/* The word in the declaration of the function whose body begins at `brace`; empty if there is
 * none. A condition's is another word. */
static struct piece constexpr_before(const char *text, const char *brace)
{
	const char *start = brace;
	while (start > text && !strchr(";{}", start[-1]))
		start--;
	const char *found = NULL;
	for (const char *c = start; c < brace;) {
		const char *behind = skip_literal(text, c);
		if (behind > c) {
			c = behind;
		} else if (is_word(*c)) {
			if (starts_word(c, "if"))
				return (struct piece){brace, brace};
			if (!found && starts_word(c, "constexpr"))
				found = c;
			while (is_word(*c))
				c++;
		} else {
			c++;
		}
	}
	return found ? (struct piece){found, found + strlen("constexpr")}
		     : (struct piece){brace, brace};
}

/* A function with such a variable is never evaluated by the compiler, so it loses nothing with
 * the word but that it was inline. */
char *mend_constexpr(const char *text, const char *at)
{
	enum { MAX_DEPTH = 64 };
	const char *braces[MAX_DEPTH];
	size_t n = 0;
	for (const char *c = text; c < at;) {
		const char *behind = skip_literal(text, c);
		if (*c == '{' && n < MAX_DEPTH)
			braces[n++] = c;
		else if (*c == '}' && n)
			n--;
		c = behind > c ? behind : c + 1;
	}
	while (n--) {
		struct piece word = constexpr_before(text, braces[n]);
		if (word.end == word.start)
			continue;
		/* A lambda's stands behind its parameters. */
		bool lambda = memchr(word.end, ')', (size_t)(braces[n] - word.end)) == NULL;
		return text_replace(text, word.start, word.end, lambda ? "" : "inline");
	}
	return NULL;
}

/* Behind a template's parameter that begins at `at`: its comma, or the > of all. */
static const char *skip_parameter(const char *at)
{
	for (; *at && *at != ',' && *at != '>' && *at != ';' && *at != '{'; at++) {
		const char *behind = *at == '('   ? skip_brackets(at)
				     : *at == '<' ? skip_angles(at)
						  : NULL;
		at = behind ? behind - 1 : at;
	}
	return at;
}

/* A condition that is false, and known only when the template is used; NULL without a parameter
 * that has a name. The caller frees it. */
static char *never(const char *parameters)
{
	const char *at = skip_space(parameters);
	for (const char *end = at; *at && *end != '>'; at = skip_space(end + 1)) {
		end = skip_parameter(at);
		const char *equals = memchr(at, '=', (size_t)(end - at));
		struct piece all = trim((struct piece){at, equals ? equals : end});
		struct piece name = last_word(all);
		bool is_type = starts_word(at, "class") || starts_word(at, "typename");
		bool is_pack = memmem(all.start, (size_t)(all.end - all.start), "...", 3) != NULL;
		int n = (int)(name.end - name.start);
		if (starts_word(at, "template") || !n || name.start == all.start ||
		    name.end != all.end || isdigit((unsigned char)*name.start))
			continue;
		if (is_pack)
			return text_format("sizeof...(%.*s) + 1 == 0", n, name.start);
		return is_type ? text_format("sizeof(%.*s *) == 0", n, name.start)
			       : text_format("%.*s != %.*s", n, name.start, n, name.start);
	}
	return NULL;
}

/* A function template's body, which nvcc's device pass reads only where the template is used:
 * until then it may name what nobody has declared. */
char *mend_unread(const char *text, const char *at)
{
	struct piece head = template_around(text, at);
	const char *end = *head.end == '{' ? skip_brackets(head.end) : NULL;
	if (!end || !starts_word(head.start, "template"))
		return NULL;
	const char *open = skip_space(head.start + strlen("template"));
	char *condition = *open == '<' ? never(open + 1) : NULL;
	if (!condition || memmem(head.end, (size_t)(end - head.end), DIALECT_UNREAD_USED,
				 strlen(DIALECT_UNREAD_USED))) {
		free(condition);
		return NULL;
	}
	char *fresh = text_format("{ static_assert(%s, \"" DIALECT_UNREAD_USED "\");", condition);
	free(condition);
	for (const char *c = head.end; c < end; c++) {
		char *longer = *c == '\n' || c + 1 == end ? text_format("%s%c", fresh, *c) : NULL;
		if (longer) {
			free(fresh);
			fresh = longer;
		}
	}
	char *mended = text_replace(text, head.end, end, fresh);
	free(fresh);
	return mended;
}
