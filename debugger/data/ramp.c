/* SPDX-License-Identifier: Apache-2.0 */
/* ramp.c - numbers as colours or characters. */
#include "ramp.h"

#include <stdlib.h>
#include <string.h>

#include "command_table.h"
#include "console.h"

static const char ramp[] = " .:-=+*#%@";
static const unsigned char colours[] = {17, 18, 19,  20,  26,  32,  38,  44,  43,  42,  41,
					40, 76, 112, 148, 184, 220, 214, 208, 202, 196, 160};
enum { N_RAMP = sizeof ramp - 1, N_COLOURS = sizeof colours };

bool ramp_has_colours(void)
{
	const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
	return !(no && *no) && !(terminal && !strcmp(terminal, "dumb")) && console_is_terminal();
}

static size_t step_of(long double part, size_t n)
{
	size_t step = part > 0 ? (size_t)(part * (long double)n) : 0;
	return step < n ? step : n - 1;
}

void ramp_cell(bool coloured, long double part)
{
	if (coloured)
		fprintf(console(), "\033[48;5;%dm  \033[0m", colours[step_of(part, N_COLOURS)]);
	else
		fputc(ramp[step_of(part, N_RAMP)], console());
}

void ramp_letter(bool coloured, char letter)
{
	fprintf(console(), coloured ? "\033[0;7m%c \033[0m" : "%c", letter);
}

void ramp_legend(bool coloured)
{
	for (size_t i = 0; i < (coloured ? N_COLOURS : N_RAMP); i++) {
		if (coloured)
			fprintf(console(), "\033[48;5;%dm \033[0m", colours[i]);
		else
			fputc(ramp[i], console());
	}
}

/* The palette's colours from 16 on are a cube of six steps along each side. */
void ramp_rgb(long double part, unsigned char ret[3])
{
	static const unsigned char steps[] = {0, 95, 135, 175, 215, 255};
	unsigned colour = colours[step_of(part, N_COLOURS)] - 16u;
	ret[0] = steps[colour / 36];
	ret[1] = steps[colour / 6 % 6];
	ret[2] = steps[colour % 6];
}
