/* SPDX-License-Identifier: Apache-2.0 */
/* dap_requests.h - the requests about the session itself and about moving. */
#ifndef CUDASIM_DEBUGGER_DAP_REQUESTS_H
#define CUDASIM_DEBUGGER_DAP_REQUESTS_H

#include "dap_message.h"

struct cudasim_error *dap_initialize(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_launch(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_configuration_done(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_disconnect(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_pause(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_continue(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_next_line(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_step_in(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_step_back(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_reverse_continue(const json_t *arguments, json_t **ret);
struct cudasim_error *dap_step_out(const json_t *arguments, json_t **ret);

#endif
