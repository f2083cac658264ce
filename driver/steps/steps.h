/* SPDX-License-Identifier: Apache-2.0 */
/* steps.h - the jobs of a plan that cudasim does itself, as subcommands, so
 * that every job is a command line that --dryrun can show.
 *
 * Each takes its own arguments, the subcommand's name first. */
#ifndef CUDASIM_DRIVER_STEPS_H
#define CUDASIM_DRIVER_STEPS_H

#include <stddef.h>

#include "error.h"
#include "words.h"

/* cc-module-id --blob BLOB --id ID BITCODE SOURCE OBJECT: hashes BITCODE's
 * content and both paths; writes the struct cudasim_blob for the host object
 * and the id as 32 hexadecimal digits. */
struct cudasim_error *step_module_id(int n, char **arguments);

/* cc-sign TEXT [OUTPUT]: a line with the hash of TEXT's content, behind what OUTPUT
 * (stdout) holds. */
struct cudasim_error *step_sign(int n, char **arguments);

/* cc-pack --id ID [--gpu NAME=BITCODE]... -o OBJECT HOST BITCODE: HOST with BITCODE
 * in the section .cudasim.bc, and that of GPU NAME in .cudasim.bc.NAME. The name it registers under gets the id added, since clang makes
 * it of the source's relative path alone. */
struct cudasim_error *step_pack(int n, char **arguments);

/* cc-seal BITCODE OUTPUT: BITCODE as -ltoir writes it (seal.h). */
struct cudasim_error *step_seal(int n, char **arguments);

/* cc-gather --folder F --list L --id ID --objects O --object DLINK [--with-gpu no]
 * [-LFOLDER]... [-lNAME]... FILE...: puts each device bitcode of the files into
 * a file of its own in F; writes to L the device compiler's arguments for them,
 * to ID their common id, to O the name DLINK. Without any, L and O are empty.
 * cc-gather --folder F --list L --id ID --image IMAGE FILE...: the same for device code that is
 * loaded; FILE may be a product of -ltoir. An IMAGE of no device code is an error.
 * cc-gather --gpu sm_NN --folder F --list L ...: likewise the bitcode for that GPU; an
 * object with device code and none for it is an error. --with-gpu no: warns where
 * the objects have some. */
struct cudasim_error *step_gather(int n, char **arguments);

/* cc-ptxas PTXAS... FILE.ptx: runs ptxas; what it says of lines of FILE.ptx is told
 * of the source's lines (gpu_steps.c). *ret is its status. */
struct cudasim_error *step_ptxas(int n, char **arguments, int *ret);

/* cc-gpu-blob --id ID -o BLOB FATBIN: a struct cudasim_blob with that id and FATBIN
 * behind it. */
struct cudasim_error *step_gpu_blob(int n, char **arguments);

/* cc-gpu-embed BLOB OBJECT: BLOB in the place of what OBJECT's .nv_fatbin holds; an object
 * without that section has no device code, and stays as it is. */
struct cudasim_error *step_gpu_embed(int n, char **arguments);

/* cc-image --ptx PTX -o OUTPUT SO: PTX with the shared object SO behind it, in comments
 * (image.h of base/). With --of FILE PTX alone where FILE is empty.
 * cc-image --fatbin FATBIN -o OUTPUT TEXT: FATBIN, made of code and one uncompressed PTX, with
 * TEXT in the place of that: fatbinary itself leaves comments out. */
struct cudasim_error *step_image(int n, char **arguments);

/* cc-prelude -o FILE -- COMMAND...: clang's precompiled header of what COMMAND has it read first. */
struct cudasim_error *step_prelude(int n, char **arguments, int *ret);

/* cc-device-pass, cc-host-pass --overlay OVERLAY --folder FOLDER [--host none] [--prelude FILE] -- COMMAND...: see
 * device_pass.c. The only step with a status of its own: clang's. */
struct cudasim_error *step_device_pass(int n, char **arguments, int *ret);

/* cc-server SOCKET: starts the compile server (formats/serve.h) with that descriptor, and returns. */
struct cudasim_error *step_server(int n, char **arguments);

/* ---- for the steps themselves ---------------------------------------------- */

/* The value after option name, taken out of the arguments; NULL if absent. */
const char *step_take(int *n, char **arguments, const char *name);
struct cudasim_error *step_usage(const char *name);
struct cudasim_error *step_write(const char *path, const void *bytes, size_t n);
/* A file's bytes, which the caller frees. */
struct cudasim_error *step_read(const char *path, char **ret, size_t *n);
/* An id file's 32 digits. */
struct cudasim_error *step_read_id(const char *path, char text[33]);
/* Runs a program and waits; what it says goes to stderr. */
struct cudasim_error *step_run(const struct words *words);

#endif
