/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_index.c - the table of names: from a name without namespaces and
 * template arguments to the entries of all units. Made when first asked for,
 * since it has all units scanned. */
#include <stdlib.h>
#include <string.h>

#include "symbols_dwarf.h"
#include "symbols_state.h"

void index_forget(void)
{
	symbols_state()->index.made = false;
}

static void add_units(bool device)
{
	struct symbols_index *own = &symbols_state()->index;
	for (size_t i = 0; i < symbols_state()->n_files; i++) {
		for (size_t j = 0;
		     j < symbols_state()->files[i]->n_units && !symbols_state()->files[i]->is_own;
		     j++) {
			struct unit *unit = &symbols_state()->files[i]->units[j];
			unit_scan(unit);
			if (unit->is_device != device)
				continue;
			for (size_t k = 0; k < unit->n_entries; k++) {
				own->all = memory_grow(own->all, own->n_all, &own->all_capacity,
						       sizeof(*own->all));
				own->all[own->n_all++] = &unit->entries[k];
			}
		}
	}
}

static void make(void)
{
	struct symbols_index *own = &symbols_state()->index;
	if (own->made)
		return;
	own->made = true;
	own->n_all = 0;
	add_units(true);
	add_units(false);
	own->n_heads = 1024;
	while (own->n_heads < own->n_all)
		own->n_heads *= 2;
	free(own->heads);
	own->heads = calloc(own->n_heads, sizeof *own->heads);
	/* Backwards, so that chains keep the order. */
	for (size_t i = own->n_all; own->heads && i-- > 0;) {
		uint32_t *head = &own->heads[own->all[i]->hash & (own->n_heads - 1)];
		own->all[i]->next = *head;
		*head = (uint32_t)i + 1;
	}
}

void index_find(enum entry_kind kind, const char *base, size_t n,
		void (*f)(void *user, struct entry *entry), void *user)
{
	struct symbols_index *own = &symbols_state()->index;
	make();
	uint32_t hash = name_hash(base, n);
	for (uint32_t i = own->heads ? own->heads[hash & (own->n_heads - 1)] : 0; i;
	     i = own->all[i - 1]->next) {
		struct entry *entry = own->all[i - 1];
		if (entry->kind == kind && entry->hash == hash && entry->n_base == n &&
		    !memcmp(entry->base, base, n))
			f(user, entry);
	}
}

void index_each(enum entry_kind kind, void (*f)(void *user, struct entry *entry), void *user)
{
	struct symbols_index *own = &symbols_state()->index;
	make();
	for (size_t i = 0; i < own->n_all; i++)
		if (own->all[i]->kind == kind)
			f(user, own->all[i]);
}
