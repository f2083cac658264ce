/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "dialect.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dialect_text.h"
#include "words.h"

static const char *find_spot(const char *text, const struct dialect_spot *spot)
{
	for (unsigned line = 1; line < spot->line; line++) {
		text = strchr(text, '\n');
		if (!text)
			return NULL;
		text++;
	}
	if (strcspn(text, "\n") < spot->column - 1)
		return NULL;
	return text + spot->column - 1;
}

/* The words right before `at`, the first of which begins the piece: specifiers,
 * or macros that stand for some. Empty if there are none, or only such as take no
 * CUDA attribute with them. */
static struct piece specifiers_before(const char *text, const char *at)
{
	struct piece all = {at, at};
	bool has_other = false;
	for (const char *c = at;;) {
		while (c > text && isspace((unsigned char)c[-1]))
			c--;
		struct piece word = {c, c};
		while (word.start > text && is_word(word.start[-1]))
			word.start--;
		if (word.start == word.end || piece_is(word, "else") || piece_is(word, "do"))
			break;
		bool is_attribute = word.end - word.start > 4 && !strncmp(word.start, "__", 2);
		has_other |= is_attribute || isupper((unsigned char)*word.start);
		all.start = c = word.start;
	}
	return has_other ? all : (struct piece){at, at};
}

/* Behind the attributes alignas(...) and [[...]] at `at`. */
static const char *skip_attributes(const char *at)
{
	for (;;) {
		const char *end = NULL, *next = at;
		while (isspace((unsigned char)*next))
			next++;
		if (starts_word(next, "alignas") && strchr(next, '('))
			end = skip_brackets(strchr(next, '('));
		else if (!strncmp(next, "[[", 2))
			end = skip_brackets(next);
		if (!end)
			return at;
		at = end;
	}
}

static char *mend_attribute(const char *text, const char *at)
{
	const char *end = skip_attributes(at);
	struct piece specifiers = specifiers_before(text, at);
	if (end == at || specifiers.start == at)
		return NULL;
	char *fresh = text_format("%.*s %.*s", (int)(end - at), at,
				  (int)(specifiers.end - specifiers.start), specifiers.start);
	/* The space between the two pieces went along with the specifiers. */
	char *mended = text_replace(text, specifiers.start, end, fresh);
	free(fresh);
	return mended;
}

/* "{1, 2}" among a launch's first arguments: nvcc takes it for a dim3. In
 * parentheses, as an int may stand there. */
static char *mend_launch(const char *text, const char *at)
{
	const char *before = at, *end = *at == '{' ? skip_brackets(at) : NULL;
	while (before > text && isspace((unsigned char)before[-1]))
		before--;
	const char *start = before;
	while (start > text && start[-1] != ';' && strncmp(start, "<<<", 3))
		start--;
	bool in_launch = end && before > text && (before[-1] == ',' || before[-1] == '<') &&
			 !strncmp(start, "<<<", 3);
	if (!in_launch)
		return NULL;
	unsigned n_before = 0;
	for (const char *c = start; c < at; c++) {
		const char *behind = strchr("([{", *c) ? skip_brackets(c) : NULL;
		n_before += *c == ',';
		c = behind && behind <= at ? behind - 1 : c;
	}
	/* Behind the two extents: no bytes, the default stream. */
	char *fresh = n_before < 2 ? text_format("dim3(%.*s)", (int)(end - at) - 2, at + 1)
				   : text_copy(end - at == 2 ? "0" : "");
	if (!*fresh) {
		free(fresh);
		return NULL;
	}
	char *mended = text_replace(text, at, end, fresh);
	free(fresh);
	return mended;
}

/* "k << <1, 2 >> > ()", as editors write that take no <<< for one word: nvcc takes a <
 * behind a << for its end, and a > behind a >>. */
static char *mend_parted(const char *text, const char *at)
{
	if (*at != '<' && *at != '>')
		return NULL;
	const char *gap = at;
	for (const char *c = NULL; c != gap;) {
		c = gap;
		while (gap > text && isspace((unsigned char)gap[-1]))
			gap--;
		if (gap - text >= 4 && !strncmp(gap - 2, "*/", 2)) {
			const char *comment = gap - 4;
			while (comment > text && strncmp(comment, "/*", 2))
				comment--;
			gap = comment;
		}
	}
	bool parted = gap < at && gap - text > 2 && gap[-1] == *at && gap[-2] == *at &&
		      gap[-3] != *at;
	if (!parted)
		return NULL;
	char *fresh = text_format("%c%.*s", *at, (int)(at - gap), gap);
	char *mended = text_replace(text, gap, at + 1, fresh);
	free(fresh);
	return mended;
}

/* The line that begins a pragma or the operator, at or before `at`. */
static struct piece pragma_before(const char *text, const char *at)
{
	for (const char *c = at;; c--) {
		if (starts_word(c, "_Pragma") && (c == text || !is_word(c[-1]))) {
			const char *end = strchr(c, '(') ? skip_brackets(strchr(c, '(')) : NULL;
			if (end)
				return (struct piece){c, end};
		}
		if (*c == '#' && starts_word(skip_space(c + 1), "pragma"))
			return (struct piece){c, c + strcspn(c, "\n")};
		if (c == text)
			return (struct piece){text, text};
	}
}

/* nvcc warns of an unroll that no loop follows, and goes on. */
static char *mend_unroll(const char *text, const char *at)
{
	struct piece pragma = pragma_before(text, at);
	const char *word = memmem(pragma.start, (size_t)(pragma.end - pragma.start), "unroll", 6);
	return word ? text_replace(text, pragma.start, pragma.end, "") : NULL;
}

/* A special register in an asm statement with operands: "%laneid" for
 * "%%laneid". All of the string are mended at once. */
static char *mend_asm(const char *text, const char *at)
{
	const char *start = at;
	while (start > text && *start != '%' && at - start < 3)
		start--;
	if (*start != '%')
		return NULL;
	char *fresh = text_copy("");
	const char *c = start;
	while (*c && *c != '"' && *c != '\n') {
		size_t n = strcspn(c, "%\"\n");
		bool is_register = c[n] == '%' && isalpha((unsigned char)c[n + 1]) &&
				   (isalpha((unsigned char)c[n + 2]) || c[n + 2] == '_');
		bool is_pair = c[n] == '%' && c[n + 1] == '%';
		size_t taken = n + (c[n] == '%') + is_pair;
		char *longer = text_format("%s%.*s%s", fresh, (int)taken, c,
					   is_register ? "%" : "");
		free(fresh);
		fresh = longer;
		c += taken;
	}
	char *mended = strlen(fresh) > (size_t)(c - start) ? text_replace(text, start, c, fresh)
							   : NULL;
	free(fresh);
	return mended;
}

/* The number of an operand that is not there: nvcc finds it when it makes code of the statement,
 * so never in a template that nobody uses. As text, the device compiler finds it then. */
static char *mend_number(const char *text, const char *at)
{
	const char *start = at;
	while (start > text && *start != '%' && at - start < 3)
		start--;
	return *start == '%' && start[1] != '%' ? text_replace(text, start, start, "%") : NULL;
}

/* nvcc takes operands of an asm statement with no comma between. */
static char *mend_operand(const char *text, const char *at)
{
	const char *before = at, *end = *at == '"' ? skip_literal(text, at) : at;
	while (before > text && isspace((unsigned char)before[-1]))
		before--;
	bool is_operand = end > at && *skip_space(end) == '(' && before > text && before[-1] == ')';
	return is_operand ? text_replace(text, before, before, ",") : NULL;
}

/* nvcc's constraint for strings; the device compiler knows it by clang's X. */
static char *mend_constraint(const char *text, const char *at)
{
	return strncmp(at, "\"C\"", 3) ? NULL : text_replace(text, at, at + 3, "\"X\"");
}

/* A pointer cast to a smaller integer, which nvcc takes in device code. */
static char *mend_cast(const char *text, const char *at)
{
	const char *end = *at == '(' ? skip_brackets(at) : NULL;
	return end ? text_replace(text, end, end, "(unsigned long)") : NULL;
}

/* A switch may jump over a declaration, not over an initialization; nvcc takes both in
 * device code. One declarator only, and no array. */
static char *mend_jump(const char *text, const char *at)
{
	const char *end = at, *start = at;
	while (is_word(*end))
		end++;
	const char *equals = skip_space(end), *semicolon = equals;
	bool one = *equals == '=' && equals[1] != '=';
	while (one && *semicolon && *semicolon != ';') {
		const char *behind = strchr("([{", *semicolon) ? skip_brackets(semicolon)
							       : skip_literal(text, semicolon);
		one = *semicolon != ',' && behind;
		semicolon = one && behind > semicolon ? behind : semicolon + 1;
	}
	while (start > text && !strchr(";:{}", start[-1]))
		start--;
	bool known = one && *semicolon && end > at && !contains((struct piece){start, at}, ",&") &&
		     !memmem(start, (size_t)(at - start), "const", 5) &&
		     !memmem(start, (size_t)(at - start), "auto", 4);
	if (!known)
		return NULL;
	char *fresh = text_format("; %.*s", (int)(end - at), at);
	char *mended = text_replace(text, end, end, fresh);
	free(fresh);
	return mended;
}

/* nvcc and gcc take main, and no other function, without its type. */
static char *mend_main(const char *text, const char *at)
{
	return starts_word(at, "main") ? text_replace(text, at, at, "int ") : NULL;
}

/* `#pragma WORDS` in a macro's definition, up to the line's end or a comment. */
static char *mend_pragma(const char *text, const char *at)
{
	const char *line = at, *word = at + 1;
	if (*at != '#')
		return NULL;
	while (line > text && line[-1] != '\n')
		line--;
	line += strspn(line, " \t");
	while (isblank((unsigned char)*word))
		word++;
	if (*line != '#' || line == at || !starts_word(word, "pragma"))
		return NULL;
	struct piece rest = {word + strlen("pragma"), word + strcspn(word, "\n")};
	for (const char *c = rest.start; c < rest.end; c++)
		if ((*c == '/' && (c[1] == '/' || c[1] == '*')) ||
		    (*c == '\\' && c + 1 == rest.end))
			rest.end = c;
	rest = trim(rest);
	char *quoted = text_copy("");
	for (const char *c = rest.start; c < rest.end; c++) {
		char *longer = text_format("%s%s%c", quoted, *c == '"' || *c == '\\' ? "\\" : "",
					   *c);
		free(quoted);
		quoted = longer;
	}
	char *fresh = text_format("_Pragma(\"%s\")", quoted);
	char *mended = text_replace(text, at, rest.end, fresh);
	free(quoted);
	free(fresh);
	return mended;
}

/* Is the comma among a template's arguments, and not a call's? */
static bool is_behind_angle(const char *text, const char *comma)
{
	int depth = 0;
	for (const char *c = comma; c > text && c[-1] != ';'; c--) {
		if (strchr(")]}>", c[-1]))
			depth++;
		else if (strchr("([{<", c[-1]) && --depth < 0)
			return c[-1] == '<';
	}
	return false;
}

/* nvcc ignores a comma behind a class's last template argument: extents<int,>. */
static char *mend_comma(const char *text, const char *at)
{
	const char *comma = at;
	while (comma > text && isspace((unsigned char)comma[-1]))
		comma--;
	return *at == '>' && comma > text && comma[-1] == ',' && is_behind_angle(text, comma - 1)
		       ? text_replace(text, comma - 1, comma, "")
		       : NULL;
}

/* Where an expression should be. */
static char *mend_expression(const char *text, const char *at)
{
	char *mended = mend_launch(text, at);
	mended = mended ? mended : mend_parted(text, at);
	return mended ? mended : mend_comma(text, at);
}

/* Where a constant should be. */
static char *mend_constant(const char *text, const char *at)
{
	char *mended = mend_this(text, at);
	return mended ? mended : mend_offset(text, at);
}

static char *mend_device(const char *text, const char *at)
{
	return mend_side(text, at, true);
}

static char *mend_host(const char *text, const char *at)
{
	return mend_side(text, at, false);
}

static char *mend_kernel_value(const char *text, const char *at)
{
	return mend_kernel(text, at, true);
}

static char *mend_kernel_call(const char *text, const char *at)
{
	return mend_kernel(text, at, false);
}

/* DIALECT_HOST_CALL needs more of the spot and is not here. */
static const struct {
	char *(*mend)(const char *text, const char *at);
	bool in_macro; /* where it finds nothing, a macro's expansion may hide it */
} mends[] = {
	[DIALECT_ATTRIBUTE] = {mend_attribute, true},
	[DIALECT_EXTERN] = {mend_extern, true},
	[DIALECT_REPEATED] = {mend_repeated, false},
	[DIALECT_CONSTRUCTOR] = {mend_constructor, true},
	[DIALECT_LAUNCH] = {mend_expression, true},
	[DIALECT_UNROLL] = {mend_unroll, true},
	[DIALECT_ASM] = {mend_asm, true},
	[DIALECT_NUMBER] = {mend_number, true},
	[DIALECT_OPERAND] = {mend_operand, false},
	[DIALECT_CONSTRAINT] = {mend_constraint, true},
	[DIALECT_PRAGMA] = {mend_pragma, false},
	[DIALECT_TEMPLATE] = {mend_template, true},
	[DIALECT_TYPENAME] = {mend_typename, false},
	[DIALECT_MEMBER] = {mend_member, false},
	[DIALECT_THIS] = {mend_constant, true},
	[DIALECT_CONSTEXPR] = {mend_constexpr, false},
	[DIALECT_UNREAD] = {mend_unread, false},
	[DIALECT_CAST] = {mend_cast, true},
	[DIALECT_JUMP] = {mend_jump, false},
	[DIALECT_ARRAY] = {mend_array, false},
	[DIALECT_ALIGN] = {mend_align, true},
	[DIALECT_MAIN] = {mend_main, true},
	[DIALECT_GUIDE] = {mend_guide, false},
	[DIALECT_DEVICE] = {mend_device, false},
	[DIALECT_HOST] = {mend_host, false},
	[DIALECT_DEVICE_CALL] = {mend_device_call, false},
	[DIALECT_KERNEL] = {mend_kernel_value, true},
	[DIALECT_KERNEL_CALL] = {mend_kernel_call, true},
	[DIALECT_KERNEL_POINTER] = {mend_kernel_pointer, true},
};

char *dialect_mend(const char *text, const struct dialect_spot *spot)
{
	const char *at = find_spot(text, spot);
	if (!at)
		return NULL;
	if (spot->kind == DIALECT_HOST_CALL)
		return mend_host_call(text, at, spot);
	bool wanted = spot->kind != DIALECT_KERNEL_CALL || spot->launched;
	char *mended = wanted ? mends[spot->kind].mend(text, at) : NULL;
	return mended || !mends[spot->kind].in_macro ? mended : mend_macro(text, at, spot);
}

/* Reads "PATH:LINE:COLUMN" that ends at `end`. */
static bool read_place(const char *line, const char *end, char **path, unsigned *number,
		       unsigned *column)
{
	const char *numbers = end;
	for (int colons = 0; numbers > line && colons < 2; colons += *numbers == ':')
		numbers--;
	if (sscanf(numbers, ":%u:%u:", number, column) != 2 || !*number || !*column)
		return false;
	*path = text_copy_n(line, (size_t)(numbers - line));
	return true;
}

/* Reads "PATH:LINE:COLUMN: error: MESSAGE". */
static bool read_error(const char *line, struct dialect_spot *ret)
{
	/* Each message in two parts, as names stand in some. */
	static const struct {
		const char *message, *more;
		enum dialect_kind kind;
	} messages[] = {
		{"an attribute list cannot appear here", "", DIALECT_ATTRIBUTE},
		/* The same before the name of a type. */
		{"'alignas' attribute cannot be applied to types", "", DIALECT_ATTRIBUTE},
		{"cannot be 'extern'", "", DIALECT_EXTERN},
		{"redefinition of '", "", DIALECT_REPEATED},
		{"initialization is not supported for __shared__ variables", "",
		 DIALECT_CONSTRUCTOR},
		{"expected expression", "", DIALECT_LAUNCH},
		{"expected a for, while, or do-while loop to follow '#pragma unroll", "",
		 DIALECT_UNROLL},
		{"duplicate directives '#pragma", "unroll", DIALECT_UNROLL},
		{"invalid value '", "must be positive", DIALECT_UNROLL},
		{"invalid % escape in inline assembly string", "", DIALECT_ASM},
		{"invalid operand number in inline asm string", "", DIALECT_NUMBER},
		{"expected ')'", "", DIALECT_OPERAND},
		{"invalid input constraint 'C' in asm", "", DIALECT_CONSTRAINT},
		{"use 'template' keyword to treat '", "as a dependent template name",
		 DIALECT_TEMPLATE},
		{"missing 'template' keyword prior to dependent template name", "",
		 DIALECT_TEMPLATE},
		{"reference to overloaded function could not be resolved", "", DIALECT_TEMPLATE},
		{"reference to non-static member function must be called", "", DIALECT_TEMPLATE},
		{"missing 'typename' prior to dependent type name", "", DIALECT_TYPENAME},
		{"explicit qualification required to use member '", "from dependent base class",
		 DIALECT_MEMBER},
		{"constexpr if condition is not a constant expression", "", DIALECT_THIS},
		{"static assertion expression is not an integral constant expression", "",
		 DIALECT_THIS},
		{"non-type template argument is not a constant expression", "", DIALECT_THIS},
		{"variable of non-literal type '", "in a constexpr function", DIALECT_CONSTEXPR},
		{"no member named '", "' in namespace '", DIALECT_UNREAD},
		{"no template named '", "", DIALECT_UNREAD},
		{"use of undeclared identifier '", "", DIALECT_UNREAD},
		{"cast from pointer to smaller type", "loses information", DIALECT_CAST},
		{"variable-sized object may not be initialized", "", DIALECT_ARRAY},
		{"requested alignment is less than minimum alignment of", "", DIALECT_ALIGN},
		{"a type specifier is required for all declarations", "", DIALECT_MAIN},
		{"reference to __global__ function '", "", DIALECT_KERNEL},
		{"no matching function for call to '", "", DIALECT_KERNEL_CALL},
		{"reference to __host__ function '__cudaPushCallConfiguration'", "",
		 DIALECT_KERNEL_POINTER},
		{"reference to __host__ function '<deduction guide for ", "", DIALECT_GUIDE},
		{"reference to __host__ function '", "in __host__ __device__ function",
		 DIALECT_HOST_CALL},
	};
	const char *error = strstr(line, ": error: ");
	if (!error)
		return false;
	for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
		if (!strstr(error, messages[i].message) || !strstr(error, messages[i].more))
			continue;
		*ret = (struct dialect_spot){.kind = messages[i].kind};
		return read_place(line, error, &ret->path, &ret->line, &ret->column);
	}
	return false;
}

static const char expanded[] = ": note: expanded from macro '";

/* A pragma may stand where an error's macro is defined. */
static bool read_pragma(const char *line, struct dialect_spot *ret)
{
	const char *note = strstr(line, expanded);
	*ret = (struct dialect_spot){.kind = DIALECT_PRAGMA};
	return note && read_place(line, note, &ret->path, &ret->line, &ret->column);
}

static bool read_jump(const char *line, struct dialect_spot *ret)
{
	const char *note = strstr(line, ": note: jump bypasses variable initialization");
	*ret = (struct dialect_spot){.kind = DIALECT_JUMP};
	return note && read_place(line, note, &ret->path, &ret->line, &ret->column);
}

/* The device pass reads host functions, too, and finds there what is declared for kernels; the
 * host pass kernels, with what is declared for the host. */
static bool read_side(const char *line, bool guides, struct dialect_spot *ret)
{
	const char *note = strstr(line, ": note: candidate ");
	bool device = note &&
		      strstr(note,
			     "not viable: call to __device__ function from __host__ function");
	bool host =
		note &&
		(strstr(note, "not viable: call to __host__ function from __device__ function") ||
		 strstr(note, "not viable: call to __host__ function from __global__ function"));
	*ret = (struct dialect_spot){.kind = device   ? DIALECT_DEVICE
					     : guides ? DIALECT_GUIDE
						      : DIALECT_HOST};
	return (device || host) && read_place(line, note, &ret->path, &ret->line, &ret->column);
}

static bool read_guide(const char *line, struct dialect_spot *ret)
{
	const char *note = strstr(line, ": note: '<deduction guide for ");
	*ret = (struct dialect_spot){.kind = DIALECT_GUIDE};
	return note && strstr(note, "declared here") &&
	       read_place(line, note, &ret->path, &ret->line, &ret->column);
}

/* Reads a note that belongs to the error before it. */
static void read_note(const char *line, struct dialect_spot *spot)
{
	const char *note = strstr(line, expanded);
	spot->called |= strstr(line, ": note: called by ") != NULL;
	spot->launched |= strstr(line, "not viable: call to __global__ function from ") != NULL;
	if (!note || spot->n_macros == DIALECT_MAX_MACROS)
		return;
	struct dialect_macro *macro = &spot->macros[spot->n_macros];
	unsigned column;
	if (!read_place(line, note, &macro->path, &macro->line, &column))
		return;
	const char *name = note + sizeof expanded - 1;
	macro->name = text_copy_n(name, strcspn(name, "'"));
	spot->n_macros++;
}

size_t dialect_find_spots(const char *diagnostics, struct dialect_spot **ret)
{
	struct words lines = {0};
	words_split(&lines, diagnostics, '\n');
	struct dialect_spot *last = NULL;
	bool guides = false; /* the error is about a class's arguments */
	size_t n = 0;
	*ret = calloc(lines.n + 1, sizeof **ret);
	for (size_t i = 0; *ret && i < lines.n; i++) {
		const char *line = lines.at[i];
		if (strstr(line, ": error: ") || strstr(line, ": warning: ")) {
			bool ours = read_error(line, &(*ret)[n]);
			if (ours && (*ret)[n].kind == DIALECT_GUIDE) {
				/* Its note has the guide's place. */
				free((*ret)[n].path);
				ours = false;
			}
			last = ours ? &(*ret)[n] : NULL;
			n += ours;
			guides = strstr(line, "deduction of template arguments of '") != NULL;
		} else {
			if (last)
				read_note(line, last);
			n += read_pragma(line, &(*ret)[n]) || read_jump(line, &(*ret)[n]) ||
			     read_side(line, guides, &(*ret)[n]) || read_guide(line, &(*ret)[n]);
		}
	}
	words_fini(&lines);
	return n;
}

void dialect_free_spots(struct dialect_spot *spots, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(spots[i].path);
		for (size_t k = 0; k < spots[i].n_macros; k++) {
			free(spots[i].macros[k].path);
			free(spots[i].macros[k].name);
		}
	}
	free(spots);
}
