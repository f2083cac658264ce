/* SPDX-License-Identifier: Apache-2.0 */
/* test_plain.c - executables that call cmocka_run_group_tests() themselves.
 *
 * They cannot be asked for their tests, and do not say when one begins. cmocka's TAP has a
 * plan for each group, "1..4", and a verdict for each test, "ok 1 - name"; what is printed
 * before a verdict is that test's, and "# " lines behind a failed one say why. Both outputs
 * come through one terminal, so that their order is the program's. Tests cannot be chosen,
 * and where the process ends early those that are left did not run. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

/* "1..4" and nothing else. */
static bool is_plan(const char *line, size_t *n)
{
	int end = 0;
	return sscanf(line, "1..%zu%n", n, &end) == 1 && end && !line[end];
}

struct verdict {
	enum test_outcome outcome;
	size_t number;
	char *name, *why; /* of what comes behind the name; may be NULL */
};

/* "ok 1 - name", "not ok 2 - name", "not ok 3 # SKIP name"; "not ok 4 - name Could not run
 * test: why". */
static bool read_verdict(const char *line, struct verdict *ret)
{
	bool failed = text_starts(line, "not ok ");
	const char *at = line + (failed ? 4 : 0), *could;
	int n = 0;
	if (!text_starts(at, "ok "))
		return false;
	*ret = (struct verdict){.outcome = failed ? TEST_FAILED : TEST_PASSED};
	if (sscanf(at, "ok %zu - %n", &ret->number, &n) == 1 && n) {
		could = strstr(at + n, " Could not run test: ");
		ret->why = could ? text_copy(could + 1) : NULL;
		ret->name = could ? text_copy_n(at + n, (size_t)(could - at - n))
				  : text_copy(at + n);
		return true;
	}
	if (sscanf(at, "ok %zu # SKIP %n", &ret->number, &n) == 1 && n) {
		ret->outcome = TEST_SKIPPED;
		ret->name = text_copy(at + n);
		return true;
	}
	return false;
}

/* The verdict with that number in a line, which may begin with what a test has printed without
 * ending its line. Returns where it begins, or NULL. */
static const char *find_verdict(const char *line, size_t number, struct verdict *ret)
{
	const char *found = NULL;
	for (const char *at = line; *at; at++) {
		struct verdict v;
		if (!read_verdict(at, &v))
			continue;
		if (v.number == number) {
			free(ret->name);
			free(ret->why);
			*ret = v;
			found = at;
		} else {
			free(v.name);
			free(v.why);
		}
		at += text_starts(at, "not ") ? 4 : 0;
	}
	return found;
}

/* A line of the checkers' report that is part of a finding. */
static bool is_finding(const char *line)
{
	static const char prefix[] = "=========";
	if (!text_starts(line, prefix))
		return false;
	line += sizeof prefix - 1;
	return *line && !strstr(line, "SUMMARY") && !strstr(line, "CUDASIM CHECK");
}

static void decide(struct test_reader *r, struct verdict *v, double at,
		   struct test_results *results)
{
	if (r->found && v->outcome == TEST_PASSED)
		v->outcome = TEST_FAILED;
	if (v->outcome == TEST_PASSED) {
		free(r->message);
		r->message = NULL;
	}
	if (v->why)
		test_append(&r->message, v->why);
	free(r->running);
	r->running = v->name;
	r->index = results->n;
	r->took = at - r->began;
	test_verdict(r, v->outcome, results);
	r->number = v->number;
	r->began = at;
	r->found = false;
	free(v->why);
}

void test_plain_line(struct test_reader *r, const char *line, double at,
		     struct test_results *results)
{
	struct verdict v = {0};
	const char *at_verdict;
	size_t n;
	if (r->number == r->planned && is_plan(line, &n)) {
		r->planned = n;
		r->number = r->last = 0;
	} else if (text_starts(line, "# not ok - ") || text_starts(line, "# ok - ")) {
		r->last = 0; /* the group's own verdict */
	} else if (r->number < r->planned && (at_verdict = find_verdict(line, r->number + 1, &v))) {
		if (at_verdict > line) {
			char *before = text_copy_n(line, (size_t)(at_verdict - line));
			test_append(&r->output, before);
			free(before);
		}
		decide(r, &v, at, results);
	} else if (results->n && r->number && find_verdict(line, r->number, &v) == line &&
		   v.outcome == TEST_FAILED) {
		/* The first of the two was the test's own output. */
		results->at[results->n - 1].outcome = TEST_FAILED;
		r->last = results->n;
	} else if (text_starts(line, "# ") && text_ends(line, ": error: Failure!") && r->last) {
		test_put_place(line + 2, &results->at[r->last - 1].message);
	} else if (text_starts(line, "# ") && r->last) {
		test_append(&results->at[r->last - 1].message, line + 2);
	} else if (is_finding(line)) {
		r->found = true;
		test_append(&r->message, line);
	} else if (!text_starts(line, "=========") && strcmp(line, "TAP version 13")) {
		test_append(&r->output, line);
	}
}

/* Add a failure that no verdict tells. */
static void add(struct test_reader *r, char *name, const char *why, struct test_results *results)
{
	struct test_result *result = test_results_add(results);
	result->index = results->n - 1;
	result->name = name;
	result->outcome = TEST_FAILED;
	result->message = r->message;
	result->output = r->output;
	r->message = r->output = NULL;
	if (why)
		test_append(&result->message, why);
}

void test_plain_end(struct test_reader *r, const char *why, bool failed,
		    struct test_results *results)
{
	if (!r->planned) {
		add(r, text_copy("(no test ran)"),
		    why ? why : "the process ended without a line of TAP", results);
	} else if (r->number < r->planned) {
		add(r, text_format("(test %zu of %zu)", r->number + 1, r->planned),
		    why ? why : "the process ended within this test", results);
		if (r->number + 1 < r->planned)
			test_append(
				&results->at[results->n - 1].message,
				"The tests after it did not run: only those of cudasim_run_tests() can "
				"continue in another process.");
	} else if (why && (!failed || r->found)) {
		add(r, text_copy("(after the last test)"), why, results);
	} else if (r->found) {
		add(r, text_copy("(after the last test)"), NULL, results);
	}
}
