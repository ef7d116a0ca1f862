// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

// The functions of SYCL 2020 on kernel bundles (4.11.9 to 4.11.11). Those that look for kernels of the application find
// none.

#include <sycl/detail/kernel_bundle_class.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// A null `options` is for those without.
inline kernel_bundle<bundle_state::executable> link_objects(const std::vector<kernel_bundle<bundle_state::object>> &objects,
                                                            const std::vector<device> &devices,
                                                            const syclrtc_link_options_t *options) {
  const auto object_pointers = raw_list(objects);
  const auto device_pointers = raw_list(devices);
  kernel_bundle_handle linked;
  check(syclrtc_kernel_bundle_link(object_pointers.data(), object_pointers.size(), device_pointers.data(),
                                   device_pointers.size(), options, linked.out()));
  return object_access::wrap<kernel_bundle<bundle_state::executable>>(std::move(linked));
}

/// The devices that all bundles have.
inline std::vector<device> common_devices(const std::vector<kernel_bundle<bundle_state::object>> &bundles) {
  std::vector<device> common;
  for (const auto &bundle : bundles) {
    const std::vector<device> devices = bundle.get_devices();
    if (&bundle == &bundles.front()) {
      common = devices;
      continue;
    }
    std::vector<device> both;
    for (const device &each : common) {
      for (const device &other : devices) {
        if (each == other)
          both.push_back(each);
      }
    }
    common.swap(both);
  }
  return common;
}

template <bundle_state State>
kernel_bundle<State> empty_bundle(const context &ctxt, const std::vector<device> &devices) {
  const auto pointers = raw_list(devices);
  kernel_bundle_handle bundle;
  check(syclrtc_kernel_bundle_create_empty(object_access::raw(ctxt), pointers.data(), pointers.size(), state_number(State),
                                           bundle.out()));
  return object_access::wrap<kernel_bundle<State>>(std::move(bundle));
}

/// `compile` and `build` of C.
using make_bundle = decltype(&syclrtc_kernel_bundle_build);

template <bundle_state Result>
kernel_bundle<Result> from_input(make_bundle make, const kernel_bundle<bundle_state::input> &input,
                                 const std::vector<device> &devices) {
  const auto pointers = raw_list(devices);
  kernel_bundle_handle made;
  check(make(object_access::raw(input), pointers.data(), pointers.size(), nullptr, made.out(), nullptr));
  return object_access::wrap<kernel_bundle<Result>>(std::move(made));
}

template <bundle_state State> inline constexpr bool is_source = State == bundle_state::ext_oneapi_source;

template <class Selector, bundle_state State>
using require_image_selector =
    std::enable_if_t<!is_source<State> && std::is_invocable_r_v<bool, Selector &, const device_image<State> &>, int>;

} // namespace detail

/// Identifiers of the application's kernels, of which there are none.
[[nodiscard]] inline std::vector<kernel_id> get_kernel_ids() { return {}; }

/// True if the device can run all of the kernels.
[[nodiscard]] inline bool is_compatible(const std::vector<kernel_id> &ids, const device &) { return ids.empty(); }

// get_kernel_bundle: an empty bundle, once the context and the devices are fit for the state.

template <bundle_state State, detail::require<!detail::is_source<State>> = 0>
[[nodiscard]] kernel_bundle<State> get_kernel_bundle(const context &ctxt, const std::vector<device> &devs) {
  return detail::empty_bundle<State>(ctxt, devs);
}
template <bundle_state State, detail::require<!detail::is_source<State>> = 0>
[[nodiscard]] kernel_bundle<State> get_kernel_bundle(const context &ctxt) {
  return detail::empty_bundle<State>(ctxt, ctxt.get_devices());
}
template <bundle_state State, detail::require<!detail::is_source<State>> = 0>
[[nodiscard]] kernel_bundle<State> get_kernel_bundle(const context &ctxt, const std::vector<device> &devs,
                                                     const std::vector<kernel_id> &) {
  return detail::empty_bundle<State>(ctxt, devs);
}
template <bundle_state State, detail::require<!detail::is_source<State>> = 0>
[[nodiscard]] kernel_bundle<State> get_kernel_bundle(const context &ctxt, const std::vector<kernel_id> &) {
  return detail::empty_bundle<State>(ctxt, ctxt.get_devices());
}
template <bundle_state State, class Selector, detail::require_image_selector<Selector, State> = 0>
[[nodiscard]] kernel_bundle<State> get_kernel_bundle(const context &ctxt, const std::vector<device> &devs, Selector) {
  return detail::empty_bundle<State>(ctxt, devs);
}
template <bundle_state State, class Selector, detail::require_image_selector<Selector, State> = 0>
[[nodiscard]] kernel_bundle<State> get_kernel_bundle(const context &ctxt, Selector) {
  return detail::empty_bundle<State>(ctxt, ctxt.get_devices());
}

// has_kernel_bundle: whether the above would hold a kernel.

template <bundle_state State, detail::require<!detail::is_source<State>> = 0>
[[nodiscard]] bool has_kernel_bundle(const context &ctxt, const std::vector<device> &devs) {
  // A device that cannot have bundles of this state is no error here.
  return !detail::empty_bundle<bundle_state::executable>(ctxt, devs).empty();
}
template <bundle_state State, detail::require<!detail::is_source<State>> = 0>
[[nodiscard]] bool has_kernel_bundle(const context &ctxt) {
  return has_kernel_bundle<State>(ctxt, ctxt.get_devices());
}
template <bundle_state State, detail::require<!detail::is_source<State>> = 0>
[[nodiscard]] bool has_kernel_bundle(const context &ctxt, const std::vector<device> &devs,
                                     const std::vector<kernel_id> &) {
  return has_kernel_bundle<State>(ctxt, devs);
}
template <bundle_state State, detail::require<!detail::is_source<State>> = 0>
[[nodiscard]] bool has_kernel_bundle(const context &ctxt, const std::vector<kernel_id> &) {
  return has_kernel_bundle<State>(ctxt);
}

/// One bundle with the images of several, which have the same context and devices.
template <bundle_state State, detail::require<!detail::is_source<State>> = 0>
[[nodiscard]] kernel_bundle<State> join(const std::vector<kernel_bundle<State>> &bundles) {
  const auto pointers = detail::raw_list(bundles);
  detail::kernel_bundle_handle joined;
  detail::check(syclrtc_kernel_bundle_join(pointers.data(), pointers.size(), joined.out()));
  return detail::object_access::wrap<kernel_bundle<State>>(std::move(joined));
}

[[nodiscard]] inline kernel_bundle<bundle_state::object> compile(const kernel_bundle<bundle_state::input> &inputBundle,
                                                                 const std::vector<device> &devs,
                                                                 const property_list & = {}) {
  return detail::from_input<bundle_state::object>(syclrtc_kernel_bundle_compile, inputBundle, devs);
}
[[nodiscard]] inline kernel_bundle<bundle_state::object> compile(const kernel_bundle<bundle_state::input> &inputBundle,
                                                                 const property_list &props = {}) {
  return compile(inputBundle, inputBundle.get_devices(), props);
}

[[nodiscard]] inline kernel_bundle<bundle_state::executable>
build(const kernel_bundle<bundle_state::input> &inputBundle, const std::vector<device> &devs,
      const property_list & = {}) {
  return detail::from_input<bundle_state::executable>(syclrtc_kernel_bundle_build, inputBundle, devs);
}
[[nodiscard]] inline kernel_bundle<bundle_state::executable>
build(const kernel_bundle<bundle_state::input> &inputBundle, const property_list &props = {}) {
  return build(inputBundle, inputBundle.get_devices(), props);
}

/// Links objects for some devices that all of them have.
[[nodiscard]] inline kernel_bundle<bundle_state::executable>
link(const std::vector<kernel_bundle<bundle_state::object>> &objectBundles, const std::vector<device> &devs,
     const property_list & = {}) {
  return detail::link_objects(objectBundles, devs, nullptr);
}
[[nodiscard]] inline kernel_bundle<bundle_state::executable>
link(const kernel_bundle<bundle_state::object> &objectBundle, const std::vector<device> &devs,
     const property_list &props = {}) {
  return link(std::vector<kernel_bundle<bundle_state::object>>{objectBundle}, devs, props);
}
/// For all devices that the bundles have in common.
[[nodiscard]] inline kernel_bundle<bundle_state::executable>
link(const std::vector<kernel_bundle<bundle_state::object>> &objectBundles, const property_list &props = {}) {
  return link(objectBundles, detail::common_devices(objectBundles), props);
}
[[nodiscard]] inline kernel_bundle<bundle_state::executable>
link(const kernel_bundle<bundle_state::object> &objectBundle, const property_list &props = {}) {
  return link(objectBundle, objectBundle.get_devices(), props);
}

} // namespace _V1
} // namespace sycl

#endif
