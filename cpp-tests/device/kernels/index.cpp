// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernels/index_record.hpp"
#include <sycl/sycl.hpp>

namespace work_item = sycl::ext::oneapi::this_work_item;
namespace syclex = sycl::ext::oneapi::experimental;

template <int N> void fill(index_record *records) {
  const auto it = work_item::get_nd_item<N>();
  const auto group = work_item::get_work_group<N>();
  const auto sub = work_item::get_sub_group();
  index_record &r = records[it.get_global_linear_id()];
  for (int d = 0; d < N; ++d) {
    r.global_id[d] = it.get_global_id(d);
    r.local_id[d] = it.get_local_id(d);
    r.group_id[d] = it.get_group(d);
    r.global_range[d] = it.get_global_range(d);
    r.local_range[d] = it.get_local_range(d);
    r.group_range[d] = it.get_group_range(d);
  }
  r.global_linear_id = it.get_global_linear_id();
  r.local_linear_id = it.get_local_linear_id();
  r.group_linear_id = it.get_group_linear_id();
  r.local_linear_range = group.get_local_linear_range();
  r.group_linear_range = group.get_group_linear_range();
  r.leader = group.leader();
  r.sub_local_id = sub.get_local_linear_id();
  r.sub_local_range = sub.get_local_linear_range();
  r.sub_max_range = sub.get_max_local_range()[0];
  r.sub_group_id = sub.get_group_linear_id();
  r.sub_group_range = sub.get_group_linear_range();
  r.sub_leader = sub.leader();

  // Every other way to ask must give the same answer.
  bool same = true;
  for (int d = 0; d < N; ++d) {
    same = same && it.get_global_id()[d] == r.global_id[d] && it.get_local_id()[d] == r.local_id[d];
    same = same && it.get_group().get_group_id()[d] == r.group_id[d] && group[d] == r.group_id[d];
    same = same && group.get_group_id(d) == r.group_id[d] && group.get_local_id(d) == r.local_id[d];
    same = same && group.get_local_id()[d] == r.local_id[d] && group.get_local_range(d) == r.local_range[d];
    same = same && group.get_group_range(d) == r.group_range[d] && group.get_group_range()[d] == r.group_range[d];
    same = same && it.get_global_range()[d] == r.global_range[d] && it.get_local_range()[d] == r.local_range[d];
    same = same && it.get_group_range()[d] == r.group_range[d] && group.get_local_range()[d] == r.local_range[d];
    same = same && group.get_max_local_range()[d] == r.local_range[d];
  }
  same = same && it.get_nd_range() == sycl::nd_range<N>(it.get_global_range(), it.get_local_range());
  same = same && group.get_group_linear_id() == r.group_linear_id && it.get_group() == group;
  same = same && group.get_local_linear_id() == r.local_linear_id && it.get_sub_group() == sub;
  same = same && sub.get_local_id()[0] == r.sub_local_id && sub.get_group_id()[0] == r.sub_group_id;
  same = same && sub.get_local_range()[0] == r.sub_local_range && sub.get_group_range()[0] == r.sub_group_range;
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
  same = same && syclex::this_nd_item<N>() == it && syclex::this_group<N>() == group && syclex::this_sub_group() == sub;
  same = same && syclex::this_item<N>().get_linear_id() == r.global_linear_id;
  same = same && syclex::this_item<N>().get_range() == it.get_global_range();
  same =
      same && syclex::this_id<N>() == it.get_global_id() && sycl::id<N>(syclex::this_item<N>()) == it.get_global_id();
#pragma clang diagnostic pop
  r.same = same;
}

#define KERNEL(n) extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY(syclex::nd_range_kernel<n>) void

KERNEL(1) index1(index_record *records) { fill<1>(records); }
KERNEL(2) index2(index_record *records) { fill<2>(records); }
KERNEL(3) index3(index_record *records) { fill<3>(records); }
