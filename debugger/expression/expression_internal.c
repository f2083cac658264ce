/* SPDX-License-Identifier: Apache-2.0 */
/* expression_internal.c - gdb's functions of strings and values: $_streq(A, B), $_memeq(A, B, N),
 * $_strlen(S), $_regex(S, REGEX), $_as_string(V), $_isvoid(V), $_creal(Z), $_cimag(Z).
 *
 * Strings are character arrays, literals, pointers to characters and the library's strings. A regular
 * expression has to match from the first character on, as gdb's does. It is POSIX's extended one;
 * of Python's escapes \d and \D are understood, and \w, \s and \b as the C library has them. */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "expression_evaluate.h"

enum { MOST_ARGUMENTS = 3, MAX_TEXT = 1 << 20 };

typedef struct cudasim_error *internal_fn(const struct value *arguments, struct value *ret);

/* ---- strings ------------------------------------------------------------------------------- */

/* Up to the zero, or up to n bytes; malloc'ed. Piece by piece, so that a string at the end of its
 * memory is found whole. */
static struct cudasim_error *read_text(uint64_t address, uint64_t n, char **ret)
{
	char *text = NULL;
	uint64_t at = 0, capacity = 0;
	while (at < n) {
		uint64_t piece = 64 - (address + at) % 64;
		piece = piece < n - at ? piece : n - at;
		if (at + piece + 1 > capacity) {
			capacity = 2 * capacity + piece + 1;
			char *more = realloc(text, capacity);
			if (!more) {
				free(text);
				return &cudasim_error_nomem;
			}
			text = more;
		}
		struct cudasim_error *error = value_memory_read(address + at, text + at, piece);
		if (error) {
			free(text);
			return error;
		}
		if (memchr(text + at, 0, piece))
			break;
		at += piece;
		if (at > MAX_TEXT) {
			free(text);
			return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
						 "A string of more than %d bytes.", MAX_TEXT);
		}
	}
	if (!text && !(text = calloc(1, 1)))
		return &cudasim_error_nomem;
	if (at >= n)
		text[n] = 0;
	*ret = text;
	return NULL;
}

static struct cudasim_error *no_string(void)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "Argument is no string of characters of one byte.");
}

static struct cudasim_error *text_of_container(const struct value *object, char **ret)
{
	struct container c;
	bool is_container;
	struct cudasim_error *error = container_open(object, &c, &is_container);
	if (error || !is_container)
		return error ? error : no_string();
	error = c.kind == CONTAINER_TEXT && type_strip(c.element)->size == 1
			? read_text(c.address, c.n < MAX_TEXT ? c.n : MAX_TEXT + 1, ret)
			: no_string();
	container_close(&c);
	return error;
}

/* malloc'ed, ends with a zero. */
static struct cudasim_error *text_of(const struct value *value, char **ret)
{
	const struct type *type = value->type && !value->is_void ? type_strip(value->type) : NULL;
	const struct type *target = type && type->target ? type_strip(type->target) : NULL;
	bool is_text = target && target->kind == TYPE_CHAR && target->size == 1;
	uint64_t address;
	if (type && type->kind == TYPE_STRUCT)
		return text_of_container(value, ret);
	if (is_text && type->kind == TYPE_ARRAY && !value->is_lazy) {
		*ret = strndup((const char *)value_bytes(value), value->n_bytes);
		return *ret ? NULL : &cudasim_error_nomem;
	}
	if (!is_text || (type->kind != TYPE_ARRAY && type->kind != TYPE_POINTER))
		return no_string();
	struct cudasim_error *error = value_to_address(value, &address, NULL);
	return error ? error
		     : read_text(address,
				 type->kind == TYPE_ARRAY && type->n ? type->n : UINT64_MAX, ret);
}

static struct cudasim_error *texts_of(const struct value *values, char *ret[2])
{
	struct cudasim_error *error = text_of(&values[0], &ret[0]);
	if (!error && (error = text_of(&values[1], &ret[1])))
		free(ret[0]);
	return error;
}

static void set_int(struct value *ret, int64_t number)
{
	*ret = value_integer(type_base("int"), number);
}

static struct cudasim_error *streq(const struct value *arguments, struct value *ret)
{
	char *texts[2];
	struct cudasim_error *error = texts_of(arguments, texts);
	if (error)
		return error;
	set_int(ret, !strcmp(texts[0], texts[1]));
	free(texts[0]);
	free(texts[1]);
	return NULL;
}

static struct cudasim_error *length(const struct value *arguments, struct value *ret)
{
	char *text;
	struct cudasim_error *error = text_of(arguments, &text);
	if (error)
		return error;
	set_int(ret, (int64_t)strlen(text));
	free(text);
	return NULL;
}

/* "^(REGEX)" with \d and \D as brackets; malloc'ed. */
static char *posix_regex(const char *text)
{
	char *ret = malloc(6 * strlen(text) + 4), *to = ret;
	if (!ret)
		return NULL;
	to = stpcpy(to, "^(");
	for (; *text; text++) {
		if (text[0] == '\\' && (text[1] == 'd' || text[1] == 'D')) {
			to = stpcpy(to, *++text == 'd' ? "[0-9]" : "[^0-9]");
		} else if (text[0] == '\\' && text[1]) {
			*to++ = *text++;
			*to++ = *text;
		} else {
			*to++ = *text;
		}
	}
	stpcpy(to, ")");
	return ret;
}

static struct cudasim_error *match(const char *text, const char *pattern, bool *ret)
{
	regex_t regex;
	char why[256], *posix = posix_regex(pattern);
	if (!posix)
		return &cudasim_error_nomem;
	int code = regcomp(&regex, posix, REG_EXTENDED | REG_NOSUB);
	free(posix);
	if (code) {
		regerror(code, &regex, why, sizeof why);
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Invalid regexp: %s", why);
	}
	*ret = !regexec(&regex, text, 0, NULL, 0);
	regfree(&regex);
	return NULL;
}

static struct cudasim_error *regex(const struct value *arguments, struct value *ret)
{
	char *texts[2];
	bool matches = false;
	struct cudasim_error *error = texts_of(arguments, texts);
	if (error)
		return error;
	error = match(texts[0], texts[1], &matches);
	set_int(ret, matches);
	free(texts[0]);
	free(texts[1]);
	return error;
}

/* ---- memory, values ---------------------------------------------------------------------------- */

/* n bytes of what a pointer or an array denotes, from its byte `at` on; literals lie nowhere. */
static struct cudasim_error *read_at(const struct value *value, uint64_t at, void *to, uint64_t n)
{
	uint64_t address;
	if (value->type && !value->is_lvalue && !value->is_lazy &&
	    type_strip(value->type)->kind == TYPE_ARRAY) {
		if (at > value->n_bytes || n > value->n_bytes - at)
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "The literal has only %llu bytes.",
						 (unsigned long long)value->n_bytes);
		memcpy(to, value_bytes(value) + at, n);
		return NULL;
	}
	struct cudasim_error *error = value_to_address(value, &address, NULL);
	return error ? error : value_memory_read(address + at, to, n);
}

static struct cudasim_error *memeq(const struct value *arguments, struct value *ret)
{
	unsigned char a[4096], b[sizeof a];
	wide n = 0;
	struct cudasim_error *error = value_to_integer(&arguments[2], &n);
	if (!error && (n < 0 || n > UINT32_MAX))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT,
					  "Invalid length argument, must be 0 to 4294967295.");
	bool equal = true;
	for (uint64_t at = 0; !error && equal && at < (uint64_t)n; at += sizeof a) {
		uint64_t more = (uint64_t)n - at < sizeof a ? (uint64_t)n - at : sizeof a;
		error = read_at(&arguments[0], at, a, more);
		if (!error)
			error = read_at(&arguments[1], at, b, more);
		equal = !error && !memcmp(a, b, more);
	}
	set_int(ret, equal);
	return error;
}

static struct cudasim_error *as_string(const struct value *arguments, struct value *ret)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	if (!out)
		return &cudasim_error_nomem;
	value_print(out, arguments, 0, 0, false);
	fclose(out);
	struct cudasim_error *error = value_of_bytes(type_array(type_base("char"), size + 1), text,
						     ret);
	free(text);
	return error;
}

static struct cudasim_error *isvoid(const struct value *arguments, struct value *ret)
{
	const struct type *type = arguments->type ? type_strip(arguments->type) : NULL;
	set_int(ret, arguments->is_void || !type || type->kind == TYPE_VOID);
	return NULL;
}

static struct cudasim_error *complex_part(const struct value *z, size_t i, struct value *ret)
{
	const struct type *type = z->type && !z->is_void ? type_strip(z->type) : NULL;
	if (type && type->is_complex)
		return value_member(z, &type->members[i], ret);
	struct container c = {.index = 0};
	bool is_container = false, end;
	struct cudasim_error *error = container_open(z, &c, &is_container);
	if (error)
		return error;
	bool is_complex = is_container && c.kind == CONTAINER_COMPLEX;
	if (is_complex) {
		c.index = i;
		error = container_next(&c, ret, &end);
	} else if (is_container && c.kind == CONTAINER_VALUE) { /* std::complex holds C's */
		struct value inner;
		if (!(error = container_next(&c, &inner, &end))) {
			error = complex_part(&inner, i, ret);
			value_fini(&inner);
		}
		is_complex = true;
	}
	if (is_container)
		container_close(&c);
	return is_complex ? error
			  : cudasim_error_new(CUDASIM_E_ARGUMENT, "expected a complex number");
}

static struct cudasim_error *creal_of(const struct value *arguments, struct value *ret)
{
	return complex_part(arguments, 0, ret);
}

static struct cudasim_error *cimag_of(const struct value *arguments, struct value *ret)
{
	return complex_part(arguments, 1, ret);
}

/* ---- all ------------------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	size_t n;
	internal_fn *run;
} functions[] = {
	{"$_streq", 2, streq},    {"$_memeq", 3, memeq},         {"$_strlen", 1, length},
	{"$_regex", 2, regex},    {"$_as_string", 1, as_string}, {"$_isvoid", 1, isvoid},
	{"$_creal", 1, creal_of}, {"$_cimag", 1, cimag_of},
};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

static size_t find(const char *name)
{
	size_t i = 0;
	while (i < N_FUNCTIONS && strcmp(functions[i].name + 1, name))
		i++;
	return i;
}

bool internal_is_known(const char *name)
{
	return find(name) < N_FUNCTIONS;
}

const char *internal_name(size_t i)
{
	return i < N_FUNCTIONS ? functions[i].name : NULL;
}

static struct cudasim_error *argument_of(struct evaluation *e, const struct node *node,
					 struct value *ret)
{
	struct cudasim_error *error = evaluate_object(e, node, ret);
	if (!error && !e->types_only && !ret->is_void && !ret->is_optimized_out)
		error = value_fetch(ret);
	return error;
}

struct cudasim_error *internal_evaluate(struct evaluation *e, const struct node *node,
					struct value *ret)
{
	size_t which = find(node->a->name), n = 0, n_given = 0;
	struct value arguments[MOST_ARGUMENTS];
	struct cudasim_error *error = NULL;
	for (const struct node *a = node->arguments; a; a = a->next)
		n_given++;
	if (n_given != functions[which].n)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "%s takes %zu argument%s, not %zu.",
					 functions[which].name, functions[which].n,
					 functions[which].n == 1 ? "" : "s", n_given);
	for (const struct node *a = node->arguments; a && !error; a = a->next)
		if (!(error = argument_of(e, a, &arguments[n])))
			n++;
	if (!error && e->types_only)
		*ret = value_typed(type_base("int"));
	else if (!error)
		error = functions[which].run(arguments, ret);
	while (n)
		value_fini(&arguments[--n]);
	return error;
}
