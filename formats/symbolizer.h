/* SPDX-License-Identifier: Apache-2.0 */
/* symbolizer.h - from a program counter to source lines and to symbols: the three
 * functions that libcudasim-symbolizer.so exports. It reads DWARF through libdw, which
 * libcudasim itself does not need, so it is opened when something has to be
 * reported, and need not be there. It lies beside libcudasim.so in PREFIX/lib
 * /cudasim, or in debugger/ of a build tree. */
#ifndef CUDASIM_FORMATS_SYMBOLIZER_H
#define CUDASIM_FORMATS_SYMBOLIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUDASIM_SYMBOLIZER "libcudasim-symbolizer.so"

/* Texts are cut where they do not fit. */
struct cudasim_symbol {
	char function[256]; /* demangled, without parameters; "" where not known */
	char file[512];     /* as the compiler was given it; "" where not known */
	uint32_t line;      /* 1.., 0 where not known */
};

/* The places of a program counter of this process: that of the code itself
 * first, then of each call that was inlined there. For a return address give
 * pc - 1. Writes up to max and returns how many there are; 0 where pc is in no
 * file with debug information. Safe from any pthread, not from signal handlers. */
typedef size_t cudasim_symbolize_fn(uint64_t pc, struct cudasim_symbol *ret, size_t max);
__attribute__((visibility("default"))) cudasim_symbolize_fn cudasim_symbolize;

/* The function that a program counter of this process is in by its file's table of symbols,
 * also of those that it does not export: demangled, without parameters, cut where it does not
 * fit. False where the file has been stripped of it. Safe from any pthread, not from signal
 * handlers. */
typedef bool cudasim_symbol_name_fn(uint64_t pc, char *text, size_t size);
__attribute__((visibility("default"))) cudasim_symbol_name_fn cudasim_symbol_name;

/* The folder in which the code at a program counter of this process was compiled, which relative
 * file names of the compiler's are relative to. False where it is not known or does not fit. Safe
 * from any pthread, not from signal handlers. */
typedef bool cudasim_symbol_folder_fn(uint64_t pc, char *text, size_t size);
__attribute__((visibility("default"))) cudasim_symbol_folder_fn cudasim_symbol_folder;

#endif
