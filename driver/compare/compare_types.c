/* SPDX-License-Identifier: Apache-2.0 */
/* compare_types.c - what type memory holds: from the kernel's parameter types, as its
 * mangled name tells them, or from the bytes themselves. */
#include <string.h>

#include "compare_values.h"

static bool has_word(const char *text, size_t n, const char *word)
{
	size_t length = strlen(word);
	for (size_t i = 0; i + length <= n; i++)
		if (!memcmp(text + i, word, length))
			return true;
	return false;
}

enum value_type value_type_of_pointee(const char *text, size_t n)
{
	/* The first that the type's name holds: float4, complex<double>, unsigned long long. */
	static const struct {
		const char *word;
		enum value_type type;
	} words[] = {
		{"*", VALUE_POINTER},
		{"bfloat16", VALUE_BFLOAT16},
		{"half", VALUE_HALF},
		{"double", VALUE_DOUBLE},
		{"float", VALUE_FLOAT},
		{"unsigned long", VALUE_UINT64},
		{"ulong", VALUE_UINT64},
		{"long", VALUE_INT64},
		{"unsigned short", VALUE_UINT16},
		{"ushort", VALUE_UINT16},
		{"short", VALUE_INT16},
		{"unsigned char", VALUE_UINT8},
		{"uchar", VALUE_UINT8},
		{"bool", VALUE_UINT8},
		{"char", VALUE_INT8},
		{"unsigned int", VALUE_UINT32},
		{"uint", VALUE_UINT32},
		{"int", VALUE_INT32},
	};
	/* A word within a user's own name means nothing. */
	static const char *const vectors[] = {"", "1", "2", "3", "4"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		bool plain = false;
		size_t length = strlen(words[i].word);
		if (!has_word(text, n, words[i].word))
			continue;
		if (words[i].type == VALUE_POINTER || words[i].type <= VALUE_BFLOAT16 ||
		    has_word(text, n, "complex"))
			return words[i].type;
		for (size_t v = 0; v < sizeof vectors / sizeof *vectors; v++) {
			size_t all = length + strlen(vectors[v]);
			plain |= n >= all && !memcmp(text, words[i].word, length) &&
				 !memcmp(text + length, vectors[v], all - length) &&
				 (n == all || text[all] == ' ');
		}
		if (plain || !strncmp(text, "unsigned long long", n) ||
		    !strncmp(text, "long long", n))
			return words[i].type;
		return n > 7 && !strncmp(text, "signed ", 7) ? words[i].type : VALUE_UNKNOWN;
	}
	return VALUE_UNKNOWN;
}

static enum value_type type_of_parameter(const char *text, size_t n)
{
	while (n && *text == ' ') {
		text++;
		n--;
	}
	/* "float const* __restrict__", "float*": what stands before the last star. */
	while (n && text[n - 1] != '*')
		n--;
	return n > 1 ? value_type_of_pointee(text, n - 1) : VALUE_UNKNOWN;
}

size_t value_types_of_parameters(const char *name, enum value_type *ret, size_t max)
{
	/* The last group of parentheses: before it stands the name, which may hold some. */
	const char *end = strrchr(name, ')');
	const char *at = end;
	size_t n = 0;
	for (int depth = 0; at && at >= name; at--) {
		depth += *at == ')';
		depth -= *at == '(';
		if (!depth)
			break;
	}
	if (!end || at < name || at + 1 == end)
		return 0;
	const char *from = at + 1;
	int depth = 0;
	for (at = from; at <= end && n < max; at++) {
		depth += *at == '<' || *at == '(' || *at == '[';
		depth -= at != end && (*at == '>' || *at == ')' || *at == ']');
		if ((*at == ',' && !depth) || at == end) {
			ret[n++] = type_of_parameter(from, (size_t)(at - from));
			from = at + 1;
		}
	}
	return n;
}

/* Both are numbers of usual size (or zero), and not far from each other. */
static bool usual(enum value_type type, const unsigned char *a, const unsigned char *b)
{
	uint64_t x = 0, y = 0;
	memcpy(&x, a, value_bytes(type));
	memcpy(&y, b, value_bytes(type));
	unsigned mantissa = type == VALUE_DOUBLE ? 52 : 23;
	unsigned top = type == VALUE_DOUBLE ? 0x7ff : 0xff;
	unsigned p = x >> mantissa & top, q = y >> mantissa & top, middle = top / 2;
	return (!x || (p > middle - 40 && p < middle + 40)) &&
	       (!y || (q > middle - 40 && q < middle + 40));
}

enum value_type value_guess(const unsigned char *a, const unsigned char *b, size_t n)
{
	size_t floats = 0, doubles = 0, words = 0, pairs = 0;
	for (size_t i = 0; i + 8 <= n && pairs < 1024; i += 8) {
		if (!memcmp(a + i, b + i, 8))
			continue;
		pairs++;
		doubles += usual(VALUE_DOUBLE, a + i, b + i);
		for (size_t k = i; k < i + 8; k += 4) {
			words += memcmp(a + k, b + k, 4) != 0;
			floats += memcmp(a + k, b + k, 4) && usual(VALUE_FLOAT, a + k, b + k);
		}
	}
	/* A double's low half looks like any integer; its high half may look like a float. */
	if (pairs && doubles == pairs && floats < words)
		return VALUE_DOUBLE;
	return words && floats == words ? VALUE_FLOAT : VALUE_INT32;
}
