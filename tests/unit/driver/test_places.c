/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "places.h"

/* What is there before anything is built stands where the build tree has it. */
static void the_build_tree_has_the_scripts(void **state)
{
	(void)state;
	struct places places;
	places_from(BUILD "/cudasim", false, &places);
	assert_int_equal(access(places.fetch, X_OK), 0);
	places_fini(&places);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_build_tree_has_the_scripts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
