/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "prelude_make.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "child.h"
#include "headers.h"

/* What it says is about headers that the user's own compilation will say again. */
static bool run(const struct job *job, bool shows)
{
	int status = -1;
	FILE *said = tmpfile();
	if (!said)
		return false;
	if (shows) {
		char *line = words_quote(&job->words);
		fprintf(stderr, "#$ %s\n", line);
		free(line);
	}
	headers_ask(job->headers);
	struct cudasim_error *error = child_run(&job->words, NULL, said, &status);
	headers_ask_no_more();
	fclose(said);
	bool done = !error && !status;
	cudasim_error_free(error);
	if (!done)
		unlink(job->output);
	return done;
}

static void make(const struct job *pass, const struct surroundings *here, struct cache *cache,
		 bool shows)
{
	char *list = text_format("%s.headers", pass->prelude), *said = NULL;
	char *source = text_format("%s/cudasim_nvcc.h", here->places->compat);
	struct job job = {.words = pass->prelude_words,
			  .phase = "precompiled header",
			  .output = pass->prelude,
			  .headers = list};
	struct plan plan = {.jobs = &job, .n_jobs = 1};
	struct unit unit = {.n = 1,
			    .source = source,
			    .object = pass->prelude,
			    .depend = list,
			    .anywhere = pass->prelude_anywhere};
	if (!cache_fetch(cache, &plan, &unit, &said) && cache_begin(cache, &plan, &unit) &&
	    run(&job, shows))
		cache_end(cache, &plan, &unit, "");
	char *entry = text_format("%s" CACHE_ENTRY_ENDING, pass->prelude);
	cache_entry_write(cache, entry);
	free(entry);
	free(said);
	free(list);
	free(source);
}

void prelude_make(const struct plan *plan, const struct unit *unit, const struct surroundings *here,
		  struct cache *cache, bool shows)
{
	for (size_t i = unit->first; i < unit->first + unit->n; i++) {
		const struct job *job = &plan->jobs[i];
		/* Another source of the command may have it made. */
		if (job->prelude && access(job->prelude, F_OK))
			make(job, here, cache, shows);
	}
}
