/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The front end as the Rust side sees it: source text in, LLVM module and kernel table out. No clang type crosses this
 * border; LLVMModuleRef is LLVM's own C handle.
 *
 * Threads: everything here runs on the one thread of the helper program.
 */
#ifndef SYCLRTC_FRONTEND_H
#define SYCLRTC_FRONTEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "llvm-c/Types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes, not NUL-terminated. Borrowed: see the struct that holds it. */
typedef struct fe_string {
  const char *data;
  size_t length;
} fe_string;

typedef struct fe_file {
  fe_string name;
  fe_string content;
} fe_file;

/* What is the same for all compiles. Borrowed for the life of the process. */
typedef struct fe_config {
  /* Headers that the helper carries, under absolute virtual paths. */
  const fe_file *headers;
  size_t header_count;
  /* Virtual directory with `sycl/` in it. */
  fe_string sycl_include_dir;
  /* Virtual resource directory; its `include` holds clang's own headers. */
  fe_string resource_dir;
  /* Text of the preamble to stand behind. */
  fe_string preamble;
} fe_config;

/* One compile. Borrowed until `done`. */
typedef struct fe_job {
  fe_string main_name;
  fe_string source;
  const fe_file *include_files;
  size_t include_file_count;
  const fe_string *options;
  size_t option_count;
  const fe_string *registered_names;
  size_t registered_name_count;
  /* Absolute; empty if the application has no current directory. */
  fe_string working_directory;
  /* Goes into raw names of kernels with internal linkage. */
  fe_string unit_id;
} fe_job;

enum fe_parameter_kind { FE_SCALAR = 1, FE_POINTER = 2, FE_AGGREGATE = 3 };

typedef struct fe_parameter {
  fe_string name;
  fe_string type_name;
  uint32_t kind; /* fe_parameter_kind */
  uint64_t size;
  uint64_t align;
} fe_parameter;

typedef struct fe_kernel {
  fe_string function;   /* symbol in the module */
  fe_string raw_name;   /* entry point to make */
  fe_string plain_name; /* data is null unless the kernel is extern "C" */
  uint32_t dimensions;  /* 0 = single task */
  const fe_parameter *parameters;
  size_t parameter_count;
  uint64_t work_group_size[3]; /* SYCL order */
  uint32_t work_group_size_count;
  uint32_t sub_group_size; /* 0 = none */
} fe_kernel;

enum fe_status {
  FE_OK = 0,
  FE_FAILED = 1, /* diagnostics are in the log */
  FE_REFUSED = 2 /* the request is at fault; the log says why */
};

/* Borrowed for the call of `done`; the module belongs to the receiver. */
typedef struct fe_result {
  uint32_t status; /* fe_status */
  fe_string log;
  LLVMModuleRef module;
  const fe_kernel *kernels;
  size_t kernel_count;
  /* Raw name for each registered name of the job. */
  const fe_string *registered_raw_names;
  /* 0 to 3, from the options. */
  uint32_t optimization_level;
  /* The compile started behind the parsed preamble. */
  bool from_checkpoint;
} fe_result;

typedef struct fe_callbacks {
  void *user;
  /* The front end is ready. Returns in a forked process that has a job, never in the process that waits for jobs. */
  const fe_job *(*next)(void *user);
  /* The compile is over. Does not return. */
  void (*done)(void *user, const fe_result *result);
} fe_callbacks;

/* Parses the preamble and hands over to `next`. Does not return. */
void fe_serve(const fe_config *config, const fe_callbacks *callbacks);

/* Version of the clang inside, e.g. "22.1.8". Static. */
const char *fe_clang_version(void);

#ifdef __cplusplus
}
#endif
#endif
