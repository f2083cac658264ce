/* SPDX-License-Identifier: Apache-2.0 */
/* completion.h - what the manuals say about completing words, and the scripts for three shells. */
#ifndef CUDASIM_DRIVER_COMPLETION_H
#define CUDASIM_DRIVER_COMPLETION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "command_table.h"

enum completion {
	COMPLETE_NOTHING,
	COMPLETE_FILE,
	COMPLETE_FOLDER,
	COMPLETE_SOURCE,  /* of the suffixes of command_suffix() */
	COMPLETE_PROGRAM, /* and behind it what belongs to it */
	COMPLETE_TOPIC,   /* a command's name */
	COMPLETE_CHOICE,  /* one of the words in small letters */
	COMPLETE_LIST,    /* several of them with ',' between */
};

/* By a placeholder or choices; NULL is nothing. */
enum completion completion_of(const char *value);

/* The next of a value's choices, of the names of an option, ...: words with any of these
 * characters between. Moves *text; *ret is malloc'ed. False at the end. */
bool completion_next(const char **text, const char *separators, char **ret);

/* What completes the arguments of a command that are no options; *ret is the placeholder or the
 * choices, malloc'ed. */
enum completion completion_of_arguments(const struct manual *manual, char **ret);

/* Whether a word behind the option is its value. */
bool completion_takes_word(const struct manual_option *option);

/* text without the marks for what is typed, characters of `special` behind a '\'; each ' as
 * `quote` says. */
void completion_put(FILE *out, const char *text, const char *special, const char *quote);

void completion_bash(FILE *out);
void completion_zsh(FILE *out);
void completion_fish(FILE *out);

#endif
