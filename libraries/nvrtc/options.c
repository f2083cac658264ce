/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - NVRTC's options, as its manual lists them. */
#include "nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	TO_CC,     /* cc has it by this name, alone */
	TO_CC_VALUE,
	IGNORED,   /* about diagnostics, speed of code or of compiling */
	IGNORED_VALUE,
	DEVICE_DEFAULT,
	MACRO,
	UNDEFINE,
	PRE_INCLUDE, /* with a value: a line of the source, behind cudasim's own headers */
	DEFINES,   /* alone: the macro `cc` */
	LTO,
};

static const struct {
	const char *long_name, *short_name; /* with their dashes; or NULL */
	enum kind kind;
	const char *cc; /* of TO_CC*; NULL: the long name; of DEFINES */
} table[] = {
	{"--gpu-architecture", "-arch", TO_CC_VALUE, "-arch"},
	{"--define-macro", "-D", MACRO, NULL},
	{"--undefine-macro", "-U", UNDEFINE, NULL},
	{"--include-path", "-I", TO_CC_VALUE, NULL},
	{"--pre-include", "-include", PRE_INCLUDE, NULL},
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
	{"--relocatable-device-code", "-rdc", TO_CC_VALUE, "-rdc"},
	{"--device-c", "-dc", TO_CC, "-rdc=true"},
	{"--device-w", "-dw", TO_CC, "-rdc=false"},
	{"--extensible-whole-program", "-ewp", DEFINES, "__CUDACC_EWP__"},
	{"--dopt", "-dopt", IGNORED_VALUE, NULL},
	{"--Ofast-compile", "-Ofc", IGNORED_VALUE, NULL},
	{"--ptxas-options", "-Xptxas", IGNORED_VALUE, NULL},
	{"--extra-device-vectorization", "-extra-device-vectorization", IGNORED, NULL},
	{"--modify-stack-limit", "-modify-stack-limit", IGNORED_VALUE, NULL},
	{"--builtin-move-forward", "-builtin-move-forward", IGNORED_VALUE, NULL},
	{"--builtin-initializer-list", "-builtin-initializer-list", IGNORED_VALUE, NULL},
	{"--no-source-include", "-no-source-include", IGNORED, NULL},
	{"--no-cache", "-no-cache", IGNORED, NULL},
	{"--minimal", "-minimal", DEFINES, "__CUDACC_RTC_MINIMAL__"},
	{"--restrict", "-restrict", IGNORED, NULL},
	{"--device-int128", "-device-int128", DEFINES, "__CUDACC_RTC_INT128__"},
	{"--device-float128", "-device-float128", DEFINES, "__CUDACC_RTC_FLOAT128__"},
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
	{"--dlink-time-opt", "-dlto", LTO, NULL},
	{"--gen-opt-lto", "-gen-opt-lto", LTO, NULL},
};
enum { N = sizeof table / sizeof *table };

static bool has_value(enum kind kind)
{
	return kind == TO_CC_VALUE || kind == IGNORED_VALUE || kind == MACRO || kind == UNDEFINE ||
	       kind == PRE_INCLUDE;
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

static bool is_true(const char *value)
{
	return !strcmp(value, "true") || !strcmp(value, "1");
}

/* Options that programs see by macros, or that change what is built in. */
static void note(const char *name, const char *value, struct nvrtc_options *ret)
{
	if (!strcmp(name, "--gpu-architecture"))
		ret->real = !strncmp(value, "sm_", 3);
	else if (!strcmp(name, "--ftz"))
		ret->ftz = is_true(value);
	else if (!strcmp(name, "--prec-div"))
		ret->prec_div = is_true(value);
	else if (!strcmp(name, "--prec-sqrt"))
		ret->prec_sqrt = is_true(value);
	else if (!strcmp(name, "--builtin-move-forward"))
		ret->move_forward = is_true(value);
	else if (!strcmp(name, "--builtin-initializer-list"))
		ret->initializer_list = is_true(value);
	else if (!strcmp(name, "--device-as-default-execution-space"))
		ret->device_default = true;
	else if (!strcmp(name, "--use_fast_math"))
		ret->ftz = true, ret->prec_div = ret->prec_sqrt = false;
}

/* The source's line for NAME, NAME=VALUE or a file's name. */
static char *directive(enum kind kind, const char *value)
{
	if (kind == UNDEFINE)
		return jit_format("#undef %s\n", value);
	if (kind == MACRO) {
		const char *equals = strchr(value, '=');
		int n = equals ? (int)(equals - value) : (int)strlen(value);
		return jit_format("#define %.*s %s\n", n, value, equals ? equals + 1 : "1");
	}
	char *path = realpath(value, NULL);
	char *ret = jit_format("#include \"%s\"\n", path ? path : value);
	free(path);
	return ret;
}

static bool add_line(struct nvrtc_options *ret, char *line)
{
	char *longer = line ? jit_format("%s%s", ret->lines ? ret->lines : "", line) : NULL;
	free(line);
	if (!longer)
		return false;
	free(ret->lines);
	ret->lines = longer;
	return true;
}

static enum nvrtc_result apply(size_t row, const char *value, struct jit_words *arguments,
			       struct nvrtc_options *ret)
{
	enum kind kind = table[row].kind;
	const char *name = table[row].cc ? table[row].cc : table[row].long_name;
	bool done = true;
	note(table[row].long_name, value, ret);
	if (kind == MACRO || kind == UNDEFINE || kind == PRE_INCLUDE)
		done = add_line(ret, directive(kind, value));
	else if (kind == DEFINES)
		done = add_line(ret, directive(MACRO, name));
	else if (kind == TO_CC || kind == TO_CC_VALUE)
		done = jit_words_add(arguments, jit_format("%s", name)) &&
		       (!value || jit_words_add(arguments, jit_format("%s", value)));
	return done ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
}

static enum nvrtc_result refuse(char **log, const char *why, const char *option)
{
	char *text = jit_format("nvrtc: error: %s option %s found\n", why, option);
	if (!text)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	free(*log);
	*log = text;
	return NVRTC_ERROR_INVALID_OPTION;
}

enum nvrtc_result nvrtc_options_read(int n, const char *const *options, struct jit_words *arguments,
				     struct nvrtc_options *ret, char **log)
{
	*ret = (struct nvrtc_options){.prec_div = true,
				      .prec_sqrt = true,
				      .move_forward = true,
				      .initializer_list = true};
	for (int i = 0; i < n; i++) {
		const char *value = NULL, *option = options[i];
		size_t row = 0;
		while (row < N && !is(option, table[row].long_name, false, &value) &&
		       !is(option, table[row].short_name,
			   table[row].short_name && strlen(table[row].short_name) == 2 &&
				   has_value(table[row].kind),
			   &value))
			row++;
		if (row == N)
			return refuse(log, "unrecognized", option);
		ret->lto |= table[row].kind == LTO;
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
