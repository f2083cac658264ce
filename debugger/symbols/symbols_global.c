/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_global.c - variables of namespaces and classes, host's and device's.
 *
 * DWARF of device code shows device 0's instance of __device__ and __constant__
 * variables, which is the module's initial image; the others are found through
 * the module's tables. */
#include <string.h>

#include "cudasim/inspect.h"
#include "symbols_dwarf.h"
#include "symbols_state.h"

/* Where a variable lies. */
struct program_location {
	uint64_t address;                     /* device 0's */
	const struct cudasim_module *module;  /* NULL: none of a device */
	const struct cudasim_variable *entry;
};

/* ---- reading ---------------------------------------------------------------------- */

/* The variable of a module's image at that address. */
static void find_entry(struct program_location *place)
{
	const struct cudasim_module *const *modules;
	size_t n;
	cudasim_modules(&modules, &n);
	for (size_t i = 0; i < n; i++) {
		uint64_t at = place->address - (uint64_t)(uintptr_t)modules[i]->variables_image;
		if (at >= modules[i]->variables_size)
			continue;
		for (uint64_t k = 0; k < modules[i]->n_variables; k++) {
			const struct cudasim_variable *v = &modules[i]->variables[k];
			if (at < v->offset || at - v->offset >= (v->size ? v->size : 1))
				continue;
			place->module = modules[i];
			place->entry = v;
			return;
		}
	}
}

/* The address that the location begins with: what follows dereferences it, for
 * managed variables. */
static bool find_address(struct unit *unit, Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Attribute found, address;
	Dwarf_Op *operations;
	Dwarf_Addr value;
	size_t n;
	if (!dwarf_attr_integrate(die, DW_AT_location, &found) ||
	    dwarf_getlocation(&found, &operations, &n) || !n)
		return false;
	if (operations[0].atom == DW_OP_addr)
		value = operations[0].number;
	else if ((operations[0].atom != DW_OP_addrx &&
		  operations[0].atom != DW_OP_GNU_addr_index) ||
		 dwarf_getlocation_attr(&found, &operations[0], &address) ||
		 dwarf_formaddr(&address, &value))
		return false;
	*ret = value + unit->file->bias;
	return value != 0; /* what the linker has dropped is left at 0 */
}

bool global_place(struct unit *unit, Dwarf_Die *die, enum storage *ret_storage)
{
	uint64_t address;
	*ret_storage = STORAGE_NONE;
	if (!find_address(unit, die, &address))
		return false;
	struct program_location *place = memory_new(sizeof *place);
	place->address = address;
	find_entry(place);
	hash_put(&symbols_state()->globals.places, die, place);
	if (!place->entry)
		return true;
	*ret_storage = place->entry->flags & CUDASIM_VARIABLE_MANAGED    ? STORAGE_MANAGED
		       : place->entry->flags & CUDASIM_VARIABLE_CONSTANT ? STORAGE_CONSTANT
									 : STORAGE_GLOBAL;
	return true;
}

const struct variable *entry_global(struct entry *entry)
{
	static struct variable none;
	if (entry->variable)
		return entry->variable == &none ? NULL : entry->variable;
	Dwarf_Die *die = memory_new(sizeof *die);
	Dwarf_Attribute found;
	enum storage storage;
	int line = 0;
	entry->variable = &none;
	*die = die_make(entry->unit, entry->die);
	if (!global_place(entry->unit, die, &storage) &&
	    !dwarf_attr_integrate(die, DW_AT_const_value, &found) &&
	    !dwarf_attr_integrate(die, DW_AT_location, &found))
		return NULL;
	const char *name = name_qualified(die);
	if (!name)
		return NULL;
	struct variable *v = memory_new(sizeof *v);
	*v = (struct variable){.name = name,
			       .type = die_type(die),
			       .storage = storage,
			       .is_device = entry->unit->is_device || storage != STORAGE_NONE,
			       .is_artificial = die_flag(die, DW_AT_artificial),
			       .is_static = !die_flag(die, DW_AT_external),
			       .linkage = die_linkage(die),
			       .file = die_file(die, NULL),
			       .die = die,
			       .unit = entry->unit->number};
	if (!dwarf_decl_line(die, &line) && line > 0)
		v->line = (uint32_t)line;
	entry->variable = v;
	return v;
}

/* ---- by name ------------------------------------------------------------------------ */

struct search {
	const char *wanted, *mangled;
	const struct variable **ret;
	size_t n, max;
	bool device;
};

static bool is_same(const struct variable *a, const struct variable *b)
{
	struct symbols_globals_known *own = &symbols_state()->globals;
	const struct program_location *x = hash_get(&own->places, a->die),
				      *y = hash_get(&own->places, b->die);
	return x && y && x->address == y->address;
}

/* Device variables first: the host's shadow of one is of use to nobody. */
static void match(void *user, struct entry *entry)
{
	struct search *search = user;
	const struct variable *v = entry_global(entry);
	if (!v || v->is_device != search->device ||
	    (search->mangled ? !v->linkage || strcmp(v->linkage, search->mangled)
			     : !name_matches(search->wanted, v->name)))
		return;
	for (size_t i = 0; i < search->n && i < search->max; i++)
		if (is_same(search->ret[i], v))
			return;
	if (search->n < search->max)
		search->ret[search->n] = v;
	search->n++;
}

size_t symbols_globals(const char *name, const struct variable **ret, size_t max)
{
	struct search search = {.wanted = name, .ret = ret, .max = max};
	const char *base;
	size_t n;
	if (!strncmp(name, "_Z", 2)) {
		search.mangled = name;
		name = symbols_demangle(name);
	}
	name_last(name, &base, &n);
	search.device = true;
	index_find(ENTRY_VARIABLE, base, n, match, &search);
	search.device = false;
	index_find(ENTRY_VARIABLE, base, n, match, &search);
	return search.n;
}

int symbols_nearness(uint32_t unit, const char *file, const struct function *from)
{
	if (!from)
		return 0;
	if (unit == from->unit)
		return 2;
	return file && from->file && !strcmp(file, from->file);
}

static bool is_shadow(const struct variable *v, const struct variable *const *found, size_t n)
{
	for (size_t i = 0; i < n && !v->is_device; i++)
		if (found[i]->is_device && found[i]->line == v->line && found[i]->file && v->file &&
		    !strcmp(found[i]->file, v->file))
			return true;
	return false;
}

const struct variable *symbols_nearest(const struct variable *const *found, size_t n,
				       const char *full, const struct function *from)
{
	const struct variable *best = NULL;
	int near = -1;
	for (size_t i = 0; i < n; i++) {
		if ((full && strcmp(found[i]->name, full)) || is_shadow(found[i], found, n))
			continue;
		int this = symbols_nearness(found[i]->unit, found[i]->file, from);
		if (this > near) {
			near = this;
			best = found[i];
		}
	}
	return best;
}

struct visit {
	void (*f)(void *user, const struct variable *);
	void *user;
};

static void visit_global(void *user, struct entry *entry)
{
	struct visit *visit = user;
	const struct variable *v = entry_global(entry);
	if (v && !v->is_artificial)
		visit->f(visit->user, v);
}

void symbols_each_global(void (*f)(void *user, const struct variable *), void *user)
{
	index_each(ENTRY_VARIABLE, visit_global, &(struct visit){f, user});
}

struct cudasim_error *symbols_global_address(const struct variable *variable, uint32_t device,
					     uint64_t *ret)
{
	const struct program_location *place = hash_get(&symbols_state()->globals.places,
							variable->die);
	struct cudasim_error *error;
	const struct cudasim_variable *entry;
	void *address;
	if (!place || !place->entry) {
		struct location location;
		error = symbols_location(variable, 0, &location);
		return error ? error : location_address(&location, NULL, ret);
	}
	if ((error = cudasim_variable_find(place->module, place->entry->name, device, &address,
					   &entry)))
		return error;
	*ret = (uint64_t)(uintptr_t)address;
	/* A managed variable's slot holds where it lies; the call has followed it. */
	if (!(place->entry->flags & CUDASIM_VARIABLE_MANAGED))
		*ret += place->address - (uint64_t)(uintptr_t)place->module->variables_image -
			place->entry->offset;
	return NULL;
}
