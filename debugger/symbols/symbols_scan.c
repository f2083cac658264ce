/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_scan.c - one pass over the DIEs of a unit: what encloses what, and
 * what has a name.
 *
 * Attributes are jumped over by plans made of the unit's abbreviations (DWARF 5,
 * 7.5.3): most of a unit is inlined calls, of which nothing is looked at. libdw
 * is asked only for abbreviations, and for names of what is kept. Its own walk
 * (dwarf_siblingof) goes through each subtree once per level, as clang writes no
 * DW_AT_sibling. Every step is checked against the unit's end, so corrupt input
 * ends the scan with what was found so far. */
#include <stdlib.h>
#include <string.h>

#include "symbols_dwarf.h"

enum { MAX_DEPTH = 4096, MAX_CODE = 1 << 20, MAX_STEPS = 256 };

/* How to get over an attribute that has no fixed size. */
enum step_kind {
	STEP_BYTES,
	STEP_LEB,
	STEP_TEXT,
	STEP_BLOCK1,
	STEP_BLOCK2,
	STEP_BLOCK4,
	CONTINUATION_BLOCK,
	STEP_INDIRECT,
	STEP_BAD
};
struct step {
	enum step_kind kind;
	uint32_t n; /* of BYTES */
};

struct plan {
	unsigned tag; /* 0: no such abbreviation */
	bool has_children, has_code, is_declaration, has_name, has_value;
	struct step *steps;
	size_t n_steps;
};

struct scan {
	struct unit *unit;
	const unsigned char *at, *end;
	unsigned address_size, offset_size;
	struct plan *plans;
	size_t n_plans;
	size_t enclosures_capacity, entries_capacity, pieces_capacity;
	uint32_t inside[MAX_DEPTH]; /* enclosure at each depth */
	size_t depth;
};

/* ---- abbreviations --------------------------------------------------------- */

static struct step step_of(const struct scan *s, unsigned form)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const:
		return (struct step){STEP_BYTES, 0};
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1:
		return (struct step){STEP_BYTES, 1};
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2:
		return (struct step){STEP_BYTES, 2};
	case DW_FORM_strx3:
	case DW_FORM_addrx3:
		return (struct step){STEP_BYTES, 3};
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4:
		return (struct step){STEP_BYTES, 4};
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8:
		return (struct step){STEP_BYTES, 8};
	case DW_FORM_data16:
		return (struct step){STEP_BYTES, 16};
	case DW_FORM_addr:
		return (struct step){STEP_BYTES, s->address_size};
	case DW_FORM_ref_addr:
	case DW_FORM_sec_offset:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_ref_alt:
	case DW_FORM_GNU_strp_alt:
		return (struct step){STEP_BYTES, s->offset_size};
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		return (struct step){STEP_LEB, 0};
	case DW_FORM_string:
		return (struct step){STEP_TEXT, 0};
	case DW_FORM_block1:
		return (struct step){STEP_BLOCK1, 0};
	case DW_FORM_block2:
		return (struct step){STEP_BLOCK2, 0};
	case DW_FORM_block4:
		return (struct step){STEP_BLOCK4, 0};
	case DW_FORM_block:
	case DW_FORM_exprloc:
		return (struct step){CONTINUATION_BLOCK, 0};
	case DW_FORM_indirect:
		return (struct step){STEP_INDIRECT, 0};
	default:
		return (struct step){STEP_BAD, 0};
	}
}

static void plan_make(const struct scan *s, struct plan *plan, Dwarf_Abbrev *abbrev)
{
	struct step steps[MAX_STEPS];
	size_t n = 0;
	plan->tag = dwarf_getabbrevtag(abbrev);
	plan->has_children = dwarf_abbrevhaschildren(abbrev) > 0;
	/* dwarf_getattrcnt() takes values of DW_FORM_implicit_const for attributes
	 * (elfutils 0.188), so it is not asked: the end is where there are no more. */
	for (size_t i = 0;; i++) {
		unsigned name, form;
		Dwarf_Sword data;
		if (dwarf_getabbrevattr_data(abbrev, i, &name, &form, &data, NULL))
			break;
		if (n == MAX_STEPS) {
			steps[n - 1] = (struct step){STEP_BAD, 0};
			break;
		}
		plan->has_code |= name == DW_AT_low_pc || name == DW_AT_ranges;
		plan->is_declaration |= name == DW_AT_declaration;
		plan->has_value |= name == DW_AT_const_value;
		plan->has_name |= name == DW_AT_name || name == DW_AT_specification ||
				  name == DW_AT_abstract_origin;
		struct step step = step_of(s, form);
		if (n && step.kind == STEP_BYTES && steps[n - 1].kind == STEP_BYTES)
			steps[n - 1].n += step.n;
		else
			steps[n++] = step;
	}
	plan->steps = malloc((n + 1) * sizeof *plan->steps);
	plan->n_steps = plan->steps ? n : 0;
	if (plan->steps)
		memcpy(plan->steps, steps, n * sizeof *steps);
	else
		plan->tag = 0;
}

static void plans_make(struct scan *s)
{
	Dwarf_Off offset = 0;
	size_t length;
	for (;;) {
		Dwarf_Abbrev *abbrev = dwarf_getabbrev(&s->unit->die, offset, &length);
		if (!abbrev || abbrev == DWARF_END_ABBREV || !length)
			return;
		size_t code = dwarf_getabbrevcode(abbrev);
		if (code >= MAX_CODE)
			return;
		if (code >= s->n_plans) {
			size_t n = 2 * code + 16;
			struct plan *more = realloc(s->plans, n * sizeof *more);
			if (!more)
				return;
			memset(more + s->n_plans, 0, (n - s->n_plans) * sizeof *more);
			s->plans = more;
			s->n_plans = n;
		}
		if (!s->plans[code].tag)
			plan_make(s, &s->plans[code], abbrev);
		offset += length;
	}
}

/* ---- bytes ----------------------------------------------------------------- */

static bool skip(struct scan *s, uint64_t n)
{
	if (n > (uint64_t)(s->end - s->at))
		return false;
	s->at += n;
	return true;
}

static bool leb(struct scan *s, uint64_t *ret)
{
	uint64_t value = 0;
	for (unsigned shift = 0; s->at < s->end; shift += 7) {
		unsigned char byte = *s->at++;
		if (shift < 64)
			value |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128)) {
			*ret = value;
			return true;
		}
	}
	return false;
}

static bool skip_block(struct scan *s, unsigned n_length)
{
	uint32_t length = 0;
	if (n_length > (size_t)(s->end - s->at))
		return false;
	memcpy(&length, s->at, n_length);
	s->at += n_length;
	return skip(s, length);
}

static bool skip_step(struct scan *s, struct step step)
{
	uint64_t n;
	const unsigned char *zero;
	switch (step.kind) {
	case STEP_BYTES:
		return skip(s, step.n);
	case STEP_LEB:
		return leb(s, &n);
	case STEP_TEXT:
		zero = memchr(s->at, 0, (size_t)(s->end - s->at));
		return zero && skip(s, (uint64_t)(zero - s->at) + 1);
	case STEP_BLOCK1:
		return skip_block(s, 1);
	case STEP_BLOCK2:
		return skip_block(s, 2);
	case STEP_BLOCK4:
		return skip_block(s, 4);
	case CONTINUATION_BLOCK:
		return leb(s, &n) && skip(s, n);
	case STEP_INDIRECT:
		if (!leb(s, &n))
			return false;
		step = step_of(s, (unsigned)n);
		return step.kind != STEP_INDIRECT && skip_step(s, step);
	case STEP_BAD:
		break;
	}
	return false;
}

static bool skip_attributes(struct scan *s, const struct plan *plan)
{
	for (size_t i = 0; i < plan->n_steps; i++)
		if (!skip_step(s, plan->steps[i]))
			return false;
	return true;
}

/* ---- what is kept ---------------------------------------------------------- */

static void keep(struct scan *s, enum entry_kind kind, const unsigned char *at)
{
	struct unit *unit = s->unit;
	Dwarf_Die die = die_make(unit, at);
	const char *name = dwarf_diename(&die);
	if (!name) {
		Dwarf_Attribute found;
		if (dwarf_attr_integrate(&die, DW_AT_name, &found) && !unit->file->damage)
			unit->file->damage = "names are not where they should be";
		return;
	}
	unit->entries = memory_grow(unit->entries, unit->n_entries, &s->entries_capacity,
				    sizeof *unit->entries);
	size_t n = name_base(name);
	unit->entries[unit->n_entries++] = (struct entry){.die = at,
							  .unit = unit,
							  .base = name,
							  .n_base = (uint32_t)n,
							  .hash = name_hash(name, n),
							  .kind = kind};
}

static bool encloses(unsigned tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_enumeration_type || tag == DW_TAG_subprogram;
}

static bool is_type(unsigned tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type ||
	       tag == DW_TAG_typedef || tag == DW_TAG_base_type;
}

static void look(struct scan *s, const struct plan *plan, const unsigned char *at)
{
	unsigned around = s->unit->enclosures[s->inside[s->depth]].tag;
	if (plan->tag == DW_TAG_subprogram) {
		if (plan->has_code)
			keep(s, ENTRY_FUNCTION, at);
	} else if (is_type(plan->tag)) {
		if (plan->has_name && !plan->is_declaration)
			keep(s, ENTRY_TYPE, at);
	} else if (plan->tag == DW_TAG_enumerator) {
		keep(s, ENTRY_ENUMERATOR, at);
	} else if (plan->tag == DW_TAG_variable) {
		/* A constant of a class may have no definition. */
		if (around != DW_TAG_subprogram && (!plan->is_declaration || plan->has_value))
			keep(s, ENTRY_VARIABLE, at);
	}
}

static void enclose(struct scan *s, const struct plan *plan, const unsigned char *at)
{
	struct unit *unit = s->unit;
	uint32_t around = s->inside[s->depth];
	if (encloses(plan->tag)) {
		unit->enclosures = memory_grow(unit->enclosures, unit->n_enclosures,
					       &s->enclosures_capacity, sizeof *unit->enclosures);
		unit->enclosures[unit->n_enclosures] = (struct enclosure){at, s->end, around,
									  (uint16_t)plan->tag};
		around = (uint32_t)unit->n_enclosures++;
	}
	s->inside[++s->depth] = around;
}

static void leave(struct scan *s)
{
	uint32_t inner = s->inside[s->depth--];
	if (inner != s->inside[s->depth])
		s->unit->enclosures[inner].end = s->at;
}

/* False where the DIEs make no sense: what follows is left out. */
static bool scan_all(struct scan *s)
{
	while (s->at < s->end) {
		const unsigned char *at = s->at;
		uint64_t code;
		if (!leb(s, &code))
			return false;
		if (!code) {
			if (s->depth <= 1)
				return true;
			leave(s);
			continue;
		}
		const struct plan *plan = code < s->n_plans ? &s->plans[code] : NULL;
		if (!plan || !plan->tag || !skip_attributes(s, plan))
			return false;
		if (s->depth)
			look(s, plan, at);
		if (!plan->has_children)
			continue;
		if (s->depth + 1 >= MAX_DEPTH)
			return false;
		enclose(s, plan, at);
	}
	return s->depth <= 1;
}

/* ---- functions' code -------------------------------------------------------- */

struct adding {
	struct scan *scan;
	struct entry *entry;
};

static void add_piece(void *user, uint64_t low, uint64_t high)
{
	struct adding *adding = user;
	struct unit *unit = adding->scan->unit;
	unit->pieces = memory_grow(unit->pieces, unit->n_pieces, &adding->scan->pieces_capacity,
				   sizeof *unit->pieces);
	unit->pieces[unit->n_pieces++] = (struct piece){low, high, adding->entry};
}

static int by_low(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;
	return (x->low > y->low) - (x->low < y->low);
}

/* Plain bodies have no functions with names, but their symbols tell. */
static void find_body(void *user, uint64_t low, uint64_t high)
{
	struct unit *unit = user;
	const struct elf_symbol *symbol = file_symbol(unit->file, low);
	(void)high;
	if (symbol && symbol->address == low && *symbol_body(symbol->name))
		unit->is_device = true;
}

static void collect_pieces(struct scan *s)
{
	struct unit *unit = s->unit;
	for (size_t i = 0; i < unit->n_entries; i++) {
		struct entry *entry = &unit->entries[i];
		if (entry->kind != ENTRY_FUNCTION)
			continue;
		Dwarf_Die die = die_make(unit, entry->die);
		die_pieces(unit, &die, add_piece, &(struct adding){s, entry});
	}
	if (unit->n_pieces)
		qsort(unit->pieces, unit->n_pieces, sizeof *unit->pieces, by_low);
	die_pieces(unit, &unit->die, find_body, unit);
}

void unit_scan(struct unit *unit)
{
	if (unit->scanned)
		return;
	unit->scanned = true;
	struct scan *s = calloc(1, sizeof *s);
	if (!s)
		return;
	uint8_t address_size = 8, offset_size = 4;
	dwarf_cu_info(unit->die.cu, NULL, NULL, NULL, NULL, NULL, &address_size, &offset_size);
	s->unit = unit;
	s->at = unit->die.addr;
	s->end = unit->end;
	s->address_size = address_size;
	s->offset_size = offset_size;
	unit->enclosures = memory_grow(NULL, 0, &s->enclosures_capacity, sizeof *unit->enclosures);
	unit->enclosures[0] = (struct enclosure){s->at, s->end, 0, DW_TAG_compile_unit};
	unit->n_enclosures = 1;
	plans_make(s);
	if (!scan_all(s) && !unit->file->damage)
		unit->file->damage = memory_format(
			"entries %#llx bytes into a compile unit make no sense",
			(unsigned long long)(s->at - (const unsigned char *)unit->die.addr));
	collect_pieces(s);
	for (size_t i = 0; i < s->n_plans; i++)
		free(s->plans[i].steps);
	free(s->plans);
	free(s);
}

uint32_t unit_enclosure(const struct unit *unit, const unsigned char *die)
{
	size_t low = 0, high = unit->n_enclosures;
	/* The last one that begins before die; those around it hold it, too. */
	while (low < high) {
		size_t middle = (low + high) / 2;
		if (unit->enclosures[middle].begin < die)
			low = middle + 1;
		else
			high = middle;
	}
	uint32_t i = low ? (uint32_t)low - 1 : 0;
	while (i && unit->enclosures[i].end <= die)
		i = unit->enclosures[i].parent;
	return i;
}
