/* SPDX-License-Identifier: Apache-2.0 */
/* report_file.c - the files of a report, whose names are patterns. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "must.h"
#include "report.h"
#include "session.h"

/* %p, %q{X}, %% of a file's name. */
static bool expand(const char *from, FILE *out)
{
	for (; *from; from++) {
		if (*from != '%') {
			fputc(*from, out);
			continue;
		}
		from++;
		const char *end;
		if (*from == 'p') {
			fprintf(out, "%d", (int)getpid());
		} else if (*from == '%') {
			fputc('%', out);
		} else if (!strncmp(from, "q{", 2) && (end = strchr(from, '}'))) {
			char name[256];
			snprintf(name, sizeof name, "%.*s", (int)(end - from - 2), from + 2);
			const char *value = getenv(name);
			fputs(value ? value : "", out);
			from = end;
		} else {
			return false;
		}
	}
	return true;
}

char *report_file_name(const char *option, const char *pattern)
{
	char *name = NULL;
	size_t size;
	FILE *out = must(open_memstream(&name, &size));
	bool fine = expand(pattern, out);
	fclose(out);
	if (fine)
		return name;
	fprintf(stderr, "cudasim: --%s %s: after %% there may be p, q{NAME} or %%\n", option,
		pattern);
	free(name);
	return NULL;
}

bool report_file_open(const char *option, const char *pattern, FILE **ret)
{
	if (!pattern)
		return true;
	char *name = report_file_name(option, pattern);
	if (name && !(*ret = fopen(name, session_is_first(name) ? "we" : "ae")))
		fprintf(stderr, "cudasim: --%s %s: %s\n", option, name, strerror(errno));
	free(name);
	return *ret;
}
