/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "effort.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <llvm-c/Support.h>

#include "layout.h"
#include "names.h"

/* What default<O3> would do, shortened. */
static const char short_passes[] =
	"function<eager-inv>(lower-expect,simplifycfg,sroa,early-cse,cudasim-align-parts),globalopt,"
	"function<eager-inv>(simplifycfg),"
	"always-inline,globaldce,require<globals-aa>,function(invalidate<aa>),"
	"require<profile-summary>,"
	"cgscc(devirt<4>(inline,function-attrs,function<eager-inv;no-rerun>("
	"sroa,early-cse<memssa>,jump-threading,simplifycfg,reassociate,"
	"loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,loop-rotate,"
	"licm,simple-loop-unswitch<nontrivial;trivial>),"
	"simplifycfg,instcombine<no-verify-fixpoint>,"
	"loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),"
	"sroa,gvn,bdce,instcombine<no-verify-fixpoint>,adce,dse,loop-mssa(licm),"
	"simplifycfg<hoist-common-insts;sink-common-insts>))),"
	"globalopt,globaldce,"
	"function<eager-inv>(float2int,lower-constant-intrinsics,loop(loop-rotate,loop-deletion),"
	"cudasim-align,inject-tli-mappings,loop-vectorize,infer-alignment,instcombine<no-verify-fixpoint>,"
	"simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-lookup;no-keep-loops;"
	"hoist-common-insts;sink-common-insts>,"
	"vector-combine,loop-unroll<O3>,sroa<preserve-cfg>,instsimplify,"
	"loop-mssa(licm),alignment-from-assumptions,div-rem-pairs,tailcallelim,"
	"simplifycfg<speculate-unpredictables>),"
	"globaldce,constmerge";

bool effort_is_large(const struct device_module *dm)
{
	size_t n = 0;
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f && n <= EFFORT_LARGE;
	     f = LLVMGetNextFunction(f))
		n += device_size(f);
	return n > EFFORT_LARGE;
}

bool effort_is_long(const struct device_module *dm)
{
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f))
		if (device_size(f) > EFFORT_LONG)
			return true;
	return false;
}

size_t effort_inlined(const struct device_module *dm)
{
	if (!dm->large)
		return 0;
	size_t n = dm->program->layout->n_kernels;
	size_t share = EFFORT_INLINED / (n ? n : 1);
	return share < EFFORT_LEAST_INLINED ? EFFORT_LEAST_INLINED : share;
}

char *effort_passes(const struct device_module *dm)
{
	char *text;
	int level = dm->program->options->optimize;
	int n = dm->large && level == 3 ? asprintf(&text, "%s", short_passes)
					: asprintf(&text, "default<O%d>", level);
	assert(n >= 0);
	(void)n;
	return text;
}

void effort_show_less(void *arg, LLVMValueRef function, size_t n_loops, size_t n_instructions)
{
	const struct device_module *dm = arg;
	if (dm->program->options->verbose)
		fprintf(stderr, "%-8s not vectorized: %s: %zu loops, %zu instructions\n",
			name_body(dm->stage), name_of(function), n_loops, n_instructions);
}

void effort_begin(void)
{
	const char *argv[] = {"cudasim-devcc", "-scev-addops-inline-threshold=16"};
	LLVMParseCommandLineOptions(2, argv, NULL);
}

void effort_settle(const struct device_module *dm)
{
	if (dm->stage != DEVICE_V3 && dm->stage != DEVICE_V4)
		return;
	/* Plain bodies have lines, but no variables whose places would have to be followed
	 * through the code; the older of LLVM's two ways finds that out at once. */
	const char *argv[] = {"cudasim-devcc", "-experimental-debug-variable-locations=false",
			      "-disable-lsr", "-disable-machine-sink"};
	LLVMParseCommandLineOptions(dm->large ? 4 : 2, argv, NULL);
}
