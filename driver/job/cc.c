/* SPDX-License-Identifier: Apache-2.0 */
/* cc.c - `cudasim cc`: nvcc's command line. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child.h"
#include "commands.h"
#include "front.h"
#include "host_tools.h"
#include "job.h"
#include "names.h"
#include "plan.h"
#include "scratch.h"
#include "toolkit_tree.h"
#include "env.h"

/* Inputs and the output's folder are looked at before anything runs, so that a
 * mistake costs no compilation and gives one line. */
static struct cudasim_error *check_files(const struct command *command)
{
	for (size_t i = 0; i < command->input_paths.n; i++) {
		struct stat status;
		const char *path = command->inputs[i].path;
		if (stat(path, &status))
			return cudasim_error_errno(errno, "cannot read '%s'", path);
		if (S_ISDIR(status.st_mode))
			return cudasim_error_new(CUDASIM_E_ARGUMENT, "'%s' is a folder", path);
		/* The linker would take an empty file for an empty script. */
		if (!status.st_size && command->inputs[i].kind >= INPUT_OBJECT &&
		    command->inputs[i].kind != INPUT_NVVM)
			return cudasim_error_new(CUDASIM_E_FORMAT, "'%s' is empty", path);
		/* To write over an input would destroy it. */
		struct stat output;
		if (command->output && !stat(command->output, &output) &&
		    output.st_ino == status.st_ino && output.st_dev == status.st_dev)
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "the output '%s' is also an input",
						 command->output);
	}
	if (command->output && strrchr(command->output, '/')) {
		char *folder = text_copy_n(
			command->output, (size_t)(strrchr(command->output, '/') - command->output));
		int missing = *folder && access(folder, W_OK) ? errno : 0;
		struct cudasim_error *error =
			missing ? cudasim_error_errno(missing, "cannot write into '%s'", folder)
				: NULL;
		free(folder);
		return error;
	}
	return NULL;
}

/* The lines that nvcc shows first, which CMake reads; it knows the line of the
 * link by the text of LIBRARIES, which stands in it as it is here. */
static void show_surroundings(const struct surroundings *here)
{
	fprintf(stderr, "#$ _SPACE_= \n#$ _HERE_=%s/bin\n#$ TOP=%s\n", here->toolkit->root,
		here->toolkit->root);
	struct words libraries = {0};
	front_add_runtime(&libraries, here);
	char *line = words_quote(&libraries);
	fprintf(stderr, "#$ INCLUDES=\"-I%s\"  \n#$ LIBRARIES=  %s\n", here->toolkit->include,
		line);
	free(line);
	words_fini(&libraries);
	/* From nvcc's call of its device compiler CMake takes the default architecture. */
	const char *digits = here->architecture->name +
			     strcspn(here->architecture->name, "0123456789");
	fprintf(stderr, "#$ _CODE_= -arch compute_%s\n", digits);
}

/* Where the temporary files go: a fresh folder, or with --keep one that stays. */
static struct cudasim_error *make_temporary(const struct command *command, struct scratch *scratch,
					    char **ret)
{
	if (command->keep || command->keep_directory) {
		*ret = text_copy(command->keep_directory ? command->keep_directory : ".");
		if (access(*ret, W_OK) && !command->dry_run)
			return cudasim_error_errno(errno, "cannot write into '%s'", *ret);
		return NULL;
	}
	const char *tmp = getenv("TMPDIR");
	tmp = tmp && *tmp ? tmp : "/tmp";
	struct cudasim_error *error = command->dry_run ? NULL : scratch_new(tmp, scratch);
	*ret = scratch->path ? text_copy(scratch->path) : text_format("%s/cudasim-cc-XXXXXX", tmp);
	return error;
}

static void dry_run(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n_jobs; i++) {
		char *line = job_line(&plan->jobs[i]);
		fprintf(stderr, "#$ %s\n", line);
		free(line);
	}
}

/* Runs what was built, for --run; the status is the program's own. */
static struct cudasim_error *run_program(const char *path, const struct words *arguments, int *ret)
{
	struct words words = {0};
	words_add(&words, path);
	words_append(&words, arguments);
	fflush(stdout);
	pid_t pid = fork();
	if (pid < 0)
		return cudasim_error_errno(errno, "cannot run '%s'", path);
	if (!pid) {
		execv(path, words.at);
		fprintf(stderr, "cudasim: cannot run '%s': %s\n", path, strerror(errno));
		_exit(127);
	}
	*ret = child_exit_code(child_wait(pid));
	words_fini(&words);
	return NULL;
}

static struct cudasim_error *carry_out(const struct command *command,
				       const struct surroundings *here, int *ret)
{
	struct plan plan;
	struct cudasim_error *error = plan_make(command, here, &plan);
	if (!error && command->clean) {
		for (size_t i = 0; i < plan.outputs.n; i++)
			output_remove(plan.outputs.at[i]);
	} else if (!error) {
		if (command->verbose || command->dry_run)
			show_surroundings(here);
		struct job_options options = {
			.show = command->verbose, .times = command->time_file, .here = here};
		/* Who asks for what lies between the jobs, or for their times, gets them run. */
		if (!command->dry_run && !command->keep && !command->keep_directory &&
		    !command->time_file)
			error = cache_open(here, command->verbose, &options.cache);
		if (options.cache && !error)
			error = cache_open_preludes(here, false, &options.preludes);
		if (command->dry_run)
			dry_run(&plan);
		else if (!error)
			error = jobs_run(&plan, &options, ret);
		cache_close(options.cache);
		cache_close(options.preludes);
		if (!error && !*ret && plan.run && !command->dry_run)
			error = run_program(plan.run, &command->run_arguments, ret);
	}
	plan_fini(&plan);
	return error;
}

static struct cudasim_error *with_toolkit(const struct command *command,
					  const struct places *places,
					  const struct toolkit *toolkit, int *ret)
{
	struct architecture architecture;
	struct cudasim_error *error = architecture_choose(command, &architecture);
	if (error)
		return error;
	if (!command->no_warnings && !command->no_deprecated_targets)
		for (size_t i = 0; i < architecture.warnings.n; i++)
			fprintf(stderr, "cudasim cc: warning: %s\n", architecture.warnings.at[i]);
	char *temporary = NULL, folder[4096];
	struct scratch scratch = {.lock = -1};
	error = make_temporary(command, &scratch, &temporary);
	if (!error && !getcwd(folder, sizeof folder))
		error = cudasim_error_errno(errno, "cannot tell the current folder");
	struct host_tools tools = {0};
	if (!error)
		error = host_tools_find(places->tools, &tools);
	char *tree_libraries = toolkit_tree_libraries(places, toolkit),
	     *linker = toolkit_tree_linker(places, toolkit);
	struct gpu gpu = {0};
	if (!error && command->gpu)
		error = gpu_choose(command, &architecture, &gpu);
	if (!error && command->gpu)
		error = gpu_find_tools(toolkit, &gpu);
	if (!error) {
		struct surroundings here = {
			.toolkit = toolkit,
			.places = places,
			.architecture = &architecture,
			.gpu = command->gpu ? &gpu : NULL,
			.clang = tools.clang,
			.host_c = tools.host_c,
			.host_cxx = linker ? linker : tools.host_cxx,
			.tree_libraries = tree_libraries,
			.openmp_library = tools.openmp_library,
			.openmp_include = tools.openmp_include,
			.gcc_include = tools.gcc_include,
			.folder = folder,
			.temporary = temporary,
			.color = isatty(STDERR_FILENO),
		};
		error = carry_out(command, &here, ret);
	}
	scratch_free(&scratch);
	host_tools_fini(&tools);
	gpu_fini(&gpu);
	architecture_fini(&architecture);
	free(tree_libraries);
	free(linker);
	free(temporary);
	return error;
}

static struct cudasim_error *run_command(const struct command *command, int *ret)
{
	for (size_t i = 0; i < command->warnings.n; i++)
		fprintf(stderr, "cudasim cc: warning: %s\n", command->warnings.at[i]);
	struct places places;
	struct cudasim_error *error = env_check(ENV_COMPILER);
	if (!error)
		error = places_find(&places);
	if (error)
		return error;
	host_tools_enter(places.tools);
	error = names_make(&places);
	struct toolkit_hints hints = toolkit_hints_here(&places);
	struct toolkit toolkit = {0};
	if (!error)
		error = toolkit_find(&hints, NULL, &toolkit);
	if (!error && !command->dry_run)
		error = check_files(command);
	if (!error)
		error = with_toolkit(command, &places, &toolkit, ret);
	toolkit_fini(&toolkit);
	free((char *)hints.cache);
	places_fini(&places);
	return error;
}

struct cudasim_error *command_cc(int n, char **arguments, int *ret)
{
	struct command command;
	struct cudasim_error *error = command_parse(n - 1, arguments + 1,
						    getenv("NVCC_PREPEND_FLAGS"),
						    getenv("NVCC_APPEND_FLAGS"), &command);
	*ret = 0;
	if (error) {
		command_fini(&command);
		return error;
	}
	if (command.help) {
		char *help[] = {"help", "cc", NULL};
		error = command_help(2, help, ret);
	} else if (command.version) {
		error = toolkit_print_release("nvcc: NVIDIA (R) Cuda compiler driver\n"
					      "(this is cudasim " CUDASIM_VERSION
					      ", which takes nvcc's command line)");
	} else if (command.list_code || command.list_architectures) {
		if (command.list_architectures)
			architecture_list("compute_");
		if (command.list_code)
			architecture_list("sm_");
	} else {
		error = run_command(&command, ret);
	}
	command_fini(&command);
	return error;
}
