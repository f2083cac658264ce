/* SPDX-License-Identifier: Apache-2.0 */
/* test.c - the command line of `cudasim test`. */
#define _GNU_SOURCE
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "environment.h"
#include "manual.h"
#include "must.h"
#include "now.h"

static const struct manual_option option_texts[] = {
	{"-j", "N", "processes at a time (default: one for each CPU)", MANUAL_GLUED, MANUAL_DONE},
	MANUAL_OPTION(
		"--schedules", "N",
		"run each executable in N orders of blocks and threads: inorder, reverse, random:1, "
		"random:2, ..."),
	MANUAL_OPTION("--timeout", "S", "seconds that a test may take (default 60)"),
	{"--check", "TOOLS", "run under the checkers (`cudasim check`); a finding fails its test",
	 MANUAL_OPTIONAL, MANUAL_DONE},
	MANUAL_OPTION("--junit", "FILE", "write the results as JUnit XML"),
	MANUAL_OPTION("--sarif", "FILE", "with --check: write the findings as SARIF 2.1.0"),
	MANUAL_OPTION("--tap", NULL, "print the results as TAP"),
	MANUAL_OPTION("--list", NULL, "print the tests' names and run nothing"),
	MANUAL_OPTION("--gpu", NULL, "run on the GPU (CUDASIM=0), and build sources for it"),
	MANUAL_OPTION("-v, --verbose", NULL, "print passing tests as well"),
	{0},
};
static const struct manual_row examples[] = {
	{"cudasim test build", "all tests of a build folder"},
	{"cudasim test clamp --check clamp_test.cu", "one source's, whose names contain clamp"},
	{"cudasim test --schedules 4 python3 -m pytest tests", NULL},
	{0},
};
static const struct manual_row statuses[] = {
	{"0", "all tests passed"},
	{"1", "a test failed"},
	{"2", "the tests could not be run"},
	{0},
};
static const struct manual_row files[] = {
	{".cudasim-test", "the executables that were built of the sources of a folder"},
	{0},
};
const struct manual test_manual = {
	.name = "test",
	.summary = "run unit tests of device code",
	.usage = "[OPTIONS] [PATTERN] [FILE]... [-- OPTION...]\n"
		 "[OPTIONS] [PATTERN] python3 -m pytest [ARGUMENTS]",
	.text = "Runs the tests whose names contain PATTERN. FILE is a folder, an executable or a "
		".cu file; without one the current folder is meant. Executables are those of "
		"tests of cudasim/test.h, or of plain cmocka. If a folder has none, its .cu files with "
		"tests are built into .cudasim-test/ there, with each OPTION of `cudasim cc`.\n"
		"pytest's tests run with cudasim's libraries under the names of NVIDIA's, as under "
		"`cudasim run`. The manual is docs/testing.md, installed as share/doc/cudasim/testing.md.",
	.options = option_texts,
	.examples = examples,
	.statuses = statuses,
	.files = files,
	.variables = "CUDASIM_TEST_BODY CUDASIM_TEST_FILTER CUDASIM_TEST_SEED",
	.see = "cc check run",
};

static struct cudasim_error *number(const char *option, const char *value, double least,
				    double most, double *ret)
{
	char *end;
	if (!value || !*value)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "test: %s needs a number", option);
	*ret = strtod(value, &end);
	if (*end || !(*ret >= least && *ret <= most))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "test: %s %s: must be from %g to %g",
					 option, value, least, most);
	return NULL;
}

static struct cudasim_error *file_name(const char *option, const char *value, const char **ret)
{
	*ret = value;
	return value && *value ? NULL
			       : cudasim_error_new(CUDASIM_E_ARGUMENT, "test: %s needs a file name",
						   option);
}

/* The value of an option: after '=' or the next word. */
static const char *value_of(char **arguments, int n, int *i, const char *name)
{
	const char *argument = arguments[*i];
	size_t length = strlen(name);
	if (argument[length] == '=')
		return argument + length + 1;
	if (name[1] != '-' && argument[length])
		return argument + length; /* -j4 */
	return ++*i < n ? arguments[*i] : NULL;
}

static bool is_option(const char *argument, const char *name)
{
	size_t length = strlen(name);
	return !strncmp(argument, name, length) && (!argument[length] || argument[length] == '=');
}

static struct cudasim_error *parse(int n, char **arguments, struct test_options *ret, bool *help)
{
	struct cudasim_error *error = NULL;
	double value = 0;
	for (int i = 1; i < n && !error; i++) {
		const char *a = arguments[i];
		struct stat status;
		if (!strcmp(a, "--help") || !strcmp(a, "-h")) {
			*help = true;
		} else if (!strcmp(a, "--")) {
			while (++i < n)
				words_add(&ret->compile, arguments[i]);
		} else if (!strncmp(a, "-j", 2)) {
			error = number("-j", value_of(arguments, n, &i, "-j"), 1, 1024, &value);
			ret->jobs = error ? 1 : (int)value;
		} else if (is_option(a, "--schedules")) {
			error = number(a, value_of(arguments, n, &i, "--schedules"), 1, 10000,
				       &value);
			ret->schedules = error ? 1 : (int)value;
		} else if (is_option(a, "--timeout")) {
			error = number(a, value_of(arguments, n, &i, "--timeout"), 0.1, 1e6,
				       &value);
			ret->timeout = error ? 1 : value;
		} else if (is_option(a, "--junit")) {
			error = file_name("--junit", value_of(arguments, n, &i, "--junit"),
					  &ret->junit);
		} else if (is_option(a, "--sarif")) {
			error = file_name("--sarif", value_of(arguments, n, &i, "--sarif"),
					  &ret->sarif);
		} else if (is_option(a, "--check")) {
			/* Leaks are the test's own to tell, and errors of calls to look at. */
			ret->check = a[7] ? a + 8
					  : "memcheck,racecheck,initcheck,synccheck,apicheck";
			if (!*ret->check)
				error = cudasim_error_new(CUDASIM_E_ARGUMENT,
							  "test: --check= needs names of checkers");
		} else if (!strcmp(a, "--tap")) {
			ret->tap = true;
		} else if (!strcmp(a, "--list")) {
			ret->list = true;
		} else if (!strcmp(a, "--gpu")) {
			ret->gpu = true;
		} else if (!strcmp(a, "-v") || !strcmp(a, "--verbose")) {
			ret->verbose = true;
		} else if (*a == '-') {
			error = cudasim_error_new(
				CUDASIM_E_ARGUMENT,
				"test: unknown option '%s'; `cudasim test --help` lists them", a);
		} else if (test_is_pytest(a) && (stat(a, &status) || !S_ISDIR(status.st_mode))) {
			for (; i < n; i++)
				words_add(&ret->command, arguments[i]);
		} else if (!stat(a, &status) &&
			   (S_ISDIR(status.st_mode) || strchr(a, '/') || text_ends(a, ".cu"))) {
			words_add(&ret->targets, a);
		} else if (strchr(a, '/')) {
			error = cudasim_error_new(CUDASIM_E_NOTFOUND, "test: there is no '%s'", a);
		} else if (ret->pattern) {
			error = cudasim_error_new(
				CUDASIM_E_ARGUMENT,
				"test: two patterns, '%s' and '%s'; there is no such folder",
				ret->pattern, a);
		} else {
			ret->pattern = a;
		}
	}
	if (!error && ret->sarif && !ret->check)
		error = cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"test: --sarif needs --check: it is the checkers' report");
	if (!error && ret->command.n && (ret->targets.n || ret->compile.n))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "test: '%s' and pytest cannot be run together",
					  ret->targets.n ? ret->targets.at[0] : "--");
	return error;
}

bool test_is_wanted(const char *executable, const char *name, const char *pattern)
{
	return !pattern || strstr(name, pattern) || strstr(executable, pattern);
}

static struct cudasim_error *no_such_test(const struct test_options *options)
{
	if (!options->pattern)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "test: there are no tests");
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "test: no test's name contains '%s'",
				 options->pattern);
}

static struct cudasim_error *list(const struct test_options *options,
				  const struct words *executables)
{
	size_t n = 0;
	for (size_t i = 0; i < executables->n; i++) {
		struct words names = {0};
		if (!options->command.n && test_is_plain(executables->at[i])) {
			printf("%s: (plain cmocka tests, whose names are known when they run)\n",
			       executables->at[i]);
			n++;
			continue;
		}
		struct cudasim_error *error = test_list(executables->at[i], options, &names);
		if (error)
			return error;
		for (size_t j = 0; j < names.n; j++)
			if (test_is_wanted(executables->at[i], names.at[j], options->pattern)) {
				printf("%s: %s\n", executables->at[i], names.at[j]);
				n++;
			}
		words_fini(&names);
	}
	return n ? NULL : no_such_test(options);
}

static struct cudasim_error *run(const struct test_options *options, int *ret)
{
	struct words executables = {0};
	struct test_results results = {0};
	struct scratch findings = {.lock = -1};
	double start = now_seconds();
	/* Said before the tests have run rather than after. */
	struct cudasim_error *error = options->junit ? test_check_junit(options->junit) : NULL;
	if (!error && options->sarif && !options->list)
		error = test_prepare_sarif(options);
	if (!error && options->command.n) {
		error = test_prepare_pytest(options, &findings);
		words_add(&executables, "pytest");
	} else if (!error) {
		error = test_find(options, &executables);
	}
	if (!error && options->list) {
		error = list(options, &executables);
	} else if (!error) {
		error = test_run(options, &executables, &results);
		if (!error && results.n && options->tap)
			test_print_tap(&results);
		else if (!error && results.n)
			test_print_summary(&results, options, executables.n, now_seconds() - start);
		if (!error && options->junit)
			error = test_write_junit(&results, options->junit);
		for (size_t i = 0; i < results.n; i++)
			if (results.at[i].outcome == TEST_FAILED)
				*ret = 1;
		if (!error && !results.n)
			error = no_such_test(options);
	}
	scratch_free(&findings);
	words_fini(&executables);
	return error;
}

struct cudasim_error *command_test(int n, char **arguments, int *ret)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	struct test_options options = {
		.jobs = cpus > 0 ? (int)cpus : 1, .schedules = 1, .timeout = 60};
	bool help = false;
	*ret = 0;
	must_policy("cudasim", 2); /* 1 is a test that failed */
	struct cudasim_error *error = parse(n, arguments, &options, &help);
	if (!error && help) {
		manual_print(stdout, &test_manual);
		return NULL;
	}
	if (!error && !options.gpu)
		error = environment_enter_names();
	if (!error)
		error = run(&options, ret);
	if (error) {
		/* 1 is for tests that failed. */
		fprintf(stderr, "cudasim: %s\n", error->message);
		cudasim_error_free(error);
		*ret = 2;
	}
	return NULL;
}
