/* SPDX-License-Identifier: Apache-2.0 */
/* rewrite.c - a text of LLVM's assembly language on stdin, with opaque pointers on stdout. */
#include <stdio.h>
#include <stdlib.h>

#include "opaque_pointers.h"

int main(void)
{
	VECTOR(char) text = {0};
	struct opaque_text made;
	for (int c; (c = getchar()) != EOF;)
		*vector_add(&text) = (char)c;
	opaque_pointers(text.at, text.n, &made);
	bool failed = fwrite(made.text.at, 1, made.text.n, stdout) != made.text.n;
	opaque_text_fini(&made);
	vector_fini(&text);
	return failed || fflush(stdout);
}
