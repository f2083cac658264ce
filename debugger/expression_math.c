/* SPDX-License-Identifier: Apache-2.0 */
/* expression_math.c - math functions in expressions that the program need not have: those whose
 * results IEEE 754 defines to the last bit, so that they are the device's. What libdevice
 * approximates (expf, sinf, pow) is not among them: only its own code has its bits. */
#include <math.h>
#include <string.h>

#include "expression_evaluate.h"
#include "expression_math.h"
#include "expression_tree.h"

static double is_nan(double x) { return isnan(x) != 0; }
static double is_infinite(double x) { return isinf(x) != 0; }
static double is_finite(double x) { return isfinite(x) != 0; }
static double has_sign(double x) { return signbit(x) != 0; }

/* The number of a number and a NaN; -0 is less than +0. */
static double smaller(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? b : a;
	return a < b || (a == b && signbit(a)) ? a : b;
}

static double larger(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? b : a;
	return a > b || (a == b && !signbit(a)) ? a : b;
}

static const struct math_function functions[] = {
	{"isnan", 1, true, .one = is_nan}, {"isinf", 1, true, .one = is_infinite},
	{"isfinite", 1, true, .one = is_finite}, {"signbit", 1, true, .one = has_sign},
	{"fabs", 1, false, .one = fabs}, {"sqrt", 1, false, .one = sqrt},
	{"floor", 1, false, .one = floor}, {"ceil", 1, false, .one = ceil},
	{"trunc", 1, false, .one = trunc}, {"round", 1, false, .one = round},
	{"rint", 1, false, .one = rint}, {"nearbyint", 1, false, .one = rint},
	{"copysign", 2, false, .two = copysign}, {"fmod", 2, false, .two = fmod},
	{"fmin", 2, false, .two = smaller}, {"fmax", 2, false, .two = larger},
	{"fma", 3, false, .one = NULL},
};

/* What libdevice computes by tables and polynomials. */
static const char approximated[] =
	" exp exp2 exp10 expm1 log log2 log10 log1p logb sin cos tan sinpi cospi asin acos atan atan2 "
	"sinh cosh tanh asinh acosh atanh pow cbrt rcbrt rsqrt hypot rhypot norm3d norm4d erf erfc erfinv "
	"erfcinv erfcx normcdf normcdfinv tgamma lgamma j0 j1 jn y0 y1 yn sincos sincospi __exp __exp10 "
	"__log __log2 __log10 __sin __cos __tan __pow __fdivide remainder remquo ldexp scalbn frexp modf ";

const struct math_function *math_find(const char *name, bool *ret_single)
{
	size_t n = strlen(name);
	*ret_single = false;
	for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
		const struct math_function *f = &functions[i];
		if (!strcmp(f->name, name))
			return f;
		*ret_single = !f->is_test && n && name[n - 1] == 'f' && strlen(f->name) == n - 1 &&
			      !strncmp(f->name, name, n - 1);
		if (*ret_single)
			return f;
	}
	return NULL;
}

bool math_is_approximated(const char *name)
{
	char word[32];
	size_t n = strlen(name);
	for (int cut = 0; cut < 2 && n > (size_t)cut && n < sizeof word - 3; cut++) {
		snprintf(word, sizeof word, " %.*s ", (int)n - cut, name);
		if ((!cut || name[n - 1] == 'f') && strstr(approximated, word))
			return true;
	}
	return false;
}

static bool is_single(const struct type *type)
{
	return type_strip(type)->float_format != FLOAT_NONE &&
	       type_strip(type)->size <= sizeof(float);
}

/* A NaN that the device makes of floats is 0x7fffffff. */
static struct cudasim_error *result_of(const struct type *type, double number, struct value *ret)
{
	uint32_t nan_bits = 0x7fffffff;
	if (isnan(number) && type->size == sizeof(float))
		return value_of_bytes(type, &nan_bits, ret);
	*ret = value_real(type, number);
	return NULL;
}

struct cudasim_error *math_evaluate(struct evaluation *e, const struct node *node, struct value *ret)
{
	bool single, all_single = true;
	const struct math_function *f = math_find(node->a->name, &single);
	double x[3] = {0};
	unsigned n = 0;
	for (const struct node *argument = node->arguments; argument; argument = argument->next) {
		struct value value;
		long double number = 0;
		if (n == f->n)
			return cudasim_error_new(CUDASIM_E_ARGUMENT, "Too many arguments in function call.");
		struct cudasim_error *error = evaluate_operand(e, argument, &value);
		if (error)
			return error;
		const struct type *type = value.type ? type_target(value.type) : NULL;
		if (!type || value.is_void || !(type_is_scalar(type) || type_float_format(type)))
			error = cudasim_error_new(CUDASIM_E_ARGUMENT, "%s takes numbers.", f->name);
		else if (!e->types_only)
			error = value_to_real(&value, &number);
		all_single &= !error && is_single(type);
		value_fini(&value);
		if (error)
			return error;
		x[n++] = single ? (float)number : (double)number;
	}
	if (n < f->n)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Too few arguments in function call.");
	if (f->is_test) {
		*ret = value_integer(type_base("bool"), e->types_only ? 0 : f->one(x[0]) != 0);
		return NULL;
	}
	const struct type *type = type_base(single || all_single ? "float" : "double");
	double number = e->types_only ? 0
		: f->n == 1 ? f->one(x[0])
		: f->n == 2 ? f->two(x[0], x[1])
		: type->size == sizeof(float) ? fmaf((float)x[0], (float)x[1], (float)x[2])
					      : fma(x[0], x[1], x[2]);
	return result_of(type, type->size == sizeof(float) ? (float)number : number, ret);
}
