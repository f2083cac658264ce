/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_struct.c - structs, classes and unions from DIEs. */
#include <stdlib.h>
#include <string.h>

#include "symbols_type.h"

struct building {
	struct type *type;
	struct member *members;
	struct method *methods;
	struct template_argument *arguments;
	size_t n_members, n_methods, n_arguments;
	size_t members_capacity, methods_capacity, arguments_capacity;
};

static enum access access_of(const struct type *type, Dwarf_Die *die)
{
	switch (die_number(die, DW_AT_accessibility, 0)) {
	case DW_ACCESS_public:
		return ACCESS_PUBLIC;
	case DW_ACCESS_protected:
		return ACCESS_PROTECTED;
	case DW_ACCESS_private:
		return ACCESS_PRIVATE;
	default:
		return type->is_class ? ACCESS_PRIVATE : ACCESS_PUBLIC;
	}
}

/* The number in an expression of which it is the only or the first one. */
static int64_t expression_number(Dwarf_Die *die, unsigned attribute, int64_t absent)
{
	Dwarf_Attribute found;
	Dwarf_Op *operations;
	size_t n;
	if (!dwarf_attr_integrate(die, attribute, &found))
		return absent;
	if (dwarf_getlocation(&found, &operations, &n))
		return die_number(die, attribute, absent);
	for (size_t i = 0; i < n; i++) {
		unsigned atom = operations[i].atom;
		if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
			return atom - DW_OP_lit0;
		if (atom == DW_OP_constu || atom == DW_OP_consts || atom == DW_OP_plus_uconst ||
		    (atom >= DW_OP_const1u && atom <= DW_OP_const8s))
			return (int64_t)operations[i].number;
	}
	return absent;
}

static struct member *add_member(struct building *b, Dwarf_Die *die)
{
	b->members = memory_grow(b->members, b->n_members, &b->members_capacity,
				 sizeof *b->members);
	struct member *m = &b->members[b->n_members++];
	*m = (struct member){.name = dwarf_diename(die),
			     .type = shell_of(die, DW_AT_type),
			     .access = access_of(b->type, die),
			     .is_artificial = die_flag(die, DW_AT_artificial)};
	return m;
}

static void add_base(struct building *b, Dwarf_Die *die)
{
	struct member *m = add_member(b, die);
	m->name = NULL;
	m->is_base = true;
	m->is_virtual_base = die_number(die, DW_AT_virtuality, 0) != DW_VIRTUALITY_none;
	/* Of a virtual base: dup, deref, constu N, minus, deref, plus. */
	m->offset = (uint64_t)expression_number(die, DW_AT_data_member_location, 0);
}

static void place_bits(struct member *m, Dwarf_Die *die)
{
	int64_t offset = die_number(die, DW_AT_data_bit_offset, -1);
	if (offset < 0) {
		/* DWARF 3: from the most significant bit of the storage unit. */
		int64_t bytes = die_number(die, DW_AT_byte_size, 4);
		int64_t from_top = die_number(die, DW_AT_bit_offset, 0);
		offset = (int64_t)(m->offset * 8) + bytes * 8 - from_top - m->bit_size;
	}
	m->bit_offset = offset > 0 ? (uint32_t)offset : 0;
	m->offset = m->bit_offset / 8;
}

static void add_field(struct building *b, Dwarf_Die *die)
{
	bool is_static = dwarf_tag(die) == DW_TAG_variable || die_flag(die, DW_AT_external) ||
			 die_flag(die, DW_AT_declaration);
	/* clang's own from version 21 on: _vtable$, which is where the class's table of virtual functions stands. */
	if (is_static && die_flag(die, DW_AT_artificial))
		return;
	struct member *m = add_member(b, die);
	if (is_static) {
		m->is_static = true;
		return;
	}
	m->offset = (uint64_t)expression_number(die, DW_AT_data_member_location, 0);
	int64_t bits = die_number(die, DW_AT_bit_size, 0);
	m->bit_size = bits > 0 && bits <= 128 ? (uint32_t)bits : 0;
	if (m->bit_size)
		place_bits(m, die);
	m->is_vptr = m->name && !strncmp(m->name, "_vptr", 5);
}

/* `this` of a const member function points to something const. */
static bool is_const_this(Dwarf_Die *parameter)
{
	Dwarf_Die type = *parameter, next;
	bool pointed = false;
	for (int i = 0; i < 8 && die_reference(&type, DW_AT_type, &next); i++) {
		type = next;
		int tag = dwarf_tag(&type);
		if (tag == DW_TAG_pointer_type)
			pointed = true;
		else if (tag == DW_TAG_const_type && pointed)
			return true;
		else if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type)
			return false;
	}
	return false;
}

static bool is_constructor(const struct type *type, const char *name)
{
	const char *last;
	size_t n;
	if (!type->name)
		return false;
	name_last(type->name, &last, &n);
	return strlen(name) >= n && !strncmp(name, last, n) && (!name[n] || name[n] == '<');
}

static void add_method(struct building *b, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	Dwarf_Die first;
	if (!name)
		return;
	b->methods = memory_grow(b->methods, b->n_methods, &b->methods_capacity,
				 sizeof *b->methods);
	struct method *m = &b->methods[b->n_methods++];
	bool has_this = !dwarf_child(die, &first) && dwarf_tag(&first) == DW_TAG_formal_parameter &&
			die_flag(&first, DW_AT_artificial);
	*m = (struct method){
		.name = name,
		.linkage = die_linkage(die),
		.type = shell_of_die(die),
		.access = access_of(b->type, die),
		.is_static = !has_this,
		.is_virtual = die_number(die, DW_AT_virtuality, 0) != DW_VIRTUALITY_none,
		.is_const = has_this && is_const_this(&first),
		.is_artificial = die_flag(die, DW_AT_artificial),
		.is_constructor = is_constructor(b->type, name),
		.vtable_index = expression_number(die, DW_AT_vtable_elem_location, -1)};
}

static void add_argument(struct building *b, Dwarf_Die *die)
{
	b->arguments = memory_grow(b->arguments, b->n_arguments, &b->arguments_capacity,
				   sizeof *b->arguments);
	b->arguments[b->n_arguments++] = (struct template_argument){
		.type = shell_of(die, DW_AT_type),
		.is_value = dwarf_tag(die) == DW_TAG_template_value_parameter,
		.value = die_number(die, DW_AT_const_value, 0)};
}

/* Those of a parameter pack count as if they had been written out. */
static void add_pack(struct building *b, Dwarf_Die *die)
{
	Dwarf_Die child;
	for (int more = dwarf_child(die, &child); !more; more = dwarf_siblingof(&child, &child))
		add_argument(b, &child);
}

void fill_struct(struct made *made, Dwarf_Die *die)
{
	struct building b = {.type = &made->type};
	Dwarf_Die child;
	made->type.kind = TYPE_STRUCT;
	made->type.is_union = dwarf_tag(die) == DW_TAG_union_type;
	made->type.is_class = dwarf_tag(die) == DW_TAG_class_type;
	made->type.is_declaration = die_flag(die, DW_AT_declaration);
	for (int more = dwarf_child(die, &child); !more; more = dwarf_siblingof(&child, &child)) {
		switch (dwarf_tag(&child)) {
		case DW_TAG_inheritance:
			add_base(&b, &child);
			break;
		case DW_TAG_member:
		case DW_TAG_variable:
			add_field(&b, &child);
			break;
		case DW_TAG_subprogram:
			add_method(&b, &child);
			break;
		case DW_TAG_template_type_parameter:
		case DW_TAG_template_value_parameter:
			add_argument(&b, &child);
			break;
		case DW_TAG_GNU_template_parameter_pack:
			add_pack(&b, &child);
			break;
		}
	}
	made->type.n_members = b.n_members;
	made->type.n_methods = b.n_methods;
	made->type.members = made_keep(b.members, b.n_members, sizeof *b.members);
	made->type.methods = made_keep(b.methods, b.n_methods, sizeof *b.methods);
	made->type.n_arguments = b.n_arguments;
	made->type.arguments = made_keep(b.arguments, b.n_arguments, sizeof *b.arguments);
}
