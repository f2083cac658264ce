/* SPDX-License-Identifier: Apache-2.0 */
/* pass_asm.c - inline PTX to LLVM IR: afterwards no inline assembly is left.
 *
 * Each different asm statement of a module (string, constraints and types) is
 * translated once, as a function whose parameters are its inputs and whose
 * result is its outputs; that function is inlined at every use and deleted at
 * the end. So labels and predicates need no surgery on the user's blocks.
 *
 * The carry flag outlives a statement (asm("add.cc..."); asm("addc...");): where
 * a statement of a function reads a flag that it has not written, the function
 * gets a variable for it, which all statements that touch the flag share.
 *
 * A "memory" clobber becomes a fence of scope singlethread before and after,
 * which orders the compiler and costs nothing at run time. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/DebugInfo.h>

#include "lower.h"
#include "llvm_functions.h"
#include "ptx_emit.h"

#define MAX_OPERANDS 64

struct operand {
	enum ptx_type type;
	bool is_output;
	int tied; /* of an input: the output whose register it shares, else -1 */
};

/* A translated statement. */
struct translation {
	LLVMValueRef statement; /* LLVM's inline asm value, unique in the context */
	LLVMTypeRef type;
	LLVMValueRef function;  /* NULL: the error is what there is to say */
	struct cudasim_error *error;
	bool reads_carry, touches_carry;
	struct translation *next;
};

struct pass {
	struct device_module *dm;
	struct translation *translations; /* the latest first */
};

/* ---- constraints --------------------------------------------------------- */

/* The register of a constraint's letter. Immediates take their value's width. */
static enum ptx_type register_type(const char *letters, size_t n, LLVMTypeRef value)
{
	for (size_t i = 0; i < n; i++) {
		switch (letters[i]) {
		case 'b':
		case 'c':
		case 'h':
			return PTX_B16;
		case 'r':
			return PTX_B32;
		case 'f':
			return PTX_F32;
		case 'l':
			return PTX_B64;
		case 'd':
			return PTX_F64;
		case 'q':
			return PTX_B128;
		default:
			break;
		}
	}
	if (memchr(letters, 'n', n) || memchr(letters, 'i', n) || memchr(letters, 'X', n) ||
	    memchr(letters, 's', n)) {
		switch (LLVMGetTypeKind(value)) {
		case LLVMIntegerTypeKind:
			return LLVMGetIntTypeWidth(value) > 32 ? PTX_B64 : PTX_B32;
		case LLVMFloatTypeKind:
			return PTX_F32;
		case LLVMDoubleTypeKind:
			return PTX_F64;
		case LLVMPointerTypeKind:
			return PTX_B64;
		default:
			break;
		}
	}
	return PTX_NONE;
}

/* The type of output i in the statement's result. */
static LLVMTypeRef output_type(LLVMTypeRef result, unsigned i, unsigned n_outputs)
{
	return n_outputs > 1 ? LLVMStructGetTypeAtIndex(result, i) : result;
}

static unsigned count_outputs(const char *text, size_t size)
{
	unsigned n = 0;

	for (size_t i = 0; i < size; i++)
		n += text[i] == '=' && (i == 0 || text[i - 1] == ',');
	return n;
}

/* One constraint between commas; *n counts the operands so far. */
static const char *read_constraint(const char *text, size_t size, LLVMTypeRef type,
				   unsigned n_outputs, struct operand *operands, unsigned *n,
				   bool *clobbers_memory)
{
	LLVMTypeRef params[MAX_OPERANDS], value;
	struct operand *operand = &operands[*n];

	if (size && text[0] == '~') {
		*clobbers_memory |= size == 9 && !memcmp(text, "~{memory}", 9);
		return NULL;
	}
	if (*n == MAX_OPERANDS || LLVMCountParamTypes(type) > MAX_OPERANDS)
		return "has too many operands";
	*operand = (struct operand){.tied = -1, .is_output = size && text[0] == '='};
	if (memchr(text, '*', size))
		return "has an operand in memory";
	if (operand->is_output) {
		value = output_type(LLVMGetReturnType(type), *n, n_outputs);
	} else {
		if (*n - n_outputs >= LLVMCountParamTypes(type))
			return "has a constraint without an operand";
		LLVMGetParamTypes(type, params);
		value = params[*n - n_outputs];
	}
	if (size && text[0] >= '0' && text[0] <= '9') {
		operand->tied = atoi(text);
		if ((unsigned)operand->tied >= n_outputs)
			return "has an operand that is tied to an operand other than an output";
		operand->type = operands[operand->tied].type;
	} else {
		operand->type = register_type(text, size, value);
	}
	++*n;
	return operand->type == PTX_NONE ? "has an operand of an unknown constraint" : NULL;
}

static struct cudasim_error *read_constraints(LLVMValueRef statement, LLVMTypeRef type,
					      struct operand *operands, unsigned *n,
					      bool *clobbers_memory)
{
	size_t size;
	const char *text = LLVMGetInlineAsmConstraintString(statement, &size);
	const char *end = text + size, *wrong = NULL;
	unsigned n_outputs = count_outputs(text, size);

	*n = 0;
	while (text < end && !wrong) {
		const char *comma = memchr(text, ',', (size_t)(end - text));
		size_t length = (size_t)((comma ? comma : end) - text);

		wrong = read_constraint(text, length, type, n_outputs, operands, n,
					clobbers_memory);
		text += length + 1;
	}
	if (!wrong)
		return NULL;
	text = LLVMGetInlineAsmAsmString(statement, &size);
	return cudasim_error_new(CUDASIM_E_UNSUPPORTED, "PTX '%.*s' %s", (int)size, text, wrong);
}

/* ---- translation --------------------------------------------------------- */

/* A value of the user's as an integer of a register's width; NULL if no
 * register holds such a value. */
static LLVMValueRef to_register(LLVMBuilderRef builder, LLVMValueRef value, enum ptx_type type)
{
	LLVMTypeRef from = LLVMTypeOf(value);
	LLVMContextRef context = LLVMGetTypeContext(from);
	unsigned bits = ptx_bits(type);

	switch (LLVMGetTypeKind(from)) {
	case LLVMIntegerTypeKind:
		break;
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
		value = LLVMBuildBitCast(builder, value, LLVMInt16TypeInContext(context), "");
		break;
	case LLVMFloatTypeKind:
		value = LLVMBuildBitCast(builder, value, LLVMInt32TypeInContext(context), "");
		break;
	case LLVMDoubleTypeKind:
		value = LLVMBuildBitCast(builder, value, LLVMInt64TypeInContext(context), "");
		break;
	case LLVMPointerTypeKind:
		value = LLVMBuildPtrToInt(builder, value, LLVMInt64TypeInContext(context), "");
		break;
	default:
		return NULL;
	}
	return LLVMBuildIntCast2(builder, value, LLVMIntTypeInContext(context, bits), false, "");
}

/* A register's integer as a value of the type that the user's code expects. */
static LLVMValueRef from_register(LLVMBuilderRef builder, LLVMValueRef value, LLVMTypeRef type)
{
	LLVMContextRef context = LLVMGetTypeContext(type);
	unsigned bits;

	switch (LLVMGetTypeKind(type)) {
	case LLVMIntegerTypeKind:
		return LLVMBuildIntCast2(builder, value, type, false, "");
	case LLVMPointerTypeKind:
		return LLVMBuildIntToPtr(builder, value, type, "");
	case LLVMHalfTypeKind:
	case LLVMBFloatTypeKind:
		bits = 16;
		break;
	case LLVMFloatTypeKind:
		bits = 32;
		break;
	case LLVMDoubleTypeKind:
		bits = 64;
		break;
	default:
		return NULL;
	}
	value = LLVMBuildIntCast2(builder, value, LLVMIntTypeInContext(context, bits), false, "");
	if (LLVMIsABitCastInst(value) && LLVMTypeOf(LLVMGetOperand(value, 0)) == type)
		return LLVMGetOperand(value, 0);
	return LLVMBuildBitCast(builder, value, type, "");
}

static void build_compiler_fence(LLVMBuilderRef builder)
{
	LLVMBuildFence(builder, LLVMAtomicOrderingSequentiallyConsistent, true, "");
}

static struct cudasim_error *build_result(LLVMBuilderRef builder, LLVMTypeRef result,
					  const struct operand *operands, unsigned n,
					  LLVMValueRef *outputs)
{
	unsigned n_outputs = 0, i;
	LLVMValueRef whole = NULL;

	while (n_outputs < n && operands[n_outputs].is_output)
		n_outputs++;
	if (!n_outputs) {
		LLVMBuildRetVoid(builder);
		return NULL;
	}
	for (i = 0; i < n_outputs; i++) {
		LLVMValueRef value = from_register(builder, outputs[i],
						   output_type(result, i, n_outputs));

		if (!value)
			return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
						 "an asm statement has an output of a type that "
						 "does not fit a PTX register");
		if (n_outputs == 1)
			whole = value;
		else
			whole = LLVMBuildInsertValue(builder, whole ? whole : LLVMGetPoison(result),
						     value, i, "");
	}
	LLVMBuildRet(builder, whole);
	return NULL;
}

/* Casts that nobody reads stand in the way of who counts the uses of a value. */
static void remove_unused_casts(LLVMValueRef function)
{
	for (LLVMBasicBlockRef block = LLVMGetLastBasicBlock(function); block;
	     block = LLVMGetPreviousBasicBlock(block)) {
		LLVMValueRef previous;

		for (LLVMValueRef i = LLVMGetLastInstruction(block); i; i = previous) {
			previous = LLVMGetPreviousInstruction(i);
			if (LLVMIsACastInst(i) && !LLVMGetFirstUse(i))
				LLVMInstructionEraseFromParent(i);
		}
	}
}

/* The body of translation->function. */
static struct cudasim_error *translate_body(struct pass *pass, struct translation *translation,
					    const struct ptx_program *program)
{
	LLVMContextRef context = pass->dm->context;
	LLVMValueRef function = translation->function, outputs[MAX_OPERANDS], carry = NULL;
	LLVMTypeRef flag = LLVMInt1TypeInContext(context);
	struct ptx_asm_operand registers[MAX_OPERANDS] = {0};
	struct operand operands[MAX_OPERANDS];
	bool clobbers_memory = false;
	unsigned n, n_params = 0;
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
	struct cudasim_error *error = read_constraints(translation->statement, translation->type,
						       operands, &n, &clobbers_memory);

	LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
	for (unsigned i = 0; !error && i < n; i++) {
		LLVMValueRef value;

		registers[i].type = ptx_type_of_bits(ptx_bits(operands[i].type));
		registers[i].is_output = operands[i].is_output;
		if (operands[i].is_output)
			continue;
		value = to_register(builder, LLVMGetParam(function, n_params++), operands[i].type);
		if (!value)
			error = cudasim_error_new(CUDASIM_E_UNSUPPORTED,
						  "an asm statement has an input of a type that "
						  "does not fit a PTX register");
		registers[i].input = value;
		if (operands[i].tied >= 0)
			registers[operands[i].tied].input = value;
	}
	if (!error && clobbers_memory)
		build_compiler_fence(builder);
	if (!error && translation->touches_carry)
		carry = LLVMBuildLoad2(builder, flag, LLVMGetParam(function, n_params), "");
	if (!error)
		error = ptx_emit_program(pass->dm->module, builder, function, program, registers, n,
					 carry, outputs, &carry);
	if (!error && translation->touches_carry)
		LLVMBuildStore(builder, carry, LLVMGetParam(function, n_params));
	if (!error && clobbers_memory)
		build_compiler_fence(builder);
	if (!error)
		error = build_result(builder, LLVMGetReturnType(translation->type), operands, n,
				     outputs);
	LLVMDisposeBuilder(builder);
	remove_unused_casts(function);
	return error;
}

/* Declares the function: the statement's type, and a pointer to the carry flag
 * for statements that touch it. */
static void declare(struct pass *pass, struct translation *translation)
{
	unsigned n = LLVMCountParamTypes(translation->type);
	LLVMTypeRef params[MAX_OPERANDS + 1];

	LLVMGetParamTypes(translation->type, params);
	if (translation->touches_carry)
		params[n++] = LLVMPointerTypeInContext(pass->dm->context, 0);
	translation->function = LLVMAddFunction(
		pass->dm->module, "__cudasim_ptx",
		LLVMFunctionType(LLVMGetReturnType(translation->type), params, n, false));
	LLVMSetLinkage(translation->function, LLVMInternalLinkage);
}

static void translate(struct pass *pass, struct translation *translation)
{
	size_t size;
	const char *text = LLVMGetInlineAsmAsmString(translation->statement, &size);
	struct ptx_program program;
	bool writes;

	if (LLVMCountParamTypes(translation->type) > MAX_OPERANDS) {
		translation->error = cudasim_error_new(CUDASIM_E_UNSUPPORTED,
						       "an asm statement has more than %d operands",
						       MAX_OPERANDS);
		return;
	}
	translation->error = ptx_parse(text, size, true, &program);
	if (translation->error)
		return;
	ptx_program_carry(&program, &translation->reads_carry, &writes);
	translation->touches_carry = translation->reads_carry || writes;
	declare(pass, translation);
	translation->error = translate_body(pass, translation, &program);
	ptx_program_free(&program);
}

static const struct translation *find_translation(struct pass *pass, LLVMValueRef call)
{
	LLVMValueRef statement = LLVMGetCalledValue(call);
	struct translation *translation;

	for (translation = pass->translations; translation; translation = translation->next)
		if (translation->statement == statement)
			return translation;
	translation = calloc(1, sizeof(*translation));
	assert(translation);
	translation->statement = statement;
	translation->type = LLVMGetCalledFunctionType(call);
	translation->next = pass->translations;
	pass->translations = translation;
	translate(pass, translation);
	return translation;
}

/* ---- use ----------------------------------------------------------------- */

static void replace_call(struct pass *pass, LLVMValueRef call, const struct translation *by,
			 LLVMValueRef flag)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(pass->dm->context);
	unsigned n = LLVMGetNumArgOperands(call);
	LLVMValueRef args[MAX_OPERANDS + 1], new_call;

	for (unsigned i = 0; i < n; i++)
		args[i] = LLVMGetOperand(call, i);
	if (by->touches_carry)
		args[n++] = flag;
	LLVMPositionBuilderBefore(builder, call);
	LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(call));
	new_call = LLVMBuildCall2(builder, LLVMGlobalGetValueType(by->function), by->function, args,
				  n, "");
	LLVMReplaceAllUsesWith(call, new_call);
	LLVMInstructionEraseFromParent(call);
	call_inline(new_call);
	LLVMDisposeBuilder(builder);
}

static void drop_call(LLVMValueRef call)
{
	if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
		LLVMReplaceAllUsesWith(call, LLVMGetPoison(LLVMTypeOf(call)));
	LLVMInstructionEraseFromParent(call);
}

static bool is_statement(LLVMValueRef instruction)
{
	return LLVMIsACallInst(instruction) && LLVMIsAInlineAsm(LLVMGetCalledValue(instruction));
}

/* Puts the asm statements of a function into calls, unless it is NULL; answers
 * how many there are. */
static size_t collect(LLVMValueRef function, LLVMValueRef *calls)
{
	size_t n = 0;

	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block;
	     block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef i = LLVMGetFirstInstruction(block); i;
		     i = LLVMGetNextInstruction(i)) {
			if (!is_statement(i))
				continue;
			if (calls)
				calls[n] = i;
			n++;
		}
	return n;
}

/* The function's variable for the carry flag, false at first. */
static LLVMValueRef make_flag(struct pass *pass, LLVMValueRef function)
{
	LLVMBuilderRef builder = LLVMCreateBuilderInContext(pass->dm->context);
	LLVMTypeRef type = LLVMInt1TypeInContext(pass->dm->context);
	LLVMValueRef flag;

	LLVMPositionBuilderBefore(builder,
				  LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
	flag = LLVMBuildAlloca(builder, type, "");
	LLVMBuildStore(builder, LLVMConstNull(type), flag);
	LLVMDisposeBuilder(builder);
	return flag;
}

static void run_function(struct pass *pass, LLVMValueRef function)
{
	size_t n = collect(function, NULL);
	LLVMValueRef *calls = calloc(n + 1, sizeof(*calls)), flag = NULL;

	assert(calls);
	collect(function, calls);
	for (size_t i = 0; i < n; i++) {
		const struct translation *by = find_translation(pass, calls[i]);

		if (by->error) {
			device_diagnose(pass->dm, calls[i], "%s", by->error->message);
			drop_call(calls[i]);
			continue;
		}
		if (by->touches_carry && !flag)
			flag = make_flag(pass, function);
		replace_call(pass, calls[i], by, flag);
	}
	free(calls);
}

struct cudasim_error *pass_asm(struct device_module *dm)
{
	struct pass pass = {.dm = dm};

	/* Assembly outside of functions is the host's. */
	LLVMSetModuleInlineAsm2(dm->module, "", 0);
	for (LLVMValueRef function = LLVMGetFirstFunction(dm->module); function;
	     function = LLVMGetNextFunction(function))
		if (!LLVMIsDeclaration(function))
			run_function(&pass, function);
	for (struct translation *one = pass.translations, *next; one; one = next) {
		next = one->next;
		if (one->function)
			LLVMDeleteFunction(one->function);
		cudasim_error_free(one->error);
		free(one);
	}
	return NULL;
}
