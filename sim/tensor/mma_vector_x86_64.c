/* SPDX-License-Identifier: Apache-2.0 */
/* mma_vector_x86_64.c - a warp's matrix product as AVX2 code, for finite numbers.
 *
 * The 32 words of a register are a tile: eight rows (of B: columns) times four words along k.
 * So A and B become arrays along k of numbers by rows and by columns, eight at a time. An
 * element of D is made for eight columns at once, by the scheme of mma_float.c: a product of two
 * significands of 11 bits is exact in f32, and so is that times the power of two that moves it to 25
 * bits behind the largest exponent's point; its whole part needs 27 bits and a sign, that of
 * eight of them 31. What does not fit this (infinities, NaNs, factors beyond 2^50 or below 2^-50, results
 * that are subnormal in f32) is left to mma.c. m8n32 is computed as the transposed product. */
#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#include "mma.h"

#define TARGET __attribute__((target("avx2,fma,f16c")))

enum { LANES = 32, FRACTION = 25, NOTHING = -100000, FARTHEST = 50 };

typedef __m256i v8;

/* The matrix whose rows (or columns) the lanes' upper bits count: n rows for each element of
 * k. Small, as it lies on a CUDA thread's stack: 16 x 64 integers are the most. */
struct side {
	union {
		int32_t whole[1024];
		float value[512];
	};
	int32_t exponent
		[512]; /* as if a subnormal number were none; NOTHING: of 0; not of integers */
};

struct product {
	uint32_t form, rows, columns, k, n_blocks; /* blocks of 8 columns */
	enum cudasim_mma_type type_c, type_d;
	struct side row, column;
	uint32_t d[16][LANES];
};

TARGET static v8 splat(int32_t x)
{
	return _mm256_set1_epi32(x);
}

/* Sign, exponent and significand of eight numbers with those many bits; ORs into *special
 * where one is an infinity or NaN. */
TARGET static void split(v8 x, int exponent_bits, int fraction_bits, v8 *significand, v8 *exponent,
			 v8 *special)
{
	int top = (1 << exponent_bits) - 1;
	v8 zero = _mm256_setzero_si256(), one = splat(1 << fraction_bits);
	v8 fraction = _mm256_and_si256(x, splat((1 << fraction_bits) - 1));
	v8 e = _mm256_and_si256(_mm256_srli_epi32(x, fraction_bits), splat(top));
	v8 subnormal = _mm256_cmpeq_epi32(e, zero);
	v8 sign = _mm256_sub_epi32(
		zero,
		_mm256_and_si256(_mm256_srli_epi32(x, exponent_bits + fraction_bits), splat(1)));
	v8 s = _mm256_or_si256(fraction, _mm256_andnot_si256(subnormal, one));
	*special = _mm256_or_si256(*special, _mm256_cmpeq_epi32(e, splat(top)));
	e = _mm256_sub_epi32(_mm256_sub_epi32(e, subnormal), splat(top >> 1));
	*exponent = _mm256_blendv_epi8(e, splat(NOTHING), _mm256_cmpeq_epi32(s, zero));
	*significand = _mm256_sub_epi32(_mm256_xor_si256(s, sign), sign);
}

/* The exponents of eight numbers, of which *special tells the infinities, NaNs, and those that
 * are far from 1. */
TARGET static v8 exponents_of(v8 x, int exponent_bits, int fraction_bits, v8 *special)
{
	v8 significand, exponent;
	split(x, exponent_bits, fraction_bits, &significand, &exponent, special);
	v8 above = _mm256_cmpgt_epi32(exponent, splat(FARTHEST));
	v8 below = _mm256_cmpgt_epi32(splat(-FARTHEST), exponent);
	below = _mm256_andnot_si256(_mm256_cmpeq_epi32(exponent, splat(NOTHING)), below);
	*special = _mm256_or_si256(*special, _mm256_or_si256(above, below));
	return exponent;
}

/* Element s of each of eight registers, to side's place `at`. */
TARGET static void put(struct side *side, uint32_t at, enum cudasim_mma_type type, v8 words,
		       uint32_t s, v8 *special)
{
	uint32_t bits = cudasim_mma_bits(type), up = 32 - bits * (s + 1);
	__m128i down = _mm_cvtsi32_si128((int)(32 - bits));
	v8 x = _mm256_sll_epi32(words, _mm_cvtsi32_si128((int)up)), value, exponent = splat(0);
	v8 low = _mm256_srl_epi32(x, down);
	switch (type) {
	case CUDASIM_MMA_F16:
		exponent = exponents_of(low, 5, 10, special);
		value = _mm256_castps_si256(_mm256_cvtph_ps(_mm_packus_epi32(
			_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1))));
		break;
	case CUDASIM_MMA_BF16:
		exponent = exponents_of(low, 8, 7, special);
		value = _mm256_slli_epi32(low, 16);
		break;
	case CUDASIM_MMA_TF32:
		exponent = exponents_of(_mm256_srli_epi32(low, 13), 8, 10, special);
		value = _mm256_and_si256(low, splat(~0x1fff));
		break;
	case CUDASIM_MMA_S8:
	case CUDASIM_MMA_S4:
		value = _mm256_sra_epi32(x, down);
		break;
	default:
		value = low;
		break;
	}
	_mm256_storeu_si256((v8 *)&side->whole[at], value);
	if (bits >= 16)
		_mm256_storeu_si256((v8 *)&side->exponent[at], exponent);
}

/* Fill a side from its registers. by_rows: the order of blocks is that of the rows' side. */
TARGET static bool load_side(struct side *side, enum cudasim_mma_type type,
			     const uint32_t (*words)[LANES], uint32_t rows, uint32_t k,
			     bool by_rows)
{
	uint32_t per = 32 / cudasim_mma_bits(type), k_blocks = k / (4 * per);
	v8 stride = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28), special = splat(0);
	for (uint32_t rb = 0; rb < rows / 8; rb++)
		for (uint32_t kb = 0; kb < k_blocks; kb++) {
			uint32_t w = !by_rows || rows < 16
					     ? kb + k_blocks * rb
					     : (rb & 1) + 2 * (kb + k_blocks * (rb >> 1));
			for (uint32_t t = 0; t < 4; t++) {
				v8 v = _mm256_i32gather_epi32((const int *)words[w] + t, stride, 4);
				for (uint32_t s = 0; s < per; s++)
					put(side, ((kb * 4 + t) * per + s) * rows + 8 * rb, type, v,
					    s, &special);
			}
		}
	return _mm256_testz_si256(special, special);
}

/* ---- C and D ------------------------------------------------------------------------ */

/* The first register of an accumulator's row `row`, columns 8 * nb and on; 16-bit ones have
 * two columns in one. */
static uint32_t accumulator_at(const struct product *p, uint32_t row, uint32_t nb, bool half)
{
	uint32_t rb = row / 8;
	uint32_t pair = p->rows < 16 ? nb : (rb & 1) + 2 * (nb + p->n_blocks * (rb >> 1));
	return half ? pair : 2 * pair;
}

/* Eight columns as 32-bit values, f16 as they are. */
TARGET static v8 load_row(const struct product *p, const uint32_t (*c)[LANES], uint32_t row,
			  uint32_t nb)
{
	bool half = p->type_c == CUDASIM_MMA_F16;
	uint32_t w = accumulator_at(p, row, nb, half), lane = row % 8 * 4;
	__m128i even = _mm_loadu_si128((const __m128i *)&c[w][lane]), odd;
	if (half)
		return _mm256_cvtepu16_epi32(even);
	odd = _mm_loadu_si128((const __m128i *)&c[w + 1][lane]);
	return _mm256_set_m128i(_mm_unpackhi_epi32(even, odd), _mm_unpacklo_epi32(even, odd));
}

TARGET static void store_row(struct product *p, uint32_t row, uint32_t nb, v8 values)
{
	uint32_t w = accumulator_at(p, row, nb, false), lane = row % 8 * 4;
	__m128 low = _mm_castsi128_ps(_mm256_castsi256_si128(values));
	__m128 high = _mm_castsi128_ps(_mm256_extracti128_si256(values, 1));
	_mm_storeu_ps((float *)&p->d[w][lane], _mm_shuffle_ps(low, high, 0x88));
	_mm_storeu_ps((float *)&p->d[w + 1][lane], _mm_shuffle_ps(low, high, 0xdd));
}

TARGET static void store_half_row(struct product *p, uint32_t row, uint32_t nb, __m128i values)
{
	_mm_storeu_si128((__m128i *)&p->d[accumulator_at(p, row, nb, true)][row % 8 * 4], values);
}

/* ---- integers ------------------------------------------------------------------------ */

TARGET static void multiply_integers(struct product *p, const uint32_t (*c)[LANES])
{
	for (uint32_t row = 0; row < p->rows; row++)
		for (uint32_t nb = 0; nb < p->n_blocks; nb++) {
			v8 start = load_row(p, c, row, nb), sum = splat(0);
			for (uint32_t k = 0; k < p->k; k++) {
				v8 b = _mm256_loadu_si256(
					(const v8 *)&p->column.whole[k * p->columns + 8 * nb]);
				v8 a = splat(p->row.whole[k * p->rows + row]);
				sum = _mm256_add_epi32(sum, _mm256_mullo_epi32(a, b));
			}
			v8 all = _mm256_add_epi32(start, sum);
			if (p->form & CUDASIM_MMA_SATFINITE) {
				v8 over = _mm256_and_si256(_mm256_xor_si256(start, all),
							   _mm256_xor_si256(sum, all));
				v8 end = _mm256_xor_si256(_mm256_srai_epi32(start, 31),
							  splat(INT32_MAX));
				all = _mm256_castps_si256(_mm256_blendv_ps(
					_mm256_castsi256_ps(all), _mm256_castsi256_ps(end),
					_mm256_castsi256_ps(over)));
			}
			store_row(p, row, nb, all);
		}
}

/* ---- floating point --------------------------------------------------------------------- */

/* magnitude << left >> right, with the sign of x; 0 where right is 32 or more. */
TARGET static v8 aligned(v8 x, int left, v8 right)
{
	v8 sign = _mm256_srai_epi32(x, 31);
	v8 magnitude = _mm256_sub_epi32(_mm256_xor_si256(x, sign), sign);
	magnitude = _mm256_sll_epi32(magnitude, _mm_cvtsi32_si128(left));
	magnitude = _mm256_srlv_epi32(magnitude, right);
	return _mm256_sub_epi32(_mm256_xor_si256(magnitude, sign), sign);
}

/* Four sums of two parts each, times 2^(exponent - FRACTION), exactly. */
TARGET static __m256d scaled(__m128i a, __m128i b, __m128i exponent)
{
	__m256d sum = _mm256_add_pd(_mm256_cvtepi32_pd(a), _mm256_cvtepi32_pd(b));
	__m128i e = _mm_max_epi32(exponent, _mm_set1_epi32(-900));
	e = _mm_add_epi32(e, _mm_set1_epi32(1023 - FRACTION));
	__m256i power = _mm256_slli_epi64(_mm256_cvtepi32_epi64(e), 52);
	return _mm256_mul_pd(sum, _mm256_castsi256_pd(power));
}

/* To f32 toward zero, or, with `odd`, to the odd one of the two neighbours. *tiny: where the
 * result would be subnormal. */
TARGET static __m128 cut(__m256d x, bool odd, __m256d *tiny)
{
	__m256i rest = _mm256_set1_epi64x((1 << 29) - 1), bits = _mm256_castpd_si256(x);
	__m256i kept = _mm256_andnot_si256(rest, bits);
	__m256d magnitude = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
	__m256d small = _mm256_cmp_pd(magnitude, _mm256_set1_pd(0x1p-126), _CMP_LT_OQ);
	small = _mm256_and_pd(small, _mm256_cmp_pd(x, _mm256_setzero_pd(), _CMP_NEQ_OQ));
	*tiny = _mm256_or_pd(*tiny, small);
	if (odd) {
		__m256i exact = _mm256_cmpeq_epi64(kept, bits);
		kept = _mm256_or_si256(kept,
				       _mm256_andnot_si256(exact, _mm256_set1_epi64x(1 << 29)));
	}
	return _mm256_cvtpd_ps(_mm256_castsi256_pd(kept));
}

/* What a row's element of C is, and the type's fraction bits made 23. */
TARGET static void start_of(const struct product *p, v8 c, v8 *significand, v8 *exponent,
			    v8 *special)
{
	if (p->type_c == CUDASIM_MMA_F16 && p->type_d == CUDASIM_MMA_F16) {
		split(c, 5, 10, significand, exponent, special);
		*significand = _mm256_slli_epi32(*significand, 13);
		return;
	}
	if (p->type_c == CUDASIM_MMA_F16) { /* a subnormal number is none any more */
		__m128i halves = _mm_packus_epi32(_mm256_castsi256_si128(c),
						  _mm256_extracti128_si256(c, 1));
		c = _mm256_castps_si256(_mm256_cvtph_ps(halves));
	}
	split(c, 8, 23, significand, exponent, special);
}

/* The largest exponent of the products from k to end, and of c. */
TARGET static v8 largest_exponent(const struct product *p, uint32_t row, uint32_t nb, uint32_t k,
				  uint32_t end, v8 largest)
{
	const int32_t *b = &p->column.exponent[8 * nb], *a = &p->row.exponent[row];
	for (uint32_t i = k; i < end; i++) {
		v8 e = _mm256_loadu_si256((const v8 *)&b[i * p->columns]);
		largest = _mm256_max_epi32(largest, _mm256_add_epi32(e, splat(a[i * p->rows])));
	}
	return largest;
}

/* The whole parts of the products from k to end times a power of two. */
TARGET static v8 whole_products(const struct product *p, uint32_t row, uint32_t nb, uint32_t k,
				uint32_t end, __m256 power)
{
	const float *b = &p->column.value[8 * nb], *a = &p->row.value[row];
	v8 sum = splat(0);
	for (uint32_t i = k; i < end; i++) {
		__m256 x = _mm256_mul_ps(_mm256_set1_ps(a[i * p->rows]),
					 _mm256_loadu_ps(&b[i * p->columns]));
		sum = _mm256_add_epi32(sum, _mm256_cvttps_epi32(_mm256_mul_ps(x, power)));
	}
	return sum;
}

/* c plus the products from k to end, as two vectors of doubles. */
TARGET static void sum_up(const struct product *p, uint32_t row, uint32_t nb, uint32_t k,
			  uint32_t end, v8 c, v8 c_exponent, __m256d *low, __m256d *high)
{
	v8 largest = largest_exponent(p, row, nb, k, end, c_exponent);
	/* beyond 2^127 only where all products are 0 */
	v8 e = _mm256_min_epi32(_mm256_sub_epi32(splat(FRACTION), largest), splat(127));
	e = _mm256_slli_epi32(_mm256_add_epi32(e, splat(127)), 23);
	__m256 power = _mm256_castsi256_ps(e);
	uint32_t half = end - k > 8 ? k + 8 : end;
	v8 first = whole_products(p, row, nb, k, half, power);
	v8 rest = whole_products(p, row, nb, half, end, power);
	rest = _mm256_add_epi32(rest,
				aligned(c, FRACTION - 23, _mm256_sub_epi32(largest, c_exponent)));
	*low = scaled(_mm256_castsi256_si128(first), _mm256_castsi256_si128(rest),
		      _mm256_castsi256_si128(largest));
	*high = scaled(_mm256_extracti128_si256(first, 1), _mm256_extracti128_si256(rest, 1),
		       _mm256_extracti128_si256(largest, 1));
}

TARGET static bool multiply_floats(struct product *p, const uint32_t (*c)[LANES], uint32_t step)
{
	bool half = p->type_d == CUDASIM_MMA_F16, twice = half && p->type_c != CUDASIM_MMA_F16;
	__m256d tiny = _mm256_setzero_pd();
	v8 special = splat(0);
	for (uint32_t row = 0; row < p->rows; row++)
		for (uint32_t nb = 0; nb < p->n_blocks; nb++) {
			v8 start, exponent;
			__m256 sum = _mm256_setzero_ps();
			start_of(p, load_row(p, c, row, nb), &start, &exponent, &special);
			for (uint32_t k = 0; k < p->k; k += step) {
				__m256d low, high;
				if (k)
					split(_mm256_castps_si256(sum), 8, 23, &start, &exponent,
					      &special);
				sum_up(p, row, nb, k, k + step, start, exponent, &low, &high);
				__m128 first = cut(low, half && !twice, &tiny);
				sum = _mm256_set_m128(cut(high, half && !twice, &tiny), first);
			}
			if (!half) {
				store_row(p, row, nb, _mm256_castps_si256(sum));
				continue;
			}
			__m128i halves = _mm256_cvtps_ph(sum, _MM_FROUND_TO_NEAREST_INT);
			__m128i minus = _mm_set1_epi16((short)0x8000);
			if (!twice) /* what vanishes is +0 */
				halves = _mm_andnot_si128(
					_mm_and_si128(_mm_cmpeq_epi16(halves, minus), minus),
					halves);
			store_half_row(p, row, nb, halves);
		}
	return _mm256_testz_si256(special, special) && !_mm256_movemask_pd(tiny);
}

/* ---- all ------------------------------------------------------------------------------ */

static bool is_float(enum cudasim_mma_type type)
{
	return type == CUDASIM_MMA_F16 || type == CUDASIM_MMA_BF16 || type == CUDASIM_MMA_TF32;
}

static bool is_integer(enum cudasim_mma_type type)
{
	return type == CUDASIM_MMA_S8 || type == CUDASIM_MMA_U8 || type == CUDASIM_MMA_S4 ||
	       type == CUDASIM_MMA_U4;
}

bool mma_vector(uint32_t form, uint32_t (*words)[LANES])
{
	enum cudasim_mma_type ta = cudasim_mma_type(form, CUDASIM_MMA_A);
	enum cudasim_mma_type tb = cudasim_mma_type(form, CUDASIM_MMA_B);
	const uint32_t(*a)[LANES] = (const uint32_t(*)[LANES])words;
	const uint32_t(*b)[LANES] = a + cudasim_mma_words(form, CUDASIM_MMA_A);
	const uint32_t(*c)[LANES] = a + cudasim_mma_c_at(form);
	uint32_t m = cudasim_mma_m(form), n = cudasim_mma_n(form), k = cudasim_mma_k(form);
	bool swapped = n == 32, done;
	struct product p;
	if (cudasim_mma_is_quad(form) || (!is_float(ta) && !is_integer(ta)))
		return false;
	p.form = form;
	p.rows = swapped ? n : m;
	p.columns = swapped ? m : n;
	p.k = k;
	p.n_blocks = p.columns / 8;
	p.type_c = cudasim_mma_type(form, CUDASIM_MMA_C);
	p.type_d = cudasim_mma_type(form, CUDASIM_MMA_D);
	if (!load_side(&p.row, swapped ? tb : ta, swapped ? b : a, p.rows, k, true) ||
	    !load_side(&p.column, swapped ? ta : tb, swapped ? a : b, p.columns, k, false))
		return false;
	if (is_integer(ta)) {
		multiply_integers(&p, c);
		done = true;
	} else {
		bool in_steps = ta == CUDASIM_MMA_TF32 && (form & CUDASIM_MMA_WMMA);
		done = multiply_floats(&p, c, in_steps ? 4 : k);
	}
	if (done)
		memcpy(words + cudasim_mma_c_at(form), p.d,
		       sizeof(p.d[0]) * cudasim_mma_words(form, CUDASIM_MMA_D));
	return done;
}
