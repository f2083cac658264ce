/* SPDX-License-Identifier: Apache-2.0 */
/* compile_budget.h - how much work goes into a plain body.
 *
 * LLVM's full pipeline and code generation take what a source of ordinary size can wait
 * for. With hundreds of instances of templates they would take most of a minute, so large
 * modules get a shorter pipeline, from which passes are left that find little in code that
 * pass_loop has simplified before (value propagation between functions, most of seven
 * combinings of instructions, vectors of straight code), and code generation without loop
 * strength reduction and sinking. What its source wants inlined and unrolled is, until a
 * function has its kernel's share of BUDGET_INLINED; loops of more than 8000 instructions
 * are given up (barrier_loop.c), a loop's step is left as pass_loop made it, and a kernel
 * that has a loop gets an eighth of the share as a thread's code, which then runs only where
 * CUDASIM_ENGINE asks for it. The choice depends on the module only. */
#ifndef CUDASIM_COMPILER_COMPILE_BUDGET_H
#define CUDASIM_COMPILER_COMPILE_BUDGET_H

#include "device.h"

/* A module with more instructions than this is large. */
enum { BUDGET_LARGE = 40000 };

/* A function of a watched body with more instructions than this is long: where registers
 * are allocated its time grows with the square of its length (45 s for 23,000). */
enum { BUDGET_LONG = 6000 };

/* Loops times instructions of a function whose loops are still vectorised and whose induction
 * variables simplified; at this size that takes about a second (budgeted_passes.h). */
enum { BUDGET_LOOPS = 4000000 };

/* Instructions that all kernels of a large module may have by inlining together, and one at
 * least. */
enum { BUDGET_INLINED = 200000, BUDGET_LEAST_INLINED = 500 };

/* Instructions of watched loops, in a module, up to which more than level 0 is worth its time. */
enum { BUDGET_WATCHED_LOOPS = 4000 };

/* True where the module has more than so many instructions; more than BUDGET_LARGE. */
bool budget_is_above(const struct device_module *dm, size_t most);
bool budget_is_large(const struct device_module *dm);

/* True where one of its functions has more than BUDGET_LONG. */
bool budget_is_long(const struct device_module *dm);

/* Instructions that a function of the body may have by inlining, and with which its loops
 * are still unrolled; 0: any number. */
size_t budget_inlined(const struct device_module *dm);

/* What default<O3> would do, shortened, for large modules. */
#define BUDGET_SHORT_PASSES                                                                                 \
	"function<eager-inv>(lower-expect,simplifycfg,sroa,early-cse,cudasim-align-parts),globalopt,"       \
	"function<eager-inv>(simplifycfg),"                                                                 \
	"always-inline,globaldce,require<globals-aa>,function(invalidate<aa>),"                             \
	"require<profile-summary>,"                                                                         \
	"cgscc(devirt<4>(inline,function-attrs,function<eager-inv;no-rerun>("                               \
	"sroa,early-cse<memssa>,jump-threading,simplifycfg,reassociate,"                                    \
	"loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,loop-rotate,"               \
	"licm,simple-loop-unswitch<nontrivial;trivial>),"                                                   \
	"simplifycfg,instcombine<no-verify-fixpoint>,"                                                      \
	"loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),"                                          \
	"sroa,gvn,bdce,instcombine<no-verify-fixpoint>,adce,dse,loop-mssa(licm),"                           \
	"simplifycfg<hoist-common-insts;sink-common-insts>))),"                                             \
	"globalopt,globaldce,"                                                                              \
	"function<eager-inv>(float2int,lower-constant-intrinsics,loop(loop-rotate,loop-deletion),"          \
	"cudasim-align,inject-tli-mappings,loop-vectorize,infer-alignment,instcombine<no-verify-fixpoint>," \
	"simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-lookup;no-keep-loops;"              \
	"hoist-common-insts;sink-common-insts>,"                                                            \
	"vector-combine,loop-unroll<O3>,sroa<preserve-cfg>,instsimplify,"                                   \
	"loop-mssa(licm),alignment-from-assumptions,div-rem-pairs,tailcallelim,"                            \
	"simplifycfg<speculate-unpredictables>),"                                                           \
	"globaldce,constmerge"

/* LLVM's optimisation passes for the body, as text; malloc()ed, never NULL. */
char *budget_passes(const struct device_module *dm);

/* A pass_budget's tell, with a struct device_module: for --verbose, a line for a function
 * that is over BUDGET_LOOPS. */
void budget_show_less(void *dm, LLVMValueRef function, size_t n_loops, size_t n_instructions);

/* Set LLVM's analyses up for the process: sums of more than 16 terms stay sums of sums. By
 * itself LLVM would make one sum of up to 500 terms of an index that is counted on from
 * access to access, and of each of its steps again, which took gigabytes. */
void budget_begin(void);

/* Set LLVM's code generator up for the body. It has one state for the process, so this is
 * for a process that compiles one body. */
void budget_settle(const struct device_module *dm);

#endif
