// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of a finished compile in the form of frontend.h.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "device_globals.h"
#include "frontend.h"
#include "kernels.h"

namespace syclrtc {

/// Rows that point into the lists that they are made from, which have to outlive them.
class ResultTables {
public:
  ResultTables(const std::vector<Kernel> &kernels, const std::vector<DeviceGlobal> &globals,
               const std::vector<std::string> &registeredSymbols);
  ResultTables(const ResultTables &) = delete;
  ResultTables &operator=(const ResultTables &) = delete;

  void store(fe_result &result) const;

private:
  std::deque<std::vector<fe_local_object>> localObjects;
  std::deque<std::vector<fe_parameter>> parameters;
  std::vector<fe_kernel> kernels;
  std::vector<fe_device_global> globals;
  std::vector<fe_string> registeredSymbols;
};

} // namespace syclrtc
