/* SPDX-License-Identifier: Apache-2.0 */
/* suppression.c - findings that somebody has looked at and wants to see no more.
 *
 * A line of the file holds words NAME=PATTERN with tabs between, each of which must fit (fnmatch(3)'s
 * patterns), of tool, kind, kernel (mangled or not), function, file (its last part, or all)
 * and line; '#' begins a comment. */
#define _GNU_SOURCE
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

enum word { TOOL, KIND, KERNEL, FUNCTION, FILE_NAME, LINE, N_WORDS };
static const char *const words[N_WORDS] = {"tool", "kind", "kernel", "function", "file", "line"};

static struct suppression {
	char *pattern[N_WORDS]; /* NULL: anything */
	struct suppression *next;
} *all;

static bool read_word(struct suppression *s, char *word)
{
	char *equals = strchr(word, '=');
	if (!equals)
		return false;
	*equals = '\0';
	for (int i = 0; i < N_WORDS; i++)
		if (!strcmp(words[i], word))
			return (s->pattern[i] = strdup(equals + 1)) != NULL;
	return false;
}

bool suppression_read(const char *path)
{
	FILE *in = fopen(path, "re");
	char line[4096];
	unsigned number = 0;
	if (!in) {
		fprintf(stderr, "cudasim: --suppressions %s: %s\n", path, strerror(errno));
		return false;
	}
	while (fgets(line, sizeof line, in)) {
		number++;
		line[strcspn(line, "#\n")] = '\0';
		struct suppression *s = NULL;
		char *rest = NULL;
		/* Patterns may hold blanks: a tab stands between words. */
		for (char *w = strtok_r(line, "\t", &rest); w; w = strtok_r(NULL, "\t", &rest)) {
			w += strspn(w, " ");
			if (!*w)
				continue;
			if (!s && !(s = calloc(1, sizeof *s)))
				abort();
			if (!read_word(s, w)) {
				fprintf(stderr,
					"cudasim: --suppressions %s:%u: '%s' is not tool, kind, "
					"kernel, function, file or line, '=' and a pattern\n",
					path, number, w);
				fclose(in);
				return false;
			}
		}
		if (s) {
			s->next = all;
			all = s;
		}
	}
	fclose(in);
	return true;
}

static bool fits(const char *pattern, const char *text)
{
	return !pattern || (text && fnmatch(pattern, text, 0) == 0);
}

bool suppression_fits(const struct record *r)
{
	const struct finding *f = &r->finding;
	const struct cudasim_site *site = f->side.site;
	const struct cudasim_kernel *kernel = f->side.kernel;
	char line[16];
	snprintf(line, sizeof line, "%u", site ? site->line : 0);
	for (const struct suppression *s = all; s; s = s->next)
		if (fits(s->pattern[TOOL], check_tools[f->tool]) &&
		    fits(s->pattern[KIND], f->kind) &&
		    (fits(s->pattern[KERNEL], kernel ? kernel->display : NULL) ||
		     fits(s->pattern[KERNEL], kernel ? kernel->name : NULL)) &&
		    fits(s->pattern[FUNCTION], site ? site->function : f->side.function) &&
		    (fits(s->pattern[FILE_NAME], site ? site->file : NULL) ||
		     fits(s->pattern[FILE_NAME], site ? backtrace_file(site->file, true) : NULL)) &&
		    fits(s->pattern[LINE], site ? line : NULL))
			return true;
	return false;
}

void suppression_write(FILE *out, const char *prefix, const struct record *r)
{
	const struct finding *f = &r->finding;
	fprintf(out, "%s     Suppression: tool=%s\tkind=%s", prefix, check_tools[f->tool], f->kind);
	if (f->side.kernel)
		fprintf(out, "\tkernel=%s", f->side.kernel->display);
	if (f->side.site)
		fprintf(out, "\tfile=%s\tline=%u", backtrace_file(f->side.site->file, true),
			f->side.site->line);
	fputc('\n', out);
}
