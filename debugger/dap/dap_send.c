/* SPDX-License-Identifier: Apache-2.0 */
/* dap_send.c - messages to the client, and what requests have in them. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "dap_message.h"
#include "error.h"

/* ---- texts ------------------------------------------------------------------------- */

/* How many bytes the UTF-8 character at text has; 0: it is none. */
static size_t character(const unsigned char *text, size_t n)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t length = text[0] < 0x80 ? 1 : text[0] >> 5 == 6 ? 2 : text[0] >> 4 == 14 ? 3 : 4;
	if (length == 1)
		return 1;
	if (length > n || (length == 4 && text[0] >> 3 != 30))
		return 0;
	uint32_t code = text[0] & (0x7fu >> length);
	for (size_t i = 1; i < length; i++) {
		if (text[i] >> 6 != 2)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	bool is_wrong = code < least[length] || code > 0x10ffff ||
			(code >= 0xd800 && code < 0xe000);
	return is_wrong ? 0 : length;
}

json_t *dap_string(const char *text, size_t n)
{
	struct dap_buffer buffer;
	json_t *ret = json_stringn(text, n);
	if (ret)
		return ret;
	FILE *out = dap_open(&buffer);
	for (size_t i = 0; out && i < n;) {
		size_t length = character((const unsigned char *)text + i, n - i);
		if (length)
			fwrite(text + i, 1, length, out);
		else
			fputs("\xef\xbf\xbd", out);
		i += length ? length : 1;
	}
	if (!out || fclose(out))
		return NULL;
	ret = json_stringn(buffer.text, buffer.n);
	free(buffer.text);
	return ret;
}

json_t *dap_text(const char *text)
{
	return dap_string(text, strlen(text));
}

json_t *dap_format(const char *format, ...)
{
	struct dap_buffer buffer;
	va_list list;
	if (!dap_open(&buffer))
		return NULL;
	va_start(list, format);
	vfprintf(buffer.out, format, list);
	va_end(list);
	return dap_close(&buffer);
}

json_t *dap_address(uint64_t address)
{
	return dap_format("0x%" PRIx64, address);
}

FILE *dap_open(struct dap_buffer *buffer)
{
	*buffer = (struct dap_buffer){0};
	buffer->out = open_memstream(&buffer->text, &buffer->n);
	return buffer->out;
}

json_t *dap_close(struct dap_buffer *buffer)
{
	if (!buffer->out || fclose(buffer->out))
		return NULL;
	json_t *ret = dap_string(buffer->text, buffer->n);
	free(buffer->text);
	return ret;
}

/* ---- messages ------------------------------------------------------------------------ */

/* `cudasim dap` numbers the messages. Takes message. False where it is too long. */
static bool dap_send(json_t *message)
{
	struct dap_session *own = &dap_state()->session;
	char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;
	size_t size = 0;
	char *framed = text ? message_framed(text, strlen(text), &size) : NULL;
	json_decref(message);
	free(text);
	if (!framed || size > MESSAGE_MOST_BYTES) {
		free(framed);
		return false;
	}
	pthread_mutex_lock(&own->sending);
	if (own->fd >= 0 && !message_write(own->fd, framed, size))
		own->is_gone = true;
	pthread_mutex_unlock(&own->sending);
	free(framed);
	return true;
}

void dap_event(const char *name, json_t *body)
{
	json_t *message = json_pack("{s:i, s:s, s:s}", "seq", 0, "type", "event", "event", name);
	if (body)
		json_object_set_new(message, "body", body);
	dap_send(message);
}

/* What the protocol has words for; else the text itself. */
static const char *message_of(const struct cudasim_error *error)
{
	if (dap_state()->session.is_cancelled)
		return "cancelled";
	return error->message;
}

void dap_respond(const json_t *request, json_t *body, struct cudasim_error *error)
{
	const char *command = dap_string_of(request, "command");
	json_t *message = json_pack("{s:i, s:s, s:I, s:s, s:b}", "seq", 0, "type", "response",
				    "request_seq", (json_int_t)dap_integer_of(request, "seq", 0),
				    "command", command ? command : "", "success", !error);
	bool was_error = error;
	if (error) {
		json_decref(body);
		json_object_set_new(message, "message", dap_text(message_of(error)));
		body = json_pack("{s:{s:i, s:s, s:{s:o}, s:b}}", "error", "id", (int)error->code,
				 "format", "{_text}", "variables", "_text",
				 dap_text(error->message), "showUser", 1);
		cudasim_error_free(error);
	}
	if (body)
		json_object_set_new(message, "body", body);
	if (!dap_send(message) && !was_error)
		dap_respond(request, NULL,
			    cudasim_error_new(CUDASIM_E_ARGUMENT,
					      "The answer is longer than %d bytes: ask for parts.",
					      MESSAGE_MOST_BYTES));
}

void dap_output(const char *category, const char *text, size_t n)
{
	if (n)
		dap_event("output", json_pack("{s:s, s:o}", "category", category, "output",
					      dap_string(text, n)));
}

/* ---- arguments ------------------------------------------------------------------------- */

const char *dap_string_of(const json_t *object, const char *name)
{
	return json_string_value(json_object_get(object, name));
}

int64_t dap_integer_of(const json_t *object, const char *name, int64_t otherwise)
{
	const json_t *value = json_object_get(object, name);
	return json_is_integer(value) ? (int64_t)json_integer_value(value) : otherwise;
}

bool dap_bool_of(const json_t *object, const char *name, bool otherwise)
{
	const json_t *value = json_object_get(object, name);
	return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

static struct cudasim_error *missing(const char *name, const char *kind)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "The request needs \"%s\", %s.", name, kind);
}

struct cudasim_error *dap_need_string(const json_t *object, const char *name, const char **ret)
{
	*ret = dap_string_of(object, name);
	return *ret ? NULL : missing(name, "a string");
}

struct cudasim_error *dap_need_integer(const json_t *object, const char *name, int64_t *ret)
{
	const json_t *value = json_object_get(object, name);
	*ret = json_integer_value(value);
	return json_is_integer(value) ? NULL : missing(name, "an integer");
}

struct cudasim_error *dap_need_array(const json_t *object, const char *name, const json_t **ret)
{
	*ret = json_object_get(object, name);
	return json_is_array(*ret) ? NULL : missing(name, "an array");
}

struct cudasim_error *dap_need_address(const json_t *object, const char *name, uint64_t *ret)
{
	const char *text;
	char *end;
	struct cudasim_error *error = dap_need_string(object, name, &text);
	if (error)
		return error;
	errno = 0;
	*ret = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-')
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "\"%s\" is no memory reference.",
					 text);
	return NULL;
}

/* "file:///a%20b" as a path. */
static char *path_of_uri(const char *uri)
{
	const char *at = uri + strlen("file://");
	char *ret = malloc(strlen(at) + 1), *to = ret;
	unsigned code;
	while (ret && *at) {
		if (*at == '%' && sscanf(at + 1, "%2x", &code) == 1 && strlen(at) > 2) {
			*to++ = (char)code;
			at += 3;
		} else {
			*to++ = *at++;
		}
	}
	if (ret)
		*to = 0;
	return ret;
}

struct cudasim_error *dap_path_of(const json_t *source, char **ret)
{
	const char *path = dap_string_of(source, "path");
	if (!path)
		path = dap_string_of(source, "name");
	*ret = NULL;
	if (!path || !*path)
		return missing("source", "with a path");
	if (strpbrk(path, "\r\n"))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "A path has no line breaks.");
	bool is_uri = dap_state()->session.client.paths_are_uris && !strncmp(path, "file://", 7);
	*ret = is_uri ? path_of_uri(path) : strdup(path);
	return *ret ? NULL : &cudasim_error_nomem;
}

json_t *dap_line(uint32_t line)
{
	uint32_t shift = line && dap_state()->session.client.lines_from_0;
	return json_integer((json_int_t)(line - shift));
}

uint32_t dap_line_of(int64_t line)
{
	line += dap_state()->session.client.lines_from_0;
	return line < 0 || line > INT32_MAX ? 0 : (uint32_t)line;
}
