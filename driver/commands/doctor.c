/* SPDX-License-Identifier: Apache-2.0 */
/* doctor.c - `cudasim doctor`: what was found where, and what is missing. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "commands.h"
#include "gpu.h"
#include "host_tools.h"
#include "manual.h"
#include "places.h"
#include "toolkit.h"

/* One line of the report; a missing thing that is needed counts. */
static int line(const char *what, const char *where, const char *advice)
{
	printf("%-9s %-28s %s\n", where ? "found" : "MISSING", what, where ? where : advice);
	return !where;
}

static int check_file(const char *what, const char *path, const char *advice)
{
	char *text = text_format("%s (looked at %s)", advice, path);
	int missing = line(what, access(path, R_OK) ? NULL : path, text);
	free(text);
	return missing;
}

static int check_tool(const char *name, const char *advice)
{
	char *path = host_tools_which(name);
	int missing = line(name, path, advice);
	free(path);
	return missing;
}

static int check_places(const struct places *places)
{
	printf("%-9s %-28s %s (%s)\n", "this is", "cudasim " CUDASIM_VERSION, places->self,
	       places->installed ? "installed" : "in its build tree");
	const char *advice = places->installed ? "install cudasim again"
					       : "run ninja in the build tree";
	char *library = text_format("%s/libcudasim.so", places->library);
	int missing = check_file("device compiler", places->devcc, advice) +
		      check_file("device builtins", places->builtins, advice) +
		      check_file("simulator", library, advice) +
		      check_file("compatibility headers", places->compat, advice);
	free(library);
	return missing;
}

/* Host code is compiled by clang with gcc's C++ library and linked with gcc's start files; no gcc is
 * needed for it. */
static int check_cxx(const char *clang)
{
	static const char *const needed[] = {"crt1.o", "crtbeginS.o", "libstdc++.so", "libm.so"};
	static const char advice[] =
		"a C++ library to compile with (Debian's package libstdc++-12-dev)";
	struct words words = {0};
	int missing = 0, status = 1;
	words_add_all(&words, clang, "-x", "c++", "-fsyntax-only", "-include", "string",
		      "/dev/null", NULL);
	FILE *nowhere = tmpfile();
	struct cudasim_error *error = nowhere ? child_run(&words, nowhere, nowhere, &status) : NULL;
	words_fini(&words);
	missing += line("C++ headers", error || status ? NULL : "by clang's search", advice);
	cudasim_error_free(error);
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
		char said[4096] = "";
		words_addf(&words, "%s", clang);
		words_addf(&words, "-print-file-name=%s", needed[i]);
		FILE *out = tmpfile();
		error = out ? child_run(&words, out, nowhere, &status) : NULL;
		if (out) {
			rewind(out);
			if (!fgets(said, sizeof said, out))
				said[0] = 0;
			said[strcspn(said, "\n")] = 0;
			fclose(out);
		}
		cudasim_error_free(error);
		words_fini(&words);
		/* Only its name, where it is not found. */
		missing += line(needed[i], *said == '/' ? said : NULL, advice);
	}
	if (nowhere)
		fclose(nowhere);
	return missing;
}

static int check_compilers(const struct places *places)
{
	struct host_tools tools;
	struct cudasim_error *error = host_tools_find(places->tools, &tools);
	int missing = line("clang++ " CUDASIM_LLVM, error ? NULL : tools.clang,
			   "Debian's package clang-" CUDASIM_LLVM);
	if (!error) {
		missing += check_cxx(tools.clang);
		printf("%-9s %-28s %s\n", "found", "host's compiler and linker", tools.host_cxx);
		printf("%-9s %-28s %s\n", tools.openmp_library ? "found" : "absent",
		       "OpenMP library (optional)",
		       tools.openmp_library
			       ? tools.openmp_library
			       : "for -Xcompiler -fopenmp: Debian's package libomp-" CUDASIM_LLVM
				 "-dev");
	}
	cudasim_error_free(error);
	host_tools_fini(&tools);
	return missing;
}

/* For --gpu alone. */
static void check_gpu_tool(const struct toolkit *toolkit, const char *name)
{
	char *path = gpu_find_tool(toolkit, name), *what = text_format("%s (for --gpu)", name);
	printf("%-9s %-28s %s\n", path ? "found" : "absent", what,
	       path ? path : "CUDA 13's compiler (nvcc), or run `cudasim fetch-toolkit`");
	free(path);
	free(what);
}

static int check_toolkit(const struct places *places)
{
	struct toolkit_hints hints = toolkit_hints_here(places);
	struct words notes = {0};
	struct toolkit toolkit;
	struct cudasim_error *error = toolkit_find(&hints, &notes, &toolkit);
	for (size_t i = 0; i < notes.n; i++)
		printf("%-9s %-28s %s\n", "passed", "CUDA toolkit", notes.at[i]);
	if (error) {
		printf("%-9s %-28s %s\n", "MISSING", "CUDA toolkit", error->message);
		cudasim_error_free(error);
	} else {
		printf("%-9s %-28s %s (CUDA %u.%u, %s, by %s)\n", "found", "CUDA toolkit",
		       toolkit.root, toolkit.version / 1000, toolkit.version % 1000 / 10,
		       toolkit_is_tried(toolkit.version) ? "tested" : "not tested",
		       toolkit.found_by);
		if (toolkit.version < 13000) {
			printf("%-9s %-28s %s\n", "absent", "tools for --gpu",
			       "these need a toolkit of CUDA 13");
		} else {
			check_gpu_tool(&toolkit, "ptxas");
			check_gpu_tool(&toolkit, "fatbinary");
		}
		toolkit_fini(&toolkit);
	}
	words_fini(&notes);
	free((char *)hints.cache);
	return error != NULL;
}

/* Bodies are compiled for x86-64-v3; what that means beyond AVX2 came with it. */
static int check_processor(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
		  __builtin_cpu_supports("bmi2");
	bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		  __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
	return line("processor",
		    v4   ? "x86-64-v4 (AVX-512)"
		    : v3 ? "x86-64-v3 (AVX2)"
			 : NULL,
		    "x86-64-v3 (AVX2, FMA, BMI2) is needed");
#else
	return line("processor", NULL, "x86-64-v3 is needed");
#endif
}

static const struct manual_row statuses[] = {
	{"0", "all there"},
	{"1", "something that `cudasim cc` needs is missing"},
	{0},
};
const struct manual doctor_manual = {
	.name = "doctor",
	.summary = "print what was found where, and what is missing",
	.usage = "",
	.text = "Prints where cudasim's own parts, clang and the CUDA toolkit's headers and tools were "
		"found, and what is missing.",
	.statuses = statuses,
	.variables = "CUDASIM_TOOLKIT",
	.see = "cc fetch-toolkit",
};

struct cudasim_error *command_doctor(int n, char **arguments, int *ret)
{
	if (n > 1)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "doctor takes no argument '%s'",
					 arguments[1]);
	struct places places;
	struct cudasim_error *error = places_find(&places);
	if (error)
		return error;
	host_tools_enter(places.tools);
	int missing = check_places(&places) + check_processor() + check_compilers(&places) +
		      check_tool("ld", "Debian's package binutils") +
		      check_tool("ar", "Debian's package binutils") +
		      check_tool("objcopy", "Debian's package binutils") + check_toolkit(&places);
	places_fini(&places);
	if (missing)
		printf("\n%d missing\n", missing);
	else
		puts("\nall there");
	*ret = missing ? 1 : 0;
	return NULL;
}
