/* SPDX-License-Identifier: Apache-2.0 */
/* loop_passes.c - the table of those passes, a part of the one in pipeline.c. */
#include "loop_passes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "bound_narrowing.h"
#include "cudasim/abi.h"
#include "idle_yields.h"
#include "induction_widening.h"
#include "loop_marks.h"
#include "block_coalescing.h"
#include "loop_distribution.h"
#include "loop_events.h"
#include "loop_interchange.h"
#include "space_tests.h"
#include "llvm_functions.h"

static void vary_local_loads(LLVMValueRef function, struct layout_kernel *kernel)
{
	(void)kernel;
	loads_clear_invariant(function);
}

static void drop_own_events(LLVMValueRef function, struct layout_kernel *kernel)
{
	(void)kernel;
	loop_events_drop_own(function);
}

static void allow_unrolling(LLVMValueRef function, struct layout_kernel *kernel)
{
	(void)kernel;
	loops_allow_unrolling(function);
}

static void form_row(LLVMValueRef function, struct layout_kernel *kernel)
{
	int in_order;
	if (LLVMCountParams(function) != 3)
		return; /* no loop function */
	enum block_coalescing row = blocks_coalesce(function, &in_order);
	if (row != COALESCING_NONE)
		kernel->flags |= CUDASIM_KERNEL_ROW;
	if (row == COALESCING_JOINED)
		kernel->flags |= CUDASIM_KERNEL_JOINED;
	if (in_order)
		kernel->flags |= CUDASIM_KERNEL_IN_ORDER;
}

static void distribute_loops(LLVMValueRef function, struct layout_kernel *kernel)
{
	(void)kernel;
	loops_distribute(function);
}

static void bound_loops(LLVMValueRef function, struct layout_kernel *kernel)
{
	(void)kernel;
	loops_narrow_bounds(function);
}

static void turn_loops(LLVMValueRef function, struct layout_kernel *kernel)
{
	(void)kernel;
	loops_interchange(function);
}

static void count_indices(LLVMValueRef function, struct layout_kernel *kernel)
{
	(void)kernel;
	loops_widen_induction(function);
}

static void fold_space_tests(LLVMValueRef function, struct layout_kernel *kernel)
{
	space_tests_fold(function,
			 CUDASIM_RESERVED_SHARED_BYTES + (uint32_t)kernel->static_shared_bytes);
}

static void remove_idle_yields(LLVMValueRef function, struct layout_kernel *kernel)
{
	(void)kernel;
	idle_yields_remove(function);
}

static void remove_unused_clocks(LLVMValueRef function, struct layout_kernel *kernel)
{
	(void)kernel;
	unused_clocks_remove(function);
}

static void mark_accesses(LLVMValueRef function, struct layout_kernel *kernel)
{
	(void)kernel;
	thread_loops_mark_accesses(function);
}

static void keep_loops(LLVMValueRef function, struct layout_kernel *kernel)
{
	(void)kernel;
	thread_loops_forbid_unrolling(function);
}

static void keep_first(LLVMValueRef function, struct layout_kernel *kernel)
{
	(void)kernel;
	thread_loops_forbid_peeling(function);
}

/* For the operations, too, where the processor has longer ones: what regions have stored in such
 * pieces cannot be forwarded to a longer load. */
static void use_short_vectors(LLVMValueRef function, struct layout_kernel *kernel)
{
	static const char name[] = "min-legal-vector-width", bits[] = "256";
	LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
	(void)kernel;
	LLVMAddAttributeAtIndex(
		function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
		LLVMCreateStringAttribute(context, name, sizeof name - 1, bits, sizeof bits - 1));
}

static const struct loop_pass passes[] = {
	{"local-loads", NULL, vary_local_loads, "no load of a local variable is called invariant",
	 "thread_loop/loop_marks.cpp"},
	{"allow-unrolling", NULL, allow_unrolling, "no loop is forbidden to be unrolled",
	 "thread_loop/loop_marks.cpp"},
	{"simplify-loop",
	 "sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,sroa,simplifycfg", NULL,
	 "variables are registers", "block_loop/loop_passes.c"},
	{"coalesce-blocks", NULL, form_row,
	 "one loop goes through blocks side by side, where they may",
	 "thread_loop/block_coalescing.cpp"},
	/* A variable that a thread leaves as the one before did would keep them from being lanes. */
	{"dead-cycles", "adce", NULL, "no value goes from thread to thread for nobody",
	 "block_loop/loop_passes.c"},
	{"own-events", NULL, drop_own_events, "no event is of a variable that tools do not ask for",
	 "thread_loop/loop_events.cpp"},
	/* What several regions use is made before them. */
	{"hoist", "loop-simplify,lcssa,loop-mssa(licm),instsimplify,simplifycfg", NULL,
	 "what does not change in a loop is before it", "block_loop/loop_passes.c"},
	/* LLVM makes a switch of `if (threadIdx.x == 0) ... if (threadIdx.x == 15) ...`. */
	{"lower-switches", "lower-switch", NULL, "no switch is left", "block_loop/loop_passes.c"},
	{"distribute", NULL, distribute_loops, "what few threads do besides has loops of its own",
	 "thread_loop/loop_distribution.cpp"},
	{"narrow-bounds", NULL, bound_loops, "loops run for those threads alone that do something",
	 "thread_loop/bound_narrowing.cpp"},
	{"interchange", NULL, turn_loops, "loops over threads are inside grid-stride loops",
	 "thread_loop/loop_interchange.cpp"},
	{"widen-induction", NULL, count_indices,
	 "indices that count with the thread are wide from the start",
	 "thread_loop/induction_widening.cpp"},
	/* Short loops of a known length become none, switches branches. */
	{"unroll-short",
	 "loop-simplify,lcssa,loop(indvars,loop-unroll-full),sroa,early-cse<memssa>,"
	 "instcombine<no-verify-fixpoint>,simplifycfg,lower-switch",
	 NULL, "short loops of a known length are none, switches are branches",
	 "block_loop/loop_passes.c"},
	{"simplify-continuation", "sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>",
	 NULL, "variables are registers", "block_loop/loop_passes.c"},
	{"unroll-continuation",
	 "simplifycfg,loop(loop-rotate),loop(indvars,loop-unroll-full),sroa,early-cse,instcombine<no-verify-fixpoint>,"
	 "simplifycfg",
	 NULL, "variables are registers, short loops of a known length are none",
	 "block_loop/loop_passes.c"},
	{"space-tests", NULL, fold_space_tests, "whether an address is shared memory's is known",
	 "thread_loop/space_tests.cpp"},
	{"idle-yields", NULL, remove_idle_yields, "what waits for an mbarrier gives way only there",
	 "thread_loop/idle_yields.cpp"},
	{"drop-idle", "adce,simplifycfg", NULL, "what only told how long to sleep is gone",
	 "block_loop/loop_passes.c"},
	{"unused-clocks", NULL, remove_unused_clocks, "no clock is read for nobody",
	 "thread_loop/idle_yields.cpp"},
	{"mark-accesses", NULL, mark_accesses, "what may be done in any order is marked",
	 "thread_loop/loop_marks.cpp"},
	{"keep-first", NULL, keep_first, "loops over threads keep their first iterations",
	 "thread_loop/loop_marks.cpp"},
	{"keep-loops", NULL, keep_loops, "loops over threads are not to be unrolled",
	 "thread_loop/loop_marks.cpp"},
	{"short-vectors", NULL, use_short_vectors, "vectors have 256 bits at most",
	 "block_loop/loop_passes.c"},
};

enum { N_PASSES = sizeof(passes) / sizeof(passes[0]) };

static const char *const straight[] = {"local-loads",     "allow-unrolling", "simplify-loop",
				       "coalesce-blocks", "interchange",     "widen-induction",
				       "unroll-short",    "mark-accesses",   NULL};
static const char *const continuation[] = {"local-loads", "simplify-loop", "space-tests", NULL};
static const char *const regions[] = {"local-loads",   "allow-unrolling", "simplify-loop", "hoist",
				      "narrow-bounds", "interchange",     "mark-accesses", NULL};
static const char *const uniform_flow[] = {"local-loads",   "allow-unrolling", "simplify-loop",
					   "hoist",         "lower-switches",  "distribute",
					   "narrow-bounds", "interchange",     "keep-first",
					   "unroll-short",  "mark-accesses",   NULL};
static const char *const warp_continuation[] = {
	"local-loads", "allow-unrolling",     "simplify-continuation",
	"space-tests", "unroll-continuation", "idle-yields",
	"drop-idle",   "unused-clocks",       NULL};
static const char *const warps[] = {"local-loads",
				    "allow-unrolling",
				    "simplify-loop",
				    "mark-accesses",
				    "keep-loops",
				    "short-vectors",
				    NULL};

static const char *const watched[] = {"local-loads", "allow-unrolling", "simplify-loop",
				      "dead-cycles", "own-events",      "unroll-short",
				      NULL};

static const char *const watched_flow[] = {
	"local-loads",    "allow-unrolling", "simplify-loop", "dead-cycles",  "hoist",
	"lower-switches", "narrow-bounds",   "keep-first",    "unroll-short", NULL};

static const char *const watched_warps[] = {
	"local-loads",    "allow-unrolling", "simplify-loop", "dead-cycles",
	"lower-switches", "keep-loops",      "short-vectors", NULL};

static const struct {
	const char *name;
	const char *const *passes;
} lists[N_LOOP_LISTS] = {
	[LOOP_STRAIGHT] = {"loop/straight", straight},
	[LOOP_CONTINUATION] = {"loop/continuation", continuation},
	[LOOP_REGIONS] = {"loop/regions", regions},
	[LOOP_UNIFORM_FLOW] = {"loop/uniform-flow", uniform_flow},
	[LOOP_WARP_CONTINUATION] = {"loop/warp-continuation", warp_continuation},
	[LOOP_WARPS] = {"loop/warps", warps},
	[LOOP_WATCHED] = {"loop/watched", watched},
	[LOOP_WATCHED_FLOW] = {"loop/watched-flow", watched_flow},
	[LOOP_WATCHED_WARPS] = {"loop/watched-warps", watched_warps},
};

enum loop_list loop_list_of_warps(const struct device_module *dm)
{
	return dm->stage == DEVICE_WATCHED_LOOPS ? LOOP_WATCHED_WARPS : LOOP_WARPS;
}

const char *loop_list_name(enum loop_list list)
{
	return lists[list].name;
}

const struct loop_pass *loop_list_pass(enum loop_list list, unsigned i)
{
	const char *name = lists[list].passes[i];
	for (unsigned k = 0; name && k < N_PASSES; k++)
		if (!strcmp(passes[k].name, name))
			return &passes[k];
	assert(!name);
	return NULL;
}

struct loop_runner {
	struct function_passes *llvm[N_PASSES];
};

struct loop_runner *loop_runner_new(void)
{
	struct loop_runner *runner = calloc(1, sizeof(*runner));
	assert(runner);
	return runner;
}

void loop_runner_free(struct loop_runner *runner)
{
	for (unsigned i = 0; i < N_PASSES; i++)
		if (runner->llvm[i])
			function_passes_free(runner->llvm[i]);
	free(runner);
}

void loop_pass_run(struct loop_runner *runner, const struct loop_pass *pass, LLVMValueRef function,
		   struct layout_kernel *kernel)
{
	struct function_passes **llvm = &runner->llvm[pass - passes];
	if (pass->run) {
		pass->run(function, kernel);
		return;
	}
	if (!*llvm)
		*llvm = function_passes_new(pass->llvm);
	function_passes_run(*llvm, function);
}

void loop_list_run(struct loop_runner *runner, enum loop_list list, LLVMValueRef function,
		   struct layout_kernel *kernel)
{
	const struct loop_pass *pass;
	for (unsigned i = 0; (pass = loop_list_pass(list, i)); i++)
		loop_pass_run(runner, pass, function, kernel);
}
