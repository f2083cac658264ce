/* SPDX-License-Identifier: Apache-2.0 */
/* command_cuda.h - what the files of `cuda` and `info cuda` share. */
#ifndef CUDASIM_DEBUGGER_COMMAND_CUDA_H
#define CUDASIM_DEBUGGER_COMMAND_CUDA_H

#include "command.h"
#include "coordinates.h"

extern const struct command commands_cuda[]; /* cuda ..., info cuda ... */
/* What `cuda` takes, for help only: they have no run. */
extern const struct command topics_cuda[];

/* A path without its folders, as tables show files. */
const char *file_base_name(const char *path);
/* Where a thread stands: the pc of its innermost frame (0: not known), and the site
 * where it is if it stands at the beginning of a line, else NULL. */
uint64_t thread_pc(struct cudasim_thread *thread, const struct cudasim_site **ret);
/* The file and line of that place; file "" and line 0 where they are not known. */
void thread_line(struct cudasim_thread *thread, uint64_t pc, const struct cudasim_site *site,
		 const char **ret_file, uint32_t *ret_line);
/* "advance<32>(ps=0x7f..., n=128)"; the caller frees it. */
char *invocation_text(struct cudasim_launch *launch);

/* command_cuda_info.c: devices and kernels */
struct cudasim_error *info_cuda(const char *argument);
struct cudasim_error *info_devices(const char *argument);
struct cudasim_error *info_sms(const char *argument);
struct cudasim_error *info_kernels(const char *argument);
struct cudasim_error *info_launches(const char *argument);
struct cudasim_error *info_launch_trace(const char *argument);
struct cudasim_error *info_launch_children(const char *argument);
struct cudasim_error *info_contexts(const char *argument);
struct cudasim_error *info_managed(const char *argument);
struct cudasim_error *info_line_of(const char *argument);
/* command_cuda_threads.c: blocks, warps, lanes, threads */
struct cudasim_error *info_blocks(const char *argument);
struct cudasim_error *info_clusters(const char *argument);
struct cudasim_error *info_threads(const char *argument);
/* command_cuda_warps.c */
struct cudasim_error *info_warps(const char *argument);
struct cudasim_error *info_lanes(const char *argument);
struct cudasim_error *info_barriers(const char *argument);
/* command_cuda_shared.c */
struct cudasim_error *info_shared(const char *argument);
struct cudasim_error *info_pipeline(const char *argument);

#endif
