/* SPDX-License-Identifier: Apache-2.0 */
/* link_plan.c - the jobs that make an executable, a library or a device-linked object of the
 * planner's objects. */
#include <stdlib.h>
#include <string.h>

#include "front.h"
#include "library.h"
#include "planner.h"

/* The files that may hold device bitcode. */
static void add_gathered(struct planner *planner, struct words *words)
{
	const struct command *command = planner->command;
	for (size_t i = 0; i < command->library_paths.n; i++)
		words_addf(words, "-L%s", command->library_paths.at[i]);
	words_append(words, &planner->objects);
	for (size_t i = 0; i < command->libraries.n; i++)
		if (library_kind(command->libraries.at[i]) == LIBRARY_OTHER)
			words_addf(words, "-l%s", command->libraries.at[i]);
}

/* The same objects' bitcode for each GPU. */
static void gather_gpu(struct planner *planner, const char *stem, const char *only_if)
{
	for (size_t i = 0; i < planner->here->gpu->n_fronts; i++) {
		const char *name = planner->here->gpu->fronts[i].name;
		char *ending = text_format(".%s.list", name);
		struct job *job = planner_add_job(planner, "gathering", 0);
		words_add_all(&job->words, planner->here->places->self, "cc-gather", "--gpu", name,
			      "--folder", planner->here->temporary, "--list",
			      planner_temporary(planner, stem, ending), NULL);
		add_gathered(planner, &job->words);
		job->only_if = text_copy(only_if);
		free(ending);
	}
}

/* Gathers the objects' device bitcode and compiles it as one module. Whether
 * there is any is known only when it has been looked for; *ret is the file
 * that names the resulting object, or is empty. */
static void device_link(struct planner *planner, const char *output, const char **ret)
{
	const struct command *command = planner->command;
	char *stem = text_copy("device-link");
	const char *list = planner_temporary(planner, stem, ".list");
	const char *id = planner_temporary(planner, stem, ".id");
	const char *blob = planner_temporary(planner, stem, ".blob");
	const char *object = output ? output : planner_temporary(planner, stem, ".o");
	*ret = planner_temporary(planner, stem, ".objects");

	struct job *job = planner_add_job(planner, "gathering", 0);
	words_add_all(&job->words, planner->here->places->self, "cc-gather", "--folder",
		      planner->here->temporary, "--list", list, "--id", id, "--objects", *ret,
		      "--object", object, NULL);
	if (!planner->here->gpu)
		words_add_all(&job->words, "--with-gpu", "no", NULL);
	add_gathered(planner, &job->words);
	if (planner->here->gpu) {
		gather_gpu(planner, stem, list);
		gpu_plan_link(planner, stem, id, list, blob);
	}

	job = planner_add_job(planner, "device link", 0);
	words_add_all(&job->words, planner->here->places->devcc, "--rdc", NULL);
	words_addf(&job->words, "--id=$(cat %s)", id);
	words_add(&job->words, "--source=device-link");
	if (planner->here->gpu)
		words_addf(&job->words, "--gpu-blob=%s", blob);
	front_add_devcc(&job->words, command, planner->here, planner->here->architecture->number);
	words_add_all(&job->words, "-o", object, NULL);
	words_addf(&job->words, "$(cat %s)", list);
	job->only_if = text_copy(list);
	job->output = text_copy(object);
	free(stem);
}

static void link_beside(const struct planner *planner, struct words *words, const char *name)
{
	char *folder = places_beside(planner->here->places, name);
	if (planner->here->gpu) {
		words_addf(words, "%s/libcudasim-%s.so", planner->here->places->stubs, name);
	} else {
		words_addf(words, "-L%s", folder);
		words_addf(words, "-lcudasim-%s", name);
	}
	words_addf(words, "-Wl,-rpath,%s", folder);
	free(folder);
}

/* The CUDA runtime and what else of cudasim the objects ask for. An executable names libcudasim.so, and
 * one with code for a GPU NVIDIA's libraries: where cudasim is, those names are links to its
 * own; on a GPU machine without it they are NVIDIA's. */
static void link_runtime(const struct planner *planner, struct words *words)
{
	const struct places *places = planner->here->places;
	if (planner->here->gpu) {
		words_addf(words, "%s/libcudart.so", places->stubs);
		words_add(words, "-Wl,--push-state,--as-needed");
		words_addf(words, "%s/libcuda.so", places->stubs);
	}
	front_add_runtime(words, planner->here);
	if (planner->here->toolkit->version != TOOLKIT_DEFAULT)
		words_addf(words, "-Wl,--defsym=__cudasim_toolkit_version=%u",
			   planner->here->toolkit->version);
	if (planner->here->gpu)
		words_add(words, "-Wl,--pop-state");
	words_addf(words, "-Wl,-rpath,%s", places->library);
	/* For programs that open libcuda.so.1 by its name, too. */
	words_addf(words, "-Wl,-rpath,%s", places->names);
}

static void link_objects(struct planner *planner, const char *output, const char *device_objects)
{
	const struct command *command = planner->command;
	struct job *job = planner_add_job(planner, "link", 0);
	struct words *words = &job->words;
	front_add_linker(words, command, planner->here);
	if (command->shared)
		words_add(words, "-shared");
	if (command->relocatable_link)
		words_add(words, "-r");
	else
		words_add(words, "-Wl,--start-group");
	front_add_openmp(words, command, planner->here);
	if (device_objects)
		words_addf(words, "$(cat %s)", device_objects);
	words_append(words, &planner->objects);
	for (size_t i = 0; i < command->linker_options.n; i++)
		words_add_all(words, "-Xlinker", command->linker_options.at[i], NULL);
	for (size_t i = 0; i < command->libraries.n; i++) {
		const char *name = command->libraries.at[i];
		switch (library_kind(name)) {
		case LIBRARY_OTHER:
			words_addf(words, "-l%s", name);
			break;
		case LIBRARY_OURS:
			break;
		case LIBRARY_BESIDE:
			link_beside(planner, words, library_beside(name));
			break;
		case LIBRARY_MISSING:
			words_add(&planner->plan->missing, name);
			break;
		}
	}
	for (size_t i = 0; i < command->library_paths.n; i++)
		words_addf(words, "-L%s", command->library_paths.at[i]);
	if (!command->relocatable_link) {
		link_runtime(planner, words);
		words_add_all(words, "-lrt", "-lpthread", "-ldl", "-Wl,--end-group", NULL);
	}
	words_add_all(words, "-o", output, NULL);
	job->output = text_copy(output);
	job->links = true;
	words_add(&planner->plan->outputs, output);
}

static void pack_library(struct planner *planner, const char *output)
{
	const struct command *command = planner->command;
	/* ar adds to an archive that is there; nvcc makes a new one. */
	struct job *job = planner_add_job(planner, "archive", 0);
	words_add_all(&job->words, "rm", "-f", output, NULL);
	job = planner_add_job(planner, "archive", 0);
	words_add_all(&job->words, command->archiver ? command->archiver : "ar", "qcs", NULL);
	words_append(&job->words, &command->archive_options);
	words_add(&job->words, output);
	words_append(&job->words, &planner->objects);
	words_add(&planner->plan->outputs, output);
}

void link_plan(struct planner *planner)
{
	const struct command *command = planner->command;
	const char *device_objects = NULL;
	const char *output = command->output;
	char *folder_output = NULL;
	static const char *const names[] = {
		[PHASE_LINK] = "a.out",
		[PHASE_RUN] = "a.out",
		[PHASE_LIBRARY] = "a.a",
		[PHASE_DEVICE_LINK] = "a_dlink.o",
	};
	if (!output) {
		const char *name = names[command->phase];
		folder_output = command->output_directory
					? text_format("%s/%s", command->output_directory, name)
					: text_copy(name);
		output = folder_output;
	}
	if (command->phase == PHASE_LIBRARY) {
		pack_library(planner, output);
	} else if (command->phase == PHASE_DEVICE_LINK) {
		device_link(planner, output, &device_objects);
		words_add(&planner->plan->outputs, output);
	} else {
		if (!command->no_device_link && !command->relocatable_link)
			device_link(planner, NULL, &device_objects);
		link_objects(planner, output, device_objects);
		if (command->phase == PHASE_RUN)
			planner->plan->run = strchr(output, '/') ? text_copy(output)
								 : text_format("./%s", output);
	}
	free(folder_output);
}
