/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include <stdlib.h>

#include "planner.h"

static struct cudasim_error *check(const struct command *command, const struct surroundings *here)
{
	bool openmp = words_have(&command->host_options, "-fopenmp");
	if (openmp && !here->openmp_library)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "-fopenmp needs LLVM's OpenMP library (Debian's package "
					 "libomp-" CUDASIM_LLVM "-dev), which is not installed");
	return NULL;
}

static const char *const endings[] = {
	[PHASE_PTX] = ".ptx",
	[PHASE_CUBIN] = ".cubin",
	[PHASE_FATBIN] = ".fatbin",
	[PHASE_LTOIR] = ".ltoir",
};

/* nvcc leaves files without device code out, too. */
static void plan_image(struct planner *planner, const struct input *input, unsigned source)
{
	const struct command *command = planner->command;
	if (input->kind != INPUT_CUDA && input->kind != INPUT_PTX)
		return;
	char *stem = planner_unique_stem(planner, input->path);
	char *output = command->output ? text_copy(command->output)
				       : planner_default_output(planner, input->path,
								endings[command->phase]);
	if (input->kind == INPUT_PTX) {
		struct words paths = {0};
		words_add(&paths, input->path);
		image_plan_ptx(planner, &paths, output, stem);
		words_fini(&paths);
	} else if (command->phase == PHASE_LTOIR) {
		image_plan_ltoir(planner, input->path, output, stem, source);
	} else {
		image_plan(planner, input->path, output, stem, source);
	}
	words_add(&planner->plan->outputs, output);
	free(output);
	free(stem);
}

static void plan_nvvm(struct planner *planner)
{
	const struct command *command = planner->command;
	const char *path = command->input_paths.at[0];
	char *stem = planner_unique_stem(planner, path);
	char *output = command->output
			       ? text_copy(command->output)
			       : planner_default_output(planner, path, endings[command->phase]);
	image_plan_nvvm(planner, output, stem);
	words_add(&planner->plan->outputs, output);
	free(output);
	free(stem);
}

/* -dlink beside -ptx, -cubin or -fatbin: all inputs make one image. */
static void plan_linked_image(struct planner *planner)
{
	const struct command *command = planner->command;
	char *stem = text_copy("device-link");
	char *output = command->output ? text_copy(command->output)
				       : planner_default_output(planner, "a_dlink",
								endings[command->phase]);
	struct words others = {0}, ptx = {0};
	for (size_t i = 0; i < command->input_paths.n; i++)
		words_add(command->inputs[i].kind == INPUT_PTX ? &ptx : &others,
			  command->inputs[i].path);
	if (others.n)
		image_plan_link(planner, &others, &ptx, output, stem);
	else
		image_plan_ptx(planner, &ptx, output, stem);
	words_fini(&others);
	words_fini(&ptx);
	words_add(&planner->plan->outputs, output);
	free(output);
	free(stem);
}

struct cudasim_error *plan_make(const struct command *command, const struct surroundings *here,
				struct plan *ret)
{
	*ret = (struct plan){0};
	struct cudasim_error *error = check(command, here);
	if (error)
		return error;
	struct planner planner = {.command = command, .here = here, .plan = ret};
	bool links = command->phase <= PHASE_LIBRARY || command->phase == PHASE_DEVICE_LINK;
	bool looks = command->phase >= PHASE_PREPROCESS;
	if (command->image_link)
		plan_linked_image(&planner);
	if (command_has_nvvm(command))
		plan_nvvm(&planner);
	for (size_t i = 0; i < command->input_paths.n; i++) {
		const struct input *input = &command->inputs[i];
		unsigned source = (unsigned)i + 1;
		if (command->image_link || input->kind == INPUT_NVVM)
			break;
		if (input->kind > INPUT_CXX && input->kind != INPUT_PTX) {
			if (links)
				words_add(&planner.objects, input->path);
			continue;
		}
		if (looks) {
			preprocess_plan(&planner, input, source);
		} else if (command_makes_image(command)) {
			plan_image(&planner, input, source);
		} else if (links) {
			char *stem = planner_unique_stem(&planner, input->path);
			const char *object = planner_temporary(&planner, stem, ".o");
			compile_plan(&planner, input, object, stem,
				     command->output ? command->output : "a.out", source);
			words_add(&planner.objects, object);
			free(stem);
		} else {
			char *stem = planner_unique_stem(&planner, input->path);
			char *object = command->output ? text_copy(command->output)
						       : planner_default_output(&planner,
										input->path, ".o");
			compile_plan(&planner, input, object, stem, object, source);
			words_add(&ret->outputs, object);
			free(object);
			free(stem);
		}
	}
	if (links && !command->syntax_only)
		link_plan(&planner);
	words_fini(&planner.objects);
	words_fini(&planner.names);
	return NULL;
}

void plan_fini(struct plan *plan)
{
	for (size_t i = 0; i < plan->n_jobs; i++) {
		words_fini(&plan->jobs[i].words);
		free(plan->jobs[i].output);
		free(plan->jobs[i].only_if);
		free(plan->jobs[i].headers);
		free(plan->jobs[i].prelude);
		words_fini(&plan->jobs[i].prelude_words);
	}
	for (size_t i = 0; i < plan->n_units; i++) {
		free(plan->units[i].source);
		free(plan->units[i].object);
		free(plan->units[i].depend);
	}
	free(plan->units);
	free(plan->jobs);
	words_fini(&plan->temporaries);
	words_fini(&plan->outputs);
	words_fini(&plan->missing);
	free(plan->run);
	*plan = (struct plan){0};
}
