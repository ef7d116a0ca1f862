// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// SYCL feature-test macros. Only what works today is defined: a program that tests a macro may rely on it.

#ifndef SYCL_LANGUAGE_VERSION
#define SYCL_LANGUAGE_VERSION 202012L
#endif

#ifndef SYCL_DEVICE_COPYABLE
#define SYCL_DEVICE_COPYABLE 1
#endif

#define SYCL_EXT_ONEAPI_KERNEL_COMPILER 1
#define SYCL_EXT_ONEAPI_KERNEL_COMPILER_OPENCL 1
#define SYCL_EXT_ONEAPI_KERNEL_COMPILER_SPIRV 1
#define SYCL_EXT_ONEAPI_PROPERTIES 1
#define SYCL_EXT_ONEAPI_KERNEL_PROPERTIES 1
#define SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS 1
#define SYCL_EXT_ONEAPI_FREE_FUNCTION_QUERIES 1
#define SYCL_EXT_ONEAPI_RANGE_TYPE 1
#define SYCL_EXT_ONEAPI_DEVICE_GLOBAL 1

// Of the host interface.
#define SYCL_EXT_ONEAPI_ENQUEUE_FUNCTIONS 1
#define SYCL_EXT_ONEAPI_ENQUEUE_BARRIER 1
#define SYCL_EXT_ONEAPI_RAW_KERNEL_ARG 1
#define SYCL_EXT_ONEAPI_SYCLBIN 1

// This project's own extensions, docs/extensions.md.
#define SYCL_EXT_SYCLRTC 1
