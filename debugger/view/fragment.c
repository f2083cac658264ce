/* SPDX-License-Identifier: Apache-2.0 */
/* fragment.c - a matrix out of the registers of a warp's lanes. Which lane holds which element is
 * known to formats/mma_layout.h. */
#include "fragment.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "container.h"
#include "error.h"
#include "mma_layout.h"
#include "samples.h"

static const struct {
	const char *name, *element, *wmma; /* wmma: what a wmma::fragment calls it */
	enum cudasim_mma_type type;
} types[] = {
	{"f16", "__half", "__half", CUDASIM_MMA_F16},
	{"bf16", "__nv_bfloat16", "__nv_bfloat16", CUDASIM_MMA_BF16},
	{"tf32", "float", "tf32", CUDASIM_MMA_TF32},
	{"f32", "float", "float", CUDASIM_MMA_F32},
	{"f64", "double", "double", CUDASIM_MMA_F64},
	{"e4m3", "__nv_fp8_e4m3", NULL, CUDASIM_MMA_E4M3},
	{"e5m2", "__nv_fp8_e5m2", NULL, CUDASIM_MMA_E5M2},
	{"s8", "signed char", "signed char", CUDASIM_MMA_S8},
	{"u8", "unsigned char", "unsigned char", CUDASIM_MMA_U8},
	{"s4", "signed char", "s4", CUDASIM_MMA_S4},
	{"u4", "unsigned char", "u4", CUDASIM_MMA_U4},
	{"b1", "unsigned char", "b1", CUDASIM_MMA_B1},
	{"s32", "int", "int", CUDASIM_MMA_S32},
};
enum { N_TYPES = sizeof types / sizeof *types };

/* PTX ISA 9.0, the shapes of mma and wmma. */
static const struct {
	uint32_t m, n, k;
} shapes[] = {
	{8, 8, 4},    {8, 8, 16},   {8, 8, 32},  {8, 8, 128},  {8, 32, 16},
	{16, 8, 4},   {16, 8, 8},   {16, 8, 16}, {16, 8, 32},  {16, 8, 64},
	{16, 8, 128}, {16, 8, 256}, {16, 16, 8}, {16, 16, 16}, {32, 8, 16},
};

static uint32_t log2_of(uint32_t x)
{
	return (uint32_t)__builtin_ctz(x);
}

static bool set_shape(uint32_t m, uint32_t n, uint32_t k, uint32_t *form)
{
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		if (shapes[i].m == m && shapes[i].n == n && shapes[i].k == k) {
			*form |= log2_of(m / 8) << CUDASIM_MMA_M_SHIFT |
				 log2_of(n / 8) << CUDASIM_MMA_N_SHIFT |
				 log2_of(k / 4) << CUDASIM_MMA_K_SHIFT;
			return true;
		}
	return false;
}

/* The others' types matter to m8n8k4 alone, which four products at once make of f16. */
static void set_type(enum cudasim_mma_type type, struct fragment *f)
{
	bool of_ab = f->of <= CUDASIM_MMA_B;
	enum cudasim_mma_type factor = of_ab || type == CUDASIM_MMA_F64 ? type : CUDASIM_MMA_F16;
	for (int of = CUDASIM_MMA_A; of <= CUDASIM_MMA_D; of++)
		f->form |= (uint32_t)(of <= CUDASIM_MMA_B ? factor : type)
			   << (CUDASIM_MMA_TYPE_SHIFT + 4 * of);
}

static uint32_t elements_of(const struct fragment *f)
{
	enum cudasim_mma_type type = cudasim_mma_type(f->form, f->of);
	return cudasim_mma_words(f->form, f->of) * 32 / cudasim_mma_bits(type);
}

static struct cudasim_error *check(const struct fragment *f, const char *text)
{
	if (cudasim_mma_words(f->form, f->of))
		return NULL;
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "There is no product %s.", text);
}

/* The next part of a list, in small letters. */
static void take_part(const char **text, char *to, size_t size)
{
	size_t n = strcspn(*text, ","), k = 0;
	for (size_t i = 0; i < n && k + 1 < size; i++)
		if (!isspace((unsigned char)(*text)[i]))
			to[k++] = (char)tolower((unsigned char)(*text)[i]);
	to[k] = 0;
	*text += n + ((*text)[n] == ',');
}

struct cudasim_error *fragment_parse(const char *text, struct fragment *ret)
{
	char shape[32], operand[8], type[16], order[8];
	const char *rest = text;
	uint32_t m, n, k;
	char end;
	*ret = (struct fragment){0};
	take_part(&rest, shape, sizeof shape);
	take_part(&rest, operand, sizeof operand);
	take_part(&rest, type, sizeof type);
	take_part(&rest, order, sizeof order);
	if (sscanf(shape, "m%3un%3uk%3u%c", &m, &n, &k, &end) != 3 ||
	    !set_shape(m, n, k, &ret->form))
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "\"%s\" is no shape of mma: they are m8n8k4 to m16n8k256.",
					 shape);
	if (strlen(operand) != 1 || !strchr("abcd", *operand))
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "\"%s\" is no operand of mma: they are a, b, c, d.",
					 operand);
	ret->of = (enum cudasim_mma_operand)(*operand - 'a');
	if (*order && strcmp(order, "row") && strcmp(order, "col"))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "\"%s\" is not row or col.", order);
	if (!strcmp(order, "col"))
		ret->form |= CUDASIM_MMA_A_COL | CUDASIM_MMA_B_COL;
	for (size_t i = 0; i < N_TYPES; i++)
		if (!strcmp(types[i].name, type)) {
			set_type(types[i].type, ret);
			return check(ret, text);
		}
	return cudasim_error_new(
		CUDASIM_E_ARGUMENT,
		"\"%s\" is no type of mma: they are f16, bf16, tf32, f32, f64, e4m3, "
		"e5m2, s8, u8, s4, u4, b1, s32.",
		type);
}

/* The last word of a type's name. */
static const char *last_word(const struct type *type)
{
	const char *name = type->name ? type->name : "", *colon = strrchr(name, ':');
	return colon ? colon + 1 : name;
}

bool fragment_of_type(const struct type *type, struct fragment *ret)
{
	char name[64] = "";
	type = type_strip(type);
	if (type->kind != TYPE_STRUCT || !type->name || type->n_arguments < 5)
		return false;
	symbols_plain_name(type->name, false, name, sizeof name);
	const struct template_argument *a = type->arguments;
	if (strcmp(name, "nvcuda::wmma::fragment") || !a[1].is_value || !a[2].is_value ||
	    !a[3].is_value || a[0].is_value || a[4].is_value)
		return false;
	const char *use = last_word(type_strip(a[0].type));
	*ret = (struct fragment){.form = CUDASIM_MMA_WMMA};
	ret->of = !strcmp(use, "matrix_a")   ? CUDASIM_MMA_A
		  : !strcmp(use, "matrix_b") ? CUDASIM_MMA_B
					     : CUDASIM_MMA_C;
	if (!set_shape((uint32_t)a[1].value, (uint32_t)a[2].value, (uint32_t)a[3].value,
		       &ret->form))
		return false;
	for (size_t i = 0; i < N_TYPES; i++)
		if (types[i].wmma && !strcmp(types[i].wmma, last_word(type_strip(a[4].type)))) {
			set_type(types[i].type, ret);
			return cudasim_mma_words(ret->form, ret->of) != 0;
		}
	return false;
}

/* ---- gathering -------------------------------------------------------------------------------- */

struct gathering {
	const struct fragment *fragment;
	struct grid *grid;
};

/* Element i of a lane's bytes, those of less than 8 bits as a byte. */
static void element_bytes(const struct fragment *f, const unsigned char *bytes, uint32_t i,
			  unsigned char *ret)
{
	enum cudasim_mma_type type = cudasim_mma_type(f->form, f->of);
	uint32_t bits = cudasim_mma_bits(type);
	if (bits >= 8) {
		memcpy(ret, bytes + (uint64_t)i * bits / 8, bits / 8);
		return;
	}
	unsigned value = bytes[i * bits / 8] >> i * bits % 8 & ((1u << bits) - 1);
	*ret = (unsigned char)(type == CUDASIM_MMA_S4 && value & 8 ? value | 0xf0 : value);
}

static struct cudasim_error *take_lane(const struct gathering *g, uint32_t lane,
				       const struct value *value)
{
	const struct fragment *f = g->fragment;
	uint64_t wanted = 4 * (uint64_t)cudasim_mma_words(f->form, f->of);
	const struct axis *axes = g->grid->axes;
	if (value->n_bytes != wanted)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "A lane's part of this matrix has %" PRIu64
					 " bytes, and the value has %" PRIu64 ".",
					 wanted, value->n_bytes);
	for (uint32_t i = 0; i < elements_of(f); i++) {
		unsigned char bytes[8];
		struct mma_place p = mma_place(f->form, f->of, lane, i);
		bool quad = g->grid->rank == 3;
		uint64_t rows = axes[quad].n, columns = axes[quad + 1].n;
		element_bytes(f, value_bytes(value), i, bytes);
		if (p.row < rows && p.column < columns)
			grid_set(g->grid, (p.block * rows + p.row) * columns + p.column, bytes);
	}
	return NULL;
}

/* The object's registers: a wmma::fragment keeps them in its member x. */
static struct cudasim_error *registers_of(const struct value *value, struct value *ret)
{
	struct value object;
	struct fragment unused;
	struct cudasim_error *error = value_object(value, &object);
	if (error)
		return error;
	if (object.type && fragment_of_type(object.type, &unused)) {
		error = value_field(&object, "x", ret);
		value_fini(&object);
	} else {
		*ret = object;
	}
	return error ? error : value_fetch(ret);
}

static struct cudasim_error *gather(void *user, struct cudasim_thread *thread,
				    const struct value *value, const char *missing)
{
	struct value registers;
	(void)missing; /* its elements stay unset */
	if (!value)
		return NULL;
	struct cudasim_error *error = registers_of(value, &registers);
	if (error)
		return error;
	error = take_lane(user, thread->lane, &registers);
	value_fini(&registers);
	return error;
}

struct cudasim_error *fragment_read(const struct fragment *fragment, const char *expression,
				    struct grid *ret)
{
	uint32_t form = fragment->form;
	uint64_t m = cudasim_mma_m(form), n = cudasim_mma_n(form), k = cudasim_mma_k(form);
	bool quad = cudasim_mma_is_quad(form);
	uint64_t sizes[3] = {4, fragment->of == CUDASIM_MMA_B ? k : m,
			     fragment->of == CUDASIM_MMA_A ? k : n};
	const char *element = "int";
	for (size_t i = 0; i < N_TYPES; i++)
		if (types[i].type == cudasim_mma_type(form, fragment->of))
			element = types[i].element;
	struct gathering g = {fragment, ret};
	struct cudasim_error *error = grid_new(type_base(element), quad ? 3 : 2,
					       quad ? sizes : sizes + 1, ret);
	if (error)
		return error;
	error = samples_visit(EACH_LANE, expression, false, gather, &g);
	if (error)
		grid_fini(ret);
	return error;
}
