/* SPDX-License-Identifier: Apache-2.0 */
/* manual.h - what there is to say about a command. `cudasim help`, the manual pages and the
 * completions of the shells are made of it (driver/manual).
 *
 * Texts: each line is a paragraph, of any length, and begins with a capital. Lines that begin with
 * a blank are shown as they are. `...` is what one types. Words in capitals that stand in the usage
 * or are an option's value are placeholders.
 *
 * What a placeholder is called says what completes it: FILE, FOLDER, SOURCE (what cudasim cc
 * takes), PROGRAM (the words after it are the program's own), TOPIC (a command's name); words in
 * small letters with '|' or ',' between are the choices. */
#ifndef CUDASIM_DRIVER_MANUAL_H
#define CUDASIM_DRIVER_MANUAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* How an option's value follows it. */
enum manual_joint {
	MANUAL_WORD,     /* the next word, or behind '=' */
	MANUAL_GLUED,    /* as WORD, or without anything between: -Ifolder */
	MANUAL_OPTIONAL, /* behind '=', and may be left out */
};

enum manual_status {
	MANUAL_DONE,
	MANUAL_ACCEPTED, /* without effect; the text says why, or is NULL */
	MANUAL_REFUSED,  /* the text says why */
};

struct manual_option {
	const char *names; /* with dashes, and ", " between: "-q, --quiet" */
	const char *value; /* its placeholder or choices; NULL: it takes none */
	const char *text;  /* what it does: no capital, no full stop */
	enum manual_joint joint;
	enum manual_status status;
};
#define MANUAL_OPTION(names_, value_, text_) {names_, value_, text_, MANUAL_WORD, MANUAL_DONE}

/* A line to type, an exit status or a file, and what there is to say about it; text may be NULL. */
struct manual_row {
	const char *head, *text;
};

struct manual {
	const char *name;
	const char *summary; /* as an option's text, in 60 letters */
	const char *usage; /* the arguments, a line for each form */
	const char *text;
	const struct manual_option *options; /* NULL, or ends with an option without names */
	/* In the place of `options`, for tables that are there for other reasons: writes the ith
	 * to *ret, whose texts live until the next call; false where there is none. */
	bool (*option)(size_t i, struct manual_option *ret);
	const char *notes; /* said behind the options; may be NULL */
	/* May be NULL; each ends with a row without a head. */
	const struct manual_row *examples, *statuses, *files;
	const char *variables; /* of base/env.c, blanks between; may be NULL */
	const struct manual_row *others; /* variables that others define; as examples */
	const char *see; /* commands, blanks between; may be NULL */
};

/* The ith option of a command, from either source; false where there is none. */
bool manual_option(const struct manual *manual, size_t i, struct manual_option *ret);

/* What follows the option's names: " FILE", "[=TOOLS]" or "". *ret holds size bytes. */
void manual_value(const struct manual_option *option, char *ret, size_t size);

/* All of the command, for a terminal. */
void manual_print(FILE *out, const struct manual *manual);

/* Examples, with their title. */
void manual_examples(FILE *out, const struct manual_row *row);

/* text in lines of 80 columns, whose first begins in column `at` and the others at `indent`. */
void manual_wrap(FILE *out, const char *text, size_t n, size_t at, size_t indent);

/* The paragraphs of a text, with empty lines between those that are not shown as they are. */
void manual_paragraphs(FILE *out, const char *text);

#endif
