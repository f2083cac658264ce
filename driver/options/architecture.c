/* SPDX-License-Identifier: Apache-2.0 */
#include "architecture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What an H200 has, and the highest that clang 19 compiles for. */
enum { DEFAULT_VERSION = 90 };

/* Versions that nvcc 13.0 compiles for, and that earlier ones did. Device code
 * for the latter is compiled as for the oldest of the former: the toolkit's
 * headers know no older one. */
static const unsigned known[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
static const unsigned retired[] = {10, 11, 12, 13, 20, 21, 30, 32, 35, 37,
				   50, 52, 53, 60, 61, 62, 70, 72, 101};

/* The name that clang 19 has for a version; it knows no 88. */
static const struct {
	unsigned version;
	const char *name;
} clang_names[] = {
	{75, "sm_75"}, {80, "sm_80"}, {86, "sm_86"}, {87, "sm_87"},
	{88, "sm_87"}, {89, "sm_89"}, {90, "sm_90"},
};

static bool contains(const unsigned *list, size_t n, unsigned version)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == version)
			return true;
	return false;
}

/* What was gathered over all options. */
struct choice {
	unsigned best;      /* highest version up to DEFAULT_VERSION, 0: none yet */
	bool best_specific; /* sm_90a */
	bool any;           /* something was named */
	unsigned above;     /* a version above DEFAULT_VERSION, 0: none */
	struct words warnings;
};

bool architecture_is_group(const char *name)
{
	return !strcmp(name, "native") || !strcmp(name, "all") || !strcmp(name, "all-major");
}

/* is_old: CUDA 13.0 does not know it any more. */
static struct cudasim_error *parse(const char *name, unsigned *ret, char *suffix, bool *is_old)
{
	static const char *const prefixes[] = {"sm_", "compute_", "lto_"};
	const char *digits = NULL;
	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
		if (text_starts(name, prefixes[i]))
			digits = name + strlen(prefixes[i]);
	char *end = NULL;
	unsigned long version = digits && *digits >= '1' && *digits <= '9'
					? strtoul(digits, &end, 10)
					: 0;
	bool is_known = version && version < 1000 &&
			contains(known, sizeof known / sizeof *known, (unsigned)version);
	bool is_retired = version && version < 1000 &&
			  contains(retired, sizeof retired / sizeof *retired, (unsigned)version);
	bool suffix_fits = version && (!*end || (!strcmp(end, "a") && version >= 90) ||
				       (!strcmp(end, "f") && version >= 100));
	if ((!is_known && !is_retired) || !suffix_fits)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Unsupported gpu architecture '%s'",
					 name);
	*is_old = is_retired && version < known[0];
	*ret = *is_old ? known[0] : (unsigned)version;
	*suffix = *end;
	return NULL;
}

struct cudasim_error *architecture_parse(const char *name, unsigned *ret, char *suffix)
{
	bool is_old;
	return parse(name, ret, suffix, &is_old);
}

static struct cudasim_error *add(struct choice *choice, const char *name)
{
	choice->any = true;
	if (architecture_is_group(name)) {
		choice->best = DEFAULT_VERSION;
		return NULL;
	}
	unsigned version;
	char suffix;
	bool is_old;
	struct cudasim_error *error = parse(name, &version, &suffix, &is_old);
	if (error)
		return error;
	if (is_old) {
		char *warning = text_format("'%s' is not supported by CUDA 13.0; device code is "
					    "compiled for sm_%u",
					    name, known[0]);
		if (!words_have(&choice->warnings, warning))
			words_add(&choice->warnings, warning);
		free(warning);
	}
	if (version > DEFAULT_VERSION) {
		choice->above = version;
	} else if (version > choice->best) {
		choice->best = version;
		choice->best_specific = suffix;
	} else if (version == choice->best) {
		choice->best_specific |= suffix != 0;
	}
	return NULL;
}

/* Names in a code list: sm_90 | [sm_90,compute_90] | "sm_90,compute_90". */
static struct cudasim_error *add_codes(struct choice *choice, const char *list)
{
	char *plain = text_copy(list), *to = plain;
	for (const char *c = list; *c; c++)
		if (!strchr("[]\"'", *c))
			*to++ = *c;
	*to = 0;
	struct words names = {0};
	words_split(&names, plain, ',');
	struct cudasim_error *error = NULL;
	for (size_t i = 0; i < names.n && !error; i++)
		error = add(choice, names.at[i]);
	words_fini(&names);
	free(plain);
	return error;
}

/* arch=compute_90,code=sm_90: the real architecture counts, as its code is
 * preprocessed for `arch`. */
static struct cudasim_error *add_gencode(struct choice *choice, const char *text)
{
	if (architecture_is_group(text))
		return add(choice, text);
	const char *arch = strstr(text, "arch="), *code = strstr(text, "code=");
	if (!arch || !code)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "'%s': expected arch=...,code=... for option "
					 "'generate-code'",
					 text);
	char *name = text_copy_n(arch + 5, strcspn(arch + 5, ",\"' "));
	struct cudasim_error *error = add(choice, name);
	free(name);
	if (error)
		return error;
	/* The codes are only checked: they lie at or above arch. */
	struct choice codes = {0};
	size_t length = arch > code ? (size_t)(arch - code) - 5 : strlen(code + 5);
	char *list = text_copy_n(code + 5, length);
	error = add_codes(&codes, list);
	free(list);
	words_fini(&codes.warnings);
	return error;
}

static struct cudasim_error *gather(const struct command *command, struct choice *choice)
{
	const struct words *architectures = &command->architectures;
	const char *arch = architectures->n ? architectures->at[architectures->n - 1] : NULL;
	if (command->codes.n && !arch)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "-arch option not specified");
	if (command->codes.n && architecture_is_group(arch))
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "-arch=%s cannot be used with the -code option", arch);
	if (command->codes.n && text_starts(arch, "sm_"))
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Value of -arch option ('%s') must be a virtual code "
					 "architecture",
					 arch);
	struct cudasim_error *error = arch ? add(choice, arch) : NULL;
	for (size_t i = 0; i < command->codes.n && !error; i++) {
		struct choice codes = {0};
		error = add_codes(&codes, command->codes.at[i]);
		words_fini(&codes.warnings);
	}
	for (size_t i = 0; i < command->gencodes.n && !error; i++)
		error = add_gencode(choice, command->gencodes.at[i]);
	/* The simulator is to run what the GPU would. */
	for (size_t i = 0; i < command->gpus.n && !arch && !command->gencodes.n && !error; i++)
		error = add(choice, command->gpus.at[i]);
	return error;
}

struct cudasim_error *architecture_choose(const struct command *command, struct architecture *ret)
{
	struct choice choice = {0};
	struct cudasim_error *error = gather(command, &choice);
	if (error) {
		words_fini(&choice.warnings);
		return error;
	}
	if (!choice.any)
		choice.best = DEFAULT_VERSION;
	if (!choice.best) {
		words_addf(&choice.warnings,
			   "no architecture up to 9.0 is named; device code is "
			   "compiled for sm_%u, not sm_%u",
			   DEFAULT_VERSION, choice.above);
		choice.best = DEFAULT_VERSION;
	}
	*ret = (struct architecture){.number = choice.best * 10, .warnings = choice.warnings};
	ret->name = architecture_clang_name(choice.best, choice.best_specific);
	return NULL;
}

void architecture_fini(struct architecture *architecture)
{
	free(architecture->name);
	words_fini(&architecture->warnings);
}

char *architecture_clang_name(unsigned version, bool is_specific)
{
	const char *name = clang_names[0].name;
	for (size_t i = 0; i < sizeof clang_names / sizeof *clang_names; i++)
		if (clang_names[i].version <= version)
			name = clang_names[i].name;
	return text_format("%s%s", name, version == 90 && is_specific ? "a" : "");
}

void architecture_all(struct words *words, bool major)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!major || !i || known[i] % 10 == 0)
			words_addf(words, "sm_%u", known[i]);
}

void architecture_list(const char *prefix)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		printf("%s%u\n", prefix, known[i]);
}
