/* SPDX-License-Identifier: Apache-2.0 */
/* test_report.c - what came of the tests: for people, as TAP, and as JUnit XML. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

static void print_indented(FILE *out, const char *text, const char *indent)
{
	while (text && *text) {
		size_t n = strcspn(text, "\n");
		fprintf(out, "%s%.*s\n", indent, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static const char *color(const char *code)
{
	const char *no = getenv("NO_COLOR");
	return isatty(1) && !(no && *no) ? code : "";
}

/* ---- for people ----------------------------------------------------------------- */

static void print_failure(const struct test_result *r)
{
	printf("%sFAIL%s  %s: %s", color("\033[31m"), color("\033[0m"), r->executable, r->name);
	if (r->schedule)
		printf("  (CUDASIM_SCHEDULE=%s)", r->schedule);
	putchar('\n');
	print_indented(stdout, r->message, "      ");
	if (r->output) {
		puts("      printed:");
		print_indented(stdout, r->output, "      | ");
	}
	print_indented(stdout, r->err, "      stderr: ");
}

void test_print_summary(const struct test_results *results, const struct test_options *options,
			size_t n_executables, double seconds)
{
	size_t counts[3] = {0};
	for (size_t i = 0; i < results->n; i++) {
		const struct test_result *r = &results->at[i];
		counts[r->outcome]++;
		if (r->outcome == TEST_FAILED)
			print_failure(r);
		else if (options->verbose)
			printf("%s  %s: %s%s%s (%.3f s)\n",
			       r->outcome == TEST_PASSED ? "ok  " : "skip", r->executable, r->name,
			       r->schedule ? ", " : "", r->schedule ? r->schedule : "", r->seconds);
	}
	printf("%s%zu passed, %zu failed", color(counts[TEST_FAILED] ? "\033[31m" : "\033[32m"),
	       counts[TEST_PASSED], counts[TEST_FAILED]);
	if (counts[TEST_SKIPPED])
		printf(", %zu skipped", counts[TEST_SKIPPED]);
	if (options->command.n)
		printf("%s by pytest", color("\033[0m"));
	else
		printf("%s in %zu executable%s", color("\033[0m"), n_executables,
		       n_executables == 1 ? "" : "s");
	if (options->schedules > 1)
		printf(" and %d schedules", options->schedules);
	printf(" (%.2f s)\n", seconds);
}

/* ---- TAP ---------------------------------------------------------------------------- */

static void print_name(const struct test_result *r)
{
	/* '#' begins a directive. */
	for (const char *part = r->executable; *part; part++)
		putchar(*part == '#' ? '_' : *part);
	fputs(": ", stdout);
	for (const char *part = r->name; *part; part++)
		putchar(*part == '#' ? '_' : *part);
	if (r->schedule)
		printf(" (%s)", r->schedule);
}

void test_print_tap(const struct test_results *results)
{
	printf("TAP version 13\n1..%zu\n", results->n);
	for (size_t i = 0; i < results->n; i++) {
		const struct test_result *r = &results->at[i];
		printf("%s %zu - ", r->outcome == TEST_FAILED ? "not ok" : "ok", i + 1);
		print_name(r);
		puts(r->outcome == TEST_SKIPPED ? " # SKIP" : "");
		print_indented(stdout, r->message, "# ");
		print_indented(stdout, r->err, "# stderr: ");
	}
}

/* ---- JUnit ---------------------------------------------------------------------------- */

/* The length of the character of UTF-8 that text begins with, if XML can hold it; else 0. */
static int character(const unsigned char *text)
{
	static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
	int n = *text < 0x80   ? 1
		: *text < 0xc0 ? 0
		: *text < 0xe0 ? 2
		: *text < 0xf0 ? 3
		: *text < 0xf8 ? 4
			       : 0;
	unsigned c = n == 1 ? *text : *text & (0x7fu >> n);
	for (int i = 1; i < n; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (text[i] & 0x3f);
	}
	if (!n || c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000) || c == 0xfffe ||
	    c == 0xffff)
		return 0;
	return c < 0x20 ? 0 : n;
}

/* Text in XML 1.0; what it cannot hold becomes '?'. */
static void escape(FILE *out, const char *text)
{
	for (; text && *text; text++) {
		int n;
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\n':
			fputs("&#10;", out);
			break;
		case '\t':
			fputc('\t', out);
			break;
		default:
			n = character((const unsigned char *)text);
			fwrite(n ? text : "?", 1, n ? (size_t)n : 1, out);
			text += n ? n - 1 : 0;
		}
	}
}

static void write_case(FILE *out, const struct test_result *r)
{
	fputs("    <testcase classname=\"", out);
	escape(out, r->executable);
	fputs("\" name=\"", out);
	escape(out, r->name);
	if (r->schedule)
		fprintf(out, " (%s)", r->schedule);
	fprintf(out, "\" time=\"%.6f\">", r->seconds);
	if (r->outcome == TEST_SKIPPED)
		fputs("<skipped/>", out);
	if (r->outcome == TEST_FAILED) {
		fputs("\n      <failure message=\"", out);
		char *first = text_copy_n(r->message ? r->message : "failed",
					  strcspn(r->message ? r->message : "failed", "\n"));
		escape(out, first);
		free(first);
		fputs("\" type=\"failure\">", out);
		escape(out, r->message);
		fputs("</failure>\n    ", out);
	}
	if (r->output) {
		fputs("<system-out>", out);
		escape(out, r->output);
		fputs("</system-out>", out);
	}
	if (r->err) {
		fputs("<system-err>", out);
		escape(out, r->err);
		fputs("</system-err>", out);
	}
	fputs("</testcase>\n", out);
}

/* One suite: results[from..to). */
static void write_suite(FILE *out, const struct test_result *results, size_t n)
{
	size_t failed = 0, skipped = 0;
	double seconds = 0;
	for (size_t i = 0; i < n; i++) {
		failed += results[i].outcome == TEST_FAILED;
		skipped += results[i].outcome == TEST_SKIPPED;
		seconds += results[i].seconds;
	}
	fputs("  <testsuite name=\"", out);
	escape(out, results->executable);
	fprintf(out,
		"\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\" time=\"%.6f\">\n",
		n, failed, skipped, seconds);
	for (size_t i = 0; i < n; i++)
		write_case(out, &results[i]);
	fputs("  </testsuite>\n", out);
}

struct cudasim_error *test_check_junit(const char *path)
{
	FILE *out = fopen(path, "ae");
	if (!out)
		return cudasim_error_errno(errno, "test: cannot write '%s'", path);
	fclose(out);
	return NULL;
}

struct cudasim_error *test_write_junit(const struct test_results *results, const char *path)
{
	FILE *out = fopen(path, "we");
	if (!out)
		return cudasim_error_errno(errno, "test: cannot write '%s'", path);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
	for (size_t from = 0, to; from < results->n; from = to) {
		to = from;
		while (to < results->n &&
		       !strcmp(results->at[to].executable, results->at[from].executable))
			to++;
		write_suite(out, &results->at[from], to - from);
	}
	fputs("</testsuites>\n", out);
	bool failed = ferror(out);
	if (fclose(out) || failed)
		return cudasim_error_errno(errno, "test: cannot write '%s'", path);
	return NULL;
}
