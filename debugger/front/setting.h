/* SPDX-License-Identifier: Apache-2.0 */
/* setting.h - what the user can set: each room registers its own. */
#ifndef CUDASIM_DEBUGGER_SETTING_H
#define CUDASIM_DEBUGGER_SETTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cudasim/error.h"

/* Settings: `set NAME VALUE`, `show NAME`. Each file may register its own. */
enum setting_kind {
	SETTING_BOOL,
	SETTING_NUMBER /* "unlimited" is 0 */,
	SETTING_CHOICE,
	SETTING_TEXT
};
struct setting {
	const char *name; /* "print pretty", "cuda break_on_launch", "step-unit" */
	enum setting_kind kind;
	void *value; /* bool*, uint32_t*, int* (index of choice), char** */
	const char *const *choices; /* of CHOICE, ends with NULL */
	const char *show; /* format of `show`, %s is the value: "Height is %s." */
	const char *summary;
	void (*changed)(void); /* may be NULL */
};
/* They are copied. */
void settings_add(const struct setting *settings, size_t n);

/* Help for `set NAME` and `show NAME`: false where verb is neither or there is no such
 * setting. */
bool setting_help(FILE *out, const char *verb, const char *name);
void setting_each(void (*f)(void *user, const struct setting *), void *user);
struct cudasim_error *setting_assign(const char *argument, bool *found);
struct cudasim_error *setting_show(FILE *out, const char *argument);
/* Of "NAME [VALUE]" the text that assigns the value that NAME has now; malloc'ed, NULL where
 * there is no such setting. */
struct cudasim_error *setting_text(const char *argument, char **ret);

/* Is word[0..n) the first of several words of settings: print, cuda? */
bool setting_is_group(const char *word, size_t n);
void setting_each_word(const char *text, size_t n, void (*f)(void *user, const char *word),
		       void *user);
/* `set` commands for everything that is not as it was at the start. */
void settings_save(FILE *out);

/* Everything as it was at the start. */
void settings_reset(void);

/* Is the session written for a copy of this process (recording.h), where addresses and frames are the
 * same? Else for a new run. */
bool *session_same_run(void);
/* What has to be said again after a restart: each part registers a function that writes
 * commands (break ..., display ..., set ...). */
void restart_saves(void (*save)(FILE *out));
/* The same of what stops the program. */
void search_saves(void (*save)(FILE *out));
/* Call them all. */
void restart_save(FILE *out);
void search_save(FILE *out);

#endif
