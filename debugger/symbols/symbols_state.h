/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_state.h - what has been read of debug information, as part of struct debugger. */
#ifndef CUDASIM_DEBUGGER_SYMBOLS_STATE_H
#define CUDASIM_DEBUGGER_SYMBOLS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hash.h"

/* symbols.c */
struct symbols_units {
	size_t files_capacity;
	uint32_t n_units;
	struct Dwfl *dwfl;
};

/* symbols_global.c */
struct symbols_globals_known {
	struct hash places; /* by struct variable's die */
};

/* symbols_index.c */
struct symbols_index {
	uint32_t *heads;   /* index + 1 into all[], 0: none */
	size_t n_heads;
	struct entry **all;
	size_t n_all, all_capacity;
	bool made;
};

/* symbols_line.c */
struct symbols_sources {
	struct source *sources;
	size_t n_sources, sources_capacity, n_files_seen;
	uint32_t source_heads[4096];
};

/* symbols_memory.c */
struct symbols_chunks {
	char *chunk;
	size_t chunk_left;
};

/* symbols_type.c */
struct symbols_types {
	struct hash known;    /* by the DIE's address */
	struct made **queue;
	size_t n_queue, n_filled, queue_capacity;
	bool is_draining;
	/* Those of this round; types of type.c's own and earlier ones are whole. */
	struct hash pending;
};

/* type.c */
struct symbols_derived {
	struct hash derived_of; /* by what they are made of */
};

struct symbols_state {
	/* All files, in the order in which they are mapped (the executable first). */
	struct file **files;
	size_t n_files;
	struct symbols_units units;
	struct symbols_globals_known globals;
	struct symbols_index index;
	struct symbols_sources sources;
	struct symbols_chunks memory;
	struct symbols_types types;
	struct symbols_derived derived;
	_Atomic bool is_stale; /* a module has registered since they were read */
};
/* The debugger's own: its address never changes. */
__attribute__((const)) struct symbols_state *symbols_state(void);

#endif
