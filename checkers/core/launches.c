/* SPDX-License-Identifier: Apache-2.0 */
#include "launches.h"

#include <pthread.h>
#include <regex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_options.h"
#include "checker.h"
#include "must.h"

static const struct check_options *options;
struct checker_options checker_options;

void launches_start(const struct check_options *chosen)
{
	options = chosen;
}

/* ---- which are checked ----------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The answers that were given, by launch id: 2 bits each would do; launches are few enough
 * for a byte. */
static struct {
	uint8_t *answer; /* 0 not asked, 1 no, 2 yes */
	size_t n;
	uint64_t n_matching;
} asked;

static bool filter_fits(const struct check_filter *f, const char *name)
{
	regex_t regex;
	switch (f->kind) {
	case CHECK_FILTER_NAME:
		return !strcmp(name, f->value);
	case CHECK_FILTER_SUBSTRING:
		return strstr(name, f->value) != NULL;
	case CHECK_FILTER_REGEX:
		break;
	}
	if (regcomp(&regex, f->value, REG_EXTENDED | REG_NOSUB))
		return false; /* was tried when the options were read */
	bool fits = regexec(&regex, name, 0, NULL, 0) == 0;
	regfree(&regex);
	return fits;
}

static bool kernel_fits(const char *name)
{
	bool any = false, fits = false;
	for (const struct check_filter *f = options->filters; f; f = f->next) {
		if (f->exclude && filter_fits(f, name))
			return false;
		if (!f->exclude) {
			any = true;
			fits = fits || filter_fits(f, name);
		}
	}
	return fits || !any;
}

static bool decide(const struct cudasim_launch *launch)
{
	if (!launch->kernel || !kernel_fits(launch->kernel->name))
		return false;
	uint64_t n = asked.n_matching++;
	return n >= options->launch_skip &&
	       (!options->launch_count || n - options->launch_skip < options->launch_count);
}

bool checker_launch(const struct cudasim_launch *launch)
{
	bool all = !options->filters && !options->launch_skip && !options->launch_count;
	if (all || !launch->id)
		return all;
	pthread_mutex_lock(&lock);
	if (launch->id >= asked.n) {
		size_t n = 2 * launch->id + 1024;
		asked.answer = must(realloc(asked.answer, n));
		memset(asked.answer + asked.n, 0, n - asked.n);
		asked.n = n;
	}
	uint8_t *answer = &asked.answer[launch->id];
	if (!*answer)
		*answer = decide(launch) ? 2 : 1;
	bool yes = *answer == 2;
	pthread_mutex_unlock(&lock);
	return yes;
}

/* ---- which are under way --------------------------------------------------- */

/* One that dies before it begins is never seen to end, and counts for good. */
static _Atomic uint64_t n_open;

void launches_submitted(void)
{
	atomic_fetch_add(&n_open, 1);
}

void launches_ended(void)
{
	atomic_fetch_sub(&n_open, 1);
}

bool checker_idle(void)
{
	return !atomic_load(&n_open);
}
