/* SPDX-License-Identifier: Apache-2.0 */
/* nvvm_places.c - functions without debug information.
 *
 * Later passes tell operations of a warp apart by their places, and leave functions without places
 * to themselves, since those are cudasim's own. So a function of the program's that has none gets
 * a subprogram of a unit that writes no debug information, and its calls get line 0, which means
 * that no line is known, in a column each. */
#include <llvm-c/DebugInfo.h>
#include <string.h>

#include "names.h"
#include "nvvm_parts.h"

enum { MAX_COLUMN = 65535, DEBUG_VERSION = 3 };

static const char version_flag[] = "Debug Info Version";

static void number_calls(struct device_module *dm, LLVMValueRef function, LLVMMetadataRef scope)
{
	unsigned column = 0;
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b;
	     b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			if (LLVMIsACallInst(i))
				LLVMInstructionSetDebugLoc(i, LLVMDIBuilderCreateDebugLocation(
								      dm->context, 0,
								      column++ % MAX_COLUMN + 1,
								      scope, NULL));
}

static LLVMMetadataRef make_subprogram(LLVMDIBuilderRef builder, LLVMMetadataRef file,
				       LLVMValueRef function)
{
	const char *name = name_of(function);
	LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(builder, file, NULL, 0,
								 LLVMDIFlagZero);
	return LLVMDIBuilderCreateFunction(builder, file, name, strlen(name), name, strlen(name),
					   file, 0, type, 0, 1, 0, LLVMDIFlagZero, 1);
}

static void add_version(struct device_module *dm)
{
	size_t n = sizeof version_flag - 1;
	LLVMTypeRef word = LLVMInt32TypeInContext(dm->context);
	if (!LLVMGetModuleFlag(dm->module, version_flag, n))
		LLVMAddModuleFlag(dm->module, LLVMModuleFlagBehaviorWarning, version_flag, n,
				  LLVMValueAsMetadata(LLVMConstInt(word, DEBUG_VERSION, 0)));
}

void nvvm_add_places(struct device_module *dm)
{
	LLVMDIBuilderRef builder = LLVMCreateDIBuilder(dm->module);
	LLVMMetadataRef file = NULL;
	for (LLVMValueRef f = LLVMGetFirstFunction(dm->module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f) || LLVMGetSubprogram(f))
			continue;
		if (!file) {
			const char *source = dm->program->options->source;
			file = LLVMDIBuilderCreateFile(builder, source, strlen(source), "", 0);
			LLVMDIBuilderCreateCompileUnit(
				builder, LLVMDWARFSourceLanguageC_plus_plus, file, "cudasim", 7, 1,
				"", 0, 0, "", 0, LLVMDWARFEmissionNone, 0, 0, 0, "", 0, "", 0);
			add_version(dm);
		}
		LLVMMetadataRef scope = make_subprogram(builder, file, f);
		LLVMSetSubprogram(f, scope);
		number_calls(dm, f, scope);
	}
	LLVMDIBuilderFinalize(builder);
	LLVMDisposeDIBuilder(builder);
}
