/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The system's OpenCL library, with a few functions in front of it that misbehave as variables say. Whatever is not here is
 * found in the library that this one needs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRIVER_VERSION = 0x102D, INVALID_BINARY = -42, INVALID_VALUE = -30 };

/* The function of this name in the real library. */
static void *real(const char *name) {
  static void *library;
  if (library == NULL) library = dlopen("libOpenCL.so.1", RTLD_LAZY | RTLD_LOCAL);
  void *function = library == NULL ? NULL : dlsym(library, name);
  if (function == NULL) abort();
  return function;
}

/* Notes a call in the file that SHIM_LOG names. */
static void note(const char *call) {
  const char *path = getenv("SHIM_LOG");
  FILE *file = path == NULL ? NULL : fopen(path, "a");
  if (file == NULL) return;
  fprintf(file, "%s\n", call);
  fclose(file);
}

int clGetDeviceInfo(void *device, uint32_t param, size_t capacity, void *value, size_t *size) {
  int (*function)(void *, uint32_t, size_t, void *, size_t *);
  const char *version = getenv("SHIM_DRIVER_VERSION");
  if (param == DRIVER_VERSION && version != NULL) {
    size_t bytes = strlen(version) + 1;
    if (size != NULL) *size = bytes;
    if (value == NULL) return 0;
    if (capacity < bytes) return INVALID_VALUE;
    memcpy(value, version, bytes);
    return 0;
  }
  *(void **)&function = real("clGetDeviceInfo");
  return function(device, param, capacity, value, size);
}

void *clCreateProgramWithIL(void *context, const void *bytes, size_t length, int *code) {
  void *(*function)(void *, const void *, size_t, int *);
  note("il");
  *(void **)&function = real("clCreateProgramWithIL");
  return function(context, bytes, length, code);
}

void *clCreateProgramWithSource(void *context, uint32_t count, const char **texts, const size_t *lengths, int *code) {
  void *(*function)(void *, uint32_t, const char **, const size_t *, int *);
  note("source");
  *(void **)&function = real("clCreateProgramWithSource");
  return function(context, count, texts, lengths, code);
}

void *clCreateProgramWithBinary(void *context, uint32_t count, void *const *devices, const size_t *lengths,
                                const unsigned char **binaries, int *status, int *code) {
  void *(*function)(void *, uint32_t, void *const *, const size_t *, const unsigned char **, int *, int *);
  const char *refuse = getenv("SHIM_REFUSE_BINARIES");
  note("binary");
  if (refuse != NULL) {
    if (status != NULL) status[0] = INVALID_BINARY;
    if (code != NULL) *code = INVALID_BINARY;
    return NULL;
  }
  *(void **)&function = real("clCreateProgramWithBinary");
  return function(context, count, devices, lengths, binaries, status, code);
}
