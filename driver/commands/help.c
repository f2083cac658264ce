/* SPDX-License-Identifier: Apache-2.0 */
/* help.c - `cudasim help`. */
#include <stdint.h>
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
	"  cache          print the size of cc's cache; cudasim cache clear empties it\n"
	"  run            run a program that finds cudasim's libraries under NVIDIA's names\n"
	"  python         the same for python3\n"
	"  env            print the variables that do it, for a shell\n"
	"  debug          run a program in the debugger\n"
	"  test           run unit tests of device code\n"
	"  compare        compare what kernels store, simulated and on a GPU\n"
	"  profile        write the properties of this machine's GPU into a file that\n"
	"                 CUDASIM_DEVICE=FILE reads elsewhere: cudasim profile [--device N] [-o FILE]\n"
	"  check          run a program under the checkers\n"
	"  doctor         print what was found where, and what is missing\n"
	"  nvcc-path      print a folder with an nvcc that is cudasim cc:\n"
	"                     PATH=$(cudasim nvcc-path):$PATH make\n"
	"  toolkit-path   print a folder that looks like a CUDA toolkit:\n"
	"                     CUDA_HOME=$(cudasim toolkit-path) make\n"
	"                 Programs that other tools than cc link find libcudasim.so, unless\n"
	"                 cudasim is installed outside of the loader's path. Then set\n"
	"                     LD_LIBRARY_PATH=$(cudasim toolkit-path)/lib64\n"
	"  fetch-toolkit  fetch the CUDA toolkit's headers as the vendor's Python wheels\n"
	"  help [COMMAND] this text; a command and its options; for cc, every option of nvcc and\n"
	"                 what cudasim does with it; for env, the CUDASIM_ variables\n"
	"  version        print cudasim's version\n"
	"\n"
	"To simulate a program of cudasim cc, run it with CUDASIM=1 ./program, any other one with\n"
	"cudasim run program.\n";

static void show_env(void)
{
	fputs(env_usage, stdout);
	puts("\nEnvironment variables of cudasim:\n");
	for (const struct env_variable *v = env_variables; v->name; v++)
		printf("  %s=%s\n      %s\n", v->name, v->values, v->help);
	puts("\nCUDA_VISIBLE_DEVICES and CUDA_LAUNCH_BLOCKING have their usual meaning.");
}

static void show_option(const struct option *option)
{
	static const char *const words[] = {
		[OPTION_DONE] = "done",
		[OPTION_IGNORED] = "ignored",
		[OPTION_REFUSED] = "refused",
	};
	printf("  %-46s %-30s %s%s%s\n", option->long_name, option->short_name,
	       words[option->status], option->note ? ": " : "", option->note ? option->note : "");
}

static void show_cc(void)
{
	puts("usage: cudasim cc [options] FILE...\n\n"
	     "The options are nvcc's. What cudasim does with each:\n");
	for (size_t i = 0; i < n_options; i++) {
		if (i == n_nvcc_options)
			puts("\nFurther options of cudasim:\n");
		show_option(&option_table[i]);
	}
}

static void show_check(void)
{
	check_usage(stdout);
}

static const char doctor_usage[] =
	"usage: cudasim doctor\n"
	"\n"
	"Prints where cudasim's own parts, clang and the CUDA toolkit's headers and tools were found,\n"
	"and what is missing. The exit status is 1 if something that cudasim cc needs is missing.\n";

static const char nvcc_path_usage[] =
	"usage: cudasim nvcc-path\n"
	"\n"
	"Prints a folder with an nvcc that is cudasim cc, for projects that call nvcc:\n"
	"\n"
	"  PATH=$(cudasim nvcc-path):$PATH make\n"
	"  CUDACXX=$(cudasim nvcc-path)/nvcc cmake -B build\n";

static const char toolkit_path_usage[] =
	"usage: cudasim toolkit-path\n"
	"\n"
	"Prints a folder that looks like a CUDA toolkit (bin/nvcc, include, lib64), for projects that\n"
	"look for one:\n"
	"\n"
	"  CUDA_HOME=$(cudasim toolkit-path) make\n"
	"\n"
	"Programs that other tools than cc link find libcudasim.so, unless cudasim is installed\n"
	"outside of the loader's path. Then set LD_LIBRARY_PATH=$(cudasim toolkit-path)/lib64.\n";

static const char fetch_toolkit_usage[] =
	"usage: cudasim fetch-toolkit [FOLDER]\n"
	"\n"
	"Downloads the CUDA toolkit's headers and the tools that `cudasim cc --gpu` needs, as the\n"
	"vendor's Python wheels, into FOLDER (default: the user's cache, where cudasim finds them).\n";

static const char version_usage[] = "usage: cudasim version\n"
				    "\n"
				    "Prints cudasim's version. cudasim --version does the same.\n";

/* A topic has a text or is shown by a function. */
static const struct topic {
	const char *name, *text;
	void (*show)(void);
} topics[] = {
	{"cc", NULL, show_cc},
	{"cache", cache_usage, NULL},
	{"debug", debug_usage, NULL},
	{"test", test_usage, NULL},
	{"compare", compare_usage, NULL},
	{"profile", profile_usage, NULL},
	{"check", NULL, show_check},
	{"doctor", doctor_usage, NULL},
	{"nvcc-path", nvcc_path_usage, NULL},
	{"toolkit-path", toolkit_path_usage, NULL},
	{"fetch-toolkit", fetch_toolkit_usage, NULL},
	{"help", usage, NULL},
	{"version", version_usage, NULL},
	{"env", NULL, show_env},
	{"run", run_usage, NULL},
	{"python", python_usage, NULL},
};
enum { N_TOPICS = sizeof topics / sizeof *topics };

/* How many letters have to be put in, left out or changed to make b of a (Wagner and
 * Fischer, 1974). Names have 15 letters at most; of a longer word all are too many. */
static size_t distance(const char *a, const char *b)
{
	enum { LONGEST = 15 };
	size_t row[LONGEST + 1], n = strlen(b);
	if (n > LONGEST || strlen(a) > LONGEST)
		return SIZE_MAX;
	for (size_t j = 0; j <= n; j++)
		row[j] = j;
	for (size_t i = 1; *a; i++, a++) {
		size_t corner = row[0];
		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			size_t best = corner + (*a != b[j - 1]);
			corner = row[j];
			best = row[j] + 1 < best ? row[j] + 1 : best;
			row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
		}
	}
	return row[n];
}

const char *help_nearest(const char *word)
{
	const char *ret = NULL;
	size_t least = strlen(word) < 4 ? 2 : 3; /* of two letters none is meant by a third */
	for (size_t i = 0; i < N_TOPICS; i++) {
		size_t d = distance(word, topics[i].name);
		if (d < least && d < strlen(topics[i].name) - 1) {
			least = d;
			ret = topics[i].name;
		}
	}
	return ret;
}

struct cudasim_error *command_help(int n, char **arguments, int *ret)
{
	*ret = 0;
	if (n > 2)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "help takes only one topic: unexpected '%s'",
					 arguments[2]);
	const char *word = n < 2 ? "help" : arguments[1];
	for (size_t i = 0; i < N_TOPICS; i++) {
		if (strcmp(topics[i].name, word))
			continue;
		if (topics[i].text)
			fputs(topics[i].text, stdout);
		else
			topics[i].show();
		return NULL;
	}
	const char *near = help_nearest(word);
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "there is no help on '%s'%s%s%s `cudasim help` "
				 "lists the commands",
				 word, near ? ": is '" : ";", near ? near : "",
				 near ? "' meant?" : "");
}
