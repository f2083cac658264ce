/* SPDX-License-Identifier: Apache-2.0 */
/* dap_code.c - instructions and memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dap_views.h"
#include "error.h"
#include "host.h"
#include "host_text.h"
#include "unwritten.h"
#include "value.h"

enum { MOST_INSTRUCTIONS = 1 << 16, MOST_BYTES = 1 << 22, MOST_BEFORE = 1 << 20 };

/* ---- disassemble --------------------------------------------------------------------- */

static json_t *invalid(uint64_t pc)
{
	return json_pack("{s:o, s:s, s:s}", "address", dap_address(pc), "instruction", "??",
			 "presentationHint", "invalid");
}

static void add_bytes(json_t *entry, uint64_t pc, uint64_t n)
{
	unsigned char bytes[16];
	char text[3 * sizeof bytes + 1] = "";
	uint32_t got = host_text_read(pc, bytes, n < sizeof bytes ? (uint32_t)n : sizeof bytes);
	for (uint32_t i = 0; i < got; i++)
		snprintf(text + 3 * (size_t)i, 4, "%02x ", bytes[i]);
	if (got)
		text[3 * (size_t)got - 1] = 0;
	json_object_set_new(entry, "instructionBytes", json_string(text));
}

static void add_place(json_t *entry, uint64_t pc, bool with_symbols)
{
	const char *name, *mangled, *file;
	uint64_t offset;
	struct line line;
	const struct function *function = symbols_function_at(pc);
	if (with_symbols && function && function->low == pc)
		json_object_set_new(entry, "symbol", dap_text(function->signature));
	else if (with_symbols && !function &&
		 symbols_symbol_at(pc, &name, &mangled, &offset, &file) && !offset)
		json_object_set_new(entry, "symbol", dap_text(name));
	if (symbols_line_at(pc, &line) && line.line) {
		json_object_set_new(entry, "location", dap_source_of(line.file));
		json_object_set_new(entry, "line", dap_line(line.line));
	}
}

/* The instruction at *pc, which is moved behind it. */
static json_t *instruction(uint64_t *pc, bool with_symbols)
{
	struct dap_buffer buffer;
	uint64_t at = *pc;
	FILE *out = dap_open(&buffer);
	if (!out)
		return NULL;
	*pc = host_disassemble(out, at, 1, 0);
	fclose(out);
	char *text = buffer.n ? strstr(buffer.text, ":\t") : NULL;
	if (!text || *pc == at) {
		free(buffer.text);
		*pc = at + 1;
		return invalid(at);
	}
	text += 2;
	text[strcspn(text, "\n")] = 0;
	json_t *ret = json_pack("{s:o, s:o}", "address", dap_address(at), "instruction",
				dap_text(text));
	free(buffer.text);
	add_bytes(ret, at, *pc - at);
	add_place(ret, at, with_symbols);
	return ret;
}

/* Where the function that holds pc begins; pc itself where none is known. */
static uint64_t begin_of(uint64_t pc)
{
	const char *name, *mangled, *file;
	uint64_t offset;
	const struct function *function = symbols_function_at(pc);
	if (function)
		return function->low;
	if (symbols_symbol_at(pc, &name, &mangled, &offset, &file) && offset < MOST_BEFORE)
		return pc - offset;
	return pc;
}

static uint64_t behind(uint64_t pc)
{
	struct dap_buffer buffer;
	FILE *out = dap_open(&buffer);
	if (!out)
		return pc + 1;
	uint64_t next = host_disassemble(out, pc, 1, 0);
	fclose(out);
	free(buffer.text);
	return next == pc ? pc + 1 : next;
}

/* The n instructions before pc, or up to `count` of them: instructions have different lengths, so
 * they are known only from the function's beginning on. What is before that is invalid. */
static void add_before(json_t *list, uint64_t pc, int64_t n, int64_t count, bool with_symbols)
{
	uint64_t begin = begin_of(pc), at;
	int64_t known = 0;
	for (at = begin; at < pc; at = behind(at))
		known++;
	int64_t missing = at == pc ? n - known : n;
	int64_t skipped = missing < 0 ? -missing : 0;
	uint64_t first = at == pc ? begin : pc;
	for (int64_t i = 0; i < missing && count > 0; i++, count--)
		json_array_append_new(list, invalid(first - (uint64_t)(missing - i)));
	if (at != pc)
		return;
	for (at = begin; at < pc && count > 0;) {
		if (skipped-- > 0) {
			at = behind(at);
			continue;
		}
		json_array_append_new(list, instruction(&at, with_symbols));
		count--;
	}
}

struct cudasim_error *dap_disassemble(const json_t *arguments, json_t **ret)
{
	uint64_t pc;
	int64_t count, offset = dap_integer_of(arguments, "instructionOffset", 0);
	bool with_symbols = dap_bool_of(arguments, "resolveSymbols", true);
	struct cudasim_error *error = dap_need_address(arguments, "memoryReference", &pc);
	if (!error)
		error = dap_need_integer(arguments, "instructionCount", &count);
	if (!error && (count < 0 || count > MOST_INSTRUCTIONS || offset < -MOST_INSTRUCTIONS ||
		       offset > MOST_INSTRUCTIONS))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Counts of instructions are at most %d.",
					  MOST_INSTRUCTIONS);
	if (error)
		return error;
	pc += (uint64_t)dap_integer_of(arguments, "offset", 0);
	json_t *list = json_array();
	if (offset < 0)
		add_before(list, pc, -offset, count, with_symbols);
	for (; offset > 0; offset--)
		pc = behind(pc);
	while ((int64_t)json_array_size(list) < count)
		json_array_append_new(list, instruction(&pc, with_symbols));
	*ret = json_pack("{s:o}", "instructions", list);
	return NULL;
}

/* ---- memory ------------------------------------------------------------------------------- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static json_t *to_base64(const unsigned char *bytes, size_t n)
{
	char *text = malloc(4 * (n / 3 + 1) + 1), *to = text;
	if (!text)
		return NULL;
	for (size_t i = 0; i < n; i += 3) {
		uint32_t word = (uint32_t)bytes[i] << 16;
		word |= i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0;
		word |= i + 2 < n ? bytes[i + 2] : 0;
		*to++ = digits[word >> 18];
		*to++ = digits[word >> 12 & 63];
		*to++ = i + 1 < n ? digits[word >> 6 & 63] : '=';
		*to++ = i + 2 < n ? digits[word & 63] : '=';
	}
	json_t *ret = json_stringn(text, (size_t)(to - text));
	free(text);
	return ret;
}

/* False where it is no base64. *ret: room for 3/4 of the text. */
static bool from_base64(const char *text, unsigned char *ret, size_t *n)
{
	size_t length = strlen(text);
	uint32_t word = 0;
	unsigned n_bits = 0;
	*n = 0;
	while (length && text[length - 1] == '=')
		length--;
	for (size_t i = 0; i < length; i++) {
		const char *digit = strchr(digits, text[i]);
		if (!digit)
			return false;
		word = word << 6 | (uint32_t)(digit - digits);
		n_bits += 6;
		if (n_bits >= 8) {
			n_bits -= 8;
			ret[(*n)++] = (unsigned char)(word >> n_bits);
		}
	}
	return length % 4 != 1;
}

struct cudasim_error *dap_read_memory(const json_t *arguments, json_t **ret)
{
	uint64_t address;
	int64_t count;
	struct cudasim_error *error = dap_need_address(arguments, "memoryReference", &address);
	if (!error)
		error = dap_need_integer(arguments, "count", &count);
	if (!error && (count < 0 || count > MOST_BYTES))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "\"count\" is a number from 0 to %d.",
					  MOST_BYTES);
	if (error)
		return error;
	address += (uint64_t)dap_integer_of(arguments, "offset", 0);
	unsigned char *bytes = malloc((size_t)count + 1);
	if (!bytes)
		return &cudasim_error_nomem;
	/* Not our int3s, which stand in code only. */
	size_t got = cudasim_memory_read((const void *)address, bytes, (size_t)count);
	for (size_t i = 0; symbols_function_at(address) && i < got; i++)
		bytes[i] = host_text_byte(address + i);
	*ret = json_pack("{s:o, s:o}", "address", dap_address(address), "data",
			 to_base64(bytes, got));
	if (got < (size_t)count)
		json_object_set_new(*ret, "unreadableBytes",
				    json_integer((json_int_t)((size_t)count - got)));
	free(bytes);
	return NULL;
}

struct cudasim_error *dap_write_memory(const json_t *arguments, json_t **ret)
{
	uint64_t address;
	const char *text;
	size_t n, done = 0;
	struct cudasim_error *error = dap_need_address(arguments, "memoryReference", &address);
	if (!error)
		error = dap_need_string(arguments, "data", &text);
	if (error)
		return error;
	address += (uint64_t)dap_integer_of(arguments, "offset", 0);
	unsigned char *bytes = malloc(strlen(text) + 1);
	if (!bytes)
		return &cudasim_error_nomem;
	if (!from_base64(text, bytes, &n))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "\"data\" is no base64.");
	else if (symbols_function_at(address))
		error = cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					  "The program's code cannot be written.");
	else if (dap_bool_of(arguments, "allowPartial", false))
		done = cudasim_memory_write((void *)address, bytes, n);
	else if (!(error = value_memory_write(address, bytes, n)))
		done = n;
	free(bytes);
	if (error)
		return error;
	unwritten_store(address, done);
	*ret = json_pack("{s:I}", "bytesWritten", (json_int_t)done);
	return NULL;
}
