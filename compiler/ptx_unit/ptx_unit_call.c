/* SPDX-License-Identifier: Apache-2.0 */
/* ptx_unit_call.c - functions' parameters and results, call and ret. */
#include "ptx_unit.h"

#include <string.h>

#include "llvm_functions.h"
#include "ptx_register.h"

enum { MAX_PARAMS = 256, MAX_PARAM_BYTES = 32764 };

/* What libcudasim has for device code, whose IR takes pointers where PTX has .b64. The
 * first letter is the result. */
static const struct {
	const char *name, *types; /* p pointer, i anything else */
} services[] = {
	{"vprintf", "ipp"},
	{"malloc", "pi"},
	{"free", "ip"},
	{"__assertfail", "ippipi"},
};

struct ptx_signature ptx_unit_signature(const struct ptx_function *function)
{
	return (struct ptx_signature){function->returns, function->params, function->n_returns,
				      function->n_params};
}

static uint64_t bytes_of(const struct ptx_param *param)
{
	return (uint64_t)ptx_unit_bytes(param->type) * param->n_elements;
}

static unsigned align_of(const struct ptx_param *param)
{
	unsigned bytes = ptx_unit_bytes(param->type);

	return param->alignment > bytes ? param->alignment : bytes;
}

static LLVMTypeRef array_of(LLVMContextRef context, const struct ptx_param *param)
{
	return LLVMArrayType2(LLVMInt8TypeInContext(context), bytes_of(param));
}

static LLVMTypeRef number_type(LLVMContextRef context, const struct ptx_param *param)
{
	return LLVMIntTypeInContext(context, ptx_bits(ptx_type_find(param->type)));
}

static LLVMTypeRef result_type(LLVMContextRef context, const struct ptx_signature *of)
{
	LLVMTypeRef parts[MAX_PARAMS];
	unsigned n = 0;

	for (uint32_t i = 0; i < of->n_returns; i++)
		if (!of->returns[i].is_array)
			parts[n++] = number_type(context, &of->returns[i]);
	return n == 0   ? LLVMVoidTypeInContext(context)
	       : n == 1 ? parts[0]
			: LLVMStructTypeInContext(context, parts, n, false);
}

bool ptx_unit_is_service(const char *name)
{
	for (size_t i = 0; i < sizeof(services) / sizeof(*services); i++)
		if (!strcmp(services[i].name, name))
			return true;
	return false;
}

static const char *find_service(const struct ptx_function *function)
{
	for (size_t i = 0; i < sizeof(services) / sizeof(*services); i++)
		if (!strcmp(services[i].name, function->name) && !function->has_body &&
		    strlen(services[i].types) == function->n_params + 1)
			return services[i].types;
	return NULL;
}

/* What is wrong with a signature; NULL: nothing. */
static const char *check(const struct ptx_signature *of)
{
	uint64_t bytes = 0;

	if (of->n_params + of->n_returns > MAX_PARAMS)
		return "has too many parameters";
	for (uint32_t i = 0; i < of->n_returns + of->n_params; i++) {
		const struct ptx_param *param = i < of->n_returns ? &of->returns[i]
								  : &of->params[i - of->n_returns];
		enum ptx_type type = ptx_type_find(param->type);

		if (type == PTX_NONE || (param->is_array && ptx_bits(type) < 8))
			return "has a parameter of an unknown type";
		if (param->is_register && param->is_array)
			return "has an array in a register";
		bytes += bytes_of(param);
	}
	return bytes > MAX_PARAM_BYTES ? "has more than 32,764 bytes of parameters" : NULL;
}

static LLVMTypeRef type_of(LLVMContextRef context, const struct ptx_signature *of,
			   const char *service)
{
	LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), params[MAX_PARAMS];
	LLVMTypeRef result = result_type(context, of);
	unsigned n = 0;

	for (uint32_t i = 0; i < of->n_returns; i++)
		if (of->returns[i].is_array)
			params[n++] = pointer;
	for (uint32_t i = 0; i < of->n_params; i++)
		params[n++] = of->params[i].is_array || (service && service[i + 1] == 'p')
				      ? pointer
				      : number_type(context, &of->params[i]);
	if (service && service[0] == 'p' && of->n_returns)
		result = pointer;
	return LLVMFunctionType(result, params, n, false);
}

LLVMTypeRef ptx_unit_function_type(struct ptx_unit *unit, const struct ptx_function *function)
{
	struct ptx_signature of = ptx_unit_signature(function);
	const char *wrong = check(&of);

	if (wrong) {
		ptx_unit_fail(unit, function->line, "function '%s' %s", function->name, wrong);
		return NULL;
	}
	return type_of(unit->context, &of, find_service(function));
}

/* ---- inside of the function ---------------------------------------------- */

static LLVMValueRef new_memory(struct ptx_emit *emit, const struct ptx_param *param)
{
	LLVMValueRef memory = ptx_entry_alloca(emit, array_of(emit->context, param));

	LLVMSetAlignment(memory, align_of(param));
	return memory;
}

static void add_attributes(struct ptx_emit *emit, unsigned index, const struct ptx_param *param)
{
	static const char byval[] = "byval", align[] = "align";

	LLVMAddAttributeAtIndex(
		emit->function, index,
		LLVMCreateTypeAttribute(emit->context,
					LLVMGetEnumAttributeKindForName(byval, sizeof(byval) - 1),
					array_of(emit->context, param)));
	LLVMAddAttributeAtIndex(
		emit->function, index,
		LLVMCreateEnumAttribute(emit->context,
					LLVMGetEnumAttributeKindForName(align, sizeof(align) - 1),
					align_of(param)));
}

static void receive(struct ptx_emit *emit, const struct ptx_param *param, LLVMValueRef value,
		    unsigned index)
{
	unsigned scope = emit->scopes[0];
	LLVMValueRef memory;

	if (param->is_register) {
		struct ptx_register *reg = ptx_register_add(emit, scope, param->name,
							    ptx_type_find(param->type), 0, 1);

		if (reg)
			ptx_register_set(emit, reg, value);
		return;
	}
	if (param->is_array && emit->defined->is_entry) {
		add_attributes(emit, index, param);
		memory = value;
	} else {
		memory = new_memory(emit, param);
		if (param->is_array)
			LLVMBuildMemCpy(emit->builder, memory, align_of(param), value,
					align_of(param), ptx_int(emit, 64, bytes_of(param)));
		else
			LLVMBuildStore(emit->builder, value, memory);
	}
	ptx_variable_add(emit, scope, param->name, memory, bytes_of(param));
}

void ptx_unit_receive(struct ptx_emit *emit)
{
	const struct ptx_function *function = emit->defined;
	unsigned n = 0;

	for (uint32_t i = 0; i < function->n_returns; i++) {
		const struct ptx_param *param = &function->returns[i];

		if (param->is_register)
			ptx_register_add(emit, emit->scopes[0], param->name,
					 ptx_type_find(param->type), 0, 1);
		else
			ptx_variable_add(emit, emit->scopes[0], param->name,
					 param->is_array ? LLVMGetParam(emit->function, n++)
							 : new_memory(emit, param),
					 bytes_of(param));
	}
	for (uint32_t i = 0; i < function->n_params; i++, n++)
		receive(emit, &function->params[i], LLVMGetParam(emit->function, n), n + 1);
}

void ptx_unit_return(struct ptx_emit *emit)
{
	const struct ptx_function *function = emit->defined;
	struct ptx_signature of = ptx_unit_signature(function);
	LLVMTypeRef type = result_type(emit->context, &of);
	LLVMValueRef whole = NULL;
	unsigned n = 0;

	for (uint32_t i = 0; i < function->n_returns; i++) {
		const struct ptx_param *param = &function->returns[i];
		struct ptx_register *reg = ptx_register_find(emit, param->name);
		LLVMValueRef value;

		if (param->is_array || !reg)
			continue;
		value = reg->variable
				? LLVMBuildLoad2(emit->builder, number_type(emit->context, param),
						 reg->variable, "")
				: ptx_register_get(emit, reg);
		if (LLVMGetTypeKind(type) != LLVMStructTypeKind)
			whole = value;
		else
			whole = LLVMBuildInsertValue(
				emit->builder, whole ? whole : LLVMGetPoison(type), value, n++, "");
	}
	if (whole)
		LLVMBuildRet(emit->builder, whole);
	else
		LLVMBuildRetVoid(emit->builder);
}

static void emit_ret(struct ptx_emit *emit, const struct ptx_row *row)
{
	(void)row;
	if (!emit->unit) {
		ptx_unsupported(emit);
		return;
	}
	ptx_unit_return(emit);
	LLVMPositionBuilderAtEnd(emit->builder,
				 LLVMAppendBasicBlockInContext(emit->context, emit->function, ""));
}

/* ---- calls --------------------------------------------------------------- */

/* A call's operands and what is called. */
struct call {
	const struct ptx_operand *returns, *args; /* lists; NULL: none */
	LLVMValueRef callee;
	LLVMTypeRef type;
	struct ptx_signature of;
	bool no_return;
};

/* The .callprototype, or the first function of the .calltargets, of that name. */
static bool find_prototype(struct ptx_emit *emit, const char *name, struct ptx_signature *ret)
{
	for (size_t i = 0; i < emit->program->n_statements; i++) {
		const struct ptx_statement *one = &emit->program->statements[i];
		const struct ptx_name *target;

		if (!one->name || strcmp(one->name, name))
			continue;
		if (one->kind == PTX_PROTOTYPE) {
			*ret = (struct ptx_signature){one->returns, one->params, one->n_returns,
						      one->n_params};
			return true;
		}
		if (one->kind != PTX_TARGETS || one->operands[0].kind != PTX_NAME)
			continue;
		target = ptx_unit_name(emit->unit, one->operands[0].name);
		if (target && target->function) {
			*ret = ptx_unit_signature(target->function);
			return true;
		}
	}
	return false;
}

static bool find_callee(struct ptx_emit *emit, const struct ptx_operand *callee,
			const struct ptx_operand *prototype, struct call *ret)
{
	const struct ptx_name *name = ptx_unit_name(emit->unit, callee->name);
	const char *wrong;

	if (name && name->function && !ptx_register_find(emit, callee->name)) {
		if (name->function->is_entry) {
			ptx_fail(emit, "calls a kernel");
			return false;
		}
		ret->callee = name->value;
		ret->type = LLVMGlobalGetValueType(name->value);
		ret->of = ptx_unit_signature(name->function);
		ret->no_return = name->function->no_return;
		return true;
	}
	if (!prototype || prototype->kind != PTX_NAME ||
	    !find_prototype(emit, prototype->name, &ret->of)) {
		ptx_fail_name(emit, callee,
			      "calls something that is not a function, without a "
			      "prototype");
		return false;
	}
	wrong = check(&ret->of);
	if (wrong) {
		ptx_fail(emit, wrong);
		return false;
	}
	ret->type = type_of(emit->context, &ret->of, NULL);
	ret->callee = LLVMBuildIntToPtr(emit->builder, ptx_read(emit, callee, PTX_B64),
					LLVMPointerTypeInContext(emit->context, 0), "");
	return !emit->error;
}

static bool read_call(struct ptx_emit *emit, struct call *ret)
{
	const struct ptx_operand *callee;
	uint32_t i = 0;

	*ret = (struct call){0};
	if (ptx_operand(emit, 0)->kind == PTX_LIST)
		ret->returns = ptx_operand(emit, i++);
	callee = ptx_operand(emit, i++);
	if (ptx_operand(emit, i) && ptx_operand(emit, i)->kind == PTX_LIST)
		ret->args = ptx_operand(emit, i++);
	if (!callee || callee->kind != PTX_NAME || callee->component ||
	    (ptx_operand(emit, i) && ptx_operand(emit, i + 1))) {
		ptx_unsupported(emit);
		return false;
	}
	if (!find_callee(emit, callee, ptx_operand(emit, i), ret))
		return false;
	if ((ret->args ? ret->args->n_parts : 0) != ret->of.n_params ||
	    (ret->returns ? ret->returns->n_parts : 0) != ret->of.n_returns) {
		ptx_fail(emit, "has another number of arguments or results than what it calls");
		return false;
	}
	return true;
}

/* The .param variable that an operand names, if it has the bytes of the formal one. */
static LLVMValueRef actual_memory(struct ptx_emit *emit, const struct ptx_operand *actual,
				  const struct ptx_param *formal)
{
	const struct ptx_register *reg = actual->kind == PTX_NAME && !actual->component &&
							 !actual->negated
						 ? ptx_register_find(emit, actual->name)
						 : NULL;

	if (!reg || !reg->variable)
		return NULL;
	if (reg->variable_bytes != bytes_of(formal)) {
		ptx_fail(emit, "has an argument or result of another size than what it calls");
		return NULL;
	}
	return reg->variable;
}

static LLVMValueRef argument(struct ptx_emit *emit, const struct ptx_operand *actual,
			     const struct ptx_param *formal)
{
	LLVMValueRef memory = actual_memory(emit, actual, formal);

	if (emit->error || formal->is_array) {
		if (!memory)
			ptx_fail(emit, "has an argument that is not a .param variable");
		return memory;
	}
	return memory ? LLVMBuildLoad2(emit->builder, number_type(emit->context, formal), memory,
				       "")
		      : ptx_to_bits(emit, ptx_read(emit, actual, ptx_type_find(formal->type)));
}

static LLVMValueRef convert(struct ptx_emit *emit, LLVMValueRef value, LLVMTypeRef type)
{
	bool to = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
	bool from = LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind;

	if (to == from)
		return value;
	return to ? LLVMBuildIntToPtr(emit->builder, value, type, "")
		  : LLVMBuildPtrToInt(emit->builder, value, type, "");
}

static void store_results(struct ptx_emit *emit, const struct call *call, LLVMValueRef result)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < call->of.n_returns && !emit->error; i++) {
		const struct ptx_param *formal = &call->of.returns[i];
		const struct ptx_operand *actual = &call->returns->parts[i];
		LLVMValueRef value = result, memory;

		if (formal->is_array || actual->kind == PTX_SINK)
			continue;
		if (LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMStructTypeKind)
			value = LLVMBuildExtractValue(emit->builder, result, n++, "");
		value = convert(emit, value, number_type(emit->context, formal));
		memory = actual_memory(emit, actual, formal);
		if (memory)
			LLVMBuildStore(emit->builder, value, memory);
		else if (!emit->error)
			ptx_write(emit, actual,
				  ptx_type_of_bits(ptx_bits(ptx_type_find(formal->type))), value);
	}
}

static void emit_call(struct ptx_emit *emit, const struct ptx_row *row)
{
	unsigned kind = LLVMGetEnumAttributeKindForName("convergent", 10), n = 0;
	LLVMTypeRef types[MAX_PARAMS];
	LLVMValueRef args[MAX_PARAMS], result;
	struct call call;

	(void)row;
	if (!emit->unit) {
		ptx_unsupported(emit);
		return;
	}
	if (!read_call(emit, &call))
		return;
	LLVMGetParamTypes(call.type, types);
	for (uint32_t i = 0; i < call.of.n_returns; i++)
		if (call.of.returns[i].is_array) {
			args[n] = actual_memory(emit, &call.returns->parts[i], &call.of.returns[i]);
			if (!args[n++])
				ptx_fail(emit, "has a result that is not a .param variable");
		}
	for (uint32_t i = 0; i < call.of.n_params && !emit->error; i++, n++) {
		args[n] = argument(emit, &call.args->parts[i], &call.of.params[i]);
		if (!emit->error)
			args[n] = convert(emit, args[n], types[n]);
	}
	if (emit->error)
		return;
	result = LLVMBuildCall2(emit->builder, call.type, call.callee, args, n, "");
	LLVMAddCallSiteAttribute(result, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
				 LLVMCreateEnumAttribute(emit->context, kind, 0));
	store_results(emit, &call, result);
}

/* alloca.u64 p, bytes, align; memory of the function until it returns. */
static void emit_alloca(struct ptx_emit *emit, const struct ptx_row *row)
{
	const struct ptx_operand *align = ptx_operand(emit, 2);
	LLVMValueRef memory;

	(void)row;
	if (!emit->unit ||
	    (align && (align->kind != PTX_INTEGER || align->value < 1 || align->value > 4096 ||
		       (align->value & (align->value - 1))))) {
		ptx_unsupported(emit);
		return;
	}
	memory = LLVMBuildArrayAlloca(emit->builder, ptx_int_type(emit, 8),
				      ptx_source(emit, 1, emit->match.types[0]), "");
	LLVMSetAlignment(memory, align && align->value > 8 ? (unsigned)align->value : 8);
	ptx_dest(emit, 0, emit->match.types[0], ptx_to_bits(emit, memory));
}

/* row->function: the intrinsic that saves the stack or, data being 1, restores it. */
static void emit_stack(struct ptx_emit *emit, const struct ptx_row *row)
{
	LLVMTypeRef pointer = LLVMPointerTypeInContext(emit->context, 0);
	LLVMValueRef value;

	if (!emit->unit) {
		ptx_unsupported(emit);
	} else if (row->data) {
		value = LLVMBuildIntToPtr(emit->builder, ptx_source(emit, 0, PTX_B64), pointer, "");
		ptx_intrinsic(emit, row->function, pointer, &value, 1);
	} else {
		value = ptx_intrinsic(emit, row->function, pointer, NULL, 0);
		ptx_dest(emit, 0, PTX_B64, ptx_to_bits(emit, value));
	}
}

const struct ptx_row ptx_rows_call[] = {
	{"alloca", "", "u64|b64", "x:xx?", emit_alloca, NULL, 0},
	{"stacksave", "", "u64|b64", "x:", emit_stack, "llvm.stacksave", 0},
	{"stackrestore", "", "u64|b64", "x", emit_stack, "llvm.stackrestore", 1},
	{"call", "uni?", "", "xx?x?x?", emit_call, NULL, 0},
	{"ret", "uni?", "", "", emit_ret, NULL, 0},
	{0},
};
