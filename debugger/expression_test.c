/* SPDX-License-Identifier: Apache-2.0 */
/* expression_test.c - conditions: runs the program of one, or has the evaluator do it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "expression_program.h"

union slot {
	int64_t integer;
	uint64_t natural;
	double real;
};

/* ---- memory ----------------------------------------------------------------------------- */

/* Memory that was found lately, good for one launch: what a kernel works on cannot be
 * freed under it. */
struct known_memory {
	const struct cudasim_launch *launch;
	uint64_t low, high;
};
static _Thread_local struct known_memory known;

static bool is_there(struct cudasim_thread *thread, uint64_t address, uint32_t size)
{
	const struct cudasim_block *block = thread->block;
	if (address - (uintptr_t)block->shared < block->shared_bytes &&
	    address - (uintptr_t)block->shared + size <= block->shared_bytes)
		return true;
	uint64_t low, high, used;
	cudasim_thread_stack(thread, &low, &high, &used);
	if (address >= low && address + size <= high)
		return true;
	if (known.launch == block->launch && address >= known.low && address + size <= known.high)
		return true;
	struct cudasim_memory memory;
	bool inside, freed;
	if (!cudasim_memory_find((const void *)(uintptr_t)address, &memory, &inside, &freed) || !inside ||
	    freed)
		return false;
	known = (struct known_memory){block->launch, (uintptr_t)memory.address,
				      (uintptr_t)memory.address + memory.size};
	return address + size <= known.high;
}

static const uint8_t sizes[] = {[FORM_I8] = 1, [FORM_U8] = 1, [FORM_I16] = 2, [FORM_U16] = 2,
				[FORM_I32] = 4, [FORM_U32] = 4, [FORM_I64] = 8, [FORM_U64] = 8,
				[FORM_FLOAT] = 4, [FORM_DOUBLE] = 8, [FORM_BOOL] = 1};

static inline union slot read_form(enum form form, const void *at)
{
	union slot slot = {0};
	int8_t i8;
	uint8_t u8;
	int16_t i16;
	uint16_t u16;
	int32_t i32;
	uint32_t u32;
	float single;
#define READ(variable, field) memcpy(&variable, at, sizeof variable); slot.field = variable; break
	switch (form) {
	case FORM_I8:
		READ(i8, integer);
	case FORM_U8:
	case FORM_BOOL:
		READ(u8, integer);
	case FORM_I16:
		READ(i16, integer);
	case FORM_U16:
		READ(u16, integer);
	case FORM_I32:
		READ(i32, integer);
	case FORM_U32:
		READ(u32, integer);
	case FORM_FLOAT:
		READ(single, real);
	case FORM_I64:
	case FORM_U64:
	case FORM_DOUBLE:
		memcpy(&slot, at, sizeof slot);
	}
	return slot;
}

/* From an address that may be anything. */
static struct cudasim_error *read_wild(struct cudasim_thread *thread, enum form form, uint64_t address,
				       union slot *ret)
{
	unsigned char bytes[8];
	if (is_there(thread, address, sizes[form])) {
		*ret = read_form(form, (const void *)(uintptr_t)address);
		return NULL;
	}
	struct cudasim_error *error = value_memory_read(address, bytes, sizes[form]);
	if (!error)
		*ret = read_form(form, bytes);
	return error;
}

/* ---- conversions -------------------------------------------------------------------------- */

static int64_t wrap(enum form form, uint64_t number)
{
	switch (form) {
	case FORM_I8:
		return (int8_t)number;
	case FORM_U8:
		return (uint8_t)number;
	case FORM_I16:
		return (int16_t)number;
	case FORM_U16:
		return (uint16_t)number;
	case FORM_I32:
		return (int32_t)number;
	case FORM_U32:
		return (uint32_t)number;
	case FORM_BOOL:
		return number != 0;
	default:
		return (int64_t)number;
	}
}

static int64_t to_integer(enum form form, double real)
{
	if (isnan(real))
		return 0;
	if (form == FORM_U64 && real >= 0x1p63)
		return real >= 0x1p64 ? -1 : (int64_t)(uint64_t)real;
	if (real >= 0x1p63)
		return wrap(form, INT64_MAX);
	if (real < -0x1p63)
		return wrap(form, (uint64_t)INT64_MIN);
	return wrap(form, (uint64_t)(int64_t)real);
}

static uint32_t builtin(const struct cudasim_thread *thread, uint32_t index)
{
	const struct cudasim_block *block = thread->block;
	uint32_t i = index & 3, cluster = block->cluster_nctaid[i] ? block->cluster_nctaid[i] : 1;
	switch ((enum builtin)(index >> 2)) {
	case BUILTIN_THREAD_IDX:
		return thread->tid[i];
	case BUILTIN_BLOCK_IDX:
		return block->ctaid[i];
	case BUILTIN_BLOCK_DIM:
		return block->ntid[i];
	case BUILTIN_GRID_DIM:
		return block->nctaid[i];
	case BUILTIN_CLUSTER_IDX:
		return block->ctaid[i] / cluster;
	case BUILTIN_CLUSTER_DIM:
		return cluster;
	default:
		return 32;
	}
}

static struct cudasim_error *global(struct program *program, uint32_t index, uint32_t device,
				    uint64_t *ret)
{
	struct program_global *found = &program->globals[index];
	struct cudasim_error *error = NULL;
	if (device >= CUDASIM_MAX_DEVICES)
		device = 0;
	if (!found->address[device])
		error = symbols_global_address(found->variable, device, &found->address[device]);
	*ret = found->address[device];
	return error;
}

static bool divide(const struct operation *o, union slot *a, union slot b)
{
	if (!b.integer)
		return false;
	if (!o->is_signed)
		a->natural = o->code == DIVIDE ? a->natural / b.natural : a->natural % b.natural;
	else if (b.integer == -1)
		a->natural = o->code == DIVIDE ? -a->natural : 0;
	else
		a->integer = o->code == DIVIDE ? a->integer / b.integer : a->integer % b.integer;
	return true;
}

static int64_t shift(const struct operation *o, union slot a, union slot b)
{
	uint64_t width = 8u * sizes[o->form];
	if (b.natural >= width)
		return o->code == SHIFT_RIGHT && o->is_signed && a.integer < 0 && b.integer > 0 ? -1 : 0;
	if (o->code == SHIFT_LEFT)
		return (int64_t)(a.natural << b.natural);
	return o->is_signed ? a.integer >> b.natural : (int64_t)(a.natural >> b.natural);
}

/* ---- the machine ---------------------------------------------------------------------------- */

/* s is the slot above the top. */
#define BINARY(field, expression) s--; s[-1].field = (expression); break
#define COMPARISON(op) \
	s--; \
	s[-1].integer = o->is_signed ? s[-1].integer op s[0].integer : s[-1].natural op s[0].natural; \
	break
#define REAL_COMPARISON(op) s--; s[-1].integer = s[-1].real op s[0].real; break

struct cudasim_error *program_run(struct program *program, struct cudasim_thread *thread,
				  uint64_t base, bool *ret)
{
	union slot stack[PROGRAM_STACK + 1], *s = stack;
	struct cudasim_error *error;
	uint64_t wild = 0; /* slots whose address was indexed beyond its array's end */
	uint64_t address;
	for (const struct operation *o = program->operations;; o++)
		switch ((enum instruction)o->code) {
		case PUSH:
			s++->integer = o->u.integer;
			break;
		case PUSH_FRAME:
			s++->natural = base + (uint64_t)o->u.integer;
			break;
		case PUSH_FRAME_DEREF:
			*s++ = read_form(FORM_U64, (const void *)(uintptr_t)(base + (uint64_t)o->u.integer));
			break;
		case PUSH_GLOBAL:
			if ((error = global(program, o->index, thread->block->device, &address)))
				return error;
			s++->natural = address;
			break;
		case PUSH_BUILTIN:
			s++->integer = builtin(thread, o->index);
			break;
		case LOAD_FRAME:
			*s++ = read_form((enum form)o->form,
					 (const void *)(uintptr_t)(base + (uint64_t)o->u.integer));
			break;
		case LOAD:
			if (o->safe && !(wild >> (s - stack) & 1))
				s[-1] = read_form((enum form)o->form, (const void *)(uintptr_t)s[-1].natural);
			else if ((error = read_wild(thread, (enum form)o->form, s[-1].natural, &s[-1])))
				return error;
			wild &= ~(1ull << (s - stack));
			break;
		case OFFSET:
			s[-1].natural += (uint64_t)o->u.integer;
			break;
		case INDEX:
			s--;
			wild |= (uint64_t)(s[0].natural >= o->u.array.n) << (s - stack);
			s[-1].natural += s[0].natural * o->u.array.size;
			break;
		case ADD:
			BINARY(natural, s[-1].natural + s[0].natural);
		case SUBTRACT:
			BINARY(natural, s[-1].natural - s[0].natural);
		case MULTIPLY:
			BINARY(natural, s[-1].natural * s[0].natural);
		case DIVIDE:
		case MODULO:
			s--;
			if (!divide(o, &s[-1], s[0]))
				return cudasim_error_new(CUDASIM_E_ARGUMENT, "Division by zero");
			break;
		case SHIFT_LEFT:
		case SHIFT_RIGHT:
			BINARY(integer, shift(o, s[-1], s[0]));
		case AND:
			BINARY(natural, s[-1].natural & s[0].natural);
		case OR:
			BINARY(natural, s[-1].natural | s[0].natural);
		case XOR:
			BINARY(natural, s[-1].natural ^ s[0].natural);
		case EQUAL:
			COMPARISON(==);
		case UNEQUAL:
			COMPARISON(!=);
		case LESS:
			COMPARISON(<);
		case GREATER:
			COMPARISON(>);
		case LESS_EQUAL:
			COMPARISON(<=);
		case GREATER_EQUAL:
			COMPARISON(>=);
		case NEGATE:
			s[-1].natural = -s[-1].natural;
			break;
		case COMPLEMENT:
			s[-1].natural = ~s[-1].natural;
			break;
		case NOT:
			s[-1].integer = !s[-1].integer;
			break;
		case TRUTH:
			s[-1].integer = s[-1].integer != 0;
			break;
		case REAL_ADD:
			BINARY(real, s[-1].real + s[0].real);
		case REAL_SUBTRACT:
			BINARY(real, s[-1].real - s[0].real);
		case REAL_MULTIPLY:
			BINARY(real, s[-1].real * s[0].real);
		case REAL_DIVIDE:
			BINARY(real, s[-1].real / s[0].real);
		case REAL_EQUAL:
			REAL_COMPARISON(==);
		case REAL_UNEQUAL:
			REAL_COMPARISON(!=);
		case REAL_LESS:
			REAL_COMPARISON(<);
		case REAL_GREATER:
			REAL_COMPARISON(>);
		case REAL_LESS_EQUAL:
			REAL_COMPARISON(<=);
		case REAL_GREATER_EQUAL:
			REAL_COMPARISON(>=);
		case REAL_NEGATE:
			s[-1].real = -s[-1].real;
			break;
		case REAL_NOT:
			s[-1].integer = s[-1].real == 0;
			break;
		case REAL_FUNCTION:
			s[-1].real = o->u.function(s[-1].real);
			break;
		case REAL_TRUTH:
			s[-1].integer = s[-1].real != 0;
			break;
		case TO_REAL:
			if (o->form == FORM_FLOAT)
				s[-1].real = o->is_signed ? (float)s[-1].integer : (float)s[-1].natural;
			else
				s[-1].real = o->is_signed ? (double)s[-1].integer : (double)s[-1].natural;
			break;
		case TO_INTEGER:
			s[-1].integer = to_integer((enum form)o->form, s[-1].real);
			break;
		case WRAP:
			s[-1].integer = wrap((enum form)o->form, s[-1].natural);
			break;
		case ROUND:
			s[-1].real = (float)s[-1].real;
			break;
		case JUMP:
			o = program->operations + o->index - 1;
			break;
		case JUMP_IF_ZERO:
			if (!(--s)->integer)
				o = program->operations + o->index - 1;
			break;
		case JUMP_IF_NOT_ZERO:
			if ((--s)->integer)
				o = program->operations + o->index - 1;
			break;
		case KEEP_JUMP_IF_ZERO:
			if (!s[-1].integer)
				o = program->operations + o->index - 1;
			else
				s--;
			break;
		case KEEP_JUMP_IF_NOT_ZERO:
			if (s[-1].integer)
				o = program->operations + o->index - 1;
			else
				s--;
			break;
		case END:
			*ret = s[-1].integer != 0;
			return NULL;
		}
}

/* ---- all -------------------------------------------------------------------------------------- */

static struct cudasim_error *evaluate(const struct expression *expression,
				      struct cudasim_thread *thread, uint64_t base, bool *ret)
{
	struct frame frame = {.pc = expression->pc, .lookup = expression->pc, .base = base,
			      .is_device = true, .thread = thread};
	frame.function = symbols_function_at(expression->pc);
	frame.registers.value[6] = base;
	frame.registers.known = 1u << 6;
	struct context context = {.thread = thread, .frame = &frame};
	struct value value;
	struct cudasim_error *error = expression_evaluate(expression, &context, &value);
	if (error)
		return error;
	if (value.is_void)
		*ret = false;
	else
		error = value_to_bool(&value, ret);
	value_fini(&value);
	return error;
}

struct cudasim_error *expression_test(const struct expression *expression,
				      struct cudasim_thread *thread, uint64_t base, bool *ret)
{
	/* Made when first needed; the expression is the caller's alone. */
	struct expression *own = (struct expression *)expression;
	if (!own->program && !own->no_program) {
		own->program = program_compile(expression);
		own->no_program = !own->program;
	}
	return own->program ? program_run(own->program, thread, base, ret)
			    : evaluate(expression, thread, base, ret);
}

bool expression_is_fast(const struct expression *expression)
{
	return expression->program != NULL;
}
