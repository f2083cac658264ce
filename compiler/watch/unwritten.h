/* SPDX-License-Identifier: Apache-2.0 */
/* unwritten.h - local variables that are read before anybody writes them.
 *
 * In the watched body each local variable of the user's gets a byte of state for each of its
 * scalars: 0 from where its scope is entered (again) until the scalar is written. The
 * variable itself is filled with a pattern there: 0xAA in each byte of integers and
 * pointers, all bits set (a NaN) in floating-point numbers. */
#ifndef CUDASIM_COMPILER_UNWRITTEN_H
#define CUDASIM_COMPILER_UNWRITTEN_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A read that may come before any write. */
struct unwritten_read {
	LLVMValueRef instruction; /* the read; the builder stands before it */
	LLVMValueRef state;       /* an i32, 0 where nothing of what is read was written */
	LLVMValueRef address;
	uint64_t size;            /* bytes */
	const char *name;         /* the variable's; gone after the call */
};

struct unwritten_user {
	/* Is this a file of the toolkit's? Its variables are not followed. */
	bool (*hidden)(const char *file, void *arg);
	void (*read)(const struct unwritten_read *read, LLVMBuilderRef builder, void *arg);
	void *arg;
};

/* Follow the function's variables; before lifetimes are dropped. The state of a variable X
 * lies in one named __cudasim_written:BYTES:X, BYTES being those of a scalar, in the same scope. */
void unwritten_follow(LLVMValueRef function, const struct unwritten_user *user);

/* True for what unwritten_follow() added, which no tool should hear of. */
bool unwritten_own(LLVMValueRef instruction);

#ifdef __cplusplus
}
#endif
#endif
