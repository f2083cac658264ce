/* SPDX-License-Identifier: Apache-2.0 */
/* type.h - the program's types, as expressions and printing need them.
 *
 * Types are made by symbols.h out of DWARF, or here out of other types, are
 * never changed, and live until the process ends; equal pointers mean the same
 * type, unequal ones need type_equal(). */
#ifndef CUDASIM_DEBUGGER_TYPE_H
#define CUDASIM_DEBUGGER_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum type_kind {
	TYPE_VOID,
	TYPE_BOOL,
	TYPE_CHAR,      /* char, signed char, unsigned char, char8_t .. wchar_t */
	TYPE_INTEGER,
	TYPE_FLOAT,     /* size and float_format say which */
	TYPE_ENUM,      /* target: the underlying integer, n_enumerators */
	TYPE_POINTER,   /* target */
	TYPE_REFERENCE, /* target; rvalue_reference for && */
	TYPE_ARRAY,     /* target, n; VLAs and arrays of unknown bound have n 0 */
	TYPE_STRUCT,    /* struct, class or union; half and vector types are these, too */
	TYPE_FUNCTION,  /* target (what it returns), parameters as members */
	TYPE_MEMBER_POINTER, /* target (a function: its `this` is its first parameter), owner */
	TYPE_TYPEDEF,   /* target */
};

/* How the bits of a TYPE_FLOAT, or of a struct that stands for a number
 * (__half, __nv_bfloat16), are to be read. */
enum float_format {
	FLOAT_NONE,
	FLOAT_HALF,     /* IEEE binary16 */
	FLOAT_BFLOAT16,
	FLOAT_SINGLE,
	FLOAT_DOUBLE,
	FLOAT_X87,      /* the host's long double */
	/* Of 8 bits and fewer, one to a byte: exponent and fraction bits (OCP's 8-bit and
	 * Microscaling formats). */
	FLOAT_E5M2,
	FLOAT_E4M3,
	FLOAT_E8M0,
	FLOAT_E3M2,
	FLOAT_E2M3,
	FLOAT_E2M1,
};

/* What cuda-gdb writes before a type: where an object of it lies. */
enum storage {
	STORAGE_NONE,      /* host memory, or of no interest */
	STORAGE_GENERIC,   /* found through a pointer */
	STORAGE_LOCAL,     /* the thread's own */
	STORAGE_SHARED,    /* addresses are offsets in the block's window */
	STORAGE_GLOBAL,
	STORAGE_CONSTANT,
	STORAGE_PARAMETER, /* a kernel's parameter */
	STORAGE_MANAGED,
};
/* "@shared", "" for NONE. */
const char *storage_name(enum storage storage);

enum access { ACCESS_PUBLIC, ACCESS_PROTECTED, ACCESS_PRIVATE };

struct type;
struct member {
	const char *name;         /* NULL for anonymous structs, unions and bases */
	const struct type *type;
	uint64_t offset;          /* bytes from the object's start; of a virtual base: how
	                           * many bytes below the object's vtable (where its vptr
	                           * points) its offset stands, a signed 8 byte number */
	uint32_t bit_offset;      /* of a bitfield: from the object's start, in bits,
	                           * low bits first; else 0 */
	uint32_t bit_size;        /* 0 if it is no bitfield */
	enum access access;
	bool is_base, is_virtual_base, is_static, is_vptr, is_artificial;
};

/* A member function, for calls from expressions and for ptype. */
struct method {
	const char *name, *linkage; /* linkage may be NULL */
	const struct type *type;    /* TYPE_FUNCTION; `this` is its first parameter */
	enum access access;
	bool is_static, is_virtual, is_const, is_artificial, is_constructor;
	int64_t vtable_index;       /* of virtual ones, else -1 */
};

/* What an instance of a class template was made with. */
struct template_argument {
	const struct type *type; /* of a value: its type */
	bool is_value;
	int64_t value;
};

struct enumerator {
	const char *name; /* qualified: geo::LINE, geo::Color::Blue */
	int64_t value;
};

struct type {
	enum type_kind kind;
	const char *name;     /* qualified, as a C++ programmer writes it:
	                       * geo::Ring<double, 4>; NULL where it has none */
	uint64_t size;        /* bytes; 0 for void, functions, declarations */
	uint32_t alignment;   /* bytes, where alignas() has asked for it; else 0 */
	bool is_signed, is_const, is_volatile, is_restrict, is_union, is_class;
	bool is_scoped;       /* enum class */
	bool rvalue_reference;
	bool is_variadic;     /* of functions: ... behind the parameters */
	bool is_declaration;  /* an incomplete type */
	bool is_complex;      /* C's: a struct of its real and its imaginary part */
	enum float_format float_format;
	enum storage storage; /* of pointers: where the target lies, if written or known */
	const struct type *target, *owner;
	uint64_t n;           /* elements of an array */
	const struct member *members;
	size_t n_members;
	const struct method *methods;
	size_t n_methods;
	const struct enumerator *enumerators;
	size_t n_enumerators;
	const struct template_argument *arguments;
	size_t n_arguments;
	/* Alternative spelling in which users may write it, e.g. without the
	 * namespace; may be NULL. */
	const char *short_name;
};

/* Without typedefs (and const, volatile of the outermost level stay as flags). */
const struct type *type_strip(const struct type *type);
/* type_strip(), and through a reference to what it refers to. */
const struct type *type_target(const struct type *type);
bool type_is_scalar(const struct type *type); /* bool, char, integer, float, enum, pointer */
bool type_is_integral(const struct type *type);
bool type_equal(const struct type *a, const struct type *b);

/* Base types by C++ name; NULL where there is none of that name: "int",
 * "unsigned long long", "float", "char", "bool", "size_t", "__half", ... */
const struct type *type_base(const char *name);
const struct type *type_integer(uint32_t bytes, bool is_signed);
const struct type *type_float(uint32_t bytes);
const struct type *type_pointer(const struct type *target, enum storage storage);
const struct type *type_reference(const struct type *target);
/* Pointer to a member of that class; NULL where there is no memory. */
const struct type *type_member_pointer(const struct type *target, const struct type *owner);
const struct type *type_array(const struct type *element, uint64_t n);
const struct type *type_qualified(const struct type *type, bool is_const, bool is_volatile);

/* The type as `whatis` (deep false) or `ptype` (deep true) writes it, in
 * cuda-gdb's form; storage is that of the object whose type it is. */
void type_print(FILE *out, const struct type *type, enum storage storage, bool deep);
/* The type as C++ writes it, without storage: "const geo::Base &". Lives as long
 * as the process. */
const char *type_text(const struct type *type);

#endif
