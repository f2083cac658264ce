/* SPDX-License-Identifier: Apache-2.0 */
/* test.h - unit tests of device code, with cmocka.
 *
 * A test is a host function of cmocka's form in a .cu file. It calls
 * __device__ functions directly, launches kernels, and asserts their results:
 *
 *	static void keeps_what_is_inside(void **state)
 *	{
 *		(void)state;
 *		assert_true(cudasim_call(clampf, 0.5f, 0.0f, 1.0f) == 0.5f);
 *	}
 *	int main(int argc, char **argv)
 *	{
 *		const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_what_is_inside)};
 *		return cudasim_run_tests(tests, argc, argv);
 *	}
 *
 * Build it with `cudasim cc --extended-lambda test.cu -lcmocka` or with nvcc and the same
 * options, C++17; `cudasim test` builds and runs whole folders. The headers need
 * cmocka and the CUDA runtime only.
 *
 * cmocka leaves a failing test by longjmp: destructors of the test's own objects do
 * not run then. Memory that this header allocates is freed all the same. */
#ifndef CUDASIM_TEST_H
#define CUDASIM_TEST_H

/* Before cmocka.h, whose macro fail() would meet the streams' member of that name. */
#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <setjmp.h>

extern "C" {
#include <cmocka.h>
}

#include <cuda_runtime.h>

#include "test/place.h"
#include "test/device.h"
#include "test/buffer.h"
#include "test/call.h"
#include "test/compare.h"
#include "test/work.h"
#include "test/run.h"

#endif
