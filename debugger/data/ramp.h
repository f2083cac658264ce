/* SPDX-License-Identifier: Apache-2.0 */
/* ramp.h - numbers as colours or characters, from the least to the greatest.
 *
 * Colours are of the 256-colour palette, from dark blue over green and yellow to red, cells two
 * columns wide so that they are about square. */
#ifndef CUDASIM_DEBUGGER_RAMP_H
#define CUDASIM_DEBUGGER_RAMP_H

#include <stdbool.h>

/* Whether the console shows colours: it is a terminal, and neither NO_COLOR nor TERM says no. */
bool ramp_has_colours(void);
/* A cell for a number that is so far, 0..1, from the least to the greatest. */
void ramp_cell(bool coloured, long double part);
/* A cell for what is no number. */
void ramp_letter(bool coloured, char letter);
/* All cells side by side. */
void ramp_legend(bool coloured);
/* The colour in a picture. */
void ramp_rgb(long double part, unsigned char ret[3]);

#endif
