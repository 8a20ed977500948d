/* What the test runs from C. */
#ifndef EXECUTORCH_EXTENSION_C_API_C_USAGE_H_
#define EXECUTORCH_EXTENSION_C_API_C_USAGE_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Runs `forward` of a program that adds two [2, 3] float tensors. Returns null, or what was wrong.
 */
const char* c_usage_add(const void* program, size_t size);

/* The same from a file. */
const char* c_usage_add_from_file(const char* path);

/* What the README shows: loads "model.pte" and runs it. 1 if that cannot be loaded. */
int c_usage_readme(void);

#ifdef __cplusplus
}
#endif

#endif
