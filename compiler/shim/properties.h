// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties of functions: what the macro of the headers and the SYCL attributes leave in the AST.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "clang/AST/Decl.h"
#include "clang/AST/Type.h"
#include "clang/Basic/SourceLocation.h"
#include "llvm/ADT/StringRef.h"

namespace syclrtc {

/// Annotation of what is SYCL_EXTERNAL.
constexpr llvm::StringRef externalAnnotation = "syclrtc.external";

/// One property on one declaration: `property_value<Key, Arguments...>`.
struct Property {
  /// Name of the key, e.g. "work_group_size_key".
  llvm::StringRef key;
  std::vector<uint64_t> values;
  /// The argument that is a type, of range_type.
  clang::QualType type;
  clang::SourceLocation location;

  bool makesKernel() const { return key == "nd_range_kernel_key" || key == "single_task_kernel_key"; }
};

/// What a source gives a function. Empty, zero or nothing for what it does not give.
struct FunctionProperties {
  std::vector<uint64_t> workGroupSize, workGroupSizeHint, maxWorkGroupSize;
  uint64_t maxLinearWorkGroupSize = 0;
  uint32_t subGroupSize = 0;
  /// Most work-items of a launch.
  std::optional<uint64_t> rangeMax;
  /// The type of range_type, if it comes from that property.
  clang::QualType rangeType;
  std::vector<uint32_t> aspects;
};

/// The properties that stand on one declaration.
std::vector<Property> ownProperties(const clang::FunctionDecl *declaration);

/// The properties of all declarations of `function`, in order.
std::vector<Property> propertiesOf(const clang::FunctionDecl *function);

/// True if `declaration` or an earlier one of the same thing is SYCL_EXTERNAL.
bool isExternal(const clang::Decl *declaration);

/// Largest value of an integral type, at most that of 64 bits.
uint64_t largestValue(const clang::ASTContext &context, clang::QualType type);

/// The same as `properties` by name, as far as they have a meaning on all functions and `conflict` does not find fault with
/// them: it is told of each that has a second value.
FunctionProperties merge(const clang::ASTContext &context, llvm::ArrayRef<Property> properties,
                         llvm::function_ref<void(const Property &)> conflict);

} // namespace syclrtc
