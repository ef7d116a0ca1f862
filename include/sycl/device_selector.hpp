// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/device.hpp>

#include <string>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Scores of the selectors below. A device that runs kernels from source is preferred among its equals, since that is
/// what a program that uses this library needs.
inline int score_by_kind(const device &candidate) {
  int score = 0;
  if (candidate.is_gpu())
    score = 500;
  else if (candidate.is_cpu())
    score = 300;
  else if (candidate.is_accelerator())
    score = 75;
  if (candidate.ext_oneapi_can_build(ext::oneapi::experimental::source_language::sycl))
    score += 50;
  return score;
}

struct default_selector {
  int operator()(const device &candidate) const { return score_by_kind(candidate); }
};
struct cpu_selector {
  int operator()(const device &candidate) const { return candidate.is_cpu() ? score_by_kind(candidate) : -1; }
};
struct gpu_selector {
  int operator()(const device &candidate) const { return candidate.is_gpu() ? score_by_kind(candidate) : -1; }
};
struct accelerator_selector {
  int operator()(const device &candidate) const { return candidate.is_accelerator() ? score_by_kind(candidate) : -1; }
};
class aspects_selector {
public:
  aspects_selector(std::vector<aspect> required, std::vector<aspect> denied)
      : required_(std::move(required)), denied_(std::move(denied)) {}

  int operator()(const device &candidate) const {
    for (const aspect each : required_) {
      if (!candidate.has(each))
        return -1;
    }
    for (const aspect each : denied_) {
      if (candidate.has(each))
        return -1;
    }
    return score_by_kind(candidate);
  }

private:
  std::vector<aspect> required_;
  std::vector<aspect> denied_;
};

/// The device with the highest score that is not negative; the first of equals. What a selector throws passes through.
template <class Selector> device select_device(const Selector &selector) {
  const std::vector<device> all = device::get_devices();
  const device *best = nullptr;
  int best_score = -1;
  for (const device &each : all) {
    const int score = selector(each);
    if (score > best_score) {
      best_score = score;
      best = &each;
    }
  }
  if (best != nullptr)
    return *best;

  std::string message = all.empty() ? "there is no device" : "no device matches the selector";
  text report;
  check(syclrtc_platform_discovery_report(report.out()));
  const std::string found = report.str();
  if (!found.empty())
    message.append("\n").append(found);
  throw exception(make_error_code(errc::runtime), message);
}

} // namespace detail

inline constexpr detail::default_selector default_selector_v{};
inline constexpr detail::cpu_selector cpu_selector_v{};
inline constexpr detail::gpu_selector gpu_selector_v{};
inline constexpr detail::accelerator_selector accelerator_selector_v{};

/// Selects by aspects: all of the first list, none of the second.
[[nodiscard]] inline auto aspect_selector(const std::vector<aspect> &required,
                                          const std::vector<aspect> &denied = {}) {
  return detail::aspects_selector(required, denied);
}
template <class... Aspects, std::enable_if_t<(std::is_same_v<Aspects, aspect> && ...), int> = 0>
[[nodiscard]] auto aspect_selector(Aspects... required) {
  return detail::aspects_selector({required...}, {});
}
template <aspect... Aspects> [[nodiscard]] auto aspect_selector() {
  return detail::aspects_selector({Aspects...}, {});
}

inline device::device() : device(default_selector_v) {}
template <class Selector, detail::require_selector<Selector>>
device::device(const Selector &selector) : device(detail::select_device(selector)) {}

inline platform::platform() : platform(default_selector_v) {}
template <class Selector, detail::require_selector<Selector>>
platform::platform(const Selector &selector) : platform(device(selector).get_platform()) {}

} // namespace _V1
} // namespace sycl

#endif
