/* SPDX-License-Identifier: Apache-2.0 */
/* ptxas.c - cudasim under the name ptxas, for programs that assemble PTX themselves (Triton): the
 * options of ptxas 13.0, and `cudasim cc -cubin` on the input. Its messages are ptxas' already. Options
 * about a GPU's registers, caches and encodings change nothing here. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "toolkit.h"
#include "words.h"

/* With a value behind them, or after "=". */
static const char *const with_value[] = {
	"-Ofast-compile",
	"-Ofc",
	"-allow-expensive-optimizations",
	"-def-load-cache",
	"-dlcm",
	"-def-store-cache",
	"-dscm",
	"-device-function-maxrregcount",
	"-func-maxrregcount",
	"-device-stack-protector",
	"-entry",
	"-e",
	"-fmad",
	"-force-load-cache",
	"-flcm",
	"-force-store-cache",
	"-fscm",
	"-gpu-name",
	"-arch",
	"-machine",
	"-m",
	"-maxntid",
	"-maxrregcount",
	"-minnctapersm",
	"-opt-level",
	"-O",
	"-position-independent-code",
	"-pic",
	"-register-usage-level",
	"-regUsageLevel",
	"-regAllocOptLevel", /* Triton's; ptxas takes it, its help leaves it out */
	"-sanitize",
	"-split-compile",
};
static const char *const without_value[] = {
	"-compile-as-tools-patch",
	"-astoolspatch",
	"-compiler-annotations",
	"-annotate",
	"-device-debug",
	"-g",
	"-disable-optimizer-constants",
	"-disable-optimizer-consts",
	"-dont-merge-basicblocks",
	"-no-bb-merge",
	"-extensible-whole-program",
	"-ewp",
	"-g-tensor-memory-access-check",
	"-g-tmem-access-check",
	"-gno-tensor-memory-access-check",
	"-gno-tmem-access-check",
	"-generate-line-info",
	"-lineinfo",
	"-legacy-bar-warp-wide-behavior",
	"-make-errors-visible-at-exit",
	"-optimize-float-atomics",
	"-opt-fp-atomics",
	"-override-directive-values",
	"-preserve-relocs",
	"-return-at-end",
	"-ret-end",
	"-sp-bounds-check",
	"-suppress-async-bulk-multicast-advisory-warning",
	"-suppress-debug-info",
	"-suppress-double-demote-warning",
	"-suppress-sparse-mma-advisory-info",
	"-suppress-stack-size-warning",
	"-verbose",
	"-v",
	"-warn-on-double-precision-use",
	"-warn-double-usage",
	"-warn-on-local-memory-usage",
	"-warn-lmem-usage",
	"-warn-on-spills",
	"-warning-as-error",
	"-Werror",
};
static const char *const output_names[] = {"-output-file", "-o"};
static const char *const relocatable_names[] = {"-compile-only", "-c"};
static const char *const quiet_names[] = {"-disable-warnings", "-w"};
static const char *const version_names[] = {"-version", "-V"};
static const char *const help_names[] = {"-help", "-h"};

#define IN(option, length, list) in(option, length, list, sizeof(list) / sizeof *(list))
static bool in(const char *option, size_t length, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strlen(list[i]) == length && !strncmp(list[i], option, length))
			return true;
	return false;
}

/* -O3 and -m64 are written in one word. */
static bool is_joined(const char *option)
{
	return (option[1] == 'O' || option[1] == 'm') && option[2] >= '0' && option[2] <= '9';
}

struct reading {
	struct words words; /* for cudasim cc */
	const char *input, *output;
	bool about; /* it has printed what was asked for */
};

static struct cudasim_error *value_of(int n, char **arguments, int *at, const char *equals,
				      const char **ret)
{
	if (equals)
		*ret = equals + 1;
	else if (*at + 1 < n)
		*ret = arguments[++*at];
	else
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Missing value for option '%s'",
					 arguments[*at]);
	return NULL;
}

static struct cudasim_error *read_option(int n, char **arguments, int *at, struct reading *ret)
{
	const char *option = arguments[*at], *equals = strchr(option, '='), *value;
	option += option[1] == '-';
	size_t length = equals ? (size_t)(equals - option) : strlen(option);
	if (IN(option, length, output_names))
		return value_of(n, arguments, at, equals, &ret->output);
	if (IN(option, length, with_value))
		return value_of(n, arguments, at, equals, &value);
	if (is_joined(option) || (!equals && IN(option, length, without_value)))
		return NULL;
	if (IN(option, length, relocatable_names)) {
		words_add(&ret->words, "-rdc=true");
	} else if (IN(option, length, quiet_names)) {
		words_add(&ret->words, "-w");
	} else if (IN(option, length, version_names)) {
		ret->about = true;
		return toolkit_print_release("ptxas: cudasim " CUDASIM_VERSION
					     ", in the place of the Ptx optimizing assembler");
	} else if (IN(option, length, help_names)) {
		puts("usage: ptxas [OPTIONS] FILE.ptx\n\nThis is cudasim: the options are ptxas', "
		     "the product is what `cudasim cc -cubin` makes.");
		ret->about = true;
	} else {
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Unknown option '%s'", arguments[*at]);
	}
	return NULL;
}

struct cudasim_error *command_ptxas(int n, char **arguments, int *ret)
{
	struct reading r = {0};
	struct cudasim_error *error = NULL;
	words_add_all(&r.words, "cc", "-cubin", NULL);
	for (int i = 1; i < n && !error; i++) {
		if (*arguments[i] == '-' && arguments[i][1])
			error = read_option(n, arguments, &i, &r);
		else if (r.input)
			error = cudasim_error_new(CUDASIM_E_ARGUMENT,
						  "More than one input file: '%s'", arguments[i]);
		else
			r.input = arguments[i];
	}
	*ret = 0;
	if (!error && !r.about && !r.input)
		error = cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"No input files specified; use option --help for more information");
	if (!error && !r.about) {
		/* These are for nvcc. */
		unsetenv("NVCC_PREPEND_FLAGS");
		unsetenv("NVCC_APPEND_FLAGS");
		words_add_all(&r.words, "-o", r.output ? r.output : "elf.o", r.input, NULL);
		error = command_cc((int)r.words.n, r.words.at, ret);
	}
	words_fini(&r.words);
	return error;
}
