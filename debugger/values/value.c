/* SPDX-License-Identifier: Apache-2.0 */
/* value.c - values: their bytes, where they lie, how they are taken apart. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "value.h"
#include "unwritten.h"
#include "values_state.h"

/* What is read at once; larger objects are read in parts when they are printed. */
#define MAX_FETCH (16u << 20)

/* ---- functions ---------------------------------------------------------------- */

/* The entry of a function's body for debuggers. */
static uint64_t code_of(const struct cudasim_function *function)
{
	return (uintptr_t)function->entry[CUDASIM_BODY_WATCHED];
}

/* The device function whose descriptor is at this address or, by_code, whose code begins there;
 * NULL where none does. */
static const struct cudasim_function *find_function(uint64_t address, bool by_code)
{
	const struct cudasim_module *const *modules;
	size_t n;
	cudasim_modules(&modules, &n);
	for (size_t i = 0; i < n; i++) {
		for (uint64_t k = 0; k < modules[i]->n_functions; k++) {
			const struct cudasim_function *f = modules[i]->functions[k];
			if ((by_code ? code_of(f) : (uintptr_t)f) == address)
				return f;
		}
	}
	return NULL;
}

uint64_t value_code_of(uint64_t pointer)
{
	const struct cudasim_function *function = find_function(pointer, false);
	return function ? code_of(function) : pointer;
}

uint64_t value_function_pointer(uint64_t code)
{
	const struct cudasim_function *function = find_function(code, true);
	return function ? (uintptr_t)function : code;
}

/* ---- bytes ------------------------------------------------------------------- */

void value_fini(struct value *value)
{
	if (!value->is_lazy && value->n_bytes > sizeof value->bytes.small)
		free(value->bytes.large);
	value->n_bytes = 0;
}

const unsigned char *value_bytes(const struct value *value)
{
	return value->n_bytes > sizeof value->bytes.small ? value->bytes.large : value->bytes.small;
}

/* Room for n bytes; *ret is where they go. */
static struct cudasim_error *reserve(struct value *value, uint64_t n, unsigned char **ret)
{
	value->n_bytes = n;
	*ret = value->bytes.small;
	if (n <= sizeof value->bytes.small)
		return NULL;
	*ret = value->bytes.large = malloc(n);
	if (*ret)
		return NULL;
	value->n_bytes = 0;
	return &cudasim_error_nomem;
}

struct cudasim_error *value_copy(const struct value *value, struct value *ret)
{
	unsigned char *bytes;
	*ret = *value;
	if (value->is_lazy)
		return NULL;
	struct cudasim_error *error = reserve(ret, value->n_bytes, &bytes);
	if (!error && value->n_bytes)
		memcpy(bytes, value_bytes(value), value->n_bytes);
	return error;
}

/* ---- memory ------------------------------------------------------------------ */

/* Copies n bytes from the program's memory into `to`, or where that is NULL from `from` into it. */
static struct cudasim_error *transfer(uint64_t address, char *to, const char *from, uint64_t n)
{
	size_t done = 0;
	while (done < n) {
		void *at = (void *)(uintptr_t)(address + done);
		size_t more = to ? cudasim_memory_read(at, to + done, n - done)
				 : cudasim_memory_write(at, from + done, n - done);
		if (!more)
			return cudasim_error_new(CUDASIM_E_NOTFOUND,
						 "Cannot access memory at address 0x%" PRIx64,
						 address + done);
		done += more;
	}
	return NULL;
}

struct cudasim_error *value_memory_read(uint64_t address, void *to, uint64_t n)
{
	return transfer(address, to, NULL, n);
}

struct cudasim_error *value_memory_write(uint64_t address, const void *from, uint64_t n)
{
	if (values_state()->is_read_only)
		return cudasim_error_new(CUDASIM_E_UNSUPPORTED, "The past cannot be changed.");
	return transfer(address, NULL, from, n);
}

/* A bitfield's bits out of the bytes that hold them, sign extended if signed. */
static wide bits_extract(const unsigned char *bytes, uint32_t bit, uint32_t n, bool is_signed)
{
	unsigned_wide all = 0;
	for (uint32_t i = 0; i * 8 < bit + n; i++)
		all |= (unsigned_wide)bytes[i] << (8 * i);
	all >>= bit;
	unsigned_wide mask = ((unsigned_wide)1 << n) - 1;
	all &= mask;
	if (is_signed && n && all >> (n - 1) & 1)
		all |= ~mask;
	return (wide)all;
}

static struct cudasim_error *fetch_bits(struct value *value)
{
	unsigned char raw[16] = {0};
	const struct type *type = type_strip(value->type);
	uint32_t skip = value->bit_offset / 8, bit = value->bit_offset % 8;
	uint32_t n = (bit + value->bit_size + 7) / 8;
	if (n > sizeof raw || type->size > sizeof raw)
		return cudasim_error_new(CUDASIM_E_FORMAT, "A bitfield of %u bits cannot be read",
					 value->bit_size);
	struct cudasim_error *error = value_memory_read(value->address + skip, raw, n);
	if (error)
		return error;
	bool is_signed = type->kind == TYPE_ENUM && type->target
				 ? type_strip(type->target)->is_signed
				 : type->is_signed;
	wide number = bits_extract(raw, bit, value->bit_size, is_signed);
	memcpy(value->bytes.small, &number, type->size);
	value->n_bytes = type->size;
	value->is_lazy = false;
	return NULL;
}

static _Thread_local struct cudasim_thread *evaluating;

void value_block_set(const struct cudasim_block *block)
{
	values_state()->focus.block = block;
}

struct cudasim_thread *value_thread_swap(struct cudasim_thread *thread)
{
	struct cudasim_thread *before = evaluating;
	evaluating = thread;
	return before;
}

uint64_t value_window(uint64_t *ret_size)
{
	const struct cudasim_block *block = evaluating ? evaluating->block
						       : values_state()->focus.block;
	if (ret_size)
		*ret_size = block ? block->shared_bytes : 0;
	return block ? (uintptr_t)block->shared : 0;
}

/* What is declared in shared memory lies in the block's window, or nowhere: beyond it
 * other blocks' may follow. */
static struct cudasim_error *check_window(const struct value *value)
{
	uint64_t size, window = value_window(&size), n = type_strip(value->type)->size;
	uint64_t at = value->address - window;
	if (value->storage != STORAGE_SHARED || !window || (at <= size && n <= size - at))
		return NULL;
	return cudasim_error_new(CUDASIM_E_NOTFOUND, "Cannot access memory at address 0x%" PRIx64,
				 at);
}

static _Thread_local void (*listener)(void *user, const struct value *value);
static _Thread_local void *listener_user;

void value_listen(void (*f)(void *user, const struct value *value), void *user)
{
	listener = f;
	listener_user = user;
}

struct cudasim_error *value_fetch(struct value *value)
{
	unsigned char *bytes;
	if (!value->is_lazy || value->is_optimized_out || !value->type)
		return NULL;
	if (listener)
		listener(listener_user, value);
	struct cudasim_error *beyond = check_window(value);
	if (beyond)
		return beyond;
	if (value->bit_size)
		return fetch_bits(value);
	uint64_t n = type_strip(value->type)->size;
	if (n > MAX_FETCH)
		return NULL;
	struct cudasim_error *error = reserve(value, n, &bytes);
	if (error)
		return error;
	error = value_memory_read(value->address, bytes, n);
	if (error && n > sizeof value->bytes.small)
		free(value->bytes.large);
	if (error)
		value->n_bytes = 0;
	else
		value->is_lazy = false;
	return error;
}

/* ---- making values ------------------------------------------------------------- */

struct value value_void(void)
{
	return (struct value){.type = type_base("void"), .is_void = true};
}

struct value value_integer(const struct type *type, wide number)
{
	struct value ret = {.type = type, .n_bytes = type_strip(type)->size};
	if (type_strip(type)->kind == TYPE_BOOL)
		number = number != 0;
	if (ret.n_bytes > sizeof number)
		ret.n_bytes = sizeof number;
	memcpy(ret.bytes.small, &number, ret.n_bytes);
	return ret;
}

struct value value_real(const struct type *type, long double number)
{
	struct value ret = {.type = type, .n_bytes = type_strip(type)->size};
	float_write(type_float_format(type), number, ret.bytes.small);
	return ret;
}

struct value value_at(const struct type *type, enum storage storage, uint64_t address)
{
	return (struct value){.type = type,
			      .is_lvalue = true,
			      .is_lazy = true,
			      .storage = storage,
			      .address = address};
}

struct cudasim_error *value_of_bytes(const struct type *type, const void *bytes, struct value *ret)
{
	unsigned char *to;
	*ret = (struct value){.type = type};
	struct cudasim_error *error = reserve(ret, type_strip(type)->size, &to);
	if (!error && ret->n_bytes)
		memcpy(to, bytes, ret->n_bytes);
	return error;
}

/* ---- numbers ---------------------------------------------------------------------- */

/* value with its bytes read, in *hold if they were not; references followed. */
static struct cudasim_error *settle(const struct value *value, struct value *hold)
{
	struct cudasim_error *error = value_object(value, hold);
	if (error)
		return error;
	if (hold->is_optimized_out)
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "value has been optimized out");
	error = value_fetch(hold);
	if (error)
		value_fini(hold);
	return error;
}

static wide integer_of(const struct type *type, const unsigned char *bytes, uint64_t n)
{
	unsigned_wide number = 0;
	bool is_signed = type->is_signed;
	if (type->kind == TYPE_ENUM && type->target)
		is_signed = type_strip(type->target)->is_signed;
	if (type->kind == TYPE_POINTER || type->kind == TYPE_REFERENCE || type->kind == TYPE_BOOL)
		is_signed = false;
	if (n > sizeof number)
		n = sizeof number;
	memcpy(&number, bytes, n);
	if (is_signed && n && n < sizeof number && number >> (8 * n - 1) & 1)
		number |= ~(unsigned_wide)0 << (8 * n);
	return (wide)number;
}

static struct cudasim_error *not_scalar(void)
{
	return cudasim_error_new(CUDASIM_E_ARGUMENT, "Value can't be converted to integer.");
}

struct cudasim_error *value_to_integer(const struct value *value, wide *ret)
{
	struct value hold;
	struct cudasim_error *error = settle(value, &hold);
	if (error)
		return error;
	const struct type *type = type_strip(hold.type);
	enum float_format format = type_float_format(type);
	if (format)
		*ret = real_cut(float_read(format, value_bytes(&hold)));
	else if (type_is_scalar(type) || type->kind == TYPE_MEMBER_POINTER)
		*ret = integer_of(type, value_bytes(&hold), hold.n_bytes);
	else if (type->kind == TYPE_ARRAY || type->kind == TYPE_FUNCTION)
		*ret = hold.address;
	else
		error = not_scalar();
	value_fini(&hold);
	return error;
}

struct cudasim_error *value_to_real(const struct value *value, long double *ret)
{
	struct value hold;
	wide number;
	struct cudasim_error *error = settle(value, &hold);
	if (error)
		return error;
	const struct type *type = type_strip(hold.type);
	enum float_format format = type_float_format(type);
	if (format) {
		*ret = float_read(format, value_bytes(&hold));
	} else if (!(error = value_to_integer(&hold, &number))) {
		bool is_unsigned = type->kind == TYPE_INTEGER && !type->is_signed;
		*ret = is_unsigned ? (long double)(unsigned_wide)number : (long double)number;
	}
	value_fini(&hold);
	return error;
}

struct cudasim_error *value_to_bool(const struct value *value, bool *ret)
{
	struct value hold;
	wide number = 0;
	struct cudasim_error *error = settle(value, &hold);
	if (error)
		return error;
	enum float_format format = type_float_format(hold.type);
	if (format)
		*ret = float_read(format, value_bytes(&hold)) != 0;
	else if (!(error = value_to_integer(&hold, &number)))
		*ret = number != 0;
	value_fini(&hold);
	return error;
}

/* ---- places ----------------------------------------------------------------------- */

/* Pointers by their type's storage: @shared ones count from the window. */
static uint64_t address_of_pointer(const struct type *pointer, uint64_t held)
{
	return pointer->storage == STORAGE_SHARED ? value_window(NULL) + held : held;
}

struct cudasim_error *value_to_address(const struct value *value, uint64_t *ret,
				       enum storage *ret_storage)
{
	struct value hold;
	wide number;
	enum storage storage = STORAGE_NONE;
	struct cudasim_error *error = value_object(value, &hold);
	if (error)
		return error;
	const struct type *type = type_strip(hold.type);
	if (type->kind == TYPE_ARRAY || type->kind == TYPE_FUNCTION || type->kind == TYPE_STRUCT) {
		*ret = hold.address;
		storage = hold.storage;
		if (!hold.is_lvalue)
			error = cudasim_error_new(
				CUDASIM_E_ARGUMENT,
				"Attempt to take address of value not located in memory.");
	} else if (!(error = value_to_integer(&hold, &number))) {
		*ret = address_of_pointer(type, (uint64_t)number);
		storage = type->kind == TYPE_POINTER ? type->storage : STORAGE_NONE;
	}
	if (ret_storage)
		*ret_storage = storage;
	value_fini(&hold);
	return error;
}

struct cudasim_error *value_pointee(const struct value *value, struct value *ret)
{
	struct value hold;
	const struct type *type = type_strip(value->type);
	struct cudasim_error *error = value_copy(value, &hold);
	if (!error)
		error = value_fetch(&hold);
	if (error)
		return error;
	if (hold.is_optimized_out) {
		value_fini(&hold);
		return cudasim_error_new(CUDASIM_E_NOTFOUND, "value has been optimized out");
	}
	uint64_t held = (uint64_t)integer_of(type, value_bytes(&hold), hold.n_bytes);
	enum storage storage = type->storage    ? type->storage
			       : value->storage ? STORAGE_GENERIC
						: STORAGE_NONE;
	*ret = value_at(type->target, storage, address_of_pointer(type, held));
	value_fini(&hold);
	return NULL;
}

struct cudasim_error *value_object(const struct value *value, struct value *ret)
{
	if (value->type && type_strip(value->type)->kind == TYPE_REFERENCE)
		return value_pointee(value, ret);
	return value_copy(value, ret);
}

/* A part that begins `offset` bytes into `whole`, of its storage. */
static struct cudasim_error *part(const struct value *whole, const struct type *type,
				  int64_t offset, struct value *ret)
{
	if (whole->is_lazy || whole->is_optimized_out) {
		*ret = value_at(type, whole->storage, whole->address + (uint64_t)offset);
		ret->is_lvalue = whole->is_lvalue;
		ret->is_optimized_out = whole->is_optimized_out;
		return NULL;
	}
	uint64_t size = type_strip(type)->size;
	if (offset < 0 || (uint64_t)offset > whole->n_bytes ||
	    size > whole->n_bytes - (uint64_t)offset) {
		if (!whole->is_lvalue)
			return cudasim_error_new(CUDASIM_E_ARGUMENT, "no such vector element");
		*ret = value_at(type, whole->storage, whole->address + (uint64_t)offset);
		return NULL;
	}
	struct cudasim_error *error = value_of_bytes(type, value_bytes(whole) + offset, ret);
	ret->is_lvalue = whole->is_lvalue;
	ret->storage = whole->storage;
	ret->address = whole->address + (uint64_t)offset;
	return error;
}

struct cudasim_error *value_of_global(const struct variable *variable, uint32_t device,
				      struct value *ret)
{
	struct location location;
	uint64_t address, size = type_strip(variable->type)->size;
	unsigned char bytes[256];
	struct cudasim_error *error = symbols_global_address(variable, device, &address);
	if (!error) {
		*ret = value_at(variable->type, variable->storage, address);
		return NULL;
	}
	/* A constant of a class may stand in the debug information only. */
	struct cudasim_error *second = symbols_location(variable, 0, &location);
	if (!second && location.kind == LOCATION_VALUE && size <= sizeof bytes)
		second = location_bytes(&location, NULL, bytes, size);
	else if (!second)
		return error;
	if (second) {
		cudasim_error_free(second);
		return error;
	}
	cudasim_error_free(error);
	return value_of_bytes(variable->type, bytes, ret);
}

/* Itanium C++ ABI 2.5: where a virtual base lies stands in the vtable of the object. */
static struct cudasim_error *virtual_base(const struct value *object, const struct member *member,
					  struct value *ret)
{
	uint64_t table;
	int64_t offset;
	if (!object->is_lvalue)
		return cudasim_error_new(
			CUDASIM_E_UNSUPPORTED,
			"The virtual bases of an object that is not in memory cannot be found.");
	struct cudasim_error *error = value_memory_read(object->address, &table, sizeof table);
	if (!error)
		error = value_memory_read(table - member->offset, &offset, sizeof offset);
	if (!error)
		*ret = value_at(member->type, object->storage, object->address + (uint64_t)offset);
	return error;
}

struct cudasim_error *value_member(const struct value *object, const struct member *member,
				   struct value *ret)
{
	const struct type *type = type_strip(member->type);
	if (member->is_virtual_base && object->is_lvalue && !object->address)
		return part(object, member->type, 0, ret); /* only the type is wanted */
	if (member->is_virtual_base)
		return virtual_base(object, member, ret);
	if (!member->bit_size)
		return part(object, member->type, (int64_t)member->offset, ret);
	*ret = value_at(member->type, object->storage, object->address);
	ret->bit_offset = member->bit_offset;
	ret->bit_size = member->bit_size;
	ret->is_lvalue = object->is_lvalue;
	ret->is_optimized_out = object->is_optimized_out;
	if (object->is_lazy)
		return NULL;
	uint32_t skip = member->bit_offset / 8, bit = member->bit_offset % 8;
	if (skip + (bit + member->bit_size + 7) / 8 > object->n_bytes ||
	    bit + member->bit_size > 128 || type->size > 16)
		return cudasim_error_new(CUDASIM_E_FORMAT, "A bitfield lies outside its object");
	bool is_signed = type->kind == TYPE_ENUM && type->target
				 ? type_strip(type->target)->is_signed
				 : type->is_signed;
	wide number = bits_extract(value_bytes(object) + skip, bit, member->bit_size, is_signed);
	memcpy(ret->bytes.small, &number, type->size);
	ret->n_bytes = type->size;
	ret->is_lazy = false;
	return NULL;
}

struct cudasim_error *value_element(const struct value *array, int64_t index, struct value *ret)
{
	const struct type *type = type_strip(array->type);
	int64_t size = (int64_t)type_strip(type->target)->size;
	int64_t offset;
	if (__builtin_mul_overflow(index, size, &offset))
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "index is out of range");
	return part(array, type->target, offset, ret);
}

struct cudasim_error *value_pointer_to(const struct value *object, struct value *ret)
{
	const struct type *type = type_strip(object->type);
	if (type->kind == TYPE_REFERENCE) {
		struct value hold;
		struct cudasim_error *error = value_pointee(object, &hold);
		return error ? error : value_pointer_to(&hold, ret);
	}
	if (object->bit_size)
		return cudasim_error_new(CUDASIM_E_ARGUMENT, "Attempt to take address of value not "
							     "located in memory.");
	if (!object->is_lvalue)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Attempt to take address of value not located in memory.");
	uint64_t held = object->address, size, window = value_window(&size);
	enum storage storage = object->storage;
	if (storage == STORAGE_PARAMETER)
		storage = STORAGE_LOCAL; /* ours lie on the thread's stack, too */
	if (storage == STORAGE_SHARED && held - window < size)
		held -= window;
	else if (storage == STORAGE_SHARED)
		storage = STORAGE_GENERIC; /* another block's, or of a launch that has ended */
	*ret = value_integer(type_pointer(object->type, storage), (wide)held);
	return NULL;
}

static struct cudasim_error *store(const struct value *object, const struct value *from)
{
	if (!object->is_lvalue || object->is_optimized_out)
		return cudasim_error_new(CUDASIM_E_ARGUMENT,
					 "Left operand of assignment is not an lvalue.");
	if (!object->bit_size)
		return value_memory_write(object->address, value_bytes(from), from->n_bytes);
	unsigned char raw[16] = {0};
	unsigned_wide all = 0, number = 0;
	uint32_t skip = object->bit_offset / 8, bit = object->bit_offset % 8;
	uint32_t n = (bit + object->bit_size + 7) / 8;
	if (n > sizeof raw)
		return cudasim_error_new(CUDASIM_E_FORMAT,
					 "A bitfield of %u bits cannot be written",
					 object->bit_size);
	struct cudasim_error *error = value_memory_read(object->address + skip, raw, n);
	if (error)
		return error;
	unsigned_wide mask = (((unsigned_wide)1 << object->bit_size) - 1) << bit;
	memcpy(&all, raw, n);
	memcpy(&number, value_bytes(from), from->n_bytes);
	all = (all & ~mask) | (number << bit & mask);
	memcpy(raw, &all, n);
	return value_memory_write(object->address + skip, raw, n);
}

struct cudasim_error *value_store(const struct value *object, const struct value *from)
{
	struct cudasim_error *error = store(object, from);
	if (!error)
		unwritten_store(object->address,
				object->bit_size ? (object->bit_offset + object->bit_size + 7) / 8
						 : from->n_bytes);
	return error;
}
