/* SPDX-License-Identifier: Apache-2.0 */
/* place.h - where an assertion stands, and how a test fails there. */
#ifndef CUDASIM_TEST_PLACE_H
#define CUDASIM_TEST_PLACE_H

#ifdef __CUDASIM__
#include "../call.h"
#endif

namespace cudasim
{
namespace test
{

struct place {
	const char *file;
	int line;
};

/* Fail the running test: a message, one line or several, and the place. Does not return. */
[[noreturn]] inline void fail_at(place at, const std::string &message)
{
	_assert_true(0, message.c_str(), at.file, at.line);
	std::abort(); /* _assert_true() has left by longjmp */
}

/* Is the program simulated? */
inline bool simulated()
{
#ifdef __CUDASIM__
	return !cudasim_on_gpu();
#else
	return false;
#endif
}

[[noreturn]] inline void fail_call(cudaError_t error, const char *what, place at)
{
	fail_at(at, std::string(what) + ": " + cudaGetErrorName(error) + ": " +
			    cudaGetErrorString(error));
}

/* A CUDA call that has to succeed, or the test fails. */
inline void need(cudaError_t error, const char *what, place at)
{
	if (error != cudaSuccess)
		fail_call(error, what, at);
}

} // namespace test
} // namespace cudasim

#define CUDASIM_TEST_HERE (::cudasim::test::place{__FILE__, __LINE__})
/* Fail the test where a CUDA call does not answer cudaSuccess. */
#define cudasim_need(call) ::cudasim::test::need((call), #call, CUDASIM_TEST_HERE)

#endif
