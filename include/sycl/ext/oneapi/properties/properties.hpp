// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sycl/ext/oneapi/properties/property.hpp>
#include <sycl/ext/oneapi/properties/property_value.hpp>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace sycl {
inline namespace _V1 {
namespace ext::oneapi::experimental {

namespace detail {

template <class... Values> struct value_list {};

/// Name of a type as the compiler spells it: the order of the keys in a list. Keys of equal spelling keep their order.
template <class T_> constexpr const char *spelling() { return __PRETTY_FUNCTION__; }

template <class A_, class B_> constexpr bool key_before() {
  const char *a = spelling<typename key_of<A_>::type>();
  const char *b = spelling<typename key_of<B_>::type>();
  for (; *a != '\0' && *a == *b; ++a, ++b) {
  }
  return static_cast<unsigned char>(*a) < static_cast<unsigned char>(*b);
}

template <class Value, class Sorted, class Passed = value_list<>> struct insert_sorted;
template <class Value, class... Passed> struct insert_sorted<Value, value_list<>, value_list<Passed...>> {
  using type = value_list<Passed..., Value>;
};
template <class Value, class Head, class... Tail, class... Passed>
struct insert_sorted<Value, value_list<Head, Tail...>, value_list<Passed...>> {
  template <bool Before, class = void> struct step {
    using type = typename insert_sorted<Value, value_list<Tail...>, value_list<Passed..., Head>>::type;
  };
  template <class Dummy> struct step<true, Dummy> {
    using type = value_list<Passed..., Value, Head, Tail...>;
  };
  using type = typename step<key_before<Value, Head>()>::type;
};

template <class Sorted, class... Values> struct sort_values {
  using type = Sorted;
};
template <class Sorted, class Head, class... Tail>
struct sort_values<Sorted, Head, Tail...> : sort_values<typename insert_sorted<Head, Sorted>::type, Tail...> {};

template <class... Values> using sorted_values = typename sort_values<value_list<>, Values...>::type;

template <class Key, class... Values>
inline constexpr int count_key = (0 + ... + (std::is_same_v<Key, typename key_of<Values>::type> ? 1 : 0));

template <class T_> struct same {
  using type = T_;
};

template <class Key, class List> struct find_value {
  using type = void;
};
template <class Key, class Head, class... Tail> struct find_value<Key, value_list<Head, Tail...>> {
  using type = typename std::conditional_t<std::is_same_v<Key, typename key_of<Head>::type>, same<Head>,
                                           find_value<Key, value_list<Tail...>>>::type;
};

/// Holds the object of a run-time property; a compile-time one needs no room.
template <class Value, bool CompileTime = is_compile_time_value<Value>::value> struct value_holder {
  Value value;
  friend constexpr bool operator==(const value_holder &a, const value_holder &b) { return a.value == b.value; }
};
template <class Value> struct value_holder<Value, true> {
  friend constexpr bool operator==(const value_holder &, const value_holder &) { return true; }
};

/// The argument whose type is `Value`.
template <class Value, class Head, class... Tail> constexpr const Value &pick(const Head &head, const Tail &...tail) {
  if constexpr (std::is_same_v<Value, Head>)
    return head;
  else
    return pick<Value>(tail...);
}

template <class Value, class... Args> constexpr value_holder<Value> hold(const Args &...args) {
  if constexpr (is_compile_time_value<Value>::value)
    return {};
  else
    return {pick<Value>(args...)};
}

} // namespace detail

template <class List> class properties;

/// A set of properties. The type depends on the set only: the values are sorted by key.
template <class... Values> class properties<detail::value_list<Values...>> : private detail::value_holder<Values>... {
  static_assert((is_property_value_v<Values> && ...), "a property list holds property values only");
  static_assert(((detail::count_key<typename detail::key_of<Values>::type, Values...> == 1) && ...),
                "a property list holds each property once");

  using list = detail::value_list<Values...>;
  template <class Key> using value_of = typename detail::find_value<Key, list>::type;
  template <class Key> static constexpr bool present = !std::is_void_v<value_of<Key>>;
  template <class Key> static constexpr bool static_value = detail::is_compile_time_value<value_of<Key>>::value;

public:
  /// Takes the values in any order.
  template <class... Args,
            std::enable_if_t<sizeof...(Args) == sizeof...(Values) && (is_property_value_v<Args> && ...) &&
                                 std::is_same_v<detail::sorted_values<Args...>, list>,
                             int> = 0>
  constexpr properties(Args... args) : detail::value_holder<Values>(detail::hold<Values>(args...))... {}

  template <class Key> static constexpr bool has_property() { return present<Key>; }

  template <class Key, std::enable_if_t<present<Key> && static_value<Key>, int> = 0>
  static constexpr value_of<Key> get_property() {
    return {};
  }
  template <class Key, std::enable_if_t<present<Key> && !static_value<Key>, long> = 0>
  constexpr value_of<Key> get_property() const {
    return static_cast<const detail::value_holder<value_of<Key>> &>(*this).value;
  }

  friend constexpr bool operator==(const properties &a, const properties &b) {
    return ((static_cast<const detail::value_holder<Values> &>(a) ==
             static_cast<const detail::value_holder<Values> &>(b)) &&
            ... && true);
  }
  friend constexpr bool operator!=(const properties &a, const properties &b) { return !(a == b); }
};

template <class... Values, std::enable_if_t<(is_property_value_v<Values> && ...), int> = 0>
properties(Values...) -> properties<detail::sorted_values<Values...>>;

using empty_properties_t = decltype(properties{});

template <class T_> struct is_property_list : std::false_type {};
template <class... Values> struct is_property_list<properties<detail::value_list<Values...>>> : std::true_type {};
template <class T_> inline constexpr bool is_property_list_v = is_property_list<T_>::value;

} // namespace ext::oneapi::experimental
} // namespace _V1
} // namespace sycl
