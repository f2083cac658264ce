/* SPDX-License-Identifier: Apache-2.0 */
/* expression_arithmetic.c - operators on numbers and pointers by C++'s rules: the
 * integer promotions and the usual arithmetic conversions ([conv.prom], [expr.arith.conv]),
 * results wrapped to their type. __half and __nv_bfloat16 count as numbers: with their
 * like they give their like, rounded once; with anything else float at least. */
#include <assert.h>
#include <string.h>

#include "expression_tree.h"

/* ---- types of results ------------------------------------------------------------- */

static int rank(const struct type *type)
{
	if (type->size <= 4)
		return 1;
	if (type->size > 8)
		return 4;
	return type->name && strstr(type->name, "long long") ? 3 : 2;
}

static const struct type *of_rank(int rank, bool is_signed)
{
	static const char *const names[] = {"int", "long", "long long", "__int128"};
	static const char *const unsigned_names[] = {"unsigned int", "unsigned long",
						     "unsigned long long", "unsigned __int128"};
	unsigned i = (unsigned)rank - 1;
	assert(i < 4);
	return type_base((is_signed ? names : unsigned_names)[i]);
}

static bool is_signed_type(const struct type *type)
{
	if (type->kind == TYPE_ENUM && type->target)
		return type_strip(type->target)->is_signed;
	return type->is_signed;
}

static bool is_arithmetic(const struct type *type)
{
	return type->float_format || type->kind == TYPE_BOOL || type->kind == TYPE_CHAR ||
	       type->kind == TYPE_INTEGER || type->kind == TYPE_ENUM;
}

const struct type *promoted_type(const struct type *type)
{
	type = type_strip(type);
	if (type->float_format || !is_arithmetic(type))
		return type;
	if (type->size < 4 || type->kind == TYPE_BOOL)
		return type_base("int");
	return of_rank(rank(type), is_signed_type(type));
}

/* Bitfields narrower than int become int, whatever their sign. */
static const struct type *promoted(const struct value *value)
{
	if (value->bit_size && value->bit_size < 32 && !type_float_format(value->type))
		return type_base("int");
	return promoted_type(value->type);
}

static const struct type *common_type(const struct type *a, const struct type *b)
{
	if (!is_arithmetic(a) || !is_arithmetic(b))
		return NULL;
	if (a->float_format || b->float_format) {
		enum float_format wider = a->float_format > b->float_format ? a->float_format
									    : b->float_format;
		if (wider < FLOAT_SINGLE) /* one of the small formats: both, or with an integer */
			return a->float_format == b->float_format ? a : type_float(4);
		return wider == FLOAT_SINGLE   ? type_float(4)
		       : wider == FLOAT_DOUBLE ? type_float(8)
					       : type_float(16);
	}
	int rank_a = rank(a), rank_b = rank(b);
	bool signed_a = is_signed_type(a), signed_b = is_signed_type(b);
	int higher = rank_a > rank_b ? rank_a : rank_b;
	if (signed_a == signed_b)
		return of_rank(higher, signed_a);
	int unsigned_rank = signed_a ? rank_b : rank_a, signed_rank = signed_a ? rank_a : rank_b;
	if (unsigned_rank >= signed_rank)
		return of_rank(unsigned_rank, false);
	/* long long holds every unsigned int, not every unsigned long. */
	bool holds = signed_rank == 4 || unsigned_rank == 1;
	return of_rank(signed_rank, holds);
}

const struct type *arithmetic_type(const struct type *a, const struct type *b)
{
	return common_type(promoted_type(a), promoted_type(b));
}

/* ---- numbers ---------------------------------------------------------------------------- */

static bool is_comparison(enum operator op)
{
	return op >= OP_EQUAL && op <= OP_GREATER_EQUAL;
}

#define COMPARE(op, a, b)                                                                          \
	((op) == OP_EQUAL        ? (a) == (b)                                                      \
	 : (op) == OP_UNEQUAL    ? (a) != (b)                                                      \
	 : (op) == OP_LESS       ? (a) < (b)                                                       \
	 : (op) == OP_GREATER    ? (a) > (b)                                                       \
	 : (op) == OP_LESS_EQUAL ? (a) <= (b)                                                      \
				 : (a) >= (b))

/* In the format's own precision, so that results are the program's; a small format's
 * operation in double rounds once only. */
static struct cudasim_error *real_binary(enum operator op, const struct type *type, long double a,
					 long double b, struct value *ret)
{
	enum float_format format = type->float_format;
	long double number;
	if (is_comparison(op)) {
		*ret = value_integer(type_base("bool"), COMPARE(op, a, b));
		return NULL;
	}
	if (op != OP_ADD && op != OP_SUBTRACT && op != OP_MULTIPLY && op != OP_DIVIDE)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Integer-only operation on floating point number.");
#define CALCULATE(T)                                                                               \
	(op == OP_ADD        ? (T)a + (T)b                                                         \
	 : op == OP_SUBTRACT ? (T)a - (T)b                                                         \
	 : op == OP_MULTIPLY ? (T)a * (T)b                                                         \
			     : (T)a / (T)b)
	if (format == FLOAT_X87)
		number = CALCULATE(long double);
	else if (format == FLOAT_SINGLE)
		number = CALCULATE(float);
	else
		number = CALCULATE(double);
	*ret = value_real(type, number);
	return NULL;
}

static wide shift(enum operator op, const struct type *type, wide a, wide count)
{
	wide width = (wide)(8 * type->size);
	if (count < 0 || count >= width)
		return op == OP_SHIFT_RIGHT && a < 0 && count >= width ? -1 : 0;
	if (op == OP_SHIFT_LEFT)
		return (wide)((unsigned_wide)a << (unsigned)count);
	return a >> (unsigned)count;
}

static struct cudasim_error *integer_binary(enum operator op, const struct type *type, wide a,
					    wide b, struct value *ret)
{
	wide number = 0;
	bool is_signed = is_signed_type(type);
	if ((op == OP_DIVIDE || op == OP_MODULO) && !b)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Division by zero");
	switch (op) {
	case OP_ADD:
		number = (wide)((unsigned_wide)a + (unsigned_wide)b);
		break;
	case OP_SUBTRACT:
		number = (wide)((unsigned_wide)a - (unsigned_wide)b);
		break;
	case OP_MULTIPLY:
		number = (wide)((unsigned_wide)a * (unsigned_wide)b);
		break;
	case OP_DIVIDE:
		number = !is_signed ? (wide)((unsigned_wide)a / (unsigned_wide)b)
			 : b == -1  ? (wide)(-(unsigned_wide)a)
				    : a / b;
		break;
	case OP_MODULO:
		number = !is_signed ? (wide)((unsigned_wide)a % (unsigned_wide)b)
			 : b == -1  ? 0
				    : a % b;
		break;
	case OP_AND:
		number = a & b;
		break;
	case OP_OR:
		number = a | b;
		break;
	case OP_XOR:
		number = a ^ b;
		break;
	default:
		*ret = value_integer(type_base("bool"),
				     is_signed ? COMPARE(op, a, b)
					       : COMPARE(op, (unsigned_wide)a, (unsigned_wide)b));
		return NULL;
	}
	*ret = value_integer(type, number);
	return NULL;
}

/* The value in type, as an operand. */
static struct cudasim_error *as_integer(const struct value *value, const struct type *type,
					wide *ret)
{
	struct cudasim_error *error = value_to_integer(value, ret);
	if (error)
		return error;
	struct value converted = value_integer(type, *ret);
	return value_to_integer(&converted, ret);
}

static struct value typed(const struct type *type)
{
	return (struct value){.type = type, .is_lazy = true};
}

static struct cudasim_error *number_binary(struct evaluation *e, enum operator op,
					   const struct value *a, const struct value *b,
					   struct value *ret)
{
	bool is_shift = op == OP_SHIFT_LEFT || op == OP_SHIFT_RIGHT;
	const struct type *type = is_shift ? promoted(a) : common_type(promoted(a), promoted(b));
	struct cudasim_error *error;
	if (!type || !is_arithmetic(type) || !is_arithmetic(promoted(b)))
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Argument to arithmetic operation not a number or boolean.");
	if (is_shift && (type->float_format || type_float_format(b->type)))
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Integer-only operation on floating point number.");
	if (e->types_only) {
		*ret = typed(is_comparison(op) ? type_base("bool") : type);
		return NULL;
	}
	if (type->float_format) {
		long double x, y;
		if ((error = value_to_real(a, &x)) || (error = value_to_real(b, &y)))
			return error;
		/* An integer operand is rounded to the format first. */
		struct value x_rounded = value_real(type, x), y_rounded = value_real(type, y);
		return real_binary(op, type, float_read(type->float_format, x_rounded.bytes.small),
				   float_read(type->float_format, y_rounded.bytes.small), ret);
	}
	wide x, y;
	if ((error = as_integer(a, type, &x)))
		return error;
	if (is_shift) {
		if (!(error = value_to_integer(b, &y)))
			*ret = value_integer(type, shift(op, type, x, y));
		return error;
	}
	if ((error = as_integer(b, type, &y)))
		return error;
	return integer_binary(op, type, x, y, ret);
}

/* ---- pointers ----------------------------------------------------------------------------- */

static bool is_pointer(const struct value *value)
{
	return type_strip(value->type)->kind == TYPE_POINTER;
}

static uint64_t stride(const struct value *pointer)
{
	const struct type *target = type_strip(pointer->type)->target;
	uint64_t size = target ? type_strip(target)->size : 1;
	return size ? size : 1;
}

/* What two pointers point to; 0 where only types are wanted. */
static struct cudasim_error *addresses(const struct evaluation *e, const struct value *a,
				       const struct value *b, uint64_t *x, uint64_t *y)
{
	*x = *y = 0;
	if (e->types_only)
		return NULL;
	struct cudasim_error *error = value_to_address(a, x, NULL);
	return error ? error : value_to_address(b, y, NULL);
}

static struct cudasim_error *pointer_compare(struct evaluation *e, enum operator op,
					     const struct value *a, const struct value *b,
					     struct value *ret)
{
	uint64_t x, y;
	struct cudasim_error *error = addresses(e, a, b, &x, &y);
	if (!error)
		*ret = value_integer(type_base("bool"), COMPARE(op, x, y));
	return error;
}

static struct cudasim_error *pointer_difference(struct evaluation *e, const struct value *a,
						const struct value *b, struct value *ret)
{
	uint64_t x, y;
	if (stride(a) != stride(b))
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"First argument of `-' is a pointer and second argument is neither\n"
			"an integer nor a pointer of the same type.");
	struct cudasim_error *error = addresses(e, a, b, &x, &y);
	if (!error)
		*ret = value_integer(type_base("long"), (int64_t)(x - y) / (int64_t)stride(a));
	return error;
}

static struct cudasim_error *pointer_add(struct evaluation *e, const struct value *pointer,
					 const struct value *count, bool minus, struct value *ret)
{
	wide x = 0, n = 0;
	struct cudasim_error *error = NULL;
	const struct type *type = type_strip(count->type);
	if (!is_arithmetic(type) || type->float_format)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Argument to arithmetic operation not a number or boolean.");
	if (!e->types_only && (error = value_to_integer(pointer, &x)))
		return error;
	if (!e->types_only && (error = value_to_integer(count, &n)))
		return error;
	uint64_t step = (uint64_t)n * stride(pointer);
	*ret = value_integer(pointer->type, (wide)((uint64_t)x + (minus ? -step : step)));
	return NULL;
}

/* == and != of pointers to members: all their bytes. 0 is NULL. */
static struct cudasim_error *member_pointer_compare(struct evaluation *e, enum operator op,
						    const struct value *a, const struct value *b,
						    struct value *ret)
{
	bool same = a->n_bytes == b->n_bytes;
	if ((op != OP_EQUAL && op != OP_UNEQUAL) ||
	    type_strip(a->type)->kind != type_strip(b->type)->kind)
		return cudasim_error_new(
			CUDASIM_E_ARGUMENT,
			"Argument to comparison operation not integer, boolean, pointer "
			"or reference.");
	if (!e->types_only && same)
		same = !memcmp(value_bytes(a), value_bytes(b), a->n_bytes);
	*ret = value_integer(type_base("bool"), same == (op == OP_EQUAL));
	return NULL;
}

static bool is_member_pointer(const struct value *value)
{
	return type_strip(value->type)->kind == TYPE_MEMBER_POINTER;
}

struct cudasim_error *arithmetic_binary(struct evaluation *e, enum operator op,
					const struct value *a, const struct value *b,
					struct value *ret)
{
	bool left = is_pointer(a), right = is_pointer(b);
	if (is_member_pointer(a) || is_member_pointer(b))
		return member_pointer_compare(e, op, a, b, ret);
	if (!left && !right)
		return number_binary(e, op, a, b, ret);
	if (is_comparison(op))
		return pointer_compare(e, op, a, b, ret);
	if (op == OP_SUBTRACT && left && right)
		return pointer_difference(e, a, b, ret);
	if (op == OP_ADD && left != right)
		return pointer_add(e, left ? a : b, left ? b : a, false, ret);
	if (op == OP_SUBTRACT && left)
		return pointer_add(e, a, b, true, ret);
	return cudasim_error_new(CUDASIM_E_ARGUMENT,
				 "Argument to arithmetic operation not a number or boolean.");
}

/* ---- unary ---------------------------------------------------------------------------------- */

static struct cudasim_error *unfit(const char *what, const char *wanted)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "Argument to %s operation not %s.", what,
				 wanted);
}

struct cudasim_error *arithmetic_unary(struct evaluation *e, enum operator op,
				       const struct value *a, struct value *ret)
{
	struct cudasim_error *error;
	const struct type *type = promoted(a);
	bool truth = false;
	wide number = 0;
	if (op == OP_NOT) {
		if (!type_is_scalar(type) && !type->float_format)
			return unfit("logical not", "a number or pointer");
		error = e->types_only ? NULL : value_to_bool(a, &truth);
		if (!error)
			*ret = value_integer(type_base("bool"), !truth);
		return error;
	}
	if (op == OP_PLUS && is_pointer(a))
		return value_copy(a, ret);
	if (!is_arithmetic(type))
		return op == OP_COMPLEMENT ? unfit("complement", "an integer, boolean")
		       : op == OP_NEGATE   ? unfit("negate", "a number")
					   : unfit("positive", "a number, vector or boolean");
	if (type->float_format && op == OP_COMPLEMENT)
		return unfit("complement", "an integer, boolean");
	if (e->types_only) {
		*ret = typed(type);
		return NULL;
	}
	if (type->float_format) {
		long double real;
		if (!(error = value_to_real(a, &real)))
			*ret = value_real(type, op == OP_NEGATE ? -real : real);
		return error;
	}
	if ((error = value_to_integer(a, &number)))
		return error;
	number = op == OP_NEGATE       ? (wide)(-(unsigned_wide)number)
		 : op == OP_COMPLEMENT ? ~number
				       : number;
	*ret = value_integer(type, number);
	return NULL;
}
