/* SPDX-License-Identifier: Apache-2.0 */
/* planner.c - what the jobs of all kinds of plans have in common: names of files, dependency
 * files, units for the cache. */
#include "planner.h"

#include <stdlib.h>
#include <string.h>

#include "must.h"

struct job *planner_add_job(struct planner *planner, const char *phase, unsigned source)
{
	struct plan *plan = planner->plan;
	struct job *jobs = must(realloc(plan->jobs, (plan->n_jobs + 1) * sizeof *jobs));
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

char *planner_unique_stem(struct planner *planner, const char *path)
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

/* ---- precompiled headers ---------------------------------------------------- */

/* A folder for headers that the current folder decides about. */
static bool is_relative_folder(const struct words *words, size_t i)
{
	static const char *const options[] = {"-I", "-isystem", "-iquote", "-idirafter"};
	for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
		if (!text_starts(words->at[i], options[k]))
			continue;
		const char *value = words->at[i] + strlen(options[k]);
		if (!*value)
			value = i + 1 < words->n ? words->at[i + 1] : "";
		return *value != '/';
	}
	return false;
}

void planner_add_prelude(struct planner *planner, struct job *job, const char *side)
{
	struct words *words = &job->prelude_words;
	size_t i = 0;
	job->prelude = text_format("%s/%s.pch", planner->here->temporary, side);
	words_add_all(words, planner->here->places->self, "cc-prelude", "-o", job->prelude, "--",
		      NULL);
	while (strcmp(job->words.at[i], "--"))
		i++;
	job->prelude_anywhere = true;
	for (i++; i < job->words.n; i++) {
		/* The program's own come behind. */
		if (!strcmp(job->words.at[i], "-include") &&
		    strcmp(job->words.at[i + 1], "cudasim_nvcc.h")) {
			i++;
			continue;
		}
		/* NVRTC's folder of one program: nothing else will be compiled with it. */
		if (text_starts(job->words.at[i], "-I") &&
		    strstr(job->words.at[i], "/cudasim-nvrtc-")) {
			words_fini(words);
			free(job->prelude);
			job->prelude = NULL;
			return;
		}
		job->prelude_anywhere &= !is_relative_folder(&job->words, i);
		words_add(words, job->words.at[i]);
	}
}

/* ---- units ----------------------------------------------------------------- */

struct unit *planner_add_unit(struct planner *planner, size_t first, const char *path,
			      const char *object)
{
	struct plan *plan = planner->plan;
	struct unit *units = must(realloc(plan->units, (plan->n_units + 1) * sizeof *units));
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
