/* SPDX-License-Identifier: Apache-2.0 */
/* pipeline.h - every transformation of device code, by name, and their order. */
#ifndef CUDASIM_COMPILER_PIPELINE_H
#define CUDASIM_COMPILER_PIPELINE_H

#include <stdio.h>

#include "device.h"

/* A transformation of a module: a function of ours, or passes of LLVM's. */
struct pipeline_pass {
	const char *name;
	device_pass run;     /* NULL: llvm is all that it does */
	const char *promise; /* what holds behind it, in a line */
	const char *source;  /* the file, below compiler/ */
	const char *needs;   /* passes that make what it reads, for --run-pass: "a,b"; or NULL */
	const char *llvm;    /* passes of LLVM's, as opt's -passes= takes them; or NULL. Beside
			      * run: those that it runs itself */
	const char *llvm_copy; /* what run does to a copy of the module, to see more there */
	const char *
		llvm_large; /* what run takes instead where the module is large (compile_budget.h) */
	bool settles; /* the stage ends behind it where something was diagnosed */
};

/* The lists of passes, in the order in which a compilation comes to them. */
enum pipeline_stage {
	PIPELINE_BASE, /* what the bodies share */
	PIPELINE_PLAIN, /* the clone that both plain bodies are made of */
	PIPELINE_WATCHED,
	PIPELINE_WATCHED_LOOPS, /* the clone of the watched body */
	PIPELINE_PLAIN_BODY, /* one plain body, in a process of its own */
	PIPELINE_WATCHED_BODY,
	PIPELINE_WATCHED_LOOPS_BODY, /* the watched one */
	PIPELINE_GPU, /* the module made ready for PTX, instead of all those */
	PIPELINE_PTX, /* optimised for it */
	N_PIPELINE_STAGES,
};

/* Run a stage's passes. The module is verified after the last one, and after each with
 * options->verify_each. Stops at the first error, and at the end if anything was diagnosed. */
struct cudasim_error *pipeline_run_stage(struct device_module *dm, enum pipeline_stage stage);

/* Run one pass. */
struct cudasim_error *pipeline_run_pass(struct device_module *dm, const struct pipeline_pass *pass);

/* A step by its pass's name: in the stage named before it ("watched/shared"), else in `prefer`
 * if that has it, else in the first that has. NULL if there is none. *ret is its stage. */
const struct pipeline_pass *pipeline_find_step(const char *name, size_t length,
					       enum pipeline_stage prefer,
					       enum pipeline_stage *ret);

/* What kind of module a stage works on; of a plain body the AVX-512 one. */
enum device_stage pipeline_module(enum pipeline_stage stage);

/* All of it as lines `STAGE PASS SOURCE PROMISE`, with the passes of LLVM's below. */
void pipeline_print(FILE *file);

/* Our own passes must leave a valid module; a broken one is our bug, which is
 * shown with the pass's name before LLVM stumbles over it. */
struct cudasim_error *pipeline_verify(struct device_module *dm, const char *pass);

/* For --save-temps: DIR/STAGE-NN-PASS.ll. */
struct cudasim_error *pipeline_save(struct device_module *dm, unsigned number, const char *pass);

/* The error that stands for the diagnoses already shown; NULL without any. */
struct cudasim_error *pipeline_refuse(const struct device_module *dm);

/* For --verbose: the time, and a line with what has passed since start. */
uint64_t pipeline_now_us(void);
void pipeline_show_time(const struct device_module *dm, const char *what, uint64_t start);

#endif
