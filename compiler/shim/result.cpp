// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "result.h"

#include "text.h"

namespace syclrtc {
namespace {

fe_sizes sizes(const std::vector<uint64_t> &values) {
  fe_sizes result{};
  for (uint64_t value : values)
    if (result.count != 3)
      result.values[result.count++] = value;
  return result;
}

fe_kernel row(const Kernel &kernel, const std::vector<fe_parameter> &parameters) {
  const FunctionProperties &properties = kernel.properties;
  fe_kernel row{};
  row.function = borrow(kernel.symbol);
  row.raw_name = borrow(kernel.rawName);
  row.plain_name = kernel.plainName ? borrow(*kernel.plainName) : fe_string{nullptr, 0};
  row.defined = kernel.defined;
  row.dimensions = kernel.dimensions;
  row.parameters = parameters.data();
  row.parameter_count = parameters.size();
  row.work_group_size = sizes(properties.workGroupSize);
  row.work_group_size_hint = sizes(properties.workGroupSizeHint);
  row.max_work_group_size = sizes(properties.maxWorkGroupSize);
  row.max_linear_work_group_size = properties.maxLinearWorkGroupSize;
  row.sub_group_size = properties.subGroupSize;
  row.has_range_max = properties.rangeMax.has_value();
  row.range_max = properties.rangeMax.value_or(0);
  row.aspects = properties.aspects.data();
  row.aspect_count = properties.aspects.size();
  return row;
}

} // namespace

ResultTables::ResultTables(const std::vector<Kernel> &theKernels, const std::vector<DeviceGlobal> &theGlobals,
                           const std::vector<std::string> &theSymbols) {
  for (const Kernel &kernel : theKernels) {
    std::vector<fe_parameter> &list = parameters.emplace_back();
    for (const Parameter &parameter : kernel.parameters) {
      std::vector<fe_local_object> &objects = localObjects.emplace_back();
      for (const LocalObject &object : parameter.local)
        objects.push_back({object.offset, object.element, object.extent});
      list.push_back({borrow(parameter.name), borrow(parameter.typeName), parameter.kind, parameter.size, parameter.align,
                      objects.data(), objects.size()});
    }
    kernels.push_back(row(kernel, list));
  }
  for (const DeviceGlobal &global : theGlobals)
    globals.push_back({borrow(global.name), borrow(global.symbol), global.size, global.align, global.imageScope,
                       global.external, global.defined});
  for (const std::string &symbol : theSymbols)
    registeredSymbols.push_back(borrow(symbol));
}

void ResultTables::store(fe_result &result) const {
  result.kernels = kernels.data();
  result.kernel_count = kernels.size();
  result.device_globals = globals.data();
  result.device_global_count = globals.size();
  result.registered_symbols = registeredSymbols.data();
}

} // namespace syclrtc
