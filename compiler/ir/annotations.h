/* SPDX-License-Identifier: Apache-2.0 */
/* annotations.h - what the front end says of functions and globals beside
 * their code: nvvm.annotations, and __attribute__((annotate(...))). */
#ifndef CUDASIM_COMPILER_ANNOTATIONS_H
#define CUDASIM_COMPILER_ANNOTATIONS_H

#include "device.h"

/* Visit the properties in nvvm.annotations, such as "kernel" = 1. */
typedef void (*annotations_nvvm_visitor)(LLVMValueRef global, const char *property, uint64_t value,
					 void *arg);
void annotations_visit_nvvm(struct device_module *dm, annotations_nvvm_visitor visit, void *arg);

/* Visit what annotate("text", integers...) says of globals and functions; at
 * most 8 integers each. */
typedef void (*annotations_visitor)(LLVMValueRef global, const char *text, const uint64_t *values,
				    size_t n_values, void *arg);
void annotations_visit(struct device_module *dm, annotations_visitor visit, void *arg);

#endif
