/* SPDX-License-Identifier: Apache-2.0 */
#include "front.h"

#include <stdlib.h>
#include <string.h>

/* What nvcc of the toolkit's version announces. */
static void add_version_macros(struct words *words, unsigned version)
{
	unsigned major = version / 1000, minor = version % 1000 / 10;
	words_addf(words, "-D__CUDACC_VER_MAJOR__=%u", major);
	words_addf(words, "-D__CUDACC_VER_MINOR__=%u", minor);
	words_addf(words, "-D__CUDACC_VER_BUILD__=%u", toolkit_build(version));
	words_addf(words, "-D__CUDA_API_VER_MAJOR__=%u", major);
	words_addf(words, "-D__CUDA_API_VER_MINOR__=%u", minor);
	words_add(words, "-D__CUDASIM__=1"); /* so that sources can tell who builds them */
}

static void add_each(struct words *words, const char *option, const struct words *values)
{
	for (size_t i = 0; i < values->n; i++)
		words_add_all(words, option, values->at[i], NULL);
}

/* -Xcompiler's values as nvcc's shell would have seen them: one value may hold
 * several words. */
static void host_options(const struct command *command, struct words *ret)
{
	for (size_t i = 0; i < command->host_options.n; i++)
		if (!words_parse(ret, command->host_options.at[i]))
			words_add(ret, command->host_options.at[i]);
}

/* Host options that matter to the device pass too: the language, macros,
 * folders and warnings. takes_next: the next word is the option's value. */
static bool concerns_device(const char *option, bool *takes_next)
{
	static const char *const prefixes[] = {
		"-D",          "-U",          "-I", "-W", "-std=", "-w", "-ferror-limit=",
		"-ftemplate-", "-fconstexpr-"};
	static const char *const pairs[] = {"-isystem", "-include", "-idirafter", "-iquote"};
	*takes_next = false;
	/* -Wl, -Wa, -Wp: for the linker, the assembler, the preprocessor. */
	if (option[0] == '-' && option[1] == 'W' && option[2] && option[3] == ',')
		return option[2] == 'p';
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (text_starts(option, pairs[i])) {
			*takes_next = !strcmp(option, pairs[i]);
			return true;
		}
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (text_starts(option, prefixes[i])) {
			*takes_next = strlen(option) == 2 && option[1] != 'w';
			return true;
		}
	return false;
}

/* GCC's options that clang 19 stops at, or that lead to objects that ld -r does not take.
 * They change speed or diagnostics only. */
static bool is_gcc_only(const char *option)
{
	static const char *const prefixes[] = {
		"-fmax-errors=",
		"-fno-tree-",
		"-ftree-",
		"-fgcse",
		"-fno-gcse",
		"-floop-",
		"-fira-",
		"-fipa-",
		"-fno-ipa-",
		"-fno-var-tracking",
		"-fvar-tracking",
		"-fconcepts",
		"-mno-vzeroupper",
		"-fprefetch-loop-arrays",
		"-fmodulo-sched",
		"-frounding-math-",
		"--param=",
		"-fno-gnu-unique",
		"-fcx-",
		"-ffloat-store",
		"-fsched-",
		"-freorder-",
		"-faggressive-loop-",
		"-fsplit-",
		"-fselective-",
		"-fshrink-wrap",
		"-mpreferred-stack-boundary=",
		"-freport-bug",
		"-fstack-reuse=",
		"-fvect-cost-model",
		"-fsimd-cost-model",
		"-fno-guess-branch-",
		"-fno-crossjumping",
		"-fstrict-volatile-bitfields",
		"-fno-cprop-",
		"-fpartial-inlining",
		"-fbranch-target-",
		"-fprofile-partial-",
		"-fsection-anchors",
		"-fno-toplevel-reorder",
		"-mno-avx256-split-",
		"-fno-diagnostics-show-caret",
		"-fpredictive-commoning",
		"-fgraphite",
		"-fext-numeric-literals",
		"-fno-enforce-eh-specs",
		"-fconserve-space",
		"-fnew-ttp-matching",
		"-fno-pretty-templates",
		"-fopt-info",
		"-fdump-",
		"-fabi-version=",
		/* The host's object is to be linked with the device's at once. */
		"-flto",
		"-ffat-lto-",
		"-fno-fat-lto-",
		"-fdevirtualize-at-ltrans",
	};
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (text_starts(option, prefixes[i]))
			return true;
	return false;
}

static bool uses_openmp(const struct command *command)
{
	struct words options = {0};
	host_options(command, &options);
	bool uses = words_have(&options, "-fopenmp");
	words_fini(&options);
	return uses;
}

/* What -Werror, -w and their kin mean to clang and gcc alike. */
static void add_warnings(struct words *words, const struct command *command)
{
	if (command->no_warnings)
		words_add(words, "-w");
	if (command->warn_reorder)
		words_add(words, "-Wreorder");
	if (command->no_deprecated_declarations)
		words_add(words, "-Wno-deprecated-declarations");
	for (size_t i = 0; i < command->errors.n; i++) {
		const char *kind = command->errors.at[i];
		if (!strcmp(kind, "all-warnings"))
			words_add(words, "-Werror");
		else if (!strcmp(kind, "reorder") || !strcmp(kind, "deprecated-declarations"))
			words_addf(words, "-Werror=%s", kind);
	}
}

/* Every architecture that there is code for, the lowest first. */
static void add_architecture_list(struct words *words, const struct surroundings *here)
{
	char *list = text_copy("");
	for (unsigned last = 0, next;; last = next) {
		next = here->architecture->number > last ? here->architecture->number : 0;
		for (size_t i = 0; here->gpu && i < here->gpu->n_fronts; i++) {
			unsigned number = here->gpu->fronts[i].number;
			if (number > last && (!next || number < next))
				next = number;
		}
		if (!next)
			break;
		char *longer = text_format("%s%s%u", list, last ? "," : "", next);
		free(list);
		list = longer;
	}
	words_add(words, "-U__CUDA_ARCH_LIST__"); /* clang 22 has one */
	words_addf(words, "-D__CUDA_ARCH_LIST__=%s", list);
	free(list);
}

/* Macros, folders and forced headers, in nvcc's order: the user's folders come
 * before the toolkit's. */
static void add_preprocessor(struct words *words, const struct command *command,
			     const struct surroundings *here)
{
	words_append(words, &command->macros);
	for (size_t i = 0; i < command->include_paths.n; i++)
		words_addf(words, "-I%s", command->include_paths.at[i]);
	add_each(words, "-isystem", &command->system_includes);
	add_architecture_list(words, here);
	add_version_macros(words, here->toolkit->version);
	if (command->default_stream && !strcmp(command->default_stream, "per-thread"))
		words_add(words, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
}

/* cudasim/check.h and its kin; last, for they may lie in the system's own folder. */
static void add_own_headers(struct words *words, const struct surroundings *here)
{
	words_add_all(words, "-idirafter", here->places->include, NULL);
}

/* Both passes of clang over a .cu file. */
static void add_clang(struct words *words, const struct command *command,
		      const struct surroundings *here)
{
	words_add_all(words, here->clang, "-x", "cuda", NULL);
	words_addf(words, "--cuda-path=%s", here->toolkit->root);
	/* The newest CUDA that clang 19 knows; it makes <<<>>> push the launch's
	 * configuration. The two warnings are about this version. */
	words_add_all(words, "-Xclang", "-target-sdk-version=12.5", "-Wno-unknown-cuda-version",
		      "-Wno-unused-command-line-argument", "-Wno-unknown-warning-option",
		      "-Wno-ignored-optimization-argument", NULL);
	/* Where this is not the default: calls that register kernels and variables, no tables of them. */
	if (atoi(CUDASIM_LLVM) >= 20)
		words_add(words, "--no-offload-new-driver");
	/* What clang finds odd about CUDA, nvcc takes as it is. */
	words_add(words, "-Wno-cuda-compat");
	/* Neither nvcc nor gcc says a word about arrays whose length is known at run time. */
	words_add(words, "-Wno-vla-cxx-extension");
	/* Old C++ that nvcc and gcc warn about, and clang takes for errors. */
	words_add_all(words, "-Wno-error=register", "-Wno-error=reserved-user-defined-literal",
		      "-Wno-error=c++11-narrowing", "-Wno-error=increment-bool",
		      "-Wno-error=enum-constexpr-conversion",
		      "-Wno-error=missing-template-arg-list-after-template-kw", NULL);
	/* A constexpr function that no constant can come of is an ordinary one to nvcc. */
	words_add(words, "-Wno-invalid-constexpr");
	if (here->color)
		words_add(words, "-fdiagnostics-color=always");
	words_addf(words, "-std=%s", command->standard ? command->standard : "gnu++17");
	/* nvcc has no modules. With C++20's, clang takes the functions of the two sides that have one name,
	 * in a precompiled header, for two definitions of one. */
	words_add_all(words, "-Xclang", "-fno-cxx-modules", NULL);
	add_preprocessor(words, command, here);
	if (command->device_debug)
		words_add(words, "-D__CUDACC_DEBUG__");
	if (command_is_relocatable(command))
		words_add_all(words, "-D__CUDACC_RDC__", "-fgpu-rdc", NULL);
	if (command->extended_lambda)
		words_add(words, "-D__CUDACC_EXTENDED_LAMBDA__");
	if (command->relaxed_constexpr)
		words_add(words, "-D__CUDACC_RELAXED_CONSTEXPR__");
	words_addf(words, "-iquote%s/quoted", here->places->compat);
	words_addf(words, "-isystem%s", here->places->compat);
	words_addf(words, "-isystem%s", here->toolkit->cccl);
	words_addf(words, "-isystem%s", here->toolkit->include);
	add_own_headers(words, here);
	words_add_all(words, "-include", "cudasim_nvcc.h", NULL);
	add_each(words, "-include", &command->pre_includes);
	if (command->template_depth)
		words_addf(words, "-ftemplate-depth=%s", command->template_depth);
	if (command->template_backtrace)
		words_addf(words, "-ftemplate-backtrace-limit=%s", command->template_backtrace);
	/* Without -fopenmp omp.h is libgomp's: its locks have other sizes than LLVM's. The
	 * folder has gcc's quadmath.h, too. */
	bool openmp = uses_openmp(command);
	if (openmp && here->openmp_include)
		words_add_all(words, "-idirafter", here->openmp_include, NULL);
	if (here->gcc_include && (!openmp || here->openmp_include))
		words_add_all(words, "-idirafter", here->gcc_include, NULL);
	add_warnings(words, command);
}

static bool flushes_denormals(const struct command *command)
{
	return command->ftz >= 0 ? command->ftz : command->fast_math;
}

/* With -G nvcc does not optimise device code, and products and sums stay apart as well. */
static bool contracts(const struct command *command)
{
	if (command->fmad < 0 && command->device_debug)
		return command->fast_math;
	return command->fast_math || command->fmad != 0;
}

void front_add_device(struct words *words, const struct command *command,
		      const struct surroundings *here, const char *architecture)
{
	add_clang(words, command, here);
	words_add(words, "--cuda-device-only");
	words_addf(words, "--cuda-gpu-arch=%s", architecture);
	/* clang 19 has __CUDA_ARCH_FEAT_SM90_ALL only. */
	if (text_ends(architecture, "a"))
		words_addf(words, "-D__CUDA_ARCH_SPECIFIC__=%d0", atoi(architecture + 3));
	if (text_ends(architecture, "a"))
		words_addf(words, "-D__CUDA_ARCH_FAMILY_SPECIFIC__=%d0", atoi(architecture + 3));
	/* Passes are the device compiler's; -O1 only keeps clang from marking every
	 * function optnone. Full debug info, always: the watched body lives on it. */
	/* A lane may hand an uninitialised value to a shuffle that ignores it; with
	 * noundef on parameters that would be undefined, and the branch folded. */
	words_add_all(words, "-Xclang", "-no-enable-noundef-analysis", "-nocudalib", "-O1",
		      "-Xclang", "-disable-llvm-passes", "-g", "--cuda-noopt-device-debug",
		      "-Xclang", "-dwarf-version=5", NULL);
	if (flushes_denormals(command))
		words_add(words, "-fgpu-flush-denormals-to-zero");
	if (!contracts(command))
		words_add(words, "-ffp-contract=off");
	if (command->fast_math)
		words_add(words, "-fgpu-approx-transcendentals");
	/* gcc 12's value, as with nvcc; from 201811 on LLVM's omp.h counts on pragmas
	 * that the device pass does not read. */
	if (uses_openmp(command))
		words_add(words, "-D_OPENMP=201511");
	struct words options = {0};
	host_options(command, &options);
	for (size_t i = 0; i < options.n; i++) {
		bool takes_next;
		if (!concerns_device(options.at[i], &takes_next))
			continue;
		words_add(words, options.at[i]);
		if (takes_next && i + 1 < options.n)
			words_add(words, options.at[++i]);
	}
	words_fini(&options);
}

/* What the host compiler takes where it compiles and where it links. */
static void add_build_options(struct words *words, const struct command *command)
{
	/* nvcc takes 4 to 9 for 3. */
	if (command->optimize)
		words_addf(words, "-O%c", *command->optimize > '3' ? '3' : *command->optimize);
	if (command->debug)
		words_add(words, "-g");
	if (command->profile)
		words_add(words, "-pg");
	if (command->position_independent)
		words_add(words, "-fPIC");
}

static void add_host_code_options(struct words *words, const struct command *command)
{
	add_build_options(words, command);
	if (command->pthread)
		words_add(words, "-pthread");
	if (command->no_exceptions)
		words_add(words, "-fno-exceptions");
	if (command->seed)
		words_addf(words, "-frandom-seed=%s", command->seed);
}

void front_add_host(struct words *words, const struct command *command,
		    const struct surroundings *here)
{
	add_clang(words, command, here);
	words_add(words, "--cuda-host-only");
	/* Of __launch_bounds__ with three arguments, of which the host has no use. */
	words_add(words, "-Wno-ignored-attributes");
	/* Programs check what kernels computed against sums and products that overflow.
	 * nvcc's host compiler is gcc, which leaves `a[i] != i * i` at 32 bits; clang
	 * widens it to 64. */
	words_add(words, "-fwrapv");
	add_host_code_options(words, command);
	struct words options = {0};
	host_options(command, &options);
	for (size_t i = 0; i < options.n; i++)
		if (!is_gcc_only(options.at[i]))
			words_add(words, options.at[i]);
	words_fini(&options);
}

void front_add_devcc(struct words *words, const struct command *command,
		     const struct surroundings *here, unsigned number)
{
	bool optimize = !command->device_debug || command->device_optimize;
	words_addf(words, "-O%d", optimize ? 3 : 0);
	words_addf(words, "--ftz=%d", flushes_denormals(command));
	words_addf(words, "--prec-div=%d",
		   command->precise_division >= 0 ? command->precise_division
						  : !command->fast_math);
	words_addf(words, "--prec-sqrt=%d",
		   command->precise_sqrt >= 0 ? command->precise_sqrt : !command->fast_math);
	words_addf(words, "--fmad=%d", contracts(command));
	if (command->fast_math)
		words_add(words, "--fast-math=1");
	words_addf(words, "--arch=%u", number);
	if (command->verbose)
		words_add(words, "--engines");
	if (command->max_registers)
		words_addf(words, "--maxrregcount=%s", command->max_registers);
	if (command->libdevice_directory)
		words_addf(words, "--libdevice=%s/libdevice.10.bc", command->libdevice_directory);
	else
		words_addf(words, "--libdevice=%s", here->toolkit->libdevice);
	for (size_t i = 0; i < command->step_into.n; i++)
		words_addf(words, "--step-into=%s", command->step_into.at[i]);
	words_addf(words, "--builtins=%s", here->places->builtins);
	words_addf(words, "--attach=%s", here->places->attach);
	words_addf(words, "--library=%s/libcudasim.so", here->places->library);
}

void front_add_ptxas(struct words *words, const struct command *command)
{
	words_add(words, "-m64");
	if (command->resource_usage)
		words_add(words, "-v");
	if (command->max_registers)
		words_addf(words, "-maxrregcount=%s", command->max_registers);
	if (!contracts(command))
		words_add_all(words, "--fmad", "false", NULL);
	if (command->device_debug)
		words_add(words, "-g");
	if (command->device_debug && !command->device_optimize)
		words_add_all(words, "--dont-merge-basicblocks", "--return-at-end", NULL);
	else if (command->line_info)
		words_add(words, "--generate-line-info");
	words_append(words, &command->ptxas_options);
}

/* -ccbin names a compiler, or the folder of gcc and g++. */
static char *host_tool(const struct command *command, const struct surroundings *here, bool links)
{
	const char *name = command->host_compiler;
	if (!name)
		return text_copy(links ? here->host_cxx : here->host_c);
	if (text_ends(name, "/"))
		return text_format("%s%s", name, links ? "g++" : "gcc");
	/* Linking C++ with gcc or clang wants their C++ names. */
	const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	int folder = (int)(base - name);
	if (links && text_starts(base, "gcc") && !text_starts(base, "gcc++"))
		return text_format("%.*sg++%s", folder, name, base + 3);
	if (links && text_starts(base, "clang") && !text_starts(base, "clang++"))
		return text_format("%.*sclang++%s", folder, name, base + 5);
	return text_copy(name);
}

void front_add_host_compiler(struct words *words, const struct command *command,
			     const struct surroundings *here, enum input_kind kind)
{
	char *tool = host_tool(command, here, false);
	words_add_all(words, tool, "-x", kind == INPUT_C ? "c" : "c++", "-D__NVCC__", NULL);
	free(tool);
	if (here->color)
		words_add(words, "-fdiagnostics-color=always");
	if (command->standard && kind != INPUT_C)
		words_addf(words, "-std=%s", command->standard);
	add_preprocessor(words, command, here);
	add_each(words, "-include", &command->pre_includes);
	add_warnings(words, command);
	add_host_code_options(words, command);
	host_options(command, words);
	words_addf(words, "-I%s", here->toolkit->include);
	words_add(words, "-isystem");
	words_add(words, here->toolkit->cccl);
	add_own_headers(words, here);
}

void front_add_linker(struct words *words, const struct command *command,
		      const struct surroundings *here)
{
	char *tool = host_tool(command, here, true);
	words_add(words, tool);
	free(tool);
	add_build_options(words, command);
	if (command->export_dynamic)
		words_add(words, "-rdynamic");
	struct words options = {0};
	host_options(command, &options);
	for (size_t i = 0; i < options.n; i++)
		if (strcmp(options.at[i], "-fopenmp"))
			words_add(words, options.at[i]);
	words_fini(&options);
}

void front_add_openmp(struct words *words, const struct command *command,
		      const struct surroundings *here)
{
	/* clang's OpenMP code needs LLVM's library, which also knows gcc's calls; with
	 * -fopenmp g++ would link libgomp. It comes first, needed or not so far: where the
	 * program names libgomp as well, omp_get_thread_num() has to be LLVM's. */
	if (uses_openmp(command))
		words_add_all(words, "-Wl,--push-state,--no-as-needed", here->openmp_library,
			      "-Wl,--pop-state", NULL);
}

void front_add_runtime(struct words *words, const struct surroundings *here)
{
	/* CMake links by itself with -lcudart and the folders of this line; the
	 * system may have a libcudart, too. */
	if (here->tree_libraries)
		words_addf(words, "-L%s", here->tree_libraries);
	/* CUDA 12's forms of functions, which libcudasim has behind that version (sim/api/cuda_12). */
	if (here->toolkit->version < 13000) {
		words_addf(words, "-L%s", here->places->stubs);
		words_add(words, "-lcudasim-12");
	}
	words_addf(words, "-L%s", here->places->library);
	words_add(words, "-lcudasim");
}
