/* SPDX-License-Identifier: Apache-2.0 */
/* test_read.c - what a test executable prints, as results.
 *
 * It prints TAP as cmocka writes it, and around each test lines of cudasim/test/run.h,
 * which say by index which test begins and ends. Whatever else comes, TAP or not, is the
 * running test's own output: a verdict counts behind the test's end, or where it names
 * the test. */
#include <stdlib.h>
#include <string.h>

#include "test.h"
#include "vector.h"

enum { MOST_TEXT = 1 << 14 }; /* bytes kept of a test's messages, and of its output */

struct test_result *test_results_add(struct test_results *results)
{
	struct test_result *ret = vector_add(results);
	*ret = (struct test_result){0};
	return ret;
}

void test_append(char **text, const char *line)
{
	size_t n = *text ? strlen(*text) : 0;
	if (n > MOST_TEXT)
		return;
	char *more = *text ? text_format("%s\n%s", *text, line) : text_copy(line);
	if (strlen(more) > MOST_TEXT) {
		char *cut = text_format("%.*s\n(there is more)", MOST_TEXT, more);
		free(more);
		more = cut;
	}
	free(*text);
	*text = more;
}

static void begin(struct test_reader *r, size_t index, double at, long err_from, const char *name)
{
	free(r->running);
	free(r->message);
	free(r->output);
	*r = (struct test_reader){.running = text_copy(name),
				  .index = index,
				  .began = at,
				  .err_from = err_from,
				  .err_to = err_from};
}

/* cmocka's "t.cu:32: error: Failure!" comes last: put the place first. Line 0 is no place. */
void test_put_place(const char *line, char **message)
{
	size_t n = strlen(line) - strlen(": error: Failure!");
	if (n >= 2 && !strncmp(line + n - 2, ":0", 2))
		return;
	char *more = text_format("%.*s: %s", (int)n, line, *message ? *message : "failed");
	free(*message);
	*message = more;
}

void test_verdict(struct test_reader *r, enum test_outcome outcome, struct test_results *results)
{
	struct test_result *result = test_results_add(results);
	result->index = r->index;
	result->name = r->running;
	result->outcome = outcome;
	result->seconds = r->took;
	result->err_from = r->err_from;
	result->err_to = r->err_to;
	result->message = r->message;
	result->output = r->output;
	r->message = r->output = r->running = NULL;
	r->last = outcome == TEST_FAILED ? results->n : 0;
}

/* "ok 3 - name", "not ok 3 - name", "ok 3 # SKIP name", "not ok 3 # SKIP name": cmocka has
 * said all of these. */
static bool is_verdict(const struct test_reader *r, const char *line, enum test_outcome *ret)
{
	bool failed = text_starts(line, "not ok "), skipped = strstr(line, " # SKIP");
	int n = 0;
	if (!r->running || (!failed && !text_starts(line, "ok ")))
		return false;
	*ret = skipped ? TEST_SKIPPED : failed ? TEST_FAILED : TEST_PASSED;
	if (r->ended)
		return true;
	sscanf(line + (failed ? 4 : 0), skipped ? "ok %*u # SKIP %n" : "ok %*u - %n", &n);
	return n && text_starts(line + (failed ? 4 : 0) + n, r->running);
}

void test_read_line(struct test_reader *r, const char *line, struct test_results *results)
{
	double at;
	size_t index;
	long err_from;
	int n = 0;
	enum test_outcome outcome;
	if (sscanf(line, "# cudasim: begin %zu %lf %ld %n", &index, &at, &err_from, &n) == 3 && n) {
		begin(r, index, at, err_from, line + n);
	} else if (sscanf(line, "# cudasim: end %zu %lf %ld %n", &index, &at, &err_from, &n) == 3 &&
		   n) {
		r->took = r->running && index == r->index ? at - r->began : 0;
		r->ended = r->running && index == r->index;
		r->err_to = err_from;
	} else if (text_starts(line, "# not ok - ") || text_starts(line, "# ok - ")) {
		r->last = 0; /* the group's own verdict */
	} else if (is_verdict(r, line, &outcome)) {
		test_verdict(r, outcome, results);
	} else if (text_starts(line, "# ") && text_ends(line, ": error: Failure!") && r->last) {
		test_put_place(line + 2, &results->at[r->last - 1].message);
	} else if (text_starts(line, "# ") && (r->running || r->last)) {
		test_append(r->running ? &r->message : &results->at[r->last - 1].message, line + 2);
	} else if (r->running) {
		test_append(&r->output, line);
	}
}

bool test_read_name(const char *line, size_t *index, const char **name)
{
	int n = 0;
	if (sscanf(line, "# cudasim: test %zu %n", index, &n) != 1 || !n)
		return false;
	*name = line + n;
	return true;
}
