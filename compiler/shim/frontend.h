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

enum fe_file_state {
  FE_MISSING = 0,
  FE_PRESENT = 1, /* a file that was not read */
  FE_CONTENT = 2, /* a file that was read */
  FE_DIRECTORY = 3,
  FE_WITHOUT = 4, /* a directory in which the names were not */
  FE_LISTING = 5  /* a directory whose names were listed */
};

/* What the file system says about a file; times in nanoseconds since the epoch. */
typedef struct fe_stamp {
  uint64_t device, inode, size;
  int64_t modified, changed;
} fe_stamp;

/* A path of the real file system that was looked at: `Dependency` of the protocol. */
typedef struct fe_dependency {
  fe_string path;     /* absolute */
  uint32_t state;     /* fe_file_state */
  uint8_t digest[32]; /* BLAKE3 of a content or listing */
  bool has_stamp;     /* of a content, listing or directory without names */
  fe_stamp stamp;
  fe_string same_as; /* of a directory: another path that led to it; empty if there was none */
  const fe_string *names;
  size_t name_count;
} fe_dependency;

/* A preamble that was parsed before, maybe by another process, as `fe_precompile` gave it. Borrowed for the life of the process. */
typedef struct fe_precompiled {
  fe_string header; /* clang's; its address is a multiple of 8 */
  fe_string notes;  /* what a session has to know besides; for the front end only */
  /* What was looked at in the real file system, sorted. */
  const fe_dependency *dependencies;
  size_t dependency_count;
} fe_precompiled;

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
  /* The preamble, if it is there in this form; else null. That its files are unchanged is the caller's business. */
  const fe_precompiled *precompiled;
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
  /* Whether the compile may start from what other compiles parsed. */
  bool reuse;
} fe_job;

enum fe_parameter_kind { FE_SCALAR = 1, FE_POINTER = 2, FE_AGGREGATE = 3, FE_LOCAL = 4, FE_LOCAL_ACCESSOR = 5 };

/* A range of n dimensions is FE_RANGE + n. */
enum fe_local_extent { FE_ONE = 0, FE_ANY = 1, FE_RANGE = 2 };

/* An object in a parameter that stands for local memory. */
typedef struct fe_local_object {
  uint64_t offset;
  uint64_t element; /* bytes */
  uint32_t extent;  /* fe_local_extent */
} fe_local_object;

typedef struct fe_parameter {
  fe_string name;
  fe_string type_name;
  uint32_t kind; /* fe_parameter_kind */
  uint64_t size;
  uint64_t align;
  const fe_local_object *local;
  size_t local_count;
} fe_parameter;

/* Up to three sizes, in SYCL order; a count of 0 means that the property is absent. */
typedef struct fe_sizes {
  uint64_t values[3];
  uint32_t count;
} fe_sizes;

/* A function with a property that makes it a kernel. */
typedef struct fe_kernel {
  fe_string function;   /* symbol in the module */
  fe_string raw_name;   /* entry point to make */
  fe_string plain_name; /* data is null unless the kernel is extern "C" */
  /* False for one that is only declared; it has external linkage then, and its parameters are left out. */
  bool defined;
  uint32_t dimensions; /* 0 = single task */
  const fe_parameter *parameters;
  size_t parameter_count;
  fe_sizes work_group_size;
  fe_sizes work_group_size_hint;
  fe_sizes max_work_group_size;
  uint64_t max_linear_work_group_size; /* 0 = none */
  uint32_t sub_group_size;             /* 0 = none */
  bool has_range_max;
  uint64_t range_max; /* most work-items of a launch */
  /* Numbers of the aspects that it declares, sorted. */
  const uint32_t *aspects;
  size_t aspect_count;
} fe_kernel;

/* A variable of type device_global. */
typedef struct fe_device_global {
  fe_string name;   /* qualified, without a leading :: */
  fe_string symbol; /* in the module; unique to the compilation if the linkage is internal */
  uint64_t size;
  uint64_t align;
  bool image_scope; /* has the property device_image_scope */
  bool external;    /* SYCL_EXTERNAL */
  bool defined;     /* false for one that is only declared `extern` */
} fe_device_global;

enum fe_severity { FE_NOTE = 0, FE_REMARK = 1, FE_WARNING = 2, FE_ERROR = 3, FE_FATAL = 4 };

/* One diagnostic as data. A note belongs to the last one before it that is none. */
typedef struct fe_diagnostic {
  uint32_t severity; /* fe_severity */
  fe_string file;    /* empty if the place is unknown */
  uint32_t line;
  uint32_t column;
  fe_string text;
  fe_string option; /* e.g. -Wunused-variable */
} fe_diagnostic;

enum fe_code_split { FE_SPLIT_AUTO = 0, FE_SPLIT_OFF = 1, FE_SPLIT_PER_SOURCE = 2, FE_SPLIT_PER_KERNEL = 3 };

enum fe_status {
  FE_OK = 0,
  FE_FAILED = 1, /* diagnostics are in the log */
  FE_REFUSED = 2 /* the request is at fault; the log says why */
};

/* Borrowed for the call of `done`; the module belongs to the receiver. Without success only the log, the diagnostics and the
 * time trace are there. */
typedef struct fe_result {
  uint32_t status; /* fe_status */
  fe_string log;
  const fe_diagnostic *diagnostics;
  size_t diagnostic_count;
  LLVMModuleRef module;
  const fe_kernel *kernels;
  size_t kernel_count;
  const fe_device_global *device_globals;
  size_t device_global_count;
  /* For each registered name of the job, the raw name of a kernel or the symbol of a device global. */
  const fe_string *registered_symbols;
  /* What the options say besides. */
  uint32_t optimization_level; /* 0 to 3 */
  uint32_t code_split;         /* fe_code_split */
  fe_string driver_options;
  /* Where the result of -ftime-trace is to go, "-" for standard output; data is null without the option. */
  fe_string time_trace_file;
  /* The compile started behind the parsed preamble. */
  bool from_checkpoint;
  /* What `fe_preamble_files` tells are files of this compile. */
  bool shares_preamble;
  /* What was looked at in the real file system, sorted; without the preamble's if the compile started behind it. */
  const fe_dependency *dependencies;
  size_t dependency_count;
  /* The preamble had been precompiled. */
  bool from_precompiled;
} fe_result;

/* Bytes of a preamble's key. */
enum { FE_KEY_SIZE = 32 };

typedef struct fe_callbacks {
  void *user;
  /* The front end is ready. Returns in a forked process that has a job, never in the process that waits for jobs. */
  const fe_job *(*next)(void *user);
  /* A preamble is about to be parsed; `key` says which. True: `stay` is to be called behind it. False: nobody will come back
   * to it. If a process stands behind this preamble and takes the job, the call does not return. `always` says that reuse is
   * asked for, whatever it saves. */
  bool (*claim)(void *user, const uint8_t key[FE_KEY_SIZE], bool always);
  /* The claimed preamble is parsed; not `usable` if that cannot serve another text. True in a process that is to wait, in
   * `next`, for jobs with the same preamble; false in the one that goes on with the job. */
  bool (*stay)(void *user, bool usable);
  /* Whether the parsed preamble fits the job that `next` gave to a process that stayed. Returns only if it does. */
  void (*accept)(void *user, bool fits);
  /* The compile is over. Does not return. */
  void (*done)(void *user, const fe_result *result);
} fe_callbacks;

/* Parses the preamble, or takes the precompiled one, and hands over to `next`. Does not return. */
void fe_serve(const fe_config *config, const fe_callbacks *callbacks);

/* What was looked at in the real file system up to the checkpoint, sorted. To be called within `next`; valid until it
 * returns. */
void fe_preamble_files(const fe_dependency **rows, size_t *count);

/* The same for a preamble that this process stayed behind. */
void fe_checkpoint_files(const fe_dependency **rows, size_t *count);

/* To be called in `next` by the process that waits: does about a millisecond of work that otherwise each compile behind a
 * precompiled preamble would do. False if nothing is left. */
bool fe_read_ahead(void);

/* Precompiles the preamble. False if it cannot be: it does not compile, or not silently. For a process of its own; the result
 * lives as long as that. */
bool fe_precompile(const fe_config *config, fe_precompiled *result);

/* What came up since `done` was called. Borrowed until the process ends. */
typedef struct fe_epilogue {
  /* Remarks and warnings of the passes that ran on the module. */
  fe_string log;
  const fe_diagnostic *diagnostics;
  size_t diagnostic_count;
  /* Empty without -ftime-trace. */
  fe_string time_trace_json;
} fe_epilogue;

/* To be called once, within `done`, when the work on the module is over. */
void fe_finish(fe_epilogue *epilogue);

/* Version of the clang inside, e.g. "22.1.8". Static. */
const char *fe_clang_version(void);

#ifdef __cplusplus
}
#endif
#endif
