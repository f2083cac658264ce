/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_lookup.c - types and enumerators by name, and the type of an object
 * by its virtual table.
 *
 * A name is looked for as C++ does: in the scopes around the function, from the
 * innermost outwards. Where that finds nothing, any namespace will do, since
 * people leave namespaces out. */
#include <stdlib.h>
#include <string.h>

#include "cudasim/inspect.h"
#include "symbols_dwarf.h"

struct search {
	const char *wanted;
	const struct function *function;
	const char *around;      /* function's signature, else "" */
	bool want_type;
	bool has_arguments;      /* template arguments are written */
	Dwarf_Die best;
	struct unit *unit;
	int best_rank;           /* -1: nothing yet */
};

/* How near a name is: the length of the scope around the function in which
 * `wanted` is `full`; -1 where it is in none of them. */
static int nearness(const struct search *search, const char *full)
{
	const char *wanted = search->wanted;
	if (!strncmp(wanted, "::", 2))
		return name_equal(wanted + 2, full) ? 0 : -1;
	if (name_equal(wanted, full))
		return 0;
	size_t n = strlen(search->around);
	/* "a::b(int)", "a" */
	for (size_t k = n; k > 0; k--) {
		if (k < n && strncmp(search->around + k, "::", 2))
			continue;
		if (strncmp(full, search->around, k) || strncmp(full + k, "::", 2))
			continue;
		if (name_equal(wanted, full + k + 2))
			return (int)k;
	}
	return -1;
}

/* Types of some other function's own are not seen from outside. */
static bool is_local(struct unit *unit, Dwarf_Die *die)
{
	uint32_t i = unit_enclosure(unit, die->addr);
	for (int depth = 0; i && depth < 64; depth++, i = unit->enclosures[i].parent)
		if (unit->enclosures[i].tag == DW_TAG_subprogram)
			return true;
	return false;
}

static void consider(void *user, struct entry *entry)
{
	struct search *search = user;
	Dwarf_Die die = die_make(entry->unit, entry->die);
	const char *own = dwarf_diename(&die);
	/* A template's name alone is no type. */
	if (search->want_type && !search->has_arguments && own && own[entry->n_base] == '<')
		return;
	const char *full = name_qualified(&die);
	if (!full || !name_matches(search->wanted, full))
		return;
	int near = nearness(search, full), rank;
	if (near >= 0)
		rank = 4 * near + 3;
	else if (!is_local(entry->unit, &die))
		rank = 1;
	else
		rank = 0;
	/* Of equal ones the unit's own. */
	if (search->function && entry->unit->number == search->function->unit)
		rank++;
	if (rank <= search->best_rank)
		return;
	search->best_rank = rank;
	search->best = die;
	search->unit = entry->unit;
}

static bool look(struct search *search, enum entry_kind kind, const char *name,
		 const struct function *function)
{
	const char *base;
	size_t n;
	*search = (struct search){.wanted = name,
				  .function = function,
				  .around = function ? function->signature : "",
				  .want_type = kind == ENTRY_TYPE,
				  .best_rank = -1};
	name_last(name, &base, &n);
	search->has_arguments = base[n] == '<';
	index_find(kind, base, n, consider, search);
	return search->best_rank >= 0;
}

static const char *skip_keyword(const char *name)
{
	static const char *const keywords[] = {"struct ",     "class ", "union ",
					       "enum class ", "enum ",  "typename "};
	while (*name == ' ')
		name++;
	for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
		if (!strncmp(name, keywords[i], strlen(keywords[i])))
			return skip_keyword(name + strlen(keywords[i]));
	return name;
}

const struct type *symbols_type(const char *name, const struct function *function)
{
	struct search search;
	name = skip_keyword(name);
	/* C++'s own need no index. */
	const struct type *base = type_base(name);
	if (base && base->name && !strcmp(base->name, name) && base->float_format != FLOAT_HALF &&
	    base->float_format != FLOAT_BFLOAT16)
		return base;
	if (*name && look(&search, ENTRY_TYPE, name, function))
		return type_of_die(&search.best);
	return base;
}

bool symbols_enumerator(const char *name, const struct function *function,
			const struct type **ret_type, int64_t *ret_value)
{
	struct search search;
	if (!*name || !look(&search, ENTRY_ENUMERATOR, name, function))
		return false;
	uint32_t around = unit_enclosure(search.unit, search.best.addr);
	const struct enclosure *enclosure = &search.unit->enclosures[around];
	if (enclosure->tag != DW_TAG_enumeration_type)
		return false;
	Dwarf_Die type = die_make(search.unit, enclosure->begin);
	*ret_type = type_of_die(&type);
	*ret_value = die_number(&search.best, DW_AT_const_value, 0);
	return true;
}

/* ---- all types ------------------------------------------------------------------- */

struct visit {
	void (*f)(void *user, const struct type *, const struct type_place *);
	void *user;
	struct hash seen; /* each unit has its own: names that were told */
};

static bool is_new(struct visit *visit, const char *name)
{
	if (hash_text_get(&visit->seen, name))
		return false;
	/* Without memory it is told again. */
	(void)hash_text_put(&visit->seen, name, hash_number(0));
	return true;
}

static void visit_type(void *user, struct entry *entry)
{
	struct visit *visit = user;
	Dwarf_Die die = die_make(entry->unit, entry->die);
	const char *name = name_qualified(&die);
	if (!name || !is_new(visit, name))
		return;
	struct type_place place = {.file = die_file(&die, NULL)};
	int64_t line = die_number(&die, DW_AT_decl_line, 0);
	place.line = place.file && line > 0 ? (uint32_t)line : 0;
	visit->f(visit->user, type_of_die(&die), &place);
}

void symbols_each_type(void (*f)(void *user, const struct type *, const struct type_place *),
		       void *user)
{
	struct visit visit = {.f = f, .user = user};
	index_each(ENTRY_TYPE, visit_type, &visit);
	hash_fini(&visit.seen);
}

/* ---- dynamic types ------------------------------------------------------------------- */

const struct type *symbols_dynamic_type(uint64_t object, uint64_t *ret_start)
{
	static const char prefix[] = "vtable for ";
	uint64_t vptr;
	int64_t to_top;
	/* A vtable (Itanium C++ ABI, 2.5.2): the offset to the object's top, the type's
	 * information, then what vptr points to. */
	if (cudasim_memory_read((const void *)(uintptr_t)object, &vptr, 8) != 8 || vptr < 16)
		return NULL;
	struct file *file = file_at(vptr);
	const struct elf_symbol *symbol = file ? file_symbol(file, vptr - 16) : NULL;
	if (!symbol || vptr - symbol->address >= (symbol->size ? symbol->size : 1) ||
	    cudasim_memory_read((const void *)(uintptr_t)(vptr - 16), &to_top, 8) != 8)
		return NULL;
	const char *name = symbols_demangle(symbol_plain(symbol->name));
	if (strncmp(name, prefix, sizeof prefix - 1))
		return NULL;
	const struct type *type = symbols_type(name + sizeof prefix - 1, NULL);
	if (ret_start)
		*ret_start = object + (uint64_t)to_top;
	return type;
}
