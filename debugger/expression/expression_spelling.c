/* SPDX-License-Identifier: Apache-2.0 */
/* expression_spelling.c - names as users write them, in the normal spelling of debug information. */
#include <ctype.h>
#include <string.h>

#include "expression_tree.h"

struct spelling {
	char text[MAX_NAME];
	size_t n;
	bool full;
};

static void put(struct spelling *s, const char *text, size_t n)
{
	if (s->n + n >= sizeof s->text) {
		s->full = true;
		return;
	}
	memcpy(s->text + s->n, text, n);
	s->n += n;
	s->text[s->n] = 0;
}

static bool is_part(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static const char *blanks(const char *c)
{
	while (isspace((unsigned char)*c))
		c++;
	return c;
}

/* Template arguments as debug information spells them: one blank behind a comma and
 * before the first * or &, none elsewhere but between words. Returns what follows the
 * closing >, NULL where the text cannot be template arguments. */
static const char *template_arguments(const char *c, struct spelling *s)
{
	int depth = 0, round = 0;
	for (; *c; c++) {
		char last = s->n ? s->text[s->n - 1] : 0;
		if (isspace((unsigned char)*c)) {
			const char *next = blanks(c);
			if (is_part(last) && is_part(*next))
				put(s, " ", 1);
			c = next - 1;
			continue;
		}
		if (*c == '(')
			round++;
		if (*c == ')' && !round--)
			return NULL;
		if (!is_part(*c) && !strchr("<>,:*&()[]-.'+", *c))
			return NULL;
		if ((*c == '*' || *c == '&') && (is_part(last) || last == '>'))
			put(s, " ", 1);
		put(s, c, 1);
		if (*c == ',')
			put(s, " ", 1);
		if (*c == '<' && !round)
			depth++;
		if (*c == '>' && !round && !--depth)
			return c + 1;
		while (*c == ',' && isspace((unsigned char)c[1]))
			c++;
	}
	return NULL;
}

static bool is_known(struct parser *p, const char *name)
{
	const struct function *function;
	const struct variable *variable;
	return symbols_type(name, p->function) || symbols_functions(name, &function, 1) ||
	       symbols_globals(name, &variable, 1);
}

/* "<...>" at c, if what stands before it is a template; else c. */
static const char *maybe_template(struct parser *p, const char *c, struct spelling *s)
{
	const char *begin = blanks(c);
	size_t before = s->n;
	if (*begin != '<' || begin[1] == '<' || begin[1] == '=' ||
	    resolve_is_local(p, s->text, s->n))
		return c;
	const char *end = template_arguments(begin, s);
	if (end && !s->full) {
		const char *next = blanks(end);
		if ((next[0] == ':' && next[1] == ':') || is_known(p, s->text))
			return end;
	}
	s->n = before;
	s->text[before] = 0;
	s->full = false;
	return c;
}

/* operator+, operator[], operator() and so on: the characters behind the word. */
static const char *operator_name(const char *c, struct spelling *s)
{
	static const char *const names[] = {
		"()", "[]", "->*", "->", "++", "--", "<<=", ">>=", "<=>", "<<", ">>", "<=", ">=",
		"==", "!=", "&&",  "||", "+=", "-=", "*=",  "/=",  "%=",  "&=", "|=", "^=", "+",
		"-",  "*",  "/",   "%",  "^",  "&",  "|",   "~",   "!",   "=",  "<",  ">",  ",",
	};
	c = blanks(c);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strncmp(c, names[i], strlen(names[i]))) {
			put(s, names[i], strlen(names[i]));
			return c + strlen(names[i]);
		}
	return c;
}

/* x.cu:: at the beginning of a name: a file's own. Returns what follows. */
static const char *file_prefix(const char *c, struct spelling *s)
{
	const char *end = c;
	bool dot = false, ambiguous;
	char file[MAX_NAME];
	while (is_part(*end) || (*end && strchr("./-+", *end)))
		dot |= *end++ == '.';
	size_t n = (size_t)(end - c);
	if (!dot || end[0] != ':' || end[1] != ':' || n >= sizeof file)
		return c;
	memcpy(file, c, n);
	file[n] = 0;
	if (!symbols_file(file, &ambiguous))
		return c;
	put(s, file, n);
	put(s, "::", 2);
	return end + 2;
}

static const char *quoted_prefix(struct parser *p, struct spelling *s)
{
	put(s, p->token.start + 1, (size_t)(p->token.end - p->token.start) - 2);
	put(s, "::", 2);
	return p->token.end + 2; /* the parser has seen the :: */
}

const char *parse_name(struct parser *p)
{
	struct spelling s = {.n = 0};
	const char *c = p->token.start;
	if (p->token.kind == TOKEN_CHARACTER)
		c = quoted_prefix(p, &s);
	else if (parser_is(p, MARK2(':', ':')))
		c += 2; /* the global namespace */
	else
		c = file_prefix(c, &s);
	for (;;) {
		c = blanks(c);
		if (*c == '~')
			put(&s, c++, 1);
		const char *end = c;
		while (is_part(*end))
			end++;
		if (end == c) {
			p->token.start = c;
			return parser_syntax(p);
		}
		put(&s, c, (size_t)(end - c));
		bool is_operator = end - c == 8 && !memcmp(c, "operator", 8);
		c = is_operator ? operator_name(end, &s) : maybe_template(p, end, &s);
		const char *next = blanks(c);
		if (next[0] != ':' || next[1] != ':')
			break;
		const char *after = blanks(next + 2);
		if (!is_part(*after) && *after != '~')
			break;
		put(&s, "::", 2);
		c = after;
	}
	char *name = expression_allocate(p->expression, s.n + 1);
	if (!name || s.full)
		return parser_fail(
			p, name ? cudasim_error_new(CUDASIM_E_ARGUMENT, "The name is too long.")
				: &cudasim_error_nomem);
	memcpy(name, s.text, s.n + 1);
	p->at = c;
	parser_advance(p);
	return p->error ? NULL : name;
}

const char *name_last_scope(const char *name)
{
	int depth = 0;
	for (const char *c = name + strlen(name); c-- > name + 1;) {
		depth += (*c == '>' && c[-1] != '-') || *c == ')';
		depth -= *c == '<' || *c == '(';
		if (!depth && *c == ':' && c[-1] == ':')
			return c - 1;
	}
	return NULL;
}
