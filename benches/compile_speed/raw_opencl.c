/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * What no library can be faster than: the driver loading one of its own binaries in a fresh process.
 *
 *   raw_opencl BINARY      prints the nanoseconds of clCreateProgramWithBinary and clBuildProgram
 *
 * The kernels are made afterwards, to see that there are some.
 */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

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

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s BINARY\n", argv[0]);
    return 2;
  }
  static unsigned char binary[1 << 22];
  FILE *file = fopen(argv[1], "rb");
  if (!file) {
    perror(argv[1]);
    return 1;
  }
  const size_t size = fread(binary, 1, sizeof binary, file);
  fclose(file);

  cl_platform_id platform;
  cl_device_id device;
  cl_int error, status;
  must("clGetPlatformIDs", clGetPlatformIDs(1, &platform, NULL));
  must("clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  must("clCreateContext", error);
  /* As the SYCL programs, which have a queue before they build. */
  cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
  must("clCreateCommandQueueWithProperties", error);

  const unsigned char *data = binary;
  const int64_t before = now();
  cl_program program = clCreateProgramWithBinary(context, 1, &device, &size, &data, &status, &error);
  must("clCreateProgramWithBinary", error);
  must("clBuildProgram", clBuildProgram(program, 1, &device, "", NULL, NULL));
  printf("%lld\n", (long long)(now() - before));

  cl_kernel kernel;
  must("clCreateKernelsInProgram", clCreateKernelsInProgram(program, 1, &kernel, NULL));
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  return 0;
}
