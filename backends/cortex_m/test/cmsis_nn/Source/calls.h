/* A note of each call, in the file that CMSIS_NN_CALLS names. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

static void note(const char* name) {
  const char* const path = getenv("CMSIS_NN_CALLS");
  FILE* const file = path == NULL ? NULL : fopen(path, "a");
  if (file != NULL) {
    fprintf(file, "%s\n", name);
    fclose(file);
  }
}
