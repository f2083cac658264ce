/* SPDX-License-Identifier: Apache-2.0 */
/* value.h - values of expressions: a type, and bytes or a place where they are.
 *
 * Pointers whose type says STORAGE_SHARED hold what CUDA means by such a pointer:
 * an offset in the block's window. All other pointers hold run-time addresses, and
 * so does value.address always. */
#ifndef CUDASIM_DEBUGGER_VALUE_H
#define CUDASIM_DEBUGGER_VALUE_H

#include "cudasim/inspect.h"
#include "symbols.h"

/* Widest integer that the program can have. */
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

struct value {
	const struct type *type;
	bool is_lvalue;        /* lies at `address` (or in a host register) */
	bool is_lazy;          /* bytes not read yet */
	bool is_optimized_out;
	bool is_void;          /* of an unset convenience variable */
	enum storage storage;  /* where the object lies */
	uint64_t address;      /* run-time address, never an offset */
	uint32_t bit_offset, bit_size; /* bitfield: from address, low bits first; size 0: none */
	uint64_t n_bytes;
	union {
		unsigned char small[32];
		unsigned char *large; /* n_bytes > 32: malloc'ed, owned */
	} bytes;
};
void value_fini(struct value *value);
struct cudasim_error *value_copy(const struct value *value, struct value *ret);
const unsigned char *value_bytes(const struct value *value);

/* ---- memory ---------------------------------------------------------------- */

/* n bytes of the program, or "Cannot access memory at address 0x...": that of the
 * first byte that is not there. */
struct cudasim_error *value_memory_read(uint64_t address, void *to, uint64_t n);
struct cudasim_error *value_memory_write(uint64_t address, const void *from, uint64_t n);
/* Read what is lazy. Objects of more than 16 MiB stay so: printing them reads
 * their elements one by one. */
struct cudasim_error *value_fetch(struct value *value);

/* Tell f of each object that this pthread reads by value_fetch(), until f is NULL. */
void value_listen(void (*f)(void *user, const struct value *value), void *user);

/* The thread in whose block's window @shared pointers of this pthread are offsets;
 * NULL: the focused one. Returns the thread before. */
struct cudasim_thread *value_thread_swap(struct cudasim_thread *thread);
/* The block whose window it is where no thread was given; NULL: none. The focus's. */
void value_block_set(const struct cudasim_block *block);
/* Start of that window, 0 where there is none; and its size. */
uint64_t value_window(uint64_t *ret_size);

/* Device function pointers hold the addresses of descriptors. The watched code that one
 * stands for, or the address itself; and what a pointer to that code holds. */
uint64_t value_code_of(uint64_t pointer);
uint64_t value_function_pointer(uint64_t code);

/* ---- making values ----------------------------------------------------------- */

struct value value_void(void);
/* No lvalue; bytes beyond the type's size are cut, as a conversion does. type:
 * integral, enum or pointer. */
struct value value_integer(const struct type *type, wide number);
struct value value_real(const struct type *type, long double number);
/* A lazy object at address. */
struct value value_at(const struct type *type, enum storage storage, uint64_t address);
/* A copy of n_bytes == type->size bytes, no lvalue. */
struct cudasim_error *value_of_bytes(const struct type *type, const void *bytes, struct value *ret);

/* ---- taking values apart ------------------------------------------------------ */

/* References are followed. Floats are cut to integers; pointers give what they hold.
 * Errors: no scalar, memory. */
struct cudasim_error *value_to_integer(const struct value *value, wide *ret);
struct cudasim_error *value_to_real(const struct value *value, long double *ret);
struct cudasim_error *value_to_bool(const struct value *value, bool *ret);
/* The run-time address that a pointer, an array, a function or a reference denotes, as
 * x and where-is need it; of an integer, the integer. *ret_storage (may be NULL): of what is there. */
struct cudasim_error *value_to_address(const struct value *value, uint64_t *ret,
				       enum storage *ret_storage);
/* A global or static variable: device's instance of it, or the constant that it is. */
struct cudasim_error *value_of_global(const struct variable *variable, uint32_t device,
				      struct value *ret);
/* The object that a pointer or reference points at; lazy. */
struct cudasim_error *value_pointee(const struct value *value, struct value *ret);
/* A reference's object; other values as they are (a copy). */
struct cudasim_error *value_object(const struct value *value, struct value *ret);
/* A part of a struct, union or base; of bitfields, too. */
struct cudasim_error *value_member(const struct value *object, const struct member *member,
				   struct value *ret);
/* Element of an array; index may lie outside where the array is in memory. */
struct cudasim_error *value_element(const struct value *array, int64_t index, struct value *ret);
/* The pointer to an object that is in memory: what & gives. */
struct cudasim_error *value_pointer_to(const struct value *object, struct value *ret);
/* Write bytes of from (of the same type and size) to the object. */
struct cudasim_error *value_store(const struct value *object, const struct value *from);

/* How the bits of a number are read; FLOAT_NONE where type is none. */
enum float_format type_float_format(const struct type *type);
long double float_read(enum float_format format, const void *bytes);
/* Significant decimal digits that tell the format's numbers apart. */
int float_digits(enum float_format format);
/* Cut towards zero; beyond the range of integers the nearest one, 0 for NaN. */
wide real_cut(long double number);
void float_write(enum float_format format, long double number, void *bytes);

/* ---- printing ------------------------------------------------------------------ */

/* Print settings (set print ..., set width). One place: settings of command.h
 * change them. */
struct print_settings {
	bool pretty, symbol, address, array, array_indexes, object, unions, static_members;
	uint32_t elements; /* 200; 0 is no limit */
	uint32_t repeats;  /* 10; 0 is no limit */
	uint32_t max_depth; /* 20 */
};
struct print_settings *print_settings(void);

/* The value as `print` writes it (without "$1 = "). format: 0 or one of the
 * letters of print/FMT: x d u o t a c f s z i r; size: 0 or b h w g. top: an
 * outermost value, for which pointers are preceded by their type. Errors while
 * reading go into the text as <error: ...>. */
void value_print(FILE *out, const struct value *value, char format, char size, bool top);
/* As an argument of a frame: of a container what stands before its elements; false, with nothing
 * printed, of other structs. */
bool value_print_summary(FILE *out, const struct value *value);
/* One number in a letter's form, as x/FMT writes it: value is a scalar. */
void value_print_scalar(FILE *out, const struct value *value, char format, char size);
/* A string of n bytes with quotes, escapes and repeats; ellipsis: more would follow. */
void value_print_string(FILE *out, const unsigned char *text, uint64_t n, uint32_t width,
			bool ellipsis);
/* The same of characters of a type, which has the letter before the quotes. */
void value_print_text(FILE *out, const unsigned char *text, uint64_t n,
		      const struct type *character, bool ellipsis);
/* The string at address up to its zero, at most print_settings.elements characters;
 * returns how many bytes it has with its zero, 0 where nothing could be read (then
 * <error: ...> was written). */
uint64_t value_print_string_at(FILE *out, uint64_t address, uint32_t width);
/* "<factorial(int)+4>" with a blank before it, or nothing. data: only symbols that hold
 * the address. */
void value_print_symbol(FILE *out, uint64_t address);

#endif
