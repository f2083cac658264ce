/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of few bits, and names without versions. Values of the formats: OCP 8-bit Floating Point
 * Specification 1.0, tables 1 and 2, and OCP Microscaling Formats 1.0, section 5.3. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "value.h"

static void expect(enum float_format format, unsigned char bits, double number)
{
	unsigned char written;
	assert_true((double)float_read(format, &bits) == number);
	float_write(format, number, &written);
	assert_int_equal(written, bits);
}

static void numbers_of_8_bits_have_the_published_values(void **state)
{
	(void)state;
	expect(FLOAT_E4M3, 0x7e, 448);           /* S.1111.110 */
	expect(FLOAT_E4M3, 0x08, 0.015625);      /* 2^-6, the least normal one */
	expect(FLOAT_E4M3, 0x07, 0.875 / 64);    /* the greatest below */
	expect(FLOAT_E4M3, 0x01, 0.001953125);   /* 2^-9 */
	expect(FLOAT_E4M3, 0xb8, -1);
	expect(FLOAT_E5M2, 0x7b, 57344);         /* S.11110.11 */
	expect(FLOAT_E5M2, 0x04, 6.103515625e-5); /* 2^-14 */
	expect(FLOAT_E5M2, 0x01, 1.52587890625e-5); /* 2^-16 */
	expect(FLOAT_E8M0, 0x00, ldexp(1, -127));
	expect(FLOAT_E8M0, 0x7f, 1);
	expect(FLOAT_E8M0, 0xfe, ldexp(1, 127));
}

static void numbers_of_6_and_4_bits_have_the_published_values(void **state)
{
	(void)state;
	expect(FLOAT_E3M2, 0x1f, 28);
	expect(FLOAT_E3M2, 0x04, 0.25);
	expect(FLOAT_E3M2, 0x01, 0.0625);
	expect(FLOAT_E2M3, 0x1f, 7.5);
	expect(FLOAT_E2M3, 0x08, 1);
	expect(FLOAT_E2M3, 0x01, 0.125);
	expect(FLOAT_E2M1, 0x07, 6);
	expect(FLOAT_E2M1, 0x01, 0.5);
	expect(FLOAT_E2M1, 0x0a, -1);
}

static void nan_and_infinity_are_those_of_the_format(void **state)
{
	unsigned char bits;
	(void)state;
	bits = 0x7f;
	assert_true(isnan(float_read(FLOAT_E4M3, &bits)));
	assert_true(isnan(float_read(FLOAT_E5M2, &bits)));
	bits = 0x7c;
	assert_true(isinf(float_read(FLOAT_E5M2, &bits)));
	bits = 0xff;
	assert_true(isnan(float_read(FLOAT_E8M0, &bits)));
}

/* As cuda_fp8.h's and cuda_fp4.h's constructors do (saturation to a finite number), and to the even
 * one of two that are equally near. */
static void what_is_written_is_rounded_and_saturates(void **state)
{
	unsigned char bits;
	(void)state;
	float_write(FLOAT_E4M3, 1e9L, &bits);
	assert_int_equal(bits, 0x7e);
	float_write(FLOAT_E5M2, -1e9L, &bits);
	assert_int_equal(bits, 0xfb);
	float_write(FLOAT_E4M3, 17, &bits); /* between 16 and 18 */
	assert_int_equal(bits, 0x58);
	float_write(FLOAT_E4M3, 19, &bits); /* between 18 and 20 */
	assert_int_equal(bits, 0x5a);
	float_write(FLOAT_E2M1, 2.5L, &bits); /* between 2 and 3 */
	assert_int_equal(bits, 0x04);
}

static void names_lose_their_versions(void **state)
{
	static const char *const names[][3] = {
		{"std::__cxx11::list<int, std::allocator<int> >",
		 "std::list<int, std::allocator<int> >", "std::list"},
		{"cuda::std::__4::array<float, 2UL>", "cuda::std::array<float, 2UL>",
		 "cuda::std::array"},
		{"thrust::THRUST_300001_SM_900_NS::pair<int, cuda::std::__4::tuple<int> >",
		 "thrust::pair<int, cuda::std::tuple<int> >", "thrust::pair"},
		{"a::__b::C<d>::E", "a::__b::C<d>::E", "a::__b::C::E"},
		{"__4::MY_NS", "MY_NS", "MY_NS"},
		{"cub::CUB_300001_SM_900::BlockReduce<int, 32>::Sum",
		 "cub::BlockReduce<int, 32>::Sum", "cub::BlockReduce::Sum"},
		{"cooperative_groups::__v1::sync", "cooperative_groups::sync",
		 "cooperative_groups::sync"},
		{"__value::CUB_x::f", "__value::CUB_x::f", "__value::CUB_x::f"},
	};
	char text[64];
	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		symbols_plain_name(names[i][0], true, text, sizeof text);
		assert_string_equal(text, names[i][1]);
		symbols_plain_name(names[i][0], false, text, sizeof text);
		assert_string_equal(text, names[i][2]);
	}
	symbols_plain_name("abcdef", true, text, 4);
	assert_string_equal(text, "abc");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_of_8_bits_have_the_published_values),
		cmocka_unit_test(numbers_of_6_and_4_bits_have_the_published_values),
		cmocka_unit_test(nan_and_infinity_are_those_of_the_format),
		cmocka_unit_test(what_is_written_is_rounded_and_saturates),
		cmocka_unit_test(names_lose_their_versions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
