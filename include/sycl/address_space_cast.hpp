// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/multi_ptr.hpp>

#ifdef __SYCL_DEVICE_ONLY__
SYCLRTC_DETAIL_BUILTIN __attribute__((opencl_global)) void *__spirv_GenericCastToPtrExplicit_ToGlobal(void *, int);
SYCLRTC_DETAIL_BUILTIN __attribute__((opencl_local)) void *__spirv_GenericCastToPtrExplicit_ToLocal(void *, int);
SYCLRTC_DETAIL_BUILTIN __attribute__((opencl_private)) void *__spirv_GenericCastToPtrExplicit_ToPrivate(void *, int);
#endif

namespace sycl {
inline namespace _V1 {
namespace detail {

/// Null if the device knows that the pointer is to another space; not all devices tell.
template <access::address_space Space, class T_>
SYCLRTC_DETAIL_ALWAYS_INLINE inline decorated_pointer_t<T_, Space> checked_cast(T_ *pointer) {
  using access::address_space;
#ifdef __SYCL_DEVICE_ONLY__
  // Values of SPIR-V's `Storage Class`.
  constexpr int work_group = 4, cross_work_group = 5, function = 7;
  auto *bare = const_cast<void *>(static_cast<const volatile void *>(pointer));
  if constexpr (Space == address_space::global_space)
    return (decorated_pointer_t<T_, Space>)__spirv_GenericCastToPtrExplicit_ToGlobal(bare, cross_work_group);
  else if constexpr (Space == address_space::local_space)
    return (decorated_pointer_t<T_, Space>)__spirv_GenericCastToPtrExplicit_ToLocal(bare, work_group);
  else if constexpr (Space == address_space::private_space)
    return (decorated_pointer_t<T_, Space>)__spirv_GenericCastToPtrExplicit_ToPrivate(bare, function);
  else
    return pointer;
#else
  return pointer;
#endif
}

} // namespace detail

/// A pointer as one into `Space`, or null (SYCL 2020, 4.7.7.1).
template <access::address_space Space, access::decorated Decorated, class T_>
SYCLRTC_DETAIL_ALWAYS_INLINE inline multi_ptr<T_, Space, Decorated> address_space_cast(T_ *pointer) {
  return multi_ptr<T_, Space, Decorated>(detail::checked_cast<Space>(pointer));
}

// sycl_ext_oneapi_address_cast
namespace ext::oneapi::experimental {

/// For a pointer that is known to be one into `Space`.
template <access::address_space Space, access::decorated Decorated = access::decorated::no, class T_>
SYCLRTC_DETAIL_ALWAYS_INLINE inline multi_ptr<T_, Space, Decorated> static_address_cast(T_ *pointer) {
  return multi_ptr<T_, Space, Decorated>((sycl::detail::decorated_pointer_t<T_, Space>)pointer);
}
template <access::address_space Space, class T_, access::decorated Decorated>
SYCLRTC_DETAIL_ALWAYS_INLINE inline multi_ptr<T_, Space, Decorated>
static_address_cast(multi_ptr<T_, access::address_space::generic_space, Decorated> pointer) {
  return static_address_cast<Space, Decorated>(pointer.get_raw());
}

/// Null if the device knows that the pointer is to another space; not all devices tell.
template <access::address_space Space, access::decorated Decorated = access::decorated::no, class T_>
SYCLRTC_DETAIL_ALWAYS_INLINE inline multi_ptr<T_, Space, Decorated> dynamic_address_cast(T_ *pointer) {
  return address_space_cast<Space, Decorated>(pointer);
}
template <access::address_space Space, class T_, access::decorated Decorated>
SYCLRTC_DETAIL_ALWAYS_INLINE inline multi_ptr<T_, Space, Decorated>
dynamic_address_cast(multi_ptr<T_, access::address_space::generic_space, Decorated> pointer) {
  return dynamic_address_cast<Space, Decorated>(pointer.get_raw());
}

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl
