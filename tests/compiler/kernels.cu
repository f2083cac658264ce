// SPDX-License-Identifier: Apache-2.0
// Kernels for test_devcc.c, without CUDA's headers: what the device compiler
// itself must get right.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __host__ __attribute__((host))
typedef unsigned long long u64;

__device__ unsigned thread() { return __nvvm_read_ptx_sreg_tid_x(); }
__device__ unsigned index()
{
  return __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x() + thread();
}

// Every thread its own index.
extern "C" __global__ void indices(unsigned *out) { out[index()] = 3 * index(); }

// Parameters of all shapes.
struct Odd { char a; double b; short c; };
struct Tiny { char x[3]; };
extern "C" __global__ void parameters(double *out, bool yes, char small, Odd odd, Tiny tiny,
                                      long long big, float f, bool no)
{
  odd.b += 1; // its own copy
  out[0] = yes;
  out[1] = small;
  out[2] = odd.a + odd.b + odd.c;
  out[3] = tiny.x[0] + 10 * tiny.x[1] + 100 * tiny.x[2];
  out[4] = (double)big;
  out[5] = f;
  out[6] = no;
}

// Variables: initial values, addresses among them, constants, tables.
__device__ int counter = 40;
__device__ int *to_counter = &counter;
struct Link { int value; const Link *next; };
extern __device__ Link second;
__device__ Link first = {1, &second};
__device__ Link second = {2, &first};
__constant__ int factors[3] = {2, 3, 5};
static const int table[4] = {10, 20, 30, 40};
__device__ static int hidden;
extern "C" __global__ void variables(int *out)
{
  static const int inner[2] = {7, 8};
  hidden = hidden + 5;
  *to_counter += 2;
  out[0] = counter;
  out[1] = factors[0] * factors[1] * factors[2];
  out[2] = table[out[7] & 3] + inner[out[7] & 1];
  out[3] = hidden;
  out[4] = first.next->value * 10 + first.next->next->value;
  out[5] = to_counter == &counter;
}

// Function pointers, in code and in memory, and virtual calls.
__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
typedef int (*Function)(int);
__device__ Function chosen = square;
__constant__ Function choices[2] = {twice, square};
struct Shape {
  __device__ virtual int area() const { return 0; }
  int width;
};
struct Square : Shape {
  __device__ int area() const override { return width * width; }
};
struct Strip : Shape {
  __device__ int area() const override { return 2 * width; }
};
extern "C" __global__ void calls(int *out, Function *slots)
{
  slots[thread()] = choices[thread() & 1];
  out[thread()] = slots[thread()](thread() + 3) + 100 * chosen(2);
  Square square_shape;
  Strip strip;
  square_shape.width = strip.width = 7;
  const Shape *shape = thread() & 1 ? static_cast<Shape *>(&square_shape) : &strip;
  out[8 + thread()] = shape->area();
}

// Shared memory: own() and both() share a variable, alone() has another.
__device__ int *common(int i)
{
  __shared__ int s[32];
  return &s[i];
}
extern __shared__ double dynamic[];
extern "C" __global__ void own(u64 *out)
{
  __shared__ char small;
  __shared__ long long large[4];
  small = 1;
  large[0] = 2;
  *common(0) = 3;
  out[0] = (u64)(__attribute__((address_space(3))) char *)&small;
  out[1] = (u64)(__attribute__((address_space(3))) char *)large;
  out[2] = (u64)(__attribute__((address_space(3))) char *)common(0);
  out[3] = small + large[0] + *common(0);
  unsigned number = (unsigned)(u64)(__attribute__((address_space(3))) char *)common(1);
  *(__attribute__((address_space(3))) int *)(u64)number = 77;
  out[4] = *common(1);
}
extern "C" __global__ void alone(u64 *out)
{
  __shared__ int a[100];
  a[thread()] = thread();
  dynamic[thread()] = a[thread()] + 0.5;
  out[0] = (u64)(__attribute__((address_space(3))) char *)a;
  out[1] = (u64)(__attribute__((address_space(3))) char *)dynamic;
  out[2] = (u64)(2 * dynamic[thread()]);
}

__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
extern "C" __global__ void recursive(int *out) { out[thread()] = factorial(thread()); }

__attribute__((annotate("cudasim_managed"))) __device__ int shared_with_host = 1;
extern "C" __global__ void managed(int *out)
{
  out[0] = shared_with_host;
  shared_with_host += 10;
}

template <int N> __global__ __attribute__((launch_bounds(96, 2))) void bounded(char *out)
{
  char local[N];
  for (int i = 0; i < N; i++)
    local[i] = out[i];
  for (int i = 0; i < N; i++)
    out[i] = local[N - 1 - i];
}
template __global__ void bounded<200>(char *);

// What C++ leaves undefined and programs rely on.
__device__ int no_result(int *out) { *out = 5; }
__device__ int pick(int i)
{
  switch (i) {
  case 0: return 4;
  case 1: return 5;
  }
  __builtin_unreachable();
}
__device__ __attribute__((noinline)) int punned(int *i, float *f)
{
  *i = 1;
  *f = 2.0f; // the same four bytes
  return *i;
}
extern "C" __global__ void careless(int *out)
{
  no_result(out);
  out[1] = pick(out[5]);
  out[2] = punned(out + 3, (float *)(out + 3));
}

// Atomic additions of subnormal numbers. in: pairs of memory and operand.
union Bits { unsigned word; float number; };
__device__ unsigned add(float *where, const unsigned *in)
{
  Bits operand, old;
  *(unsigned *)where = in[0];
  operand.word = in[1];
  old.number = __nvvm_atom_add_gen_f(where, operand.number);
  return old.word;
}
extern "C" __global__ void additions(unsigned *out, const unsigned *in, int n)
{
  __shared__ float shared;
  for (int i = 0; i < n; i++) {
    out[4 * i] = add((float *)&out[4 * i + 1], in + 2 * i);
    out[4 * i + 2] = add(&shared, in + 2 * i);
    out[4 * i + 3] = *(unsigned *)&shared;
  }
}

extern "C" __global__ void waits() { __nvvm_bar_sync(0); }

/* A barrier that some only arrive at. */
extern "C" __global__ void arrives(int *p)
{
  if (p[0])
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  else
    asm volatile("bar.sync 1, 64;" ::: "memory");
}

/* What stays on fibers: threads that meet in a function that calls itself. */
static __device__ __noinline__ int meet_again(int n)
{
  asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
  return n > 0 ? meet_again(n - 1) + 1 : 0;
}

extern "C" __global__ void meets(int *x, int n)
{
  *x = meet_again(n);
}
