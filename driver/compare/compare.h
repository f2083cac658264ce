/* SPDX-License-Identifier: Apache-2.0 */
/* compare.h - `cudasim compare`: two runs of a program, launch by launch.
 *
 * Each run is a side: a process with the recorder in it that waits after each launch
 * until both have come there, or a recording made before. Launches are paired by their
 * order, allocations by the order in which they were made, variables by name; where the
 * runs go different ways the comparison ends. */
#ifndef CUDASIM_DRIVER_COMPARE_H
#define CUDASIM_DRIVER_COMPARE_H

#include <stdio.h>
#include <sys/types.h>

#include "compare_reader.h"
#include "compare_values.h"
#include "words.h"

/* ---- compare_side.c ---------------------------------------------------------------- */

struct piece {
	uint32_t memory, n, n_addresses;
	uint64_t offset;
	unsigned char *bytes;
	struct record_address *addresses;
};

struct side_memory {
	enum record_memory kind;
	uint64_t size, chunk;
	char *name, *place;
	bool freed;
	uint32_t ordinal;         /* among allocations; of variables 0 */
	uint64_t *plain, *normal; /* hashes of all chunks as last told; NULL: all 0 */
	enum value_type type;     /* as it, or parameters of launches, told so far */
	enum value_type guess;    /* where nobody tells: what its bytes look like */
};

struct change {
	uint32_t memory;
	struct record_chunk to;
};

struct side_launch {
	uint64_t index, shared;
	uint32_t stream, grid[3], block[3];
	bool watched, limited;
	int32_t error;
	char *kernel;  /* mangled */
	char *display; /* demangled, without parameters */
};

struct side {
	const char *label; /* "simulated": an adjective, or "GPU" */
	struct record_reader reader;
	int file;          /* a socket where live */
	bool live, simulated, has_header, has_ended; /* told its end */
	bool is_closed;    /* nothing more comes */
	bool uses_heap;    /* threads have called malloc() */
	char *device;
	pid_t pid;         /* 0: none, or waited for */
	int status;        /* as waitpid() gave it */
	struct side_memory *memories;
	uint32_t n_memories, capacity;
	uint32_t *allocations; /* numbers by ordinal */
	uint32_t n_allocations;
	struct side_launch launch;
	struct change *changes;
	size_t n_changes, changes_capacity;
	struct piece *pieces; /* of this launch, from a file */
	size_t n_pieces, pieces_capacity;
	struct owner {
		bool found;
		uint32_t block[3], thread[3];
		char *place;
	} *owners; /* by question */
	size_t n_owners;
};

void side_init(struct side *side, const char *label, int file, bool live, const char *name);
void side_fini(struct side *side);
/* Reads on to the end of the next launch; *ret_more is false where the run has ended, or
 * its process has (has_ended tells). A live side waits for side_go() after each. */
struct cudasim_error *side_next(struct side *side, bool *ret_more);
void side_go(struct side *side);
/* Bytes of a live side that waits; piece_fini() ends them. */
struct cudasim_error *side_read(struct side *side, uint32_t memory, uint64_t offset, uint32_t n,
				struct piece *ret);
void piece_fini(struct piece *piece);
/* The number that `other` has for a memory of side; UINT32_MAX for none. */
uint32_t side_match(const struct side *side, uint32_t memory, const struct side *other);

/* ---- compare_launch.c --------------------------------------------------------------- */

enum verdict { VERDICT_EQUAL, VERDICT_WITHIN, VERDICT_DIFFERENT };

/* How one memory differs after a launch. */
struct finding {
	uint32_t memory[2];      /* in either side's numbers */
	char *name, *place;
	enum record_memory kind;
	uint64_t size;
	struct tally tally;      /* of what could be compared */
	uint32_t n_chunks;       /* that differ */
	uint32_t n_unseen;       /* of them, those with no difference in what could be compared */
	bool is_sampled;         /* not every byte could be compared */
	struct owner first, worst;
};

/* A launch that is not equal. */
struct result {
	uint64_t launch;
	char *kernel;            /* as demangled, with the geometry */
	enum verdict verdict;
	char *message;           /* what is wrong with the launch itself, or NULL */
	struct finding *findings;
	size_t n;
};

struct type_rule {
	const char *memory; /* its number or variable's name; NULL: all */
	enum value_type type;
};

/* What a launch has changed, by the types of the memory. */
enum data { DATA_FLOATING, DATA_BOTH, DATA_OTHER, N_DATA };

struct comparison {
	struct tolerance tolerance;
	struct type_rule *rules;
	size_t n_rules;
	uint64_t n_launches, n_unwatched, n_verdicts[3];
	struct {
		uint64_t launches, equal;
	} by_data[N_DATA];
	uint64_t n_integer_launches; /* not equal, in memory that is not floating point */
	uint64_t buckets[VALUE_BUCKETS]; /* of all floating-point differences */
	struct result *results;
	size_t n_results;
	uint64_t n_untold;  /* results beyond MAX_RESULTS */
	char *divergence;   /* how the runs went different ways, or NULL */
};
enum { COMPARE_MAX_RESULTS = 10000 };

/* Both sides have come to a launch. Sets divergence where they do not belong together. */
struct cudasim_error *compare_launches(struct comparison *c, struct side *a, struct side *b);
void comparison_fini(struct comparison *c);

/* ---- compare_report.c ---------------------------------------------------------------- */

void compare_report_text(FILE *out, const struct comparison *c, const struct side *a,
			 const struct side *b, size_t n_told);
struct cudasim_error *compare_report_json(FILE *out, const struct comparison *c,
					  const struct side *a, const struct side *b);

/* ---- compare_run.c ---------------------------------------------------------------------- */

/* How to run a program. */
struct run {
	const char *label;
	char **arguments;      /* NULL-terminated; [0] is the program */
	const char *mode;      /* CUDASIM's value, or NULL: as it is */
	struct words variables; /* NAME=VALUE */
	const char *file;      /* record to this file; NULL: a live side */
	const char *kernel;    /* CUDASIM_RECORD_KERNEL, or NULL */
	const char *owners;    /* CUDASIM_RECORD_OWNERS, or NULL */
	int out;               /* what its stdout is to be; -1: nowhere */
};
/* Starts it with the recorder. For a live side, ret is ready for side_next(). */
struct cudasim_error *run_start(const struct run *run, struct side *ret);
/* Waits until the process has ended. */
void run_wait(struct side *side);
/* Ends it if it is still there. */
void run_end(struct side *side);
/* "exited with status 3", "was ended by signal 11 (Segmentation fault)"; the caller frees
 * it. */
char *run_status(const struct side *side);

#endif
