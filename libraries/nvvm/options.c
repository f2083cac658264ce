/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - libNVVM's options: those that its manual lists, and those that it takes besides. */
#include "nvvm.h"

#include <stdlib.h>
#include <string.h>

struct option {
	const char *name;    /* with '=' where it takes a value */
	const char *values;  /* all that it takes, with '|' between them; NULL: any */
	const char *to[4];   /* what they are to cc, in that order; NULL: nothing */
	bool often;          /* may be given more than once */
};

/* "-arch=" is in front of the value. */
static const char architectures[] =
	"compute_75|compute_80|compute_86|compute_87|compute_88|compute_89|compute_90|compute_90a|"
	"compute_100|compute_100a|compute_100f|compute_103|compute_103a|compute_103f|"
	"compute_110|compute_110a|compute_110f|compute_120|compute_120a|compute_120f|"
	"compute_121|compute_121a|compute_121f";

static const struct option table[] = {
	{"-arch=", architectures, {NULL}, false},
	{"-opt=", "0|1|2|3", {"-G", NULL, NULL, NULL}, false},
	/* Whether the PTX has debug information is up to the module; the debugger finds more this way. */
	{"-g", NULL, {"-G"}, false},
	{"-generate-line-info", NULL, {"-lineinfo"}, false},
	{"-ftz=", "0|1", {"-ftz=false", "-ftz=true"}, false},
	{"-prec-sqrt=", "0|1", {"-prec-sqrt=false", "-prec-sqrt=true"}, false},
	{"-prec-div=", "0|1", {"-prec-div=false", "-prec-div=true"}, false},
	{"-fma=", "0|1", {"-fmad=false", "-fmad=true"}, false},
	{"-gen-lto", NULL, {"-ltoir"}, true},
	{"-nvvm-version=", "nvvm-latest|nvvm70", {NULL}, false},
	/* Of no consequence here. */
	{"-jump-table-density=", NULL, {NULL}, true},
	{"-maxreg=", NULL, {NULL}, false},
	{"-split-compile=", NULL, {NULL}, true},
	{"-host-ref-ek=", NULL, {NULL}, true},
	{"-host-ref-ik=", NULL, {NULL}, true},
	{"-host-ref-ec=", NULL, {NULL}, true},
	{"-host-ref-ic=", NULL, {NULL}, true},
	{"-host-ref-eg=", NULL, {NULL}, true},
	{"-host-ref-ig=", NULL, {NULL}, true},
	{"-Ofast-compile=", NULL, {NULL}, true},
	{"-inline-info", NULL, {NULL}, true},
	{"-jobserver", NULL, {NULL}, true},
	{"-Werror", NULL, {NULL}, false},
	{"-w", NULL, {NULL}, false},
};

enum { N_OPTIONS = sizeof table / sizeof *table };

static const struct option *find(const char *word, const char **value)
{
	for (size_t i = 0; i < N_OPTIONS; i++) {
		size_t n = strlen(table[i].name);
		bool takes = table[i].name[n - 1] == '=';
		*value = takes ? word + n : NULL;
		if (takes ? !strncmp(word, table[i].name, n) : !strcmp(word, table[i].name))
			return &table[i];
	}
	return NULL;
}

/* The value's place in the list; -1: not in it. */
static int place(const char *list, const char *value)
{
	size_t length = strlen(value);
	int at = 0;
	for (const char *c = list;; at++) {
		size_t n = strcspn(c, "|");
		if (n == length && !memcmp(c, value, n))
			return at;
		if (!c[n])
			return -1;
		c += n + 1;
	}
}

static enum nvvm_result refuse(struct nvvm_program *program, char *text)
{
	return nvvm_say(program, text) ? NVVM_ERROR_INVALID_OPTION : NVVM_ERROR_OUT_OF_MEMORY;
}

static enum nvvm_result read_one(struct nvvm_program *program, const char *word,
				 bool given[N_OPTIONS], struct jit_words *ret)
{
	const char *value;
	const struct option *option = word ? find(word, &value) : NULL;
	int at = option && option->values ? place(option->values, value) : 0;
	if (option && at < 0 && !strcmp(option->name, "-nvvm-version="))
		return refuse(program, jit_format("libnvvm : error: %s is an unsupported value "
						  "for option: -nvvm-version",
						  value));
	if (!option || at < 0)
		return refuse(program, jit_format("libnvvm : error: %s is an unsupported option",
						  word ? word : ""));
	if (given[option - table] && !option->often)
		return refuse(program, jit_format("libnvvm : error: %.*s defined more than once",
						  (int)strcspn(option->name, "="), option->name));
	bool again = given[option - table];
	given[option - table] = true;
	if (option == table)
		return jit_words_add(ret, jit_format("%s", word)) ? NVVM_SUCCESS
								  : NVVM_ERROR_OUT_OF_MEMORY;
	if (!option->to[at] || again)
		return NVVM_SUCCESS;
	return jit_words_add(ret, jit_format("%s", option->to[at])) ? NVVM_SUCCESS
								    : NVVM_ERROR_OUT_OF_MEMORY;
}

enum nvvm_result nvvm_options_read(struct nvvm_program *program, int n, const char *const *options,
				   struct jit_words *ret)
{
	bool given[N_OPTIONS] = {false};
	enum nvvm_result result = NVVM_SUCCESS;
	for (int i = 0; i < n && !result; i++)
		result = read_one(program, options[i], given, ret);
	if (!result && !given[0] && !jit_words_add(ret, jit_format("-arch=compute_75")))
		result = NVVM_ERROR_OUT_OF_MEMORY;
	return result;
}
