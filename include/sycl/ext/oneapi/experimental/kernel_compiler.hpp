// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

// The functions of sycl_ext_oneapi_kernel_compiler.

#include <sycl/detail/bundle_functions.hpp>
#include <sycl/detail/kernel_bundle_class.hpp>
#include <sycl/ext/oneapi/experimental/kernel_compiler_properties.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace sycl {
inline namespace _V1 {

namespace ext::syclrtc {
struct save_diagnostics;
} // namespace ext::syclrtc

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

/// The properties of `compile` and `build`.
struct source_options {
  std::vector<std::string> options;
  std::vector<std::string> names;
  std::string *log = nullptr;
};

template <class PropertyListT> source_options source_options_of(const PropertyListT &props) {
  using namespace ext::oneapi::experimental;
  source_options found;
  if constexpr (PropertyListT::template has_property<build_options>())
    found.options = props.template get_property<build_options>().opts;
  if constexpr (PropertyListT::template has_property<registered_names>())
    found.names = props.template get_property<registered_names>().names;
  if constexpr (PropertyListT::template has_property<save_log>())
    found.log = props.template get_property<save_log>().log;
  return found;
}

/// The same as C takes them, with the devices. Points into what it is made from.
struct build_request {
  explicit build_request(const std::vector<device> &devs, const source_options &given)
      : devices(raw_list(devs)), option_views(views(given.options)), name_views(views(given.names)),
        options{sizeof(syclrtc_build_options_t), option_views.data(), option_views.size(), name_views.data(),
                name_views.size()} {}
  build_request(const build_request &) = delete;
  build_request &operator=(const build_request &) = delete;

  std::vector<syclrtc_device_t *> devices;
  std::vector<syclrtc_string_view_t> option_views;
  std::vector<syclrtc_string_view_t> name_views;
  syclrtc_build_options_t options;
};

/// Calls `compile` or `build` of C. The log, if one is wanted, is stored on success and failure alike.
inline error_handle make_from_source(make_bundle make, const kernel_bundle<bundle_state::ext_oneapi_source> &source,
                                     const std::vector<device> &devices, const source_options &given,
                                     kernel_bundle_handle &made) {
  const build_request request(devices, given);
  text log;
  error_handle failure(make(object_access::raw(source), request.devices.data(), request.devices.size(), &request.options,
                            made.out(), given.log != nullptr ? log.out() : nullptr));
  if (given.log != nullptr)
    *given.log = failure.get() != nullptr ? log_of(failure) : log.str();
  return failure;
}

template <bundle_state Result, class PropertyListT>
kernel_bundle<Result> from_source(make_bundle make, const kernel_bundle<bundle_state::ext_oneapi_source> &source,
                                  const std::vector<device> &devices, const PropertyListT &props) {
  using ext::syclrtc::save_diagnostics;
  kernel_bundle_handle made;
  error_handle failure = make_from_source(make, source, devices, source_options_of(props), made);
  // A list that holds the property has its header; here its name is enough.
  if constexpr (PropertyListT::template has_property<save_diagnostics>())
    props.template get_property<save_diagnostics>().syclrtc_save(failure, made);
  if (failure.get() != nullptr)
    throw object_access::wrap<exception>(std::move(failure));
  return object_access::wrap<kernel_bundle<Result>>(std::move(made));
}

template <class PropertyListT> syclrtc_link_options_t link_options_of(const PropertyListT &props) {
  using ext::oneapi::experimental::fast_link;
  syclrtc_link_options_t options = {sizeof(syclrtc_link_options_t), 0};
  if constexpr (PropertyListT::template has_property<fast_link>())
    options.fast_link = props.template get_property<fast_link>().value ? 1 : 0;
  return options;
}

} // namespace detail

namespace ext::oneapi::experimental {
namespace detail {

template <class List>
using require_source_options = require_only<List, build_options, save_log, registered_names, ext::syclrtc::save_diagnostics>;

} // namespace detail

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

/// Compiles a source bundle to an object bundle for some devices of its context. What is `SYCL_EXTERNAL` may stay open
/// until the link. Throws `build`, with the log in `what()`, if the source does not compile.
template <typename PropertyListT = empty_properties_t, detail::require_source_options<PropertyListT> = 0>
[[nodiscard]] kernel_bundle<bundle_state::object>
compile(const kernel_bundle<bundle_state::ext_oneapi_source> &sourceBundle, const std::vector<device> &devs,
        PropertyListT props = {}) {
  return sycl::detail::from_source<bundle_state::object>(syclrtc_kernel_bundle_compile, sourceBundle, devs, props);
}

/// The same for all devices of the context.
template <typename PropertyListT = empty_properties_t, detail::require_source_options<PropertyListT> = 0>
[[nodiscard]] kernel_bundle<bundle_state::object>
compile(const kernel_bundle<bundle_state::ext_oneapi_source> &sourceBundle, PropertyListT props = {}) {
  return compile(sourceBundle, sourceBundle.get_context().get_devices(), std::move(props));
}

/// Builds a source bundle for some devices of its context. Throws `build`, with the log in `what()`, if the source does
/// not compile.
template <typename PropertyListT = empty_properties_t, detail::require_source_options<PropertyListT> = 0>
[[nodiscard]] kernel_bundle<bundle_state::executable>
build(const kernel_bundle<bundle_state::ext_oneapi_source> &sourceBundle, const std::vector<device> &devs,
      PropertyListT props = {}) {
  return sycl::detail::from_source<bundle_state::executable>(syclrtc_kernel_bundle_build, sourceBundle, devs, props);
}

/// The same for all devices of the context.
template <typename PropertyListT = empty_properties_t, detail::require_source_options<PropertyListT> = 0>
[[nodiscard]] kernel_bundle<bundle_state::executable>
build(const kernel_bundle<bundle_state::ext_oneapi_source> &sourceBundle, PropertyListT props = {}) {
  return build(sourceBundle, sourceBundle.get_context().get_devices(), std::move(props));
}

/// Links objects for some devices that all of them have. Throws `invalid` for a symbol that none or several of them
/// define, and `build` if the parts do not fit or the driver refuses the whole.
template <typename PropertyListT = empty_properties_t, detail::require_only<PropertyListT, fast_link> = 0>
[[nodiscard]] kernel_bundle<bundle_state::executable>
link(const std::vector<kernel_bundle<bundle_state::object>> &objectBundles, const std::vector<device> &devs,
     PropertyListT props = {}) {
  const syclrtc_link_options_t options = sycl::detail::link_options_of(props);
  return sycl::detail::link_objects(objectBundles, devs, &options);
}

template <typename PropertyListT = empty_properties_t, detail::require_only<PropertyListT, fast_link> = 0>
[[nodiscard]] kernel_bundle<bundle_state::executable> link(const kernel_bundle<bundle_state::object> &objectBundle,
                                                           const std::vector<device> &devs, PropertyListT props = {}) {
  return link(std::vector<kernel_bundle<bundle_state::object>>{objectBundle}, devs, std::move(props));
}

/// For all devices that the bundles have in common.
template <typename PropertyListT = empty_properties_t, detail::require_only<PropertyListT, fast_link> = 0>
[[nodiscard]] kernel_bundle<bundle_state::executable>
link(const std::vector<kernel_bundle<bundle_state::object>> &objectBundles, PropertyListT props = {}) {
  return link(objectBundles, sycl::detail::common_devices(objectBundles), std::move(props));
}

template <typename PropertyListT = empty_properties_t, detail::require_only<PropertyListT, fast_link> = 0>
[[nodiscard]] kernel_bundle<bundle_state::executable> link(const kernel_bundle<bundle_state::object> &objectBundle,
                                                           PropertyListT props = {}) {
  return link(objectBundle, objectBundle.get_devices(), std::move(props));
}

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl

#endif
