/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"

enum { MAX_NESTED_FILES = 16 };

static struct cudasim_error *refuse(const char *format, const char *what)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	return cudasim_error_new(CUDASIM_E_ARGUMENT, format, what);
#pragma GCC diagnostic pop
}

/* The option that word names, with its value's place in *value: "" after an
 * '=' or glued on, NULL if the value is the next word. */
static const struct option *find_option(const char *word, const char **value)
{
	size_t length = strcspn(word, "=");
	*value = word[length] ? word + length + 1 : NULL;
	for (size_t i = 0; i < n_options; i++) {
		const struct option *option = &option_table[i];
		const char *names[] = {option->long_name, option->short_name};
		for (size_t j = 0; j < 2; j++)
			if (strlen(names[j]) == length && !strncmp(word, names[j], length))
				return option;
	}
	for (size_t i = 0; i < n_options; i++) {
		const struct option *option = &option_table[i];
		bool glued = option->argument == OPTION_NAME || option->argument == OPTION_LEVEL;
		if (!glued || strncmp(word, option->short_name, 2))
			continue;
		/* -O3 and -t4 are levels, -Ofast and -time are not. */
		if (option->argument == OPTION_LEVEL && word[2 + strspn(word + 2, "0123456789")])
			continue;
		*value = word + 2;
		return option;
	}
	return NULL;
}

static bool is_choice(const char *choices, const char *value)
{
	size_t length = strlen(value);
	for (const char *at = choices; *at;) {
		size_t n = strcspn(at, "|");
		if (n == length && !strncmp(at, value, n))
			return true;
		at += n + (at[n] == '|');
	}
	return false;
}

/* Splits at commas, as nvcc's lists are: only a backslash protects one. */
static void split_list(const char *value, struct words *ret)
{
	char *piece = text_copy(value);
	size_t n = 0;
	for (const char *c = value;; c++) {
		if (*c && *c != ',') {
			if (*c == '\\' && c[1] == ',')
				c++;
			piece[n++] = *c;
			continue;
		}
		piece[n] = 0;
		if (n)
			words_add(ret, piece);
		n = 0;
		if (!*c)
			break;
	}
	free(piece);
}

/* Makefiles write -DNAME=\\\"text\\\" to get quotes past two shells; nvcc takes
 * the backslashes away, whether or not there was a second shell. */
static char *unescape_quotes(const char *value)
{
	char *text = text_copy(value), *to = text;
	for (const char *c = value; *c; c++) {
		if (*c == '\\' && c[1] == '"')
			c++;
		*to++ = *c;
	}
	*to = 0;
	return text;
}

static void set_text(struct command *command, const struct option *option, char **field,
		     const char *value)
{
	if (*field && strcmp(*field, value))
		words_addf(&command->warnings,
			   "incompatible redefinition for option '%s', the last value of this "
			   "option was used",
			   option->long_name + 2);
	free(*field);
	*field = text_copy(value);
}

static void set_phase(struct command *command, const struct option *option)
{
	if (command->phase_given && command->phase != option->value &&
	    command->phase != PHASE_LINK && option->value != PHASE_LINK) {
		/* -c with -dc or -dw: the device's wish wins, in any order. */
		bool both_objects = command->phase >= PHASE_OBJECT &&
				    command->phase <= PHASE_DEVICE_W &&
				    option->value >= PHASE_OBJECT &&
				    option->value <= PHASE_DEVICE_W;
		if (both_objects && option->value == PHASE_OBJECT)
			return;
		bool was_image = command->phase >= PHASE_PTX && command->phase <= PHASE_FATBIN;
		bool is_image = option->value >= PHASE_PTX && option->value <= PHASE_FATBIN;
		command->image_link = (was_image && option->value == PHASE_DEVICE_LINK) ||
				      (is_image && command->phase == PHASE_DEVICE_LINK);
		if (was_image && command->image_link)
			return;
	}
	command->phase = option->value;
	command->phase_given = true;
}

static struct cudasim_error *apply(struct command *command, const struct option *option,
				   const char *value)
{
	void *field = (char *)command + option->field;
	struct words list = {0};
	if (option->status == OPTION_REFUSED)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "option '%s' (%s) is not supported: %s", option->long_name,
					 option->short_name, option->note);
	if (option->choices && !is_choice(option->choices, value))
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Value '%s' is not defined for option '%s'", value,
					 option->long_name + 2);
	if (option->argument == OPTION_BOOL && strcmp(value, "true") && strcmp(value, "false"))
		return refuse("'%s': expected true or false", value);
	if (value && (option->argument == OPTION_LIST || option->argument == OPTION_NAME ||
		      option->argument == OPTION_MAYBE))
		split_list(value, &list);
	else if (value)
		words_add(&list, value);

	switch (option->effect) {
	case EFFECT_NONE:
		break;
	case EFFECT_FLAG:
		*(bool *)field = true;
		break;
	case EFFECT_TEXT:
		set_text(command, option, field, value);
		break;
	case EFFECT_WORDS:
		words_append(field, &list);
		break;
	case EFFECT_FLAGS:
		/* A macro's value may hold commas; nvcc splits it all the same. */
		for (size_t i = 0; i < list.n; i++) {
			char *plain = unescape_quotes(list.at[i]);
			words_addf(field, "%s%s", option->short_name, plain);
			free(plain);
		}
		break;
	case EFFECT_NUMBER:
		*(int *)field = option->value;
		break;
	case EFFECT_TRUTH:
		*(int *)field = !strcmp(value, "true");
		break;
	case EFFECT_GPU:
		command->gpu = true;
		words_append(&command->gpus, &list);
		break;
	case EFFECT_PHASE:
		set_phase(command, option);
		break;
	}
	words_fini(&list);
	return NULL;
}

static struct cudasim_error *parse_words(struct command *command, const struct words *words,
					 int depth);

static struct cudasim_error *parse_file(struct command *command, const char *path, int depth)
{
	if (depth >= MAX_NESTED_FILES)
		return refuse("'%s': options files are nested too deeply", path);
	FILE *file = fopen(path, "re");
	if (!file)
		return cudasim_error_errno(errno, "cannot open options file '%s'", path);
	char *text = NULL;
	size_t size = 0;
	if (getdelim(&text, &size, 0, file) < 0 && ferror(file)) {
		int errnum = errno;
		fclose(file);
		free(text);
		return cudasim_error_errno(errnum, "cannot read options file '%s'", path);
	}
	fclose(file);
	struct words words = {0};
	struct cudasim_error *error = NULL;
	if (text && !words_parse(&words, text))
		error = refuse("options file '%s': a quote is not closed", path);
	else
		error = parse_words(command, &words, depth + 1);
	words_fini(&words);
	free(text);
	return error;
}

/* Unknown options are kept for the host's tools where the command asks for it,
 * wherever on the line it does. */
static struct cudasim_error *unknown(struct command *command, const char *word)
{
	if (command->forward_both || command->forward_compiler)
		words_add(&command->host_options, word);
	if (command->forward_both || (command->forward_linker && !command->forward_compiler))
		words_add(&command->linker_options, word);
	if (command->forward_both || command->forward_compiler || command->forward_linker)
		return NULL;
	return refuse("Unknown option '%s'", word);
}

static struct cudasim_error *parse_words(struct command *command, const struct words *words,
					 int depth)
{
	for (size_t i = 0; i < words->n; i++) {
		const char *word = words->at[i], *value;
		if (word[0] != '-' || !word[1]) {
			words_add(&command->input_paths, word);
			continue;
		}
		const struct option *option = find_option(word, &value);
		struct cudasim_error *error = NULL;
		if (!option) {
			error = unknown(command, word);
		} else if (option->argument == OPTION_ALONE) {
			error = value ? refuse("no argument expected after '%s'", word)
				      : apply(command, option, NULL);
		} else if (option->argument == OPTION_MAYBE) {
			error = value && !*value ? refuse("argument expected after '%s'", word)
						 : apply(command, option, value);
		} else if (!value || (!*value && option->argument >= OPTION_NAME)) {
			if (i + 1 == words->n)
				error = refuse("argument expected after '%s'", word);
			else
				error = apply(command, option, words->at[++i]);
		} else {
			error = apply(command, option, value);
		}
		while (!error && command->option_files.n) {
			char *path = command->option_files.at[--command->option_files.n];
			error = parse_file(command, path, depth);
			free(path);
		}
		if (error)
			return error;
	}
	return NULL;
}

static struct cudasim_error *parse_variable(struct command *command, const char *name,
					    const char *text)
{
	struct words words = {0};
	struct cudasim_error *error = NULL;
	if (text && !words_parse(&words, text))
		error = refuse("%s: a quote is not closed", name);
	else
		error = parse_words(command, &words, 0);
	words_fini(&words);
	return error;
}

static const struct {
	const char *suffix;
	enum input_kind kind;
} suffixes[] = {
	{".cu", INPUT_CUDA},     {".c", INPUT_C},        {".cc", INPUT_CXX},
	{".cpp", INPUT_CXX},     {".cxx", INPUT_CXX},    {".C", INPUT_CXX},
	{".c++", INPUT_CXX},     {".i", INPUT_C},        {".ii", INPUT_CXX},
	{".o", INPUT_OBJECT},    {".obj", INPUT_OBJECT}, {".a", INPUT_ARCHIVE},
	{".lib", INPUT_ARCHIVE}, {".so", INPUT_SHARED},  {".ptx", INPUT_PTX},
	{".ltoir", INPUT_LTOIR}, {".ll", INPUT_NVVM},    {".bc", INPUT_NVVM},
};

const char *command_suffix(size_t i)
{
	return i < sizeof suffixes / sizeof *suffixes ? suffixes[i].suffix + 1 : NULL;
}

static struct cudasim_error *kind_of(const struct command *command, const char *path,
				     enum input_kind *ret)
{
	static const char *const gpu[] = {".gpu", ".cubin", ".fatbin", ".optixir"};
	for (size_t i = 0; i < sizeof gpu / sizeof *gpu; i++)
		if (text_ends(path, gpu[i]))
			return cudasim_error_new(
				CUDASIM_E_UNSUPPORTED,
				"'%s': files of GPU code cannot be compiled for the "
				"CPU; give the CUDA source",
				path);
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		if (!text_ends(name, suffixes[i].suffix))
			continue;
		*ret = suffixes[i].kind;
		if (command->language && *ret <= INPUT_CXX)
			*ret = !strcmp(command->language, "cu")  ? INPUT_CUDA
			       : !strcmp(command->language, "c") ? INPUT_C
								 : INPUT_CXX;
		return NULL;
	}
	if (strstr(name, ".so.")) {
		*ret = INPUT_SHARED;
	} else if (command->language) {
		*ret = !strcmp(command->language, "cu")  ? INPUT_CUDA
		       : !strcmp(command->language, "c") ? INPUT_C
							 : INPUT_CXX;
	} else {
		return refuse("Don't know what to do with '%s'", path);
	}
	return NULL;
}

static const char *path_of_kind(const struct command *command, enum input_kind kind)
{
	for (size_t i = 0; i < command->input_paths.n; i++)
		if (command->inputs[i].kind == kind)
			return command->inputs[i].path;
	return "";
}

/* NVVM IR makes one image of all inputs, a part of a program: what it lacks another has. */
static struct cudasim_error *check_nvvm(struct command *command)
{
	if (!command_has_nvvm(command))
		return command->lazy_modules.n
			       ? refuse("%s is for NVVM IR (.ll, .bc)", "--lazy-module")
			       : NULL;
	for (size_t i = 0; i < command->input_paths.n; i++)
		if (command->inputs[i].kind != INPUT_NVVM)
			return refuse(
				"'%s': NVVM IR (.ll, .bc) is compiled with other NVVM IR only",
				command->inputs[i].path);
	if (!command_makes_image(command) || command->image_link)
		return refuse("'%s': NVVM IR is compiled with -ptx, -cubin, -fatbin or "
			      "-ltoir",
			      command->inputs[0].path);
	if (command->gpu)
		return refuse("'%s': --gpu is for CUDA sources", command->inputs[0].path);
	command->relocatable = 1;
	return NULL;
}

static struct cudasim_error *check(struct command *command)
{
	static const char werror_kinds[] =
		"all-warnings|cross-execution-space-call|default-stream-launch|"
		"deprecated-declarations|ext-lambda-captures-this|missing-launch-bounds|reorder";
	for (size_t i = 0; i < command->errors.n; i++)
		if (!is_choice(werror_kinds, command->errors.at[i]))
			return refuse("Value '%s' is not defined for option 'Werror'",
				      command->errors.at[i]);
	if (command->help || command->version || command->list_code || command->list_architectures)
		return NULL;
	size_t n = command->input_paths.n;
	if (!n)
		return refuse("No input files specified; use option --help for more %s",
			      "information");
	command->inputs = calloc(n, sizeof *command->inputs);
	if (!command->inputs)
		return &cudasim_error_nomem;
	size_t n_sources = 0;
	bool has_ptx = false;
	for (size_t i = 0; i < n; i++) {
		command->inputs[i].path = command->input_paths.at[i];
		struct cudasim_error *error = kind_of(command, command->inputs[i].path,
						      &command->inputs[i].kind);
		if (error)
			return error;
		n_sources += command->inputs[i].kind <= INPUT_CXX ||
			     (command->inputs[i].kind == INPUT_PTX && !command->image_link);
		has_ptx |= command->inputs[i].kind == INPUT_PTX;
	}
	struct cudasim_error *wrong = check_nvvm(command);
	if (wrong)
		return wrong;
	if (has_ptx && command->phase != PHASE_CUBIN && command->phase != PHASE_FATBIN)
		return refuse(
			"'%s': PTX is compiled with -cubin or -fatbin, and linked with -dlink beside "
			"one of them",
			path_of_kind(command, INPUT_PTX));
	if (has_ptx && command->gpu)
		return refuse("'%s': with --gpu use ptxas for PTX",
			      path_of_kind(command, INPUT_PTX));
	if (*path_of_kind(command, INPUT_LTOIR) && !command->image_link)
		return refuse("'%s': what -ltoir made is linked with -dlink beside -ptx, -cubin or "
			      "-fatbin",
			      path_of_kind(command, INPUT_LTOIR));
	if (command->image_link && command->gpu)
		return refuse("'%s': -dlink with -ptx, -cubin and -fatbin makes no code for GPUs",
			      command->inputs[0].path);
	if (command->image_link && n_sources)
		return refuse(
			"'%s': -dlink with -ptx, -cubin and -fatbin links PTX, objects and what "
			"-ltoir made, no sources",
			command->inputs[0].path);
	bool links = command->phase <= PHASE_LIBRARY || command->phase == PHASE_DEVICE_LINK;
	if (!links && command->output && n_sources > 1)
		return refuse("A single input file is required for a non-link phase when an %s "
			      "is specified",
			      "outputfile");
	if (command->depend && command->phase == PHASE_PREPROCESS)
		return refuse("%s cannot be used with option '-E'",
			      command->depend == DEPEND_ALL ? "'-MD'" : "'-MMD'");
	if (command->depend && n_sources > 1 &&
	    (command->depend_file || (command->output && !links)))
		return refuse("%s: a single input file is required", "-MF");
	if (command->max_registers &&
	    (!*command->max_registers ||
	     command->max_registers[strspn(command->max_registers, "0123456789")]))
		return refuse("'%s': expected a number", command->max_registers);
	return NULL;
}

struct cudasim_error *command_parse(int n, char *const *arguments, const char *prepend,
				    const char *append, struct command *ret)
{
	*ret = (struct command){
		.relocatable = -1,
		.ftz = -1,
		.precise_division = -1,
		.precise_sqrt = -1,
		.fmad = -1,
	};
	struct words words = {0};
	for (int i = 0; i < n; i++) {
		words_add(&words, arguments[i]);
		/* Known before the first unknown option is met. */
		ret->forward_both |= !strcmp(arguments[i], "-forward-unknown-opts") ||
				     !strcmp(arguments[i], "--forward-unknown-opts");
		ret->forward_compiler |=
			!strcmp(arguments[i], "-forward-unknown-to-host-compiler") ||
			!strcmp(arguments[i], "--forward-unknown-to-host-compiler");
		ret->forward_linker |= !strcmp(arguments[i], "-forward-unknown-to-host-linker") ||
				       !strcmp(arguments[i], "--forward-unknown-to-host-linker");
	}
	struct cudasim_error *error = parse_variable(ret, "NVCC_PREPEND_FLAGS", prepend);
	if (!error)
		error = parse_words(ret, &words, 0);
	if (!error)
		error = parse_variable(ret, "NVCC_APPEND_FLAGS", append);
	if (!error)
		error = check(ret);
	words_fini(&words);
	return error;
}

bool command_is_relocatable(const struct command *command)
{
	if (command->phase == PHASE_DEVICE_C || command->phase == PHASE_LTOIR)
		return true;
	return command->phase != PHASE_DEVICE_W && !command->image_link &&
	       command->relocatable == 1;
}

bool command_has_nvvm(const struct command *command)
{
	return *path_of_kind(command, INPUT_NVVM);
}

bool command_makes_image(const struct command *command)
{
	return command->phase >= PHASE_PTX && command->phase <= PHASE_LTOIR;
}

void command_fini(struct command *command)
{
	/* Every text and list that an option may have set. */
	for (size_t i = 0; i < n_options; i++) {
		void *field = (char *)command + option_table[i].field;
		if (option_table[i].effect == EFFECT_TEXT) {
			free(*(char **)field);
			*(char **)field = NULL;
		} else if (option_table[i].effect == EFFECT_WORDS ||
			   option_table[i].effect == EFFECT_FLAGS) {
			words_fini(field);
		}
	}
	words_fini(&command->input_paths);
	words_fini(&command->gpus);
	words_fini(&command->warnings);
	free(command->inputs);
	command->inputs = NULL;
}
