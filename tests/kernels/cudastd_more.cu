/* SPDX-License-Identifier: Apache-2.0 */
/* libcu++, on: optional, variant, span, mdspan, expected, bitset, inplace_vector,
 * functional, complex functions, chrono, bits, latches, semaphores, barriers with a completion,
 * pipelines, annotated pointers.
 * Long: builds for 20 seconds, and cudastd.cu shows the main parts
 *
 * Flags: --expt-relaxed-constexpr */
#include <cuda/annotated_ptr>
#include <cuda/barrier>
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/chrono>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/expected>
#include <cuda/std/functional>
#include <cuda/std/mdspan>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/bitset>
#include <cuda/std/inplace_vector>
#include <cuda/std/ranges>
#include <cuda/std/tuple>
#include <cuda/std/variant>

#include "case.cuh"

namespace cs = cuda::std;

struct visitor {
	__device__ int operator()(int v) const
	{
		return v + 1;
	}
	__device__ int operator()(double v) const
	{
		return (int)(10 * v);
	}
	__device__ int operator()(const char *v) const
	{
		return v[0];
	}
};

__device__ cs::optional<int> root(int v)
{
	for (int r = 0; r * r <= v; r++)
		if (r * r == v)
			return r;
	return cs::nullopt;
}
__device__ cs::expected<int, char> half_of(int v)
{
	if (v & 1)
		return cs::unexpected<char>('o');
	return v / 2;
}

__global__ void values(int *out)
{
	int i = threadIdx.x;
	int *o = out + 8 * i;
	cs::variant<int, double, const char *> v = 3;
	if (i % 3 == 1)
		v = i + 0.5;
	else if (i % 3 == 2)
		v = "text";
	o[0] = cs::visit(visitor(), v) + 1000 * (int)v.index();
	o[1] = root(i).value_or(-1);
	auto r = root(i).and_then([](int x) -> cs::optional<int> { return x + 100; });
	o[2] = r ? *r : -2;
	auto e = half_of(i).transform([](int x) { return 3 * x; });
	o[3] = e ? *e : e.error();
	auto t = cs::make_tuple(i, 2.5f, (char)7);
	o[4] = cs::apply([](int a, float b, char c) { return a + (int)(b * 2) + c; }, t) +
	       1000 * (int)cs::tuple_size<decltype(t)>::value + 10000 * (cs::get<0>(t) < 5);
	cs::bitset<40> bits(0x123456789aull);
	bits <<= i;
	bits.flip(3);
	o[5] = (int)bits.count() + 100 * bits.test(3) + 1000 * (int)(bits.to_ullong() % 1009);
	cs::array<int, 5> a = {5, 3, (i * 7) % 9, 1, 4};
	cs::inplace_vector<int, 8> grown(a.begin(), a.end());
	grown.push_back(i);
	grown.erase(grown.begin() + 1);
	o[6] = grown.back() + 100 * cs::accumulate(a.begin(), a.end(), 0) + 10000 * (int)grown.size() + 100000 * grown[1] +
	       1000000 * (int)cs::ranges::distance(cs::ranges::begin(a), cs::ranges::end(a));
	auto minus = cs::bind_front(cs::minus<int>(), 50);
	cs::pair<int, int> p(i < 4 ? i : 4, i < 4 ? 4 : i);
	o[7] = minus(i) + 100 * p.first + 10000 * p.second + 1000000 * cs::invoke(&cs::pair<int, int>::first, p);
}

__global__ void views(int *out)
{
	__shared__ int s[24];
	int i = threadIdx.x;
	s[i] = i * i;
	__syncthreads();
	cs::span<int> whole(s);
	cs::span<int, 4> part = whole.subspan<8, 4>();
	cs::mdspan<int, cs::extents<int, 4, cs::dynamic_extent>> rows(s, 6);
	cs::mdspan<int, cs::dextents<int, 3>, cs::layout_left> cube(s, 2, 3, 4);
	out[3 * i] = part[i % 4] + 1000 * (int)whole.last(3)[i % 3];
	out[3 * i + 1] = rows(i / 6, i % 6) + 1000 * rows.extent(1) + 10000 * rows.extent(0);
	out[3 * i + 2] = cube(i % 2, i / 2 % 3, i / 6) + 1000 * (int)cube.mapping().stride(2) + 10000 * cube.is_exhaustive();
}

__global__ void numbers(uint64_t *out)
{
	int i = threadIdx.x;
	uint64_t *o = out + 16 * i;
	unsigned u = 0x9e3779b9u * (i + 1);
	o[0] = cs::rotl(u, 5) ^ (uint64_t)cs::rotr(u, 9) << 32;
	o[1] = cs::countr_zero(u) + 100 * cs::countl_one(u) + 10000 * cs::bit_width(u) + 1000000 * cs::has_single_bit(u);
	o[2] = cs::bit_floor(u) + (uint64_t)cs::byteswap(u) * 3;
	o[3] = cs::gcd(u, 360u) + 1000 * cs::lcm(i + 1, 12) + 1000000 * (uint64_t)cs::midpoint(i, 20);
	o[4] = cuda::ceil_div(u, 1000u) + (uint64_t)cuda::round_up(i, 7) * 10000000;
	o[5] = cuda::ilog2(u) + 100 * (uint64_t)cs::sqrt((double)u);
	__uint128_t wide = (__uint128_t)u * u * u;
	o[6] = (uint64_t)(wide >> 50) + (uint64_t)(wide % 1000003);
	cs::complex<double> z(1 + i, 2 - i), w;
	w = cs::sqrt(z) + z / cs::complex<double>(2, 1);
	o[7] = __double_as_longlong(w.real());
	o[8] = __double_as_longlong(w.imag());
	o[9] = __double_as_longlong(cs::norm(z) + cs::arg(cs::complex<double>(-1, 0)));
	cs::complex<float> f = cs::polar(2.0f, 0.0f) * cs::complex<float>(0.5f, i);
	o[10] = __float_as_uint(f.real()) | (uint64_t)__float_as_uint(f.imag()) << 32;
	using namespace cs::chrono;
	auto d = hours(i) + minutes(90) + milliseconds(250);
	o[11] = duration_cast<seconds>(d).count() + 1000000 * duration_cast<milliseconds>(d).count();
	year_month_day date = sys_days(days(19000 + 1000 * i));
	o[12] = (int)date.year() * 10000 + (unsigned)date.month() * 100 + (unsigned)date.day();
	o[13] = cuda::maximum<int>()(i, 3) + 100 * cuda::minimum<>()(i, 3);
	o[14] = cs::isnan(cs::numeric_limits<float>::quiet_NaN()) + 10 * cs::signbit(-0.0) + 100 * (uint64_t)cs::fmax(1.0, (double)i);
	o[15] = __float_as_uint(cs::hypot(3.0f, 4.0f)) + __float_as_uint(cs::pow(2.0f, i));
}

/* The last of a phase runs the completion. */
struct completion {
	int *count;
	__device__ void operator()() const
	{
		++*count;
	}
};

__global__ void waits(int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> b;
	__shared__ alignas(cuda::latch<cuda::thread_scope_block>) char memory[sizeof(cuda::latch<cuda::thread_scope_block>)];
	auto &l = reinterpret_cast<cuda::latch<cuda::thread_scope_block> &>(memory);
	__shared__ alignas(8) char memory2[sizeof(cuda::counting_semaphore<cuda::thread_scope_block, 4>)];
	auto &two = reinterpret_cast<cuda::counting_semaphore<cuda::thread_scope_block, 4> &>(memory2);
	__shared__ int s[64], inside, most;
	int i = threadIdx.x;
	if (i == 0) {
		init(&b, blockDim.x);
		new (&l) cuda::latch<cuda::thread_scope_block>(blockDim.x);
		new (&two) cuda::counting_semaphore<cuda::thread_scope_block, 4>(2);
		inside = most = 0;
	}
	__syncthreads();
	s[i] = i * 5;
	l.arrive_and_wait();
	out[i] = s[63 - i] + 1000 * l.try_wait();
	two.acquire();
	atomicMax(&most, atomicAdd(&inside, 1) + 1);
	atomicSub(&inside, 1);
	two.release();
	b.arrive_and_wait();
	bool stays = i < 40;
	if (!stays)
		b.arrive_and_drop();
	if (stays) {
		auto token = b.arrive();
		b.wait(std::move(token));
		b.arrive_and_wait();
		out[64 + i] = most >= 1 && most <= 2;
	}
}

__global__ void completions(int *out, cuda::barrier<cuda::thread_scope_device, completion> *b)
{
	if (blockIdx.x == 0 && threadIdx.x == 0)
		new (b) cuda::barrier<cuda::thread_scope_device, completion>(blockDim.x, completion{out});
	__syncthreads();
	for (int k = 0; k < 5; k++)
		b->arrive_and_wait();
}

__global__ void pipelines(int *out, const int *in)
{
	__shared__ alignas(16) int stage[3][64];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
	auto block_state = &state;
	struct group {
		__device__ void sync() const
		{
			__syncthreads();
		}
		__device__ unsigned size() const
		{
			return blockDim.x;
		}
		__device__ unsigned thread_rank() const
		{
			return threadIdx.x;
		}
	} block;
	auto pipe = cuda::make_pipeline(block, block_state);
	const int batches = 8;
	int sum = 0;
	for (int batch = 0, fetched = 0; batch < batches; batch++) {
		for (; fetched < batches && fetched < batch + 3; fetched++) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, stage[fetched % 3], in + 64 * fetched, sizeof stage[0], pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		sum += stage[batch % 3][63 - threadIdx.x] * (batch + 1);
		pipe.consumer_release();
	}
	out[threadIdx.x] = sum;
	auto own = cuda::make_pipeline();
	__shared__ int copied[64];
	own.producer_acquire();
	cuda::memcpy_async(&copied[threadIdx.x], &in[threadIdx.x], sizeof(int), own);
	own.producer_commit();
	cuda::pipeline_consumer_wait_prior<0>(own);
	out[64 + threadIdx.x] = copied[threadIdx.x];
	own.consumer_release();
}

__global__ void annotated(int *out, const int *in)
{
	cuda::annotated_ptr<const int, cuda::access_property::persisting> p(in);
	cuda::annotated_ptr<int, cuda::access_property::streaming> q(out);
	cuda::annotated_ptr<const int, cuda::access_property> half(
		in, cuda::access_property(cuda::access_property::persisting(), 0.5f));
	q[threadIdx.x] = p[threadIdx.x] + half[threadIdx.x + 1];
	const int *plain = cuda::associate_access_property(in, cuda::access_property::global());
	q[64 + threadIdx.x] = *plain + (p - cuda::annotated_ptr<const int, cuda::access_property::persisting>(in) == 0);
	cuda::discard_memory((char *)out + 2048, 128);
	cuda::apply_access_property(in, 64, cuda::access_property::persisting());
}

int main()
{
	run("values", 8 * 20, 1, 20, values);
	run("views", 3 * 24, 1, 24, views);
	run("numbers", 16 * 8, 1, 8, numbers);
	run("waits", 104, 1, 64, waits);
	{
		memory<cuda::barrier<cuda::thread_scope_device, completion>> b(1);
		run("completions", 1, 1, 48, completions, b.there);
	}
	std::vector<int> v(512);
	for (int i = 0; i < 512; i++)
		v[i] = i * 7 % 1000;
	memory<int> in(v);
	run("pipelines", 128, 1, 64, pipelines, (const int *)in.there);
	{
		memory<int> out(1024);
		annotated<<<1, 64>>>(out, in);
		CHECK(cudaDeviceSynchronize());
		show("annotated pointers", out.fetch().data(), 72);
	}
	return 0;
}
