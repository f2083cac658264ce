/* SPDX-License-Identifier: Apache-2.0 */
/* setting.c - set and show. */
#define _GNU_SOURCE
#include "setting.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "front_state.h"
#include "text.h"

/* A setting, and its value when it was registered, to know what has been changed. */
struct entry {
	struct setting setting;
	char *first;
};

static char *text_of(const struct setting *s)
{
	char number[32];
	switch (s->kind) {
	case SETTING_BOOL:
		return strdup(*(const bool *)s->value ? "on" : "off");
	case SETTING_NUMBER:
		if (!*(const uint32_t *)s->value)
			return strdup("unlimited");
		snprintf(number, sizeof number, "%u", *(const uint32_t *)s->value);
		return strdup(number);
	case SETTING_CHOICE:
		return strdup(s->choices[*(const int *)s->value]);
	case SETTING_TEXT:
		break;
	}
	return strdup(*(char *const *)s->value ? *(char *const *)s->value : "");
}

void settings_add(const struct setting *settings, size_t n)
{
	struct front_settings *own = &front_state()->settings;
	struct entry *more = realloc(own->entries, (own->n_entries + n) * sizeof *own->entries);
	if (!more)
		return;
	own->entries = more;
	for (size_t i = 0; i < n; i++)
		own->entries[own->n_entries++] = (struct entry){settings[i], text_of(&settings[i])};
}

/* ---- finding --------------------------------------------------------------------- */

/* Does text begin with the words of the name, each perhaps cut short? Length used, or 0. */
static size_t matches(const char *name, const char *text, bool *exact)
{
	const char *at = text;
	*exact = true;
	while (*name) {
		size_t word = strcspn(name, " "), typed = 0;
		at = text_skip(at);
		while (at[typed] && !isspace((unsigned char)at[typed]))
			typed++;
		if (!typed || typed > word || strncmp(name, at, typed) != 0)
			return 0;
		*exact = *exact && typed == word;
		name += word;
		while (*name == ' ')
			name++;
		at += typed;
	}
	return (size_t)(at - text);
}

static const struct setting *find(const char **text, bool *ambiguous)
{
	struct front_settings *own = &front_state()->settings;
	const struct setting *best = NULL;
	size_t length = 0;
	bool best_exact = false;
	*ambiguous = false;
	for (size_t i = 0; i < own->n_entries; i++) {
		bool exact;
		size_t n = matches(own->entries[i].setting.name, *text, &exact);
		if (!n || n < length || (n == length && best_exact))
			continue;
		*ambiguous = n == length && !exact;
		if (n == length && !exact)
			continue;
		best = &own->entries[i].setting;
		length = n;
		best_exact = exact;
	}
	if (best)
		*text = text_skip(*text + length);
	return best;
}

/* ---- set -------------------------------------------------------------------------- */

static struct cudasim_error *assign_bool(const struct setting *s, const char *value)
{
	static const char *const yes[] = {"", "on", "1", "yes", "enable"};
	static const char *const no[] = {"off", "0", "no", "disable"};
	for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
		if (!strcmp(value, yes[i]))
			return *(bool *)s->value = true, NULL;
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		if (!strcmp(value, no[i]))
			return *(bool *)s->value = false, NULL;
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "\"on\" or \"off\" expected.");
}

static struct cudasim_error *assign_number(const struct setting *s, const char *value)
{
	char *end;
	if (!*value)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Argument required (integer to set it to, or \"unlimited\".).");
	if (!strcmp(value, "unlimited"))
		return *(uint32_t *)s->value = 0, NULL;
	unsigned long number = strtoul(value, &end, 0);
	if (*end || *value == '-' || number > UINT32_MAX)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "integer %s out of range", value);
	*(uint32_t *)s->value = (uint32_t)number;
	return NULL;
}

static struct cudasim_error *assign_choice(const struct setting *s, const char *value)
{
	int found = -1, n = 0;
	for (int i = 0; s->choices[i]; i++) {
		if (strncmp(s->choices[i], value, strlen(value)) != 0)
			continue;
		n++;
		found = i;
		if (!strcmp(s->choices[i], value)) {
			n = 1;
			break;
		}
	}
	if (n == 1 && *value)
		return *(int *)s->value = found, NULL;
	char all[256] = "";
	for (int i = 0; s->choices[i]; i++)
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "",
			 s->choices[i]);
	if (!*value)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Requires an argument. Valid arguments are %s.", all);
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "%s item: \"%s\".",
				 n ? "Ambiguous" : "Undefined", value);
}

struct cudasim_error *setting_assign(const char *argument, bool *found)
{
	bool ambiguous;
	const struct setting *s = find(&argument, &ambiguous);
	struct cudasim_error *error = NULL;
	*found = s;
	if (!s)
		return NULL;
	switch (s->kind) {
	case SETTING_BOOL:
		error = assign_bool(s, argument);
		break;
	case SETTING_NUMBER:
		error = assign_number(s, argument);
		break;
	case SETTING_CHOICE:
		error = assign_choice(s, argument);
		break;
	case SETTING_TEXT:
		free(*(char **)s->value);
		*(char **)s->value = strdup(argument);
		break;
	}
	if (!error && s->changed)
		s->changed();
	return error;
}

struct cudasim_error *setting_text(const char *argument, char **ret)
{
	bool ambiguous;
	const struct setting *s = find(&argument, &ambiguous);
	*ret = NULL;
	if (!s)
		return NULL;
	char *value = text_of(s);
	int n = asprintf(ret, "%s %s", s->name, value ? value : "");
	free(value);
	return n < 0 ? &cudasim_error_nomem : NULL;
}

/* ---- show -------------------------------------------------------------------------- */

/* The format holds one %s. */
static void print_setting(FILE *out, const struct setting *s)
{
	char *value = text_of(s);
	const char *at = s->show ? strstr(s->show, "%s") : NULL;
	if (at)
		fprintf(out, "%.*s%s%s\n", (int)(at - s->show), s->show, value, at + 2);
	else
		fprintf(out, "%s is %s.\n", s->name, value);
	free(value);
}

struct cudasim_error *setting_show(FILE *out, const char *argument)
{
	struct front_settings *own = &front_state()->settings;
	bool ambiguous, any = false;
	const char *text = argument;
	const struct setting *s = *argument ? find(&text, &ambiguous) : NULL;
	if (s && !*text) {
		print_setting(out, s);
		return NULL;
	}
	/* All that begin so: show print, show cuda. */
	size_t n = strlen(argument);
	for (size_t i = 0; i < own->n_entries; i++) {
		const char *name = own->entries[i].setting.name;
		if (strncmp(name, argument, n) != 0 || (n && name[n] && name[n] != ' '))
			continue;
		fprintf(out, "%s:  ", name);
		print_setting(out, &own->entries[i].setting);
		any = true;
	}
	if (any)
		return NULL;
	return cudasim_error_new(CUDASIM_E_NOTFOUND,
				 "Undefined show command: \"%s\".  Try \"help show\".", argument);
}

bool setting_is_group(const char *word, size_t n)
{
	struct front_settings *own = &front_state()->settings;
	for (size_t i = 0; n && i < own->n_entries; i++)
		if (!strncmp(own->entries[i].setting.name, word, n) &&
		    own->entries[i].setting.name[n] == ' ')
			return true;
	return false;
}

bool setting_help(FILE *out, const char *verb, const char *name)
{
	bool ambiguous, is_set = !strncmp(verb, "set", 3);
	char *whole = NULL;
	if (!is_set && strncmp(verb, "show", 4) != 0)
		return false;
	/* `set cuda` is a command of its own. */
	const char *more = strchr(verb, ' ');
	if (more && asprintf(&whole, "%s %s", more + 1, name) < 0)
		return false;
	const char *text = more ? whole : name;
	const struct setting *s = find(&text, &ambiguous);
	bool found = s && !*text;
	if (found) {
		fprintf(out, "set %s\n%s", s->name, s->summary ? s->summary : s->name);
		fputs(s->summary && s->summary[0] && s->summary[strlen(s->summary) - 1] == '.'
			      ? "\n"
			      : ".\n",
		      out);
		static const char *const values[] = {[SETTING_BOOL] = "on|off",
						     [SETTING_NUMBER] = "NUMBER|unlimited",
						     [SETTING_TEXT] = "TEXT"};
		fprintf(out, "Usage: set %s ", s->name);
		for (int i = 0; s->kind == SETTING_CHOICE && s->choices[i]; i++)
			fprintf(out, "%s%s", i ? "|" : "", s->choices[i]);
		fprintf(out, "%s\n", s->kind == SETTING_CHOICE ? "" : values[s->kind]);
		print_setting(out, s);
	}
	free(whole);
	return found;
}

void setting_each(void (*f)(void *user, const struct setting *), void *user)
{
	struct front_settings *own = &front_state()->settings;
	for (size_t i = 0; i < own->n_entries; i++)
		f(user, &own->entries[i].setting);
}

void setting_each_word(const char *text, size_t n, void (*f)(void *, const char *), void *user)
{
	struct front_settings *own = &front_state()->settings;
	/* Behind "set" or "show". */
	size_t verb = strcspn(text, " ");
	if (n <= verb || (strncmp(text, "set ", 4) != 0 && strncmp(text, "show ", 5) != 0))
		return;
	for (size_t i = 0; i < own->n_entries; i++) {
		const char *rest = text_after_words(own->entries[i].setting.name, text + verb,
						    n - verb);
		char word[64];
		if (!rest)
			continue;
		snprintf(word, sizeof word, "%.*s", (int)strcspn(rest, " "), rest);
		f(user, word);
	}
}

void settings_save(FILE *out)
{
	struct front_settings *own = &front_state()->settings;
	for (size_t i = 0; i < own->n_entries; i++) {
		char *now = text_of(&own->entries[i].setting);
		if (now && own->entries[i].first && strcmp(now, own->entries[i].first) != 0)
			fprintf(out, "set %s %s\n", own->entries[i].setting.name, now);
		free(now);
	}
}

void settings_reset(void)
{
	struct front_settings *own = &front_state()->settings;
	for (size_t i = 0; i < own->n_entries; i++) {
		char *now = text_of(&own->entries[i].setting), *line = NULL;
		bool found;
		if (now && own->entries[i].first && strcmp(now, own->entries[i].first) != 0 &&
		    asprintf(&line, "%s %s", own->entries[i].setting.name, own->entries[i].first) >
			    0)
			cudasim_error_free(setting_assign(line, &found));
		free(line);
		free(now);
	}
}

/* ---- over a restart ---------------------------------------------------------------- */

void restart_saves(void (*save)(FILE *out))
{
	struct front_settings *own = &front_state()->settings;
	if (own->n_saves < sizeof own->saves / sizeof *own->saves)
		own->saves[own->n_saves++] = save;
}

bool *session_same_run(void)
{
	return &front_state()->settings.same_run;
}

void search_saves(void (*save)(FILE *out))
{
	front_state()->settings.search = save;
}

void search_save(FILE *out)
{
	if (front_state()->settings.search)
		front_state()->settings.search(out);
}

void restart_save(FILE *out)
{
	const struct front_settings *own = &front_state()->settings;
	for (size_t i = 0; i < own->n_saves; i++)
		own->saves[i](out);
}
