/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_type.h - what symbols_type.c and symbols_struct.c share; nobody else
 * includes it. */
#ifndef CUDASIM_DEBUGGER_SYMBOLS_TYPE_H
#define CUDASIM_DEBUGGER_SYMBOLS_TYPE_H

#include "symbols_dwarf.h"

/* A type that is being made. */
struct made {
	struct type type;             /* first: found by its address */
	Dwarf_Die die;
	bool has_die, is_settled;
	const struct type *qualifies; /* of const and the like: what it is a copy of */
	bool is_const, is_volatile, is_restrict;
};
struct made *made_new(enum type_kind kind);
/* Moves an array that was grown into memory that stays. */
const void *made_keep(void *array, size_t n, size_t size);
/* Types that are not whole yet: of what the attribute refers to (void where it is
 * not there), of a DIE. */
const struct type *shell_of(Dwarf_Die *die, unsigned attribute);
const struct type *shell_of_die(Dwarf_Die *die);
void fill_function(struct type *type, Dwarf_Die *die);
void fill_struct(struct made *made, Dwarf_Die *die);

#endif
