/* SPDX-License-Identifier: Apache-2.0 */
/* pipeline.c - the table of all transformations of device code, and the order in which each
 * stage of a compilation runs them. compile.c goes through the stages. */
#define _GNU_SOURCE
#include "pipeline.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <llvm-c/Analysis.h>

#include "arithmetic.h"
#include "context.h"
#include "body.h"
#include "debug_metadata.h"
#include "kernel_loop.h"
#include "layout.h"
#include "lower.h"
#include "pass_align.h"
#include "spin_loops.h"
#include "watch.h"
#include "watched_loops.h"
#include "own_atomics.h"
#include "contract_half.h"
#include "compile_budget.h"
#include "gpu.h"
#include "loop_passes.h"
#include "pass_reconverge.h"
#include "pass_vectorize.h"

static struct cudasim_error *merge_additions(struct device_module *dm)
{
	own_atomics_merge(dm->module);
	return NULL;
}

static struct cudasim_error *lower_own_atomics(struct device_module *dm)
{
	own_atomics_lower(dm->module);
	return NULL;
}

static struct cudasim_error *qualify_names(struct device_module *dm)
{
	debug_qualify_names(dm->module);
	return NULL;
}

/* ---- the passes ---------------------------------------------------------------------- */

/* What is read of the program's layout, and what passes on clones expect. */
#define LAYOUT "retarget,layout"

static const struct pipeline_pass passes[] = {
	/* the base */
	{"launches", pass_launches, "no kernel is called or is a value",
	 .source = "lower/pass_launches.c"},
	{"builtin-variables", pass_builtin_variables, "warpSize is the constant 32",
	 .source = "lower/pass_builtin_variables.c"},
	{"promises", pass_promises, "nothing is promised that code on a GPU may break",
	 .source = "lower/pass_promises.c"},
	{"asm-known", pass_asm_known, "all PTX in reach consists of instructions that are known",
	 .source = "lower/pass_asm_known.c", .settles = true},
	{"shared-values", pass_shared_values, "no constant holds a __shared__ variable's address",
	 .source = "lower/pass_shared_values.c"},
	{"headers", pass_headers, "small functions of the toolkit's headers are inlined",
	 .source = "lower/pass_headers.c"},
	{"libdevice", pass_libdevice, "all __nv_* are defined", .source = "lower/pass_libdevice.c"},
	{"asm-strings", pass_asm_strings, "string operands of asm are part of its text",
	 .source = "lower/pass_asm_strings.c"},
	{"asm", pass_asm, "no inline assembly is left", .source = "lower/pass_asm.c",
	 .settles = true},
	{"contract-half", pass_contract_half, "products and sums of halves are fused as by ptxas",
	 .source = "arithmetic/contract_half.c"},
	{"retarget", pass_retarget, "the target is x86-64; kernels are listed in the layout",
	 .source = "lower/pass_retarget.c"},
	{"intrinsics", pass_intrinsics, "no llvm.nvvm.* is left",
	 .source = "lower/pass_intrinsics.c"},
	{"runtime", pass_runtime, "all that is called is defined or libcudasim's",
	 .source = "lower/pass_runtime.c", .needs = "retarget"},
	{"copies", pass_copies, "operations whose result is an operand are that operand",
	 .source = "arithmetic/pass_arithmetic.c"},
	{"contract", pass_contract, "products and sums are fused as by nvcc",
	 .source = "arithmetic/contract.c", .llvm_copy = CONTRACT_SCALARS ", then " CONTRACT_SINK},
	{"arithmetic", pass_arithmetic, "no arithmetic is undefined",
	 .source = "arithmetic/pass_arithmetic.c"},
	{"inline", pass_inline, "builtins are inlined", .source = "lower/pass_inline.c"},
	{"index-ranges", pass_index_ranges, "threadIdx and its kin have the ranges of a GPU",
	 .source = "arithmetic/index_ranges.c"},
	{"locals", pass_locals, "local variables of 16 bytes and more are aligned to 16",
	 .source = "lower/pass_locals.c"},
	{"meetings", pass_meetings, "accesses that rely on a warp's lockstep are marked",
	 .source = "reconvergence/pass_reconverge.c", .llvm_copy = MEETINGS_COPY_PASSES},
	{"wrap", pass_wrap, "indices that count down in shared memory wrap as its addresses",
	 .source = "reconvergence/wrap.c"},
	{"volatile-meetings", pass_volatile_meetings, "volatile ones that look so are marked, too",
	 .source = "reconvergence/pass_reconverge.c"},
	{"reconverge", pass_reconverge, "warps meet at what is marked",
	 .source = "reconvergence/pass_reconverge.c"},
	{"spin", pass_spin, "volatile loads that a loop waits for are marked",
	 .source = "spin_loops/pass_spin.c"},
	{"yield", pass_yield, "loops that may wait for another thread give way",
	 .source = "spin_loops/pass_yield.c"},
	{"layout", pass_layout, "offsets of parameters and variables are decided",
	 .source = "layout/pass_layout.c", .needs = "retarget"},
	/* the clones */
	{"padding", pass_padding, "bits beside bit fields of local structures begin as zeros",
	 .source = "lower/pass_padding.cpp"},
	{"pairs", pass_pairs, "sine and cosine of one argument are one call",
	 .source = "lower/pass_pairs.c"},
	{"watched-kernels", pass_watched_kernels,
	 "kernels that no tool can watch as loops are declared",
	 .source = "kernel_loop/watched_loops.c", .needs = LAYOUT},
	{"watch", pass_watch, "the code announces accesses, lines, calls and returns",
	 .source = "watch/pass_watch.c", .needs = LAYOUT},
	{"shared", pass_shared, "no code names a __shared__ variable",
	 .source = "layout/pass_shared.c", .needs = LAYOUT},
	{"atomics", pass_atomics, "atomic additions of reals do as the GPU's do",
	 .source = "arithmetic/pass_atomics.c", .needs = LAYOUT},
	{"variables", pass_variables, "no code names a device or constant variable",
	 .source = "layout/pass_variables.c", .needs = LAYOUT},
	{"functions", pass_functions, "a function's address is its descriptor's",
	 .source = "layout/pass_functions.c", .needs = LAYOUT},
	{"loop", pass_loop, "kernels have a loop over their block's threads, where possible",
	 .source = "kernel_loop/pass_loop.c", .needs = LAYOUT},
	{"debuginfo", pass_debuginfo, "a debugger for x86-64 finds all variables",
	 .source = "watch/pass_debuginfo.c", .needs = LAYOUT ",shared,variables"},
	{"kernels", pass_kernels, "each kernel has an entry that takes packed parameters",
	 .source = "layout/pass_kernels.c", .needs = LAYOUT},
	{"shared-end", pass_shared_end, "__shared__ variables are deleted",
	 .source = "layout/pass_shared.c", .needs = LAYOUT ",shared"},
	/* the bodies */
	{"body", pass_body, "names are the body's own; indirect calls take its code",
	 .source = "body/pass_body.c", .needs = LAYOUT ",functions"},
	{"share", pass_share, "the AVX-512 body holds loops alone, the rest is declared",
	 .source = "body/pass_share.c", .needs = "body"},
	{"align", pass_align, "misaligned accesses in loops over threads fault",
	 .source = "align/pass_align.c", .needs = "loop,body"},
	{"join-loads", pass_join_loads,
	 "bytes that are loaded to make one value of them are one load",
	 .source = "body/pass_optimize.c", .needs = "body", .llvm = JOIN_LOADS},
	{"vectorize", pass_vectorize, "loops over threads that LLVM would leave scalar are vectors",
	 .source = "vectorize/pass_vectorize.c", .needs = "loop,body", .llvm = VECTORIZE_CLEANUP},
	{"loop-events", pass_loop_events, "events that are left are those of one thread",
	 .source = "thread_loop/loop_events.cpp", .needs = "loop,body"},
	{"last-additions", pass_last_additions, "additions that threads end with are marked",
	 .source = "vectorize/pass_vectorize.c", .needs = "loop,body"},
	{"own-atomics", lower_own_atomics, "no atomic is left on what one worker has for itself",
	 .source = "thread_loop/own_atomics.cpp"},
	{"qualified-names", qualify_names, "functions are named with their namespaces and classes",
	 .source = "ir/debug_metadata.cpp"},
	{"line-tables", NULL, "of debug information lines and functions are left",
	 .source = "pipeline.c", .llvm = "strip-nonlinetable-debuginfo"},
	{"inlining", pass_inlining, "what is to be inlined asks for it; kernels into their entries",
	 .source = "body/pass_optimize.c", .needs = "kernels,body"},
	{"optimize", pass_optimize, "optimised as the module's size allows",
	 .source = "body/pass_optimize.c", .needs = "body", .llvm = "default<O3>",
	 .llvm_large = BUDGET_SHORT_PASSES},
	{"additions", merge_additions, "four additions side by side are one exchange of 16 bytes",
	 .source = "thread_loop/own_atomics.cpp"},
	{"frame-pointers", pass_frame_pointers, "all functions keep a frame pointer",
	 .source = "body/pass_optimize.c"},
	{"inline-hooks", NULL, "hooks are inlined", .source = "pipeline.c",
	 .llvm = "always-inline"},
	{"canonical-nans", canonical_nans, "NaNs that operations make are the GPU's",
	 .source = "arithmetic/nan_canonical.c"},
	{"share-end", pass_share_end, "the AVX-512 body has no loop without vectors",
	 .source = "body/pass_share.c", .needs = "body"},
	{"context", pass_context, "the compiler's own functions are loads",
	 .source = "block_loop/pass_context.c", .needs = LAYOUT},
	/* PTX */
	{"gpu", pass_gpu, "builtins are linked, __managed__ variables are pointers",
	 .source = "nvptx/pass_gpu.c"},
	{"gpu-define", pass_gpu_define, "what LLVM does unlike nvcc is written out",
	 .source = "nvptx/pass_gpu.c", .needs = "gpu"},
	{"gpu-debug", pass_gpu_debug, "debug information is what PTX can say",
	 .source = "nvptx/gpu_emit.c"},
	{"gpu-optimize", pass_gpu_optimize, "optimised for the processor",
	 .source = "nvptx/gpu_emit.c", .llvm = "default<O3>"},
	{"gpu-settle", pass_gpu_settle, "LLVM's back end has no choice of fused products",
	 .source = "nvptx/pass_gpu.c"},
};

/* ---- the stages ---------------------------------------------------------------------- */

static const char *const base[] = {
	"launches",
	"builtin-variables",
	"promises",
	"asm-known",
	"shared-values",
	"headers",
	"libdevice",
	"asm-strings",
	"asm",
	"contract-half",
	"retarget",
	"intrinsics",
	"runtime",
	"copies",
	"contract",
	"arithmetic",
	"inline",
	"index-ranges",
	"locals",
	"meetings",
	"wrap",
	"volatile-meetings",
	"reconverge",
	"spin",
	"yield",
	"layout",
	NULL,
};

static const char *const plain[] = {
	"padding",   "pairs", "shared",  "atomics",    "variables",
	"functions", "loop",  "kernels", "shared-end", NULL,
};

static const char *const watched[] = {
	"pairs",     "watch",     "padding", "shared",     "atomics", "variables",
	"functions", "debuginfo", "kernels", "shared-end", NULL,
};

static const char *const watched_loops[] = {
	"watched-kernels", "pairs",     "watch", "padding",    "shared", "atomics",
	"variables",       "functions", "loop",  "shared-end", NULL,
};

static const char *const plain_body[] = {
	"body",           "share",          "align",       "join-loads", "vectorize",
	"last-additions", "own-atomics",    "line-tables", "inlining",   "optimize",
	"additions",      "canonical-nans", "share-end",   "context",    NULL,
};

static const char *const watched_body[] = {"body",           "frame-pointers", "inline-hooks",
					   "canonical-nans", "context",        NULL};

static const char *const watched_loops_body[] = {"body",           "join-loads",  "vectorize",
						 "loop-events",    "own-atomics", "qualified-names",
						 "line-tables",    "optimize",    "frame-pointers",
						 "canonical-nans", "context",     NULL};

static const char *const gpu[] = {
	"builtin-variables", "asm-strings", "promises", "shared-values", "libdevice", "gpu",
	"contract",          "gpu-define",  NULL,
};

static const char *const ptx[] = {"gpu-debug", "gpu-optimize", "contract", "gpu-settle", NULL};

static const struct {
	const char *name;
	enum device_stage module; /* for --run-pass */
	const char *const *passes;
} stages[N_PIPELINE_STAGES] = {
	[PIPELINE_BASE] = {"base", DEVICE_BASE, base},
	[PIPELINE_PLAIN] = {"plain", DEVICE_PLAIN, plain},
	[PIPELINE_WATCHED] = {"watched", DEVICE_WATCHED, watched},
	[PIPELINE_WATCHED_LOOPS] = {"watched-loops", DEVICE_WATCHED_LOOPS, watched_loops},
	[PIPELINE_PLAIN_BODY] = {"plain-body", DEVICE_V4, plain_body},
	[PIPELINE_WATCHED_BODY] = {"watched-body", DEVICE_WATCHED, watched_body},
	[PIPELINE_WATCHED_LOOPS_BODY] = {"watched-loops-body", DEVICE_WATCHED_LOOPS,
					 watched_loops_body},
	[PIPELINE_GPU] = {"gpu", DEVICE_GPU, gpu},
	[PIPELINE_PTX] = {"ptx", DEVICE_GPU, ptx},
};

/* ---- finding --------------------------------------------------------------------------- */

/* The pass of a step of a stage. */
static const struct pipeline_pass *pass_of(const char *step)
{
	for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++)
		if (!strcmp(passes[i].name, step))
			return &passes[i];
	assert(!"a step is a pass");
	return NULL;
}

static const struct pipeline_pass *find_in(enum pipeline_stage stage, const char *name,
					   size_t length)
{
	for (const char *const *step = stages[stage].passes; *step; step++)
		if (strlen(*step) == length && !memcmp(*step, name, length))
			return pass_of(*step);
	return NULL;
}

const struct pipeline_pass *pipeline_find_step(const char *name, size_t length,
					       enum pipeline_stage prefer, enum pipeline_stage *ret)
{
	const char *slash = memchr(name, '/', length);
	size_t of_stage = slash ? (size_t)(slash - name) : 0, skip = slash ? of_stage + 1 : 0;
	const struct pipeline_pass *pass = find_in(prefer, name + skip, length - skip);
	*ret = prefer;
	if (pass && !slash)
		return pass;
	for (enum pipeline_stage i = 0; i < N_PIPELINE_STAGES; i++) {
		*ret = i;
		if (slash &&
		    (strlen(stages[i].name) != of_stage || memcmp(stages[i].name, name, of_stage)))
			continue;
		pass = find_in(i, name + skip, length - skip);
		if (pass)
			return pass;
	}
	return NULL;
}

enum device_stage pipeline_module(enum pipeline_stage stage)
{
	return stages[stage].module;
}

/* What pass_loop does to each of its functions. */
static void print_loop_lists(FILE *file)
{
	const struct loop_pass *pass;
	for (enum loop_list list = 0; list < N_LOOP_LISTS; list++) {
		for (unsigned i = 0; (pass = loop_list_pass(list, i)); i++) {
			fprintf(file, "%-14s %-18s %-32s %s\n", loop_list_name(list), pass->name,
				pass->source, pass->promise);
			if (pass->llvm)
				fprintf(file, "%-14s   LLVM: %s\n", "", pass->llvm);
		}
	}
}

void pipeline_print(FILE *file)
{
	for (size_t i = 0; i < N_PIPELINE_STAGES; i++) {
		for (const char *const *step = stages[i].passes; *step; step++) {
			const struct pipeline_pass *pass = pass_of(*step);
			fprintf(file, "%-14s %-18s %-32s %s\n", stages[i].name, pass->name,
				pass->source, pass->promise);
			if (pass->llvm)
				fprintf(file, "%-14s   LLVM: %s\n", "", pass->llvm);
			if (pass->llvm_copy)
				fprintf(file, "%-14s   LLVM, on a copy: %s\n", "", pass->llvm_copy);
			if (pass->llvm_large)
				fprintf(file, "%-14s   LLVM, large: %s\n", "", pass->llvm_large);
			if (pass->run == pass_loop)
				print_loop_lists(file);
		}
	}
}

/* ---- running --------------------------------------------------------------------------- */

static const char *const stage_names[] = {
	[DEVICE_BASE] = "base",       [DEVICE_PLAIN] = "plain",
	[DEVICE_V3] = "v3",           [DEVICE_V4] = "v4",
	[DEVICE_WATCHED] = "watched", [DEVICE_WATCHED_LOOPS] = "watched-loops",
	[DEVICE_TABLES] = "tables",   [DEVICE_GPU] = "gpu",
};

/* Processor time, which says the same on a busy machine. */
uint64_t pipeline_now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

void pipeline_show_time(const struct device_module *dm, const char *what, uint64_t start)
{
	if (dm->program->options->verbose)
		fprintf(stderr, "%-8s %-12s %8" PRIu64 " us\n", stage_names[dm->stage], what,
			pipeline_now_us() - start);
}

struct cudasim_error *pipeline_save(struct device_module *dm, unsigned number, const char *pass)
{
	const char *dir = dm->program->options->save_temps;
	if (!dir)
		return NULL;
	char *path, *message = NULL;
	if (asprintf(&path, "%s/%s-%02u-%s.ll", dir, stage_names[dm->stage], number, pass) < 0)
		return &cudasim_error_nomem;
	struct cudasim_error *error = NULL;
	if (LLVMPrintModuleToFile(dm->module, path, &message)) {
		error = cudasim_error_new(CUDASIM_E_SYSTEM, "%s: error: %s", path, message);
		LLVMDisposeMessage(message);
	}
	free(path);
	return error;
}

struct cudasim_error *pipeline_verify(struct device_module *dm, const char *pass)
{
	char *message = NULL;
	struct cudasim_error *error = NULL;
	if (LLVMVerifyModule(dm->module, LLVMReturnStatusAction, &message))
		error = cudasim_error_new(
			CUDASIM_E_FAILED, "error: internal: invalid IR after pass '%s' (%s)%s: %s",
			pass, stage_names[dm->stage],
			dm->program->options->verify_each ? ""
							  : " or before it (use --verify-each)",
			message);
	LLVMDisposeMessage(message);
	return error;
}

struct cudasim_error *pipeline_refuse(const struct device_module *dm)
{
	size_t n = dm->program->n_diagnoses;
	if (!n)
		return NULL;
	return cudasim_error_new(CUDASIM_E_FAILED, "%zu error%s generated.", n, n == 1 ? "" : "s");
}

struct cudasim_error *pipeline_run_pass(struct device_module *dm, const struct pipeline_pass *pass)
{
	struct cudasim_error *error = pass->run ? pass->run(dm) : device_run_passes(dm, pass->llvm);
	/* What follows would be long work, and in vain. */
	return !error && pass->settles ? pipeline_refuse(dm) : error;
}

struct cudasim_error *pipeline_run_stage(struct device_module *dm, enum pipeline_stage stage)
{
	const struct device_options *options = dm->program->options;
	const char *const *steps = stages[stage].passes;
	for (unsigned i = 0; steps[i]; i++) {
		uint64_t start = pipeline_now_us();
		struct cudasim_error *error = pipeline_run_pass(dm, pass_of(steps[i]));
		pipeline_show_time(dm, steps[i], start);
		/* After each pass it would be a tenth of the compilation. */
		if (!error && (options->verify_each || options->save_temps || !steps[i + 1]))
			error = pipeline_verify(dm, steps[i]);
		if (!error)
			error = pipeline_save(dm, i + 1, steps[i]);
		if (error)
			return error;
		if (dm->program->incomplete)
			break;
	}
	return pipeline_refuse(dm);
}
