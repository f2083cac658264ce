/* SPDX-License-Identifier: Apache-2.0 */
/* value_container.c - containers as gdb's pretty printers write them: a head, and the children
 * in braces. */
#include <inttypes.h>
#include <stdlib.h>

#include "baton.h"
#include "container.h"
#include "error.h"
#include "printing.h"
#include "unwritten.h"

/* What is read of one string at most. */
#define MAX_TEXT (1u << 20)

static void print_text(struct printing *p, const struct container *c)
{
	uint32_t width = (uint32_t)type_strip(c->element)->size;
	uint64_t most = print_settings()->elements ? print_settings()->elements : MAX_TEXT;
	uint64_t n = c->n < most ? c->n : most;
	unsigned char *text = width && width <= 4 ? malloc(n * width + 1) : NULL;
	struct cudasim_error *error = text ? value_memory_read(c->address, text, n * width)
					   : &cudasim_error_nomem;
	if (error)
		printing_error(p, error);
	else
		value_print_text(p->out, text, n, c->element, n < c->n);
	free(text);
}

/* ---- children -------------------------------------------------------------------------- */

static void line(struct printing *p, uint32_t depth)
{
	fputc('\n', p->out);
	print_indent(p, depth);
}

/* False: it could not be read. */
static bool print_child(struct printing *p, struct value *child)
{
	struct cudasim_error *error = value_fetch(child);
	p->depth++;
	p->n_printed = 0; /* the limit is each container's own */
	if (error)
		printing_error(p, error);
	else
		print_any(p, child, false);
	p->depth--;
	value_fini(child);
	return !error;
}

/* [KEY] = VALUE of a pair. */
static bool print_entry(struct printing *p, const struct value *pair)
{
	static const char *const parts[] = {"first", "second"};
	bool is_read = true;
	for (int i = 0; i < 2 && is_read; i++) {
		struct value part;
		struct cudasim_error *error = value_field(pair, parts[i], &part);
		fputs(i ? "] = " : "[", p->out);
		is_read = !error;
		if (error)
			printing_error(p, error);
		else
			is_read = print_child(p, &part);
	}
	return is_read;
}

static bool print_named(struct printing *p, const struct container *c, struct value *child)
{
	if (c->kind == CONTAINER_MAP) {
		bool is_read = print_entry(p, child);
		value_fini(child);
		return is_read;
	}
	if (c->kind == CONTAINER_FIELDS)
		fprintf(p->out, "%s = ", c->name);
	else if (print_settings()->array_indexes)
		fprintf(p->out, "[%" PRIu64 "] = ", c->index - 1);
	return print_child(p, child);
}

static void print_children(struct printing *p, struct container *c)
{
	uint64_t most = print_settings()->elements ? print_settings()->elements : UINT64_MAX;
	bool lines = c->kind == CONTAINER_ARRAY ? print_settings()->array
						: print_settings()->pretty;
	uint64_t n = 0;
	bool end = false;
	while (n < most && !interrupt_waits()) {
		struct value child;
		struct cudasim_error *error = container_next(c, &child, &end);
		if (end && !error)
			break;
		fputs(n ? lines ? "," : ", " : *c->head ? " = {" : "{", p->out);
		if (lines)
			line(p, p->depth + 1);
		n++;
		if (error)
			printing_error(p, error);
		/* What follows cannot be read either. */
		if (error || (!print_named(p, c, &child) && c->kind != CONTAINER_FIELDS))
			break;
	}
	bool more = !end && c->index < c->n;
	if (more && lines)
		line(p, p->depth + 1);
	if (more)
		fputs("...", p->out);
	if (n && lines)
		line(p, p->depth);
	if (n)
		fputc('}', p->out);
	else if (!*c->head)
		fputs("{}", p->out);
}

static void print_complex(struct printing *p, struct container *c)
{
	for (int i = 0; i < 2; i++) {
		struct value child;
		bool end;
		struct cudasim_error *error = container_next(c, &child, &end);
		fputs(i ? " + " : "", p->out);
		if (error) {
			printing_error(p, error);
			return;
		}
		print_child(p, &child);
	}
	fputc('i', p->out);
}

static void print_only(struct printing *p, struct container *c)
{
	struct value child;
	bool end;
	struct cudasim_error *error = container_next(c, &child, &end);
	if (error)
		printing_error(p, error);
	else if (!end)
		print_child(p, &child);
	fputs(c->tail ? c->tail : "", p->out);
}

/* ---- all --------------------------------------------------------------------------------- */

static void print_opened(struct printing *p, struct container *c)
{
	uint32_t deepest = print_settings()->max_depth;
	fputs(c->head, p->out);
	if (c->kind == CONTAINER_TEXT)
		print_text(p, c);
	else if (c->kind == CONTAINER_COMPLEX)
		print_complex(p, c);
	else if (c->kind == CONTAINER_VALUE)
		print_only(p, c);
	else if (c->n && (p->summary || (deepest && p->depth >= deepest)))
		fputs(*c->head ? " = {...}" : "{...}", p->out);
	else
		print_children(p, c);
}

/* C's complex numbers need no room above. */
static bool print_c_complex(struct printing *p, const struct value *value, const struct type *type)
{
	for (int i = 0; i < 2; i++) {
		struct value part;
		struct cudasim_error *error = value_member(value, &type->members[i], &part);
		fputs(i ? " + " : "", p->out);
		if (error) {
			printing_error(p, error);
			return true;
		}
		print_child(p, &part);
	}
	fputc('i', p->out);
	return true;
}

bool print_container(struct printing *p, const struct value *value)
{
	const struct type *type = type_strip(value->type);
	struct container c;
	bool is_container;
	if (type->is_complex)
		return print_c_complex(p, value, type);
	if (p->format == 'r')
		return false;
	bool in_base = p->in_base;
	p->in_base = false;
	struct cudasim_error *error = container_open(value, &c, &is_container);
	if (error)
		printing_error(p, error);
	else if (is_container)
		print_opened(p, &c);
	if (!error && is_container)
		container_close(&c);
	if (!error && !is_container)
		p->in_base = in_base;
	return error || is_container;
}

bool value_print_summary(FILE *out, const struct value *value)
{
	struct printing p = {.out = out, .summary = true};
	return print_container(&p, value);
}
