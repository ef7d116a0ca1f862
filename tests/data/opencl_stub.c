/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* An OpenCL library with one platform and one device that misbehave as STUB_MODE says. It has the functions that the
 * tests need and no other, so a call of a function that the version does not have cannot succeed. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  DEVICE_NOT_FOUND = -1, OUT_OF_RESOURCES = -5, BUILD_PROGRAM_FAILURE = -11, EVENTS_FAILED = -14, INVALID_VALUE = -30,
  INVALID_CONTEXT = -34
};

static int object;

static int mode_is(const char *mode) {
  const char *set = getenv("STUB_MODE");
  return set != NULL && strcmp(set, mode) == 0;
}

static int answer(const void *data, size_t bytes, size_t capacity, void *value, size_t *size) {
  if (size != NULL) *size = bytes;
  if (value == NULL) return 0;
  if (capacity < bytes) return INVALID_VALUE;
  memcpy(value, data, bytes);
  return 0;
}

static int answer_text(const char *text, size_t capacity, void *value, size_t *size) {
  return answer(text, strlen(text) + 1, capacity, value, size);
}

static int answer_u64(uint64_t number, size_t capacity, void *value, size_t *size) {
  return answer(&number, sizeof number, capacity, value, size);
}

static int answer_u32(uint32_t number, size_t capacity, void *value, size_t *size) {
  return answer(&number, sizeof number, capacity, value, size);
}

int clGetPlatformIDs(uint32_t capacity, void **platforms, uint32_t *count) {
  if (count != NULL) *count = 1;
  if (platforms != NULL && capacity > 0) platforms[0] = &object;
  return 0;
}

int clGetPlatformInfo(void *platform, uint32_t param, size_t capacity, void *value, size_t *size) {
  (void)platform;
  switch (param) {
  case 0x0901: return answer_text(mode_is("old") ? "OpenCL 1.1 old" : "OpenCL 2.0 stub", capacity, value, size);
  case 0x0902: return answer_text("Stub platform", capacity, value, size);
  case 0x0903: return mode_is("nameless") ? INVALID_VALUE : answer_text("Stub vendor", capacity, value, size);
  default: return INVALID_VALUE;
  }
}

int clGetDeviceIDs(void *platform, uint64_t type, uint32_t capacity, void **devices, uint32_t *count) {
  (void)platform, (void)type;
  if (mode_is("no-devices")) return DEVICE_NOT_FOUND;
  if (mode_is("devices-fail")) return OUT_OF_RESOURCES;
  if (count != NULL) *count = 1;
  if (devices != NULL && capacity > 0) devices[0] = &object;
  return 0;
}

int clGetDeviceInfo(void *device, uint32_t param, size_t capacity, void *value, size_t *size) {
  (void)device;
  if (mode_is("mute")) return OUT_OF_RESOURCES;
  switch (param) {
  case 0x1000: return answer_u64(4 /* GPU */, capacity, value, size);
  /* One byte short of a cl_uint. */
  case 0x1002: return mode_is("short-answers") ? answer("abc", 3, capacity, value, size) : answer_u32(2, capacity, value, size);
  case 0x102B: return answer_text("Stub device", capacity, value, size);
  case 0x102F: return answer_text("OpenCL 3.0 newer than its platform", capacity, value, size);
  case 0x1030:
    return answer_text(mode_is("claims-usm") ? "cl_intel_unified_shared_memory" : "cl_khr_il_program cl_khr_fp16", capacity,
                       value, size);
  case 0x105B: return answer_text("SPIR-V_1.0 SPIR-V_1.2", capacity, value, size);
  default: return INVALID_VALUE;
  }
}

void *clCreateContext(const intptr_t *properties, uint32_t count, void *const *devices, void *notify, void *data, int *code) {
  (void)properties, (void)count, (void)devices, (void)notify, (void)data;
  *code = mode_is("context-fails") ? OUT_OF_RESOURCES : 0;
  return *code == 0 ? &object : NULL;
}

int clReleaseContext(void *context) { return (void)context, INVALID_CONTEXT; }

void *clCreateCommandQueueWithProperties(void *context, void *device, const uint64_t *properties, int *code) {
  (void)context, (void)device, (void)properties;
  *code = 0;
  return &object;
}

int clReleaseCommandQueue(void *queue) { return (void)queue, 0; }
int clFlush(void *queue) { return (void)queue, 0; }
int clFinish(void *queue) { return (void)queue, OUT_OF_RESOURCES; }

int clEnqueueMarkerWithWaitList(void *queue, uint32_t count, void *const *list, void **event) {
  (void)queue;
  if ((count == 0) != (list == NULL)) return INVALID_VALUE;
  *event = &object;
  return 0;
}

int clEnqueueBarrierWithWaitList(void *queue, uint32_t count, void *const *list, void **event) {
  (void)queue, (void)count, (void)list, (void)event;
  return OUT_OF_RESOURCES;
}

int clReleaseEvent(void *event) { return (void)event, 0; }
int clWaitForEvents(uint32_t count, void *const *events) { return (void)count, (void)events, EVENTS_FAILED; }

int clGetEventInfo(void *event, uint32_t param, size_t capacity, void *value, size_t *size) {
  (void)event, (void)param;
  return answer_u32((uint32_t)OUT_OF_RESOURCES, capacity, value, size);
}

static void *create_program_with_il_khr(void *context, const void *bytes, size_t length, int *code) {
  (void)context;
  *code = length >= 4 && memcmp(bytes, "\x03\x02\x23\x07", 4) == 0 ? 0 : INVALID_VALUE;
  return *code == 0 ? &object : NULL;
}

int clReleaseProgram(void *program) { return (void)program, 0; }

int clBuildProgram(void *program, uint32_t count, void *const *devices, const char *flags, void *notify, void *data) {
  (void)program, (void)count, (void)devices, (void)flags, (void)notify, (void)data;
  return BUILD_PROGRAM_FAILURE;
}

int clGetProgramBuildInfo(void *program, void *device, uint32_t param, size_t capacity, void *value, size_t *size) {
  (void)program, (void)device, (void)param;
  return answer_text("the stub builds nothing", capacity, value, size);
}

void *clGetExtensionFunctionAddressForPlatform(void *platform, const char *name) {
  (void)platform;
  if (strcmp(name, "clCreateProgramWithILKHR") == 0 && !mode_is("claims-usm")) return (void *)(uintptr_t)create_program_with_il_khr;
  return NULL;
}
