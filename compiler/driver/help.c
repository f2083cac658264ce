/* SPDX-License-Identifier: Apache-2.0 */
/* help.c - `cudasim help`. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "debug.h"
#include "env.h"
#include "options.h"

static const char usage[] =
	"usage: cudasim COMMAND [ARGUMENTS]\n"
	"\n"
	"  cc             compile and link CUDA C++ for the CPU; takes nvcc's command line\n"
	"  cache          say what cc keeps of earlier compilations; cudasim cache clear empties it\n"
	"  debug          run a program in the debugger: cudasim help debug\n"
	"  test           run unit tests of device code: cudasim help test\n"
	"  compare        compare what kernels store, simulated and on a GPU: cudasim help compare\n"
	"  profile        write the properties of this machine's GPU into a file that\n"
	"                 CUDASIM_DEVICE=FILE reads elsewhere: cudasim profile [--device N] [-o FILE]\n"
	"  check          run a program with checkers in it: cudasim help check\n"
	"  doctor         say what was found where, and what is missing\n"
	"  nvcc-path      print a folder with an nvcc that is cudasim cc:\n"
	"                     PATH=$(cudasim nvcc-path):$PATH make\n"
	"  toolkit-path   print a folder that looks like a CUDA toolkit:\n"
	"                     CUDA_HOME=$(cudasim toolkit-path) make\n"
	"                 What other tools than cc link finds libcudasim.so by itself, unless\n"
	"                 cudasim is installed where the loader does not look. Then set\n"
	"                     LD_LIBRARY_PATH=$(cudasim toolkit-path)/lib64\n"
	"  fetch-toolkit  fetch the CUDA toolkit's headers as the vendor's Python wheels\n"
	"  help [cc|debug|check|test|compare|env]\n"
	"                 this text; with cc, every option of nvcc and what becomes of it;\n"
	"                 with debug, check, test or compare, their options; with env, the CUDASIM_ variables\n"
	"  version        print cudasim's version\n"
	"\n"
	"Programs run as they are: CUDASIM=1 ./program simulates.\n";

static void show_variables(void)
{
	puts("Variables of the environment that cudasim reads:\n");
	for (const struct env_variable *v = env_variables; v->name; v++)
		printf("  %s=%s\n      %s\n", v->name, v->values, v->help);
	puts("\nCUDA_VISIBLE_DEVICES and CUDA_LAUNCH_BLOCKING mean what they mean with CUDA.");
}

static void show_option(const struct option *option)
{
	static const char *const words[] = {
		[OPTION_DONE] = "done", [OPTION_IGNORED] = "ignored", [OPTION_REFUSED] = "refused",
	};
	printf("  %-46s %-30s %s%s%s\n", option->long_name, option->short_name,
	       words[option->status], option->note ? ": " : "", option->note ? option->note : "");
}

/* Commands of which the usage says all. */
static bool is_short(const char *command)
{
	static const char *const commands[] = {
		"cache", "profile", "doctor", "nvcc-path", "toolkit-path", "fetch-toolkit", "help", "version",
	};
	for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
		if (!strcmp(commands[i], command))
			return true;
	return false;
}

struct cudasim_error *command_help(int n, char **arguments, int *ret)
{
	*ret = 0;
	if (n < 2) {
		fputs(usage, stdout);
		return NULL;
	}
	if (!strcmp(arguments[1], "env")) {
		show_variables();
		return NULL;
	}
	if (!strcmp(arguments[1], "check")) {
		check_usage(stdout);
		return NULL;
	}
	if (!strcmp(arguments[1], "debug")) {
		fputs(debug_usage, stdout);
		return NULL;
	}
	if (!strcmp(arguments[1], "compare")) {
		fputs(compare_usage, stdout);
		return NULL;
	}
	if (!strcmp(arguments[1], "test"))
		return command_test(2, (char *[]){arguments[1], "--help", NULL}, ret);
	if (is_short(arguments[1])) {
		fputs(usage, stdout);
		return NULL;
	}
	if (strcmp(arguments[1], "cc"))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "there is no help on '%s'", arguments[1]);
	puts("usage: cudasim cc [options] FILE...\n\n"
	     "The options are nvcc's. What cudasim does with each:\n");
	for (size_t i = 0; i < n_options; i++) {
		if (i == n_nvcc_options)
			puts("\nAccepted besides:\n");
		show_option(&option_table[i]);
	}
	return NULL;
}
