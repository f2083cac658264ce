/* SPDX-License-Identifier: Apache-2.0 */
/* assembly_fuzz.c - libFuzzer target: whatever the text, it is rewritten with as many lines, and
 * each place of the new text has one in the original. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "opaque_pointers.h"

static size_t lines_of(const char *text, size_t n)
{
	size_t lines = 1;
	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	return lines;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct opaque_text made;
	char *text = malloc(size + 1);
	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = 0;
	opaque_pointers(text, size, &made);
	size_t lines = lines_of(text, size);
	if (made.text.at[made.text.n] || lines_of(made.text.at, made.text.n) != lines)
		abort();
	for (unsigned i = 1; i <= lines; i++) {
		for (unsigned k = 0; k < 40; k += 13) {
			unsigned line = i, column = k;
			opaque_place(&made, text, &line, &column);
			if (line > lines)
				abort();
		}
	}
	opaque_text_fini(&made);
	free(text);
	return 0;
}
