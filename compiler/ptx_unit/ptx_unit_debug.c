/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_unit_debug.c - lines: those that .loc tells, in functions with any, else the
 * lines of the PTX itself. */
#include "ptx_unit.h"

#include <stdlib.h>
#include <string.h>

static LLVMMetadataRef make_file(struct ptx_unit *unit, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - path) : 0;

	return LLVMDIBuilderCreateFile(unit->debug, slash ? slash + 1 : path,
				       strlen(slash ? slash + 1 : path), path, n);
}

void ptx_unit_debug_begin(struct ptx_unit *unit)
{
	static const struct {
		const char *name;
		unsigned value;
	} flags[] = {{"Debug Info Version", 3}, {"Dwarf Version", 5}};

	unit->debug = LLVMCreateDIBuilder(unit->module);
	unit->debug_file = make_file(unit, unit->source);
	LLVMDIBuilderCreateCompileUnit(unit->debug, LLVMDWARFSourceLanguageC, unit->debug_file,
				       "cudasim", 7, true, "", 0, 0, "", 0, LLVMDWARFEmissionFull,
				       0, false, false, "", 0, "", 0);
	for (size_t i = 0; i < 2; i++)
		LLVMAddModuleFlag(
			unit->module, LLVMModuleFlagBehaviorWarning, flags[i].name,
			strlen(flags[i].name),
			LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(unit->context),
							 flags[i].value, false)));
	unit->debug_files = calloc(unit->tree->n_files + 1, sizeof(*unit->debug_files));
	for (uint32_t i = 0; unit->debug_files && i < unit->tree->n_files; i++)
		unit->debug_files[i] = make_file(unit, unit->tree->files[i].path);
}

static LLVMMetadataRef find_file(const struct ptx_unit *unit, uint32_t number)
{
	for (uint32_t i = 0; unit->debug_files && i < unit->tree->n_files; i++)
		if (unit->tree->files[i].number == number)
			return unit->debug_files[i];
	return NULL;
}

/* The first place that a .loc of the body names; NULL: none. */
static const struct ptx_statement *first_place(const struct ptx_unit *unit,
					       const struct ptx_function *function)
{
	for (size_t i = 0; i < function->body.n_statements; i++)
		if (function->body.statements[i].source_line &&
		    find_file(unit, function->body.statements[i].file))
			return &function->body.statements[i];
	return NULL;
}

void ptx_unit_debug_function(struct ptx_unit *unit, struct ptx_emit *emit)
{
	const struct ptx_function *function = emit->defined;
	const struct ptx_statement *first = first_place(unit, function);
	LLVMMetadataRef file = first ? find_file(unit, first->file) : unit->debug_file;
	LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(unit->debug, file, NULL, 0,
								 LLVMDIFlagZero);
	unsigned line = first ? first->source_line : function->line;

	emit->debug_scope = LLVMDIBuilderCreateFunction(
		unit->debug, file, function->name, strlen(function->name), function->name,
		strlen(function->name), file, line, type, function->linkage == PTX_STATIC, true,
		line, LLVMDIFlagZero, false);
	LLVMSetSubprogram(emit->function, emit->debug_scope);
	LLVMSetCurrentDebugLocation2(
		emit->builder,
		LLVMDIBuilderCreateDebugLocation(unit->context, line, 0, emit->debug_scope, NULL));
}

void ptx_unit_locate(struct ptx_emit *emit)
{
	struct ptx_unit *unit = emit->unit;
	LLVMMetadataRef scope = emit->debug_scope, file;
	uint32_t line = emit->at->line;

	if (LLVMDIScopeGetFile(scope) != unit->debug_file) {
		/* Before the first .loc, and where it names no file, the place is not known. */
		file = find_file(unit, emit->at->file);
		if (!file || !emit->at->source_line)
			return;
		line = emit->at->source_line;
		if (file != LLVMDIScopeGetFile(scope))
			scope = LLVMDIBuilderCreateLexicalBlockFile(unit->debug, scope, file, 0);
	}
	LLVMSetCurrentDebugLocation2(emit->builder, LLVMDIBuilderCreateDebugLocation(
							    unit->context, line, 0, scope, NULL));
}

void ptx_unit_debug_end(struct ptx_unit *unit)
{
	LLVMDIBuilderFinalize(unit->debug);
	LLVMDisposeDIBuilder(unit->debug);
	free(unit->debug_files);
}
