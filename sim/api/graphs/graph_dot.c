/* SPDX-License-Identifier: Apache-2.0 */
/* graph_dot.c - a picture of a graph for Graphviz: a cluster for each graph, a box for each
 * node, with as much in it as the flags ask for. */
#include <stdio.h>

#include "api.h"
#include "cudasim/abi.h"
#include "graph.h"
#include "graph_attributes.h"
#include "graph_memory.h"

static const char *kind_name(enum cudaGraphNodeType type)
{
	static const char *const kinds[] = {
		"KERNEL",
		"MEMCPY",
		"MEMSET",
		"HOST",
		"GRAPH",
		"EMPTY",
		"EVENT_WAIT",
		"EVENT_RECORD",
		"EXT_SEMAS_SIGNAL",
		"EXT_SEMAS_WAIT",
		"MEM_ALLOC",
		"MEM_FREE",
		"BATCH_MEM_OP",
		[cudaGraphNodeTypeConditional] = "CONDITIONAL",
	};
	const char *name = (size_t)type < sizeof kinds / sizeof *kinds ? kinds[type] : NULL;
	return name ? name : "NODE";
}

static void describe_kernel(FILE *out, const struct graph_node *node, unsigned flags)
{
	const struct work *w = &node->work;
	fprintf(out, "\\n%s", w->launch.kernel->display);
	if (flags & cudaGraphDebugDotFlagsKernelNodeParams) {
		fprintf(out, "\\n<<<(%u,%u,%u),(%u,%u,%u),%u>>>", w->launch.grid[0],
			w->launch.grid[1], w->launch.grid[2], w->launch.block[0],
			w->launch.block[1], w->launch.block[2], w->launch.dynamic_shared_bytes);
		for (uint32_t i = 0; i < w->launch.kernel->n_params; i++)
			fprintf(out, "\\nparameter %u: %u bytes at %u", i,
				(unsigned)w->launch.kernel->params[i].size,
				(unsigned)w->launch.kernel->params[i].offset);
	}
	if (flags & cudaGraphDebugDotFlagsKernelNodeAttributes) {
		const uint32_t *cluster = w->launch.cluster;
		fprintf(out, "\\ncooperative %d, cluster (%u,%u,%u)", w->launch.cooperative,
			cluster[0], cluster[1], cluster[2]);
		for (int id = 0; node->attributes && id < MAX_LAUNCH_ATTRIBUTE; id++)
			if (node->attributes->set >> id & 1)
				fprintf(out, "\\nattribute %d is set", id);
	}
	if (flags & cudaGraphDebugDotFlagsHandles)
		fprintf(out, "\\nfunction %p", node->stub);
}

static void describe_copy(FILE *out, const struct cudasim_copy *c, unsigned flags)
{
	static const char *const directions[] = {"HtoH", "HtoD", "DtoH", "DtoD"};
	const bool set = c->kind == CUDASIM_SET;
	if (!set && (unsigned)c->direction < 4)
		fprintf(out, "\\n%s", directions[c->direction]);
	fprintf(out, "\\n%zu x %zu x %zu bytes", (size_t)c->width, (size_t)c->height,
		(size_t)c->depth);
	if (set && flags & cudaGraphDebugDotFlagsMemsetNodeParams)
		fprintf(out, "\\nto %p, value %u, element %u bytes, pitch %zu", c->to,
			(unsigned)c->value, (unsigned)c->value_bytes, (size_t)c->to_pitch);
	if (!set && flags & cudaGraphDebugDotFlagsMemcpyNodeParams)
		fprintf(out, "\\nfrom %p, pitch %zu\\nto %p, pitch %zu", c->from,
			(size_t)c->from_pitch, c->to, (size_t)c->to_pitch);
}

static void describe_condition(FILE *out, const struct graph_node *node, unsigned flags)
{
	static const char *const types[] = {"IF", "WHILE", "SWITCH"};
	fprintf(out, "\\n%s", types[node->condition_type]);
	if (flags & cudaGraphDebugDotFlagsConditionalNodeParams)
		fprintf(out, "\\nhandle %llu, %u graphs", (unsigned long long)node->condition,
			node->n_bodies);
}

static void describe(FILE *out, const struct graph_node *node, unsigned flags)
{
	fprintf(out, "%s\\n%zu", kind_name(node->type), node->index);
	switch (node->type) {
	case cudaGraphNodeTypeKernel:
		describe_kernel(out, node, flags);
		break;
	case cudaGraphNodeTypeMemcpy:
	case cudaGraphNodeTypeMemset:
		describe_copy(out, &node->work.copy.what, flags);
		break;
	case cudaGraphNodeTypeHost:
		if (flags & cudaGraphDebugDotFlagsHostNodeParams)
			fprintf(out, "\\nuser data %p", node->work.host.user);
		break;
	case cudaGraphNodeTypeWaitEvent:
		if (flags & cudaGraphDebugDotFlagsEventNodeParams)
			fprintf(out, "\\nevent %p", (const void *)node->event);
		break;
	case cudaGraphNodeTypeEventRecord:
		if (flags & cudaGraphDebugDotFlagsEventNodeParams)
			fprintf(out, "\\nevent %p", (const void *)node->work.event);
		break;
	case cudaGraphNodeTypeMemAlloc:
		fprintf(out, "\\n%zu bytes at %p", graph_memory_size(node->memory),
			graph_memory_address(node->memory));
		break;
	case cudaGraphNodeTypeMemFree:
		fprintf(out, "\\n%p", node->work.address);
		break;
	case cudaGraphNodeTypeConditional:
		describe_condition(out, node, flags);
		break;
	default:
		break;
	}
	if (flags & cudaGraphDebugDotFlagsHandles)
		fprintf(out, "\\n%p", (const void *)node);
}

static void draw(FILE *out, const struct graph *graph, const char *name, unsigned flags);

/* The graphs inside a node. */
static void draw_inner(FILE *out, const struct graph_node *node, const char *name, unsigned flags)
{
	char inner[80];
	snprintf(inner, sizeof inner, "%.40s_%zu", name, node->index);
	if (node->child)
		draw(out, node->child, inner, flags);
	for (unsigned i = 0; i < node->n_bodies; i++) {
		snprintf(inner, sizeof inner, "%.40s_%zu_%u", name, node->index, i);
		draw(out, node->bodies[i], inner, flags);
	}
}

static void draw(FILE *out, const struct graph *graph, const char *name, unsigned flags)
{
	fprintf(out, "subgraph cluster_%s {\nlabel=\"%s\";\n", name, name);
	for (size_t i = 0; i < graph->n; i++) {
		fprintf(out, "\"%s_node_%zu\" [shape=box, label=\"", name, i);
		describe(out, graph->nodes[i], flags);
		fputs("\"];\n", out);
	}
	for (size_t i = 0; i < graph->n; i++) {
		const struct graph_node *node = graph->nodes[i];
		for (size_t j = 0; j < node->n_after; j++)
			fprintf(out, "\"%s_node_%zu\" -> \"%s_node_%zu\"%s;\n", name,
				node->after[j]->index, name, i,
				graph_edge_is_plain(&node->edges[j]) ? "" : " [style=dashed]");
	}
	for (size_t i = 0; i < graph->n; i++)
		draw_inner(out, graph->nodes[i], name, flags);
	fputs("}\n", out);
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char *path, unsigned flags)
{
	API_BEGIN_CONTEXT;
	if (flags & cudaGraphDebugDotFlagsVerbose)
		flags = ~0u;
	graph_lock();
	struct graph *graph = graph_find(handle);
	FILE *out = graph && path ? fopen(path, "w") : NULL;
	cudaError_t error = out             ? cudaSuccess
			    : graph && path ? cudaErrorOperatingSystem
					    : cudaErrorInvalidValue;
	if (out) {
		fputs("digraph dot {\n", out);
		draw(out, graph, "graph_1", flags);
		fputs("}\n", out);
		if (fclose(out))
			error = cudaErrorOperatingSystem;
	}
	graph_unlock();
	return API_END(error);
}
