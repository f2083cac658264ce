/* SPDX-License-Identifier: Apache-2.0 */
/* dialect.h - what nvcc takes and clang does not, mended in the text.
 *
 * clang itself says where: its errors name the spot, and only these spots are
 * looked at, so sources without such text are never touched. The driver
 * compiles, mends what can be mended in a copy, and compiles again with an
 * overlay that shows the copy under the file's own name. Mended text stays on
 * its line.
 *
 *   __shared__ alignas(16) int s[4];   alignas(16) __shared__ int s[4];
 *   __device__ [[nodiscard]] int f();  [[nodiscard]] __device__ int f();
 *   extern __shared__ float4 v;        an array, and a reference to its element
 *   extern __shared__ int s[64];       without extern, as nvcc warns
 *   __shared__ cuda::barrier<> b;      raw storage, and a reference to it: nvcc
 *                                      does not run the constructor
 *   k<<<g, {16, 16}>>>();              k<<<g, dim3(16, 16)>>>();
 *   k << <g, b >> >();                 k<<<g, b>>>();
 *   #pragma unroll, and no loop        nothing
 *   #define UNROLL #pragma unroll      _Pragma("unroll")
 *   asm("... %laneid;" : "=r"(x));     "... %%laneid;"
 *   asm("... %7;" : "=r"(x));          "... %%7;", which the device compiler refuses
 *   asm("..." :: "r"(x) "r"(y));       "r"(x), "r"(y)
 *   outer<T>::inner<n>(x);             outer<T>::template inner<n>(x)
 *   alignas(2) int x;                  __attribute__((aligned(2))) int x;
 *   main() {}                          int main() {}
 *   T::type(1)                         typename T::type(1)
 *   f();  of a base class of T's       this->f();
 *   if constexpr (this->size > 1)      if constexpr (size > 1)
 *   static_assert(!&((s *)0)->m);      static_assert(!__builtin_offsetof(s, m));
 *   constexpr int f() { vector v; }    inline int f() { vector v; }
 *   (unsigned)pointer                  (unsigned)(unsigned long)pointer
 *   case 0: int x = 1; ... case 1:     case 0: int x; x = 1; ... case 1:
 *   template <class T> T f() { none(); }   a body that is an error where f is used; only
 *                                      where no host pass follows, as under NVRTC
 *   int a[n] = {1, 2};                 int a[n]; a call that fills it (dialect_array.c)
 *   vec(T *) -> vec<T>;                a guide of both sides (dialect_guide.c)
 *   a host function called in a __host__ __device__ one (dialect_host.c)
 *   a device function called in a host one, where only __CUDA_ARCH__ makes it that
 *   a call in an instance of device code that only __CUDA_ARCH__ has a function for
 *   launches from device code, kernels as values there (dialect_launch.c)
 *
 * A macro that hides one of these is replaced by its expansion first.
 *
 * Rejected: doing this on tokens between preprocessing and parsing, which costs
 * every source a second pass and takes macros out of clang's diagnostics. */
#ifndef CUDASIM_DRIVER_DIALECT_H
#define CUDASIM_DRIVER_DIALECT_H

#include <stdbool.h>
#include <stddef.h>

enum dialect_kind {
	DIALECT_ATTRIBUTE,   /* spot: the attribute that may not stand there */
	DIALECT_EXTERN,      /* spot: the __shared__ of the declaration */
	DIALECT_REPEATED,    /* spot: the name of a variable that is declared again */
	DIALECT_CONSTRUCTOR, /* spot: the variable's name */
	DIALECT_LAUNCH,      /* spot: the {, the parted < or >, or the > behind a comma */
	DIALECT_UNROLL,      /* spot: in the pragma, or what follows it */
	DIALECT_ASM,         /* spot: the %, or right behind it */
	DIALECT_NUMBER, /* spot: the % of an operand that an asm statement has not, or right behind */
	DIALECT_OPERAND, /* spot: the string behind an operand of an asm statement */
	DIALECT_CONSTRAINT, /* spot: the "C" of an asm statement's operand */
	DIALECT_PRAGMA, /* spot: where in a macro's definition an error comes from */
	DIALECT_TEMPLATE, /* spot: the member template's name, or where its expression begins */
	DIALECT_TYPENAME, /* spot: where the type's name begins */
	DIALECT_MEMBER, /* spot: the member's name */
	DIALECT_THIS, /* spot: where the expression begins that should be constant */
	DIALECT_CONSTEXPR, /* spot: the variable's name */
	DIALECT_CAST, /* spot: the cast's ( */
	DIALECT_UNREAD, /* spot: in the body of a function template */
	DIALECT_JUMP, /* spot: the name of the variable whose initialization is jumped over */
	DIALECT_ARRAY, /* spot: in the array's first bound */
	DIALECT_ALIGN, /* spot: the alignas */
	DIALECT_MAIN, /* spot: main, without a type before it */
	DIALECT_GUIDE, /* spot: the class's name in a deduction guide */
	DIALECT_HOST_CALL, /* spot: the host function's name */
	DIALECT_DEVICE, /* spot: the name that a device function is declared by */
	DIALECT_HOST, /* the same of a host function that a kernel calls; in the host pass only */
	DIALECT_DEVICE_CALL, /* spot: where the name of a call begins; in the host pass only */
	DIALECT_KERNEL, /* spot: the kernel's name, in device code */
	DIALECT_KERNEL_CALL, /* the same, of an overloaded one or a template: only a launch */
	DIALECT_KERNEL_POINTER, /* spot: the <<< behind an expression, in device code */
};

enum { DIALECT_MAX_MACROS = 4 };

/* line: one of its definition's. */
struct dialect_macro {
	char *name, *path;
	unsigned line;
};

struct dialect_spot {
	char *path;
	unsigned line, column; /* 1.., in bytes */
	enum dialect_kind kind;
	bool called; /* DIALECT_HOST_CALL: code that is emitted gets there */
	bool launched; /* DIALECT_KERNEL_CALL: that it is from device code is what is wrong */
	size_t n_macros;
	struct dialect_macro macros[DIALECT_MAX_MACROS]; /* whose expansions hold the spot */
};

/* What clang says where a body is used that DIALECT_UNREAD replaced: the error to show is the one
 * that led to it. */
#define DIALECT_UNREAD_USED "cudasim does not read this body"
/* The same of a function that host code calls in the place of one that it has not. */
#define DIALECT_DEVICE_CALLED "__cudasim_device_call"

/* The spots among clang's errors. Returns their number; *ret goes to
 * dialect_free_spots. */
size_t dialect_find_spots(const char *diagnostics, struct dialect_spot **ret);

void dialect_free_spots(struct dialect_spot *spots, size_t n);

/* text with what is at the spot mended; NULL if it is none of the above. The
 * caller frees it. */
char *dialect_mend(const char *text, const struct dialect_spot *spot);

/* text with all of its deduction guides for both sides; NULL if it has none that
 * is not. The caller frees it. */
char *dialect_mend_guides(const char *text);

#endif
