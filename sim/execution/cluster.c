/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster.h"

#include "block.h"
#include "dispatch.h"
#include "observer.h"
#include "worker.h"

/* Threads of all blocks that have not exited. */
static uint32_t cluster_live(const struct cluster *c)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < c->n_blocks; i++)
		n += c->blocks[i] ? c->blocks[i]->n_live : 0;
	return n;
}

static void describe(const struct block *b, bool arrive_only, const struct cudasim_site *site,
		     struct cudasim_barrier *ret)
{
	const struct cluster *c = b->cluster;
	uint32_t total = c->n_blocks * b->n_threads;
	*ret = (struct cudasim_barrier){
		.kind = CUDASIM_BARRIER_CLUSTER,
		.arrive_only = arrive_only,
		.n_expected = total,
		.n_arrived = c->n_arrived + total - cluster_live(c),
		.epoch = c->epoch,
		.site = site,
	};
}

static void cluster_open(struct block *by, const struct cudasim_site *site)
{
	struct cluster *c = by->cluster;
	if (by->run->watched) {
		struct cudasim_barrier seen;
		describe(by, false, site, &seen);
		observe_barrier_open(&by->pub, &seen);
	}
	c->n_arrived = 0;
	c->epoch++;
	for (uint32_t i = 0; i < c->n_blocks; i++) {
		struct block *b = c->blocks[i];
		if (!b)
			continue;
		for (uint32_t w = 0; w < b->n_warps; w++) {
			block_activate(b, w, b->cluster_waiting[w]);
			b->cluster_waiting[w] = b->cluster_arrived[w] = 0;
		}
		b->openings++;
	}
}

void cluster_exit(struct thread *t)
{
	struct block *b = block_of(t);
	struct cluster *c = b->cluster;
	if (block_cluster_arrived(b, t)) {
		b->cluster_arrived[t->pub.warp] &= ~(1u << t->pub.lane);
		c->n_arrived--;
	}
	if (c->n_arrived && c->n_arrived == cluster_live(c))
		cluster_open(b, NULL);
}

static void cluster_look(struct block *b)
{
	struct cluster *c = b->cluster;
	if (c->n_arrived && c->n_arrived == cluster_live(c))
		cluster_open(b, NULL);
}

static uint32_t count(uint32_t lanes)
{
	return (uint32_t)__builtin_popcount(lanes);
}

bool cluster_recount(struct block *b, const uint32_t *live)
{
	struct cluster *c = b->cluster;
	uint64_t epoch = c->epoch;
	b->n_live = 0;
	for (uint32_t w = 0; w < b->n_warps; w++) {
		b->n_live += count(live[w]);
		c->n_arrived -= count(b->cluster_arrived[w] & ~live[w]);
		b->cluster_arrived[w] &= live[w];
	}
	cluster_look(b);
	return c->epoch != epoch;
}

bool cluster_arrive_in_loop(struct block *b, uint32_t w, uint32_t lanes)
{
	if (b->cluster_arrived[w] & lanes)
		return false;
	b->cluster_arrived[w] |= lanes;
	b->cluster->n_arrived += count(lanes);
	cluster_look(b);
	return true;
}

static void cluster_arrive(struct thread *t, bool arrive_only, const struct cudasim_site *site)
{
	struct block *b = block_of(t);
	struct cluster *c = b->cluster;
	if (b->run->watched) {
		struct cudasim_barrier seen;
		describe(b, arrive_only, site, &seen);
		observe_barrier_arrive(&t->pub, &seen);
	}
	t->pub.site = site;
	b->cluster_arrived[t->pub.warp] |= 1u << t->pub.lane;
	c->n_arrived++;
	if (c->n_arrived == cluster_live(c))
		cluster_open(b, site);
}

void __cudasim_cluster_arrive(const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	/* A second arrival before the wait is undefined on the device. */
	if (block_cluster_arrived(block_of(t), t))
		dispatch_bad_cluster(t, site);
	cluster_arrive(t, true, site);
	dispatch_leave(t);
}

void __cudasim_cluster_wait(const struct cudasim_site *site)
{
	struct thread *t = dispatch_enter();
	struct block *b = block_of(t);
	t->pub.site = site;
	/* Cleared by the opening: then there is nothing left to wait for. */
	if (block_cluster_arrived(b, t)) {
		uint32_t w = t->pub.warp, bit = 1u << t->pub.lane;
		b->cluster_waiting[w] |= bit;
		block_deactivate(b, w, bit);
		t->state = THREAD_CLUSTER;
		dispatch_suspend(t);
	}
	dispatch_leave(t);
}

void *__cudasim_cluster_map(const void *addr, uint32_t rank)
{
	struct block *b = block_of(thread_self());
	const struct block *to = rank < b->cluster->n_blocks ? b->cluster->blocks[rank] : NULL;
	/* A block that has ended has no shared memory any more. */
	if (!to)
		return NULL;
	return to->pub.shared + ((const unsigned char *)addr - b->pub.shared);
}
