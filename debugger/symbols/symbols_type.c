/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_type.c - types from DIEs.
 *
 * Types refer to each other in circles, and chains of them may be as long as
 * corrupt input makes them. So a type is made empty when something refers to it
 * and put into a queue; the outermost call fills the queue's types, which queue
 * others, and at last settles what depends on whole types: sizes of typedefs and
 * arrays, and const and volatile ones, which are copies of what they qualify. */
#include <stdlib.h>
#include <string.h>

#include "symbols_dwarf.h"
#include "symbols_state.h"
#include "symbols_type.h"

enum { MAX_CHAIN = 200 };

/* ---- queue ------------------------------------------------------------------- */

struct made *made_new(enum type_kind kind)
{
	struct symbols_types *own = &symbols_state()->types;
	struct made *made = memory_new(sizeof *made);
	made->type.kind = kind;
	own->queue = memory_grow(own->queue, own->n_queue, &own->queue_capacity,
				 sizeof(*own->queue));
	own->queue[own->n_queue++] = made;
	return made;
}

static bool is_composite(int tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type;
}

struct definition {
	const char *name;
	Dwarf_Die *ret;
	bool found;
};

static void take_definition(void *user, struct entry *entry)
{
	struct definition *wanted = user;
	Dwarf_Die die = die_make(entry->unit, entry->die);
	const char *name;
	if (wanted->found || !is_composite(dwarf_tag(&die)) || !(name = name_qualified(&die)) ||
	    strcmp(name, wanted->name))
		return;
	*wanted->ret = die;
	wanted->found = true;
}

/* The definition of what die only declares; die itself if there is none. */
static Dwarf_Die define(Dwarf_Die *die)
{
	Dwarf_Die definition = *die;
	Dwarf_Attribute found;
	if (!is_composite(dwarf_tag(die)) || !dwarf_attr(die, DW_AT_declaration, &found))
		return definition;
	if (dwarf_attr(die, DW_AT_signature, &found) && dwarf_formref_die(&found, &definition))
		return definition;
	const char *name = name_qualified(die);
	if (name) {
		const char *base = dwarf_diename(die);
		struct definition wanted = {name, &definition, false};
		index_find(ENTRY_TYPE, base, name_base(base), take_definition, &wanted);
	}
	return definition;
}

/* The empty type of a DIE, to be filled. */
static const struct type *shell(Dwarf_Die *die)
{
	struct symbols_types *own = &symbols_state()->types;
	struct made *made = hash_get(&own->known, die->addr);
	if (made)
		return &made->type;
	Dwarf_Die whole = define(die);
	made = hash_get(&own->known, whole.addr);
	if (!made) {
		made = made_new(TYPE_VOID);
		made->die = whole;
		made->has_die = true;
		hash_put(&own->known, whole.addr, made);
	}
	hash_put(&own->known, die->addr, made);
	return &made->type;
}

const struct type *shell_of(Dwarf_Die *die, unsigned attribute)
{
	Dwarf_Die target;
	return die_reference(die, attribute, &target) ? shell(&target) : type_base("void");
}

const struct type *shell_of_die(Dwarf_Die *die)
{
	return shell(die);
}

/* ---- simple types --------------------------------------------------------------- */

/* Two numbers of half the size, by the names that gcc and clang have for them. */
static void fill_complex(struct type *type)
{
	const struct type *part = type_float((uint32_t)(type->size / 2));
	struct member members[] = {{.name = "__real__", .type = part},
				   {.name = "__imag__", .type = part}};
	if (!part)
		return;
	struct member *kept = memory_new(sizeof members);
	members[1].offset = part->size;
	memcpy(kept, members, sizeof members);
	type->kind = TYPE_STRUCT;
	type->is_complex = true;
	type->members = kept;
	type->n_members = 2;
}

static void fill_base(struct type *type, Dwarf_Die *die)
{
	const char *name = type->name ? type->name : "";
	type->kind = TYPE_INTEGER;
	switch (die_number(die, DW_AT_encoding, 0)) {
	case DW_ATE_boolean:
		type->kind = TYPE_BOOL;
		break;
	case DW_ATE_float:
		type->kind = TYPE_FLOAT;
		type->is_signed = true;
		type->float_format = type->size == 4   ? FLOAT_SINGLE
				     : type->size == 8 ? FLOAT_DOUBLE
				     : type->size == 2
					     ? (strstr(name, "bf") ? FLOAT_BFLOAT16 : FLOAT_HALF)
				     : strstr(name, "128") ? FLOAT_NONE
							   : FLOAT_X87;
		break;
	case DW_ATE_complex_float:
		fill_complex(type);
		return;
	case DW_ATE_signed:
		type->is_signed = true;
		break;
	case DW_ATE_signed_char:
		type->is_signed = true;
		type->kind = TYPE_CHAR;
		break;
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		type->kind = TYPE_CHAR;
		break;
	}
	if (!strcmp(name, "wchar_t"))
		type->kind = TYPE_CHAR;
	if (type->kind == TYPE_CHAR && type->size > 4)
		type->kind = TYPE_INTEGER;
}

/* An array of several dimensions has one subrange each, the outermost first. */
static void fill_array(struct made *made, Dwarf_Die *die)
{
	struct type *type = &made->type;
	const struct type *element = shell_of(die, DW_AT_type);
	Dwarf_Die child;
	type->kind = TYPE_ARRAY;
	int more = dwarf_child(die, &child), n = 0;
	for (; !more; more = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) != DW_TAG_subrange_type || ++n > MAX_CHAIN)
			continue;
		if (n > 1) {
			struct type *inner = &made_new(TYPE_ARRAY)->type;
			type->target = inner;
			type = inner;
		}
		int64_t count = die_number(&child, DW_AT_count, -1);
		if (count < 0)
			count = die_number(&child, DW_AT_upper_bound, -1) + 1;
		type->n = count > 0 ? (uint64_t)count : 0;
	}
	type->target = element;
}

void fill_function(struct type *type, Dwarf_Die *die)
{
	struct member *members = NULL;
	size_t n = 0, capacity = 0;
	Dwarf_Die child;
	type->kind = TYPE_FUNCTION;
	type->target = shell_of(die, DW_AT_type);
	for (int more = dwarf_child(die, &child); !more; more = dwarf_siblingof(&child, &child)) {
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			type->is_variadic = true;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		members = memory_grow(members, n, &capacity, sizeof *members);
		members[n++] = (struct member){.name = dwarf_diename(&child),
					       .type = shell_of(&child, DW_AT_type),
					       .is_artificial = die_flag(&child, DW_AT_artificial)};
	}
	type->members = made_keep(members, n, sizeof *members);
	type->n_members = n;
}

const void *made_keep(void *array, size_t n, size_t size)
{
	void *kept = n ? memory_new(n * size) : NULL;
	if (n)
		memcpy(kept, array, n * size);
	free(array);
	return kept;
}

static void fill_enum(struct type *type, Dwarf_Die *die)
{
	struct enumerator *all = NULL;
	size_t n = 0, capacity = 0;
	Dwarf_Die child, target;
	type->kind = TYPE_ENUM;
	type->is_scoped = die_flag(die, DW_AT_enum_class);
	type->target = die_reference(die, DW_AT_type, &target) ? shell(&target)
							       : type_integer(4, false);
	const char *prefix = type->is_scoped && type->name ? memory_format("%s::", type->name)
							   : name_prefix(die);
	for (int more = dwarf_child(die, &child); !more; more = dwarf_siblingof(&child, &child)) {
		const char *name = dwarf_diename(&child);
		if (dwarf_tag(&child) != DW_TAG_enumerator || !name)
			continue;
		all = memory_grow(all, n, &capacity, sizeof *all);
		all[n].name = *prefix ? memory_format("%s%s", prefix, name) : name;
		all[n++].value = die_number(&child, DW_AT_const_value, 0);
	}
	type->enumerators = made_keep(all, n, sizeof *all);
	type->n_enumerators = n;
}

static void fill_pointer(struct type *type, Dwarf_Die *die, enum type_kind kind)
{
	type->kind = kind;
	type->size = 8;
	type->target = shell_of(die, DW_AT_type);
}

static void qualify(struct made *made, Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	made->qualifies = shell_of(die, DW_AT_type);
	made->is_const = tag == DW_TAG_const_type;
	made->is_volatile = tag == DW_TAG_volatile_type;
	made->is_restrict = tag == DW_TAG_restrict_type;
}

static void name_it(struct type *type, Dwarf_Die *die)
{
	type->name = name_qualified(die);
	const char *last = type->name;
	size_t n;
	if (!last)
		return;
	name_last(last, &last, &n);
	if (last != type->name)
		type->short_name = last;
}

/* Structs that stand for numbers: CUDA's and CUTLASS's. */
static enum float_format format_of(const char *name)
{
	static const struct {
		const char *name;
		enum float_format format;
	} numbers[] = {
		{"__half", FLOAT_HALF},
		{"__nv_bfloat16", FLOAT_BFLOAT16},
		{"__nv_fp8_e5m2", FLOAT_E5M2},
		{"__nv_fp8_e4m3", FLOAT_E4M3},
		{"__nv_fp8_e8m0", FLOAT_E8M0},
		{"__nv_fp6_e3m2", FLOAT_E3M2},
		{"__nv_fp6_e2m3", FLOAT_E2M3},
		{"__nv_fp4_e2m1", FLOAT_E2M1},
		{"cutlass::half_t", FLOAT_HALF},
		{"cutlass::bfloat16_t", FLOAT_BFLOAT16},
		{"cutlass::float_e5m2_t", FLOAT_E5M2},
		{"cutlass::float_e4m3_t", FLOAT_E4M3},
	};
	for (size_t i = 0; name && i < sizeof numbers / sizeof *numbers; i++)
		if (!strcmp(name, numbers[i].name))
			return numbers[i].format;
	return FLOAT_NONE;
}

static void fill(struct made *made)
{
	struct type *type = &made->type;
	Dwarf_Die *die = &made->die, inner;
	type->size = (uint64_t)die_number(die, DW_AT_byte_size, 0);
	int64_t alignment = die_number(die, DW_AT_alignment, 0);
	type->alignment = alignment > 0 && alignment <= 1 << 20 ? (uint32_t)alignment : 0;
	switch (dwarf_tag(die)) {
	case DW_TAG_base_type:
		type->name = dwarf_diename(die);
		fill_base(type, die);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		name_it(type, die);
		type->float_format = format_of(type->name);
		fill_struct(made, die);
		break;
	case DW_TAG_enumeration_type:
		name_it(type, die);
		fill_enum(type, die);
		break;
	case DW_TAG_typedef:
	case DW_TAG_template_alias:
		name_it(type, die);
		type->kind = TYPE_TYPEDEF;
		type->target = shell_of(die, DW_AT_type);
		break;
	case DW_TAG_unspecified_type:
		type->kind = TYPE_TYPEDEF;
		type->name = dwarf_diename(die);
		type->target = type_pointer(type_base("void"), STORAGE_NONE);
		break;
	case DW_TAG_pointer_type:
		fill_pointer(type, die, TYPE_POINTER);
		break;
	case DW_TAG_reference_type:
		fill_pointer(type, die, TYPE_REFERENCE);
		break;
	case DW_TAG_rvalue_reference_type:
		fill_pointer(type, die, TYPE_REFERENCE);
		type->rvalue_reference = true;
		break;
	case DW_TAG_ptr_to_member_type:
		fill_pointer(type, die, TYPE_MEMBER_POINTER);
		type->owner = shell_of(die, DW_AT_containing_type);
		if (die_reference(die, DW_AT_type, &inner) &&
		    dwarf_tag(&inner) == DW_TAG_subroutine_type)
			type->size = 16;
		break;
	case DW_TAG_array_type:
		fill_array(made, die);
		break;
	case DW_TAG_subroutine_type:
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
		fill_function(type, die);
		type->size = 0;
		break;
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
	case DW_TAG_packed_type:
	case DW_TAG_immutable_type:
		qualify(made, die);
		break;
	default:
		type->size = 0; /* corrupt, or of a language that is none of ours: void */
		break;
	}
}

/* ---- settling ---------------------------------------------------------------------- */

static void settle(struct made *made, int depth);

static void settle_type(const struct type *type, int depth)
{
	struct made *made = hash_get(&symbols_state()->types.pending, type);
	if (made && depth < MAX_CHAIN)
		settle(made, depth + 1);
}

static void settle(struct made *made, int depth)
{
	struct type *type = &made->type;
	if (made->is_settled)
		return;
	made->is_settled = true;
	if (made->qualifies) {
		settle_type(made->qualifies, depth);
		*type = *made->qualifies;
		type->is_const |= made->is_const;
		type->is_volatile |= made->is_volatile;
		type->is_restrict |= made->is_restrict;
	} else if (type->kind == TYPE_TYPEDEF) {
		settle_type(type->target, depth);
		type->size = type->target->size;
	} else if (type->kind == TYPE_ARRAY) {
		settle_type(type->target, depth);
		if (__builtin_mul_overflow(type->target->size, type->n, &type->size))
			type->size = 0;
	}
}

static void drain(void)
{
	struct symbols_types *own = &symbols_state()->types;
	own->is_draining = true;
	for (; own->n_filled < own->n_queue; own->n_filled++)
		if (own->queue[own->n_filled]->has_die)
			fill(own->queue[own->n_filled]);
	for (size_t i = 0; i < own->n_queue; i++)
		hash_put(&own->pending, &own->queue[i]->type, own->queue[i]);
	for (size_t i = 0; i < own->n_queue; i++)
		settle(own->queue[i], 0);
	hash_fini(&own->pending);
	own->pending = (struct hash){0};
	own->n_queue = own->n_filled = 0;
	own->is_draining = false;
}

const struct type *type_of_die(Dwarf_Die *die)
{
	const struct type *type = shell(die);
	if (!symbols_state()->types.is_draining)
		drain();
	return type;
}

const struct type *die_type(Dwarf_Die *die)
{
	Dwarf_Die target;
	return die_reference(die, DW_AT_type, &target) ? type_of_die(&target) : type_base("void");
}
