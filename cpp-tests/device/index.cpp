// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index queries in one, two and three dimensions against a model on the host (device.md section 2).

#include "device_test.hpp"
#include "kernels/index_record.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace {

template <int N> void check(sycl::queue &q, const sycl::kernel &kernel, sycl::range<N> global, sycl::range<N> local) {
  const sycl::range<N> groups = global / local;
  const support::shared_array<index_record> records(q, global.size());
  device_test::launch(q, kernel, sycl::nd_range<N>(global, local), records.get());

  const auto linear = [](const sycl::id<N> &at, const sycl::range<N> &extent) {
    std::size_t r = 0;
    for (int d = 0; d < N; ++d)
      r = r * extent[d] + at[d];
    return r;
  };
  std::map<std::pair<std::size_t, unsigned>, std::vector<const index_record *>> sub_groups;
  for (std::size_t i = 0; i < global.size(); ++i) {
    CAPTURE(i);
    const index_record &r = records[i];
    sycl::id<N> at;
    for (std::size_t d = N, rest = i; d-- > 0; rest /= global[static_cast<int>(d)])
      at[static_cast<int>(d)] = rest % global[static_cast<int>(d)];
    const sycl::id<N> inside = at % local, group = at / local;
    for (int d = 0; d < N; ++d) {
      CAPTURE(d);
      REQUIRE(r.global_id[d] == at[d]);
      REQUIRE(r.local_id[d] == inside[d]);
      REQUIRE(r.group_id[d] == group[d]);
      REQUIRE(r.global_range[d] == global[d]);
      REQUIRE(r.local_range[d] == local[d]);
      REQUIRE(r.group_range[d] == groups[d]);
    }
    REQUIRE(r.global_linear_id == i);
    REQUIRE(r.local_linear_id == linear(inside, local));
    REQUIRE(r.group_linear_id == linear(group, groups));
    REQUIRE(r.local_linear_range == local.size());
    REQUIRE(r.group_linear_range == groups.size());
    REQUIRE(r.leader == (r.local_linear_id == 0));
    REQUIRE(r.sub_leader == (r.sub_local_id == 0));
    REQUIRE(r.sub_local_range <= r.sub_max_range);
    REQUIRE(r.sub_group_id < r.sub_group_range);
    REQUIRE(r.same);
    sub_groups[{r.group_linear_id, r.sub_group_id}].push_back(&r);
  }

  // Sub-groups part each work-group; the members of one follow each other in the work-group and in the sub-group.
  for (auto &[key, members] : sub_groups) {
    std::sort(members.begin(), members.end(),
              [](const index_record *a, const index_record *b) { return a->local_linear_id < b->local_linear_id; });
    REQUIRE(members.size() == members[0]->sub_local_range);
    for (std::size_t m = 0; m < members.size(); ++m) {
      REQUIRE(members[m]->sub_local_id == m);
      REQUIRE(members[m]->local_linear_id == members[0]->local_linear_id + m);
    }
  }
}

} // namespace

TEST_CASE("index queries") {
  device_test::with_kernels("kernels/index.cpp", [](sycl::queue &q, const support::executable_bundle &bundle) {
    const sycl::kernel one = bundle.ext_oneapi_get_kernel("index1");
    check<1>(q, one, {1}, {1});
    check<1>(q, one, {24}, {6});
    check<1>(q, one, {300}, {100});
    const sycl::kernel two = bundle.ext_oneapi_get_kernel("index2");
    check<2>(q, two, {4, 12}, {2, 3});
    check<2>(q, two, {40, 3}, {20, 1});
    const sycl::kernel three = bundle.ext_oneapi_get_kernel("index3");
    check<3>(q, three, {2, 6, 8}, {1, 3, 4});
    check<3>(q, three, {5, 1, 33}, {5, 1, 11});
  });
}

TEST_CASE("a deprecated query is told in the log") {
  sycl::queue q;
  std::string log;
  support::build(q, "KERNEL_1D k(unsigned long *out) { out[0] = syclexp::this_nd_item<1>().get_global_id(0); }\n",
                 device_test::syclex::save_log{&log});
  CHECK_CONTAINS(log, "warning: 'this_nd_item<1>' is deprecated");
}

TEST_CASE("macros of one capital letter do not meet names of the headers") {
  sycl::queue q;
  std::vector<std::string> options;
  for (char letter = 'A'; letter <= 'Z'; ++letter)
    options.push_back(std::string("-D") + letter + "=4");
  const auto bundle = device_test::build_text(q, device_test::read("kernels/one_letter.cpp"), options);
  const support::shared_array<int> out(q, 8);
  device_test::launch(q, bundle.ext_oneapi_get_kernel("letters"), sycl::nd_range<1>(8, 4), out.get());
  for (std::size_t i = 0; i < out.size(); ++i)
    CHECK(out[i] == 8 + 22);
}
