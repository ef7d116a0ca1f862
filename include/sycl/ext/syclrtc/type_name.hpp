// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#ifdef __SYCL_DEVICE_ONLY__
#include <sycl/detail/device.hpp>
#else

// The name of a type in device code, for `registered_names`. An extension of this project.

#include <sycl/exception.hpp>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>

#if defined(__GXX_RTTI) || defined(__cpp_rtti)
#define SYCLRTC_DETAIL_RTTI 1
#include <cxxabi.h>
#include <typeinfo>
#else
#define SYCLRTC_DETAIL_RTTI 0
#endif

namespace sycl {
inline namespace _V1 {
namespace ext::syclrtc {
namespace detail {

/// A type whose name holds that of `T` with all of its qualifiers. It is never complete, nor need `T` be.
template <class T> struct type_tag;

/// As the compiler shows it in messages. GCC explains further names behind a semicolon.
template <class T> constexpr const char *message() { return __PRETTY_FUNCTION__; }
template <class T> std::string shown_type() {
  const std::string text = message<T>();
  const std::size_t first = text.find("T = ") + 4;
  const std::size_t last = text.find(';', first);
  return text.substr(first, (last != std::string::npos ? last : text.rfind(']')) - first);
}

inline bool contains(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

/// What compilers and demanglers write in place of a name that nobody else can use.
inline bool has_private_part(const std::string &name) {
  for (const char *mark : {"(anonymous", "{anonymous}", "<unnamed", "(unnamed", "{unnamed", "'unnamed", "<lambda", "(lambda",
                           "{lambda", "'lambda", "._anon", "$_", ")::"}) {
    if (contains(name, mark))
      return true;
  }
  return false;
}

/// Whether a mangled name holds a type of a function without mangled parameters, such as `main`: `Z4mainE...`, which
/// reads like a namespace when it is demangled.
inline bool has_local_part(const char *mangled) {
  const std::string text = mangled;
  for (std::size_t at = text.find('Z'); at != std::string::npos; at = text.find('Z', at + 1)) {
    std::size_t length = 0;
    std::size_t next = at + 1;
    for (; next < text.size() && text[next] >= '0' && text[next] <= '9' && length < text.size(); ++next)
      length = 10 * length + static_cast<std::size_t>(text[next] - '0');
    if (length > 0 && next + length < text.size() && text[next + length] == 'E')
      return true;
  }
  return false;
}

[[noreturn]] inline void refuse_type(const std::string &name) {
  throw exception(make_error_code(errc::invalid),
                  "no other program can name the type \"" + name +
                      "\": it is, or holds, a type that is unnamed, in an unnamed namespace, or local to a function");
}

/// `[abi:...]` marks are no part of a name.
inline std::string without_abi_tags(std::string name) {
  for (std::size_t at; (at = name.find("[abi:")) != std::string::npos;)
    name.erase(at, name.find(']', at) - at + 1);
  return name;
}

#if SYCLRTC_DETAIL_RTTI
/// The name between `type_tag<` and `>*`; empty if the demangler does not know a part of it.
template <class T> std::string demangled_type() {
  const char *const mangled = typeid(type_tag<T> *).name();
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(mangled, nullptr, nullptr, nullptr),
                                                         &std::free);
  if (!text)
    return {};
  std::string name = text.get();
  name = name.substr(name.find("type_tag<") + 9);
  name.resize(name.rfind('>'));
  while (!name.empty() && name.back() == ' ')
    name.pop_back();
  if (has_local_part(mangled))
    refuse_type(name);
  return name;
}
#endif

} // namespace detail

/// The name of a type as device code spells it, in full, so that `"k<" + type_name<T>() + ">"` registers an instantiation.
/// Throws `invalid` for a type that has no such name: one that is unnamed, in an unnamed namespace or local to a function,
/// or that is made from one.
template <class T> [[nodiscard]] std::string type_name() {
  std::string name;
#if SYCLRTC_DETAIL_RTTI
  name = detail::demangled_type<T>();
#endif
  if (name.empty())
    name = detail::shown_type<T>();
  if (detail::has_private_part(name))
    detail::refuse_type(name);
  return detail::without_abi_tags(std::move(name));
}

} // namespace ext::syclrtc
} // namespace _V1
} // namespace sycl

#undef SYCLRTC_DETAIL_RTTI

#endif
