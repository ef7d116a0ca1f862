// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "device.hpp"

int main(int argc, char **argv) {
  const int status = support::status_without_device();
  return status != 0 ? status : doctest::Context(argc, argv).run();
}
