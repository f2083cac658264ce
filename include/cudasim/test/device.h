/* SPDX-License-Identifier: Apache-2.0 */
/* device.h - assertions inside device code.
 *
 * CUDASIM_ASSERT_* record what failed, where, and by which thread, and end the thread
 * (as return from the kernel does: later barriers do not wait for it). CUDASIM_EXPECT_*
 * record and go on. When the launch has ended, the test fails with one message
 * for each assertion, all its threads folded into ranges. The same under nvcc.
 *
 * Records lie in a buffer of the device whose address stands in a variable of this
 * translation unit; with separate compilation every unit that asserts must run
 * its own tests. Threads past the buffer's end are counted only. */
#ifndef CUDASIM_TEST_DEVICE_H
#define CUDASIM_TEST_DEVICE_H

namespace cudasim
{
namespace test
{

enum kind { KIND_NONE, KIND_INTEGER, KIND_UNSIGNED, KIND_REAL };
struct scalar {
	kind type;
	union {
		long long i;
		unsigned long long u;
		double d;
	};
};

struct failure {
	char where[96];         /* the end of the file's name */
	char text[96];          /* the assertion */
	int line;
	scalar left, right;
	unsigned block[3], thread[3], grid[3], shape[3];
};

enum { MAX_FAILURES = 4096 };
struct failures {
	unsigned n; /* may pass MAX_FAILURES */
	failure at[MAX_FAILURES];
};

static __device__ failures *failures_of_unit;

template <typename T> __device__ inline scalar scalar_of(const T &value)
{
	scalar ret;
	if constexpr (std::is_floating_point<T>::value) {
		ret.type = KIND_REAL;
		ret.d = (double)value;
	} else if constexpr (std::is_enum<T>::value ||
			     (std::is_integral<T>::value && std::is_signed<T>::value)) {
		ret.type = KIND_INTEGER;
		ret.i = (long long)value;
	} else if constexpr (std::is_integral<T>::value) {
		ret.type = KIND_UNSIGNED;
		ret.u = (unsigned long long)value;
	} else if constexpr (std::is_pointer<T>::value) {
		ret.type = KIND_UNSIGNED;
		ret.u = (unsigned long long)value;
	} else {
		ret.type = KIND_NONE;
		ret.u = 0;
	}
	return ret;
}

/* The last bytes of a text that fit. */
__device__ inline void copy_end(char *to, unsigned size, const char *from)
{
	unsigned n = 0;
	while (from[n])
		n++;
	from += n >= size ? n - size + 1 : 0;
	while ((*to++ = *from++))
		;
}

__device__ inline void copy_start(char *to, unsigned size, const char *from)
{
	while (--size && *from)
		*to++ = *from++;
	*to = 0;
}

__device__ inline void record(const char *file, int line, const char *text, scalar left,
			      scalar right)
{
	failures *all = failures_of_unit;
	if (!all) {
		printf("%s:%d: %s does not hold (outside of cudasim_run_tests)\n", file, line,
		       text);
		return;
	}
	unsigned i = atomicAdd(&all->n, 1u);
	if (i >= MAX_FAILURES)
		return;
	failure *f = &all->at[i];
	copy_end(f->where, sizeof f->where, file);
	copy_start(f->text, sizeof f->text, text);
	f->line = line;
	f->left = left;
	f->right = right;
	f->block[0] = blockIdx.x, f->block[1] = blockIdx.y, f->block[2] = blockIdx.z;
	f->thread[0] = threadIdx.x, f->thread[1] = threadIdx.y, f->thread[2] = threadIdx.z;
	f->grid[0] = gridDim.x, f->grid[1] = gridDim.y, f->grid[2] = gridDim.z;
	f->shape[0] = blockDim.x, f->shape[1] = blockDim.y, f->shape[2] = blockDim.z;
}

template <typename A, typename B>
__device__ inline bool hold(bool holds, const char *file, int line, const char *text, const A &a,
			    const B &b)
{
	if (!holds)
		record(file, line, text, scalar_of(a), scalar_of(b));
	return holds;
}

/* Steps between two numbers in the order of their representations; a NaN is
 * infinitely far from all but a NaN. */
__host__ __device__ inline unsigned long long ulps_between(float a, float b)
{
	if (a != a || b != b)
		return a != a && b != b ? 0 : ~0ull;
	int x, y;
	memcpy(&x, &a, 4);
	memcpy(&y, &b, 4);
	long long i = x < 0 ? -(long long)(x & 0x7fffffff) : x;
	long long j = y < 0 ? -(long long)(y & 0x7fffffff) : y;
	return (unsigned long long)(i > j ? i - j : j - i);
}

__host__ __device__ inline unsigned long long ulps_between(double a, double b)
{
	if (a != a || b != b)
		return a != a && b != b ? 0 : ~0ull;
	long long x, y;
	memcpy(&x, &a, 8);
	memcpy(&y, &b, 8);
	unsigned long long i = (unsigned long long)x & 0x7fffffffffffffffull;
	unsigned long long j = (unsigned long long)y & 0x7fffffffffffffffull;
	if ((x < 0) != (y < 0))
		return i + j;
	return i > j ? i - j : j - i;
}

/* |a - b| <= absolute + relative |b|; equal infinities and two NaNs are near. */
template <typename T>
__host__ __device__ inline bool is_near(T a, T b, double absolute, double relative)
{
	if (a == b || (a != a && b != b))
		return true;
	double difference = (double)a - (double)b, size = (double)b;
	difference = difference < 0 ? -difference : difference;
	size = size < 0 ? -size : size;
	return difference <= absolute + relative * size;
}

} // namespace test
} // namespace cudasim

#define CUDASIM_TEST_HOLDS(holds, text, a, b)                                                      \
	(::cudasim::test::hold((holds), __FILE__, __LINE__, text, (a), (b)))
#ifdef __CUDA_ARCH__
#define CUDASIM_TEST_END() asm volatile("exit;")
#else
#define CUDASIM_TEST_END() ((void)0)
#endif
#define CUDASIM_TEST_OR_END(holds)                                                                 \
	do {                                                                                       \
		if (!(holds))                                                                      \
			CUDASIM_TEST_END();                                                        \
	} while (0)

#define CUDASIM_EXPECT_TRUE(c) ((void)CUDASIM_TEST_HOLDS((bool)(c), #c, 0, 0))
#define CUDASIM_EXPECT_EQ(a, b) ((void)CUDASIM_TEST_HOLDS((a) == (b), #a " == " #b, a, b))
#define CUDASIM_EXPECT_NE(a, b) ((void)CUDASIM_TEST_HOLDS((a) != (b), #a " != " #b, a, b))
#define CUDASIM_EXPECT_LT(a, b) ((void)CUDASIM_TEST_HOLDS((a) < (b), #a " < " #b, a, b))
#define CUDASIM_EXPECT_LE(a, b) ((void)CUDASIM_TEST_HOLDS((a) <= (b), #a " <= " #b, a, b))
#define CUDASIM_EXPECT_GT(a, b) ((void)CUDASIM_TEST_HOLDS((a) > (b), #a " > " #b, a, b))
#define CUDASIM_EXPECT_GE(a, b) ((void)CUDASIM_TEST_HOLDS((a) >= (b), #a " >= " #b, a, b))
#define CUDASIM_EXPECT_NEAR(a, b, absolute)                                                        \
	((void)CUDASIM_TEST_HOLDS(::cudasim::test::is_near((a), (b), (absolute), 0),               \
				  #a " within " #absolute " of " #b, a, b))
#define CUDASIM_EXPECT_ULP(a, b, ulps)                                                             \
	((void)CUDASIM_TEST_HOLDS(::cudasim::test::ulps_between((a), (b)) <=                       \
					  (unsigned long long)(ulps),                              \
				  #a " within " #ulps " ULP of " #b, a, b))

#define CUDASIM_ASSERT_TRUE(c) CUDASIM_TEST_OR_END(CUDASIM_TEST_HOLDS((bool)(c), #c, 0, 0))
#define CUDASIM_ASSERT_EQ(a, b)                                                                    \
	CUDASIM_TEST_OR_END(CUDASIM_TEST_HOLDS((a) == (b), #a " == " #b, a, b))
#define CUDASIM_ASSERT_NE(a, b)                                                                    \
	CUDASIM_TEST_OR_END(CUDASIM_TEST_HOLDS((a) != (b), #a " != " #b, a, b))
#define CUDASIM_ASSERT_LT(a, b)                                                                    \
	CUDASIM_TEST_OR_END(CUDASIM_TEST_HOLDS((a) < (b), #a " < " #b, a, b))
#define CUDASIM_ASSERT_LE(a, b)                                                                    \
	CUDASIM_TEST_OR_END(CUDASIM_TEST_HOLDS((a) <= (b), #a " <= " #b, a, b))
#define CUDASIM_ASSERT_GT(a, b)                                                                    \
	CUDASIM_TEST_OR_END(CUDASIM_TEST_HOLDS((a) > (b), #a " > " #b, a, b))
#define CUDASIM_ASSERT_GE(a, b)                                                                    \
	CUDASIM_TEST_OR_END(CUDASIM_TEST_HOLDS((a) >= (b), #a " >= " #b, a, b))
#define CUDASIM_ASSERT_NEAR(a, b, absolute)                                                        \
	CUDASIM_TEST_OR_END(CUDASIM_TEST_HOLDS(::cudasim::test::is_near((a), (b), (absolute), 0),  \
					       #a " within " #absolute " of " #b, a, b))
#define CUDASIM_ASSERT_ULP(a, b, ulps)                                                             \
	CUDASIM_TEST_OR_END(CUDASIM_TEST_HOLDS(::cudasim::test::ulps_between((a), (b)) <=          \
						       (unsigned long long)(ulps),                 \
					       #a " within " #ulps " ULP of " #b, a, b))

#endif
