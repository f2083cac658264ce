/* SPDX-License-Identifier: Apache-2.0 */
/* fault_operand_x86_64.c - the address that an instruction accesses, from its bytes and the
 * registers (Intel's manual, volume 2, chapter 2). Of vectors of addresses there is none. */
#include <string.h>

#include "fault_operand.h"

/* What comes before the operation's own byte. */
struct prefixes {
	uint8_t rex;      /* as in a REX prefix: W, R, X, B */
	unsigned map;     /* of operations */
	unsigned scale;   /* bytes that a displacement of one byte counts, of EVEX */
};

static const uint8_t *read_prefixes(const uint8_t *at, struct prefixes *p)
{
	*p = (struct prefixes){.scale = 1};
	for (;; at++) {
		switch (*at) {
		case 0x66:
		case 0xf0:
		case 0xf2:
		case 0xf3:
		case 0x2e:
		case 0x3e:
			continue;
		}
		break;
	}
	if (*at >> 4 == 4)
		p->rex = *at++ & 15;
	if (*at == 0xc5) {
		p->rex = (uint8_t)(~at[1] >> 5 & 4);
		p->map = 1;
		return at + 2;
	}
	if (*at == 0xc4 || *at == 0x62) {
		bool evex = *at == 0x62;
		p->rex = (uint8_t)(~at[1] >> 5 & 7);
		p->map = at[1] & (evex ? 7 : 31);
		p->scale = evex ? 16u << (at[3] >> 5 & 3) : 1;
		if (evex && at[3] & 0x10) /* one element for all */
			p->scale = at[2] & 0x80 ? 8 : 4;
		return at + (evex ? 4 : 3);
	}
	if (*at == 0x0f) {
		p->map = at[1] == 0x38 ? 2 : at[1] == 0x3a ? 3 : 1;
		at += p->map == 1 ? 1 : 2;
	}
	return at;
}

/* Operations of whole vectors, whose displacements count as many bytes. */
static bool is_whole(unsigned map, uint8_t operation)
{
	static const uint8_t moves[] = {0x10, 0x11, 0x28, 0x29, 0x6f, 0x7f, 0xe7};
	return map == 1 && memchr(moves, operation, sizeof moves);
}

static bool has_operand(unsigned map, uint8_t operation)
{
	if (map)
		return true;
	return (operation < 0x40 && (operation & 7) < 4) || operation == 0x63 ||
	       operation == 0x69 || operation == 0x6b || (operation >= 0x80 && operation <= 0x8f) ||
	       (operation & 0xfe) == 0xc0 || (operation & 0xfe) == 0xc6 ||
	       (operation & 0xfc) == 0xd0 || operation >= 0xf6;
}

static bool is_gather(unsigned map, uint8_t operation)
{
	return map == 2 && ((operation >= 0x90 && operation <= 0x93) ||
			    (operation >= 0xa0 && operation <= 0xa3));
}

/* Whether it writes there; reads that write back count. reg: the second field of ModRM. */
static bool writes(unsigned map, uint8_t operation, unsigned reg)
{
	static const uint8_t vector_stores[] = {0x11, 0x13, 0x17, 0x29, 0x2b, 0x7e, 0x7f,
						0xb0, 0xb1, 0xc0, 0xc1, 0xc7, 0xd6, 0xe7};
	if (map == 1)
		return memchr(vector_stores, operation, sizeof vector_stores);
	if (map == 2)
		return operation == 0x2e || operation == 0x2f || operation == 0x8e ||
		       (operation >= 0xa0 && operation <= 0xa3);
	if (map == 3)
		return (operation >= 0x14 && operation <= 0x19) || operation == 0x1b ||
		       operation == 0x1d || operation == 0x39 || operation == 0x3b;
	if (operation < 0x38)
		return (operation & 7) < 2;
	if (operation >= 0x80 && operation <= 0x83)
		return reg != 7;
	if (operation == 0xf6 || operation == 0xf7)
		return reg == 2 || reg == 3;
	return (operation >= 0x86 && operation <= 0x89) || (operation & 0xfe) == 0xc0 ||
	       (operation & 0xfe) == 0xc6 || (operation & 0xfc) == 0xd0 || operation >= 0xfe;
}

bool fault_operand(const uint8_t *code, const uint64_t registers[16], uint64_t *address,
		   bool *write)
{
	struct prefixes p;
	const uint8_t *at = read_prefixes(code, &p);
	uint8_t operation = *at++;
	if (!p.map && ((operation >= 0xa4 && operation <= 0xa7) ||
		       (operation >= 0xaa && operation <= 0xaf))) {
		/* String operations: the one of two addresses that is odd. */
		*write = registers[7] >> 47;
		*address = registers[*write ? 7 : 6];
		return true;
	}
	if (!has_operand(p.map, operation))
		return false;
	uint8_t mod = *at >> 6, rm = *at & 7;
	*write = writes(p.map, operation, *at >> 3 & 7);
	int64_t displacement = 0;
	at++;
	if (mod == 3 || (mod == 0 && rm == 5) || is_gather(p.map, operation))
		return false;
	uint64_t sum = 0;
	bool no_base = false;
	if (rm == 4) {
		uint8_t sib = *at++, index = (sib >> 3 & 7) | (p.rex & 2) << 2;
		no_base = (sib & 7) == 5 && mod == 0;
		if (index != 4)
			sum += registers[index] << (sib >> 6);
		if (!no_base)
			sum += registers[(sib & 7) | (p.rex & 1) << 3];
	} else {
		sum = registers[rm | (p.rex & 1) << 3];
	}
	if (mod == 1) {
		displacement = (int8_t)*at;
		if (p.scale >= 16 && displacement && !is_whole(p.map, operation))
			return false;
		displacement *= (int64_t)p.scale;
	} else if (mod == 2 || no_base) {
		int32_t wide;
		memcpy(&wide, at, sizeof wide);
		displacement = wide;
	}
	*address = sum + (uint64_t)displacement;
	return true;
}
