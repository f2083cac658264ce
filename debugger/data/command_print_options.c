/* SPDX-License-Identifier: Apache-2.0 */
/* command_print_options.c - print's own options, and the print settings given as
 * options for one command. */
#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "command_data.h"
#include "error.h"
#include "value.h"

static const struct {
	const char *name;
	bool is_number;
	size_t offset; /* in struct print_settings */
} options_known[] = {
	{"address", false, offsetof(struct print_settings, address)},
	{"array", false, offsetof(struct print_settings, array)},
	{"array-indexes", false, offsetof(struct print_settings, array_indexes)},
	{"elements", true, offsetof(struct print_settings, elements)},
	{"max-depth", true, offsetof(struct print_settings, max_depth)},
	{"object", false, offsetof(struct print_settings, object)},
	{"pretty", false, offsetof(struct print_settings, pretty)},
	{"repeats", true, offsetof(struct print_settings, repeats)},
	{"static-members", false, offsetof(struct print_settings, static_members)},
	{"symbol", false, offsetof(struct print_settings, symbol)},
	{"union", false, offsetof(struct print_settings, unions)},
};

static bool take_word(const char **text, const char *word)
{
	size_t n = strlen(word);
	if (strncmp(*text, word, n) || ((*text)[n] && !isspace((unsigned char)(*text)[n])))
		return false;
	*text = *text + n + strspn(*text + n, " \t");
	return true;
}

static void take_bool(const char **text, bool *ret)
{
	static const char *const off[] = {"off", "no", "disable"}, *const on[] = {"on", "yes",
										  "enable"};
	*ret = true;
	for (size_t i = 0; i < 3; i++) {
		if (take_word(text, off[i])) {
			*ret = false;
			return;
		}
		if (take_word(text, on[i]))
			return;
	}
}

static struct cudasim_error *take_number(const char **text, const char *name, uint32_t *ret)
{
	char *end = NULL;
	if (take_word(text, "unlimited")) {
		*ret = strcmp(name, "max-depth") ? 0 : UINT32_MAX;
		return NULL;
	}
	unsigned long number = isdigit((unsigned char)**text) ? strtoul(*text, &end, 10)
							      : ULONG_MAX;
	if (number > UINT32_MAX || (*end && !isspace((unsigned char)*end)))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "-%s requires an argument", name);
	*ret = (uint32_t)number;
	*text = end + strspn(end, " \t");
	return NULL;
}

/* Options may be cut as long as they are unambiguous; an exact name always wins. */
static int find_option(const char *text, size_t n)
{
	int found = -1;
	for (size_t i = 0; i < sizeof options_known / sizeof *options_known; i++) {
		if (strncmp(options_known[i].name, text, n))
			continue;
		if (strlen(options_known[i].name) == n)
			return (int)i;
		found = found == -1 ? (int)i : -2;
	}
	return found;
}

static struct cudasim_error *take_option(const char **text, bool *ret)
{
	size_t n = strcspn(*text + 1, " \t");
	int i = n ? find_option(*text + 1, n) : -1;
	*ret = i >= 0;
	if (i == -2)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Ambiguous option at: %s", *text);
	if (i < 0)
		return NULL;
	*text += 1 + n;
	*text += strspn(*text, " \t");
	char *at = (char *)print_settings() + options_known[i].offset;
	if (options_known[i].is_number)
		return take_number(text, options_known[i].name, (uint32_t *)(void *)at);
	take_bool(text, (bool *)(void *)at);
	return NULL;
}

struct cudasim_error *print_options_begin(const char **argument, struct print_options *ret)
{
	struct cudasim_error *error = NULL;
	*ret = (struct print_options){.saved = malloc(sizeof *print_settings())};
	if (!ret->saved)
		return &cudasim_error_nomem;
	memcpy(ret->saved, print_settings(), sizeof *print_settings());
	/* A word that is no option begins the expression: -x is one, too. */
	while (**argument == '-' && !error) {
		bool taken = true;
		if (take_word(argument, "--"))
			break;
		if (take_word(argument, "-each-thread"))
			ret->each_thread = true;
		else if (take_word(argument, "-each-lane"))
			ret->each_lane = true;
		else if (take_word(argument, "-each-block"))
			ret->each_block = true;
		else
			error = take_option(argument, &taken);
		if (!taken)
			break;
	}
	if (!error && ret->each_thread + ret->each_lane + ret->each_block > 1)
		error = cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"-each-thread, -each-lane and -each-block exclude each other.");
	if (error)
		print_options_end(ret);
	return error;
}

void print_options_end(struct print_options *options)
{
	memcpy(print_settings(), options->saved, sizeof *print_settings());
	free(options->saved);
	options->saved = NULL;
}
