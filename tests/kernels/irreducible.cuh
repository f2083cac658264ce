/* SPDX-License-Identifier: Apache-2.0 */
/* irreducible.cuh - cycles that are entered in several places, alone, around and inside
 * of loops. Functions of one thread, so that the host's compiler gives the same values;
 * the text may be wanted as a string, too, hence the macro FLOW. */
FLOW(
/* A switch into a loop, whose body holds another. */
BOTH unsigned duff(int c)
{
	unsigned s = 0;
	switch (c & 3) {
	case 0:
		do {
			s += 3;
	case 3:
			s = s * 2 + 1;
	case 2:
			while (s & 4)
				s += 5;
	case 1:
			s += 1;
		} while ((c -= 4) > 0);
	}
	return s;
}

/* Two entries, two back-edges, one exit. */
BOTH unsigned into(int t)
{
	unsigned s = 0;
	if (t & 1)
		goto in;
top:
	s += 7;
in:
	s += 3;
	if (s & 4)
		goto top;
	if (s < 500)
		goto in;
	return s;
}

/* An irreducible cycle inside a loop that threads leave one by one. */
BOTH unsigned inside(int t)
{
	unsigned s = t;
	for (int i = 0; i < 3 + (t & 3); i++) {
		int n = 5;
		if (s & 1)
			goto second;
first:
		s = s * 3 + i;
second:
		s ^= n;
		if (n-- > 0) {
			if (s & 2)
				goto first;
			goto second;
		}
	}
	return s;
}

/* A loop with several ends inside an irreducible cycle. */
BOTH unsigned around(int t)
{
	unsigned s = t * 5;
	int n = 12;
	if (t % 3 == 0)
		goto b;
a:
	for (unsigned i = 0; i < (s & 7); i++) {
		s += i;
		if (s % 7 == 3)
			break;
		if (s % 11 == 5)
			goto out;
	}
b:
	s = s * 2 + 1;
	do {
		s ^= s >> 3;
		if (s % 5 == 1)
			goto c;
	} while (s % 13 > 9 && --n > 0);
c:
	if (--n > 0) {
		if (s & 8)
			goto a;
		if (s & 16)
			goto b;
		goto c;
	}
out:
	return s;
}

/* One irreducible cycle in another. */
BOTH unsigned nested(int t)
{
	unsigned s = t + 1;
	int n = 20;
	int m = 0;
	if (t & 1)
		goto outer_b;
outer_a:
	s += 3;
	m = 4;
	if (s & 2)
		goto inner_b;
inner_a:
	s = s * 5 + 1;
inner_b:
	s ^= m;
	if (m-- > 0) {
		if (s & 4)
			goto inner_a;
		goto inner_b;
	}
outer_b:
	s += n;
	if (n-- > 0) {
		if (s & 1)
			goto outer_a;
		goto outer_b;
	}
	return s;
}

/* A loop without a condition, that each thread leaves by a break of its own. */
BOTH unsigned ends(int t)
{
	unsigned s = t;
	for (;;) {
		s = s * 3 + 1;
		if (s % 4 == 2)
			continue;
		s += 5;
		if (s % 8 == (unsigned)t % 8 || s > 1000000)
			break;
		switch (s & 3) {
		default:
			s += 2;
			continue;
		case 1:
			if (s > 5000)
				return ~s;
		}
		s -= 1;
	}
	return s;
}

/* A switch of which the default alone enters the cycle in its middle. */
BOTH unsigned chosen(int t)
{
	unsigned s = t;
	int n = 9;
	switch (t % 5) {
	case 0:
		s = 100;
		break;
	case 1:
		goto low;
	default:
		goto high;
	}
low:
	s = s * 2 + n;
high:
	s -= 3;
	if (n-- > 0) {
		switch (s & 3) {
		case 0:
			goto low;
		case 3:
			goto out;
		default:
			goto high;
		}
	}
out:
	return s;
}

BOTH unsigned flow(int which, int t)
{
	switch (which) {
	case 0: return duff(9);
	case 1: return duff(t + 1);
	case 2: return into(t);
	case 3: return inside(t);
	case 4: return around(t);
	case 5: return nested(t);
	case 6: return ends(t);
	default: return chosen(t);
	}
}
)
