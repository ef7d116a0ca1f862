/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * An OpenCL layer that adds up the time spent inside the driver while programs and kernels are made. Loaded by the
 * OpenCL loader (OPENCL_LAYERS=<this library>), it sits in the same place whichever library calls the driver, so that
 * the two sides of the benchmark are measured alike. The program reads the sum with driver_timer_nanoseconds().
 * If DRIVER_TIMER_KEEP names a file, it gets the driver's binary of the program that was built last, and the same name with
 * .spv behind it the module that came in last, for raw_opencl.c.
 */
#define _GNU_SOURCE
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl_layer.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct _cl_icd_dispatch *next;
static struct _cl_icd_dispatch table;
static atomic_uint_least64_t spent;

uint64_t driver_timer_nanoseconds(void) { return atomic_load(&spent); }

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Times one call of the driver. Concurrent calls add up to more than the time on the clock; neither side builds in parallel. */
#define TIMED(type, call)                                                                                             \
  uint64_t start = now();                                                                                             \
  type result = (call);                                                                                               \
  atomic_fetch_add(&spent, now() - start);                                                                            \
  return result

/* Writes a file whose name begins as the variable says; without the variable, nothing. */
static void keep(const char *suffix, const void *data, size_t size) {
  const char *prefix = getenv("DRIVER_TIMER_KEEP");
  char path[4096];
  if (!prefix) {
    return;
  }
  snprintf(path, sizeof path, "%s%s", prefix, suffix);
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, size, file) != size || fclose(file)) {
    fprintf(stderr, "driver_timer: cannot write %s\n", path);
    abort();
  }
}

/* Keeps the binary of a program for one device. */
static void keep_binary(cl_program program) {
  size_t size = 0;
  unsigned char *binary = NULL;
  if (!getenv("DRIVER_TIMER_KEEP")) {
    return;
  }
  if (next->clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) != CL_SUCCESS || !size ||
      !(binary = malloc(size)) ||
      next->clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL) != CL_SUCCESS) {
    fprintf(stderr, "driver_timer: the driver has no binary\n");
    abort();
  }
  keep("", binary, size);
  free(binary);
}

static cl_program CL_API_CALL program_with_source(cl_context context, cl_uint count, const char **texts, const size_t *lengths,
                                                  cl_int *error) {
  TIMED(cl_program, next->clCreateProgramWithSource(context, count, texts, lengths, error));
}

static cl_program CL_API_CALL program_with_il(cl_context context, const void *il, size_t length, cl_int *error) {
  keep(".spv", il, length);
  TIMED(cl_program, next->clCreateProgramWithIL(context, il, length, error));
}

static cl_program CL_API_CALL program_with_binary(cl_context context, cl_uint count, const cl_device_id *devices, const size_t *lengths,
                                                  const unsigned char **binaries, cl_int *status, cl_int *error) {
  TIMED(cl_program, next->clCreateProgramWithBinary(context, count, devices, lengths, binaries, status, error));
}

static cl_int CL_API_CALL build(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                                void(CL_CALLBACK *notify)(cl_program, void *), void *data) {
  uint64_t start = now();
  cl_int result = next->clBuildProgram(program, count, devices, options, notify, data);
  atomic_fetch_add(&spent, now() - start);
  if (result == CL_SUCCESS) {
    keep_binary(program);
  }
  return result;
}

static cl_int CL_API_CALL compile(cl_program program, cl_uint count, const cl_device_id *devices, const char *options, cl_uint headers,
                                  const cl_program *header_programs, const char **header_names,
                                  void(CL_CALLBACK *notify)(cl_program, void *), void *data) {
  TIMED(cl_int, next->clCompileProgram(program, count, devices, options, headers, header_programs, header_names, notify, data));
}

static cl_program CL_API_CALL link(cl_context context, cl_uint count, const cl_device_id *devices, const char *options, cl_uint inputs,
                                   const cl_program *programs, void(CL_CALLBACK *notify)(cl_program, void *), void *data,
                                   cl_int *error) {
  TIMED(cl_program, next->clLinkProgram(context, count, devices, options, inputs, programs, notify, data, error));
}

static cl_kernel CL_API_CALL create_kernel(cl_program program, const char *name, cl_int *error) {
  TIMED(cl_kernel, next->clCreateKernel(program, name, error));
}

static cl_int CL_API_CALL create_kernels(cl_program program, cl_uint count, cl_kernel *kernels, cl_uint *available) {
  TIMED(cl_int, next->clCreateKernelsInProgram(program, count, kernels, available));
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info param, size_t capacity, void *value, size_t *size) {
  if (param != CL_LAYER_API_VERSION || (value && capacity < sizeof(cl_layer_api_version))) {
    return CL_INVALID_VALUE;
  }
  if (value) {
    *(cl_layer_api_version *)value = CL_LAYER_API_VERSION_100;
  }
  if (size) {
    *size = sizeof(cl_layer_api_version);
  }
  return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint entries, const struct _cl_icd_dispatch *target, cl_uint *entries_out,
                                            const struct _cl_icd_dispatch **layer) {
  const cl_uint known = sizeof(table) / sizeof(void *);
  if (entries < known || !entries_out || !layer) {
    return CL_INVALID_VALUE;
  }
  next = target;
  /* The loader takes a NULL entry to mean "not wrapped". */
  table.clCreateProgramWithSource = program_with_source;
  table.clCreateProgramWithIL = program_with_il;
  table.clCreateProgramWithBinary = program_with_binary;
  table.clBuildProgram = build;
  table.clCompileProgram = compile;
  table.clLinkProgram = link;
  table.clCreateKernel = create_kernel;
  table.clCreateKernelsInProgram = create_kernels;
  *entries_out = known;
  *layer = &table;
  return CL_SUCCESS;
}
