/* SPDX-License-Identifier: Apache-2.0 */
/* type_print.c - types as text: C++ declarators with cuda-gdb's storages before
 * the object and behind each *, and the bodies of structs and enums as gdb
 * writes them.
 *
 * A declarator is written inside out: what stands before the name, then the
 * name, then what stands behind it. print_before() and print_after() go down
 * the same chain of pointers, arrays and functions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbols_dwarf.h"
#include "type.h"

enum { MAX_CHAIN = 64 };

/* How much of a struct's body is written. */
enum { SHOW_NAME, SHOW_UNNAMED, SHOW_BODY };

struct printing {
	FILE *out;
	int indent;
};

static void print_declared(struct printing *p, const struct type *type, enum storage storage,
			   const char *name, int show, int depth);

/* Where what a pointer or reference leads to lies. */
static enum storage target_storage(const struct type *type, enum storage storage)
{
	if (type->storage != STORAGE_NONE)
		return type->storage;
	return storage == STORAGE_NONE ? STORAGE_NONE : STORAGE_GENERIC;
}

static bool is_chain(const struct type *type)
{
	return type && (type->kind == TYPE_POINTER || type->kind == TYPE_REFERENCE ||
			type->kind == TYPE_ARRAY || type->kind == TYPE_FUNCTION ||
			type->kind == TYPE_MEMBER_POINTER);
}

static const struct type *resolved(const struct type *type, int show)
{
	if (!type)
		return type_base("void");
	if (show == SHOW_BODY && type->kind == TYPE_TYPEDEF)
		return type_strip(type);
	return type;
}

static bool needs_brackets(const struct type *target)
{
	return target && (target->kind == TYPE_ARRAY || target->kind == TYPE_FUNCTION);
}

/* ---- bodies ---------------------------------------------------------------------- */

static const char *const accesses[] = {"public", "protected", "private"};

static bool needs_labels(const struct type *type)
{
	enum access usual = type->is_class ? ACCESS_PRIVATE : ACCESS_PUBLIC;
	for (size_t i = 0; i < type->n_members; i++)
		if (!type->members[i].is_base && !type->members[i].is_vptr &&
		    type->members[i].access != usual)
			return true;
	for (size_t i = 0; i < type->n_methods; i++)
		if (!type->methods[i].is_artificial && type->methods[i].access != usual)
			return true;
	return false;
}

static void print_label(struct printing *p, enum access access, int *last)
{
	if (*last == (int)access)
		return;
	if (*last >= 0)
		fputc('\n', p->out);
	*last = (int)access;
	fprintf(p->out, "%*s%s:\n", p->indent + 2, "", accesses[access]);
}

static void print_bases(struct printing *p, const struct type *type)
{
	const char *sign = " : ";
	for (size_t i = 0; i < type->n_members; i++) {
		const struct member *m = &type->members[i];
		if (!m->is_base)
			continue;
		fprintf(p->out, "%s%s %s%s", sign, accesses[m->access],
			m->is_virtual_base ? "virtual " : "", type_text(m->type));
		sign = ", ";
	}
}

static void print_member(struct printing *p, const struct member *m, enum storage storage, int show,
			 int depth)
{
	fprintf(p->out, "%*s", p->indent + 4, "");
	if (m->is_static)
		fputs("static ", p->out);
	struct printing inner = {p->out, p->indent + 4};
	print_declared(&inner, m->type, m->is_static ? STORAGE_NONE : storage, m->name,
		       show == SHOW_BODY ? SHOW_UNNAMED : SHOW_NAME, depth + 1);
	if (m->bit_size)
		fprintf(p->out, " : %" PRIu32, m->bit_size);
	fputs(";\n", p->out);
}

static void print_method(struct printing *p, const struct method *m)
{
	const struct type *type = m->type;
	const char *comma = "";
	fprintf(p->out, "%*s%s%s", p->indent + 4, "", m->is_virtual ? "virtual " : "",
		m->is_static ? "static " : "");
	/* Constructors, destructors and conversions return nothing that is written. */
	if (type->target && type->target->kind != TYPE_VOID && strncmp(m->name, "operator ", 9))
		fprintf(p->out, "%s ", type_text(type->target));
	else if (type->target && m->name[0] != '~' && !m->is_constructor &&
		 strncmp(m->name, "operator ", 9))
		fputs("void ", p->out);
	fprintf(p->out, "%s(", m->name);
	for (size_t i = m->is_static ? 0 : 1; i < type->n_members; i++) {
		fprintf(p->out, "%s%s", comma, type_text(type->members[i].type));
		comma = ", ";
	}
	if (type->is_variadic)
		fprintf(p->out, "%s...", comma);
	else if (!*comma && m->name[0] != '~')
		fputs("void", p->out);
	fprintf(p->out, ")%s;\n", m->is_const ? " const" : "");
}

static void print_struct_body(struct printing *p, const struct type *type, enum storage storage,
			      int show, int depth)
{
	bool labels = needs_labels(type), any = false;
	int last = -1;
	print_bases(p, type);
	fputs(" {\n", p->out);
	for (size_t i = 0; i < type->n_members; i++) {
		const struct member *m = &type->members[i];
		if (m->is_base || m->is_vptr)
			continue;
		if (labels)
			print_label(p, m->access, &last);
		print_member(p, m, storage, show, depth);
		any = true;
	}
	bool methods = false;
	for (size_t i = 0; i < type->n_methods; i++) {
		const struct method *m = &type->methods[i];
		if (m->is_artificial)
			continue;
		if (!methods && any && (!labels || last == (int)m->access))
			fputc('\n', p->out);
		methods = true;
		if (labels)
			print_label(p, m->access, &last);
		print_method(p, m);
	}
	if (!any && !methods)
		fprintf(p->out, "%*s%s\n", p->indent + 4, "",
			type->is_declaration ? "<incomplete type>" : "<no data fields>");
	fprintf(p->out, "%*s}", p->indent, "");
}

static void print_enum_body(struct printing *p, const struct type *type)
{
	int64_t next = 0;
	if (type->target)
		fprintf(p->out, " : %s", type_text(type->target));
	fputs(" {", p->out);
	for (size_t i = 0; i < type->n_enumerators; i++) {
		const struct enumerator *e = &type->enumerators[i];
		fprintf(p->out, "%s%s", i ? ", " : "", e->name);
		if (e->value != next)
			fprintf(p->out, " = %" PRId64, e->value);
		next = (int64_t)((uint64_t)e->value + 1);
	}
	fputc('}', p->out);
}

/* The innermost type of a declarator: a name or a body. */
static void print_base(struct printing *p, const struct type *type, enum storage storage, int show,
		       int depth)
{
	if (type->is_const)
		fputs("const ", p->out);
	if (type->is_volatile)
		fputs("volatile ", p->out);
	if (storage != STORAGE_NONE)
		fprintf(p->out, "%s ", storage_name(storage));
	type = resolved(type, show);
	bool body = (show == SHOW_BODY || (show == SHOW_UNNAMED && !type->name)) &&
		    depth < MAX_CHAIN;
	if (type->kind == TYPE_STRUCT && (body || !type->name) &&
	    type->float_format == FLOAT_NONE && !type->is_complex) {
		fputs(type->is_union ? "union" : type->is_class ? "class" : "struct", p->out);
		if (type->name)
			fprintf(p->out, " %s", type->name);
		if (body)
			print_struct_body(p, type, storage, show, depth);
		else
			fputs(" {...}", p->out);
	} else if (type->kind == TYPE_ENUM && (body || !type->name)) {
		fputs(type->is_scoped ? "enum class" : "enum", p->out);
		if (type->name)
			fprintf(p->out, " %s", type->name);
		if (body)
			print_enum_body(p, type);
		else
			fputs(" {...}", p->out);
	} else {
		fputs(type->name ? type->name : "void", p->out);
	}
}

/* ---- declarators ------------------------------------------------------------------- */

static void print_qualifiers(struct printing *p, const struct type *type, enum storage storage)
{
	if (type->is_const)
		fputs(" const", p->out);
	if (type->is_volatile)
		fputs(" volatile", p->out);
	if (type->is_restrict)
		fputs(" __restrict__", p->out);
	if (storage != STORAGE_NONE)
		fprintf(p->out, " %s", storage_name(storage));
}

static void print_before(struct printing *p, const struct type *type, enum storage storage,
			 int show, int depth)
{
	type = resolved(type, show);
	if (depth > MAX_CHAIN || !is_chain(type)) {
		print_base(p, type, storage, show, depth);
		return;
	}
	bool through = type->kind == TYPE_POINTER || type->kind == TYPE_REFERENCE ||
		       type->kind == TYPE_MEMBER_POINTER;
	const struct type *target = resolved(type->target, show);
	print_before(p, type->target, through ? target_storage(type, storage) : storage, show,
		     depth + 1);
	if (type->kind == TYPE_MEMBER_POINTER) {
		fprintf(p->out, needs_brackets(target) ? " (%s::*" : " %s::*",
			type->owner && type->owner->name ? type->owner->name : "?");
		print_qualifiers(p, type, storage);
	} else if (through) {
		/* "int **p", but "int * @generic * @local". */
		bool joined = storage == STORAGE_NONE && target && is_chain(target) &&
			      !needs_brackets(target) &&
			      target_storage(type, storage) == STORAGE_NONE && !target->is_const &&
			      !target->is_volatile && !target->is_restrict;
		fprintf(p->out, "%s%s%s", joined ? "" : " ", needs_brackets(target) ? "(" : "",
			type->kind == TYPE_POINTER ? "*"
			: type->rvalue_reference   ? "&&"
						   : "&");
		print_qualifiers(p, type, storage);
	}
}

static void print_parameters(struct printing *p, const struct type *type, enum storage storage,
			     int depth)
{
	fputc('(', p->out);
	for (size_t i = 0; i < type->n_members; i++) {
		if (i)
			fputs(", ", p->out);
		print_declared(p, type->members[i].type, storage, NULL, SHOW_NAME, depth + 1);
	}
	if (type->is_variadic)
		fputs(type->n_members ? ", ..." : "...", p->out);
	else if (!type->n_members)
		fputs("void", p->out);
	fputc(')', p->out);
}

static void print_after(struct printing *p, const struct type *type, enum storage storage, int show,
			int depth)
{
	type = resolved(type, show);
	if (depth > MAX_CHAIN || !is_chain(type))
		return;
	const struct type *target = resolved(type->target, show);
	bool through = type->kind == TYPE_POINTER || type->kind == TYPE_REFERENCE ||
		       type->kind == TYPE_MEMBER_POINTER;
	if (through && needs_brackets(target))
		fputc(')', p->out);
	if (type->kind == TYPE_ARRAY && type->n)
		fprintf(p->out, "[%" PRIu64 "]", type->n);
	else if (type->kind == TYPE_ARRAY)
		fputs("[]", p->out);
	else if (type->kind == TYPE_FUNCTION)
		print_parameters(p, type, storage, depth);
	print_after(p, type->target, through ? target_storage(type, storage) : storage, show,
		    depth + 1);
}

static bool ends_in_star(const struct type *type)
{
	return (type->kind == TYPE_POINTER || type->kind == TYPE_REFERENCE ||
		type->kind == TYPE_MEMBER_POINTER) &&
	       !type->is_const && !type->is_volatile && !type->is_restrict;
}

static void print_declared(struct printing *p, const struct type *type, enum storage storage,
			   const char *name, int show, int depth)
{
	const struct type *shown = resolved(type, show);
	bool is_suffixed = shown->kind == TYPE_ARRAY || shown->kind == TYPE_FUNCTION;
	print_before(p, type, storage, show, depth);
	/* "int [3]", "int (int)", "int *", "int *name", "int *name[3]". */
	for (int i = 0; i < MAX_CHAIN && shown->kind == TYPE_ARRAY; i++)
		shown = resolved(shown->target, show);
	bool joined = storage == STORAGE_NONE && ends_in_star(shown);
	if (name && *name)
		fprintf(p->out, "%s%s", joined ? "" : " ", name);
	else if (is_suffixed && !joined)
		fputc(' ', p->out);
	print_after(p, type, storage, show, depth);
}

void type_print(FILE *out, const struct type *type, enum storage storage, bool deep)
{
	struct printing p = {out, 0};
	print_declared(&p, type, storage, NULL, deep ? SHOW_BODY : SHOW_NAME, 0);
}

const char *type_text(const struct type *type)
{
	static struct hash texts;
	char *text = hash_get(&texts, type), *buffer = NULL;
	size_t n = 0;
	if (text)
		return text;
	FILE *out = open_memstream(&buffer, &n);
	if (!out)
		return "?";
	type_print(out, type, STORAGE_NONE, false);
	fclose(out);
	text = (char *)memory_text(buffer ? buffer : "?", n);
	free(buffer);
	hash_put(&texts, type, text);
	return text;
}
