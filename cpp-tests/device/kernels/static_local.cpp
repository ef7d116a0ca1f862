// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Local memory that the source declares, pointers to it, and copies of groups.
#include <sycl/sycl.hpp>

#include <cassert>

namespace syclext = sycl::ext::oneapi;
namespace syclexp = sycl::ext::oneapi::experimental;

#define KERNEL(N) extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<N>)) void
#define ITEM(N) const auto item = syclext::this_work_item::get_nd_item<N>()

using sycl::access::address_space;
using sycl::access::decorated;

// work_group_static: at namespace scope, as a member, in a function, in a template.
syclexp::work_group_static<int[64]> shared_values;
static syclexp::work_group_static<int> shared_sum;
struct holder {
  static inline syclexp::work_group_static<long> member;
};
template <class T> T *block_of() {
  static syclexp::work_group_static<T[64]> block;
  return block;
}

KERNEL(1) static_reverse(int *data) {
  ITEM(1);
  const std::size_t i = item.get_local_id(0), n = item.get_local_range(0);
  shared_values[i] = data[item.get_global_id(0)];
  block_of<short>()[i] = static_cast<short>(i);
  block_of<double>()[i] = static_cast<double>(i) + 0.25;
  if (i == 0) {
    shared_sum = 1000;
    holder::member = 5;
  }
  sycl::group_barrier(item.get_group());
  int sum = shared_values[n - 1 - i];
  sum += block_of<short>()[i] == static_cast<short>(i) && block_of<double>()[i] == static_cast<double>(i) + 0.25 ? 0 : 1 << 20;
  data[item.get_global_id(0)] = sum + shared_sum + static_cast<int>(holder::member);
}
/// Another kernel has its own values of the same variables.
KERNEL(1) static_in_function(int *out) {
  ITEM(1);
  static syclexp::work_group_static<int> first;
  static syclexp::work_group_static<int> second;
  if (item.get_group().leader()) {
    first = static_cast<int>(item.get_group(0));
    *&second = first * 2;
    shared_sum = 7;
  }
  sycl::group_barrier(item.get_group());
  out[item.get_global_id(0)] = first * 100 + second * 10 + shared_sum;
}

// group_local_memory: a block for each place.
struct pair {
  int a;
  float b;
  pair(int x, float y) : a(x), b(y) {}
};
KERNEL(1) places(int *out) {
  ITEM(1);
  const auto group = item.get_group();
  const std::size_t i = item.get_local_id(0);
  auto first = syclext::group_local_memory_for_overwrite<int[64]>(group);
  auto second = syclext::group_local_memory_for_overwrite<int[64]>(group);
  (*first)[i] = static_cast<int>(i);
  (*second)[i] = 100;
  // The constructor runs once, and all see the object.
  const sycl::local_ptr<pair> object = syclext::group_local_memory<pair>(group, 7, 0.5f);
  const auto zero = syclext::group_local_memory<int>(group);
  int rounds = 0;
  for (int round = 0; round < 3; ++round) {
    // The same block in each round.
    auto again = syclext::group_local_memory_for_overwrite<int>(group);
    if (round == 0 && group.leader())
      *again = 5;
    sycl::group_barrier(group);
    rounds += *again;
  }
  out[item.get_global_id(0)] =
      (*first)[item.get_local_range(0) - 1 - i] + (*second)[i] + object->a * 1000 + static_cast<int>(object->b * 20000) + *zero + rounds;
}

syclexp::device_global<int[4]> global_numbers;

/// What multi_ptr does.
KERNEL(1) pointers(int *data, sycl::local_accessor<int> local, int *good) {
  ITEM(1);
  if (!item.get_group().leader())
    return;
  int n = 0;
  const auto check = [&](bool right) { good[n++] = right; };
  for (int i = 0; i < 8; ++i)
    local[static_cast<std::size_t>(i)] = 10 + i;

  sycl::raw_local_ptr<int> raw = local.get_multi_ptr<decorated::no>();
  sycl::decorated_local_ptr<int> decorated = local.get_multi_ptr<decorated::yes>();
  sycl::local_ptr<int> legacy(local);
  check(*raw == 10 && decorated[1] == 11 && *(legacy + 2) == 12);
  check(raw.get() == &local[0] && decorated.get_raw() == raw.get_raw());
  raw = decorated;
  decorated = raw;
  check(raw == sycl::raw_local_ptr<int>(decorated));
  ++raw;
  raw += 3;
  check(*raw == 14 && *raw-- == 14 && *--raw == 12 && raw - sycl::raw_local_ptr<int>(decorated) == 2);
  check(raw > sycl::raw_local_ptr<int>(decorated) && raw != nullptr && !(nullptr == raw));
  sycl::raw_local_ptr<const int> readable = raw;
  sycl::raw_local_ptr<void> bare = raw;
  sycl::raw_local_ptr<const void> bare_readable = readable;
  check(*readable == 12 && static_cast<sycl::raw_local_ptr<int>>(bare) == raw && bare_readable != nullptr);
  sycl::raw_generic_ptr<int> generic = raw;
  generic[0] = 99;
  check(local[2] == 99 && static_cast<sycl::raw_local_ptr<int>>(generic) == raw);
  sycl::raw_local_ptr<int> nothing, null = nullptr;
  check(nothing == null && nothing == nullptr);
  legacy[3] = 5;
  int *plain = legacy;
  check(plain[3] == 5 && *static_cast<int *>(raw) == 99);
  struct point {
    int x, y;
  };
  auto points = static_cast<sycl::raw_local_ptr<point>>(sycl::raw_local_ptr<void>(decorated));
  check(points->y == 11);

  auto global = sycl::address_space_cast<address_space::global_space, decorated::no>(data);
  global.prefetch(1);
  check(global.get() == data && global[1] == data[1]);
  auto again = sycl::address_space_cast<address_space::local_space, decorated::yes>(&local[4]);
  check(*again == 14);
  int own = 3;
  check(*sycl::address_space_cast<address_space::private_space, decorated::yes>(&own) == 3);
  check(*sycl::address_space_cast<address_space::generic_space, decorated::no>(&own) == 3);
  check(*syclexp::static_address_cast<address_space::local_space>(&local[5]) == 15);
  check(*syclexp::dynamic_address_cast<address_space::global_space>(data) == data[0]);
  check(syclexp::static_address_cast<address_space::local_space>(sycl::raw_generic_ptr<int>(raw)) == raw);
  const auto numbers = global_numbers.get_multi_ptr();
  (*numbers)[2] = 21;
  check(global_numbers[2] == 21 && numbers.get() == &global_numbers.get());
  sycl::multi_ptr deduced(local);
  check(*deduced == 10);
  check(sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::work_group, address_space::local_space>(*decorated)
            .fetch_add(1) == 10);
}

/// Copies there and back, with strides.
KERNEL(1) copies(const float *in, float *out, sycl::local_accessor<float> local) {
  ITEM(1);
  using sycl::access::address_space;
  const std::size_t n = local.size(), begin = item.get_group(0) * n;
  const auto from = sycl::address_space_cast<address_space::global_space, decorated::yes>(in + begin);
  const auto to = sycl::address_space_cast<address_space::global_space, decorated::yes>(out + begin);
  const auto middle = local.get_multi_ptr<decorated::yes>();
  sycl::device_event event = item.async_work_group_copy(middle, from, n);
  item.wait_for(event);
  for (std::size_t i = item.get_local_id(0); i < n; i += item.get_local_range(0))
    local[i] *= 2;
  sycl::group_barrier(item.get_group());
  // The even places to the first half, the odd ones to the second.
  auto first = item.get_group().async_work_group_copy(to, middle, n / 2, 2);
  auto second = item.get_group().async_work_group_copy(to + 1, middle + static_cast<std::ptrdiff_t>(n / 2), n / 2, 2);
  item.get_group().wait_for(first, second);
}
KERNEL(1) strided_copy(const int *in, int *out, sycl::local_accessor<int> local) {
  ITEM(1);
  const auto from = sycl::address_space_cast<address_space::global_space, decorated::no>(in);
  const auto to = sycl::address_space_cast<address_space::global_space, decorated::no>(out);
  item.async_work_group_copy(local.get_multi_ptr<decorated::no>(), from, local.size(), 3).wait();
  item.async_work_group_copy(to, local.get_multi_ptr<decorated::no>(), local.size()).wait();
}

/// Second results of functions, in each space (device.md F1).
KERNEL(1) second_results(float *data, sycl::local_accessor<float> local, int *good) {
  ITEM(1);
  if (!item.get_group().leader())
    return;
  int n = 0;
  const auto check = [&](bool right) { good[n++] = right; };
  const auto global = sycl::address_space_cast<address_space::global_space, decorated::yes>(data);
  check(sycl::fract(2.75f, global) == 0.75f && data[0] == 2.0f);
  check(sycl::modf(-3.5f, local.get_multi_ptr<decorated::no>()) == -0.5f && local[0] == -3.0f);
  int exponent = 0, sign = 0, quotient = 0;
  const auto own = [](auto *pointer) {
    return sycl::address_space_cast<address_space::private_space, decorated::no>(pointer);
  };
  check(sycl::frexp(12.0f, own(&exponent)) == 0.75f && exponent == 4);
  check(sycl::lgamma_r(3.0f, own(&sign)) > 0.69f && sign == 1);
  check(sycl::remquo(7.0f, 2.0f, own(&quotient)) == -1.0f && quotient == 4);
  sycl::float4 cosine;
  const sycl::float4 sine = sycl::sincos(sycl::float4(0.0f), own(&cosine));
  check(sine.x() == 0 && cosine.w() == 1);
  check(sycl::fract(1.25f, sycl::local_ptr<float>(local)) == 0.25f && local[0] == 1.0f);
}

/// Output.
KERNEL(1) print(int *out) {
  ITEM(1);
  if (item.get_global_id(0) != 1)
    return;
  static const char format[] = "from an array: %d\n";
  out[0] = syclexp::printf("plain\n");
  out[1] = syclexp::printf("%d %u %5d|%-5d|%05d %+d %x %X %o %lld %hhd\n", -1, 4000000000u, 42, 42, 42, 7, 255, 255, 8, 1ll << 40,
                           static_cast<signed char>(-5));
  syclexp::printf("%f %.3f %e %g %5.1f %a\n", 1.5, 2.0f / 3, 12345.678, 0.0001, 2.25f, 1.0);
  syclexp::printf("%c %s %s %%\n", 'c', "text", out ? "other" : "other");
  syclexp::printf(format, 17);
  syclexp::printf("%f %d %d\n", sycl::half(0.5f), true, 'a');
  syclexp::printf("%s\n", "");
}

KERNEL(1) assertion(int *out, int limit) {
  ITEM(1);
  assert(out[item.get_global_id(0)] < limit && "too large");
  out[item.get_global_id(0)] += 1;
}
