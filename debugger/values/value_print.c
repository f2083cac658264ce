/* SPDX-License-Identifier: Apache-2.0 */
/* value_print.c - values as gdb writes C++: structs with their bases, arrays with
 * repeats, pointers with what they point at. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "baton.h"
#include "error.h"
#include "printing.h"
#include "unwritten.h"
#include "values_state.h"

struct print_settings *print_settings(void)
{
	return &values_state()->print;
}

void printing_error(struct printing *p, struct cudasim_error *error)
{
	fprintf(p->out, "<error: %s>", error->message);
	cudasim_error_free(error);
}

void print_indent(struct printing *p, uint32_t depth)
{
	fprintf(p->out, "%*s", (int)(2 * depth), "");
}

/* ---- symbols ------------------------------------------------------------------------ */

void value_print_symbol(FILE *out, uint64_t address)
{
	const char *name = NULL, *mangled, *file;
	uint64_t code = value_code_of(address), offset = 0;
	const struct function *function = symbols_function_at(code);
	struct cudasim_memory memory;
	bool inside, freed;
	if (function && code >= function->low) {
		name = function->signature ? function->signature : function->name;
		offset = code - function->low;
	} else if (cudasim_memory_find((const void *)(uintptr_t)address, &memory, &inside,
				       &freed) &&
		   inside) {
		name = memory.kind == CUDASIM_MEMORY_VARIABLE && memory.function
			       ? symbols_demangle(memory.function)
			       : NULL;
		offset = address - (uintptr_t)memory.address;
		/* Managed variables are the host's own. */
		if (!name && !symbols_symbol_at(address, &name, &mangled, &offset, &file))
			return;
	} else if (!symbols_symbol_at(code, &name, &mangled, &offset, &file)) {
		return;
	}
	if (!name)
		return;
	fprintf(out, " <%s", name);
	if (offset)
		fprintf(out, "+%" PRIu64, offset);
	fputc('>', out);
}

/* ---- set print object ------------------------------------------------------------------ */

static bool is_polymorphic(const struct type *type)
{
	if (type->kind != TYPE_STRUCT)
		return false;
	for (size_t i = 0; i < type->n_members; i++)
		if (type->members[i].is_vptr || type->members[i].is_virtual_base ||
		    (type->members[i].is_base && is_polymorphic(type_strip(type->members[i].type))))
			return true;
	return false;
}

/* The whole object of which the one at *address of that type is a part; NULL where it
 * is of no polymorphic class, or the setting is off. */
static const struct type *whole_type(const struct type *type, uint64_t *address)
{
	const struct type *stripped = type ? type_strip(type) : type_base("void");
	if (!print_settings()->object || !is_polymorphic(stripped))
		return NULL;
	const struct type *whole = symbols_dynamic_type(*address, address);
	return type_qualified(whole ? whole : stripped, stripped->is_const, stripped->is_volatile);
}

/* ---- pointers ------------------------------------------------------------------------ */

static bool is_character(const struct type *type)
{
	return type->kind == TYPE_CHAR;
}

static void print_pointer(struct printing *p, const struct value *value, const struct type *type,
			  bool top)
{
	const struct type *target = type->target ? type_strip(type->target) : type_base("void");
	struct value pointee;
	wide held = 0;
	struct cudasim_error *error = value_to_integer(value, &held);
	if (!error)
		error = value_pointee(value, &pointee);
	if (error) {
		printing_error(p, error);
		return;
	}
	bool text = is_character(target);
	const struct type *shown = value->type, *whole;
	uint64_t start = pointee.address;
	if (top && held && type->storage != STORAGE_SHARED &&
	    (whole = whole_type(target, &start))) {
		shown = type_pointer(whole, type->storage);
		held = start;
	}
	if (top && !text) {
		fputc('(', p->out);
		type_print(p->out, shown, value->is_lvalue ? value->storage : STORAGE_NONE, false);
		fputs(") ", p->out);
	}
	fprintf(p->out, "0x%" PRIx64, (uint64_t)held);
	if (text && held) {
		fputc(' ', p->out);
		value_print_string_at(p->out, pointee.address, (uint32_t)target->size);
	} else if (held && type->storage != STORAGE_SHARED && type->storage != STORAGE_LOCAL &&
		   (print_settings()->symbol || target->kind == TYPE_FUNCTION)) {
		value_print_symbol(p->out, (uint64_t)held);
	}
}

static void print_reference(struct printing *p, const struct value *value, bool top)
{
	struct value object;
	struct cudasim_error *error = value_pointee(value, &object);
	if (error) {
		printing_error(p, error);
		return;
	}
	const struct type *shown = value->type, *whole;
	uint64_t start = object.address;
	if (top && (whole = whole_type(object.type, &start))) {
		shown = type_reference(whole);
		enum storage storage = object.storage;
		value_fini(&object);
		object = value_at(whole, storage, start);
	}
	if (top) {
		fputc('(', p->out);
		type_print(p->out, shown, value->is_lvalue ? value->storage : STORAGE_NONE, false);
		fputs(") ", p->out);
	}
	if (print_settings()->address)
		fprintf(p->out, "@0x%" PRIx64 ": ", object.address);
	error = value_fetch(&object);
	if (error) {
		fprintf(p->out, "<error reading variable: %s>", error->message);
		cudasim_error_free(error);
		return;
	}
	print_any(p, &object, false);
	value_fini(&object);
}

/* ---- arrays ---------------------------------------------------------------------------- */

/* Elements from i on that have the same bytes; 1 where they are not at hand. */
static uint64_t same_elements(const struct value *array, uint64_t i, uint64_t n, uint64_t size)
{
	uint64_t run = 1;
	const unsigned char *bytes = value_bytes(array);
	if (array->is_lazy || !size)
		return run;
	uint64_t at = array->address + i * size;
	bool unwritten = array->is_lvalue && unwritten_at(at, size);
	while (i + run < n && !memcmp(bytes + i * size, bytes + (i + run) * size, size) &&
	       (!array->is_lvalue || unwritten_at(at + run * size, size) == unwritten))
		run++;
	return run;
}

/* What separates elements: with `set print array` inner arrays stand on lines of
 * their own. */
static void array_comma(struct printing *p, const struct type *element, bool first)
{
	bool lines = print_settings()->array && element->kind == TYPE_ARRAY;
	if (!first)
		fputs(lines ? "," : ", ", p->out);
	if (lines && !first) {
		fputc('\n', p->out);
		print_indent(p, p->depth);
	}
}

static void print_elements(struct printing *p, const struct value *value, const struct type *type)
{
	const struct type *element = type_strip(type->target);
	uint64_t n = type->n, i = 0;
	uint64_t most = print_settings()->elements ? print_settings()->elements : UINT64_MAX;
	bool nested = element->kind == TYPE_ARRAY;
	uint64_t here = 0;
	while (i < n && (nested ? here : p->n_printed) < most && p->n_printed < most &&
	       !interrupt_waits()) {
		uint64_t run = same_elements(value, i, n, element->size);
		struct value part;
		array_comma(p, element, !i);
		if (print_settings()->array_indexes)
			fprintf(p->out, "[%" PRIu64 "] = ", i);
		struct cudasim_error *error = value_element(value, (int64_t)i, &part);
		if (!error)
			error = value_fetch(&part);
		if (error) {
			p->n_printed++; /* so that unreadable arrays of arrays end, too */
			printing_error(p, error);
			return;
		}
		bool repeats = print_settings()->repeats && run > print_settings()->repeats;
		uint64_t before = p->n_printed;
		print_any(p, &part, false);
		value_fini(&part);
		if (repeats)
			fprintf(p->out, " <repeats %" PRIu64 " times>", run);
		/* Repeats count as many as the threshold. */
		p->n_printed = repeats  ? before + print_settings()->repeats
			       : nested ? p->n_printed
					: before + 1;
		here++;
		i += repeats ? run : 1;
	}
	if (i < n)
		fputs("...", p->out);
}

static void print_text(struct printing *p, const struct value *value, const struct type *type)
{
	uint32_t width = (uint32_t)type_strip(type->target)->size;
	uint64_t n = type->n, most = print_settings()->elements ? print_settings()->elements : n;
	struct value hold;
	struct cudasim_error *error = value_copy(value, &hold);
	if (!error)
		error = value_fetch(&hold);
	if (error) {
		printing_error(p, error);
		return;
	}
	if (hold.is_lazy || width > 4) { /* too large to be read at once */
		fputc('{', p->out);
		print_elements(p, value, type);
		fputc('}', p->out);
		return;
	}
	const unsigned char *bytes = value_bytes(&hold);
	/* The last zero belongs to the string and is not shown, unless the text is cut. */
	bool zero = n > 0;
	for (uint32_t i = 0; zero && i < width; i++)
		zero = !bytes[(n - 1) * width + i];
	if (zero && n <= most + 1)
		n--;
	value_print_text(p->out, bytes, n, type->target, false);
	value_fini(&hold);
}

static void print_array(struct printing *p, const struct value *value, const struct type *type)
{
	if (!type->n) { /* of unknown bound: where it begins, as an offset in shared memory */
		struct value pointer;
		wide held;
		struct cudasim_error *error = value_pointer_to(value, &pointer);
		if (!error)
			error = value_to_integer(&pointer, &held);
		if (error)
			printing_error(p, error);
		else
			fprintf(p->out, "0x%" PRIx64, (uint64_t)held);
		return;
	}
	if (is_character(type_strip(type->target)) &&
	    (!p->format || p->format == 's' || p->format == 'r')) {
		print_text(p, value, type);
		return;
	}
	if (print_settings()->max_depth && p->depth >= print_settings()->max_depth) {
		fputs("{...}", p->out);
		return;
	}
	p->depth++;
	fputc('{', p->out);
	print_elements(p, value, type);
	fputc('}', p->out);
	p->depth--;
}

/* ---- structs ----------------------------------------------------------------------------- */

static bool is_static_shown(const struct member *member)
{
	return member->is_static && print_settings()->static_members;
}

static void print_static(struct printing *p, const struct type *type, const struct member *member)
{
	char name[1024];
	const struct variable *variable;
	struct value value;
	snprintf(name, sizeof name, "%s::%s", type->name ? type->name : "", member->name);
	struct cudasim_error *error = NULL;
	if (!symbols_globals(name, &variable, 1) ||
	    (error = value_of_global(variable, 0, &value))) {
		cudasim_error_free(error);
		fputs("<optimized out>", p->out);
		return;
	}
	error = value_fetch(&value);
	if (error) {
		printing_error(p, error);
		return;
	}
	print_any(p, &value, false);
	value_fini(&value);
}

/* A virtual base is written where it is met first in an object. */
static bool was_written(struct printing *p, const struct member *member)
{
	if (!member->is_virtual_base)
		return false;
	for (size_t i = p->first_base; i < p->n_bases; i++)
		if (type_equal(p->bases[i], member->type))
			return true;
	if (p->n_bases < sizeof p->bases / sizeof *p->bases)
		p->bases[p->n_bases++] = member->type;
	return false;
}

static void print_member(struct printing *p, const struct value *value, const struct type *type,
			 const struct member *member)
{
	struct value part;
	if (member->is_base)
		fprintf(p->out, "<%s> = ", member->type->name ? member->type->name : "");
	else if (member->name && *member->name)
		fprintf(p->out, "%s%s = ", member->is_static ? "static " : "", member->name);
	if (member->is_static) {
		print_static(p, type, member);
		return;
	}
	if (type_strip(member->type)->is_union && !print_settings()->unions) {
		fputs("{...}", p->out);
		return;
	}
	struct cudasim_error *error = value_member(value, member, &part);
	if (!error)
		error = value_fetch(&part);
	if (error) {
		printing_error(p, error);
		return;
	}
	p->in_base = member->is_base;
	print_any(p, &part, false);
	value_fini(&part);
}

static void print_struct(struct printing *p, const struct value *value, const struct type *type)
{
	bool first = true, bases = false, said = false;
	size_t first_base = p->first_base, n_bases = p->n_bases;
	bool in_base = p->in_base;
	p->in_base = false;
	if (print_settings()->max_depth && p->depth >= print_settings()->max_depth) {
		fputs("{...}", p->out);
		return;
	}
	if (!in_base)
		p->first_base = n_bases;
	p->depth++;
	fputc('{', p->out);
	for (size_t i = 0; i < type->n_members; i++) {
		const struct member *member = &type->members[i];
		if ((member->is_static && !is_static_shown(member)) || was_written(p, member))
			continue;
		if (!first)
			fputs(print_settings()->pretty ? (type->members[i - 1].is_base ? ", " : ",")
						       : ", ",
			      p->out);
		if (print_settings()->pretty) {
			fputc('\n', p->out);
			print_indent(p, p->depth);
		}
		bases |= member->is_base;
		if (print_settings()->pretty && bases && !member->is_base && !said) {
			said = true;
			fprintf(p->out, "members of %s:\n", type->name ? type->name : "");
			print_indent(p, p->depth);
		}
		print_member(p, value, type, member);
		first = false;
	}
	p->depth--;
	if (first) {
		fputs("<No data fields>", p->out);
	} else if (print_settings()->pretty) {
		fputc('\n', p->out);
		print_indent(p, p->depth);
	}
	fputc('}', p->out);
	if (!in_base) {
		p->first_base = first_base;
		p->n_bases = n_bases;
	}
}

/* ---- pointers to members ------------------------------------------------------------------- */

/* Itanium C++ ABI 2.3: a data member's offset, -1 for none; of functions the address,
 * or 1 + the place in the virtual table, and what to add to `this`. */

static bool print_field_at(struct printing *p, const struct type *owner, int64_t offset)
{
	for (size_t i = 0; i < owner->n_members; i++) {
		const struct member *m = &owner->members[i];
		const struct type *type = type_strip(m->type);
		if (m->is_static || m->is_virtual_base)
			continue;
		if (!m->is_base && (int64_t)m->offset == offset && m->name) {
			fprintf(p->out, "&%s::%s", owner->name ? owner->name : "", m->name);
			return true;
		}
		if (m->is_base && offset >= (int64_t)m->offset &&
		    offset < (int64_t)(m->offset + type->size) &&
		    print_field_at(p, type, offset - (int64_t)m->offset))
			return true;
	}
	return false;
}

static bool print_virtual_at(struct printing *p, const struct type *owner, int64_t index)
{
	for (size_t i = 0; i < owner->n_methods; i++) {
		const struct method *m = &owner->methods[i];
		if (!m->is_virtual || m->vtable_index != index || !m->linkage)
			continue;
		fprintf(p->out, "&virtual %s", symbols_demangle(m->linkage));
		return true;
	}
	for (size_t i = 0; i < owner->n_members; i++)
		if (owner->members[i].is_base &&
		    print_virtual_at(p, type_strip(owner->members[i].type), index))
			return true;
	return false;
}

static void print_member_pointer(struct printing *p, const struct value *value,
				 const struct type *type)
{
	int64_t words[2] = {0};
	const struct type *owner = type->owner ? type_strip(type->owner) : type_base("void");
	bool is_function = type->target && type_strip(type->target)->kind == TYPE_FUNCTION;
	memcpy(words, value_bytes(value), value->n_bytes < 16 ? value->n_bytes : 16);
	if (words[0] == (is_function ? 0 : -1)) {
		fputs("NULL", p->out);
		return;
	}
	if (is_function ? (words[0] & 1) && print_virtual_at(p, owner, words[0] / 8)
			: print_field_at(p, owner, words[0]))
		return;
	fputc('(', p->out);
	type_print(p->out, value->type, value->is_lvalue ? value->storage : STORAGE_NONE, false);
	fprintf(p->out, ") 0x%" PRIx64, (uint64_t)words[0]);
	if (is_function && !(words[0] & 1))
		value_print_symbol(p->out, (uint64_t)words[0]);
}

/* ---- all ------------------------------------------------------------------------------------ */

static void print_function(struct printing *p, const struct value *value)
{
	fputc('{', p->out);
	type_print(p->out, value->type, value->storage, false);
	fputc('}', p->out);
	if (print_settings()->address)
		fprintf(p->out, " 0x%" PRIx64, value->address);
	value_print_symbol(p->out, value->address);
}

static bool is_text(const struct type *type)
{
	return type->kind == TYPE_ARRAY && is_character(type_strip(type->target));
}

static bool is_unwritten(const struct value *value, const struct type *type)
{
	return unwritten_at(value->address, value->bit_size
						    ? (value->bit_offset + value->bit_size + 7) / 8
						    : type->size);
}

void print_any(struct printing *p, const struct value *value, bool top)
{
	const struct type *type = value->type ? type_strip(value->type) : NULL;
	if (value->is_optimized_out) {
		fputs("<optimized out>", p->out);
		return;
	}
	if (value->is_void || !type || type->kind == TYPE_VOID) {
		fputs("void", p->out);
		return;
	}
	bool whole = type->kind != TYPE_STRUCT && type->kind != TYPE_ARRAY;
	if (value->is_lvalue &&
	    (whole || type->float_format || type->is_complex || is_text(type)) &&
	    is_unwritten(value, type)) {
		fputs("<uninitialized>", p->out);
		return;
	}
	bool letters = p->format && p->format != 's' && p->format != 'r' && p->format != 'i';
	switch (type->kind) {
	case TYPE_ARRAY:
		print_array(p, value, type);
		return;
	case TYPE_STRUCT:
		if (type->float_format)
			break;
		if (type->is_declaration)
			fputs("<incomplete type>", p->out);
		else if (!print_container(p, value))
			print_struct(p, value, type);
		return;
	case TYPE_REFERENCE:
		print_reference(p, value, top && !letters);
		return;
	case TYPE_FUNCTION:
		print_function(p, value);
		return;
	case TYPE_POINTER:
		if (letters)
			break;
		print_pointer(p, value, type, top);
		return;
	case TYPE_MEMBER_POINTER:
		if (letters)
			break;
		print_member_pointer(p, value, type);
		return;
	default:
		break;
	}
	value_print_scalar(p->out, value, letters ? p->format : 0, p->size);
}

void value_print(FILE *out, const struct value *value, char format, char size, bool top)
{
	struct printing p = {.out = out, .format = format, .size = size};
	struct value hold;
	struct cudasim_error *error = value_copy(value, &hold);
	/* What is too large stays unread, and is read element by element. */
	if (!error && !hold.is_void && hold.type && type_strip(hold.type)->kind != TYPE_FUNCTION &&
	    !hold.is_optimized_out)
		error = value_fetch(&hold);
	if (error) {
		printing_error(&p, error);
		return;
	}
	const struct type *whole;
	uint64_t start = hold.address;
	if (top && hold.is_lvalue && (whole = whole_type(hold.type, &start))) {
		struct value object = value_at(whole, hold.storage, start);
		fputc('(', out);
		type_print(out, whole, hold.storage, false);
		fputs(") ", out);
		error = value_fetch(&object);
		if (error) {
			printing_error(&p, error);
		} else {
			value_fini(&hold);
			hold = object;
		}
	}
	print_any(&p, &hold, top);
	value_fini(&hold);
}
