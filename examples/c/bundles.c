/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All that bundles can do, from C: compile two sources, link them, run a kernel, read and write a device global, save the
 * result, load it again, join bundles, and read what the compiler says about a mistake.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syclrtc/syclrtc.h>

/* Each function that can fail answers with an error object or NULL. Here an error ends the program. */
static void check_at(syclrtc_error_t *error, int line) {
  if (error == NULL)
    return;
  size_t length;
  const char *message = syclrtc_error_message(error, &length);
  fprintf(stderr, "bundles.c:%d: error %u: %.*s\n", line, (unsigned)syclrtc_error_code(error), (int)length, message);
  syclrtc_error_release(error);
  exit(EXIT_FAILURE);
}
#define check(call) check_at((call), __LINE__)

static void expect_at(int holds, const char *what, int line) {
  if (!holds) {
    fprintf(stderr, "bundles.c:%d: not so: %s\n", line, what);
    exit(EXIT_FAILURE);
  }
}
#define expect(condition) expect_at((condition), #condition, __LINE__)

/* Texts travel with their length. */
#define TEXT(literal) (literal), sizeof(literal) - 1

static const char kernels[] =
    "#include <sycl/sycl.hpp>\n"
    "namespace syclext = sycl::ext::oneapi;\n"
    "namespace syclexp = sycl::ext::oneapi::experimental;\n"
    "SYCL_EXTERNAL int scaled(int value);\n"
    "syclexp::device_global<int> offset{100};\n"
    "extern \"C\" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))\n"
    "void fill(int *out, int start) {\n"
    "  auto i = syclext::this_work_item::get_nd_item<1>().get_global_linear_id();\n"
    "  out[i] = scaled(start + static_cast<int>(i)) + offset;\n"
    "}\n";
static const char helper[] = "SYCL_EXTERNAL int scaled(int value) { return FACTOR * value; }\n";
static const char mistake[] = "void f() {\n  int x = nope;\n}\n";

/* The first device for which sources can be compiled and linked. */
static syclrtc_device_t *find_device(void) {
  syclrtc_platform_t *platforms[16];
  size_t platform_count = 0;
  check(syclrtc_platform_list(16, platforms, &platform_count));
  syclrtc_device_t *found = NULL;
  for (size_t p = 0; p < platform_count && p < 16; ++p) {
    syclrtc_device_t *devices[16];
    size_t device_count = 0;
    check(syclrtc_platform_devices(platforms[p], 16, devices, &device_count));
    for (size_t d = 0; d < device_count && d < 16; ++d) {
      bool can = false;
      check(syclrtc_device_can_compile(devices[d], SYCLRTC_LANGUAGE_SYCL, &can));
      if (can && found == NULL)
        found = devices[d];
      else
        syclrtc_device_release(devices[d]);
    }
    syclrtc_platform_release(platforms[p]);
  }
  return found;
}

static syclrtc_kernel_bundle_t *create_source(const syclrtc_context_t *context, const char *text) {
  syclrtc_kernel_bundle_t *source;
  check(syclrtc_kernel_bundle_create_from_source(context, SYCLRTC_LANGUAGE_SYCL, text, strlen(text), NULL, 0, &source));
  return source;
}

static syclrtc_kernel_bundle_t *compile(const syclrtc_context_t *context, const syclrtc_device_t *device, const char *text,
                                        const char *option) {
  syclrtc_kernel_bundle_t *source = create_source(context, text), *object;
  syclrtc_string_view_t view = {option, strlen(option)};
  syclrtc_build_options_t options = {.size = sizeof(options), .options = &view, .option_count = 1};
  check(syclrtc_kernel_bundle_compile(source, &device, 1, &options, &object, NULL));
  syclrtc_kernel_bundle_release(source);
  return object;
}

static void wait_for(syclrtc_event_t *event) {
  check(syclrtc_event_wait(event));
  syclrtc_event_release(event);
}

/* Runs the kernel `fill` of a bundle on eight numbers. */
static void run(const syclrtc_queue_t *queue, const syclrtc_kernel_bundle_t *bundle, int *out, int start) {
  syclrtc_kernel_t *kernel;
  check(syclrtc_kernel_bundle_get_kernel(bundle, TEXT("fill"), &kernel));
  syclrtc_argument_t arguments[] = {
      {sizeof(syclrtc_argument_t), 0, SYCLRTC_ARGUMENT_POINTER, &out, sizeof(out)},
      {sizeof(syclrtc_argument_t), 1, SYCLRTC_ARGUMENT_VALUE, &start, sizeof(start)},
  };
  syclrtc_launch_t launch = {
      .size = sizeof(launch), .kind = SYCLRTC_LAUNCH_ND_RANGE, .dimensions = 1, .global = {8}, .local = {4}};
  syclrtc_event_t *event;
  check(syclrtc_queue_launch(queue, kernel, &launch, arguments, 2, NULL, 0, &event));
  wait_for(event);
  syclrtc_kernel_release(kernel);
}

/* What is wrong with a source, as data. */
static void show_mistake(const syclrtc_context_t *context, const syclrtc_device_t *device) {
  syclrtc_kernel_bundle_t *source = create_source(context, mistake), *never;
  syclrtc_error_t *error = syclrtc_kernel_bundle_build(source, &device, 1, NULL, &never, NULL);
  expect(syclrtc_error_code(error) == SYCLRTC_ERROR_BUILD);

  syclrtc_diagnostics_t *list;
  check(syclrtc_error_diagnostics(error, &list));
  syclrtc_error_release(error);
  size_t count = 0;
  check(syclrtc_diagnostics_count(list, &count));
  expect(count == 1);
  syclrtc_diagnostic_t found = {.size = sizeof(found)};
  check(syclrtc_diagnostics_get(list, 0, &found));
  printf("severity %u in line %u, column %u: %.*s\n", (unsigned)found.severity, (unsigned)found.line,
         (unsigned)found.column, (int)found.text.length, found.text.data);
  expect(found.severity == SYCLRTC_SEVERITY_ERROR && found.line == 2 && found.column == 11);
  syclrtc_diagnostics_release(list);
  syclrtc_kernel_bundle_release(source);
}

int main(void) {
  syclrtc_device_t *device = find_device();
  if (device == NULL) {
    puts("no device on this machine compiles sources");
    const char *required = getenv("SYCLRTC_TEST_DEVICES");
    return required != NULL && strcmp(required, "1") == 0 ? EXIT_FAILURE : 77;
  }
  const syclrtc_device_t *devices[] = {device};
  syclrtc_context_t *context;
  syclrtc_queue_t *queue;
  check(syclrtc_context_create(devices, 1, &context));
  check(syclrtc_queue_create(context, device, 0, &queue));
  void *memory;
  check(syclrtc_usm_allocate(context, device, SYCLRTC_USM_SHARED, 8 * sizeof(int), 0, &memory));
  int *out = memory;

  /* Compile and link. */
  syclrtc_kernel_bundle_t *objects[] = {
      compile(context, device, kernels, "-std=c++20"),
      compile(context, device, helper, "-DFACTOR=10"),
  };
  syclrtc_kernel_bundle_t *linked;
  check(syclrtc_kernel_bundle_link((const syclrtc_kernel_bundle_t *const *)objects, 2, devices, 1, NULL, &linked));
  run(queue, linked, out, 1);
  printf("linked: %d ... %d\n", out[0], out[7]);
  expect(out[0] == 110 && out[7] == 180);

  /* A symbol that is missing is named. */
  syclrtc_kernel_bundle_t *never;
  syclrtc_error_t *error =
      syclrtc_kernel_bundle_link((const syclrtc_kernel_bundle_t *const *)objects, 1, devices, 1, NULL, &never);
  expect(syclrtc_error_code(error) == SYCLRTC_ERROR_INVALID);
  expect(strstr(syclrtc_error_message(error, NULL), "_Z6scaledi") != NULL);
  syclrtc_error_release(error);

  /* A device global is memory of the device. */
  void *offset;
  size_t bytes = 0;
  check(syclrtc_kernel_bundle_device_global_size(linked, TEXT("offset"), &bytes));
  expect(bytes == sizeof(int));
  check(syclrtc_kernel_bundle_device_global_address(linked, TEXT("offset"), device, &offset));
  int value = 0;
  syclrtc_event_t *event;
  check(syclrtc_queue_memcpy(queue, &value, offset, bytes, NULL, 0, &event));
  wait_for(event);
  expect(value == 100);
  value = 1000;
  check(syclrtc_queue_memcpy(queue, offset, &value, bytes, NULL, 0, &event));
  wait_for(event);
  run(queue, linked, out, 1);
  expect(out[0] == 1010);

  /* Save, as into a file, and load. The loaded bundle has variables of its own. */
  syclrtc_bytes_t *content;
  syclrtc_kernel_bundle_t *loaded;
  check(syclrtc_kernel_bundle_content(linked, &content));
  size_t content_bytes;
  const void *data = syclrtc_bytes_data(content, &content_bytes);
  check(syclrtc_kernel_bundle_create_from_content(context, devices, 1, SYCLRTC_BUNDLE_STATE_EXECUTABLE, data,
                                                  content_bytes, &loaded));
  syclrtc_bytes_release(content);
  run(queue, loaded, out, 2);
  printf("loaded: %d ... %d\n", out[0], out[7]);
  expect(out[0] == 120 && out[7] == 190);

  /* Join: of two kernels with one name, the first bundle's is found. */
  const syclrtc_kernel_bundle_t *parts[] = {linked, loaded};
  syclrtc_kernel_bundle_t *joined;
  bool equal = true;
  check(syclrtc_kernel_bundle_join(parts, 2, &joined));
  check(syclrtc_kernel_bundle_equal(joined, linked, &equal));
  expect(!equal);
  run(queue, joined, out, 1);
  expect(out[0] == 1010);

  /* The code itself. */
  syclrtc_bytes_t *code;
  check(syclrtc_kernel_bundle_code(linked, SYCLRTC_CODE_FORMAT_SPIRV, device, &code));
  size_t code_bytes;
  (void)syclrtc_bytes_data(code, &code_bytes);
  printf("the SPIR-V module has %zu bytes\n", code_bytes);
  expect(code_bytes > 20);
  syclrtc_bytes_release(code);

  show_mistake(context, device);

  syclrtc_kernel_bundle_release(joined);
  syclrtc_kernel_bundle_release(loaded);
  syclrtc_kernel_bundle_release(linked);
  syclrtc_kernel_bundle_release(objects[0]);
  syclrtc_kernel_bundle_release(objects[1]);
  check(syclrtc_usm_free(context, memory));
  syclrtc_queue_release(queue);
  syclrtc_context_release(context);
  syclrtc_device_release(device);
  puts("all as expected");
  return EXIT_SUCCESS;
}
