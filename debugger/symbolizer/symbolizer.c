/* SPDX-License-Identifier: Apache-2.0 */
/* symbolizer.c - formats/symbolizer.h through libdw.
 *
 * The process's own files are reported to libdwfl once a call has to know
 * them, and again where a pc lies in none of them (a library opened since).
 * Debug information is taken from the files themselves only: no search for
 * separate files, and above all none over the network. */
#define _GNU_SOURCE
#include "symbolizer.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "own_files.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Dwfl *dwfl;

static bool report(void)
{
	if (!dwfl)
		dwfl = dwfl_begin(&own_files);
	if (!dwfl)
		return false;
	dwfl_report_begin_add(dwfl);
	bool ok = own_files_report(dwfl) == 0;
	return dwfl_report_end(dwfl, NULL, NULL) == 0 && ok;
}

/* The compile unit of pc, in files with a table of addresses and without (clang
 * writes none). */
static Dwarf_Die *unit_in(Dwfl_Module *module, uint64_t pc, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module, pc, bias);
	if (unit)
		return unit;
	while ((unit = dwfl_module_nextcu(module, unit, bias)))
		if (dwarf_haspc(unit, pc - *bias) > 0)
			return unit;
	return NULL;
}

static Dwfl_Module *module_of(uint64_t pc)
{
	Dwfl_Module *module = dwfl ? dwfl_addrmodule(dwfl, pc) : NULL;
	if (!module && report())
		module = dwfl_addrmodule(dwfl, pc);
	return module;
}

static Dwarf_Die *unit_of(uint64_t pc, Dwarf_Addr *bias)
{
	Dwfl_Module *module = module_of(pc);
	return module ? unit_in(module, pc, bias) : NULL;
}

/* Of the C++ runtime that libdw's users have; <cxxabi.h> itself is C++. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *size, int *status);

/* Cuts the parameters off a demangled name: what follows the first parenthesis
 * outside template arguments, "(anonymous namespace)" and operator() aside. */
static void cut_parameters(char *text)
{
	static const char anonymous[] = "(anonymous namespace)", call[] = "operator()";
	int depth = 0;
	for (char *p = text; *p; p++) {
		if (!strncmp(p, anonymous, sizeof anonymous - 1)) {
			p += sizeof anonymous - 2;
		} else if (!strncmp(p, call, sizeof call - 1)) {
			p += sizeof call - 2;
		} else if (*p == '<') {
			depth++;
		} else if (*p == '>') {
			depth--;
		} else if (*p == '(' && depth == 0) {
			*p = 0;
			return;
		}
	}
}

/* Templates' names begin with the result's type, which has no place here. */
static const char *skip_result(const char *text)
{
	int depth = 0;
	const char *begin = text;
	for (const char *p = text; *p; p++) {
		depth += (*p == '<' || *p == '(') - (*p == '>' || *p == ')');
		if (*p == ' ' && depth == 0 && strncmp(p, " operator", 9))
			begin = p + 1;
	}
	return begin;
}

static void put_function(char *to, size_t size, const char *name)
{
	int status;
	char *text = name && !strncmp(name, "_Z", 2) ? __cxa_demangle(name, NULL, NULL, &status)
						     : NULL;
	if (text)
		cut_parameters(text);
	snprintf(to, size, "%s", text ? skip_result(text) : name ? name : "");
	free(text);
}

static const char *name_of(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute))
		return dwarf_formstring(&attribute);
	return dwarf_diename(die);
}

static bool is_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

static const char *call_file(Dwarf_Die *unit, Dwarf_Die *call)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Files *files;
	size_t n;
	if (!dwarf_attr(call, DW_AT_call_file, &attribute) ||
	    dwarf_formudata(&attribute, &number) || dwarf_getsrcfiles(unit, &files, &n))
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

static uint32_t call_line(Dwarf_Die *call)
{
	Dwarf_Attribute attribute;
	Dwarf_Word line;
	if (!dwarf_attr(call, DW_AT_call_line, &attribute) || dwarf_formudata(&attribute, &line))
		return 0;
	return (uint32_t)line;
}

static void put(struct cudasim_symbol *ret, size_t n, size_t max, const char *function,
		const char *file, uint32_t line)
{
	if (n >= max)
		return;
	put_function(ret[n].function, sizeof ret[n].function, function);
	snprintf(ret[n].file, sizeof ret[n].file, "%s", file ? file : "");
	ret[n].line = line;
}

enum { MAX_SCOPES = 64 };

/* Write the scopes of parent's children around pc to scopes, outermost first; from n on.
 * dwarf_getscopes() leaves out what stands in a namespace, which has no addresses of its
 * own, and goes on from an inlined call to where the function was written; what is wanted
 * here is where it was called. */
static size_t descend(Dwarf_Die *parent, Dwarf_Addr pc, Dwarf_Die *scopes, size_t n)
{
	Dwarf_Die child;
	bool more = n < MAX_SCOPES && dwarf_child(parent, &child) == 0;
	for (; more; more = dwarf_siblingof(&child, &child) == 0) {
		int tag = dwarf_tag(&child);
		if (tag == DW_TAG_namespace || tag == DW_TAG_module) {
			size_t deeper = descend(&child, pc, scopes, n);
			if (deeper > n)
				return deeper;
		} else if ((is_function(&child) || tag == DW_TAG_lexical_block ||
			    tag == DW_TAG_try_block || tag == DW_TAG_catch_block) &&
			   dwarf_haspc(&child, pc) > 0) {
			scopes[n] = child;
			return descend(&child, pc, scopes, n + 1);
		}
	}
	return n;
}

/* The chain of inlined calls around pc, innermost first. */
static size_t put_chain(Dwarf_Die *unit, Dwarf_Addr pc, struct cudasim_symbol *ret, size_t max)
{
	Dwarf_Die scopes[MAX_SCOPES];
	size_t n_scopes = descend(unit, pc, scopes, 0);
	Dwarf_Line *at = dwarf_getsrc_die(unit, pc);
	const char *file = at ? dwarf_linesrc(at, NULL, NULL) : NULL;
	int line = 0;
	size_t n = 0;
	if (at)
		dwarf_lineno(at, &line);
	for (size_t i = n_scopes; i-- > 0;) {
		if (!is_function(&scopes[i]))
			continue;
		/* Without a name it is the compiler's own: a kernel's entry. */
		if (name_of(&scopes[i]))
			put(ret, n++, max, name_of(&scopes[i]), file, (uint32_t)line);
		file = call_file(unit, &scopes[i]);
		line = (int)call_line(&scopes[i]);
		if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			break;
	}
	if (!n && at)
		put(ret, n++, max, NULL, file, (uint32_t)line);
	return n;
}

size_t cudasim_symbolize(uint64_t pc, struct cudasim_symbol *ret, size_t max)
{
	Dwarf_Addr bias;
	size_t n = 0;
	pthread_mutex_lock(&lock);
	Dwarf_Die *unit = unit_of(pc, &bias);
	if (unit)
		n = put_chain(unit, pc - bias, ret, max);
	pthread_mutex_unlock(&lock);
	return n;
}

bool cudasim_symbol_name(uint64_t pc, char *text, size_t size)
{
	GElf_Off offset;
	GElf_Sym symbol;
	pthread_mutex_lock(&lock);
	Dwfl_Module *module = module_of(pc);
	const char *name = module ? dwfl_module_addrinfo(module, pc, &offset, &symbol, NULL, NULL,
							 NULL)
				  : NULL;
	/* The nearest symbol before it may be that of another function, which ends before. */
	bool inside = name && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && offset < symbol.st_size;
	if (inside)
		put_function(text, size, name);
	pthread_mutex_unlock(&lock);
	return inside;
}

/* The unit of the last code that begins before pc: the compiler's own functions, a kernel's entry,
 * stand in none, behind those of their source. */
static Dwarf_Die *unit_before(Dwfl_Module *module, uint64_t pc, Dwarf_Addr *bias)
{
	Dwarf_Die *ret = NULL;
	Dwarf_Addr nearest = 0;
	for (Dwarf_Die *unit = NULL; (unit = dwfl_module_nextcu(module, unit, bias));) {
		Dwarf_Addr base, low, high;
		ptrdiff_t offset = 0;
		while ((offset = dwarf_ranges(unit, offset, &base, &low, &high)) > 0)
			if (low < high && low <= pc - *bias && low >= nearest) {
				nearest = low;
				ret = unit;
			}
	}
	return ret;
}

bool cudasim_symbol_folder(uint64_t pc, char *text, size_t size)
{
	Dwarf_Addr bias;
	Dwarf_Attribute attribute;
	pthread_mutex_lock(&lock);
	Dwfl_Module *module = module_of(pc);
	Dwarf_Die *unit = module ? unit_before(module, pc, &bias) : NULL;
	const char *folder = unit && dwarf_attr(unit, DW_AT_comp_dir, &attribute)
				     ? dwarf_formstring(&attribute)
				     : NULL;
	int n = folder ? snprintf(text, size, "%s", folder) : -1;
	pthread_mutex_unlock(&lock);
	return n >= 0 && (size_t)n < size;
}
