/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - a CUDA translation unit on its way through the device compiler.
 *
 * One struct device_program is one run of cudasim-devcc. It begins as one LLVM
 * module (the base), which the first passes bring from NVVM IR to IR without
 * anything of NVVM in it. The base is then cloned into the plain and the watched
 * module; the plain one ends as two objects (x86-64-v3, AVX-512), the watched
 * one as a third; the tables that exist once are a fourth (see pipeline.c).
 * A struct device_module is one of those modules while passes work on it.
 *
 * A pass is a function `struct cudasim_error *pass_NAME(struct device_module *)`.
 * It leaves the module valid, depends on nothing but the module and the
 * program's options, and visits things in the module's order, so that the same
 * input always gives the same bytes. What the program did wrong goes through
 * device_diagnose() (compilation goes on to the end of the stage, or of the pass where
 * the rest is long work in vain, to show every error at once); a returned error ends the
 * compilation. */
#ifndef CUDASIM_COMPILER_DEVICE_H
#define CUDASIM_COMPILER_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "cudasim/abi.h"
#include "error.h"

/* The command line (main.c). */
struct device_options {
	const char *output;        /* OUT.o */
	const char *const *inputs; /* bitcode files */
	size_t n_inputs;
	bool nvvm; /* the inputs are NVVM IR, and bitcode of LLVM's is wanted (nvvm_input.h) */
	const char *const *lazy; /* more of it, of which only what the inputs need is */
	size_t n_lazy;
	uint8_t id[16];            /* the module's id, as in struct cudasim_blob */
	const char *source;        /* the source file's name, for the tables */
	int optimize;              /* 0..3 */
	bool ftz, prec_div, prec_sqrt, fmad;
	bool fast_math; /* nvcc's -use_fast_math: quick functions and quotients, too */
	const char *libdevice;     /* path of libdevice.10.bc, or NULL */
	const char *builtins;      /* path of builtins.bc */
	/* Folders whose headers count as the user's: "cub" for .../cub/block/block_scan.cuh. */
	const char *const *step_into;
	size_t n_step_into;
	const char *library;       /* path of libcudasim.so, for programs not linked with it */
	const char *attach;        /* path of attach.o, to be a part of the object; or NULL */
	bool rdc;    /* inputs are all device code of a program */
	bool relocatable; /* inputs are a part of one: what is undefined, another part has */
	const char *const *rdc_ids;
	size_t n_rdc_ids;
	unsigned arch; /* __CUDA_ARCH__ of the inputs: 900; 0 if not told */
	bool verbose;
	bool engines; /* say on stderr how each kernel's blocks are run */
	bool check; /* read the inputs only, which are PTX or NVVM IR */
	bool verify_each; /* verify the IR after each pass, not each stage */
	const char *save_temps; /* folder, or NULL */
	bool body_plain, body_v4, body_watched; /* which bodies to build */
	const char *gpu; /* "sm_90": PTX for it instead of bodies; or NULL */
	bool gpu_debug; /* its PTX with all debug information */
	bool gpu_alone; /* its PTX is loaded with no libcudasim beside */
	bool gpu_beside; /* the host object will carry code for a GPU */
	const char *gpu_blob; /* file with a struct cudasim_blob for the module; or NULL */
};

/* What a module holds. */
enum device_stage {
	DEVICE_BASE, /* everything, before the bodies part ways */
	DEVICE_PLAIN, /* to be optimised; later cloned into the next two */
	DEVICE_V3,
	DEVICE_V4,
	DEVICE_WATCHED,
	DEVICE_WATCHED_LOOPS, /* the watched body's loops over threads, optimised as plain ones */
	DEVICE_TABLES, /* what exists once: variables, descriptors, sites, kernels */
	DEVICE_GPU, /* everything, on its way to PTX (gpu.h) */
};

struct device_layout; /* layout.h: kernels, shared and other variables */
struct device_function; /* layout.h: functions whose address is taken */
struct site_table; /* pass_sites.c */

/* One compilation. */
struct device_program {
	const struct device_options *options;
	LLVMContextRef context;
	char id_text[33]; /* options->id as 32 hexadecimal digits */
	struct device_layout *layout; /* set by pass_layout on the base */
	struct site_table *sites; /* owned by pass_sites.c; NULL at first */
	size_t n_diagnoses; /* errors shown so far */
	bool incomplete; /* something is undefined, and options->relocatable; or PTX cannot say it */
};

/* A shared variable's address in one function, for pass_debuginfo. */
struct device_shared_use {
	LLVMValueRef global; /* the AS 3 global, gone from the code by now */
	LLVMValueRef function;
	LLVMValueRef address; /* instruction in the entry block, of type ptr */
};

struct device_module {
	struct device_program *program;
	LLVMContextRef context;
	LLVMModuleRef module;
	enum device_stage stage;
	bool large; /* a plain one that gets less effort (compile_budget.h) */
	/* Filled by pass_shared, valid until pass_shared_end. */
	struct device_shared_use *shared_uses;
	size_t n_shared_uses;
};

/* Report what is wrong with the user's program at an instruction, a function
 * or a global (whose debug location names the line; where may be NULL). Prints
 * `file:line: error: text` on stderr and makes the compilation fail. */
void device_diagnose(struct device_module *dm, LLVMValueRef where, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Is it compiled with -rdc=true, as kernels that launch kernels have to be? */
bool device_is_separate(const struct device_module *dm);

/* The same as an error to return, for a pass that cannot go on. */
struct cudasim_error *device_error(LLVMValueRef where, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Show LLVM's own errors (not its warnings) on stderr and count them as the
 * program's diagnoses. */
void device_watch_diagnostics(struct device_program *program);

/* Until then, put the first of them into *text, which is malloc()ed; NULL where there is none. */
void device_note_diagnostics(struct device_module *dm, char **text);

/* Parse a bitcode file into the module's context. The caller owns *ret. */
struct cudasim_error *device_read_bitcode(struct device_module *dm, const char *path,
					  LLVMModuleRef *ret);

/* The same of one of which little is needed: functions are read when they are linked (module_link_needed()). */
struct cudasim_error *device_read_bitcode_lazily(struct device_module *dm, const char *path,
						 LLVMModuleRef *ret);

/* Run LLVM passes (as opt's -passes= takes them) on the module, without a
 * target: for generic passes such as "globaldce" or "sroa". */
struct cudasim_error *device_run_passes(struct device_module *dm, const char *passes);
/* The same with what a target machine knows; NULL: without. */
struct cudasim_error *device_run_passes_for(struct device_module *dm, const char *passes,
					    LLVMTargetMachineRef machine);

/* The declaration of a function of abi.h, made if it is not there yet, with the
 * attributes that its meaning allows (runtime.c holds the table). Asserts that
 * the name is known. */
LLVMValueRef device_runtime(struct device_module *dm, const char *name);

/* Give those declarations the attributes that are already in the module, made
 * by builtins or by the program. */
void device_declare_runtime(struct device_module *dm);

/* The type of a letter of that table: v, i, l, else a pointer. */
LLVMTypeRef runtime_type(LLVMContextRef context, char code);

/* A call of such a function at the builder's place. When the function's last
 * parameter is a site, args leaves it out and it is added for `where`. */
LLVMValueRef device_call_runtime(struct device_module *dm, LLVMBuilderRef builder, const char *name,
				 LLVMValueRef *args, unsigned n_args, LLVMValueRef where,
				 enum cudasim_site_kind kind);

/* Replace every use of a global in code by a value that make() builds once for
 * each function that uses it, at the function's start. The value has type ptr;
 * it is cast to the global's address space. The global may only be used by
 * instructions and by other constants, which stay. */
typedef LLVMValueRef (*device_maker)(struct device_module *dm, LLVMBuilderRef builder,
				     LLVMValueRef global, void *arg);
void device_replace_global(struct device_module *dm, LLVMValueRef global, device_maker make,
			   void *arg);

/* Visit every instruction of every defined function, in order. visit may delete
 * or replace the instruction it is given and insert before it, nothing else. */
typedef void (*device_visitor)(struct device_module *dm, LLVMValueRef instruction, void *arg);
void device_visit(struct device_module *dm, device_visitor visit, void *arg);

/* How many instructions a function has. */
size_t device_size(LLVMValueRef function);

/* Whether one of a function's instructions is. */
bool function_has(LLVMValueRef function, bool (*is)(LLVMValueRef instruction));

/* Whether a call's callee has a name that begins with one of these; an array that ends in NULL. */
bool device_calls(LLVMValueRef call, const char *const *prefixes);

/* A pass. */
typedef struct cudasim_error *(*device_pass)(struct device_module *dm);

/* What names of constant strings begin with that a pass adds to one body. */
#define OWN_STRING ".cudasim.own."

/* ---- sites (pass_sites.c) --------------------------------------------------- */

/* A constant of type ptr: the site of this kind for the instruction's (or, for
 * a function, its first) place in the source. The same place and kind give the
 * same site. Callable from any pass before the bodies' own processes start. */
LLVMValueRef site_for(struct device_module *dm, LLVMValueRef where, enum cudasim_site_kind kind);

/* On the tables: defines the array of sites. */
struct cudasim_error *pass_sites(struct device_module *dm);

/* Number of sites so far; sites_free ends the table. */
size_t sites_count(const struct device_program *program);
void sites_free(struct device_program *program);

#endif
