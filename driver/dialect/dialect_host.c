/* SPDX-License-Identifier: Apache-2.0 */
/* dialect_host.c - calls of host functions in __host__ __device__ functions,
 * which nvcc only warns about.
 *
 * Where device code never gets to the function, it becomes `inline` in the device
 * pass, so that no device code is made of it. Where it does, the call becomes a
 * trap in the device pass; nvcc's code behind such a call is undefined.
 *
 * And what __CUDA_ARCH__ makes a device function of, and a host function where it is not
 * defined: host functions call it in the device pass and kernels in the host pass, which make no
 * code of them. There it becomes a function of both sides. Where the host has none at all,
 * kernels' instances call one of cudasim's, which host code cannot: nvcc's host pass has no
 * such instances. The spellings are in cudasim_nvcc.h; the other pass sees the source as it was. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dialect_text.h"
#include "words.h"

static const char inlined[] = "__cudasim_device_inline ";

/* Whether the text names a side, itself or, as it may be, through a macro: the
 * functions that C++ makes, and constexpr ones, have both sides without. Macros of
 * the C++ library begin with _. */
static bool names_a_side(struct piece head)
{
	for (const char *c = head.start; c < head.end && *c != '(';) {
		const char *end = c;
		bool is_macro = false, has_lower = false;
		for (; end < head.end && is_word(*end); end++) {
			is_macro |= isupper((unsigned char)*end) != 0;
			has_lower |= islower((unsigned char)*end) != 0;
		}
		if ((is_macro && !has_lower && end - c > 1 && *c != '_') ||
		    starts_word(c, "__host__") || starts_word(c, "__device__"))
			return true;
		c = end > c ? end : c + 1;
	}
	return false;
}

static bool is_label(struct piece head)
{
	head = trim(head);
	return piece_is(head, "public") || piece_is(head, "protected") || piece_is(head, "private");
}

/* Whether the text before a { is a function's head. */
static bool is_function(struct piece head)
{
	static const char *const others[] = {"namespace", "struct", "class",
					     "union",     "enum",   "extern"};
	head = trim(head);
	if (!contains(head, "("))
		return false;
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (starts_word(head.start, others[i]))
			return false;
	return true;
}

/* A line's directive with the lines that continue it. */
static const char *skip_directive(const char *at)
{
	while (*at && *at != '\n')
		at += *at == '\\' && at[1] ? 2 : 1;
	return at;
}

static const char *skip_template(const char *at)
{
	while (starts_word(at, "template")) {
		int depth = 0;
		for (at += strlen("template"); *at; at++) {
			const char *behind = *at == '(' ? skip_brackets(at) : NULL;
			depth += (*at == '<') - (*at == '>');
			if (*at == '>' && !depth)
				break;
			at = behind ? behind - 1 : at;
		}
		at = skip_space(*at ? at + 1 : at);
	}
	while (*at == '#')
		at = skip_space(skip_directive(at));
	return at;
}

struct piece template_around(const char *text, const char *at)
{
	const char *head = NULL;
	for (const char *c = text; c < at;) {
		const char *end = skip_literal(text, c);
		if (end > c) {
			c = end;
		} else if (*c == '#') {
			c = skip_directive(c);
		} else if (isspace((unsigned char)*c)) {
			c++;
		} else if (*c == ';' || *c == '}' ||
			   (*c == ':' && head && is_label((struct piece){head, c}))) {
			head = NULL;
			c++;
		} else if (*c == '{' && head && is_function((struct piece){head, c})) {
			const char *behind = skip_brackets(c);
			if (!behind || behind > at)
				return (struct piece){head, c};
			/* A brace behind an initialiser of a constructor's member is no body. */
			c = behind;
			const char *next = skip_space(c);
			if (*next != '{' && *next != ',')
				head = NULL;
		} else if (*c == '{') {
			head = NULL;
			c++;
		} else if (*c == '(' && head) {
			const char *behind = skip_brackets(c);
			c = behind ? behind : c + 1;
		} else {
			head = head ? head : c;
			c++;
		}
	}
	/* Among a constructor's members. */
	return head ? (struct piece){head, at} : (struct piece){text, text};
}

struct piece function_around(const char *text, const char *at)
{
	struct piece head = template_around(text, at);
	return head.start < head.end ? (struct piece){skip_template(head.start), head.end} : head;
}

/* The postfix expression's first character, its last word being at `name`. */
static const char *callee_start(const char *text, const char *name)
{
	const char *start = name;
	for (;;) {
		const char *c = start;
		while (c > text && isspace((unsigned char)c[-1]))
			c--;
		bool scope = c - text >= 2 && c[-1] == ':' && c[-2] == ':';
		bool arrow = c - text >= 2 && c[-1] == '>' && c[-2] == '-';
		bool dot = c > text && c[-1] == '.';
		if (!scope && !arrow && !dot)
			return start;
		c -= dot ? 1 : 2;
		start = c;
		while (c > text && (c[-1] == ')' || c[-1] == ']')) {
			const char *open = opening_bracket(text, c);
			if (!open)
				return start;
			start = c = open;
		}
		while (c > text && is_word(c[-1]))
			c--;
		start = c;
	}
}

/* Whether what begins here is the name in a declaration: a type stands before it. */
static bool is_declared(const char *text, const char *start)
{
	struct piece word = last_word((struct piece){text, start});
	if (word.start < word.end)
		return !piece_is(word, "return") && !piece_is(word, "else") &&
		       !piece_is(word, "do");
	return word.end > text && word.end[-1] == '>';
}

static char *trap_call(const char *text, const char *at)
{
	const char *open = at;
	while (is_word(*open))
		open++;
	if (open == at)
		return NULL;
	open = skip_space(open);
	const char *end = *open == '(' ? skip_brackets(open) : NULL;
	if (!end)
		return NULL;
	const char *start = callee_start(text, at);
	if (is_declared(text, start))
		return NULL;
	static const char wrapper[] = "__cudasim_host_call(";
	size_t n = sizeof wrapper - 1;
	if ((size_t)(start - text) >= n && !strncmp(start - n, wrapper, n))
		return NULL;
	char *fresh = text_format("%s%.*s)", wrapper, (int)(end - start), start);
	char *mended = text_replace(text, start, end, fresh);
	free(fresh);
	return mended;
}

char *mend_host_call(const char *text, const char *at, const struct dialect_spot *spot)
{
	struct piece head = function_around(text, at);
	if (!names_a_side(head))
		return NULL;
	/* Another of its calls may have been mended in this round. */
	bool is_inlined = !strncmp(head.start, inlined, sizeof inlined - 1);
	if (!spot->called)
		return is_inlined ? NULL : text_replace(text, head.start, head.start, inlined);
	return spot->n_macros ? mend_macro(text, at, spot) : trap_call(text, at);
}

char *mend_side(const char *text, const char *at, bool device)
{
	const char *fresh = device ? "__cudasim_host_too " : "__cudasim_device_too ";
	const char *before = at;
	while (before > text && isspace((unsigned char)before[-1]))
		before--;
	size_t n = strlen(fresh) - 1; /* without the space */
	bool known = (size_t)(before - text) >= n && !strncmp(before - n, fresh, n);
	/* A name with its class is another declaration of one that was mended. */
	if (known || !is_word(*at) || (before > text && before[-1] == ':'))
		return NULL;
	return text_replace(text, at, at, fresh);
}

char *mend_device_call(const char *text, const char *at)
{
	const char *end = at;
	while (is_word(*end))
		end++;
	struct piece name = {at, end};
	bool called = at < end && *skip_space(end) == '(' && callee_start(text, at) == at &&
		      !is_declared(text, at) && !piece_is(name, DIALECT_DEVICE_CALLED);
	return called ? text_replace(text, at, end, DIALECT_DEVICE_CALLED) : NULL;
}
