/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_index.c - the table of names: from a name without namespaces and
 * template arguments to the entries of all units. Made when first asked for,
 * since it has all units scanned. */
#include <stdlib.h>
#include <string.h>

#include "symbols_dwarf.h"
#include "symbols_state.h"

static uint32_t *heads;   /* index + 1 into all[], 0: none */
static size_t n_heads;
static struct entry **all;
static size_t n_all, all_capacity;
static bool made;

void index_forget(void)
{
	made = false;
}

static void add_units(bool device)
{
	for (size_t i = 0; i < symbols_state()->n_files; i++) {
		for (size_t j = 0;
		     j < symbols_state()->files[i]->n_units && !symbols_state()->files[i]->is_own;
		     j++) {
			struct unit *unit = &symbols_state()->files[i]->units[j];
			unit_scan(unit);
			if (unit->is_device != device)
				continue;
			for (size_t k = 0; k < unit->n_entries; k++) {
				all = memory_grow(all, n_all, &all_capacity, sizeof(*all));
				all[n_all++] = &unit->entries[k];
			}
		}
	}
}

static void make(void)
{
	if (made)
		return;
	made = true;
	n_all = 0;
	add_units(true);
	add_units(false);
	n_heads = 1024;
	while (n_heads < n_all)
		n_heads *= 2;
	free(heads);
	heads = calloc(n_heads, sizeof *heads);
	/* Backwards, so that chains keep the order. */
	for (size_t i = n_all; heads && i-- > 0;) {
		uint32_t *head = &heads[all[i]->hash & (n_heads - 1)];
		all[i]->next = *head;
		*head = (uint32_t)i + 1;
	}
}

void index_find(enum entry_kind kind, const char *base, size_t n,
		void (*f)(void *user, struct entry *entry), void *user)
{
	make();
	uint32_t hash = name_hash(base, n);
	for (uint32_t i = heads ? heads[hash & (n_heads - 1)] : 0; i; i = all[i - 1]->next) {
		struct entry *entry = all[i - 1];
		if (entry->kind == kind && entry->hash == hash && entry->n_base == n &&
		    !memcmp(entry->base, base, n))
			f(user, entry);
	}
}

void index_each(enum entry_kind kind, void (*f)(void *user, struct entry *entry), void *user)
{
	make();
	for (size_t i = 0; i < n_all; i++)
		if (all[i]->kind == kind)
			f(user, all[i]);
}
