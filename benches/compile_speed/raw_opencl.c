/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What no library can be better than: the bare driver.
 *
 *   raw_opencl load BINARY            loads one of the driver's own binaries; prints the nanoseconds of
 *                                     clCreateProgramWithBinary and clBuildProgram
 *   raw_opencl loop MODULE COUNT      builds a SPIR-V module COUNT times and lets go of it, after a warm-up of a tenth;
 *                                     prints by how many bytes the process grew in a build
 */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static cl_context context;
static cl_device_id device;

static void must(const char *what, cl_int error) {
  if (error != CL_SUCCESS) {
    fprintf(stderr, "raw_opencl: %s: error %d\n", what, (int)error);
    exit(1);
  }
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Anonymous memory of this process, as in many.cpp. */
static long program_bytes(void) {
  char line[256];
  long kib = -1;
  malloc_trim(0);
  FILE *status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status)) {
    if (sscanf(line, "RssAnon: %ld kB", &kib) == 1) {
      break;
    }
  }
  if (status) {
    fclose(status);
  }
  return kib * 1024;
}

/* To see that there are kernels. */
static void check_kernels(cl_program program) {
  cl_kernel kernel;
  must("clCreateKernelsInProgram", clCreateKernelsInProgram(program, 1, &kernel, NULL));
  clReleaseKernel(kernel);
}

static void load(const unsigned char *binary, size_t size) {
  cl_int error, status;
  const int64_t before = now();
  cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &binary, &status, &error);
  must("clCreateProgramWithBinary", error);
  must("clBuildProgram", clBuildProgram(program, 1, &device, "", NULL, NULL));
  printf("%lld\n", (long long)(now() - before));
  check_kernels(program);
  clReleaseProgram(program);
}

static void build(const unsigned char *module, size_t size) {
  cl_int error;
  cl_program program = clCreateProgramWithIL(context, module, size, &error);
  must("clCreateProgramWithIL", error);
  must("clBuildProgram", clBuildProgram(program, 1, &device, "", NULL, NULL));
  check_kernels(program);
  clReleaseProgram(program);
}

int main(int argc, char **argv) {
  const int loads = argc == 3 && !strcmp(argv[1], "load");
  const int count = argc == 4 && !strcmp(argv[1], "loop") ? atoi(argv[3]) : 0;
  if (!loads && count < 1) {
    fprintf(stderr, "usage: %s load BINARY | loop MODULE COUNT\n", argv[0]);
    return 2;
  }
  static unsigned char content[1 << 22];
  FILE *file = fopen(argv[2], "rb");
  if (!file) {
    perror(argv[2]);
    return 1;
  }
  const size_t size = fread(content, 1, sizeof content, file);
  fclose(file);

  cl_platform_id platform;
  cl_int error;
  must("clGetPlatformIDs", clGetPlatformIDs(1, &platform, NULL));
  must("clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  must("clCreateContext", error);
  /* As the SYCL programs, which have a queue before they build. */
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  must("clCreateCommandQueueWithProperties", error);

  if (loads) {
    load(content, size);
  } else {
    for (int i = 0; i < count / 10; ++i) {
      build(content, size);
    }
    const long before = program_bytes();
    for (int i = 0; i < count; ++i) {
      build(content, size);
    }
    printf("%.1f\n", (double)(program_bytes() - before) / count);
  }
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
