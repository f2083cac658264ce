/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - NVRTC's options, as its manual lists them. */
#include "nvrtc/nvrtc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	TO_CC,     /* cc has it by this name, alone */
	TO_CC_VALUE,
	IGNORED,   /* about diagnostics, speed of code or of compiling */
	IGNORED_VALUE,
	DEVICE_DEFAULT,
	REFUSED,
};

static const struct {
	const char *long_name, *short_name; /* with their dashes; or NULL */
	enum kind kind;
	const char *cc; /* of TO_CC*; NULL: the long name */
} table[] = {
	{"--gpu-architecture", "-arch", TO_CC_VALUE, "-arch"},
	{"--define-macro", "-D", TO_CC_VALUE, NULL},
	{"--undefine-macro", "-U", TO_CC_VALUE, NULL},
	{"--include-path", "-I", TO_CC_VALUE, NULL},
	{"--pre-include", "-include", TO_CC_VALUE, NULL},
	{"--std", "-std", TO_CC_VALUE, NULL},
	{"--device-debug", "-G", TO_CC, NULL},
	{"--generate-line-info", "-lineinfo", TO_CC, NULL},
	{"--maxrregcount", "-maxrregcount", TO_CC_VALUE, NULL},
	{"--ftz", "-ftz", TO_CC_VALUE, NULL},
	{"--prec-sqrt", "-prec-sqrt", TO_CC_VALUE, NULL},
	{"--prec-div", "-prec-div", TO_CC_VALUE, NULL},
	{"--fmad", "-fmad", TO_CC_VALUE, NULL},
	{"--use_fast_math", "-use_fast_math", TO_CC, NULL},
	{"--disable-warnings", "-w", TO_CC, NULL},
	{"--device-as-default-execution-space", "-default-device", DEVICE_DEFAULT, NULL},
	{"--relocatable-device-code", "-rdc", IGNORED_VALUE, NULL},
	{"--device-c", "-dc", IGNORED, NULL},
	{"--device-w", "-dw", IGNORED, NULL},
	{"--extensible-whole-program", "-ewp", IGNORED, NULL},
	{"--dopt", "-dopt", IGNORED_VALUE, NULL},
	{"--Ofast-compile", "-Ofc", IGNORED_VALUE, NULL},
	{"--ptxas-options", "-Xptxas", IGNORED_VALUE, NULL},
	{"--extra-device-vectorization", "-extra-device-vectorization", IGNORED, NULL},
	{"--modify-stack-limit", "-modify-stack-limit", IGNORED_VALUE, NULL},
	{"--builtin-move-forward", "-builtin-move-forward", IGNORED_VALUE, NULL},
	{"--builtin-initializer-list", "-builtin-initializer-list", IGNORED_VALUE, NULL},
	{"--no-source-include", "-no-source-include", IGNORED, NULL},
	{"--no-cache", "-no-cache", IGNORED, NULL},
	{"--minimal", "-minimal", IGNORED, NULL},
	{"--restrict", "-restrict", IGNORED, NULL},
	{"--device-int128", "-device-int128", IGNORED, NULL},
	{"--device-float128", "-device-float128", IGNORED, NULL},
	{"--optimization-info", "-opt-info", IGNORED_VALUE, NULL},
	{"--display-error-number", "-err-no", IGNORED, NULL},
	{"--no-display-error-number", "-no-err-no", IGNORED, NULL},
	{"--diag-error", "-diag-error", IGNORED_VALUE, NULL},
	{"--diag-suppress", "-diag-suppress", IGNORED_VALUE, NULL},
	{"--diag-warn", "-diag-warn", IGNORED_VALUE, NULL},
	{"--brief-diagnostics", "-brief-diag", IGNORED_VALUE, NULL},
	{"--split-compile", "-split-compile", IGNORED_VALUE, NULL},
	{"--device-syntax-only", "-fdevice-syntax-only", IGNORED, NULL},
	{"--device-stack-protector", "-device-stack-protector", IGNORED_VALUE, NULL},
	{"--jump-table-density", "-jtd", IGNORED_VALUE, NULL},
	{"--time", "-time", IGNORED_VALUE, NULL},
	{"--pch", "-pch", IGNORED, NULL},
	{"--create-pch", "-create-pch", IGNORED_VALUE, NULL},
	{"--use-pch", "-use-pch", IGNORED_VALUE, NULL},
	{"--pch-dir", "-pch-dir", IGNORED_VALUE, NULL},
	{"--dlink-time-opt", "-dlto", REFUSED, NULL},
	{"--gen-opt-lto", "-gen-opt-lto", REFUSED, NULL},
};
enum { N = sizeof table / sizeof *table };

char *nvrtc_format(const char *format, ...)
{
	char *ret = NULL;
	va_list list;
	va_start(list, format);
	int n = vsnprintf(NULL, 0, format, list);
	va_end(list);
	ret = malloc((size_t)n + 1);
	va_start(list, format);
	if (ret)
		vsnprintf(ret, (size_t)n + 1, format, list);
	va_end(list);
	return ret;
}

bool nvrtc_arguments_add(struct nvrtc_arguments *a, char *text)
{
	char **at = text ? realloc(a->at, (a->n + 2) * sizeof *at) : NULL;
	if (!at) {
		free(text);
		return false;
	}
	a->at = at;
	at[a->n++] = text;
	at[a->n] = NULL;
	return true;
}

void nvrtc_arguments_fini(struct nvrtc_arguments *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->at[i]);
	free(a->at);
	*a = (struct nvrtc_arguments){0};
}

static bool has_value(enum kind kind)
{
	return kind == TO_CC_VALUE || kind == IGNORED_VALUE;
}

/* Is it this option? *value: what follows '=', or is glued on; NULL where neither. */
static bool is(const char *text, const char *name, bool glued, const char **value)
{
	size_t n = name ? strlen(name) : 0;
	if (!name || strncmp(text, name, n))
		return false;
	*value = text[n] == '=' ? text + n + 1 : NULL;
	if (!text[n] || *value)
		return true;
	*value = text + n;
	return glued;
}

static enum nvrtc_result apply(size_t row, const char *value, struct nvrtc_arguments *arguments,
			       struct nvrtc_options *ret)
{
	const char *name = table[row].cc ? table[row].cc : table[row].long_name;
	if (row == 0)
		ret->real = !strncmp(value, "sm_", 3);
	if (table[row].kind == DEVICE_DEFAULT)
		ret->device_default = true;
	if (table[row].kind == TO_CC || table[row].kind == TO_CC_VALUE) {
		if (!nvrtc_arguments_add(arguments, nvrtc_format("%s", name)) ||
		    (value && !nvrtc_arguments_add(arguments, nvrtc_format("%s", value))))
			return NVRTC_ERROR_OUT_OF_MEMORY;
	}
	return NVRTC_SUCCESS;
}

static enum nvrtc_result refuse(char **log, const char *why, const char *option)
{
	char *text = nvrtc_format("nvrtc: error: %s option %s found\n", why, option);
	if (!text)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	free(*log);
	*log = text;
	return NVRTC_ERROR_INVALID_OPTION;
}

enum nvrtc_result nvrtc_options_read(int n, const char *const *options,
				     struct nvrtc_arguments *arguments,
				     struct nvrtc_options *ret, char **log)
{
	*ret = (struct nvrtc_options){0};
	for (int i = 0; i < n; i++) {
		const char *value = NULL, *option = options[i];
		size_t row = 0;
		while (row < N && !is(option, table[row].long_name, false, &value) &&
		       !is(option, table[row].short_name,
			   table[row].short_name && strlen(table[row].short_name) == 2 &&
			   has_value(table[row].kind), &value))
			row++;
		if (row == N)
			return refuse(log, "unrecognized", option);
		if (table[row].kind == REFUSED)
			return refuse(log, "unsupported", option);
		if (has_value(table[row].kind) && !value) {
			if (++i == n)
				return refuse(log, "no value of", option);
			value = options[i];
		}
		enum nvrtc_result error = apply(row, has_value(table[row].kind) ? value : NULL,
						arguments, ret);
		if (error)
			return error;
	}
	return NVRTC_SUCCESS;
}
