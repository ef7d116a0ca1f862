/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Compiles a CUDA kernel to PTX several times with NVRTC, each time another text, and prints what each compile took.
 *
 *   nvrtc LIBNVRTC KERNEL COUNT
 *
 * One line a compile:   TOTAL_NS
 * The time runs from the source text in hand to the PTX in hand. NVRTC needs neither a GPU nor its driver. Its headers are
 * not needed either: the few declarations are those of its documentation.
 */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct program *program_t;

static int (*create)(program_t *program, const char *text, const char *name, int headers, const char *const *header_texts,
                     const char *const *header_names);
static int (*compile)(program_t program, int count, const char *const *options);
static int (*ptx_size)(program_t program, size_t *size);
static int (*ptx)(program_t program, char *text);
static int (*destroy)(program_t *program);
static const char *(*error_string)(int error);

static void fail(const char *what, const char *why) {
  fprintf(stderr, "nvrtc: %s: %s\n", what, why);
  exit(1);
}

static void *symbol(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (!found) {
    fail(name, "not in the library");
  }
  return found;
}

static void must(const char *what, int error) {
  if (error) {
    fail(what, error_string(error));
  }
}

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static char *read_file(const char *path) {
  static char text[1 << 16];
  FILE *file = fopen(path, "rb");
  if (!file) {
    fail(path, "cannot be read");
  }
  size_t size = fread(text, 1, sizeof(text) - 1, file);
  fclose(file);
  text[size] = 0;
  return text;
}

/* The text with its one @BUILD@ replaced by the number. */
static char *numbered(const char *text, int number) {
  const char *mark = strstr(text, "@BUILD@");
  if (!mark) {
    fail("kernel", "holds no @BUILD@");
  }
  const char *rest = mark + strlen("@BUILD@");
  size_t capacity = strlen(text) + 16;
  char *result = malloc(capacity);
  if (!result) {
    fail("kernel", "no memory");
  }
  snprintf(result, capacity, "%.*s%d%s", (int)(mark - text), text, number, rest);
  return result;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: %s LIBNVRTC KERNEL COUNT\n", argv[0]);
    return 2;
  }
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library) {
    fail(argv[1], dlerror());
  }
  /* POSIX lets dlsym's result become a function; ISO C has no cast for that. */
  *(void **)&create = symbol(library, "nvrtcCreateProgram");
  *(void **)&compile = symbol(library, "nvrtcCompileProgram");
  *(void **)&ptx_size = symbol(library, "nvrtcGetPTXSize");
  *(void **)&ptx = symbol(library, "nvrtcGetPTX");
  *(void **)&destroy = symbol(library, "nvrtcDestroyProgram");
  *(void **)&error_string = symbol(library, "nvrtcGetErrorString");

  const char *kernel = read_file(argv[2]);
  const int count = atoi(argv[3]);
  for (int number = 0; number < count; ++number) {
    char *text = numbered(kernel, number);
    const int64_t before = now();

    program_t program;
    size_t size;
    must("nvrtcCreateProgram", create(&program, text, "kernel.cu", 0, NULL, NULL));
    must("nvrtcCompileProgram", compile(program, 0, NULL));
    must("nvrtcGetPTXSize", ptx_size(program, &size));
    char *code = malloc(size);
    if (!code) {
      fail("nvrtcGetPTX", "no memory");
    }
    must("nvrtcGetPTX", ptx(program, code));

    printf("%lld\n", (long long)(now() - before));
    if (!strstr(code, ".entry iota")) {
      fail("PTX", "holds no kernel iota");
    }
    free(code);
    free(text);
    must("nvrtcDestroyProgram", destroy(&program));
  }
  return 0;
}
