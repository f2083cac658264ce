/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_name.c - C++ names: demangled, cut into components, compared.
 *
 * A name is looked at as text. Brackets of three kinds nest: <> of template
 * arguments, () of parameters, {} of lambdas; operators' names are jumped over,
 * so that those of operator<, operator-> and operator() are none. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "symbols_dwarf.h"

/* Of the C++ runtime; <cxxabi.h> itself is C++. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

uint32_t name_hash(const char *text, size_t n)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	for (size_t i = 0; i < n; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Behind "operator" and its symbol if p is at one, else p. */
static const char *skip_operator(const char *begin, const char *p)
{
	static const char *const symbols[] = {"()", "[]", "->*", "->", "<<=", ">>=", "<=>",
					      "<<", ">>", "<=",  ">=", "<",   ">"};
	if (strncmp(p, "operator", 8) || is_word(p[8]) || (p > begin && is_word(p[-1])))
		return p;
	const char *q = p + 8;
	while (*q == ' ')
		q++;
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
		if (!strncmp(q, symbols[i], strlen(symbols[i])))
			return q + strlen(symbols[i]);
	return is_word(*q) ? p + 8 : q;
}

/* Behind the bracket that p is at, or p + 1 where it is none. Unclosed ones go on
 * to the end. */
static const char *skip_bracket(const char *p)
{
	int depth = 0;
	const char *begin = p;
	do {
		const char *next = skip_operator(begin, p);
		if (next != p) {
			p = next;
			continue;
		}
		depth += *p == '<' || *p == '(' || *p == '{' || *p == '[';
		depth -= *p == ')' || *p == '}' || *p == ']' ||
			 (*p == '>' && p > begin && p[-1] != '-');
		p++;
	} while (depth > 0 && *p);
	return p;
}

size_t name_base(const char *name)
{
	const char *p = name;
	while (*p && *p != '<') {
		const char *next = skip_operator(name, p);
		p = next != p ? next : p + 1;
	}
	/* "<lambda...>" and the like are names of their own. */
	return p == name ? strlen(name) : (size_t)(p - name);
}

/* What the mangled name means; itself where that is not known. */
static const char *demangled(const char *name)
{
	int status;
	char *text = __cxa_demangle(name, NULL, NULL, &status);
	/* Static variables of several files that are linked have a number at the end. */
	size_t n = strlen(name);
	while (n && isdigit((unsigned char)name[n - 1]))
		n--;
	if (!text && name[n])
		text = __cxa_demangle(memory_text(name, n), NULL, NULL, &status);
	const char *ret = text ? memory_text(text, strlen(text)) : name;
	free(text);
	return ret;
}

const char *symbols_demangle(const char *name)
{
	/* By text: names come from files and from users, so addresses do not do. */
	static struct hash known;
	if (!name || strncmp(name, "_Z", 2))
		return name;
	char *text = hash_text_get(&known, name);
	if (text)
		return text;
	const char *key = memory_text(name, strlen(name));
	text = (char *)demangled(key);
	(void)hash_text_put(&known, key, text); /* without memory it is done again */
	return text;
}

/* ---- cutting ---------------------------------------------------------------- */

/* Where the parameters begin: the last bracket () at the outermost level, behind
 * which only "const" and the like stand. NULL where there are none. */
static const char *parameters(const char *signature)
{
	const char *last = NULL, *p = signature;
	while (*p) {
		const char *next = skip_operator(signature, p);
		if (next != p) {
			p = next;
			continue;
		}
		if (*p == '(' && strncmp(p, "(anonymous namespace)", 21)) {
			last = p;
			p = skip_bracket(p);
		} else if (*p == ':' && p[1] == ':') {
			last = NULL; /* those were of a function around this one */
			p += 2;
		} else {
			p = *p == '<' || *p == '{' || *p == '[' || *p == '(' ? skip_bracket(p)
									     : p + 1;
		}
	}
	return last;
}

void name_cut(const char *signature, const char **begin, const char **end)
{
	const char *stop = parameters(signature), *p = signature;
	*end = stop ? stop : signature + strlen(signature);
	*begin = signature;
	/* A template's name begins with what it returns: up to the last blank
	 * outside brackets; that of "operator int" is part of the name. */
	while (p < *end) {
		if (!strncmp(p, "operator", 8) && !is_word(p[8]) &&
		    (p == signature || !is_word(p[-1])))
			break;
		if (*p == ' ')
			*begin = p + 1;
		p = *p == '<' || *p == '{' || *p == '(' || *p == '[' ? skip_bracket(p) : p + 1;
	}
}

/* ---- comparing --------------------------------------------------------------- */

/* A component of a qualified name: its own name, and its template arguments. */
struct component {
	const char *name, *arguments, *end; /* arguments == end: none */
};
enum { MAX_COMPONENTS = 64 };

struct parts {
	struct component components[MAX_COMPONENTS];
	size_t n;
	const char *parameters, *end; /* parameters == end: none */
	bool is_absolute; /* begins with :: */
};

static void parts_of(const char *text, struct parts *ret)
{
	const char *begin = text, *stop = parameters(text), *p;
	ret->end = text + strlen(text);
	ret->parameters = stop ? stop : ret->end;
	ret->n = 0;
	if (stop)
		name_cut(text, &begin, &stop);
	else
		stop = ret->end;
	ret->is_absolute = !strncmp(begin, "::", 2);
	p = ret->is_absolute ? begin + 2 : begin;
	while (p < stop && ret->n < MAX_COMPONENTS) {
		struct component *c = &ret->components[ret->n++];
		c->name = p;
		c->arguments = NULL;
		while (p < stop && strncmp(p, "::", 2)) {
			const char *next = skip_operator(c->name, p);
			if (next != p) {
				p = next;
				continue;
			}
			if (*p == '<' && p != c->name && !c->arguments)
				c->arguments = p;
			p = *p == '<' || *p == '{' || *p == '(' || *p == '[' ? skip_bracket(p)
									     : p + 1;
		}
		c->end = p;
		if (!c->arguments)
			c->arguments = p;
		p += p < stop ? 2 : 0;
	}
}

/* Behind the suffix of an integer constant: 256u and 256 are one template argument. */
static const char *skip_suffix(const char *at, const char *end)
{
	const char *p = at;
	while (p < end && *p && strchr("uUlL", *p))
		p++;
	return p < end && is_word(*p) ? at : p;
}

/* Equal but for blanks, where those do not part two words, and suffixes of constants. */
static bool same_text(const char *a, const char *a_end, const char *b, const char *b_end)
{
	char last = 0;
	bool in_number = false;
	for (;;) {
		if (in_number) {
			a = skip_suffix(a, a_end);
			b = skip_suffix(b, b_end);
		}
		bool a_blank = a < a_end && *a == ' ', b_blank = b < b_end && *b == ' ';
		while (a < a_end && *a == ' ')
			a++;
		while (b < b_end && *b == ' ')
			b++;
		if (a == a_end || b == b_end)
			return a == a_end && b == b_end;
		if (*a != *b || (a_blank != b_blank && is_word(last) && is_word(*a)))
			return false;
		in_number = isdigit((unsigned char)*a) && (in_number || !is_word(last));
		last = *a;
		a++, b++;
	}
}

static bool same_component(const struct component *wanted, const struct component *full)
{
	if (!same_text(wanted->name, wanted->arguments, full->name, full->arguments))
		return false;
	return wanted->arguments == wanted->end ||
	       same_text(wanted->arguments, wanted->end, full->arguments, full->end);
}

/* "const" behind a member function's parameters need not be written. */
static const char *close_of(const struct parts *parts)
{
	return parts->parameters == parts->end ? parts->end : skip_bracket(parts->parameters);
}

bool name_matches(const char *wanted, const char *full)
{
	struct parts w, f;
	parts_of(wanted, &w);
	parts_of(full, &f);
	if (!w.n || w.n > f.n || (w.is_absolute && w.n != f.n))
		return false;
	for (size_t i = 0; i < w.n; i++)
		if (!same_component(&w.components[w.n - 1 - i], &f.components[f.n - 1 - i]))
			return false;
	if (w.parameters == w.end)
		return true;
	const char *close = close_of(&w);
	bool none = same_text(w.parameters, close, "(void)", &"(void)"[6]);
	const char *parameters = none ? "()" : w.parameters;
	return same_text(parameters, none ? parameters + 2 : close, f.parameters, close_of(&f));
}

bool name_equal(const char *a, const char *b)
{
	return same_text(a, a + strlen(a), b, b + strlen(b));
}

void name_last(const char *wanted, const char **ret, size_t *ret_n)
{
	struct parts w;
	parts_of(wanted, &w);
	*ret = w.n ? w.components[w.n - 1].name : wanted;
	*ret_n = w.n ? (size_t)(w.components[w.n - 1].arguments - *ret) : 0;
	while (*ret_n && (*ret)[*ret_n - 1] == ' ')
		(*ret_n)--;
}

/* ---- names of DIEs ------------------------------------------------------------ */

static const char *enclosure_name(struct unit *unit, const struct enclosure *enclosure)
{
	Dwarf_Die die = die_make(unit, enclosure->begin);
	const char *name = dwarf_diename(&die);
	if (enclosure->tag == DW_TAG_subprogram) {
		const char *linkage = die_linkage(&die), *begin, *end;
		if (!linkage)
			return name ? name : "?";
		name_cut(symbols_demangle(linkage), &begin, &end);
		return begin;
	}
	if (enclosure->tag == DW_TAG_namespace)
		return name ? name : "(anonymous namespace)";
	return name;
}

/* A demangled function's name stands for all that is around it. Unnamed structs
 * and unscoped enums do not show. */
static const char *prefix_of(struct unit *unit, uint32_t i)
{
	const char *prefix = "";
	for (int depth = 0; i && depth < 64; depth++, i = unit->enclosures[i].parent) {
		const struct enclosure *enclosure = &unit->enclosures[i];
		Dwarf_Die die = die_make(unit, enclosure->begin);
		if (enclosure->tag == DW_TAG_enumeration_type && !die_flag(&die, DW_AT_enum_class))
			continue;
		const char *name = enclosure_name(unit, enclosure);
		if (!name)
			continue;
		prefix = memory_format("%s::%s", name, prefix);
		if (enclosure->tag == DW_TAG_subprogram)
			break;
	}
	return prefix;
}

const char *name_prefix(Dwarf_Die *die)
{
	Dwarf_Die at = *die, next;
	for (int i = 0; i < 8; i++) {
		Dwarf_Attribute found;
		if (!(dwarf_attr(&at, DW_AT_specification, &found) ||
		      dwarf_attr(&at, DW_AT_abstract_origin, &found)) ||
		    !dwarf_formref_die(&found, &next))
			break;
		at = next;
	}
	struct unit *unit = die_unit(&at);
	if (!unit)
		return "";
	unit_scan(unit);
	return prefix_of(unit, unit_enclosure(unit, at.addr));
}

const char *name_qualified(Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	if (!name)
		return NULL;
	const char *prefix = name_prefix(die);
	return *prefix ? memory_format("%s%s", prefix, name) : name;
}

/* ---- versions ------------------------------------------------------------------------- */

static bool is_made_of(const char *word, size_t n, const char *letters)
{
	size_t i = 0;
	while (i < n && strchr(letters, word[i]))
		i++;
	return i == n;
}

/* __cxx11, __4, __v1, CUB_300001_SM_900, THRUST_300001_SM_900_NS. */
static bool is_version(const char *word, size_t n)
{
	static const char digits[] = "0123456789";
	bool starts = n > 4 && !memcmp(word, "CUB_", 4) && strchr(digits, word[4]);
	if (n == 7 && !memcmp(word, "__cxx11", n))
		return true;
	if (n > 2 && !memcmp(word, "__", 2)) {
		size_t skip = word[2] == 'v' && n > 3 ? 3 : 2;
		return is_made_of(word + skip, n - skip, digits);
	}
	return (starts || (n > 3 && !memcmp(word + n - 3, "_NS", 3))) &&
	       is_made_of(word, n, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
}

static size_t word_length(const char *text)
{
	size_t n = 0;
	while ((text[n] >= 'a' && text[n] <= 'z') || (text[n] >= 'A' && text[n] <= 'Z') ||
	       (text[n] >= '0' && text[n] <= '9') || text[n] == '_')
		n++;
	return n;
}

void symbols_plain_name(const char *name, bool arguments, char *to, size_t size)
{
	size_t at = 0;
	int depth = 0;
	while (*name && at + 1 < size) {
		size_t n = word_length(name);
		if (n && !strncmp(name + n, "::", 2) && is_version(name, n)) {
			name += n + 2;
			continue;
		}
		n = n ? n : 1;
		depth += *name == '<';
		for (size_t i = 0; i < n && at + 1 < size && (arguments || !depth); i++)
			to[at++] = name[i];
		depth -= *name == '>';
		name += n;
	}
	to[at] = 0;
}
