/* SPDX-License-Identifier: Apache-2.0 */
/* expression_test.c - conditions: runs the program of one, or has the evaluator do it. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "call.h"
#include "condition.h"
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
	if (!cudasim_memory_find((const void *)(uintptr_t)address, &memory, &inside, &freed) ||
	    !inside || freed)
		return false;
	known = (struct known_memory){block->launch, (uintptr_t)memory.address,
				      (uintptr_t)memory.address + memory.size};
	return address + size <= known.high;
}

static const uint8_t sizes[] = {[FORM_I8] = 1,    [FORM_U8] = 1,     [FORM_I16] = 2, [FORM_U16] = 2,
				[FORM_I32] = 4,   [FORM_U32] = 4,    [FORM_I64] = 8, [FORM_U64] = 8,
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
#define READ(variable, field)                                                                      \
	memcpy(&variable, at, sizeof variable);                                                    \
	slot.field = variable;                                                                     \
	break
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
static struct cudasim_error *read_wild(struct cudasim_thread *thread, enum form form,
				       uint64_t address, union slot *ret)
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
		return o->code == SHIFT_RIGHT && o->is_signed && a.integer < 0 && b.integer > 0 ? -1
												: 0;
	if (o->code == SHIFT_LEFT)
		return (int64_t)(a.natural << b.natural);
	return o->is_signed ? a.integer >> b.natural : (int64_t)(a.natural >> b.natural);
}

/* ---- calls ------------------------------------------------------------------------------ */

static uint64_t register_of(enum form form, union slot slot)
{
	float single = (float)slot.real;
	uint32_t bits;
	if (form != FORM_FLOAT)
		return slot.natural;
	memcpy(&bits, &single, sizeof bits);
	return bits;
}

static union slot result_of(enum form form, const struct call_registers *registers)
{
	uint64_t word = form == FORM_FLOAT || form == FORM_DOUBLE ? registers->xmm0
								  : registers->rax;
	union slot slot = read_form(form, &word);
	if (form == FORM_BOOL)
		slot.integer = slot.integer != 0;
	return slot;
}

/* Its result takes the place of its first argument. */
static struct cudasim_error *call(const struct program_call *call, struct cudasim_thread *thread,
				  union slot *arguments)
{
	struct call_registers registers = {.code = call->code};
	size_t n_gpr = 0, n_xmm = 0;
	for (size_t i = 0; i < call->n; i++) {
		bool real = call->forms[i] == FORM_FLOAT || call->forms[i] == FORM_DOUBLE;
		uint64_t word = register_of((enum form)call->forms[i], arguments[i]);
		*(real ? &registers.xmm[n_xmm++] : &registers.gpr[n_gpr++]) = word;
	}
	struct cudasim_error *error = call_run_quick(&registers, thread, call->name);
	if (!error)
		arguments[0] = result_of((enum form)call->result, &registers);
	return error;
}

/* ---- the machine ---------------------------------------------------------------------------- */

/* What two slots give: those of ADD to GREATER_EQUAL that cannot fail. */
static union slot binary(const struct operation *o, union slot a, union slot b)
{
#define COMPARISON(op) (o->is_signed ? a.integer op b.integer : a.natural op b.natural)
	switch ((enum instruction)o->code) {
	case ADD:
		return (union slot){.natural = a.natural + b.natural};
	case SUBTRACT:
		return (union slot){.natural = a.natural - b.natural};
	case MULTIPLY:
		return (union slot){.natural = a.natural * b.natural};
	case SHIFT_LEFT:
	case SHIFT_RIGHT:
		return (union slot){.integer = shift(o, a, b)};
	case AND:
		return (union slot){.natural = a.natural & b.natural};
	case OR:
		return (union slot){.natural = a.natural | b.natural};
	case XOR:
		return (union slot){.natural = a.natural ^ b.natural};
	case EQUAL:
		return (union slot){.integer = COMPARISON(==)};
	case UNEQUAL:
		return (union slot){.integer = COMPARISON(!=)};
	case LESS:
		return (union slot){.integer = COMPARISON(<)};
	case GREATER:
		return (union slot){.integer = COMPARISON(>)};
	case LESS_EQUAL:
		return (union slot){.integer = COMPARISON(<=)};
	default: /* GREATER_EQUAL */
		return (union slot){.integer = COMPARISON(>=)};
	}
#undef COMPARISON
}

/* The same for REAL_ADD to REAL_GREATER_EQUAL. */
static union slot real_binary(enum instruction code, double a, double b)
{
	switch (code) {
	case REAL_ADD:
		return (union slot){.real = a + b};
	case REAL_SUBTRACT:
		return (union slot){.real = a - b};
	case REAL_MULTIPLY:
		return (union slot){.real = a * b};
	case REAL_DIVIDE:
		return (union slot){.real = a / b};
	case REAL_EQUAL:
		return (union slot){.integer = a == b};
	case REAL_UNEQUAL:
		return (union slot){.integer = a != b};
	case REAL_LESS:
		return (union slot){.integer = a < b};
	case REAL_GREATER:
		return (union slot){.integer = a > b};
	case REAL_LESS_EQUAL:
		return (union slot){.integer = a <= b};
	default: /* REAL_GREATER_EQUAL */
		return (union slot){.integer = a >= b};
	}
}

static union slot to_real(const struct operation *o, union slot a)
{
	if (o->form == FORM_FLOAT)
		return (union slot){.real = o->is_signed ? (float)a.integer : (float)a.natural};
	return (union slot){.real = o->is_signed ? (double)a.integer : (double)a.natural};
}

/* What one slot gives. */
static union slot unary(const struct operation *o, union slot a)
{
	switch ((enum instruction)o->code) {
	case NEGATE:
		return (union slot){.natural = -a.natural};
	case COMPLEMENT:
		return (union slot){.natural = ~a.natural};
	case NOT:
		return (union slot){.integer = !a.integer};
	case TRUTH:
		return (union slot){.integer = a.integer != 0};
	case REAL_NEGATE:
		return (union slot){.real = -a.real};
	case REAL_NOT:
		return (union slot){.integer = a.real == 0};
	case REAL_TRUTH:
		return (union slot){.integer = a.real != 0};
	case REAL_FUNCTION:
		return (union slot){.real = o->u.function(a.real)};
	case TO_REAL:
		return to_real(o, a);
	case TO_INTEGER:
		return (union slot){.integer = to_integer((enum form)o->form, a.real)};
	case WRAP:
		return (union slot){.integer = wrap((enum form)o->form, a.natural)};
	default: /* ROUND */
		return (union slot){.real = (float)a.real};
	}
}

/* A program that runs. */
struct machine {
	struct program *program;
	struct cudasim_thread *thread;
	uint64_t base;
	union slot *s;   /* above the top */
	union slot *stack;
	uint64_t wild;   /* slots whose address was indexed beyond its array's end */
};

/* Places and what stands there: PUSH to INDEX. */
static struct cudasim_error *access_place(struct machine *m, const struct operation *o)
{
	struct cudasim_error *error = NULL;
	const void *local = (const void *)(uintptr_t)(m->base + (uint64_t)o->u.integer);
	uint64_t address = 0;
	union slot *s = m->s;
	switch ((enum instruction)o->code) {
	case PUSH:
		m->s++->integer = o->u.integer;
		break;
	case PUSH_FRAME:
		m->s++->natural = (uintptr_t)local;
		break;
	case PUSH_FRAME_DEREF:
		*m->s++ = read_form(FORM_U64, local);
		break;
	case PUSH_GLOBAL:
		error = global(m->program, o->index, m->thread->block->device, &address);
		m->s++->natural = address;
		break;
	case PUSH_BUILTIN:
		m->s++->integer = builtin(m->thread, o->index);
		break;
	case LOAD_FRAME:
		*m->s++ = read_form((enum form)o->form, local);
		break;
	case LOAD:
		if (o->safe && !(m->wild >> (s - m->stack) & 1))
			s[-1] = read_form((enum form)o->form,
					  (const void *)(uintptr_t)s[-1].natural);
		else
			error = read_wild(m->thread, (enum form)o->form, s[-1].natural, &s[-1]);
		m->wild &= ~(1ull << (s - m->stack));
		break;
	case OFFSET:
		s[-1].natural += (uint64_t)o->u.integer;
		break;
	default: /* INDEX */
		s = --m->s;
		m->wild |= (uint64_t)(s[0].natural >= o->u.array.n) << (s - m->stack);
		s[-1].natural += s[0].natural * o->u.array.size;
		break;
	}
	return error;
}

static struct cudasim_error *call_function(struct machine *m, const struct operation *o)
{
	const struct program_call *called = &m->program->calls[o->index];
	m->s -= called->n;
	struct cudasim_error *error = call(called, m->thread, m->s);
	m->s++;
	m->wild &= ~(~0ull << (m->s - m->stack));
	return error;
}

/* Does the program go on at o->index? */
static bool jumps(struct machine *m, const struct operation *o)
{
	bool zero = o->code != JUMP && !m->s[-1].integer;
	switch ((enum instruction)o->code) {
	case JUMP:
		return true;
	case JUMP_IF_ZERO:
		m->s--;
		return zero;
	case JUMP_IF_NOT_ZERO:
		m->s--;
		return !zero;
	case KEEP_JUMP_IF_ZERO:
		m->s -= !zero;
		return zero;
	default: /* KEEP_JUMP_IF_NOT_ZERO */
		m->s -= zero;
		return !zero;
	}
}

static struct cudasim_error *compute(struct machine *m, const struct operation *o)
{
	union slot *s = m->s;
	if (o->code == DIVIDE || o->code == MODULO) {
		m->s = --s;
		if (!divide(o, &s[-1], s[0]))
			return cudasim_error_new(CUDASIM_E_ARGUMENT, "Division by zero");
	} else if (o->code >= ADD && o->code <= GREATER_EQUAL) {
		m->s = --s;
		s[-1] = binary(o, s[-1], s[0]);
	} else if (o->code >= REAL_ADD && o->code <= REAL_GREATER_EQUAL) {
		m->s = --s;
		s[-1] = real_binary((enum instruction)o->code, s[-1].real, s[0].real);
	} else {
		s[-1] = unary(o, s[-1]);
	}
	return NULL;
}

struct cudasim_error *program_run(struct program *program, struct cudasim_thread *thread,
				  uint64_t base, bool *ret)
{
	union slot stack[PROGRAM_STACK + 1];
	struct machine m = {program, thread, base, stack, stack, 0};
	const struct operation *o = program->operations;
	struct cudasim_error *error = NULL;
	for (; !error && o->code != END; o++) {
		if (o->code <= INDEX)
			error = access_place(&m, o);
		else if (o->code == CALL)
			error = call_function(&m, o);
		else if (o->code < JUMP)
			error = compute(&m, o);
		else if (jumps(&m, o))
			o = program->operations + o->index - 1;
	}
	if (!error)
		*ret = m.s[-1].integer != 0;
	return error;
}

/* ---- all -------------------------------------------------------------------------------------- */

static struct cudasim_error *evaluate(const struct expression *expression,
				      struct cudasim_thread *thread, uint64_t base, bool *ret)
{
	struct frame frame = {.pc = expression->pc,
			      .lookup = expression->pc,
			      .base = base,
			      .is_device = true,
			      .thread = thread};
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
