// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/context.hpp>
#include <sycl/detail/call.hpp>
#include <sycl/device.hpp>
#include <sycl/device_image.hpp>
#include <sycl/feature_test.hpp>
#include <sycl/kernel.hpp>
#include <sycl/kernel_bundle_enums.hpp>

#include <sycl/property_list.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace sycl {
inline namespace _V1 {
namespace detail {

/// The work of `kernel_bundle`, whatever its state. Which member a state has is decided there.
class kernel_bundle_base {
public:
  [[nodiscard]] context get_context() const {
    context_handle found;
    check(syclrtc_kernel_bundle_context(handle_.get(), found.out()));
    return object_access::wrap<context>(std::move(found));
  }
  [[nodiscard]] backend get_backend() const { return get_context().get_backend(); }
  [[nodiscard]] std::vector<device> get_devices() const {
    return fetch_list<device, device_handle>([this](std::size_t capacity, syclrtc_device_t **list, std::size_t *count) {
      return syclrtc_kernel_bundle_devices(handle_.get(), capacity, list, count);
    });
  }

protected:
  explicit kernel_bundle_base(kernel_bundle_handle handle) noexcept : handle_(std::move(handle)) {}

  [[nodiscard]] std::size_t image_count() const {
    std::size_t count = 0;
    check(syclrtc_kernel_bundle_image_count(handle_.get(), &count));
    return count;
  }
  [[nodiscard]] std::vector<std::uint64_t> image_numbers() const {
    std::size_t count = 0;
    check(syclrtc_kernel_bundle_images(handle_.get(), 0, nullptr, &count));
    std::vector<std::uint64_t> numbers(count);
    check(syclrtc_kernel_bundle_images(handle_.get(), count, numbers.data(), &count));
    return numbers;
  }
  [[nodiscard]] bool has_global_name(const std::string &name) const {
    bool answer = false;
    check(syclrtc_kernel_bundle_has_device_global(handle_.get(), name.data(), name.size(), &answer));
    return answer;
  }
  [[nodiscard]] void *address_of_global(const std::string &name, const device &dev) const {
    void *address = nullptr;
    check(syclrtc_kernel_bundle_device_global_address(handle_.get(), name.data(), name.size(), object_access::raw(dev),
                                                      &address));
    return address;
  }
  [[nodiscard]] std::size_t size_of_global(const std::string &name) const {
    std::size_t bytes = 0;
    check(syclrtc_kernel_bundle_device_global_size(handle_.get(), name.data(), name.size(), &bytes));
    return bytes;
  }
  [[nodiscard]] std::vector<char> content() const {
    bytes found;
    check(syclrtc_kernel_bundle_content(handle_.get(), found.out()));
    return found.copy<std::vector<char>>();
  }
  [[nodiscard]] static bool equal(const kernel_bundle_base &a, const kernel_bundle_base &b) noexcept {
    bool answer = false;
    if (a.handle_.get() == b.handle_.get())
      return true;
    return a.handle_.get() != nullptr && b.handle_.get() != nullptr &&
           succeeded(syclrtc_kernel_bundle_equal(a.handle_.get(), b.handle_.get(), &answer)) && answer;
  }
  [[noreturn]] static void no_specialization_constant() {
    throw exception(make_error_code(errc::invalid), "the kernel bundle has no specialization constants");
  }
  [[nodiscard]] bool has_kernel_name(const std::string &name) const {
    bool answer = false;
    check(syclrtc_kernel_bundle_has_kernel(handle_.get(), name.data(), name.size(), &answer));
    return answer;
  }
  [[nodiscard]] kernel kernel_of_name(const std::string &name) const {
    kernel_handle found;
    check(syclrtc_kernel_bundle_get_kernel(handle_.get(), name.data(), name.size(), found.out()));
    return object_access::wrap<kernel>(std::move(found));
  }
  [[nodiscard]] std::string raw_name_of(const std::string &name) const {
    text found;
    check(syclrtc_kernel_bundle_raw_kernel_name(handle_.get(), name.data(), name.size(), found.out()));
    return found.str();
  }

  kernel_bundle_handle handle_;

private:
  friend object_access;
};

/// Equal bundles have equal images. Only few of them are looked at, so that no memory is needed.
inline std::size_t hash_of(const syclrtc_kernel_bundle_t *bundle, bundle_state state) noexcept {
  if (bundle == nullptr || state == bundle_state::ext_oneapi_source)
    return std::hash<const void *>()(bundle);
  std::uint64_t numbers[8] = {};
  std::size_t count = 0;
  if (!succeeded(syclrtc_kernel_bundle_images(bundle, std::size(numbers), numbers, &count)))
    return 0;
  // A sum, since the order does not count.
  std::uint64_t sum = count;
  for (std::size_t i = 0; i < count && count <= std::size(numbers); ++i)
    sum += numbers[i];
  return std::hash<std::uint64_t>()(sum);
}

inline constexpr std::uint32_t state_number(bundle_state state) noexcept {
  switch (state) {
  case bundle_state::input:
    return SYCLRTC_BUNDLE_STATE_INPUT;
  case bundle_state::object:
    return SYCLRTC_BUNDLE_STATE_OBJECT;
  case bundle_state::executable:
    return SYCLRTC_BUNDLE_STATE_EXECUTABLE;
  case bundle_state::ext_oneapi_source:
    return SYCLRTC_BUNDLE_STATE_SOURCE;
  }
  return 0;
}

template <bool Condition> using require = std::enable_if_t<Condition, int>;

} // namespace detail

/// SYCL 2020, 4.11.8, with what sycl_ext_oneapi_kernel_compiler adds. A member that a state does not have takes no part
/// in overload resolution.
template <bundle_state State> class kernel_bundle : public detail::kernel_bundle_base {
  static constexpr bool from_source = State == bundle_state::ext_oneapi_source;
  static constexpr bool executable = State == bundle_state::executable;
  static constexpr bool input = State == bundle_state::input;

public:
  using device_image_type = device_image<State>;

  /// Equal: of the same context, with the same devices and the same images. A source is equal to its copies only.
  [[nodiscard]] friend bool operator==(const kernel_bundle &a, const kernel_bundle &b) noexcept {
    return kernel_bundle::equal(a, b);
  }
  [[nodiscard]] friend bool operator!=(const kernel_bundle &a, const kernel_bundle &b) noexcept { return !(a == b); }

  /// True if the bundle has no device image.
  template <bool Has = !from_source, detail::require<Has> = 0> [[nodiscard]] bool empty() const {
    return image_count() == 0;
  }

  /// Kernels made at run time have no identifiers: these know the kernels of the application only, of which there are none.
  template <bool Has = !from_source, detail::require<Has> = 0>
  [[nodiscard]] bool has_kernel(const kernel_id &) const noexcept {
    return false;
  }
  template <bool Has = !from_source, detail::require<Has> = 0>
  [[nodiscard]] bool has_kernel(const kernel_id &, const device &) const noexcept {
    return false;
  }
  template <bool Has = !from_source, detail::require<Has> = 0>
  [[nodiscard]] std::vector<kernel_id> get_kernel_ids() const {
    return {};
  }
  template <bool Has = executable, detail::require<Has> = 0> [[nodiscard]] kernel get_kernel(const kernel_id &) const {
    throw exception(make_error_code(errc::invalid), "the kernel bundle has no kernel of this identifier");
  }
  template <bool Has = !from_source, detail::require<Has> = 0>
  [[nodiscard]] bool contains_specialization_constants() const noexcept {
    return false;
  }
  template <bool Has = !from_source, detail::require<Has> = 0>
  [[nodiscard]] bool native_specialization_constant() const noexcept {
    return false;
  }
  template <auto &SpecName, bool Has = !from_source, detail::require<Has> = 0>
  [[nodiscard]] bool has_specialization_constant() const noexcept {
    return false;
  }
  template <auto &SpecName, bool Has = !from_source, detail::require<Has> = 0>
  [[nodiscard]] typename std::remove_reference_t<decltype(SpecName)>::value_type get_specialization_constant() const {
    this->no_specialization_constant();
  }
  template <auto &SpecName, bool Has = input, detail::require<Has> = 0>
  void set_specialization_constant(typename std::remove_reference_t<decltype(SpecName)>::value_type) {
    this->no_specialization_constant();
  }

  /// True if the bundle has a kernel of this name: a registered string, the plain name of an `extern "C"` function, or a
  /// compiler-generated name.
  template <bool Has = !from_source, detail::require<Has> = 0>
  [[nodiscard]] bool ext_oneapi_has_kernel(const std::string &name) const {
    return has_kernel_name(name);
  }
  /// Throws `invalid` if there is no kernel of this name.
  template <bool Has = executable, detail::require<Has> = 0>
  [[nodiscard]] kernel ext_oneapi_get_kernel(const std::string &name) const {
    return kernel_of_name(name);
  }
  /// The compiler-generated name. Throws `invalid` if there is no kernel of this name.
  template <bool Has = !from_source, detail::require<Has> = 0>
  [[nodiscard]] std::string ext_oneapi_get_raw_kernel_name(const std::string &name) const {
    return raw_name_of(name);
  }

  /// True if the bundle has a device global of this name that the host can reach: one without `device_image_scope`. The
  /// name is qualified, or a registered string.
  template <bool Has = !from_source, detail::require<Has> = 0>
  [[nodiscard]] bool ext_oneapi_has_device_global(const std::string &name) const {
    return this->has_global_name(name);
  }
  /// Device memory that holds the variable, shared by all kernels of the bundle on the device. Throws `invalid` for an
  /// unknown name and for a device that is not the bundle's.
  template <bool Has = !from_source, detail::require<Has> = 0>
  [[nodiscard]] void *ext_oneapi_get_device_global_address(const std::string &name, const device &dev) const {
    return this->address_of_global(name, dev);
  }
  template <bool Has = !from_source, detail::require<Has> = 0>
  [[nodiscard]] std::size_t ext_oneapi_get_device_global_size(const std::string &name) const {
    return this->size_of_global(name);
  }

  /// The bundle as bytes, for `get_kernel_bundle` (sycl_ext_oneapi_syclbin).
  template <bool Has = !from_source, detail::require<Has> = 0>
  [[nodiscard]] std::vector<char> ext_oneapi_get_content() const {
    return this->content();
  }

  class device_image_iterator {
  public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = const device_image_type;
    using difference_type = std::ptrdiff_t;
    using pointer = const device_image_type *;
    using reference = const device_image_type &;

    device_image_iterator() noexcept = default;

    [[nodiscard]] reference operator*() const noexcept { return (*images_)[index_]; }
    [[nodiscard]] pointer operator->() const noexcept { return &**this; }
    device_image_iterator &operator++() noexcept {
      ++index_;
      return *this;
    }
    device_image_iterator operator++(int) noexcept {
      device_image_iterator before = *this;
      ++index_;
      return before;
    }
    friend bool operator==(const device_image_iterator &a, const device_image_iterator &b) noexcept {
      return a.index_ == b.index_;
    }
    friend bool operator!=(const device_image_iterator &a, const device_image_iterator &b) noexcept {
      return !(a == b);
    }

  private:
    friend class kernel_bundle;

    std::shared_ptr<const std::vector<device_image_type>> images_;
    std::size_t index_ = 0;
  };

  template <bool Has = !from_source, detail::require<Has> = 0> [[nodiscard]] device_image_iterator begin() const {
    std::vector<device_image_type> images;
    for (const std::uint64_t number : this->image_numbers())
      images.push_back(device_image_type(this->handle_, number));
    device_image_iterator first;
    first.images_ = std::make_shared<const std::vector<device_image_type>>(std::move(images));
    return first;
  }
  template <bool Has = !from_source, detail::require<Has> = 0> [[nodiscard]] device_image_iterator end() const {
    device_image_iterator last;
    last.index_ = this->image_count();
    return last;
  }

private:
  friend detail::object_access;
  explicit kernel_bundle(detail::kernel_bundle_handle handle) noexcept : kernel_bundle_base(std::move(handle)) {}
};

inline kernel_bundle<bundle_state::executable> kernel::get_kernel_bundle() const {
  detail::kernel_bundle_handle found;
  detail::check(syclrtc_kernel_bundle_of(handle_.get(), found.out()));
  return detail::object_access::wrap<kernel_bundle<bundle_state::executable>>(std::move(found));
}

} // namespace _V1
} // namespace sycl

template <sycl::bundle_state State> struct std::hash<sycl::kernel_bundle<State>> {
  std::size_t operator()(const sycl::kernel_bundle<State> &bundle) const noexcept {
    return sycl::detail::hash_of(sycl::detail::object_access::raw(bundle), State);
  }
};

#endif
