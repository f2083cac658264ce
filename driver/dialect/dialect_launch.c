/* SPDX-License-Identifier: Apache-2.0 */
/* dialect_launch.c - kernels in device code: launches, and kernels named as values.
 *
 * clang 19 refuses both wherever code for the device is made of them. It does not look at a
 * virtual member function of a __host__ __device__ kind that nothing names, though it
 * resolves overloads and deduces template arguments there as everywhere, and makes code of
 * it. So a launch becomes an object with such a function (cudasim_launch.h), whose members
 * are references to the arguments:
 *
 *   k<<<g, b>>>(x, 0)   ({ auto __cudasim_c = __cudasim_config(g, b); auto &&__cudasim_a0 = x;
 *                          struct __cudasim_l : __cudasim_launch { ... void go() const override
 *                          { k<<<...>>>(a0, 0); } }; __cudasim_launch_go(__cudasim_l(...)); })
 *
 * and the device compiler's pass_launches.c takes that apart again. A kernel as a value is
 * the value of a template's constant, where clang does not look either.
 *
 * Rejected: a twin of each kernel that is a __device__ function, which would need the text of
 * its template head and parameters; default member initialisers, which clang checks where
 * they are used. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dialect_text.h"
#include "words.h"

/* One of our own: mended already. */
static const char own[] = "__cudasim_";

enum { MAX_ARGUMENTS = 256 };

/* A launch's parts. */
struct launch_text {
	struct piece kernel, config;
	struct piece arguments[MAX_ARGUMENTS];
	unsigned n_arguments;
	const char *end; /* behind the ) */
};

/* The piece without its comments, so that something may follow on its last line; lines stay. */
static char *without_comments(struct piece p)
{
	char *copy = text_copy_n(p.start, (size_t)(p.end - p.start));
	for (char *c = copy; *c;) {
		const char *behind = skip_literal(copy, c);
		if (*c == '/' && behind > c)
			for (; c < behind; c++)
				*c = *c == '\n' ? '\n' : ' ';
		else
			c += behind > c ? behind - c : 1;
	}
	return copy;
}

/* Behind the <...> of a template's arguments at `at`; NULL where the < is a comparison. */
static const char *skip_template(const char *at, const char *end)
{
	int depth = 0;
	for (const char *c = at; c < end; c++) {
		const char *behind = strchr("([{", *c) ? skip_brackets(c) : skip_literal(at, c);
		if (behind && behind > c) {
			c = behind - 1;
			continue;
		}
		if (strchr(";)]}", *c) || !strncmp(c, "&&", 2) || !strncmp(c, "||", 2))
			return NULL;
		if (c[0] == '-' && c[1] == '>') {
			c++;
			continue;
		}
		depth += (*c == '<') - (*c == '>');
		if (!depth) {
			/* What follows a template's arguments, and seldom a comparison's operand. */
			const char *next = skip_space(c + 1);
			return next >= end || strchr("(:{,)", *next) || !strncmp(next, "<<<", 3)
				       ? c + 1
				       : NULL;
		}
	}
	return NULL;
}

/* The next top-level comma, or p.end. */
static const char *next_comma(struct piece p)
{
	for (const char *c = p.start; c < p.end; c++) {
		if (*c == ',')
			return c;
		const char *behind = skip_literal(p.start, c);
		if (behind == c && strchr("([{", *c))
			behind = skip_brackets(c);
		if (behind == c && *c == '<' && c > p.start && is_word(c[-1]))
			behind = skip_template(c, p.end);
		if (behind && behind > c)
			c = behind - 1;
	}
	return p.end;
}

/* The >>> that closes the <<< at `open`. */
static const char *find_close(const char *open)
{
	for (const char *c = open + 3; *c && *c != ';';) {
		if (!strncmp(c, ">>>", 3) && *skip_space(c + 3) == '(')
			return c;
		const char *behind = strchr("([{", *c) ? skip_brackets(c) : skip_literal(open, c);
		c = behind && behind > c ? behind : c + 1;
	}
	return NULL;
}

/* Reads what follows the kernel's name. */
static bool read_launch(const char *open, struct launch_text *ret)
{
	const char *close = strncmp(open, "<<<", 3) ? NULL : find_close(open);
	const char *bracket = close ? skip_space(close + 3) : NULL;
	ret->end = bracket ? skip_brackets(bracket) : NULL;
	if (!ret->end)
		return false;
	ret->config = (struct piece){open + 3, close};
	struct piece rest = {bracket + 1, ret->end - 1};
	ret->n_arguments = 0;
	if (skip_space(rest.start) >= rest.end)
		return true;
	for (;;) {
		if (ret->n_arguments == MAX_ARGUMENTS)
			return false;
		const char *comma = next_comma(rest);
		ret->arguments[ret->n_arguments++] = (struct piece){rest.start, comma};
		if (comma == rest.end)
			return true;
		rest.start = comma + 1;
	}
}

/* A literal stays where it is: a 0 may be a null pointer only as such, and {...} has no type. */
static bool is_literal(const char *text)
{
	static const char *const words[] = {"NULL", "nullptr", "true", "false"};
	struct piece p = trim((struct piece){text, text + strlen(text)});
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (piece_is(p, words[i]))
			return true;
	if (p.start < p.end && (isdigit((unsigned char)*p.start) || *p.start == '{')) {
		bool number = *p.start != '{';
		for (const char *c = p.start; number && c < p.end; c++)
			number = is_word(*c) || *c == '.' ||
				 ((*c == '+' || *c == '-') && strchr("eEpP", c[-1]));
		return number || *p.start == '{';
	}
	return false;
}

static void append(char **text, char *more)
{
	char *longer = text_format("%s%s", *text, more);
	free(*text);
	free(more);
	*text = longer;
}

/* captured: the kernel's expression is a value of the surrounding function. */
static char *write_launch(const struct launch_text *l, bool captured)
{
	char *config = without_comments(l->config), *kernel = without_comments(l->kernel);
	char *members = text_copy(""), *params = text_copy(""), *inits = text_copy("");
	char *passed = text_copy(""), *values = text_copy("");
	char *text = text_format("__extension__({ auto __cudasim_c = __cudasim_config(%s);",
				 config);
	for (unsigned i = 0; i < l->n_arguments + captured; i++) {
		bool is_kernel = i == l->n_arguments;
		char *argument = is_kernel ? text_copy(kernel) : without_comments(l->arguments[i]);
		if (!is_kernel && is_literal(argument)) {
			append(&values, text_format("%s%s", i ? ", " : "", argument));
			free(argument);
			continue;
		}
		append(&text, text_format(" auto &&__cudasim_a%u __attribute__((nodebug)) = %s;", i,
					  argument));
		append(&members, text_format(" decltype(__cudasim_a%u) __cudasim_a%u;", i, i));
		append(&params, text_format(", decltype(__cudasim_a%u) __cudasim_p%u", i, i));
		append(&inits,
		       text_format(
			       ", __cudasim_a%u(static_cast<decltype(__cudasim_p%u)>(__cudasim_p%u))",
			       i, i, i));
		append(&passed,
		       text_format(", static_cast<decltype(__cudasim_a%u)>(__cudasim_a%u)", i, i));
		if (!is_kernel)
			append(&values,
			       text_format("%sstatic_cast<decltype(__cudasim_a%u)>(__cudasim_a%u)",
					   i ? ", " : "", i, i));
		free(argument);
	}
	if (captured) {
		free(kernel);
		kernel = text_format("__cudasim_a%u", l->n_arguments);
	}
	append(&text,
	       text_format(
		       " struct __cudasim_l : __cudasim_launch {%s __host__ __device__ __cudasim_l("
		       "const __cudasim_config &__cudasim_c%s) : __cudasim_launch(__cudasim_c)%s {} "
		       "__host__ __device__ void go() const override { %s<<<__cudasim_c.grid, "
		       "__cudasim_c.block, __cudasim_c.shared, __cudasim_c.stream>>>(%s); } }; "
		       "__cudasim_launch_go(__cudasim_l(__cudasim_c%s)); })",
		       members, params, inits, kernel, values, passed));
	free(config);
	free(kernel);
	free(members);
	free(params);
	free(inits);
	free(passed);
	free(values);
	return text;
}

static char *replace_launch(const char *text, const struct launch_text *l, bool captured)
{
	char *fresh = write_launch(l, captured);
	char *mended = text_replace(text, l->kernel.start, l->end, fresh);
	free(fresh);
	return mended;
}

/* Where a qualified name that `at` is the last part of begins. */
static const char *name_start(const char *text, const char *at)
{
	for (;;) {
		const char *c = at;
		while (c > text && isspace((unsigned char)c[-1]))
			c--;
		bool qualified = c >= text + 2 && c[-1] == ':' && c[-2] == ':';
		/* a::template k<T> */
		if (!qualified && c - text > 8 && !strncmp(c - 8, "template", 8) &&
		    !is_word(c[-9])) {
			at = c - 8;
			continue;
		}
		if (!qualified)
			return at;
		c -= 2;
		at = c;
		while (c > text && isspace((unsigned char)c[-1]))
			c--;
		if (c > text && c[-1] == '>') {
			int depth = 0;
			do {
				c--;
				depth += (*c == '>') - (*c == '<');
			} while (c > text && depth);
		}
		while (c > text && is_word(c[-1]))
			at = --c;
	}
}

/* Behind the qualified name at `at`, with its template arguments. */
static const char *name_end(const char *at)
{
	const char *end = at;
	for (const char *c = at;; c = end) {
		while (is_word(*c))
			c++;
		end = c;
		c = skip_space(c);
		if (*c == '<' && strncmp(c, "<<<", 3)) {
			const char *behind = skip_template(c, c + strlen(c));
			if (!behind)
				return end;
			end = behind;
			c = skip_space(behind);
		}
		if (strncmp(c, "::", 2))
			return end;
		c = skip_space(c + 2);
		if (starts_word(c, "template"))
			c = skip_space(c + 8);
		end = c;
	}
}

/* A kernel's address: the template's constant. An & before it goes along. */
static char *mend_value(const char *text, struct piece name)
{
	const char *before = name.start;
	while (before > text && isspace((unsigned char)before[-1]))
		before--;
	if (before > text && before[-1] == '&') {
		const char *c = before - 1;
		while (c > text && isspace((unsigned char)c[-1]))
			c--;
		if (c == text || strchr("(,=?:{}[;", c[-1]) || isalpha((unsigned char)c[-1]))
			name.start = before - 1;
	}
	struct piece kernel = name;
	if (*kernel.start == '&')
		kernel.start++;
	char *plain = without_comments(kernel);
	char *fresh = text_format("(__cudasim_kernel<decltype(&%s), &%s>::value)", plain, plain);
	char *mended = text_replace(text, name.start, name.end, fresh);
	free(plain);
	free(fresh);
	return mended;
}

char *mend_kernel(const char *text, const char *at, bool value_too)
{
	if (!is_word(*at))
		return NULL;
	struct launch_text launch = {.kernel = {name_start(text, at), name_end(at)}};
	const char *open = skip_space(launch.kernel.end);
	while (launch.kernel.start < at && isspace((unsigned char)*launch.kernel.start))
		launch.kernel.start++;
	if (read_launch(open, &launch))
		return strncmp(trim(launch.config).start, own, strlen(own))
			       ? replace_launch(text, &launch, false)
			       : NULL;
	if (!value_too)
		return NULL;
	/* Within the template's arguments it is right already. */
	for (const char *c = launch.kernel.start;
	     c > text && c[-1] != '\n' && launch.kernel.start - c < 400; c--)
		if (starts_word(c, "__cudasim_kernel") && (c == text || !is_word(c[-1])))
			return NULL;
	return mend_value(text, launch.kernel);
}

/* The postfix expression that ends right before `end`: a name, members, indices, calls. */
static const char *expression_start(const char *text, const char *end)
{
	const char *at = end;
	for (;;) {
		const char *c = at;
		while (c > text && isspace((unsigned char)c[-1]))
			c--;
		if (c > text && strchr(")]", c[-1])) {
			c = opening_bracket(text, c);
			if (!c)
				return at;
			at = c;
			if (c > text && (is_word(c[-1]) || strchr(")]", c[-1])))
				continue;
			if (*c == '[')
				continue;
		} else if (c > text && is_word(c[-1])) {
			while (c > text && is_word(c[-1]))
				c--;
			at = c;
		} else {
			return at;
		}
		while (c > text && isspace((unsigned char)c[-1]))
			c--;
		if (c > text && c[-1] == '.')
			at = c - 1;
		else if (c > text + 1 && (!strncmp(c - 2, "->", 2) || !strncmp(c - 2, "::", 2)))
			at = c - 2;
		else
			return at;
	}
}

char *mend_kernel_pointer(const char *text, const char *at)
{
	struct launch_text launch = {.kernel = {NULL, at}};
	if (strncmp(at, "<<<", 3) || !read_launch(at, &launch) ||
	    !strncmp(trim(launch.config).start, own, strlen(own)))
		return NULL;
	launch.kernel.start = expression_start(text, at);
	return launch.kernel.start < at ? replace_launch(text, &launch, true) : NULL;
}
