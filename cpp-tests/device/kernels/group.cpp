// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sycl/sycl.hpp>

namespace work_item = sycl::ext::oneapi::this_work_item;
namespace syclex = sycl::ext::oneapi::experimental;

#define KERNEL(n) extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclex::nd_range_kernel<n>) void

/// 12 bytes, so that a move takes several words.
struct triple {
  int a;
  float b;
  char c;
};

/// x -> factor * x + offset, modulo 2^32: to compose them is associative and not commutative.
struct affine {
  unsigned factor, offset;
};
struct compose {
  affine operator()(affine first, affine second) const {
    return {first.factor * second.factor, first.offset * second.factor + second.offset};
  }
};

/// Results of one algorithm stand together: algorithm f of member i is out[f * size + i].
template <class Group> void algorithms(Group g, const int *in, const int *range, int count, int *out, int stride) {
  const auto put = [&](auto value) {
    *out = static_cast<int>(value);
    out += stride;
  };
  const int x = in[g.get_local_linear_id()];
  put(sycl::reduce_over_group(g, x, sycl::plus<>()));
  put(sycl::reduce_over_group(g, x, sycl::minimum<>()));
  put(sycl::reduce_over_group(g, x, sycl::maximum<int>()));
  put(sycl::reduce_over_group(g, static_cast<unsigned>(x), sycl::bit_xor<unsigned>()));
  put(sycl::reduce_over_group(g, x, 1000, sycl::plus<>()));
  put(sycl::inclusive_scan_over_group(g, x, sycl::plus<>()));
  put(sycl::exclusive_scan_over_group(g, x, sycl::plus<int>()));
  put(sycl::inclusive_scan_over_group(g, x, sycl::plus<>(), 100));
  put(sycl::exclusive_scan_over_group(g, x, 50, sycl::maximum<>()));
  put(sycl::reduce_over_group(g, static_cast<short>(x * 100), sycl::plus<short>()));
  put(sycl::reduce_over_group(g, static_cast<unsigned char>(x), sycl::maximum<>()));
  put(sycl::reduce_over_group(g, static_cast<float>(x), sycl::plus<float>()));
  put(sycl::reduce_over_group(g, x * 1000000007L, sycl::plus<long>()) >> 20);
  put(sycl::reduce_over_group(g, 1 + (x & 1), sycl::multiplies<>()));
  put(sycl::reduce_over_group(g, x % 5 != 0, sycl::logical_and<bool>()));
  put(sycl::any_of_group(g, x == 5));
  put(sycl::all_of_group(g, x < 800));
  put(sycl::none_of_group(g, x, [](int v) { return v > 880; }));
  put(sycl::group_broadcast(g, x));
  put(sycl::group_broadcast(g, x, g.get_local_linear_range() - 1));
  const triple middle =
      sycl::group_broadcast(g, triple{x, 2.0f * x, static_cast<char>(x % 100)}, g.get_local_linear_range() / 2);
  put(middle.a + static_cast<int>(middle.b) + middle.c);
  const affine mine{static_cast<unsigned>(x) * 2 + 1, static_cast<unsigned>(g.get_local_linear_id())};
  const affine all = sycl::inclusive_scan_over_group(g, mine, compose());
  put(all.factor ^ all.offset);
  put(sycl::joint_reduce(g, range, range + count, sycl::plus<>()));
  put(sycl::joint_reduce(g, range, range + count, 500, sycl::maximum<>()));
  put(sycl::joint_any_of(g, range, range + count, [](int v) { return v == 7; }));
  put(sycl::joint_all_of(g, range, range + count, [](int v) { return v >= 0; }));
  put(sycl::joint_none_of(g, range, range + count, [](int v) { return v == 13; }));
}

KERNEL(1) work_group_1(const int *in, const int *range, int count, int *out) {
  const auto g = work_item::get_work_group<1>();
  algorithms(g, in, range, count, out + g.get_local_linear_id(), static_cast<int>(g.get_local_linear_range()));
}
KERNEL(3) work_group_3(const int *in, const int *range, int count, int *out) {
  const auto g = work_item::get_work_group<3>();
  algorithms(g, in, range, count, out + g.get_local_linear_id(), static_cast<int>(g.get_local_linear_range()));
}
/// Each sub-group reads its own part of \p in; `first` and `size` tell the test which.
KERNEL(1) sub_groups(const int *in, const int *range, int count, int *out, int *first, int *size) {
  const auto g = work_item::get_sub_group();
  const auto whole = work_item::get_work_group<1>();
  const auto me = whole.get_local_linear_id();
  first[me] = static_cast<int>(me - g.get_local_linear_id());
  size[me] = static_cast<int>(g.get_local_linear_range());
  algorithms(g, in + first[me], range, count, out + me, static_cast<int>(whole.get_local_linear_range()));
}

KERNEL(1) joint_scans(const int *in, int count, int *inclusive, int *exclusive, int *in_place, int *ends) {
  const auto g = work_item::get_work_group<1>();
  int *const a = sycl::joint_inclusive_scan(g, in, in + count, inclusive, sycl::plus<>());
  int *const b = sycl::joint_exclusive_scan(g, in, in + count, exclusive, 7, sycl::plus<>());
  int *const c = sycl::joint_inclusive_scan(g, in_place, in_place + count, in_place, sycl::maximum<>(), 3);
  if (g.leader()) {
    ends[0] = static_cast<int>(a - inclusive);
    ends[1] = static_cast<int>(b - exclusive);
    ends[2] = static_cast<int>(c - in_place);
  }
}

template <int Bytes> struct bytes {
  unsigned char value[Bytes];
};
/// Fills a value of any size from a number and checks it again after a move.
template <int Bytes> bytes<Bytes> pattern(int x) {
  bytes<Bytes> r;
  for (int i = 0; i < Bytes; ++i)
    r.value[i] = static_cast<unsigned char>(x + 31 * i);
  return r;
}
template <int Bytes> bool equal(const bytes<Bytes> &a, const bytes<Bytes> &b) {
  for (int i = 0; i < Bytes; ++i)
    if (a.value[i] != b.value[i])
      return false;
  return true;
}

template <int Bytes> bool moves(int x, const int *in) {
  const auto g = work_item::get_sub_group();
  const unsigned me = g.get_local_linear_id(), size = g.get_local_linear_range();
  const auto mine = pattern<Bytes>(x);
  const auto left = sycl::shift_group_left(g, mine), left3 = sycl::shift_group_left(g, mine, 3);
  const auto right = sycl::shift_group_right(g, mine), right2 = sycl::shift_group_right(g, mine, 2);
  const auto crossed = sycl::permute_group_by_xor(g, mine, 5);
  const auto selected = sycl::select_from_group(g, mine, (me * 7 + 3) % size);
  bool good = equal(selected, pattern<Bytes>(in[(me * 7 + 3) % size]));
  good = good && (me + 1 >= size || equal(left, pattern<Bytes>(in[me + 1])));
  good = good && (me + 3 >= size || equal(left3, pattern<Bytes>(in[me + 3])));
  good = good && (me < 1 || equal(right, pattern<Bytes>(in[me - 1])));
  good = good && (me < 2 || equal(right2, pattern<Bytes>(in[me - 2])));
  good = good && ((me ^ 5) >= size || equal(crossed, pattern<Bytes>(in[me ^ 5])));
  return good;
}

KERNEL(1) shuffles(const int *in, int *good) {
  const auto me = work_item::get_work_group<1>().get_local_linear_id();
  const int *part = in + me - work_item::get_sub_group().get_local_linear_id();
  unsigned bits = 0;
  bits |= moves<1>(in[me], part) ? 1u : 0u;
  bits |= moves<2>(in[me], part) ? 2u : 0u;
  bits |= moves<4>(in[me], part) ? 4u : 0u;
  bits |= moves<8>(in[me], part) ? 8u : 0u;
  bits |= moves<12>(in[me], part) ? 16u : 0u;
  bits |= moves<16>(in[me], part) ? 32u : 0u;
  good[me] = static_cast<int>(bits);
}
