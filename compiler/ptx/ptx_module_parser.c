/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_module_parser.c - what stands outside of functions, and functions' heads. */
#include "ptx_module.h"

#include <ctype.h>
#include <string.h>

#include "ptx_parser.h"

static struct cudasim_error *nomem(void)
{
	return &cudasim_error_nomem;
}

/* ---- the head ------------------------------------------------------------ */

/* The newest that there is a manual of. */
#define LAST_MAJOR 9
#define LAST_MINOR 0

static struct cudasim_error *parse_version(struct ptx_parser *parser)
{
	unsigned major, minor;
	struct cudasim_error *error;

	parser->begin = parser->token.begin;
	if (!ptx_parser_at_word(parser, "version"))
		return cudasim_error_new(CUDASIM_E_FORMAT, "PTX begins with '.version'");
	ptx_parser_consume(parser);
	if (parser->token.kind != PTX_T_REAL || parser->token.real < 1 || parser->token.real > 99)
		return ptx_parser_fail(parser, "a version like 8.0");
	major = (unsigned)parser->token.real;
	minor = (unsigned)((parser->token.real - major) * 10 + 0.5);
	if (major > LAST_MAJOR || (major == LAST_MAJOR && minor > LAST_MINOR)) {
		error = cudasim_error_new(CUDASIM_E_NOTFOUND,
					  "Unsupported .version %u.%u; current version is '%d.%d'",
					  major, minor, LAST_MAJOR, LAST_MINOR);
		return error;
	}
	ptx_parser_consume(parser);
	return NULL;
}

static struct cudasim_error *check_target(struct ptx_parser *parser, const char *name)
{
	static const char *const options[] = {"debug", "texmode_unified", "texmode_independent",
					      "map_f64_to_f32"};
	unsigned number = 0;
	const char *c = name + 3;

	for (size_t i = 0; i < sizeof(options) / sizeof(*options) - 1; i++)
		if (!strcmp(name, options[i]))
			return NULL;
	if (strncmp(name, "sm_", 3) || !isdigit((unsigned char)*c))
		return ptx_parser_fail(parser, "a target like sm_90");
	while (isdigit((unsigned char)*c) && number < 10000)
		number = 10 * number + (unsigned)(*c++ - '0');
	/* sm_90a's own instructions are for an sm_90 alone. */
	if (number > 90 || (*c && strcmp(c, "a")) || (*c && number != 90))
		return cudasim_error_new(
			CUDASIM_E_NOTFOUND,
			"SM version of .target %s is higher than the simulated GPU's, sm_90", name);
	return NULL;
}

static struct cudasim_error *parse_target(struct ptx_parser *parser)
{
	struct cudasim_error *error;

	do {
		parser->begin = parser->token.begin;
		ptx_parser_consume(parser);
		if (parser->token.kind != PTX_T_WORD)
			return ptx_parser_fail(parser, "a target like sm_90");
		error = check_target(parser, parser->token.text);
		if (error)
			return error;
		ptx_parser_consume(parser);
	} while (ptx_parser_at(parser, ','));
	return NULL;
}

static struct cudasim_error *parse_address_size(struct ptx_parser *parser)
{
	ptx_parser_consume(parser);
	if (parser->token.kind != PTX_T_INTEGER || parser->token.integer != 64)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "an .address_size other than 64 is not supported");
	ptx_parser_consume(parser);
	return NULL;
}

/* ---- lines --------------------------------------------------------------- */

/* .file 1 "path", time, size */
static struct cudasim_error *parse_file(struct ptx_parser *parser, struct ptx_module *module)
{
	struct ptx_file *file;
	size_t n;
	char *path;

	ptx_parser_consume(parser);
	module->files = ptx_parser_grow(parser, module->files, module->n_files, sizeof(*file));
	if (!module->files)
		return nomem();
	file = &module->files[module->n_files];
	if (parser->token.kind != PTX_T_INTEGER)
		return ptx_parser_fail(parser, "a file's number");
	file->number = (uint32_t)parser->token.integer;
	ptx_parser_consume(parser);
	if (parser->token.kind != PTX_T_STRING || parser->token.end < parser->token.begin + 2)
		return ptx_parser_fail(parser, "a file's name");
	n = parser->token.end - parser->token.begin - 2;
	path = ptx_arena_alloc(parser->arena, n + 1);
	if (!path)
		return nomem();
	memcpy(path, parser->lexer.text + parser->token.begin + 1, n);
	file->path = path;
	module->n_files++;
	ptx_parser_consume(parser);
	for (unsigned i = 0; i < 2 && ptx_parser_accept(parser, ','); i++)
		ptx_parser_consume(parser);
	return NULL;
}

/* .section .debug_info { ... } */
static struct cudasim_error *skip_section(struct ptx_parser *parser)
{
	unsigned depth = 0;

	ptx_parser_consume(parser);
	while (parser->token.kind != PTX_T_END && !ptx_parser_at(parser, '{'))
		ptx_parser_consume(parser);
	do {
		depth += ptx_parser_at(parser, '{');
		depth -= ptx_parser_at(parser, '}');
		if (parser->token.kind == PTX_T_END)
			return ptx_parser_fail(parser, "'}' of a section");
		ptx_parser_consume(parser);
	} while (depth);
	return NULL;
}

/* ---- functions ----------------------------------------------------------- */

/* Directives between a function's parameters and its body. */
static struct cudasim_error *parse_bounds(struct ptx_parser *parser, struct ptx_function *function)
{
	static const struct {
		const char *name;
		unsigned most; /* numbers */
	} known[] = {
		{"maxntid", 3},        {"reqntid", 3},         {"minnctapersm", 1},
		{"maxnctapersm", 1},   {"maxnreg", 1},         {"reqnctapercluster", 3},
		{"maxclusterrank", 1}, {"explicitcluster", 0}, {"blocksareclusters", 0},
		{"noreturn", 0},       {"pragma", 0},
	};

	while (parser->token.kind == PTX_T_DOT) {
		size_t i = 0, n = sizeof(known) / sizeof(*known);
		struct ptx_bound *bound;
		struct cudasim_error *error;

		while (i < n && strcmp(parser->token.text, known[i].name))
			i++;
		if (i == n)
			return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
						 "PTX directive '.%s' is not supported",
						 parser->token.text);
		ptx_parser_consume(parser);
		function->no_return |= !strcmp(known[i].name, "noreturn");
		if (!strcmp(known[i].name, "pragma")) {
			while (!ptx_parser_ends_here(parser))
				ptx_parser_consume(parser);
			ptx_parser_accept(parser, ';');
			continue;
		}
		function->bounds = ptx_parser_grow(parser, function->bounds, function->n_bounds,
						   sizeof(*bound));
		if (!function->bounds)
			return nomem();
		bound = &function->bounds[function->n_bounds++];
		*bound = (struct ptx_bound){.name = known[i].name};
		while (bound->n_values < known[i].most) {
			error = ptx_parser_count(parser, INT32_MAX,
						 &bound->values[bound->n_values]);
			if (error)
				return error;
			bound->n_values++;
			if (!ptx_parser_accept(parser, ','))
				break;
		}
	}
	return NULL;
}

static struct cudasim_error *parse_body(struct ptx_parser *parser, struct ptx_function *function)
{
	struct cudasim_error *error = NULL;

	function->has_body = true;
	parser->program = &function->body;
	parser->n_room = 0;
	parser->n_open = 0;
	parser->file = parser->source_line = 0;
	for (;;) {
		if (parser->token.kind == PTX_T_END)
			return cudasim_error_new(CUDASIM_E_FORMAT,
						 "the body of function '%s' has no '}'",
						 function->name);
		if (parser->n_open == 0 && ptx_parser_accept(parser, '}'))
			break;
		error = ptx_parser_statement(parser);
		if (error)
			return error;
	}
	parser->program = NULL;
	return NULL;
}

static struct cudasim_error *parse_function(struct ptx_parser *parser, struct ptx_module *module,
					    enum ptx_linkage linkage)
{
	struct ptx_function *function;
	struct cudasim_error *error = NULL;

	module->functions = ptx_parser_grow(parser, module->functions, module->n_functions,
					    sizeof(*module->functions));
	if (!module->functions)
		return nomem();
	function = &module->functions[module->n_functions++];
	*function = (struct ptx_function){
		.linkage = linkage, .is_entry = ptx_parser_at_word(parser, "entry"), .name = ""};
	ptx_parser_consume(parser);
	if (ptx_parser_at_word(parser, "attribute"))
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "an .attribute of functions is not supported");
	if (!function->is_entry && ptx_parser_at(parser, '('))
		error = ptx_parser_params(parser, &function->returns, &function->n_returns);
	if (error)
		return error;
	if (parser->token.kind != PTX_T_WORD)
		return ptx_parser_fail(parser, "a function's name");
	function->name = parser->token.text;
	function->line = parser->token.line;
	ptx_parser_consume(parser);
	if (ptx_parser_at(parser, '('))
		error = ptx_parser_params(parser, &function->params, &function->n_params);
	if (!error)
		error = parse_bounds(parser, function);
	if (error)
		return error;
	if (ptx_parser_accept(parser, ';'))
		return NULL;
	if (!ptx_parser_accept(parser, '{'))
		return ptx_parser_fail(parser, "'{' or ';'");
	return parse_body(parser, function);
}

/* .alias a, b; */
static struct cudasim_error *parse_alias(struct ptx_parser *parser, struct ptx_module *module)
{
	struct ptx_alias *alias;

	ptx_parser_consume(parser);
	module->aliases = ptx_parser_grow(parser, module->aliases, module->n_aliases,
					  sizeof(*alias));
	if (!module->aliases)
		return nomem();
	alias = &module->aliases[module->n_aliases++];
	for (unsigned i = 0; i < 2; i++) {
		if ((i && !ptx_parser_accept(parser, ',')) || parser->token.kind != PTX_T_WORD)
			return ptx_parser_fail(parser, "two names of functions");
		*(i ? &alias->of : &alias->name) = parser->token.text;
		ptx_parser_consume(parser);
	}
	return ptx_parser_semicolon(parser);
}

/* ---- the whole ----------------------------------------------------------- */

static bool accept_linkage(struct ptx_parser *parser, enum ptx_linkage *ret)
{
	static const struct {
		const char *name;
		enum ptx_linkage linkage;
	} known[] = {{"visible", PTX_VISIBLE},
		     {"weak", PTX_WEAK},
		     {"common", PTX_COMMON},
		     {"extern", PTX_EXTERN}};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (ptx_parser_at_word(parser, known[i].name)) {
			*ret = known[i].linkage;
			ptx_parser_consume(parser);
			return true;
		}
	return false;
}

static struct cudasim_error *parse_item(struct ptx_parser *parser, struct ptx_module *module)
{
	static const char *const spaces[] = {"global", "const", "shared", "local"};
	enum ptx_linkage linkage = PTX_STATIC;

	parser->begin = parser->token.begin;
	if (ptx_parser_accept(parser, ';'))
		return NULL;
	if (ptx_parser_at_word(parser, "target"))
		return parse_target(parser);
	if (ptx_parser_at_word(parser, "address_size"))
		return parse_address_size(parser);
	if (ptx_parser_at_word(parser, "file"))
		return parse_file(parser, module);
	if (ptx_parser_at_word(parser, "section"))
		return skip_section(parser);
	if (ptx_parser_at_word(parser, "alias"))
		return parse_alias(parser, module);
	if (ptx_parser_at_word(parser, "pragma") || ptx_parser_at_word(parser, "loc"))
		return ptx_parser_directive(parser);
	accept_linkage(parser, &linkage);
	if (ptx_parser_at_word(parser, "entry") || ptx_parser_at_word(parser, "func"))
		return parse_function(parser, module, linkage);
	for (size_t i = 0; i < sizeof(spaces) / sizeof(*spaces); i++)
		if (ptx_parser_at_word(parser, spaces[i]))
			return ptx_parser_globals(parser, module, linkage);
	if (parser->token.kind == PTX_T_DOT)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "PTX directive '.%s' is not supported",
					 parser->token.text);
	return ptx_parser_fail(parser, "a directive");
}

struct cudasim_error *ptx_module_parse(const char *text, size_t size, struct ptx_module *ret,
				       uint32_t *line)
{
	struct ptx_parser parser = {.is_module = true};
	struct cudasim_error *error;

	*line = 1;
	*ret = (struct ptx_module){.arena = ptx_arena_new()};
	if (!ret->arena)
		return nomem();
	if (ptx_module_is_vendors(text, size)) {
		ptx_module_free(ret);
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"NVIDIA's NVVM compiler generated this PTX, and its licence does not "
			"allow translating it for other platforms; build the source with "
			"cudasim cc or cudasim's NVRTC instead");
	}
	parser.arena = ret->arena;
	parser.lexer = (struct ptx_lexer){
		.text = text, .size = strnlen(text, size), .line = 1, .arena = ret->arena};
	ptx_parser_consume(&parser);
	error = parse_version(&parser);
	while (!error && parser.token.kind != PTX_T_END)
		error = parse_item(&parser, ret);
	if (error) {
		*line = parser.token.line;
		ptx_module_free(ret);
	}
	return error;
}

void ptx_module_free(struct ptx_module *module)
{
	ptx_arena_free(module->arena);
	*module = (struct ptx_module){0};
}

bool ptx_module_is_vendors(const char *text, size_t size)
{
	static const char mark[] = "generated by nvidia";
	const size_t length = sizeof(mark) - 1;

	for (size_t i = 0; i < size; i++) {
		size_t n = 0;

		/* The head ends with the first directive. */
		if (size - i >= 8 && !memcmp(text + i, ".version", 8))
			return false;
		while (n < length && i + n < size && tolower((unsigned char)text[i + n]) == mark[n])
			n++;
		if (n == length)
			return true;
	}
	return false;
}
