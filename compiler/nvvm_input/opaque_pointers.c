/* SPDX-License-Identifier: Apache-2.0 */
/* opaque_pointers.c - token by token: wherever a type can begin, the longest type is read, and
 * written anew where a typed pointer is in it. A `*` occurs in types only, so no grammar of
 * instructions is needed but for the forms in opaque_pointers.h. Blanks and comments stay, so
 * lines keep their numbers. */
#include "opaque_pointers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembly_type.h"
#include "must.h"

/* The next type is this one's first. */
enum wanted { WANTED_NONE, WANTED_ADDRESS /* of load and getelementptr */, WANTED_CALLEE };

struct rewriter {
	const char *text;
	const struct assembly_token *tokens;
	size_t at;      /* token */
	size_t written; /* bytes of the original that are dealt with */
	struct opaque_text *out;
	enum wanted wanted;
	char *pointee;  /* of the last pointer */
	unsigned node;  /* braces open inside a metadata node */
	unsigned n_pairs; /* results of cmpxchg that were named here */
	bool in_subprogram; /* inside !DISubprogram(...) */
	bool old;       /* a form from before 3.7 was met: all are looked for */
	bool restart;   /* it was met now, behind others that may have looked like today's */
};

static bool is(const struct rewriter *r, size_t at, const char *word)
{
	return assembly_is(r->text, &r->tokens[at], word);
}

static enum assembly_kind kind(const struct rewriter *r, size_t at)
{
	return r->tokens[at].kind;
}

static bool starts(const struct rewriter *r, size_t at, const char *start)
{
	const struct assembly_token *token = &r->tokens[at];
	size_t n = strlen(start);
	return token->end - token->start >= n && !memcmp(r->text + token->start, start, n);
}

static void write_bytes(struct rewriter *r, const char *text, size_t n, size_t original)
{
	*vector_add(&r->out->spans) = (struct opaque_span){r->out->text.n, original};
	for (size_t i = 0; i < n; i++)
		*vector_add(&r->out->text) = text[i];
}

static void write_text(struct rewriter *r, const char *text)
{
	write_bytes(r, text, strlen(text), r->tokens[r->at].start);
}

/* What lies in front of a token: blanks and comments. */
static void write_gap(struct rewriter *r)
{
	size_t start = r->tokens[r->at].start;
	if (start > r->written)
		write_bytes(r, r->text + r->written, start - r->written, r->written);
	r->written = start;
}

/* The tokens up to `end` are dealt with; of what they were, the ends of lines stay. */
static void skip_to(struct rewriter *r, size_t end)
{
	size_t until = r->tokens[end - 1].end;
	for (; r->written < until; r->written++)
		if (r->text[r->written] == '\n')
			write_bytes(r, "\n", 1, r->written);
	r->at = end;
}

/* As they are. */
static void copy_to(struct rewriter *r, size_t end)
{
	size_t until = r->tokens[end - 1].end;
	write_bytes(r, r->text + r->written, until - r->written, r->written);
	r->written = until;
	r->at = end;
}

static size_t line_end(const struct rewriter *r, size_t at)
{
	const struct assembly_token *tokens = r->tokens;
	while (kind(r, at + 1) != ASSEMBLY_END &&
	       !memchr(r->text + tokens[at].end, '\n', tokens[at + 1].start - tokens[at].end))
		at++;
	return at + 1;
}

/* Behind the mark that closes the one at the token. */
static size_t closed(const struct rewriter *r, size_t at)
{
	size_t depth = 0;
	for (; kind(r, at) != ASSEMBLY_END; at++) {
		if (is(r, at, "(") || is(r, at, "{"))
			depth++;
		else if ((is(r, at, ")") || is(r, at, "}")) && !--depth)
			return at + 1;
	}
	return at;
}

/* ---- types ---------------------------------------------------------------------------------- */

/* Where the parser before 3.7 found what is pointed to in the pointer's type. */
static bool write_old(struct rewriter *r, const struct assembly_type *type)
{
	if (!type->pointee)
		return false;
	if (r->wanted == WANTED_ADDRESS && !is(r, type->end, ",")) {
		r->restart |= !r->old;
		write_text(r, type->pointee);
		write_text(r, ", ");
		write_text(r, type->text);
		return true;
	}
	if (r->wanted == WANTED_CALLEE && r->old && type->to_function) {
		write_text(r, type->pointee);
		return true;
	}
	return false;
}

static bool rewrite_type(struct rewriter *r)
{
	struct assembly_type type;
	if (kind(r, r->at) != ASSEMBLY_WORD && kind(r, r->at) != ASSEMBLY_LOCAL &&
	    kind(r, r->at) != ASSEMBLY_MARK)
		return false;
	if (!assembly_type_read(r->text, r->tokens, r->at, &type))
		return false;
	if (!type.changed) {
		copy_to(r, type.end);
	} else {
		write_gap(r);
		if (!write_old(r, &type))
			write_text(r, type.text);
		skip_to(r, type.end);
	}
	r->wanted = WANTED_NONE;
	free(r->pointee);
	r->pointee = type.pointee;
	type.pointee = NULL;
	assembly_type_fini(&type);
	return true;
}

/* Attributes of a pointer that say what it points to, since 9 (byval) to 13. */
static bool rewrite_attribute(struct rewriter *r)
{
	static const char *const names[] = {"byval", "sret", "byref", "inalloca", "preallocated"};
	bool found = false;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		found |= is(r, r->at, names[i]);
	if (!found || !r->pointee || is(r, r->at + 1, "("))
		return false;
	copy_to(r, r->at + 1);
	write_text(r, "(");
	write_text(r, r->pointee);
	write_text(r, ")");
	return true;
}

/* ---- the forms before 3.6 ------------------------------------------------------------------- */

static bool starts_node(const struct rewriter *r, size_t at)
{
	return is(r, at, "!") && (is(r, at + 1, "{") || kind(r, at + 1) == ASSEMBLY_STRING);
}

/* `metadata !{...}` and `metadata !7` lose their type in nodes; as an argument a node becomes
 * the value in it. */
static bool rewrite_metadata(struct rewriter *r)
{
	if (!is(r, r->at, "metadata"))
		return false;
	if (starts_node(r, r->at + 1))
		r->restart |= !r->old;
	if (!r->old)
		return false;
	bool in_node = r->node || (r->at && is(r, r->at - 1, "="));
	if (in_node && (is(r, r->at + 1, "!") || kind(r, r->at + 1) == ASSEMBLY_METADATA)) {
		write_gap(r);
		skip_to(r, r->at + 1);
		return true;
	}
	if (!in_node && is(r, r->at + 1, "!") && is(r, r->at + 2, "{")) {
		copy_to(r, r->at + 1);
		write_gap(r);
		skip_to(r, r->at + 2);
		while (!is(r, r->at, "}") && kind(r, r->at) != ASSEMBLY_END)
			if (!rewrite_type(r))
				copy_to(r, r->at + 1);
		if (kind(r, r->at) != ASSEMBLY_END)
			skip_to(r, r->at + 1);
		return true;
	}
	return false;
}

/* Debug information: `, !dbg !7`, `!llvm.dbg.cu = ...`, calls and declarations of llvm.dbg.*. */
static bool drop_debug(struct rewriter *r)
{
	size_t end = 0;
	if (is(r, r->at, ",") && kind(r, r->at + 1) == ASSEMBLY_METADATA &&
	    starts(r, r->at + 1, "!dbg") && kind(r, r->at + 2) == ASSEMBLY_METADATA)
		end = r->at + 3;
	else if (kind(r, r->at) == ASSEMBLY_METADATA && starts(r, r->at, "!llvm.dbg.") &&
		 is(r, r->at + 1, "="))
		end = closed(r, r->at + 2);
	else if (is(r, r->at, "tail") && is(r, r->at + 1, "call") && is(r, r->at + 2, "void") &&
		 starts(r, r->at + 3, "@llvm.dbg."))
		end = closed(r, r->at + 4);
	else if ((is(r, r->at, "call") || is(r, r->at, "declare")) && is(r, r->at + 1, "void") &&
		 starts(r, r->at + 2, "@llvm.dbg."))
		end = line_end(r, r->at);
	if (!r->old || !end)
		return false;
	write_gap(r);
	skip_to(r, end);
	r->out->dropped_debug = true;
	return true;
}

static bool is_ordering(const struct rewriter *r, size_t at)
{
	static const char *const names[] = {"unordered", "monotonic", "acquire",
					    "release",   "acq_rel",   "seq_cst"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (is(r, at, names[i]))
			return true;
	return false;
}

static bool rewrite_any(struct rewriter *r);

/* `%x = cmpxchg ... ORDERING`, whose result was the value: a pair of another name, and %x of it. */
static bool rewrite_exchange(struct rewriter *r)
{
	if (!r->old || kind(r, r->at) != ASSEMBLY_LOCAL || !is(r, r->at + 1, "=") ||
	    !is(r, r->at + 2, "cmpxchg"))
		return false;
	size_t name = r->at, end = line_end(r, name), order = r->at, value;
	while (order < end && !is_ordering(r, order))
		order++;
	if (order == end || is_ordering(r, order + 1))
		return false;
	char pair[48];
	snprintf(pair, sizeof pair, "%%\"cmpxchg pair %u\"", r->n_pairs++);
	write_gap(r);
	write_text(r, pair);
	skip_to(r, name + 1);
	/* The type of what is compared: behind the pointer. */
	for (value = r->at; !is(r, value, ","); value++)
		if (value == order)
			return true;
	struct assembly_type type = {0};
	bool typed = assembly_type_read(r->text, r->tokens, value + 1, &type);
	while (r->at < order)
		rewrite_any(r);
	if (r->at > order) { /* inside of a type: no exchange, as LLVM will say */
		assembly_type_fini(&type);
		return true;
	}
	copy_to(r, order + 1);
	const char *word = r->text + r->tokens[order].start;
	size_t n = r->tokens[order].end - r->tokens[order].start;
	bool acquires = n == 7 && !memcmp(word, "release", 7);
	write_text(r, " ");
	/* The ordering of a failure cannot release. */
	if (acquires)
		write_text(r, "monotonic");
	else if (n == 7 && !memcmp(word, "acq_rel", 7))
		write_text(r, "acquire");
	else
		write_bytes(r, word, n, r->tokens[order].start);
	write_text(r, " ");
	write_bytes(r, r->text + r->tokens[name].start, r->tokens[name].end - r->tokens[name].start,
		    r->tokens[name].start);
	write_text(r, " = extractvalue { ");
	write_text(r, typed ? type.text : "i32");
	write_text(r, ", i1 } ");
	write_text(r, pair);
	write_text(r, ", 0");
	assembly_type_fini(&type);
	return true;
}

/* ---- all tokens ------------------------------------------------------------------------------ */

static bool is_label(const struct rewriter *r, size_t at)
{
	return is(r, at + 1, ":") && r->tokens[at].end == r->tokens[at + 1].start;
}

/* A label, or the name of a field of metadata. */
static void copy_label(struct rewriter *r)
{
	/* Renamed in version 7. */
	if (r->in_subprogram && is(r, r->at, "variables")) {
		write_gap(r);
		write_text(r, "retainedNodes");
		skip_to(r, r->at + 1);
	}
	copy_to(r, is(r, r->at, ":") ? r->at + 1 : r->at + 2);
}

static void note_keyword(struct rewriter *r)
{
	if (is(r, r->at, "load") || is(r, r->at, "getelementptr"))
		r->wanted = WANTED_ADDRESS;
	else if (is(r, r->at, "call") || is(r, r->at, "invoke"))
		r->wanted = WANTED_CALLEE;
	else if (kind(r, r->at) == ASSEMBLY_METADATA && is(r, r->at + 1, "="))
		r->in_subprogram = false;
	else if (kind(r, r->at) == ASSEMBLY_METADATA && starts(r, r->at, "!DISubprogram"))
		r->in_subprogram = true;
}

static bool rewrite_any(struct rewriter *r)
{
	if (kind(r, r->at) == ASSEMBLY_END)
		return false;
	if (kind(r, r->at) == ASSEMBLY_WORD && is_label(r, r->at)) {
		copy_label(r);
		return true;
	}
	if (is(r, r->at, "uselistorder") || is(r, r->at, "uselistorder_bb")) {
		write_gap(r);
		skip_to(r, line_end(r, r->at));
		return true;
	}
	/* Of an index, which version 19 says in another way: a hint. */
	if (is(r, r->at, "inrange") && !is(r, r->at + 1, "(")) {
		write_gap(r);
		skip_to(r, r->at + 1);
		return true;
	}
	if (is(r, r->at, "!") && is(r, r->at + 1, "{")) {
		r->node++;
		copy_to(r, r->at + 2);
		return true;
	}
	if (r->node && is(r, r->at, "}"))
		r->node--;
	note_keyword(r);
	if (!drop_debug(r) && !rewrite_exchange(r) && !rewrite_metadata(r) &&
	    !rewrite_attribute(r) && !rewrite_type(r))
		copy_to(r, r->at + 1);
	return true;
}

static void rewrite(struct rewriter *r)
{
	while (!r->restart && rewrite_any(r))
		;
	if (!r->restart)
		write_gap(r);
	free(r->pointee);
}

void opaque_pointers(const char *text, size_t size, struct opaque_text *ret)
{
	size_t n;
	struct assembly_token *tokens = assembly_lex(text, size, &n);
	bool old = false;
	do {
		struct rewriter r = {.text = text, .tokens = tokens, .out = ret, .old = old};
		*ret = (struct opaque_text){0};
		rewrite(&r);
		old = r.restart;
		if (old)
			opaque_text_fini(ret);
	} while (old);
	*vector_add(&ret->text) = 0;
	ret->text.n--;
	free(tokens);
}

void opaque_place(const struct opaque_text *made, const char *original, unsigned *line,
		  unsigned *column)
{
	size_t at = 0, low = 0, high = made->spans.n;
	for (unsigned i = 1; i < *line && at < made->text.n; at++)
		i += made->text.at[at] == '\n';
	at += *column ? *column - 1 : 0;
	/* The last span that begins there or before. */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (made->spans.at[middle].made <= at)
			low = middle;
		else
			high = middle;
	}
	if (!made->spans.n)
		return;
	size_t place = made->spans.at[low].original + (at - made->spans.at[low].made);
	/* Of what was written anew, where the original began. */
	if (low + 1 < made->spans.n && place > made->spans.at[low + 1].original)
		place = made->spans.at[low].original;
	*line = *column = 1;
	for (size_t i = 0; i < place && original[i]; i++) {
		*column = original[i] == '\n' ? 1 : *column + 1;
		*line += original[i] == '\n';
	}
}

void opaque_text_fini(struct opaque_text *made)
{
	vector_fini(&made->text);
	vector_fini(&made->spans);
	*made = (struct opaque_text){0};
}
