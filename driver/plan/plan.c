/* SPDX-License-Identifier: Apache-2.0 */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#include "library.h"
#include "front.h"
#include "planner.h"

struct job *planner_add_job(struct planner *planner, const char *phase, unsigned source)
{
	struct plan *plan = planner->plan;
	struct job *jobs = realloc(plan->jobs, (plan->n_jobs + 1) * sizeof *jobs);
	if (!jobs)
		abort();
	plan->jobs = jobs;
	jobs[plan->n_jobs] = (struct job){.phase = phase, .source = source};
	return &jobs[plan->n_jobs++];
}

/* The part of a path between its last '/' and its last '.'. */
static char *stem_of(const char *path)
{
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	const char *dot = strrchr(name, '.');
	return text_copy_n(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));
}

/* A stem for an input's temporary files that no other input has. */
static char *unique_stem(struct planner *planner, const char *path)
{
	char *stem = stem_of(path);
	char *unique = text_copy(stem);
	for (unsigned n = 2; words_have(&planner->names, unique); n++) {
		free(unique);
		unique = text_format("%s-%u", stem, n);
	}
	words_add(&planner->names, unique);
	free(stem);
	return unique;
}

const char *planner_temporary(struct planner *planner, const char *stem, const char *ending)
{
	struct words *list = &planner->plan->temporaries;
	words_addf(list, "%s/%s%s", planner->here->temporary, stem, ending);
	return list->at[list->n - 1];
}

char *planner_default_output(const struct planner *planner, const char *path, const char *ending)
{
	char *stem = stem_of(path);
	const char *folder = planner->command->output_directory;
	char *output = folder ? text_format("%s/%s%s", folder, stem, ending)
			      : text_format("%s%s", stem, ending);
	free(stem);
	return output;
}

static char *absolute(const struct planner *planner, const char *path)
{
	return *path == '/' ? text_copy(path) : text_format("%s/%s", planner->here->folder, path);
}

/* ---- dependencies ---------------------------------------------------------- */

/* The file that -MD and -MMD ask for; NULL without them. */
static char *depend_path(const struct planner *planner, const char *path)
{
	const struct command *command = planner->command;
	if (!command->depend)
		return NULL;
	char *file = command->depend_file ? text_copy(command->depend_file) : NULL;
	if (!file && command->output) {
		char *stem = stem_of(command->output);
		const char *slash = strrchr(command->output, '/');
		file = text_format("%.*s%s.d", slash ? (int)(slash - command->output + 1) : 0,
				   command->output, stem);
		free(stem);
	}
	return file ? file : planner_default_output(planner, path, ".d");
}

void planner_add_depend(struct planner *planner, struct words *words, const char *path,
			const char *object)
{
	const struct command *command = planner->command;
	char *file = depend_path(planner, path);
	if (!file)
		return;
	words_add_all(words, command->depend == DEPEND_ALL ? "-MD" : "-MMD", "-MF", file, "-MT",
		      command->depend_target ? command->depend_target : object, NULL);
	if (command->depend_phony)
		words_add(words, "-MP");
	free(file);
}

/* ---- one input ------------------------------------------------------------- */

struct job *planner_add_device_pass(struct planner *planner, const char *path, const char *bitcode,
				    const char *overlay, const char *cuid, unsigned source)
{
	struct job *job = planner_add_job(planner, "device pass", source);
	words_add_all(&job->words, planner->here->places->self, "cc-device-pass", "--overlay",
		      overlay, "--folder", planner->here->temporary, "--", NULL);
	front_add_device(&job->words, planner->command, planner->here,
			 planner->here->architecture->name);
	if (command_is_relocatable(planner->command))
		words_addf(&job->words, "-cuid=%s", cuid);
	if (planner->command->syntax_only)
		words_add_all(&job->words, "-fsyntax-only", path, NULL);
	else
		words_add_all(&job->words, "-emit-llvm", "-c", "-o", bitcode, path, NULL);
	job->output = text_copy(bitcode);
	job->headers = text_format("%s.headers", bitcode);
	return job;
}

static void add_host_pass(struct planner *planner, const char *path, const char *blob,
			  const char *overlay, const char *object, const char *depend_object,
			  const char *cuid, unsigned source)
{
	struct job *job = planner_add_job(planner, "host pass", source);
	words_add_all(&job->words, planner->here->places->self, "cc-host-pass", "--overlay",
		      overlay, "--folder", planner->here->temporary, "--", NULL);
	front_add_host(&job->words, planner->command, planner->here);
	words_add_all(&job->words, "-ivfsoverlay", overlay, NULL);
	if (command_is_relocatable(planner->command)) {
		/* Without a device side in the same run clang's driver drops it. */
		words_add(&job->words, "-Xclang");
		words_addf(&job->words, "-cuid=%s", cuid);
	}
	words_add_all(&job->words, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", blob, NULL);
	planner_add_depend(planner, &job->words, path, depend_object);
	words_add_all(&job->words, "-c", "-o", object, path, NULL);
	job->output = text_copy(object);
	job->headers = text_format("%s.headers", object);
}

struct unit *planner_add_unit(struct planner *planner, size_t first, const char *path,
			      const char *object)
{
	struct plan *plan = planner->plan;
	struct unit *units = realloc(plan->units, (plan->n_units + 1) * sizeof *units);
	if (!units)
		abort();
	plan->units = units;
	units[plan->n_units++] = (struct unit){
		.first = first,
		.n = plan->n_jobs - first,
		.source = text_copy(path),
		.object = text_copy(object),
		.depend = depend_path(planner, path),
	};
	return &units[plan->n_units - 1];
}

char *planner_cuid(const char *source, const char *object)
{
	unsigned long long hash = 0xcbf29ce484222325u;
	for (const char *text = source; text; text = text == source ? object : NULL)
		for (const char *c = text; *c; c++)
			hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	return text_format("%016llx", hash);
}

void planner_add_module_id(struct planner *planner, const char *path, const char *identity,
			   const char *bitcode, const char *blob, const char *id)
{
	struct job *job = planner_add_job(planner, "module id", 0);
	char *source = absolute(planner, path), *target = absolute(planner, identity);
	words_add_all(&job->words, planner->here->places->self, "cc-module-id", "--blob", blob,
		      "--id", id, bitcode, source, target, NULL);
	free(source);
	free(target);
}

/* stem names the temporary files. identity: what the product is for, by which
 * equal sources in one program, and in several runs, are told apart. */
static void compile_cuda(struct planner *planner, const char *path, const char *object,
			 const char *stem, const char *identity, unsigned source)
{
	const char *bitcode = planner_temporary(planner, stem, ".bc");
	const char *blob = planner_temporary(planner, stem, ".blob");
	const char *id = planner_temporary(planner, stem, ".id");
	const char *overlay = planner_temporary(planner, stem, ".overlay");
	const char *host = planner_temporary(planner, stem, ".host.o");
	char *cuid = planner_cuid(path, identity);
	size_t first = planner->plan->n_jobs;

	planner_add_device_pass(planner, path, bitcode, overlay, cuid, source);
	if (planner->command->syntax_only) {
		struct job *job = planner_add_job(planner, "host pass", source);
		words_add_all(&job->words, planner->here->places->self, "cc-host-pass", "--overlay",
			      overlay, "--folder", planner->here->temporary, "--", NULL);
		front_add_host(&job->words, planner->command, planner->here);
		words_add_all(&job->words, "-ivfsoverlay", overlay, "-fsyntax-only", path, NULL);
	} else {
		const struct gpu *gpu = planner->here->gpu;
		struct gpu_unit unit = {stem, path, cuid, bitcode, source};
		planner_add_module_id(planner, path, identity, bitcode, blob, id);
		if (gpu && command_is_relocatable(planner->command))
			gpu_plan_passes(planner, &unit);
		add_host_pass(planner, path, blob, overlay, host, object, cuid, source);
		if (command_is_relocatable(planner->command)) {
			struct job *job = planner_add_job(planner, "packing", 0);
			words_add_all(&job->words, planner->here->places->self, "cc-pack", "--id",
				      id, NULL);
			for (size_t i = 0; gpu && i < gpu->n_fronts; i++) {
				char *of = gpu_unit_bitcode(planner, &unit, i);
				words_add(&job->words, "--gpu");
				words_addf(&job->words, "%s=%s", gpu->fronts[i].name, of);
				free(of);
			}
			words_add_all(&job->words, "-o", object, host, bitcode, NULL);
			job->output = text_copy(object);
		} else {
			const char *device = planner_temporary(planner, stem, ".dev.o");
			planner->plan->jobs[planner->plan->n_jobs - 1].beside_next = true;
			if (gpu)
				gpu_plan_code(planner, &unit);
			struct job *job = planner_add_job(planner, "device compiler", 0);
			words_addf(&job->words, "%s", planner->here->places->devcc);
			words_addf(&job->words, "--id=$(cat %s)", id);
			words_addf(&job->words, "--source=%s", path);
			front_add_devcc(&job->words, planner->command, planner->here,
					planner->here->architecture->number);
			words_add_all(&job->words, "-o", device, bitcode, NULL);
			job->output = text_copy(device);
			if (gpu) {
				const char *whole = planner_temporary(planner, stem, ".gpu.blob");
				gpu_plan_blob(planner, stem, id, whole);
				gpu_plan_embed(planner, whole, host);
			}
			job = planner_add_job(planner, "joining", 0);
			words_add_all(&job->words, "ld", "-r", "-o", object, host, device, NULL);
			job->output = text_copy(object);
		}
		planner_add_unit(planner, first, path, object);
	}
	free(cuid);
}

static void compile_host(struct planner *planner, const struct input *input, const char *object,
			 unsigned source)
{
	struct job *job = planner_add_job(planner, "host compiler", source);
	front_add_host_compiler(&job->words, planner->command, planner->here, input->kind);
	planner_add_depend(planner, &job->words, input->path, object);
	words_add_all(&job->words, "-c", "-o", object, input->path, NULL);
	job->output = text_copy(object);
}

static void compile(struct planner *planner, const struct input *input, const char *object,
		    const char *stem, const char *identity, unsigned source)
{
	if (input->kind == INPUT_CUDA)
		compile_cuda(planner, input->path, object, stem, identity, source);
	else
		compile_host(planner, input, object, source);
}

/* Behind the text that -E shows, a line with the hash of the text that it does not:
 * the host's side. By that line caches that go by preprocessed text, as ccache does,
 * tell sources apart that differ for the host alone. */
static void sign_preprocessed(struct planner *planner, const char *path, const char *output,
			      unsigned source)
{
	char *stem = unique_stem(planner, path);
	const char *text = planner_temporary(planner, stem, ".host.ii");
	struct job *job = planner_add_job(planner, "preprocessing", source);
	front_add_host(&job->words, planner->command, planner->here);
	words_add_all(&job->words, "-E", "-o", text, path, NULL);
	job = planner_add_job(planner, "preprocessing", 0);
	words_add_all(&job->words, planner->here->places->self, "cc-sign", text, output, NULL);
	free(stem);
}

/* -E, -M, -MM: the front end alone. As with nvcc, what is shown of a .cu file
 * is its device side. */
static void preprocess(struct planner *planner, const struct input *input, unsigned source)
{
	const struct command *command = planner->command;
	struct job *job = planner_add_job(planner, "preprocessing", source);
	struct words *words = &job->words;
	if (input->kind == INPUT_CUDA)
		front_add_device(words, command, planner->here, planner->here->architecture->name);
	else
		front_add_host_compiler(words, command, planner->here, input->kind);
	const char *output = command->output;
	if (command->phase == PHASE_PREPROCESS) {
		words_add(words, "-E");
	} else {
		char *object = planner_default_output(planner, input->path, ".o");
		words_add_all(words, command->phase == PHASE_DEPEND ? "-M" : "-MM", "-MT",
			      command->depend_target ? command->depend_target : object, NULL);
		if (command->depend_phony)
			words_add(words, "-MP");
		if (command->depend_file)
			output = command->depend_file;
		free(object);
	}
	if (output)
		words_add_all(words, "-o", output, NULL);
	words_add(words, input->path);
	job->output = output ? text_copy(output) : NULL;
	if (command->phase == PHASE_PREPROCESS && input->kind == INPUT_CUDA)
		sign_preprocessed(planner, input->path, output, source);
}

/* ---- the link -------------------------------------------------------------- */

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

static void link_objects(struct planner *planner, const char *output, const char *device_objects)
{
	const struct command *command = planner->command;
	const char *library = planner->here->places->library;
	struct job *job = planner_add_job(planner, "link", 0);
	struct words *words = &job->words;
	front_add_linker(words, command);
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
		case LIBRARY_CUBLAS:
			words_addf(words, "-L%s", planner->here->places->cublas);
			words_add(words, "-lcudasim-cublas");
			words_addf(words, "-Wl,-rpath,%s", planner->here->places->cublas);
			break;
		case LIBRARY_MISSING:
			words_add(&planner->plan->missing, name);
			break;
		}
	}
	for (size_t i = 0; i < command->library_paths.n; i++)
		words_addf(words, "-L%s", command->library_paths.at[i]);
	if (!command->relocatable_link) {
		/* CMake links by itself with -lcudart and the folders of this line; the
		 * system may have a libcudart, too. */
		if (planner->here->tree_libraries)
			words_addf(words, "-L%s", planner->here->tree_libraries);
		words_addf(words, "-L%s", library);
		words_add(words, "-lcudasim");
		words_addf(words, "-Wl,-rpath,%s", library);
		/* For programs that open libcuda.so.1 by its name. */
		words_addf(words, "-Wl,-rpath,%s/cudasim/names", library);
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

/* ---- the whole ------------------------------------------------------------- */

static void finish(struct planner *planner)
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

static struct cudasim_error *check(const struct command *command, const struct surroundings *here)
{
	bool openmp = words_have(&command->host_options, "-fopenmp");
	if (openmp && !here->openmp_library)
		return cudasim_error_new(CUDASIM_E_NOTFOUND,
					 "-fopenmp needs LLVM's OpenMP library (Debian's package "
					 "libomp-19-dev), which is not installed");
	return NULL;
}

/* nvcc leaves files without device code out, too. */
static void plan_image(struct planner *planner, const struct input *input, unsigned source)
{
	static const char *const endings[] = {
		[PHASE_PTX] = ".ptx",
		[PHASE_CUBIN] = ".cubin",
		[PHASE_FATBIN] = ".fatbin",
	};
	const struct command *command = planner->command;
	if (input->kind != INPUT_CUDA && input->kind != INPUT_PTX)
		return;
	char *stem = unique_stem(planner, input->path);
	char *output = command->output ? text_copy(command->output)
				       : planner_default_output(planner, input->path,
								endings[command->phase]);
	if (input->kind == INPUT_PTX) {
		struct words paths = {0};
		words_add(&paths, input->path);
		image_plan_ptx(planner, &paths, output, stem);
		words_fini(&paths);
	} else {
		image_plan(planner, input->path, output, stem, source);
	}
	words_add(&planner->plan->outputs, output);
	free(output);
	free(stem);
}

/* -dlink beside -cubin or -fatbin: all inputs make one image. */
static void plan_linked_image(struct planner *planner)
{
	const struct command *command = planner->command;
	char *stem = text_copy("device-link");
	char *output = command->output
			       ? text_copy(command->output)
			       : planner_default_output(planner, "a_dlink",
							command->phase == PHASE_CUBIN ? ".cubin"
										      : ".fatbin");
	image_plan_ptx(planner, &command->input_paths, output, stem);
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
	for (size_t i = 0; i < command->input_paths.n; i++) {
		const struct input *input = &command->inputs[i];
		unsigned source = (unsigned)i + 1;
		if (command->image_link)
			break;
		if (input->kind > INPUT_CXX && input->kind != INPUT_PTX) {
			if (links)
				words_add(&planner.objects, input->path);
			continue;
		}
		if (looks) {
			preprocess(&planner, input, source);
		} else if (command_makes_image(command)) {
			plan_image(&planner, input, source);
		} else if (links) {
			char *stem = unique_stem(&planner, input->path);
			const char *object = planner_temporary(&planner, stem, ".o");
			compile(&planner, input, object, stem,
				command->output ? command->output : "a.out", source);
			words_add(&planner.objects, object);
			free(stem);
		} else {
			char *stem = unique_stem(&planner, input->path);
			char *object = command->output ? text_copy(command->output)
						       : planner_default_output(&planner,
										input->path, ".o");
			compile(&planner, input, object, stem, object, source);
			words_add(&ret->outputs, object);
			free(object);
			free(stem);
		}
	}
	if (links && !command->syntax_only)
		finish(&planner);
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
