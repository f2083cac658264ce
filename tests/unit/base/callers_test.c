/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "callers.h"

enum { FRAMES = 8 };

struct found {
	void *frames[FRAMES];
	int n;
	void *caller, *its_caller; /* as the compiler knows them */
};

__attribute__((noinline)) static void take(struct found *ret)
{
	ret->caller = __builtin_return_address(0);
	ret->n = callers_take(ret->frames, FRAMES);
}

__attribute__((noinline)) static void take_deeper(struct found *ret)
{
	ret->its_caller = __builtin_return_address(0);
	take(ret);
	__asm__ volatile(""); /* the call is not the last, or it would be a jump */
}

static void the_first_is_the_function_that_asks(void **state)
{
	struct found found = {.n = 0};
	(void)state;
	take_deeper(&found);
	assert_in_range(found.n, 3, FRAMES);
	assert_ptr_equal(found.frames[1], found.caller);
	assert_ptr_equal(found.frames[2], found.its_caller);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_is_the_function_that_asks),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
