/* SPDX-License-Identifier: Apache-2.0 */
/* case.cuh - how the kernel tests print: one line a case, "name: values", where
 * values are the bits in hexadecimal. tests/kernels/run compares the lines by
 * name with NAME.expected, which was recorded on a GPU. */
#ifndef CASE_CUH
#define CASE_CUH

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                              \
	do {                                                                     \
		cudaError_t error_ = (call);                                     \
		if (error_ != cudaSuccess)                                       \
			printf("line %d: %s: %s\n", __LINE__, #call,             \
			       cudaGetErrorName(error_));                        \
	} while (0)

/* A case of plain text. */
static inline void say(const char *name, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	printf("%s: ", name);
	vprintf(format, arguments);
	printf("\n");
	va_end(arguments);
	fflush(stdout);
}

/* FNV-1a over n objects. */
template <typename T> static uint64_t hash_of(const T *values, size_t n)
{
	const unsigned char *byte = reinterpret_cast<const unsigned char *>(values);
	uint64_t hash = 14695981039346656037ull;
	for (size_t i = 0; i < n * sizeof(T); i++)
		hash = (hash ^ byte[i]) * 1099511628211ull;
	return hash;
}

/* Up to 72 values are shown, of more their hash. */
template <typename T> static void show(const char *name, const T *values, int n)
{
	printf("%s:", name);
	if (n > 72) {
		printf(" %d values, hash %016llx", n, (unsigned long long)hash_of(values, n));
		n = 0;
	}
	for (int i = 0; i < n; i++) {
		uint64_t word = 0;
		memcpy(&word, &values[i], sizeof(T) < 8 ? sizeof(T) : 8);
		printf(" %0*llx", (int)(2 * sizeof(T)), (unsigned long long)word);
	}
	printf("\n");
	fflush(stdout);
}

/* n objects of device memory, zeroed. */
template <typename T> struct memory {
	T *there = nullptr;
	int n;

	explicit memory(int n) : n(n)
	{
		CHECK(cudaMalloc(&there, n * sizeof(T)));
		CHECK(cudaMemset(there, 0, n * sizeof(T)));
	}
	explicit memory(const std::vector<T> &v) : n((int)v.size())
	{
		CHECK(cudaMalloc(&there, n * sizeof(T)));
		CHECK(cudaMemcpy(there, v.data(), n * sizeof(T), cudaMemcpyHostToDevice));
	}
	~memory()
	{
		cudaFree(there);
	}
	memory(const memory &) = delete;
	memory &operator=(const memory &) = delete;

	operator T *() const
	{
		return there;
	}
	std::vector<T> fetch() const
	{
		std::vector<T> v(n);
		CHECK(cudaMemcpy(v.data(), there, n * sizeof(T), cudaMemcpyDeviceToHost));
		return v;
	}
	void show(const char *name) const
	{
		std::vector<T> v = fetch();
		::show(name, v.data(), n);
	}
};

/* Launch kernel(out, arguments...) with n zeroed results and show them. */
template <typename T, typename... P, typename... A>
static void run(const char *name, int n, dim3 grid, dim3 block, void (*kernel)(T *, P...),
		A... arguments)
{
	memory<T> out(n);
	kernel<<<grid, block>>>(out.there, arguments...);
	cudaError_t error = cudaGetLastError();
	if (error == cudaSuccess)
		error = cudaDeviceSynchronize();
	if (error != cudaSuccess)
		say(name, "%s", cudaGetErrorName(error));
	else
		out.show(name);
}

#endif
