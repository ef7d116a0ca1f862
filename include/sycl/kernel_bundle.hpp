// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

#include <sycl/context.hpp>
#include <sycl/detail/call.hpp>
#include <sycl/device.hpp>
#include <sycl/device_image.hpp>
#include <sycl/ext/oneapi/experimental/kernel_compiler_properties.hpp>
#include <sycl/feature_test.hpp>
#include <sycl/kernel.hpp>
#include <sycl/kernel_bundle_enums.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>
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

template <bool Condition> using require = std::enable_if_t<Condition, int>;

} // namespace detail

/// SYCL 2020, 4.11.8, with what sycl_ext_oneapi_kernel_compiler adds. A member that a state does not have takes no part
/// in overload resolution.
template <bundle_state State> class kernel_bundle : public detail::kernel_bundle_base {
  static constexpr bool from_source = State == bundle_state::ext_oneapi_source;
  static constexpr bool executable = State == bundle_state::executable;

public:
  using device_image_type = device_image<State>;

  [[nodiscard]] friend bool operator==(const kernel_bundle &a, const kernel_bundle &b) noexcept {
    return a.handle_.get() == b.handle_.get();
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

  class device_image_iterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = device_image_type;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = device_image_type;

    [[nodiscard]] device_image_type operator*() const { return device_image_type(bundle_, index_); }
    device_image_iterator &operator++() noexcept {
      ++index_;
      return *this;
    }
    device_image_iterator operator++(int) {
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
    device_image_iterator(const detail::kernel_bundle_handle &bundle, std::size_t index) noexcept
        : bundle_(bundle), index_(index) {}

    detail::kernel_bundle_handle bundle_;
    std::size_t index_;
  };

  template <bool Has = !from_source, detail::require<Has> = 0> [[nodiscard]] device_image_iterator begin() const {
    return device_image_iterator(this->handle_, 0);
  }
  template <bool Has = !from_source, detail::require<Has> = 0> [[nodiscard]] device_image_iterator end() const {
    return device_image_iterator(this->handle_, image_count());
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

/// Identifiers of the application's kernels, of which there are none.
[[nodiscard]] inline std::vector<kernel_id> get_kernel_ids() { return {}; }

namespace detail {

inline kernel_bundle<bundle_state::ext_oneapi_source>
create_source_bundle(const context &ctxt, ext::oneapi::experimental::source_language language, const void *source,
                     std::size_t bytes, const ext::oneapi::experimental::include_files *files) {
  std::vector<syclrtc_include_file_t> list;
  if (files != nullptr) {
    list.reserve(files->syclrtc_files().size());
    for (const auto &[name, content] : files->syclrtc_files())
      list.push_back({sizeof(syclrtc_include_file_t), view(name), view(content)});
  }
  kernel_bundle_handle bundle;
  check(syclrtc_kernel_bundle_create_from_source(object_access::raw(ctxt), language_number(language), source, bytes,
                                                 list.data(), list.size(), bundle.out()));
  return object_access::wrap<kernel_bundle<bundle_state::ext_oneapi_source>>(std::move(bundle));
}

template <class PropertyListT>
kernel_bundle<bundle_state::ext_oneapi_source>
create_source_bundle_with(const context &ctxt, ext::oneapi::experimental::source_language language, const void *source,
                          std::size_t bytes, const PropertyListT &props) {
  using ext::oneapi::experimental::include_files;
  if constexpr (PropertyListT::template has_property<include_files>()) {
    if (language != ext::oneapi::experimental::source_language::sycl)
      throw exception(make_error_code(errc::invalid), "only the language sycl supports the property include_files");
    const include_files files = props.template get_property<include_files>();
    return create_source_bundle(ctxt, language, source, bytes, &files);
  } else {
    return create_source_bundle(ctxt, language, source, bytes, nullptr);
  }
}

/// `log`, if not null, gets the log of success and failure alike.
inline kernel_bundle<bundle_state::executable>
build_source_bundle(const kernel_bundle<bundle_state::ext_oneapi_source> &source, const std::vector<device> &devices,
                    const std::vector<std::string> &options, const std::vector<std::string> &names, std::string *log) {
  const auto device_pointers = raw_list(devices);
  const auto option_views = views(options);
  const auto name_views = views(names);
  const syclrtc_build_options_t request = {sizeof(syclrtc_build_options_t), option_views.data(), option_views.size(),
                                           name_views.data(), name_views.size()};
  kernel_bundle_handle built;
  text built_log;
  syclrtc_error_t *answer =
      syclrtc_kernel_bundle_build(object_access::raw(source), device_pointers.data(), device_pointers.size(), &request,
                                  built.out(), log != nullptr ? built_log.out() : nullptr);
  if (answer != nullptr) {
    const error failure(answer);
    if (log != nullptr)
      *log = failure.log();
    throw_error(failure);
  }
  if (log != nullptr)
    *log = built_log.str();
  return object_access::wrap<kernel_bundle<bundle_state::executable>>(std::move(built));
}

} // namespace detail

namespace ext::oneapi::experimental {

/// A source bundle of a text language. The text is copied; it is not looked at before it is built.
template <typename PropertyListT = empty_properties_t, detail::require_only<PropertyListT, include_files> = 0>
[[nodiscard]] kernel_bundle<bundle_state::ext_oneapi_source>
create_kernel_bundle_from_source(const context &ctxt, source_language lang, const std::string &source,
                                 PropertyListT props = {}) {
  if (lang == source_language::spirv)
    throw exception(make_error_code(errc::invalid), "the language spirv takes bytes, not text");
  return sycl::detail::create_source_bundle_with(ctxt, lang, source.data(), source.size(), props);
}

/// A source bundle of a binary language.
template <typename PropertyListT = empty_properties_t, detail::require_only<PropertyListT, include_files> = 0>
[[nodiscard]] kernel_bundle<bundle_state::ext_oneapi_source>
create_kernel_bundle_from_source(const context &ctxt, source_language lang, const std::vector<std::byte> &bytes,
                                 PropertyListT props = {}) {
  if (lang != source_language::spirv)
    throw exception(make_error_code(errc::invalid), "only the language spirv takes bytes; others take text");
  return sycl::detail::create_source_bundle_with(ctxt, lang, bytes.data(), bytes.size(), props);
}

/// Compiles a source bundle for some devices of its context. Throws `build`, with the log in `what()`, if the source does
/// not compile.
template <typename PropertyListT = empty_properties_t,
          detail::require_only<PropertyListT, build_options, save_log, registered_names> = 0>
[[nodiscard]] kernel_bundle<bundle_state::executable>
build(const kernel_bundle<bundle_state::ext_oneapi_source> &sourceBundle, const std::vector<device> &devs,
      PropertyListT props = {}) {
  std::vector<std::string> options;
  std::vector<std::string> names;
  std::string *log = nullptr;
  if constexpr (PropertyListT::template has_property<build_options>())
    options = props.template get_property<build_options>().opts;
  if constexpr (PropertyListT::template has_property<registered_names>())
    names = props.template get_property<registered_names>().names;
  if constexpr (PropertyListT::template has_property<save_log>())
    log = props.template get_property<save_log>().log;
  return sycl::detail::build_source_bundle(sourceBundle, devs, options, names, log);
}

/// The same for all devices of the context.
template <typename PropertyListT = empty_properties_t,
          detail::require_only<PropertyListT, build_options, save_log, registered_names> = 0>
[[nodiscard]] kernel_bundle<bundle_state::executable>
build(const kernel_bundle<bundle_state::ext_oneapi_source> &sourceBundle, PropertyListT props = {}) {
  return build(sourceBundle, sourceBundle.get_context().get_devices(), std::move(props));
}

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl

template <sycl::bundle_state State>
struct std::hash<sycl::kernel_bundle<State>> : sycl::detail::reference_hash<sycl::kernel_bundle<State>> {};

#endif
