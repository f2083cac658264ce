/* SPDX-License-Identifier: Apache-2.0 */
/* roff.h - texts of manuals (driver/common/manual.h) as the source of manual pages, for the macros
 * of man(7). What is typed is bold, placeholders are italic. */
#ifndef CUDASIM_DRIVER_ROFF_H
#define CUDASIM_DRIVER_ROFF_H

#include <stddef.h>
#include <stdio.h>

struct manual;

/* text[0..n) as it is, with roff's own characters protected. */
void roff_escape(FILE *out, const char *text, size_t n);

/* A paragraph in lines of its own. manual: whose placeholders they are, may be NULL. */
void roff_paragraph(FILE *out, const struct manual *manual, const char *text, size_t n);

/* Paragraphs and lines that stay as they are, with requests between. */
void roff_text(FILE *out, const struct manual *manual, const char *text);

/* Usage or an option's value, "[OPTIONS] a|b FILE...", without a line's end. */
void roff_syntax(FILE *out, const char *text, size_t n);

#endif
