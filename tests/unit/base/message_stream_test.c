/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "message_stream.h"

/* What is written into a pipe, then read by pieces. */
struct both {
	int in;
	struct message_stream stream;
};

static void start(struct both *b)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	message_stream_init(&b->stream, ends[0]);
	b->in = ends[1];
}

static void end(struct both *b)
{
	if (b->in >= 0)
		close(b->in);
	close(b->stream.fd);
	message_stream_fini(&b->stream);
}

static void feed(struct both *b, const char *text)
{
	assert_int_equal(write(b->in, text, strlen(text)), strlen(text));
	message_stream_read(&b->stream);
}

static void expect(struct both *b, enum message_kind kind, const char *text)
{
	char *got;
	size_t n;
	assert_int_equal(message_stream_next(&b->stream, &got, &n), kind);
	if (text)
		assert_string_equal(got, text);
	free(got);
}

static void messages_come_in_pieces(void **state)
{
	struct both b;
	(void)state;
	start(&b);
	feed(&b, "Content-Le");
	expect(&b, MESSAGE_NONE, NULL);
	feed(&b, "ngth: 5\r\n\r");
	expect(&b, MESSAGE_NONE, NULL);
	feed(&b, "\nabc");
	expect(&b, MESSAGE_NONE, NULL);
	feed(&b, "decontent-type: x\r\ncontent-length:   1\r\n\r\nfContent-Length: 0\r\n\r\nC");
	expect(&b, MESSAGE_TEXT, "abcde");
	expect(&b, MESSAGE_TEXT, "f");
	expect(&b, MESSAGE_TEXT, "");
	expect(&b, MESSAGE_NONE, NULL);
	end(&b);
}

static void an_end_in_a_message_is_an_end(void **state)
{
	struct both b;
	(void)state;
	start(&b);
	feed(&b, "Content-Length: 5\r\n\r\nab");
	close(b.in);
	b.in = -1;
	message_stream_read(&b.stream);
	expect(&b, MESSAGE_END, NULL);
	expect(&b, MESSAGE_END, NULL);
	end(&b);
}

static void long_messages_are_passed_over(void **state)
{
	struct both b;
	(void)state;
	start(&b);
	feed(&b, "Content-Length: 16777217\r\n\r\n12345");
	expect(&b, MESSAGE_TOO_LONG, NULL);
	expect(&b, MESSAGE_NONE, NULL);
	assert_int_equal(b.stream.skip, 16777217 - 5);
	b.stream.skip = 2;
	feed(&b, "67Content-Length: 1\r\n\r\n8");
	expect(&b, MESSAGE_TEXT, "8");
	end(&b);
}

static void what_is_no_header_is_malformed(void **state)
{
	static const char *const wrong[] = {
		"POST / HTTP/1.1\r\n\r\n",
		"\r\n\r\n",
		"Content-Length: -1\r\n\r\n",
		"Content-Length: 1x\r\n\r\n",
		"Content-Length:\r\n\r\n",
		"Content-Length: 1234567890123456789\r\n\r\n",
		"Content-Length: 1\r\nHost: a\r\n\r\n",
		"Content-Length: 1\r\nContent-Length: 1\r\n\r\n",
		"Content-Type: a\r\n\r\n",
	};
	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct both b;
		start(&b);
		feed(&b, wrong[i]);
		expect(&b, MESSAGE_MALFORMED, NULL);
		feed(&b, "Content-Length: 1\r\n\r\n1"); /* nothing after it is read */
		expect(&b, MESSAGE_MALFORMED, NULL);
		end(&b);
	}
}

static void what_is_framed_is_read(void **state)
{
	struct both b;
	size_t size;
	(void)state;
	start(&b);
	char *framed = message_framed("{}", 2, &size);
	assert_memory_equal(framed, "Content-Length: 2\r\n\r\n{}", size);
	assert_true(message_write(b.in, framed, size));
	message_stream_read(&b.stream);
	expect(&b, MESSAGE_TEXT, "{}");
	free(framed);
	end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(messages_come_in_pieces),
		cmocka_unit_test(an_end_in_a_message_is_an_end),
		cmocka_unit_test(long_messages_are_passed_over),
		cmocka_unit_test(what_is_no_header_is_malformed),
		cmocka_unit_test(what_is_framed_is_read),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
