// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix products and reductions, with templates over element types, tile shapes and operations: about what a numeric
// library generates for a few operations at once.
#include <sycl/sycl.hpp>
namespace syclext = sycl::ext::oneapi;
namespace syclexp = sycl::ext::oneapi::experimental;

namespace matrix {

constexpr int build = @BUILD@;

// What sums of a type are kept in.
template <typename T>
struct accumulator {
  using type = T;
};
template <>
struct accumulator<float> {
  using type = double;
};
template <>
struct accumulator<int> {
  using type = long;
};
template <typename T>
using accumulator_t = typename accumulator<T>::type;

// Operations of reductions: identity, step, and the last touch.
struct sum {
  template <typename A>
  static A identity() {
    return A(0);
  }
  template <typename A>
  static A step(A a, A b) {
    return a + b;
  }
  template <typename A>
  static A finish(A value, int) {
    return value;
  }
};

struct mean : sum {
  template <typename A>
  static A finish(A value, int count) {
    return value / static_cast<A>(count);
  }
};

struct largest {
  template <typename A>
  static A identity() {
    return std::numeric_limits<A>::lowest();
  }
  template <typename A>
  static A step(A a, A b) {
    return a < b ? b : a;
  }
  template <typename A>
  static A finish(A value, int) {
    return value;
  }
};

// A matrix in memory, row by row.
template <typename T>
class view {
public:
  view(T *data, int rows, int columns) : data_(data), rows_(rows), columns_(columns) {}
  int rows() const { return rows_; }
  int columns() const { return columns_; }
  T &operator()(int row, int column) const { return data_[row * columns_ + column]; }
  bool holds(int row, int column) const { return row < rows_ && column < columns_; }

private:
  T *data_;
  int rows_;
  int columns_;
};

// A block that lives in registers.
template <typename T, int Rows, int Columns>
class tile {
public:
  tile() {
#pragma unroll
    for (int i = 0; i < Rows * Columns; ++i) {
      values_[i] = T(0);
    }
  }

  T &operator()(int row, int column) { return values_[row * Columns + column]; }

  // Adds the product of a column and a row.
  template <typename U>
  void add_outer(const U (&column)[Rows], const U (&row)[Columns]) {
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
#pragma unroll
      for (int j = 0; j < Columns; ++j) {
        (*this)(i, j) += static_cast<T>(column[i]) * static_cast<T>(row[j]);
      }
    }
  }

private:
  T values_[Rows * Columns];
};

// Element (row, column) of a matrix, or zero beyond its edge.
template <bool Transposed, typename T>
T load(const view<const T> &from, int row, int column) {
  if constexpr (Transposed) {
    return from.holds(column, row) ? from(column, row) : T(0);
  } else {
    return from.holds(row, column) ? from(row, column) : T(0);
  }
}

// One work-item makes a tile of Rows x Columns elements of c = a * b (or a * b^T).
template <bool Transposed, int Rows, int Columns, typename T>
void multiply_tile(const view<const T> &a, const view<const T> &b, const view<T> &c, int row, int column) {
  tile<accumulator_t<T>, Rows, Columns> sums;
  for (int k = 0; k < a.columns(); ++k) {
    T left[Rows], right[Columns];
#pragma unroll
    for (int i = 0; i < Rows; ++i) {
      left[i] = load<false>(a, row + i, k);
    }
#pragma unroll
    for (int j = 0; j < Columns; ++j) {
      right[j] = load<Transposed>(b, k, column + j);
    }
    sums.add_outer(left, right);
  }
#pragma unroll
  for (int i = 0; i < Rows; ++i) {
#pragma unroll
    for (int j = 0; j < Columns; ++j) {
      if (c.holds(row + i, column + j)) {
        c(row + i, column + j) = static_cast<T>(sums(i, j)) + static_cast<T>(build);
      }
    }
  }
}

// Reduces value over a work-group whose size is a power of two, through memory of one element a work-item.
template <typename Operation, typename A>
A reduce_group(const sycl::group<1> &group, A *scratch, A value) {
  const size_t mine = group.get_local_linear_id();
  scratch[mine] = value;
  for (size_t width = group.get_local_linear_range() / 2; width > 0; width /= 2) {
    sycl::group_barrier(group);
    if (mine < width) {
      scratch[mine] = Operation::step(scratch[mine], scratch[mine + width]);
    }
  }
  sycl::group_barrier(group);
  return scratch[0];
}

} // namespace matrix

// c (m x n) = a (m x k) * b (k x n), or b^T with b (n x k).
template <typename T, int Rows, int Columns, bool Transposed>
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<2>))
void multiply(const T *a, const T *b, T *c, int m, int n, int k) {
  const auto item = syclext::this_work_item::get_nd_item<2>();
  const int row = static_cast<int>(item.get_global_id(0)) * Rows;
  const int column = static_cast<int>(item.get_global_id(1)) * Columns;
  const matrix::view<const T> left(a, m, k), right(b, Transposed ? n : k, Transposed ? k : n);
  matrix::multiply_tile<Transposed, Rows, Columns>(left, right, matrix::view<T>(c, m, n), row, column);
}

// One work-group reduces one row. The scratch memory holds one accumulator a work-item.
template <typename T, typename Operation>
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
void reduce_rows(const T *in, T *out, matrix::accumulator_t<T> *scratch, int columns) {
  const auto item = syclext::this_work_item::get_nd_item<1>();
  const int row = static_cast<int>(item.get_group(0)), width = static_cast<int>(item.get_local_range(0));
  auto value = Operation::template identity<matrix::accumulator_t<T>>();
  for (int column = static_cast<int>(item.get_local_id(0)); column < columns; column += width) {
    value = Operation::step(value, static_cast<matrix::accumulator_t<T>>(in[row * columns + column]));
  }
  value = matrix::reduce_group<Operation>(item.get_group(), scratch + row * width, value);
  if (item.get_local_id(0) == 0) {
    out[row] = static_cast<T>(Operation::finish(value, columns)) + static_cast<T>(matrix::build);
  }
}

// Softmax of one row a work-group, by the library's own reductions.
template <typename T>
SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>))
void softmax_rows(const T *in, T *out, int columns) {
  const auto item = syclext::this_work_item::get_nd_item<1>();
  const T *row = in + item.get_group(0) * static_cast<size_t>(columns);
  const int begin = static_cast<int>(item.get_local_id(0)), step = static_cast<int>(item.get_local_range(0));
  T top = std::numeric_limits<T>::lowest(), total = T(0);
  for (int column = begin; column < columns; column += step) {
    top = sycl::fmax(top, row[column]);
  }
  top = sycl::reduce_over_group(item.get_group(), top, sycl::maximum<T>());
  for (int column = begin; column < columns; column += step) {
    total += sycl::exp(row[column] - top);
  }
  total = sycl::reduce_over_group(item.get_group(), total, sycl::plus<T>());
  for (int column = begin; column < columns; column += step) {
    out[item.get_group(0) * static_cast<size_t>(columns) + column] =
        sycl::exp(row[column] - top) / total + static_cast<T>(matrix::build);
  }
}
