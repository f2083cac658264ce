/* SPDX-License-Identifier: Apache-2.0 */
/* Variables and functions that the tests of expressions look at through this
 * executable's own debug information. */
#include <cmath>
#include <cstdint>

namespace geo {
enum Kind { POINT, LINE = 3, AREA };
enum class Color : unsigned char { Red, Green, Blue = 7 };
struct Base {
	int id;
	float weight;
	int twice() const { return id * 2; }
};
struct Named {
	char name[8];
};
struct Shape : Base, Named {
	Kind kind;
	Color color;
	unsigned low : 3, mid : 5;
	int high : 4;
	double area[3];
	union {
		int i;
		float f;
	};
	const Shape *next;
	static int count;
	Shape &self() { return *this; }
	int sum(int a, double b = 0) const { return id + a + int(b); }
};
int Shape::count = 12;
template <typename T, int N> struct Ring {
	T data[N];
	int head;
	T &at(int i) { return data[(head + i) % N]; }
	T operator[](int i) const { return data[(head + i) % N]; }
};
class Animal {
public:
	explicit Animal(int legs) : legs_(legs) {}
	virtual int sound(int x) const { return x + legs_; }
	virtual ~Animal() = default;

protected:
	int legs_;
};
class Dog : public Animal {
public:
	Dog() : Animal(4), tail_(1.5f) {}
	int sound(int x) const override { return x * legs_; }

private:
	float tail_;
};
struct Left : virtual Base {
	int left = 1;
};
struct Right : virtual Base {
	int right = 2;
};
struct Both : Left, Right {
	int both = 3;
};
struct Pair {
	float x, y;
};
Pair operator+(Pair a, Pair b) { return {a.x + b.x, a.y + b.y}; }
struct Triple {
	int a, b, c;
};
struct Mixed {
	int a;
	double b;
};
struct Large {
	double d[5];
};
int counter = 5;
int table[4] = {2, 3, 5, 7};
} // namespace geo

enum Flags { F_A = 1, F_B = 2, F_C = 4, F_D = 16 };
struct Empty {};
struct Bits {
	int a : 3;
	unsigned b : 5;
	geo::Pair p;
	union {
		int q;
		float r;
	};
	int arr[3];
};

geo::Shape shape = {};
const geo::Shape *shape_pointer = &shape;
geo::Shape &shape_reference = shape;
geo::Ring<double, 4> ring = {{0, 10, 20, 30}, 1};
geo::Dog dog;
const geo::Animal *animal = &dog;
geo::Both both;
geo::Pair pair_a = {1, 2}, pair_b = {10, 20};
int zeros10[10], zeros11[11], grid[2][3] = {{1, 2, 3}, {4, 5, 6}}, wide_grid[3][14];
char text[30] = "abc", repeated[40] = "abXXXXXXXXXXXXXXXXcd\0011", unended[3] = {'a', 'b', 'c'};
char box[8] = "box";
signed char tiny = -3, signed_chars[3] = {-1, 0, 65};
unsigned char red = 65, bytes[6] = {1, 2, 3, 200, 65, 0};
const char *word = text, *no_word = nullptr;
bool truth = true, truths[3] = {true, false, true};
short small = -300;
int five = 5, minus_five = -5;
unsigned four_billion = 4000000000u;
long tera = 1L << 40;
unsigned long long big = 0xfedcba9876543210ull;
float floats[3] = {1.5f, 0, 1e-30f};
double third = 1.0 / 3, huge = 1e100;
float nan_value, infinite;
int *pointer = &five, *null_pointer = nullptr, **pointer_pointer = &pointer;
void *anything = &five;
int &reference = five;
Flags flags = Flags(F_A | F_C), odd_flags = Flags(F_A | 8), no_flags = Flags(0);
geo::Kind kind = geo::LINE, no_kind = geo::Kind(9);
Empty empty;
Bits bits = {-1, 17, {1, 2}, {7}, {1, 2, 3}};
int geo::Shape::*member_pointer = nullptr;
int geo::Base::*id_pointer = &geo::Base::id;
wchar_t wide_char = L'a';
__int128 huge_integer = -5;
long double extended = 1.5L;
double counting[300];
namespace diamond {
struct A {
	int a = 1;
	virtual int f() const { return a; }
};
struct B : virtual A {
	int b = 2;
};
struct C : virtual A {
	int c = 3;
};
struct D : B, C {
	int d = 4;
	int f() const override { return d; }
};
struct Ops {
	float x, y;
	float scaled(int k) const { return k * x + y; }
	static constexpr int K = 12;
};
D whole;
A *top = &whole;
const A &reference = whole;
Ops ops = {1, 2};
float Ops::*y_pointer = &Ops::y;
float (Ops::*scaled_pointer)(int) const = &Ops::scaled;
int (A::*f_pointer)() const = &A::f;
} // namespace diamond

extern "C" {
int factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }
int (*function)(int) = factorial;
int divide(int a, int b) { return a / b; }
int crash(int *p) { return *p; }
int endless(int n) { return endless(n + 1) + n; }
int spin(volatile int *p)
{
	while (!*p)
		;
	return 0;
}
}
double many(int a, int b, int c, int d, int e, int f, int g, int h, double x, float y)
{
	return a + b + c + d + e + f + g * 100 + h * 10000 + x + y;
}
geo::Triple triple(int a) { return {a, a + 1, a + 2}; }
geo::Mixed mixed(int a, float b) { return {a, b}; }
geo::Large large(double x) { return {{x, x + 1, x + 2, x + 3, x + 4}}; }
double sum_large(geo::Large l, geo::Mixed m, geo::Triple t) { return l.d[4] + m.a + m.b + t.c; }
int overloaded(int) { return 1; }
int overloaded(double) { return 2; }
int overloaded(const char *) { return 3; }
int overloaded(const geo::Base &) { return 4; }
void increment(int &x) { x++; }
namespace geo {
double use(Shape &s, Dog &d) /* makes every member function real */
{
	return s.twice() + s.sum(1) + s.self().id + ring.at(1) + ring[2] + d.sound(3);
}
} // namespace geo

extern "C" void subject_prepare()
{
	shape.id = 100;
	shape.weight = 2.5f;
	shape.name[0] = 'b', shape.name[1] = 'o', shape.name[2] = 'x', shape.name[3] = 0;
	shape.kind = geo::LINE;
	shape.color = geo::Color::Blue;
	shape.low = 5, shape.mid = 17, shape.high = -2;
	shape.area[0] = 1e100, shape.area[1] = 0, shape.area[2] = -0.0;
	shape.f = 1.0f;
	shape.next = &shape;
	both.id = 9, both.weight = 0.5f;
	uint32_t quiet = 0x7fffffff, positive = 0x7f800000;
	__builtin_memcpy(&nan_value, &quiet, 4);
	__builtin_memcpy(&infinite, &positive, 4);
	for (int i = 0; i < 300; i++)
		counting[i] = i;
	five = 5;
}
