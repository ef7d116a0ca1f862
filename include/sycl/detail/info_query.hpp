// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/detail/call.hpp>
#include <sycl/info/info_desc.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Reads the value of a descriptor in the shape that its `return_type` asks for.
template <class Return> struct info_reader {
  template <class Wire, class Fetch> static Return read(Fetch fetch) {
    return static_cast<Return>(fetch_value<Wire>(fetch));
  }
};
template <> struct info_reader<bool> {
  template <class Wire, class Fetch> static bool read(Fetch fetch) { return fetch_value<Wire>(fetch) != 0; }
};
template <> struct info_reader<std::string> {
  template <class Wire, class Fetch> static std::string read(Fetch fetch) { return fetch_text(fetch); }
};
template <class T> struct info_reader<std::vector<T>> {
  template <class Wire, class Fetch> static std::vector<T> read(Fetch fetch) { return fetch_array<T>(fetch); }
};
/// Three sizes in SYCL order, of which the last `Dimensions` count.
template <int Dimensions> struct info_reader<range<Dimensions>> {
  struct sizes {
    std::size_t values[3];
  };
  template <class Wire, class Fetch> static range<Dimensions> read(Fetch fetch) {
    const sizes all = fetch_value<sizes>(fetch);
    range<Dimensions> result;
    for (int i = 0; i < Dimensions; ++i)
      result[i] = all.values[3 - Dimensions + i];
    return result;
  }
};

template <class Descriptor, class Fetch> typename Descriptor::return_type read_info(Fetch fetch) {
  return info_reader<typename Descriptor::return_type>::template read<typename Descriptor::wire_type>(fetch);
}

} // namespace detail
} // namespace _V1
} // namespace sycl
