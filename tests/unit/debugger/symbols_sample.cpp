// SPDX-License-Identifier: Apache-2.0
// A program for symbols_test.c to read: not optimised, with debug information.
// Line numbers matter to the test where a comment says so.
#include "symbols_sample.h"

namespace geo {
enum Kind { POINT, LINE = 3, AREA };
enum class Color : unsigned char { Red, Green, Blue = 7 };
struct Base {
	int id;
	float weight;
	int twice() const { return id * 2; } // line 12
};
struct Named {
	char name[8];
};
struct Shape : Base, Named {
	static int made;
	Kind kind;
	Color color;
	unsigned low : 3, mid : 5;
	int high : 4;
	double area[3];
	union {
		int i;
		float f;
	} u;
	union {
		short s;
		char c;
	};
	const Shape *next;
};
int Shape::made = 17;
template <typename T, int N> struct Ring {
	T data[N];
	int head;
	T &at(int i) { return data[(head + i) % N]; }
};
class Animal {
public:
	Animal(int legs) : legs_(legs) {}
	virtual ~Animal() {}
	virtual int sound(int x) const { return x + legs_; }

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
int counter = 5;
namespace {
int hidden = 6;
}
int operator<(const Named &a, const Named &b)
{
	return a.name[0] < b.name[0];
}
} // namespace geo

static int counter = 50, elsewhere = 60;

int overloaded(int x)
{
	return x + counter;
}

int overloaded(double x)
{
	return int(x) + geo::hidden;
}

template <typename T> T twice(T x)
{
	return x + x;
}

int sample_walk(int depth)
{ // line 85
	static int calls;
	int value = depth * 2;
	geo::Shape mine = {};
	geo::Ring<double, 4> ring = {};
	int grid[2][3] = {{1, 2, 3}, {4, 5, depth}};
	int (*function)(int) = overloaded;
	geo::Dog dog;
	const geo::Animal *animal = &dog;
	mine.high = -2;
	calls++;
	for (int k = 0; k < 1; k++) {
		int value = k + 100;
		SAMPLE_PROBE(); // line 98
		ring.at(k) = value;
	}
	struct Local {
		long inside;
	} local = {value};
	auto lambda = [value](int x) {
		SAMPLE_PROBE(); // line 105
		return x + value;
	};
	elsewhere++;
	return value + grid[1][2] + function(1) + overloaded(2.5) + twice(3) + int(twice(1.5)) +
	       animal->sound(2) + mine.twice() + int(local.inside) + lambda(1) +
	       (geo::Named{} < geo::Named{}) + geo::counter + geo::Shape::made;
}
