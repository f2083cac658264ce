/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of framed messages, fed in pieces: what it gives is what was framed. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message_stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct message_stream stream;
	int ends[2];
	if (size < 2 || size > 4096 || pipe(ends))
		return 0;
	size_t piece = 1 + data[0], at = 1;
	message_stream_init(&stream, ends[0]);
	while (!stream.ended) {
		size_t n = size - at < piece ? size - at : piece;
		if (n)
			assert(write(ends[1], data + at, n) == (ssize_t)n);
		else if (ends[1] >= 0)
			ends[1] = close(ends[1]) ? 0 : -1;
		at += n;
		message_stream_read(&stream);
		char *text;
		enum message_kind kind;
		do {
			kind = message_stream_next(&stream, &text, &n);
			assert((kind == MESSAGE_TEXT) == (text != NULL));
			assert(!text || (n <= size && !text[n]));
			free(text);
		} while (kind == MESSAGE_TEXT || kind == MESSAGE_TOO_LONG);
	}
	message_stream_fini(&stream);
	close(ends[0]);
	return 0;
}
