// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/access/address_space.hpp>
#include <sycl/detail/defines.hpp>

#include <cstddef>
#include <iterator>
#include <type_traits>

namespace sycl {
inline namespace _V1 {

template <class T_, int Dimensions> class local_accessor;

namespace detail {

/// A pointer that says its address space to the device compiler. The host has one space.
template <class T_, access::address_space Space> struct decorated_pointer {
  using type = T_ *;
};
#ifdef __SYCL_DEVICE_ONLY__
template <class T_> struct decorated_pointer<T_, access::address_space::global_space> {
  using type = __attribute__((opencl_global)) T_ *;
};
template <class T_> struct decorated_pointer<T_, access::address_space::constant_space> {
  using type = __attribute__((opencl_global)) T_ *;
};
template <class T_> struct decorated_pointer<T_, access::address_space::local_space> {
  using type = __attribute__((opencl_local)) T_ *;
};
template <class T_> struct decorated_pointer<T_, access::address_space::private_space> {
  using type = __attribute__((opencl_private)) T_ *;
};
#endif
template <class T_, access::address_space Space> using decorated_pointer_t = typename decorated_pointer<T_, Space>::type;

/// A type without the address space that a decorated pointer gives it.
template <class T_> struct undecorated {
  using type = T_;
};
#ifdef __SYCL_DEVICE_ONLY__
template <class T_> struct undecorated<__attribute__((opencl_global)) T_> {
  using type = T_;
};
template <class T_> struct undecorated<__attribute__((opencl_local)) T_> {
  using type = T_;
};
template <class T_> struct undecorated<__attribute__((opencl_private)) T_> {
  using type = T_;
};
#endif
template <class T_> using undecorated_t = typename undecorated<T_>::type;

/// Whether a pointer to `From` may become one to `To` in another space: from any to the generic one, and by a cast back.
constexpr bool is_specific(access::address_space space) { return space != access::address_space::generic_space; }

} // namespace detail

/// A pointer into an address space (SYCL 2020, 4.7.7.1). `Decorated` says which form `get()` and `operator*` have; the address
/// and its space are the same in all.
template <class T_, access::address_space Space, access::decorated Decorated = access::decorated::legacy>
class multi_ptr {
  static constexpr bool is_void = std::is_void_v<T_>;
  static constexpr bool legacy = Decorated == access::decorated::legacy;
  using raw_pointer = std::add_pointer_t<T_>;
  using decorated_pointer = detail::decorated_pointer_t<T_, Space>;
  template <bool Condition> using when = std::enable_if_t<Condition, int>;

public:
  static constexpr bool is_decorated = Decorated != access::decorated::no;
  static constexpr access::address_space address_space = Space;

  using value_type = T_;
  using element_type = T_;
  using pointer = std::conditional_t<is_decorated, decorated_pointer, raw_pointer>;
  using reference = std::add_lvalue_reference_t<T_>;
  using pointer_t = pointer;
  using reference_t = reference;
  using iterator_category = std::random_access_iterator_tag;
  using difference_type = std::ptrdiff_t;

  multi_ptr() = default;
  multi_ptr(const multi_ptr &) = default;
  multi_ptr(multi_ptr &&) = default;
  multi_ptr(std::nullptr_t) {}
  multi_ptr &operator=(const multi_ptr &) = default;
  multi_ptr &operator=(multi_ptr &&) = default;
  multi_ptr &operator=(std::nullptr_t) {
    pointer_ = nullptr;
    return *this;
  }

  /// From a pointer that is known to be of this space; a bare one is cast, and only the legacy form takes it unasked.
  SYCLRTC_DETAIL_ALWAYS_INLINE explicit multi_ptr(decorated_pointer other) : pointer_(other) {}
  template <class From, when<legacy && std::is_convertible_v<From *, raw_pointer> &&
                             !std::is_same_v<From *, decorated_pointer>> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE multi_ptr(From *other)
      : pointer_((decorated_pointer)static_cast<raw_pointer>(other)) {}

  /// The memory of an accessor.
  template <class Element, int Dimensions,
            when<(Space == access::address_space::local_space || Space == access::address_space::generic_space) &&
                 (is_void ? (std::is_const_v<T_> || !std::is_const_v<Element>)
                          : (std::is_same_v<std::remove_const_t<Element>, std::remove_const_t<T_>> &&
                             (std::is_const_v<T_> || !std::is_const_v<Element>)))> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE multi_ptr(local_accessor<Element, Dimensions> accessor)
      : pointer_((decorated_pointer)accessor.template get_multi_ptr<access::decorated::yes>().get_decorated()) {}

  // Conversions. To the other decoration, to more qualified, to void and to the generic space: by themselves.
  template <class Other, access::address_space OtherSpace, access::decorated OtherDecorated,
            when<(OtherSpace == Space || !detail::is_specific(Space)) && std::is_convertible_v<Other *, raw_pointer> &&
                 (is_void || std::is_same_v<std::remove_cv_t<Other>, std::remove_cv_t<T_>>)&&!(
                     std::is_same_v<Other, T_> && OtherSpace == Space && OtherDecorated == Decorated)> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE multi_ptr(const multi_ptr<Other, OtherSpace, OtherDecorated> &other)
      : pointer_((decorated_pointer)other.get_decorated()) {}
  // From the generic space to another, and from void to a type: when asked.
  template <class Other, access::address_space OtherSpace, access::decorated OtherDecorated,
            when<(OtherSpace == Space || (!detail::is_specific(OtherSpace) && detail::is_specific(Space))) &&
                 ((std::is_void_v<Other> && !is_void) || OtherSpace != Space) &&
                 (std::is_const_v<T_> || !std::is_const_v<Other>)&&(
                     std::is_void_v<Other> || is_void || std::is_same_v<std::remove_cv_t<Other>, std::remove_cv_t<T_>>)> = 0,
            class = void>
  SYCLRTC_DETAIL_ALWAYS_INLINE explicit multi_ptr(const multi_ptr<Other, OtherSpace, OtherDecorated> &other)
      : pointer_((decorated_pointer)other.get_decorated()) {}

  SYCLRTC_DETAIL_ALWAYS_INLINE pointer get() const { return (pointer)pointer_; }
  SYCLRTC_DETAIL_ALWAYS_INLINE decorated_pointer get_decorated() const { return pointer_; }
  SYCLRTC_DETAIL_ALWAYS_INLINE raw_pointer get_raw() const { return (raw_pointer)pointer_; }

  // Explicit in the forms of SYCL 2020, as the older one never was.
  template <class Pointer, when<legacy && std::is_same_v<Pointer, raw_pointer>> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE operator Pointer() const {
    return get_raw();
  }
  template <class Pointer, when<!legacy && (std::is_same_v<Pointer, pointer> || std::is_same_v<Pointer, raw_pointer>)> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE explicit operator Pointer() const {
    return (Pointer)pointer_;
  }

  template <class Self = T_, when<!std::is_void_v<Self>> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE std::add_lvalue_reference_t<Self> operator*() const {
    return *pointer_;
  }
  template <class Self = T_, when<!std::is_void_v<Self>> = 0> SYCLRTC_DETAIL_ALWAYS_INLINE Self *operator->() const {
    return get_raw();
  }
  template <class Self = T_, when<!std::is_void_v<Self>> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE std::add_lvalue_reference_t<Self> operator[](difference_type index) const {
    return pointer_[index];
  }

  /// A hint, without effect here.
  template <access::address_space Where = Space, when<Where == access::address_space::global_space> = 0>
  void prefetch(std::size_t) const {}

  template <class Self = T_, when<!std::is_void_v<Self>> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE multi_ptr &operator+=(difference_type count) {
    pointer_ += count;
    return *this;
  }
  template <class Self = T_, when<!std::is_void_v<Self>> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE multi_ptr &operator-=(difference_type count) {
    pointer_ -= count;
    return *this;
  }
  template <class Self = T_, when<!std::is_void_v<Self>> = 0> SYCLRTC_DETAIL_ALWAYS_INLINE multi_ptr &operator++() {
    return *this += 1;
  }
  template <class Self = T_, when<!std::is_void_v<Self>> = 0> SYCLRTC_DETAIL_ALWAYS_INLINE multi_ptr &operator--() {
    return *this -= 1;
  }
  template <class Self = T_, when<!std::is_void_v<Self>> = 0> SYCLRTC_DETAIL_ALWAYS_INLINE multi_ptr operator++(int) {
    const multi_ptr before = *this;
    ++*this;
    return before;
  }
  template <class Self = T_, when<!std::is_void_v<Self>> = 0> SYCLRTC_DETAIL_ALWAYS_INLINE multi_ptr operator--(int) {
    const multi_ptr before = *this;
    --*this;
    return before;
  }
  template <class Self = T_, when<!std::is_void_v<Self>> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE multi_ptr operator+(difference_type count) const {
    multi_ptr r = *this;
    return r += count;
  }
  template <class Self = T_, when<!std::is_void_v<Self>> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE multi_ptr operator-(difference_type count) const {
    multi_ptr r = *this;
    return r -= count;
  }
  template <class Self = T_, when<!std::is_void_v<Self>> = 0>
  SYCLRTC_DETAIL_ALWAYS_INLINE difference_type operator-(const multi_ptr &other) const {
    return pointer_ - other.pointer_;
  }

#define SYCLRTC_DETAIL_COMPARE(op)                                                                                     \
  SYCLRTC_DETAIL_ALWAYS_INLINE friend bool operator op(const multi_ptr &a, const multi_ptr &b) {                       \
    return a.pointer_ op b.pointer_;                                                                                   \
  }                                                                                                                    \
  SYCLRTC_DETAIL_ALWAYS_INLINE friend bool operator op(const multi_ptr &a, std::nullptr_t) {                           \
    return a.address() op std::size_t(0);                                                                              \
  }                                                                                                                    \
  SYCLRTC_DETAIL_ALWAYS_INLINE friend bool operator op(std::nullptr_t, const multi_ptr &b) {                           \
    return std::size_t(0) op b.address();                                                                              \
  }
  SYCLRTC_DETAIL_COMPARE(==)
  SYCLRTC_DETAIL_COMPARE(!=)
  SYCLRTC_DETAIL_COMPARE(<)
  SYCLRTC_DETAIL_COMPARE(>)
  SYCLRTC_DETAIL_COMPARE(<=)
  SYCLRTC_DETAIL_COMPARE(>=)
#undef SYCLRTC_DETAIL_COMPARE

private:
  SYCLRTC_DETAIL_ALWAYS_INLINE std::size_t address() const { return reinterpret_cast<std::size_t>(pointer_); }

  decorated_pointer pointer_ = nullptr;
};

#ifdef __SYCL_DEVICE_ONLY__
template <class T_> multi_ptr(__attribute__((opencl_global)) T_ *)
    -> multi_ptr<T_, access::address_space::global_space, access::decorated::yes>;
template <class T_> multi_ptr(__attribute__((opencl_local)) T_ *)
    -> multi_ptr<T_, access::address_space::local_space, access::decorated::yes>;
template <class T_> multi_ptr(__attribute__((opencl_private)) T_ *)
    -> multi_ptr<T_, access::address_space::private_space, access::decorated::yes>;
#endif
template <class T_, int Dimensions> multi_ptr(local_accessor<T_, Dimensions>)
    -> multi_ptr<T_, access::address_space::local_space, access::decorated::no>;

// Short names (SYCL 2020, 4.7.7.2).
#define SYCLRTC_DETAIL_POINTERS(name, space)                                                                           \
  template <class T_, access::decorated Decorated = access::decorated::legacy>                                         \
  using name##_ptr = multi_ptr<T_, access::address_space::space##_space, Decorated>;                                   \
  template <class T_>                                                                                                  \
  using raw_##name##_ptr = multi_ptr<T_, access::address_space::space##_space, access::decorated::no>;                 \
  template <class T_>                                                                                                  \
  using decorated_##name##_ptr = multi_ptr<T_, access::address_space::space##_space, access::decorated::yes>;
SYCLRTC_DETAIL_POINTERS(global, global)
SYCLRTC_DETAIL_POINTERS(local, local)
SYCLRTC_DETAIL_POINTERS(private, private)
SYCLRTC_DETAIL_POINTERS(generic, generic)
#undef SYCLRTC_DETAIL_POINTERS

/// A pointer that is known to be one into `Space`.
template <access::address_space Space, access::decorated Decorated = access::decorated::legacy, class T_>
SYCLRTC_DETAIL_ALWAYS_INLINE inline multi_ptr<T_, Space, Decorated> make_ptr(T_ *pointer) {
  return multi_ptr<T_, Space, Decorated>((detail::decorated_pointer_t<T_, Space>)pointer);
}

} // namespace _V1
} // namespace sycl
