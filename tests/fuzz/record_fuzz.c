/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of recordings, and what a side makes of them: two recordings are in the input,
 * cut where its first two bytes say, and are compared as far as files can be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"

struct bytes {
	const unsigned char *at;
	size_t n;
};

static ssize_t read_bytes(void *from, void *to, size_t n)
{
	struct bytes *b = from;
	if (n > b->n)
		n = b->n;
	memcpy(to, b->at, n);
	b->at += n;
	b->n -= n;
	return (ssize_t)n;
}

static void open_side(struct side *side, const char *name, struct bytes *bytes)
{
	side_init(side, name, -1, false, name);
	side->reader.read = read_bytes;
	side->reader.from = bytes;
}

int LLVMFuzzerTestOneInput(const unsigned char *bytes, size_t n)
{
	struct comparison c = {.tolerance = {.is_given = true, .ulp = 1}};
	struct side a, b;
	if (n < 2)
		return 0;
	size_t cut = 2 + (bytes[0] | bytes[1] << 8) % (n - 1);
	struct bytes first = {bytes + 2, cut - 2}, second = {bytes + cut, n - cut};
	open_side(&a, "a", &first);
	open_side(&b, "b", &second);
	for (bool more[2] = {true, true}; more[0] && more[1] && !c.divergence;) {
		struct cudasim_error *error = side_next(&a, &more[0]);
		if (!error)
			error = side_next(&b, &more[1]);
		if (!error && more[0] && more[1])
			error = compare_launches(&c, &a, &b);
		if (error)
			more[0] = false;
		cudasim_error_free(error);
	}
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	compare_report_text(out, &c, &a, &b, 3);
	cudasim_error_free(compare_report_json(out, &c, &a, &b));
	fclose(out);
	free(text);
	comparison_fini(&c);
	side_fini(&a);
	side_fini(&b);
	return 0;
}
