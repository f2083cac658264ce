/* SPDX-License-Identifier: Apache-2.0 */
/* check_session.h - the lines of the file by which checked processes tell `cudasim check` of
 * themselves (CUDASIM_CHECK_SESSION). Each is appended by one write(), so that processes may
 * do so at the same time. */
#ifndef CUDASIM_FORMATS_CHECK_SESSION_H
#define CUDASIM_FORMATS_CHECK_SESSION_H

#define CHECK_SESSION_NAME "cudasim-check" /* of the file, which is in memory */
#define CHECK_SESSION_CHECKED "checked\n" /* a process has begun with checkers in it */
#define CHECK_SESSION_FOUND "found\n"   /* it has errors among its findings; once */
#define CHECK_SESSION_FILE "file "   /* the absolute path of a file that is written; \n */
#define CHECK_SESSION_FINDING "finding " /* hash and number of one that is in the SARIF file; \n */

#endif
