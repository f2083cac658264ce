/* SPDX-License-Identifier: Apache-2.0 */
/* expression_math.c - math functions in expressions that the program need not have: those whose
 * results IEEE 754 defines to the last bit are computed here, all others by device code
 * (library.h). */
#include <math.h>
#include <string.h>

#include "call.h"
#include "expression_math.h"
#include "expression_tree.h"
#include "library.h"

static double is_nan(double x)
{
	return isnan(x) != 0;
}
static double is_infinite(double x)
{
	return isinf(x) != 0;
}
static double is_finite(double x)
{
	return isfinite(x) != 0;
}
static double has_sign(double x)
{
	return signbit(x) != 0;
}

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
	{"isnan", 1, true, .one = is_nan},       {"isinf", 1, true, .one = is_infinite},
	{"isfinite", 1, true, .one = is_finite}, {"signbit", 1, true, .one = has_sign},
	{"fabs", 1, false, .one = fabs},         {"sqrt", 1, false, .one = sqrt},
	{"floor", 1, false, .one = floor},       {"ceil", 1, false, .one = ceil},
	{"trunc", 1, false, .one = trunc},       {"round", 1, false, .one = round},
	{"rint", 1, false, .one = rint},         {"nearbyint", 1, false, .one = rint},
	{"copysign", 2, false, .two = copysign}, {"fmod", 2, false, .two = fmod},
	{"fmin", 2, false, .two = smaller},      {"fmax", 2, false, .two = larger},
	{"fma", 3, false, .one = NULL},
};

/* Of other threads, or with effects: no value of this thread alone. */
static const char *const collective[] = {
	"__ballot",     "__any",  "__all",         "__uni",       "__shfl", "__match_", "__reduce_",
	"__activemask", "__sync", "__threadfence", "__nanosleep", "atomic", "__trap",   "__brkpt"};

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

bool math_is_known(const char *name)
{
	bool single;
	return math_find(name, &single) || library_find(name);
}

bool math_is_collective(const char *name)
{
	for (size_t i = 0; i < sizeof collective / sizeof *collective; i++)
		if (!strncmp(name, collective[i], strlen(collective[i])))
			return true;
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

/* ---- by device code ---------------------------------------------------------------------- */

static const struct type *named_type(const char *name)
{
	static const struct {
		const char *name, *base;
	} short_names[] = {{"unsigned", "unsigned int"},
			   {"llong", "long long"},
			   {"ullong", "unsigned long long"},
			   {"ushort", "unsigned short"}};
	char base[32];
	if (!strncmp(name, "const ", 6))
		name += 6;
	size_t n = strcspn(name, "*");
	if (name[n])
		n--; /* a space */
	snprintf(base, sizeof base, "%.*s", (int)n, name);
	for (size_t i = 0; i < sizeof short_names / sizeof *short_names; i++)
		if (!strcmp(base, short_names[i].name))
			strcpy(base, short_names[i].base);
	const struct type *type = type_base(base);
	return name[n] ? type_pointer(type, STORAGE_GENERIC) : type;
}

/* As C++ overloads it: exp(x) of a float is expf(x). */
static const struct library_function *overload(const char *name, bool all_single)
{
	char single[40];
	snprintf(single, sizeof single, "%sf", name);
	const struct library_function *f = all_single ? library_find(single) : NULL;
	return f ? f : library_find(name);
}

bool math_target(const struct node *node, const struct type **parameters, struct call_target *ret)
{
	struct evaluation e = {.types_only = true};
	bool all_single = true;
	unsigned n = 0;
	for (const struct node *argument = node->arguments; argument;
	     argument = argument->next, n++) {
		struct value value;
		struct cudasim_error *error = evaluate_operand(&e, argument, &value);
		if (error) {
			cudasim_error_free(error);
			return false;
		}
		all_single &= value.type && is_single(type_target(value.type));
		value_fini(&value);
	}
	const struct library_function *f = overload(node->a->name, n && all_single);
	if (!f || f->n != n)
		return false;
	for (unsigned i = 0; i < n; i++)
		parameters[i] = named_type(f->parameters[i]);
	*ret = (struct call_target){
		.type = named_type(f->result), .name = f->name, .code = library_code(f)};
	return true;
}

/* Halves are passed as their bits. */
static const struct type *carried(const struct type *type)
{
	enum float_format format = type_float_format(type);
	return format == FLOAT_HALF || format == FLOAT_BFLOAT16 ? type_base("unsigned short")
								: type;
}

static struct cudasim_error *pass(struct call *call, const struct value *argument,
				  const struct type *parameter)
{
	struct value converted = {.n_bytes = 0}, bits;
	struct cudasim_error *error = value_convert(argument, parameter, false, &converted);
	if (!error && !(error = value_fetch(&converted))) {
		error = value_of_bytes(carried(parameter), value_bytes(&converted), &bits);
		if (!error) {
			error = call_argument(call, &bits);
			value_fini(&bits);
		}
		value_fini(&converted);
	}
	return error;
}

static struct cudasim_error *library_call(struct evaluation *e, const struct node *node,
					  struct value *ret)
{
	const struct type *parameters[LIBRARY_PARAMETERS];
	struct call_target target;
	struct call call;
	struct value values[LIBRARY_PARAMETERS], bits;
	struct cudasim_thread *thread = e->context.thread;
	unsigned n = 0, n_values = 0;
	for (const struct node *argument = node->arguments; argument; argument = argument->next)
		n++;
	const struct library_function *f = library_find(node->a->name);
	if (n != f->n)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Too %s arguments in function call.",
					 n < f->n ? "few" : "many");
	struct cudasim_error *error = NULL;
	for (const struct node *argument = node->arguments; argument && !error;
	     argument = argument->next)
		if (!(error = evaluate_operand(e, argument, &values[n_values])))
			n_values++;
	if (!error && !math_target(node, parameters, &target))
		error = cudasim_error_new(CUDASIM_E_ARGUMENT, "%s takes numbers.", f->name);
	if (!error && e->types_only) {
		*ret = (struct value){.type = target.type, .is_lazy = true};
	} else if (!error && !(error = call_init(&call, CALL_DEVICE, carried(target.type)))) {
		for (unsigned i = 0; i < n && !error; i++)
			error = pass(&call, &values[i], parameters[i]);
		if (!error)
			error = call_run(&call, target.code, thread ? thread : library_thread(),
					 target.name);
		if (!error && !(error = call_result(&call, &bits))) {
			error = bits.is_void ? (*ret = bits, NULL)
					     : value_of_bytes(target.type, value_bytes(&bits), ret);
			if (!bits.is_void)
				value_fini(&bits);
		}
		call_fini(&call);
	}
	while (n_values)
		value_fini(&values[--n_values]);
	return error;
}

/* ---- all ----------------------------------------------------------------------------------- */

struct cudasim_error *math_evaluate(struct evaluation *e, const struct node *node,
				    struct value *ret)
{
	bool single, all_single = true;
	const struct math_function *f = math_find(node->a->name, &single);
	double x[3] = {0};
	if (!f)
		return library_call(e, node, ret);
	unsigned n = 0;
	for (const struct node *argument = node->arguments; argument; argument = argument->next) {
		struct value value;
		long double number = 0;
		if (n == f->n)
			return cudasim_error_new(CUDASIM_E_ARGUMENT,
						 "Too many arguments in function call.");
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
	double number = e->types_only                 ? 0
			: f->n == 1                   ? f->one(x[0])
			: f->n == 2                   ? f->two(x[0], x[1])
			: type->size == sizeof(float) ? fmaf((float)x[0], (float)x[1], (float)x[2])
						      : fma(x[0], x[1], x[2]);
	return result_of(type, type->size == sizeof(float) ? (float)number : number, ret);
}
