/* SPDX-License-Identifier: Apache-2.0 */
/* plan.h - from a command to the jobs that carry it out.
 *
 * Making a plan touches no file and reads no variable, so the same command in
 * the same surroundings always gives the same plan, and tests need neither a
 * compiler nor a disk. job.h carries a plan out.
 *
 *   x.cu --device pass--> x.bc --module-id--> x.blob, x.id
 *   x.bc --cudasim-devcc--> x.dev.o
 *   x.cu --host pass, with x.blob inside--> x.host.o
 *   x.host.o + x.dev.o --ld -r--> x.o
 *
 * With -rdc=true x.bc goes into x.o's section .cudasim.bc instead, and the link
 * gathers these sections and compiles them as one. */
#ifndef CUDASIM_DRIVER_PLAN_H
#define CUDASIM_DRIVER_PLAN_H

#include "architecture.h"
#include "command.h"
#include "gpu.h"
#include "places.h"
#include "toolkit.h"

/* What a plan depends on besides the command. */
struct surroundings {
	const struct toolkit *toolkit;
	const struct places *places;
	const struct architecture *architecture;
	const struct gpu *gpu; /* NULL: no code for a real GPU */
	const char *clang;     /* as host_tools.h finds it */
	const char *host_c, *host_cxx; /* without -ccbin */
	const char *folder;    /* the current one, absolute */
	const char *temporary; /* the folder for what lies between jobs */
	const char *tree_libraries; /* where libcudart is libcudasim by name; or NULL */
	const char *openmp_library; /* libomp.so of LLVM, NULL if not there */
	const char *openmp_include; /* omp.h's folder if clang has none; or NULL */
	const char *gcc_include;    /* the same of gcc; or NULL */
	bool color;            /* diagnostics go to a terminal */
};

/* One program to run.
 *
 * A word "PREFIX$(cat FILE)" stands for the words in FILE, one a line, the
 * prefix before the first: what one job finds out and a later one is told. */
struct job {
	struct words words;
	const char *phase; /* "device pass": for --time and messages */
	/* Diagnostics of jobs with the same number are clang's about one source;
	 * what several of them say is shown once. 0: shown as they come. */
	unsigned source;
	char *output;      /* removed when the job fails; or NULL */
	char *only_if;     /* left out when this file is empty; or NULL */
	bool beside_next;  /* may run while the next job does, which does not need it */
	unsigned lane;     /* jobs side by side with the same lane, other than 0, run one
	                    * after another */
	char *headers;     /* where clang is to list the headers that it reads, if anybody
	                    * wants to know them (cache.h); NULL: not clang's job */
	bool links;        /* the link, whose failures get advice about libraries */
	/* clang's passes: a precompiled header that the pass uses where it exists, the command that
	 * makes it, and whether that is the same in every folder. NULL: the pass has none. */
	char *prelude;
	struct words prelude_words;
	bool prelude_anywhere;
};

/* Jobs that make one object of one source, and may be left out together where the
 * object is known from before (cache.h). */
struct unit {
	size_t first, n; /* jobs */
	char *source, *object;
	char *depend; /* the dependency file, or NULL */
	bool by_content; /* known by what its inputs (PTX, NVVM IR, LTO-IR, objects) hold, in whatever folder */
	bool anywhere; /* known by what its jobs' words say, in whatever folder */
};

struct plan {
	struct job *jobs;
	size_t n_jobs;
	struct unit *units; /* in the jobs' order */
	size_t n_units;
	struct words temporaries; /* files in surroundings.temporary */
	struct words outputs; /* what stays */
	struct words missing; /* libraries of the toolkit that are not simulated */
	char *run; /* the executable to run at the end, or NULL */
};

/* Errors: CUDASIM_E_ARGUMENT, CUDASIM_E_UNSUPPORTED. */
struct cudasim_error *plan_make(const struct command *command,
				const struct surroundings *surroundings, struct plan *ret);

void plan_fini(struct plan *plan);

#endif
