/* SPDX-License-Identifier: Apache-2.0 */
/* symbols_location.c - where variables are: DWARF expressions (DWARF 5, 2.5 and
 * 2.6). What device code needs is recognised and becomes "frame pointer + offset",
 * perhaps dereferenced; all else is kept as operations for a small stack machine. */
#include <string.h>

#include "cudasim/inspect.h"
#include "symbols_dwarf.h"

enum { STACK = 64, MAX_STEPS = 10000, RBP = 6, RIP = 16, N_REGISTERS = 17 };

/* What an expression of a variable needs beyond its operations. */
struct expression_of {
	const Dwarf_Op *operations;
	size_t n;
	Dwarf_Attribute attribute;  /* for addresses by index, implicit values */
	bool has_attribute;
	struct unit *unit;
	const struct expression_of *frame_base;
	const char *name;           /* for messages */
};

static struct cudasim_error *bad(const struct expression_of *e, const char *what)
{
	return cudasim_error_new(CUDASIM_E_FORMAT, "location of \"%s\": %s", e->name, what);
}

/* ---- the stack machine --------------------------------------------------------- */

struct machine {
	uint64_t stack[STACK];
	size_t n;
	const struct registers *registers;
	/* What the expression came to. */
	enum { AT_ADDRESS, IN_REGISTER, IS_VALUE, IS_BYTES, IS_EMPTY } result;
	const void *bytes;
	uint64_t n_bytes;
};

static struct cudasim_error *run(const struct expression_of *e, struct machine *m, int depth);

static struct cudasim_error *register_value(const struct expression_of *e,
					    const struct registers *registers, uint64_t number,
					    uint64_t *ret)
{
	if (!registers || number >= N_REGISTERS || !(registers->known >> number & 1))
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "\"%s\" needs a register that is not known here", e->name);
	*ret = registers->value[number];
	return NULL;
}

/* The frame's address, by the call frame information for where it stands. */
static struct cudasim_error *frame_address(const struct expression_of *e,
					   const struct registers *registers, int depth,
					   uint64_t *ret)
{
	struct file *file = e->unit->file;
	uint64_t pc = 0;
	struct cudasim_error *error = register_value(e, registers, RIP, &pc);
	if (error)
		return error;
	if (!file->cfi_read) {
		file->cfi_read = true;
		file->cfi[0] = dwarf_getcfi(file->dwarf);
		file->cfi_bias[0] = file->bias;
		file->cfi[1] = dwarf_getcfi_elf(file->elf);
		file->cfi_bias[1] = file->elf_bias;
	}
	for (int i = 0; i < 2; i++) {
		Dwarf_Frame *frame;
		Dwarf_Op *operations;
		size_t n;
		if (!file->cfi[i] ||
		    dwarf_cfi_addrframe(file->cfi[i], pc - file->cfi_bias[i], &frame) ||
		    dwarf_frame_cfa(frame, &operations, &n) || !n)
			continue;
		struct expression_of cfa = {
			.operations = operations, .n = n, .unit = e->unit, .name = e->name};
		struct machine inner = {.registers = registers};
		if ((error = run(&cfa, &inner, depth + 1)))
			return error;
		if (inner.result == IN_REGISTER)
			return register_value(e, registers, inner.stack[0], ret);
		*ret = inner.stack[0];
		return NULL;
	}
	return bad(e, "there is no call frame information for it");
}

static struct cudasim_error *frame_base(const struct expression_of *e, struct machine *m, int depth,
					uint64_t *ret)
{
	if (!e->frame_base)
		return bad(e, "its function has no frame base");
	struct machine inner = {.registers = m->registers};
	struct cudasim_error *error = run(e->frame_base, &inner, depth + 1);
	if (error)
		return error;
	if (inner.result == IN_REGISTER)
		return register_value(e, m->registers, inner.stack[0], ret);
	*ret = inner.stack[0];
	return NULL;
}

static struct cudasim_error *load(const struct expression_of *e, uint64_t *value, uint64_t size)
{
	uint64_t loaded = 0;
	if (size > 8)
		return bad(e, "it dereferences more than 8 bytes");
	if (cudasim_memory_read((const void *)(uintptr_t)*value, &loaded, size) != size)
		return cudasim_error_new(CUDASIM_E_FAILED, "Cannot access memory at address 0x%llx",
					 (unsigned long long)*value);
	*value = loaded;
	return NULL;
}

static bool binary(unsigned atom, uint64_t a, uint64_t b, uint64_t *ret)
{
	switch (atom) {
	case DW_OP_and:
		*ret = a & b;
		return true;
	case DW_OP_or:
		*ret = a | b;
		return true;
	case DW_OP_xor:
		*ret = a ^ b;
		return true;
	case DW_OP_plus:
		*ret = a + b;
		return true;
	case DW_OP_minus:
		*ret = a - b;
		return true;
	case DW_OP_mul:
		*ret = a * b;
		return true;
	case DW_OP_div:
		if (b)
			*ret = b == UINT64_MAX ? 0 - a : (uint64_t)((int64_t)a / (int64_t)b);
		return b != 0;
	case DW_OP_mod:
		if (b)
			*ret = a % b;
		return b != 0;
	case DW_OP_shl:
		*ret = b < 64 ? a << b : 0;
		return true;
	case DW_OP_shr:
		*ret = b < 64 ? a >> b : 0;
		return true;
	case DW_OP_shra:
		*ret = (uint64_t)((int64_t)a >> (b < 64 ? b : 63));
		return true;
	case DW_OP_eq:
		*ret = a == b;
		return true;
	case DW_OP_ne:
		*ret = a != b;
		return true;
	case DW_OP_lt:
		*ret = (int64_t)a < (int64_t)b;
		return true;
	case DW_OP_le:
		*ret = (int64_t)a <= (int64_t)b;
		return true;
	case DW_OP_gt:
		*ret = (int64_t)a > (int64_t)b;
		return true;
	case DW_OP_ge:
		*ret = (int64_t)a >= (int64_t)b;
		return true;
	}
	return false;
}

/* Address by index, or in a form of the file's own. */
static struct cudasim_error *indexed(const struct expression_of *e, const Dwarf_Op *op,
				     uint64_t *ret)
{
	Dwarf_Attribute found, attribute = e->attribute;
	Dwarf_Addr address;
	Dwarf_Word word;
	if (!e->has_attribute || dwarf_getlocation_attr(&attribute, op, &found))
		return bad(e, "its address is not in the table");
	if (op->atom == DW_OP_constx || op->atom == DW_OP_GNU_const_index) {
		if (dwarf_formudata(&found, &word) && dwarf_formaddr(&found, &word))
			return bad(e, "its constant is not in the table");
		*ret = word;
		return NULL;
	}
	if (dwarf_formaddr(&found, &address))
		return bad(e, "its address is not in the table");
	*ret = address + e->unit->file->bias;
	return NULL;
}

/* Operations that leave a value on the stack without taking any. *done tells. */
static struct cudasim_error *push(const struct expression_of *e, struct machine *m,
				  const Dwarf_Op *op, int depth, bool *done)
{
	struct cudasim_error *error = NULL;
	uint64_t value = 0;
	unsigned atom = op->atom;
	*done = true;
	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
		value = atom - DW_OP_lit0;
	} else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31) {
		error = register_value(e, m->registers, atom - DW_OP_breg0, &value);
		value += op->number;
	} else if (atom == DW_OP_bregx) {
		error = register_value(e, m->registers, op->number, &value);
		value += op->number2;
	} else if (atom == DW_OP_fbreg) {
		error = frame_base(e, m, depth, &value);
		value += op->number;
	} else if (atom == DW_OP_call_frame_cfa) {
		error = frame_address(e, m->registers, depth, &value);
	} else if (atom == DW_OP_addr) {
		value = op->number + e->unit->file->bias;
	} else if (atom == DW_OP_addrx || atom == DW_OP_constx || atom == DW_OP_GNU_addr_index ||
		   atom == DW_OP_GNU_const_index) {
		error = indexed(e, op, &value);
	} else if ((atom >= DW_OP_const1u && atom <= DW_OP_consts)) {
		value = op->number;
	} else {
		*done = false;
		return NULL;
	}
	if (error)
		return error;
	if (m->n == STACK)
		return bad(e, "it needs too much stack");
	m->stack[m->n++] = value;
	return NULL;
}

/* Operations on the stack's top. */
static struct cudasim_error *operate(const struct expression_of *e, struct machine *m,
				     const Dwarf_Op *op)
{
	uint64_t *top = m->n ? &m->stack[m->n - 1] : NULL, swap;
	unsigned atom = op->atom;
	size_t needs = atom == DW_OP_rot                          ? 3
		       : atom == DW_OP_over || atom == DW_OP_swap ? 2
		       : atom == DW_OP_pick                       ? (size_t)(op->number & 255) + 1
								  : 1;
	if (atom == DW_OP_nop)
		return NULL;
	if (m->n < needs)
		return bad(e, "its stack is empty");
	switch (atom) {
	case DW_OP_dup:
	case DW_OP_over:
	case DW_OP_pick:
		if (m->n == STACK)
			return bad(e, "it needs too much stack");
		top[1] = atom == DW_OP_dup    ? top[0]
			 : atom == DW_OP_over ? top[-1]
					      : top[-(int64_t)(op->number & 255)];
		m->n++;
		return NULL;
	case DW_OP_drop:
		m->n--;
		return NULL;
	case DW_OP_swap:
		swap = top[0], top[0] = top[-1], top[-1] = swap;
		return NULL;
	case DW_OP_rot:
		swap = top[0], top[0] = top[-1], top[-1] = top[-2], top[-2] = swap;
		return NULL;
	case DW_OP_deref:
		return load(e, top, 8);
	case DW_OP_deref_size:
		return load(e, top, op->number);
	case DW_OP_abs:
		*top = (int64_t)*top < 0 ? 0 - *top : *top;
		return NULL;
	case DW_OP_neg:
		*top = 0 - *top;
		return NULL;
	case DW_OP_not:
		*top = ~*top;
		return NULL;
	case DW_OP_plus_uconst:
		*top += op->number;
		return NULL;
	}
	if (m->n < 2)
		return bad(e, "its stack is empty");
	if (!binary(atom, top[-1], top[0], &top[-1]))
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED,
					 "location of \"%s\": DWARF operation 0x%x", e->name, atom);
	m->n--;
	return NULL;
}

/* Where the operation at byte offset `to` is. */
static bool jump(const struct expression_of *e, uint64_t to, size_t *ret)
{
	for (size_t i = 0; i < e->n; i++)
		if (e->operations[i].offset == to) {
			*ret = i;
			return true;
		}
	return false;
}

static bool ends(const struct expression_of *e, struct machine *m, const Dwarf_Op *op)
{
	Dwarf_Block block;
	Dwarf_Attribute attribute = e->attribute;
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) {
		m->stack[0] = op->atom - DW_OP_reg0;
		m->result = IN_REGISTER;
	} else if (op->atom == DW_OP_regx) {
		m->stack[0] = op->number;
		m->result = IN_REGISTER;
	} else if (op->atom == DW_OP_stack_value) {
		m->result = m->n ? IS_VALUE : IS_EMPTY;
		if (m->n)
			m->stack[0] = m->stack[m->n - 1];
	} else if (op->atom == DW_OP_implicit_value) {
		m->result = IS_EMPTY;
		if (e->has_attribute && !dwarf_getlocation_implicit_value(&attribute, op, &block)) {
			m->result = IS_BYTES;
			m->bytes = block.data;
			m->n_bytes = block.length;
		}
	} else {
		return false;
	}
	return true;
}

static struct cudasim_error *run(const struct expression_of *e, struct machine *m, int depth)
{
	if (depth > 4)
		return bad(e, "it refers to itself");
	if (!e->n) {
		m->result = IS_EMPTY;
		return NULL;
	}
	int steps = 0;
	for (size_t i = 0; i < e->n; i++) {
		const Dwarf_Op *op = &e->operations[i];
		struct cudasim_error *error;
		bool done;
		if (++steps > MAX_STEPS)
			return bad(e, "it does not end");
		if (ends(e, m, op)) {
			if (i + 1 < e->n)
				return bad(e, "it is in pieces");
			return NULL;
		}
		if (op->atom == DW_OP_skip || op->atom == DW_OP_bra) {
			if (op->atom == DW_OP_bra && (!m->n || !m->stack[--m->n]))
				continue;
			if (!jump(e, op->offset + 3 + op->number, &i))
				return bad(e, "it jumps to nowhere");
			i--;
			continue;
		}
		if ((error = push(e, m, op, depth, &done)))
			return error;
		if (!done && (error = operate(e, m, op)))
			return error;
	}
	if (!m->n)
		return bad(e, "it leaves nothing");
	m->result = AT_ADDRESS;
	m->stack[0] = m->stack[m->n - 1];
	return NULL;
}

/* ---- of variables ---------------------------------------------------------------- */

static const struct expression_of *expression_new(struct unit *unit, const char *name,
						  Dwarf_Attribute *attribute,
						  const Dwarf_Op *operations, size_t n)
{
	struct expression_of *e = memory_new(sizeof *e);
	*e = (struct expression_of){.operations = operations,
				    .n = n,
				    .attribute = *attribute,
				    .has_attribute = true,
				    .unit = unit,
				    .name = name};
	return e;
}

/* The frame base of the function whose code holds pc. */
static const struct expression_of *base_at(uint64_t pc)
{
	const struct function *function = symbols_function_at(pc);
	struct function_entry *entry = function ? (struct function_entry *)function->die : NULL;
	Dwarf_Attribute found;
	Dwarf_Op *operations;
	size_t n;
	if (!entry || !dwarf_attr_integrate(&entry->die, DW_AT_frame_base, &found) ||
	    dwarf_getlocation_addr(&found, pc - entry->unit->file->bias, &operations, &n, 1) != 1)
		return NULL;
	return expression_new(entry->unit, function->name, &found, operations, n);
}

static bool is_rbp(const struct expression_of *base)
{
	return base && base->n == 1 && base->operations[0].atom == DW_OP_reg6;
}

static void set_expression(struct location *ret, const struct expression_of *e)
{
	const Dwarf_Op *op = e->operations;
	ret->kind = LOCATION_EXPRESSION;
	ret->expression = e;
	ret->n_operations = e->n;
	if (!e->n) {
		ret->kind = LOCATION_NONE;
	} else if (op[0].atom == DW_OP_fbreg && is_rbp(e->frame_base) &&
		   (e->n == 1 || (e->n == 2 && op[1].atom == DW_OP_deref))) {
		ret->kind = e->n == 1 ? LOCATION_FRAME : LOCATION_FRAME_DEREF;
		ret->offset = (int64_t)op[0].number;
	} else if (e->n == 1 && op[0].atom >= DW_OP_reg0 && op[0].atom < DW_OP_reg0 + N_REGISTERS) {
		ret->kind = LOCATION_REGISTER;
		ret->offset = op[0].atom - DW_OP_reg0;
	}
	if (ret->kind != LOCATION_EXPRESSION)
		return;
	/* Without registers: an address or a constant that never changes. */
	struct machine m = {0};
	for (size_t i = 0; i < e->n; i++)
		if (op[i].atom == DW_OP_deref || op[i].atom == DW_OP_deref_size)
			return;
	struct cudasim_error *error = run(e, &m, 0);
	if (!error && m.result == AT_ADDRESS) {
		ret->kind = LOCATION_ADDRESS;
		ret->offset = (int64_t)m.stack[0];
	} else if (!error && m.result == IS_VALUE) {
		ret->kind = LOCATION_VALUE;
		ret->offset = (int64_t)m.stack[0];
	} else if (!error && m.result == IS_BYTES && m.n_bytes <= 8) {
		ret->kind = LOCATION_VALUE;
		ret->offset = 0;
		memcpy(&ret->offset, m.bytes, m.n_bytes);
	}
	cudasim_error_free(error);
}

static bool has_entry_value(const Dwarf_Op *operations, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (operations[i].atom == DW_OP_entry_value ||
		    operations[i].atom == DW_OP_GNU_entry_value)
			return true;
	return false;
}

struct cudasim_error *symbols_location(const struct variable *variable, uint64_t pc,
				       struct location *ret)
{
	Dwarf_Die die = *(const Dwarf_Die *)variable->die;
	struct unit *unit = die_unit(&die);
	Dwarf_Attribute found;
	Dwarf_Op *operations;
	size_t n;
	*ret = (struct location){.kind = LOCATION_NONE};
	if (!unit)
		return NULL;
	if (dwarf_attr_integrate(&die, DW_AT_const_value, &found)) {
		Dwarf_Block block;
		ret->kind = LOCATION_VALUE;
		ret->offset = die_number(&die, DW_AT_const_value, 0);
		if (!dwarf_formblock(&found, &block)) {
			ret->offset = 0;
			memcpy(&ret->offset, block.data, block.length < 8 ? block.length : 8);
		}
		return NULL;
	}
	if (!dwarf_attr_integrate(&die, DW_AT_location, &found))
		return NULL;
	int many = dwarf_getlocation_addr(&found, pc - unit->file->bias, &operations, &n, 1);
	if (many < 0)
		return cudasim_error_new(CUDASIM_E_FORMAT, "location of \"%s\" cannot be read: %s",
					 variable->name, dwarf_errmsg(-1));
	/* Optimized out: an empty expression, or what a register held when the function began. */
	if (!many || !n || has_entry_value(operations, n))
		return NULL;
	struct expression_of *e = (struct expression_of *)expression_new(unit, variable->name,
									 &found, operations, n);
	e->frame_base = pc ? base_at(pc) : NULL;
	set_expression(ret, e);
	return NULL;
}

/* ---- evaluation ------------------------------------------------------------------- */

static struct cudasim_error *no_address(const struct expression_of *e)
{
	return cudasim_error_new(CUDASIM_E_UNSUPPORTED, "\"%s\" is not in memory",
				 e ? e->name : "value");
}

struct cudasim_error *location_address(const struct location *location,
				       const struct registers *registers, uint64_t *ret)
{
	struct machine m = {.registers = registers};
	struct cudasim_error *error;
	const struct expression_of *e = location->expression;
	switch (location->kind) {
	case LOCATION_ADDRESS:
		*ret = (uint64_t)location->offset;
		return NULL;
	case LOCATION_FRAME:
	case LOCATION_FRAME_DEREF:
		if ((error = register_value(e, registers, RBP, ret)))
			return error;
		*ret += (uint64_t)location->offset;
		return location->kind == LOCATION_FRAME ? NULL : load(e, ret, 8);
	case LOCATION_EXPRESSION:
		if ((error = run(e, &m, 0)))
			return error;
		*ret = m.stack[0];
		return m.result == AT_ADDRESS ? NULL : no_address(e);
	case LOCATION_NONE:
	case LOCATION_REGISTER:
	case LOCATION_VALUE:
		break;
	}
	return no_address(e);
}

struct cudasim_error *location_bytes(const struct location *location,
				     const struct registers *registers, void *to, uint64_t size)
{
	struct machine m = {.registers = registers};
	struct cudasim_error *error;
	const struct expression_of *e = location->expression;
	const void *from = &m.stack[0];
	uint64_t n = 8;
	memset(to, 0, size);
	if (location->kind == LOCATION_VALUE) {
		m.stack[0] = (uint64_t)location->offset;
	} else if (location->kind == LOCATION_REGISTER) {
		if ((error = register_value(e, registers, (uint64_t)location->offset, &m.stack[0])))
			return error;
	} else if (location->kind == LOCATION_EXPRESSION) {
		if ((error = run(e, &m, 0)))
			return error;
		if (m.result == IS_BYTES) {
			from = m.bytes;
			n = m.n_bytes;
		} else if (m.result == IN_REGISTER) {
			uint64_t number = m.stack[0];
			if ((error = register_value(e, registers, number, &m.stack[0])))
				return error;
		} else if (m.result != IS_VALUE) {
			return no_address(e);
		}
	} else {
		return no_address(e);
	}
	if (size > n)
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"\"%s\" is not in memory, and only %llu of its %llu bytes are known",
			e ? e->name : "value", (unsigned long long)n, (unsigned long long)size);
	memcpy(to, from, size);
	return NULL;
}
