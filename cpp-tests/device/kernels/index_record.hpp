// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

/// What one work-item knows of its place. Written by the kernel, read by the test.
struct index_record {
  unsigned long global_id[3], local_id[3], group_id[3];
  unsigned long global_range[3], local_range[3], group_range[3];
  unsigned long global_linear_id, local_linear_id, group_linear_id;
  unsigned long local_linear_range, group_linear_range;
  unsigned int sub_local_id, sub_local_range, sub_max_range, sub_group_id, sub_group_range;
  bool leader, sub_leader, same;
};
