/* SPDX-License-Identifier: Apache-2.0 */
/* steps.h - the jobs of a plan that cudasim does itself, as subcommands, so
 * that every job is a command line that --dryrun can show.
 *
 * Each takes its own arguments, the subcommand's name first. */
#ifndef CUDASIM_DRIVER_STEPS_H
#define CUDASIM_DRIVER_STEPS_H

#include "error.h"

/* cc-module-id --blob BLOB --id ID BITCODE SOURCE OBJECT: hashes BITCODE's
 * content and both paths; writes the struct cudasim_blob for the host object
 * and the id as 32 hexadecimal digits. */
struct cudasim_error *step_module_id(int n, char **arguments);

/* cc-pack --id ID -o OBJECT HOST BITCODE: HOST with BITCODE in the section
 * .cudasim.bc. The name it registers under gets the id added, since clang makes
 * it of the source's relative path alone. */
struct cudasim_error *step_pack(int n, char **arguments);

/* cc-gather --folder F --list L --id ID --objects O --object DLINK
 * [-LFOLDER]... [-lNAME]... FILE...: puts each device bitcode of the files into
 * a file of its own in F; writes to L the device compiler's arguments for them,
 * to ID their common id, to O the name DLINK. Without any, L and O are empty. */
struct cudasim_error *step_gather(int n, char **arguments);

/* cc-device-pass --overlay OVERLAY --folder FOLDER -- COMMAND...: see
 * device_pass.c. The only step with a status of its own: clang's. */
struct cudasim_error *step_device_pass(int n, char **arguments, int *ret);

#endif
