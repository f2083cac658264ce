/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of classes with bases, and pointers to members. Expected texts: gdb 13.1 on a program
 * with the same variables, or by hand where it falls short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expression_subject.h"
#include "value.h"

/* `text` without its addresses. */
static const char *without_addresses(const char *text)
{
	static char plain[2048];
	size_t n = 0;
	while (*text && n + 1 < sizeof plain) {
		plain[n++] = *text;
		if (!strncmp(text, "0x", 2))
			text += 2 + strspn(text + 2, "0123456789abcdef");
		else
			text++;
	}
	plain[n] = 0;
	return plain;
}

#define WHOLE                                                                                      \
	"{<diamond::B> = {<diamond::A> = {_vptr.A = 0 <vtable for diamond::D+80>, a = 1}, "        \
	"_vptr.B = 0 <vtable for diamond::D+24>, b = 2}, <diamond::C> = "                          \
	"{_vptr.C = 0 <vtable for diamond::D+56>, c = 3}, d = 4}"

static void objects_of_virtual_bases_print_as_in_gdb(void **state)
{
	(void)state;
	/* gcc's names of vptrs; a virtual base is written once. */
	assert_string_equal(without_addresses(subject_shown("diamond::whole", 0)), WHOLE);
	assert_string_equal(without_addresses(subject_shown("diamond::top", 0)),
			    "(diamond::A *) 0 "
			    "<diamond::whole+32>");
	print_settings()->object = true;
	assert_string_equal(without_addresses(subject_shown("diamond::top", 0)),
			    "(diamond::D *) 0 "
			    "<diamond::whole>");
	assert_string_equal(without_addresses(subject_shown("*diamond::top", 0)),
			    "(diamond::D) " WHOLE);
	assert_string_equal(without_addresses(subject_shown("diamond::reference", 0)),
			    "(const diamond::D &) @0: " WHOLE);
	print_settings()->object = false;
}

static void pointers_to_members_print_as_in_gdb(void **state)
{
	(void)state;
	assert_string_equal(subject_shown("diamond::y_pointer", 0), "&diamond::Ops::y");
	assert_string_equal(subject_shown("id_pointer", 0), "&geo::Base::id");
	assert_string_equal(subject_shown("member_pointer", 0), "NULL");
	assert_string_equal(subject_shown("diamond::f_pointer", 0),
			    "&virtual diamond::A::f() const");
	assert_string_equal(without_addresses(subject_shown("diamond::scaled_pointer", 0)),
			    "(float (diamond::Ops::*)(const diamond::Ops *, int)) 0 "
			    "<diamond::Ops::scaled(int) const>");
	assert_string_equal(subject_shown("diamond::Ops::K", 0), "12");
	assert_string_equal(subject_shown("diamond::ops", 0), "{x = 1, y = 2, static K = 12}");
}

/* gdb 13's answers, but for NULL, which it adds to the object's address. */
static void members_are_named_by_their_class(void **state)
{
	(void)state;
	static const struct expectation e[] = {
		{"&diamond::Ops::y", "&diamond::Ops::y", 0},
		{"&diamond::Ops::y == diamond::y_pointer", "true", 0},
		{"&diamond::Ops::x != diamond::y_pointer", "true", 0},
		{"(long)&diamond::Ops::y", "4", 0},
		{"&diamond::Ops::y", "0x4", 'x'},
		{"diamond::ops.*&diamond::Ops::y", "2", 0},
		{"diamond::ops.*diamond::y_pointer", "2", 0},
		{"*diamond::y_pointer",
		 "Attempt to dereference pointer to member without an object", 0},
		{"&geo::Shape::id", "&geo::Base::id", 0},
		{"shape.*id_pointer == shape.id", "true", 0},
		{"sizeof(geo::Shape::area)", "24", 0},
		{"sizeof(geo::Triple::c)", "4", 0},
		{"geo::Triple::c", "Cannot reference non-static field \"c\"", 0},
		{"&geo::Triple::nosuch", "There is no field named nosuch", 0},
		{"&geo::Shape::low", "Attempt to take address of a bit-field.", 0},
		{"&diamond::A::f", "&virtual diamond::A::f() const", 0},
		{"&diamond::A::f == diamond::f_pointer", "true", 0},
		{"&diamond::Ops::scaled == diamond::scaled_pointer", "true", 0},
		{"(diamond::ops.*diamond::scaled_pointer)(3)", "5", 0},
		{"(diamond::top->*diamond::f_pointer)() == diamond::top->f()", "true", 0},
		{"shape.*member_pointer", "The pointer to a member is NULL.", 0},
		{"five.*diamond::y_pointer", "The object is not a diamond::Ops.", 0},
		{"diamond::ops.*five",
		 "The right side of .* or ->* has to be a pointer to a member.", 0},
		{"&diamond::Ops::y < diamond::y_pointer",
		 "Argument to comparison operation not integer, "
		 "boolean, pointer or reference.",
		 0},
	};
	subject_check(e, sizeof e / sizeof *e);
	assert_string_equal(subject_type("&diamond::Ops::y"), "float diamond::Ops::*");
	assert_string_equal(subject_type("geo::Shape::area"), "double [3]");
	assert_string_equal(without_addresses(subject_shown("&diamond::Ops::scaled", 0)),
			    "(float (diamond::Ops::*)(const diamond::Ops * const, int)) 0 "
			    "<diamond::Ops::scaled(int) const>");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_of_virtual_bases_print_as_in_gdb),
		cmocka_unit_test(pointers_to_members_print_as_in_gdb),
		cmocka_unit_test(members_are_named_by_their_class),
	};
	return cmocka_run_group_tests(tests, subject_load, NULL);
}
