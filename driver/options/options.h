/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - every option of nvcc 13.0, and what cudasim does with it.
 *
 * The one table of options: parsing, `cudasim help cc` and the test that
 * compares it with nvcc's own list all read it. */
#ifndef CUDASIM_DRIVER_OPTIONS_H
#define CUDASIM_DRIVER_OPTIONS_H

#include <stddef.h>

struct command;

enum option_status {
	OPTION_DONE,    /* does what nvcc's does */
	OPTION_IGNORED, /* accepted without effect; the note says why that is right */
	OPTION_REFUSED, /* ends the command; the note says why */
};

enum option_argument {
	OPTION_ALONE, /* none */
	OPTION_ONE,   /* one value: the next word, or after '=' */
	OPTION_BOOL,  /* as ONE, and the value is true or false */
	OPTION_MAYBE, /* a list after '=', or nothing */
	OPTION_LIST,  /* as ONE, and the value is a list with commas */
	OPTION_NAME,  /* as LIST, but the value may also be glued on: -Ifolder */
	OPTION_LEVEL, /* as ONE, but the value may also be glued on: -O3 */
};

/* How a value gets into struct command. */
enum option_effect {
	EFFECT_NONE,
	EFFECT_FLAG,   /* bool field = true */
	EFFECT_TEXT,   /* char *field = value, a different one before is warned about */
	EFFECT_WORDS,  /* struct words field gets the values */
	EFFECT_FLAGS,  /* struct words field gets short name + value, one word each */
	EFFECT_NUMBER, /* int field = value, or `value` of the table if it takes none */
	EFFECT_PHASE,  /* enum command_phase field = `value` */
	EFFECT_GPU,   /* --gpu */
	EFFECT_TRUTH,  /* int field = 0 or 1; -1 means not given */
};

struct option {
	const char *long_name;  /* with its dashes */
	const char *short_name; /* with its dash */
	enum option_argument argument;
	enum option_status status;
	enum option_effect effect;
	size_t field; /* offset in struct command */
	int value;
	const char *choices; /* "a|b|c": the values allowed, or NULL */
	const char *placeholder; /* for people, of those that take one that is not of `choices` */
	const char *note;    /* what it does; of IGNORED and REFUSED, why that is so */
};

extern const struct option option_table[];
extern const size_t n_options;
/* The options from here on are not nvcc's: its host compilers' that people
 * give nvcc wrappers such as CMake's or that cudasim adds. */
extern const size_t n_nvcc_options;

#endif
