/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: made without a file or a compiler. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "job.h"
#include "library.h"
#include "plan.h"

static struct toolkit toolkit = {
	.root = "/T",
	.include = "/T/include",
	.cccl = "/T/include/cccl",
	.libdevice = "/T/libdevice.bc",
	.version = 13000,
};
static struct places places = {
	.self = "/B/cudasim",
	.devcc = "/B/devcc",
	.builtins = "/B/builtins.bc",
	.installed = true,
	.library = "/B/lib",
	.libraries = "/B/lib",
	.names = "/B/names",
	.stubs = "/B/stubs",
	.include = "/B/include",
	.compat = "/B/compat",
	.toolkit_tree = "/B/toolkit",
};

struct fixture {
	struct command command;
	struct architecture architecture;
	struct gpu gpu;
	struct plan plan;
};

static struct cudasim_error *make_with(struct fixture *f, const char *line, const char *openmp)
{
	struct words words = {0};
	assert_true(words_parse(&words, line));
	struct cudasim_error *error = command_parse((int)words.n, words.at, NULL, NULL,
						    &f->command);
	words_fini(&words);
	if (!error)
		error = architecture_choose(&f->command, &f->architecture);
	if (!error && f->command.gpu) {
		error = gpu_choose(&f->command, &f->architecture, &f->gpu);
		f->gpu.ptxas = text_copy("/T/bin/ptxas");
		f->gpu.fatbinary = text_copy("/T/bin/fatbinary");
	} else {
		f->gpu = (struct gpu){0};
	}
	if (error)
		fail_msg("%s: %s", line, error->message);
	struct surroundings here = {
		.gpu = f->command.gpu ? &f->gpu : NULL,
		.toolkit = &toolkit,
		.places = &places,
		.architecture = &f->architecture,
		.clang = "clang++",
		.host_c = "gcc",
		.host_cxx = "g++",
		.folder = "/W",
		.temporary = "/X",
		.openmp_library = openmp,
	};
	return plan_make(&f->command, &here, &f->plan);
}

static void make(struct fixture *f, const char *line)
{
	struct cudasim_error *error = make_with(f, line, "/L/libomp.so");
	if (error)
		fail_msg("%s: %s", line, error->message);
}

static void drop(struct fixture *f)
{
	plan_fini(&f->plan);
	gpu_fini(&f->gpu);
	architecture_fini(&f->architecture);
	command_fini(&f->command);
}

/* The phases in order, with commas. */
static void expect_phases(struct fixture *f, const char *expected)
{
	char *phases = text_copy("");
	for (size_t i = 0; i < f->plan.n_jobs; i++) {
		char *more = text_format("%s%s%s", phases, i ? ", " : "", f->plan.jobs[i].phase);
		free(phases);
		phases = more;
	}
	assert_string_equal(phases, expected);
	free(phases);
}

static const struct words *job_words(struct fixture *f, const char *phase)
{
	for (size_t i = 0; i < f->plan.n_jobs; i++)
		if (!strcmp(f->plan.jobs[i].phase, phase))
			return &f->plan.jobs[i].words;
	fail_msg("no job '%s'", phase);
	return NULL;
}

/* part is in the job's command line, as whole words. */
static bool has(struct fixture *f, const char *phase, const char *part)
{
	char *line = words_quote(job_words(f, phase));
	char *padded = text_format(" %s ", line), *wanted = text_format(" %s ", part);
	bool found = strstr(padded, wanted) != NULL;
	free(line);
	free(padded);
	free(wanted);
	return found;
}

static void a_program_is_compiled_twice_and_linked(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "a.cu -o prog");
	expect_phases(&f, "device pass, module id, host pass, device compiler, joining, gathering, "
			  "device link, link");
	assert_true(has(&f, "device pass", "--cuda-device-only --cuda-gpu-arch=sm_90"));
	assert_true(has(&f, "device pass", "-emit-llvm -c -o /X/a.bc a.cu"));
	assert_true(has(&f, "host pass", "-Xclang -fcuda-include-gpubinary -Xclang /X/a.blob"));
	assert_true(has(&f, "device compiler", "--id=$(cat /X/a.id)"));
	assert_true(has(&f, "device compiler", "-O3 --ftz=0 --prec-div=1 --prec-sqrt=1 --fmad=1"));
	assert_true(has(&f, "joining", "ld -r -o /X/a.o /X/a.host.o /X/a.dev.o"));
	assert_true(has(&f, "link", "-L/B/lib -lcudasim -Wl,-rpath,/B/lib -Wl,-rpath,/B/names"));
	assert_true(has(&f, "link", "-o prog"));
	drop(&f);
}

/* A package's lie in /usr/include. That folder may not come before the C++ library's headers, which go on behind
 * themselves for those of C. */
static void own_headers_are_searched_last(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "a.cu b.cpp -o prog");
	assert_true(has(&f, "device pass", "-idirafter /B/include"));
	assert_true(has(&f, "host pass", "-idirafter /B/include"));
	assert_true(has(&f, "host compiler", "-idirafter /B/include"));
	for (size_t i = 0; i < f.plan.n_jobs; i++)
		assert_false(words_have(&f.plan.jobs[i].words, "-isystem/B/include"));
	drop(&f);
}

/* Where there is no cudasim, those names are NVIDIA's. */
static void a_program_with_gpu_code_asks_for_nvidias_names(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "--gpu a.cu -lcublas -o prog");
	assert_true(has(
		&f, "link",
		"/B/stubs/libcudart.so -Wl,--push-state,--as-needed /B/stubs/libcuda.so -L/B/lib "
		"-lcudasim -Wl,--pop-state -Wl,-rpath,/B/lib -Wl,-rpath,/B/names"));
	assert_true(has(&f, "link", "/B/stubs/libcudasim-cublas.so"));
	drop(&f);
}

static void equal_names_in_two_folders_do_not_meet(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "x/a.cu y/a.cu");
	assert_true(words_have(&f.plan.temporaries, "/X/a.o"));
	assert_true(words_have(&f.plan.temporaries, "/X/a-2.o"));
	assert_true(has(&f, "link", "/X/a.o /X/a-2.o"));
	for (size_t i = 0; i < f.plan.temporaries.n; i++)
		for (size_t j = i + 1; j < f.plan.temporaries.n; j++)
			assert_string_not_equal(f.plan.temporaries.at[i], f.plan.temporaries.at[j]);
	drop(&f);
}

static void the_same_command_gives_the_same_plan(void **state)
{
	(void)state;
	struct fixture f, g;
	make(&f, "-rdc=true a.cu b.cpp c.o -lm -o x -g -G");
	make(&g, "-rdc=true a.cu b.cpp c.o -lm -o x -g -G");
	assert_int_equal(f.plan.n_jobs, g.plan.n_jobs);
	for (size_t i = 0; i < f.plan.n_jobs; i++) {
		char *a = job_line(&f.plan.jobs[i]), *b = job_line(&g.plan.jobs[i]);
		assert_string_equal(a, b);
		free(a);
		free(b);
	}
	drop(&f);
	drop(&g);
}

static void relocatable_objects_carry_their_bitcode(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "-dc a.cu -o d/a.o");
	expect_phases(&f, "device pass, module id, host pass, packing");
	assert_true(has(&f, "device pass", "-D__CUDACC_RDC__ -fgpu-rdc"));
	/* One name for the translation unit on both sides, or static kernels differ. */
	const char *device = NULL, *host = NULL;
	const struct words *words = job_words(&f, "device pass");
	for (size_t i = 0; i < words->n; i++)
		if (text_starts(words->at[i], "-cuid="))
			device = words->at[i];
	words = job_words(&f, "host pass");
	for (size_t i = 1; i < words->n; i++)
		if (text_starts(words->at[i], "-cuid=") && !strcmp(words->at[i - 1], "-Xclang"))
			host = words->at[i];
	assert_non_null(device);
	assert_non_null(host);
	assert_string_equal(device, host);
	assert_true(has(&f, "packing", "-o d/a.o /X/a.host.o /X/a.bc"));
	drop(&f);
}

static void numbers_options_reach_both_compilers(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "-c -use_fast_math a.cu");
	assert_true(has(&f, "device compiler", "--ftz=1 --prec-div=0 --prec-sqrt=0 --fmad=1"));
	assert_true(has(&f, "device pass", "-fgpu-flush-denormals-to-zero"));
	assert_true(has(&f, "device pass", "-fgpu-approx-transcendentals"));
	drop(&f);
	make(&f, "-c -use_fast_math -ftz=false -prec-div=true a.cu");
	assert_true(has(&f, "device compiler", "--ftz=0 --prec-div=1 --prec-sqrt=0 --fmad=1"));
	drop(&f);
	make(&f, "-c -fmad=false a.cu");
	assert_true(has(&f, "device compiler", "--fmad=0"));
	assert_true(has(&f, "device pass", "-ffp-contract=off"));
	drop(&f);
	/* As an H200's results of a matrix product compiled with -G show. */
	make(&f, "-c -G a.cu");
	assert_true(has(&f, "device compiler", "--fmad=0"));
	drop(&f);
	make(&f, "-c -G -fmad=true a.cu");
	assert_true(has(&f, "device compiler", "--fmad=1"));
	drop(&f);
}

static void host_options_stay_on_the_host(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "-c a.cu -O4 -Xcompiler '-fno-strict-aliasing,-DX=1,-Wall,-Wl\\,-z'");
	assert_true(has(&f, "host pass", "-O3 -fno-strict-aliasing -DX=1 -Wall -Wl,-z"));
	assert_true(has(&f, "device pass", "-DX=1 -Wall"));
	assert_false(has(&f, "device pass", "-fno-strict-aliasing"));
	assert_false(has(&f, "device pass", "-Wl,-z"));
	drop(&f);
}

static void other_sources_go_to_the_host_compiler(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "a.c b.cpp -ccbin /opt/bin/gcc-12 -std=c++14");
	const struct words *words = job_words(&f, "host compiler");
	assert_string_equal(words->at[0], "/opt/bin/gcc-12");
	assert_true(has(&f, "host compiler", "-x c"));
	assert_false(has(&f, "host compiler", "-std=c++14"));
	assert_string_equal(job_words(&f, "link")->at[0], "/opt/bin/g++-12");
	drop(&f);
}

static void toolkit_libraries_are_swallowed_or_noted(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "a.o -lcudart -lcuda -lm -lcufft -lcudadevrt -cudart shared");
	assert_false(has(&f, "link", "-lcudart"));
	assert_false(has(&f, "link", "-lcuda"));
	assert_false(has(&f, "link", "-lcufft"));
	assert_true(has(&f, "link", "-lm"));
	assert_int_equal(f.plan.missing.n, 1);
	char *advice = library_advice(&f.plan.missing,
				      "x: undefined reference to `cufftExecC2C'\n");
	assert_string_equal(advice,
			    "cudasim: the program calls libcufft, which is not simulated\n");
	free(advice);
	drop(&f);
}

static void libraries_are_ours(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "a.o -lcublas");
	assert_false(has(&f, "link", "-lcublas"));
	assert_true(has(&f, "link", "-lcudasim-cublas"));
	assert_int_equal(f.plan.missing.n, 0);
	drop(&f);
	make(&f, "a.o -lnvrtc -lnvrtc-builtins");
	assert_true(has(&f, "link",
			"-L/B/lib/cudasim/lib64 -lcudasim-nvrtc "
			"-Wl,-rpath,/B/lib/cudasim/lib64"));
	assert_false(has(&f, "link", "-lnvrtc-builtins"));
	drop(&f);
	make(&f, "a.o -lnvJitLink_static");
	assert_true(has(&f, "link", "-L/B/lib -lcudasim-nvjitlink -Wl,-rpath,/B/lib"));
	assert_int_equal(f.plan.missing.n, 0);
	drop(&f);
}

static void libraries_and_shared_objects(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "-lib a.cu b.o -o libx.a");
	expect_phases(
		&f,
		"device pass, module id, host pass, device compiler, joining, archive, archive");
	assert_string_equal(f.plan.outputs.at[0], "libx.a");
	drop(&f);
	make(&f, "-shared -Xcompiler -fPIC a.cu -o libx.so");
	assert_true(has(&f, "link", "-shared"));
	drop(&f);
}

/* What the cache may leave out, and what it has to know of it. */
static void each_cuda_source_is_a_unit(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "-c -MD a/x.cu y.cpp z.cu -odir out");
	assert_int_equal(f.plan.n_units, 2);
	const struct unit *x = &f.plan.units[0], *z = &f.plan.units[1];
	assert_string_equal(x->source, "a/x.cu");
	assert_string_equal(x->object, "out/x.o");
	assert_string_equal(x->depend, "out/x.d");
	assert_string_equal(z->source, "z.cu");
	assert_int_equal(x->first, 0);
	/* Between them lies y.cpp's job, behind them nothing. */
	assert_int_equal(z->first, x->n + 1);
	assert_int_equal(z->first + z->n, f.plan.n_jobs);
	/* Both passes of clang can say what they read. */
	unsigned n_lists = 0;
	for (size_t i = 0; i < x->n; i++)
		n_lists += f.plan.jobs[i].headers != NULL;
	assert_int_equal(n_lists, 2);
	assert_false(f.plan.jobs[x->n - 1].beside_next);
	drop(&f);

	make(&f, "--gpu -rdc=true x.cu -o x");
	assert_int_equal(f.plan.n_units, 1);
	assert_null(f.plan.units[0].depend);
	assert_true(f.plan.units[0].n < f.plan.n_jobs);
	drop(&f);
	make(&f, "-E x.cu");
	assert_int_equal(f.plan.n_units, 0);
	drop(&f);
}

static void dependencies_are_named_as_nvcc_names_them(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "-MD -c a.cu -o q/z.o");
	assert_true(has(&f, "host pass", "-MD -MF q/z.d -MT q/z.o"));
	drop(&f);
	make(&f, "-MMD -MP -MT t -MF dep -c a.cu");
	assert_true(has(&f, "host pass", "-MMD -MF dep -MT t -MP"));
	drop(&f);
	make(&f, "-MM d/a.cu");
	expect_phases(&f, "preprocessing");
	assert_true(has(&f, "preprocessing", "-MM -MT a.o"));
	drop(&f);
}

static void per_thread_stream_is_a_macro(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "-c --default-stream per-thread a.cu");
	assert_true(has(&f, "host pass", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"));
	drop(&f);
}

static void openmp_takes_llvms_library_or_says_what_is_missing(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "a.cu -Xcompiler -fopenmp");
	assert_true(has(&f, "host pass", "-fopenmp"));
	assert_true(has(&f, "link", "/L/libomp.so"));
	assert_false(has(&f, "link", "-fopenmp"));
	drop(&f);
	struct cudasim_error *error = make_with(&f, "a.cu -Xcompiler -fopenmp", NULL);
	assert_non_null(error);
	assert_non_null(strstr(error->message, "libomp-" CUDASIM_LLVM "-dev"));
	cudasim_error_free(error);
	drop(&f);
}

/* ---- --gpu ------------------------------------------------------------------- */

static void gpu_code_comes_of_the_simulators_bitcode(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "--gpu -lineinfo -maxrregcount=32 -fmad=false -c a.cu");
	expect_phases(&f,
		      "device pass, module id, host pass, GPU compiler, ptxas, device compiler, "
		      "fatbinary, GPU blob, embedding, joining");
	assert_true(has(&f, "GPU compiler", "--arch=900"));
	assert_true(has(&f, "GPU compiler", "--gpu=sm_90 -o /X/a.sm_90.ptx --source=a.cu /X/a.bc"));
	assert_true(has(&f, "ptxas",
			"/T/bin/ptxas -arch=sm_90 -m64 -maxrregcount=32 --fmad false "
			"--generate-line-info -o /X/a.sm_90.cubin /X/a.sm_90.ptx"));
	assert_true(has(&f, "fatbinary",
			"/T/bin/fatbinary -64 --create /X/a.fatbin "
			"--image3=kind=elf,sm=90,file=/X/a.sm_90.cubin "
			"--image3=kind=ptx,sm=90,file=/X/a.sm_90.ptx"));
	assert_true(has(&f, "GPU blob", "--id /X/a.id -o /X/a.gpu.blob /X/a.fatbin"));
	assert_true(has(&f, "embedding", "cc-gpu-embed /X/a.gpu.blob /X/a.host.o"));
	drop(&f);
}

static void code_to_load_has_no_host_side(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "-ptx a.cu b.cpp");
	expect_phases(
		&f,
		"device pass, module id, GPU compiler, device compiler, linking the image, packing");
	assert_true(has(&f, "packing", "cc-image --ptx /X/a.ptx -o a.ptx /X/a.image.so"));
	assert_string_equal(f.plan.outputs.at[0], "a.ptx");
	drop(&f);
	/* What needs other parts has no object. */
	make(&f, "-ptx -rdc=true a.cu");
	expect_phases(
		&f,
		"device pass, module id, GPU compiler, device compiler, linking the image, packing");
	assert_true(has(&f, "GPU compiler", "--relocatable"));
	assert_true(has(&f, "device compiler", "--relocatable"));
	assert_true(has(&f, "packing",
			"cc-image --ptx /X/a.ptx -o a.ptx --of /X/a.dev.o /X/a.image.so"));
	drop(&f);
	make(&f, "--gpu -fatbin a.cu -o x");
	expect_phases(
		&f,
		"device pass, module id, GPU compiler, ptxas, device compiler, linking the image, "
		"packing, fatbinary, wrapping");
	assert_true(has(&f, "fatbinary", "--compress=false"));
	assert_true(has(&f, "wrapping", "cc-image --fatbin /X/a.fatbin -o x /X/a.image.ptx"));
	drop(&f);
}

static void debug_code_for_the_gpu_is_nvccs(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "--gpu -G -c a.cu");
	assert_true(has(&f, "GPU compiler", "-O0"));
	assert_true(has(&f, "GPU compiler", "--gpu-debug"));
	assert_true(has(&f, "ptxas", "-g --dont-merge-basicblocks --return-at-end"));
	drop(&f);
}

/* Without a list the architectures are those that nvcc would be told. */
static void each_architecture_has_its_own_pass(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "--gpu -gencode arch=compute_80,code=[sm_80,sm_86] -gencode "
		 "arch=compute_90a,code=sm_90a -c a.cu");
	expect_phases(
		&f,
		"device pass, module id, host pass, GPU device pass, GPU compiler, ptxas, ptxas, "
		"GPU compiler, ptxas, device compiler, fatbinary, GPU blob, embedding, joining");
	assert_true(has(&f, "device pass", "--cuda-gpu-arch=sm_90a"));
	assert_true(has(&f, "device pass", "-D__CUDA_ARCH_LIST__=800,900"));
	assert_true(has(&f, "GPU device pass", "--cuda-gpu-arch=sm_80"));
	assert_true(has(&f, "fatbinary",
			"--image3=kind=elf,sm=80,file=/X/a.sm_80.cubin "
			"--image3=kind=elf,sm=86,file=/X/a.sm_86.cubin "
			"--image3=kind=elf,sm=90a,file=/X/a.sm_90a.cubin "
			"--image3=kind=ptx,sm=90a,file=/X/a.sm_90a.ptx"));
	drop(&f);
}

/* clang 19 ends at 90; ptxas compiles its PTX for what came later. A list decides
 * what is simulated, too. */
static void newer_gpus_take_the_highest_ptx(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "--gpu=sm_80,sm_120 -c a.cu");
	assert_true(has(&f, "device pass", "--cuda-gpu-arch=sm_80"));
	assert_true(has(&f, "GPU device pass", "--cuda-gpu-arch=sm_90"));
	assert_true(has(&f, "fatbinary",
			"--image3=kind=elf,sm=120,file=/X/a.sm_120.cubin "
			"--image3=kind=ptx,sm=90,file=/X/a.sm_90.ptx"));
	drop(&f);
}

static void relocatable_gpu_code_is_linked_as_bitcode(void **state)
{
	(void)state;
	struct fixture f;
	make(&f, "--gpu=sm_90,sm_80 -rdc=true a.cu -o p");
	expect_phases(&f,
		      "device pass, module id, GPU device pass, host pass, packing, gathering, "
		      "gathering, gathering, GPU compiler, ptxas, GPU compiler, ptxas, fatbinary, "
		      "GPU blob, device link, link");
	assert_true(has(&f, "packing", "--gpu sm_90=/X/a.bc --gpu sm_80=/X/a.sm_80.bc"));
	assert_true(has(&f, "GPU compiler", "--rdc --source=device-link"));
	assert_true(has(&f, "device link", "--gpu-blob=/X/device-link.blob"));
	drop(&f);
	make(&f, "-rdc=true a.o -o p");
	assert_true(has(&f, "gathering", "--with-gpu no"));
	drop(&f);
}

/* The stub comes before libcudasim, so that its version of a symbol is the one that the linker takes. */
static void another_toolkit_has_its_macros_and_runtime(void **state)
{
	(void)state;
	struct fixture f;
	toolkit.version = 12040;
	make(&f, "a.cu -o p");
	assert_true(has(&f, "link", "-L/B/stubs -lcudasim-12 -L/B/lib -lcudasim"));
	assert_true(has(&f, "link", "-Wl,--defsym=__cudasim_toolkit_version=12040"));
	assert_true(has(&f, "host pass",
			"-D__CUDACC_VER_MAJOR__=12 -D__CUDACC_VER_MINOR__=4 "
			"-D__CUDACC_VER_BUILD__=131"));
	drop(&f);
	toolkit.version = 13050;
	make(&f, "a.cu -o p");
	assert_false(has(&f, "link", "-lcudasim-12"));
	assert_true(has(&f, "link", "-Wl,--defsym=__cudasim_toolkit_version=13050"));
	drop(&f);
	toolkit.version = 13000;
	make(&f, "a.cu -o p");
	assert_false(has(&f, "link", "-Wl,--defsym=__cudasim_toolkit_version=13000"));
	drop(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(another_toolkit_has_its_macros_and_runtime),
		cmocka_unit_test(a_program_is_compiled_twice_and_linked),
		cmocka_unit_test(own_headers_are_searched_last),
		cmocka_unit_test(a_program_with_gpu_code_asks_for_nvidias_names),
		cmocka_unit_test(equal_names_in_two_folders_do_not_meet),
		cmocka_unit_test(the_same_command_gives_the_same_plan),
		cmocka_unit_test(relocatable_objects_carry_their_bitcode),
		cmocka_unit_test(numbers_options_reach_both_compilers),
		cmocka_unit_test(host_options_stay_on_the_host),
		cmocka_unit_test(other_sources_go_to_the_host_compiler),
		cmocka_unit_test(toolkit_libraries_are_swallowed_or_noted),
		cmocka_unit_test(libraries_are_ours),
		cmocka_unit_test(libraries_and_shared_objects),
		cmocka_unit_test(each_cuda_source_is_a_unit),
		cmocka_unit_test(dependencies_are_named_as_nvcc_names_them),
		cmocka_unit_test(per_thread_stream_is_a_macro),
		cmocka_unit_test(openmp_takes_llvms_library_or_says_what_is_missing),
		cmocka_unit_test(gpu_code_comes_of_the_simulators_bitcode),
		cmocka_unit_test(code_to_load_has_no_host_side),
		cmocka_unit_test(debug_code_for_the_gpu_is_nvccs),
		cmocka_unit_test(each_architecture_has_its_own_pass),
		cmocka_unit_test(newer_gpus_take_the_highest_ptx),
		cmocka_unit_test(relocatable_gpu_code_is_linked_as_bitcode),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
