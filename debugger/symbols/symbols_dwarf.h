/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_dwarf.h - what the files symbols*.c share; nobody else includes it.
 *
 * A file is an ELF file that is mapped, a unit a compile unit of its DWARF. At
 * load only the units and the code they cover are known. The first question
 * about a unit scans it (symbols_scan.c) into scopes and entries; the first
 * lookup by name scans all units. Names, types and locations are read from a
 * DIE when it is asked for. All memory is kept until the process ends. */
#ifndef CUDASIM_DEBUGGER_SYMBOLS_DWARF_H
#define CUDASIM_DEBUGGER_SYMBOLS_DWARF_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "error.h"
#include "hash.h"
#include "symbols.h"

/* ---- memory (symbols_memory.c) -------------------------------------------- */

/* Zeroed memory that is never given back. Ends the process with a message where
 * there is none. */
void *memory_new(size_t size);
/* A copy of n bytes of text, with a NUL behind it. */
const char *memory_text(const char *text, size_t n);
const char *memory_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* realloc() for an array that grows: room for one more than n elements. */
void *memory_grow(void *array, size_t n, size_t *capacity, size_t size);

/* ---- files and units ------------------------------------------------------ */

/* A namespace, type or function that encloses other entries. */
struct enclosure {
	const unsigned char *begin, *end; /* of its DIE and all below it */
	uint32_t parent;                  /* index of the one around it, 0 is the unit */
	uint16_t tag;
};

enum entry_kind { ENTRY_FUNCTION, ENTRY_VARIABLE, ENTRY_TYPE, ENTRY_ENUMERATOR };
/* Something with a name, by which it is found. */
struct entry {
	const unsigned char *die;
	struct unit *unit;
	const char *base;   /* name without template arguments: not ended by NUL */
	uint32_t n_base;
	uint32_t hash;      /* of base */
	uint32_t next;      /* in the table of names: index + 1 */
	enum entry_kind kind;
	struct function_entry *function; /* made when first asked for */
	struct variable *variable;
};

/* One piece of code of a function. Run-time addresses. */
struct piece {
	uint64_t low, high;
	struct entry *entry;
};

/* A source file: absolute, and as the compiler was given it. */
struct path {
	const char *path, *given;
};

struct row {
	uint64_t address;
	Dwarf_Line *line;
	bool ends; /* nothing is known from here on */
};

struct unit {
	struct file *file;
	Dwarf_Die die;
	const unsigned char *end;    /* of its DIEs */
	uint32_t number;
	const char *directory;       /* where it was compiled, "" where not known */
	bool scanned, is_device;
	struct enclosure *enclosures; /* [0] is the unit itself */
	size_t n_enclosures;
	struct entry *entries;
	size_t n_entries;
	struct piece *pieces;        /* ascending */
	size_t n_pieces;
	bool paths_read, lines_read;
	struct path *paths;          /* by number; path NULL: no such file */
	size_t n_paths;
	struct row *rows;            /* ascending */
	size_t n_rows;
};

/* The code that a unit covers. Run-time addresses. */
struct cover {
	uint64_t low, high;
	struct unit *unit;
};

struct elf_symbol {
	uint64_t address, size;      /* run-time */
	const char *name;
	bool is_code, is_global;
};

struct file {
	const char *path;
	Elf *elf;
	Dwarf *dwarf;                /* NULL where there is no debug information */
	uint64_t low, high;          /* where it is mapped */
	uint64_t bias;               /* run-time minus DWARF's addresses */
	uint64_t elf_bias;           /* run-time minus the symbol table's addresses */
	bool is_own;                 /* a part of cudasim: not found by name */
	const char *damage;          /* what is wrong with its debug information, or NULL */
	struct unit *units;
	size_t n_units;
	struct cover *covers;        /* ascending */
	size_t n_covers;
	bool symbols_read;
	struct elf_symbol *symbols;  /* ascending */
	size_t n_symbols;
	bool cfi_read;
	Dwarf_CFI *cfi[2];           /* .debug_frame, .eh_frame; NULL: absent */
	uint64_t cfi_bias[2];
};

/* A function as symbols.c keeps it. */
struct function_entry {
	size_t n_modules; /* that were registered when it was asked whether this is a kernel */
	struct function function;
	struct unit *unit;
	Dwarf_Die die;
	struct block *root;          /* its scopes, made when first asked for */
	const struct type *type;
};

/* Make elf a file. dwarf may be NULL. Errors: none, bad units are left out. */
struct file *file_new(const char *path, Elf *elf, Dwarf *dwarf, uint64_t low, uint64_t high,
		      uint64_t bias, uint64_t elf_bias);
struct file *file_at(uint64_t pc);
struct unit *unit_at(uint64_t pc);

/* ---- DIEs ----------------------------------------------------------------- */

Dwarf_Die die_make(const struct unit *unit, const unsigned char *at);
/* The unit of a DIE, NULL where it is none of ours. */
struct unit *die_unit(Dwarf_Die *die);
/* What attribute of die (or of its origin or specification) refers to. */
bool die_reference(Dwarf_Die *die, unsigned attribute, Dwarf_Die *ret);
bool die_flag(Dwarf_Die *die, unsigned attribute);
/* A number; `absent` where there is none. */
int64_t die_number(Dwarf_Die *die, unsigned attribute, int64_t absent);
const char *die_linkage(Dwarf_Die *die);
/* As the compiler was given it, and absolute; NULL where not known. */
const char *die_file(Dwarf_Die *die, const char **ret_path);
/* A file by its number in the unit's line table, the same pointer each time; or
 * NULL. */
const struct path *unit_path(struct unit *unit, uint64_t number);
/* Code of a DIE, run-time addresses: calls f for each piece; the first one holds
 * its entry. Returns how many. */
size_t die_pieces(struct unit *unit, Dwarf_Die *die,
		  void (*f)(void *user, uint64_t low, uint64_t high), void *user);

/* ---- names (symbols_name.c) ----------------------------------------------- */

uint32_t name_hash(const char *text, size_t n);
/* Length of a name without template arguments. */
size_t name_base(const char *name);
/* A demangled function cut up: [begin, end) is its qualified name without the
 * result's type and the parameters; parameters is what follows. */
void name_cut(const char *signature, const char **begin, const char **end);
/* Could a user who writes `wanted` mean `full` (both may be qualified, have
 * template arguments and parameters)? `full` has all that it has. */
bool name_matches(const char *wanted, const char *full);
/* Equal but for blanks that mean nothing. */
bool name_equal(const char *a, const char *b);
/* The last component of a name that a user has written, without template
 * arguments: what to look up in the table of names. */
void name_last(const char *wanted, const char **ret, size_t *ret_n);
/* Qualified name of a type, variable or enumerator: namespaces and classes
 * around it are taken from its unit's enclosures. */
const char *name_qualified(Dwarf_Die *die);
/* "geo::" of what encloses a DIE; "" where nothing does. */
const char *name_prefix(Dwarf_Die *die);

/* ---- the scan and the table of names (symbols_scan.c, symbols_index.c) ----- */

/* Idempotent. */
void unit_scan(struct unit *unit);
/* The innermost enclosure of a DIE (never itself); 0 is the unit. */
uint32_t unit_enclosure(const struct unit *unit, const unsigned char *die);
/* Calls f for each entry of that kind whose base name is [base, base + n), in
 * the order of files and units, device units first. */
void index_find(enum entry_kind kind, const char *base, size_t n,
		void (*f)(void *user, struct entry *entry), void *user);
/* All of a kind. */
void index_each(enum entry_kind kind, void (*f)(void *user, struct entry *entry), void *user);
/* New files have come. */
void index_forget(void);

/* ---- functions, types, variables ------------------------------------------ */

/* NULL where the DIE is none that people would want to see. */
const struct function *entry_function(struct entry *entry);
const struct variable *entry_global(struct entry *entry);
/* The host's half of a kernel, made by the compiler: found by address only. */
bool function_is_stub(const struct function *f);
/* Where a variable with an address that never changes lies: what
 * symbols_global_address() goes by. False, and nothing is kept, for others.
 * die must stay. *ret_storage as in struct variable. */
bool global_place(struct unit *unit, Dwarf_Die *die, enum storage *ret_storage);
/* The type that a DIE's DW_AT_type gives: void where there is none. */
const struct type *die_type(Dwarf_Die *die);
/* The type that the DIE itself is, NULL for what is none. */
const struct type *type_of_die(Dwarf_Die *die);
/* An ELF symbol's name without the device compiler's prefix and suffix. */
const char *symbol_plain(const char *name);
/* The device body whose code the symbol is: "watched", "v3", "v4"; else "". */
const char *symbol_body(const char *name);
/* The symbol that holds address, else the last one before it, or NULL. */
const struct elf_symbol *file_symbol(struct file *file, uint64_t address);
/* Is that a file of the user's own, as far as device code is concerned? */
bool path_is_users(const char *given);
/* Where code that was inlined from a header that is not the user's was called: the
 * line, 0 where pc is in no such code. */
uint32_t hidden_call(uint64_t pc, const struct path **ret);
/* Is it the name of a __shared__ variable of device code? */
bool name_is_shared(const char *linkage, const char *name);

#endif
