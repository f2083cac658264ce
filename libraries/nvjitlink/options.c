/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - nvJitLink's options, as its manual lists them. Values that nvJitLink does not look at are
 * taken here, too. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvjitlink.h"

void nvjitlink_say(struct nvjitlink_text *text, const char *format, ...)
{
	char *more = NULL;
	va_list list;
	va_start(list, format);
	int n = vasprintf(&more, format, list);
	va_end(list);
	if (n < 0)
		return;
	char *at = realloc(text->at, text->n + (size_t)n + 1);
	if (at) {
		memcpy(at + text->n, more, (size_t)n + 1);
		text->at = at;
		text->n += (size_t)n;
	}
	free(more);
}

enum kind {
	TO_CC, /* cc has it by the name `cc` */
	TRUTH, /* the same, and the value is 0 or another number */
	REGISTERS, /* the same, where the value is a number */
	IGNORED, /* for a GPU's code only, or about time */
	ARCHITECTURE,
	LTO,
	PTX,
	VERBOSE,
};

static const struct row {
	const char *name; /* ends with '=' where there is a value */
	enum kind kind;
	const char *cc;
} table[] = {
	{"-arch=", ARCHITECTURE, NULL},
	{"-maxrregcount=", REGISTERS, "-maxrregcount"},
	{"-time", IGNORED, NULL},
	{"-verbose", VERBOSE, NULL},
	{"-lto", LTO, NULL},
	{"-ptx", PTX, NULL},
	{"-g", TO_CC, "-G"},
	{"-lineinfo", TO_CC, "-lineinfo"},
	{"-ftz=", TRUTH, "-ftz"},
	{"-prec-div=", TRUTH, "-prec-div"},
	{"-prec-sqrt=", TRUTH, "-prec-sqrt"},
	{"-fma=", TRUTH, "-fmad"},
	{"-kernels-used=", IGNORED, NULL},
	{"-variables-used=", IGNORED, NULL},
	{"-optimize-unused-variables", IGNORED, NULL},
	{"-Xptxas=", IGNORED, NULL},
	{"-split-compile=", IGNORED, NULL},
	{"-split-compile-extended=", IGNORED, NULL},
	{"-jump-table-density=", IGNORED, NULL},
	{"-no-cache", IGNORED, NULL},
};
enum { N = sizeof table / sizeof *table };

static const struct row *find(const char *option, const char **value)
{
	for (size_t i = 0; i < N; i++) {
		size_t n = strlen(table[i].name);
		*value = option + n;
		if (table[i].name[n - 1] == '=' ? !strncmp(option, table[i].name, n)
						: !strcmp(option, table[i].name))
			return &table[i];
	}
	*value = NULL;
	return NULL;
}

/* Of GPUs that CUDA 13.0 knows. */
static bool is_known(unsigned version)
{
	static const unsigned known[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i] == version)
			return true;
	return false;
}

static enum nvjitlink_result read_architecture(const char *option, const char *value,
					       struct nvjitlink_options *ret,
					       struct nvjitlink_text *log)
{
	unsigned version;
	int n = 0;
	if ((sscanf(value, "sm_%u%n", &version, &n) != 1 &&
	     sscanf(value, "compute_%u%n", &version, &n) != 1) ||
	    strlen(value + n) > 1 || strlen(value) >= sizeof ret->architecture) {
		nvjitlink_say(log,
			      "ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value "
			      "(%s)\n",
			      option);
		return NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
	}
	if (!is_known(version) || version > 90) {
		nvjitlink_say(log,
			      "ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported architecture "
			      "(compute_%s)%s\n",
			      strchr(value, '_') + 1,
			      is_known(version) ? ": cudasim compiles for compute_90 and earlier"
						: "");
		return NVJITLINK_ERROR_UNSUPPORTED_ARCH;
	}
	strcpy(ret->architecture, value);
	return NVJITLINK_SUCCESS;
}

/* No more words than rows with a name in cc. */
static void add_word(struct nvjitlink_options *ret, const char *name, const char *value)
{
	char *word = NULL;
	size_t i = 0, n = strlen(name);
	if (asprintf(&word, value ? "%s=%s" : "%s", name, value) < 0)
		return;
	/* The last one counts. */
	while (i < ret->n_words && strncmp(ret->words[i], name, n))
		i++;
	if (i == ret->n_words)
		ret->n_words++;
	else
		free(ret->words[i]);
	ret->words[i] = word;
}

static enum nvjitlink_result apply(const struct row *row, const char *option, const char *value,
				   struct nvjitlink_options *ret, struct nvjitlink_text *log)
{
	switch (row->kind) {
	case ARCHITECTURE:
		return read_architecture(option, value, ret, log);
	case TO_CC:
		add_word(ret, row->cc, NULL);
		break;
	case TRUTH:
		add_word(ret, row->cc, atoi(value) ? "true" : "false");
		break;
	case REGISTERS:
		if (*value && !value[strspn(value, "0123456789")])
			add_word(ret, row->cc, value);
		break;
	case LTO:
		ret->lto = true;
		break;
	case PTX:
		ret->ptx = true;
		break;
	case VERBOSE:
		ret->verbose = true;
		break;
	case IGNORED:
		break;
	}
	return NVJITLINK_SUCCESS;
}

static enum nvjitlink_result check(const struct nvjitlink_options *options,
				   struct nvjitlink_text *log)
{
	if (!*options->architecture)
		return NVJITLINK_ERROR_MISSING_ARCH;
	if (options->ptx && !options->lto) {
		nvjitlink_say(log, "ERROR: -ptx requires -lto\n");
		return NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS;
	}
	if (!strncmp(options->architecture, "compute_", 8) && !options->ptx) {
		nvjitlink_say(log, "ERROR: virtual arch requires -ptx\n");
		return NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS;
	}
	return NVJITLINK_SUCCESS;
}

enum nvjitlink_result nvjitlink_options_read(uint32_t n, const char *const *options,
					     struct nvjitlink_options *ret,
					     struct nvjitlink_text *log)
{
	*ret = (struct nvjitlink_options){0};
	for (uint32_t i = 0; i < n; i++) {
		const char *value;
		enum nvjitlink_result result = NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
		const struct row *row = options[i] ? find(options[i], &value) : NULL;
		if (row) {
			result = apply(row, options[i], value, ret, log);
		} else if (options[i] && !strncmp(options[i], "-O", 2)) {
			if (!strcmp(options[i], "-O0") || !strcmp(options[i], "-O3"))
				result = NVJITLINK_SUCCESS;
			else
				nvjitlink_say(log,
					      "unsupported value of -O: %s. Only 0 and 3 are "
					      "supported.\n",
					      options[i] + 2);
		} else {
			nvjitlink_say(log, "unrecognized option: %s\n",
				      options[i] ? options[i] : "");
		}
		if (result)
			return result;
	}
	return check(ret, log);
}

void nvjitlink_options_fini(struct nvjitlink_options *options)
{
	for (size_t i = 0; i < options->n_words; i++)
		free(options->words[i]);
	options->n_words = 0;
}
