// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernels that the benchmarks build, each with its options and names for build number N, and with a check that runs
// what was built. One source for both libraries: nothing here is particular to either of them.

#ifndef SYCLRTC_BENCHES_COMPILE_SPEED_WORKLOADS_HPP
#define SYCLRTC_BENCHES_COMPILE_SPEED_WORKLOADS_HPP

#include <sycl/sycl.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace workloads {

namespace syclexp = sycl::ext::oneapi::experimental;
using bundle = sycl::kernel_bundle<sycl::bundle_state::executable>;

[[noreturn]] inline void fail(const std::string &why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(1);
}

inline std::string read_file(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) {
    fail("cannot read " + path);
  }
  return text.str();
}

// The text with each @BUILD@ replaced by the number.
inline std::string numbered(std::string text, int build) {
  const std::string mark = "@BUILD@", number = std::to_string(build);
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + number.size())) {
    text.replace(at, mark.size(), number);
  }
  return text;
}

// Shared memory that ends with the scope.
template <typename T>
class memory {
public:
  memory(std::size_t count, const sycl::queue &queue) : queue_(queue), data_(sycl::malloc_shared<T>(count, queue_)) {
    if (!data_) {
      fail("no shared memory");
    }
    for (std::size_t i = 0; i < count; ++i) {
      data_[i] = T();
    }
  }
  memory(const memory &) = delete;
  memory &operator=(const memory &) = delete;
  ~memory() { sycl::free(data_, queue_); }
  T *get() const { return data_; }
  T &operator[](std::size_t i) const { return data_[i]; }

private:
  sycl::queue queue_;
  T *data_;
};

template <int Dimensions, typename... Arguments>
void run(sycl::queue &queue, const sycl::kernel &kernel, sycl::nd_range<Dimensions> range, Arguments... arguments) {
  queue
      .submit([&](sycl::handler &handler) {
        handler.set_args(arguments...);
        handler.parallel_for(range, kernel);
      })
      .wait();
}

inline void expect(double got, double wanted, double tolerance, const char *what, std::size_t at) {
  if (!(std::fabs(got - wanted) <= tolerance)) {
    fail(std::string(what) + ": wrong result at " + std::to_string(at) + ": " + std::to_string(got) + " instead of " +
         std::to_string(wanted));
  }
}

class workload {
public:
  explicit workload(std::string text) : text_(std::move(text)) {}
  virtual ~workload() = default;
  virtual std::string text(int build) const { return numbered(text_, build); }
  virtual std::vector<std::string> options(int) const { return {}; }
  virtual std::vector<std::string> names() const { return {}; }
  // The kernel whose look-up ends the measured time.
  virtual std::string kernel(int build) const = 0;
  // Runs all kernels and ends the program unless the results are right. DPC++'s bundles look kernels up in a changeable bundle.
  virtual void check(sycl::queue &queue, bundle &built, int build) const = 0;

protected:
  const std::string text_;
};

class tiny final : public workload {
public:
  using workload::workload;
  std::string kernel(int) const override { return "iota"; }
  void check(sycl::queue &queue, bundle &built, int build) const override {
    constexpr std::size_t count = 256;
    memory<float> values(count, queue);
    run(queue, built.ext_oneapi_get_kernel("iota"), sycl::nd_range<1>{{count}, {32}}, 3.0f, values.get());
    for (std::size_t i = 0; i < count; ++i) {
      expect(static_cast<double>(values[i]), 3.0 + static_cast<double>(i) + build, 0, "iota", i);
    }
  }
};

// Thirty instantiations: three types, ten degrees.
class instantiations final : public workload {
public:
  using workload::workload;
  std::vector<std::string> names() const override {
    std::vector<std::string> all;
    for (const char *type : {"int", "float", "double"}) {
      for (int degree = 1; degree <= degrees; ++degree) {
        all.push_back(name(type, degree));
      }
    }
    return all;
  }
  std::string kernel(int) const override { return name("double", degrees); }
  void check(sycl::queue &queue, bundle &built, int build) const override {
    check_type<int>(queue, built, build, "int");
    check_type<float>(queue, built, build, "float");
    check_type<double>(queue, built, build, "double");
  }

private:
  static constexpr int degrees = 10;
  static std::string name(const char *type, int degree) {
    return std::string("evaluate<") + type + ", " + std::to_string(degree) + ">";
  }
  template <typename T>
  static void check_type(sycl::queue &queue, bundle &built, int build, const char *type) {
    constexpr std::size_t count = 32;
    memory<T> in(count, queue), out(count, queue);
    for (std::size_t i = 0; i < count; ++i) {
      in[i] = static_cast<T>(i % 4);
    }
    for (int degree = 1; degree <= degrees; ++degree) {
      const std::string kernel = name(type, degree);
      run(queue, built.ext_oneapi_get_kernel(kernel), sycl::nd_range<1>{{count}, {8}}, static_cast<const T *>(in.get()), out.get());
      for (std::size_t i = 0; i < count; ++i) {
        T sum = 0;
        for (int power = degree; power >= 0; --power) {
          sum = sum * in[i] + static_cast<T>(power + 1);
        }
        expect(static_cast<double>(out[i]), static_cast<double>(sum + static_cast<T>(build)), 0, kernel.c_str(), i);
      }
    }
  }
};

class matrix final : public workload {
public:
  using workload::workload;
  std::vector<std::string> names() const override {
    return {"multiply<float, 4, 4, false>", "multiply<float, 2, 8, true>", "multiply<double, 2, 2, false>",
            "multiply<int, 4, 2, true>",    "reduce_rows<float, matrix::sum>", "reduce_rows<float, matrix::largest>",
            "reduce_rows<double, matrix::mean>", "softmax_rows<float>", "softmax_rows<double>"};
  }
  std::string kernel(int) const override { return "multiply<float, 4, 4, false>"; }
  void check(sycl::queue &queue, bundle &built, int build) const override {
    multiply<float, 4, 4, false>(queue, built.ext_oneapi_get_kernel("multiply<float, 4, 4, false>"), build);
    multiply<float, 2, 8, true>(queue, built.ext_oneapi_get_kernel("multiply<float, 2, 8, true>"), build);
    multiply<double, 2, 2, false>(queue, built.ext_oneapi_get_kernel("multiply<double, 2, 2, false>"), build);
    multiply<int, 4, 2, true>(queue, built.ext_oneapi_get_kernel("multiply<int, 4, 2, true>"), build);
    const auto sum = [](double a, double b) { return a + b; };
    reduce<float, double>(queue, built.ext_oneapi_get_kernel("reduce_rows<float, matrix::sum>"), build, 0, sum, 1);
    reduce<float, double>(queue, built.ext_oneapi_get_kernel("reduce_rows<float, matrix::largest>"), build, -1e30,
                          [](double a, double b) { return std::fmax(a, b); }, 1);
    reduce<double, double>(queue, built.ext_oneapi_get_kernel("reduce_rows<double, matrix::mean>"), build, 0, sum, columns);
    softmax<float>(queue, built.ext_oneapi_get_kernel("softmax_rows<float>"), build);
    softmax<double>(queue, built.ext_oneapi_get_kernel("softmax_rows<double>"), build);
  }

private:
  static constexpr int rows = 6, columns = 37, group = 16;

  static int element(int i) { return (i * 7 + 3) % 11 - 5; }

  // Shapes that leave a rest at each edge.
  template <typename T, int Rows, int Columns, bool Transposed>
  static void multiply(sycl::queue &queue, const sycl::kernel &kernel, int build) {
    constexpr int m = 13, n = 18, k = 9;
    memory<T> a(m * k, queue), b(k * n, queue), c(m * n, queue);
    for (int i = 0; i < m * k; ++i) {
      a[i] = static_cast<T>(element(i));
    }
    for (int i = 0; i < k * n; ++i) {
      b[i] = static_cast<T>(element(2 * i));
    }
    const std::size_t down = (m + Rows - 1) / Rows, across = (n + Columns - 1) / Columns;
    run(queue, kernel, sycl::nd_range<2>{{down, across}, {1, across}}, static_cast<const T *>(a.get()),
        static_cast<const T *>(b.get()), c.get(), m, n, k);
    for (int i = 0; i < m * n; ++i) {
      double wanted = build;
      for (int l = 0; l < k; ++l) {
        wanted += static_cast<double>(a[(i / n) * k + l]) *
                  static_cast<double>(Transposed ? b[(i % n) * k + l] : b[l * n + i % n]);
      }
      expect(static_cast<double>(c[i]), wanted, 0, "multiply", i);
    }
  }

  template <typename T, typename Accumulator, typename Operation>
  static void reduce(sycl::queue &queue, const sycl::kernel &kernel, int build, double identity, Operation operation, int divisor) {
    memory<T> in(rows * columns, queue), out(rows, queue);
    memory<Accumulator> scratch(rows * group, queue);
    for (int i = 0; i < rows * columns; ++i) {
      in[i] = static_cast<T>(element(i));
    }
    run(queue, kernel, sycl::nd_range<1>{{rows * group}, {group}}, static_cast<const T *>(in.get()), out.get(), scratch.get(), columns);
    for (int row = 0; row < rows; ++row) {
      double wanted = identity;
      for (int column = 0; column < columns; ++column) {
        wanted = operation(wanted, static_cast<double>(in[row * columns + column]));
      }
      expect(static_cast<double>(out[row]), wanted / divisor + build, 1e-6 * (1 + build), "reduce_rows", row);
    }
  }

  template <typename T>
  static void softmax(sycl::queue &queue, const sycl::kernel &kernel, int build) {
    memory<T> in(rows * columns, queue), out(rows * columns, queue);
    for (int i = 0; i < rows * columns; ++i) {
      in[i] = static_cast<T>(element(i)) / 2;
    }
    run(queue, kernel, sycl::nd_range<1>{{rows * group}, {group}}, static_cast<const T *>(in.get()), out.get(), columns);
    for (int i = 0; i < rows * columns; ++i) {
      double total = 0;
      for (int column = 0; column < columns; ++column) {
        total += std::exp(static_cast<double>(in[i / columns * columns + column]));
      }
      expect(static_cast<double>(out[i]), std::exp(static_cast<double>(in[i])) / total + build, 1e-5 * (1 + build), "softmax_rows", i);
    }
  }
};

// What the macros of kernels/fft.cpp are set to.
struct fft_plan {
  int radices[4], items, batch, in_stride, in_gap, out_stride, out_gap, sign, load, store, window;
  double scale;

  int length() const { return radices[0] * radices[1] * radices[2] * radices[3]; }
  int in_distance() const { return length() * in_stride + in_gap; }
  int out_distance() const { return length() * out_stride + out_gap; }
  std::string name() const { return "fft_" + std::to_string(length()) + (sign < 0 ? "_forward" : "_backward"); }
  std::vector<std::string> options() const {
    const auto define = [](const char *macro, auto value) {
      std::ostringstream text;
      text << "-DFFT_" << macro << '=' << value;
      return text.str();
    };
    return {define("NAME", name()),
            define("REAL", "float"),
            define("LENGTH", length()),
            define("R0", radices[0]),
            define("R1", radices[1]),
            define("R2", radices[2]),
            define("R3", radices[3]),
            define("ITEMS", items),
            define("BATCH", batch),
            define("INPUT_STRIDE", in_stride),
            define("OUTPUT_STRIDE", out_stride),
            define("INPUT_DISTANCE", in_distance()),
            define("OUTPUT_DISTANCE", out_distance()),
            define("SIGN", sign),
            define("SCALE", scale),
            define("LOAD", load),
            define("STORE", store),
            define("WINDOW", window)};
  }
};

// Builds that differ either in the macros or in the text, and not in how much there is to compile: the radices are the
// same, in another order.
class fft final : public workload {
public:
  fft(std::string text, bool macros_differ) : workload(std::move(text)), macros_differ_(macros_differ) {}
  std::string text(int build) const override { return numbered(text_, macros_differ_ ? 1 : build); }
  std::vector<std::string> options(int build) const override { return plan(build).options(); }
  std::string kernel(int build) const override { return plan(build).name(); }

  void check(sycl::queue &queue, bundle &built, int build) const override {
    const fft_plan with = plan(build);
    const int n = with.length(), in_width = with.load == 1 ? 1 : 2, out_width = with.store == 1 ? 1 : 2;
    memory<float> in(with.batch * with.in_distance() * in_width, queue), out(with.batch * with.out_distance() * out_width, queue),
        buffers(with.batch * (2 * n + 1) * 2, queue);
    for (int i = 0; i < with.batch * with.in_distance() * in_width; ++i) {
      in[i] = static_cast<float>((i * 5 + 1) % 17) / 8 - 1;
    }
    const std::size_t items = with.items;
    run(queue, built.ext_oneapi_get_kernel(with.name()), sycl::nd_range<1>{{items * with.batch}, {items}},
        static_cast<const float *>(in.get()), out.get(), buffers.get());
    for (int transform = 0; transform < with.batch; ++transform) {
      for (int k = 0; k < n; k += 7) {
        const std::complex<double> wanted = point(with, in.get() + transform * with.in_distance() * in_width, k);
        const float *got = out.get() + (transform * with.out_distance() + k * with.out_stride) * out_width;
        if (with.store == 1) {
          expect(static_cast<double>(got[0]), std::norm(wanted), 1e-2, "fft", k);
        } else {
          expect(static_cast<double>(got[0]), wanted.real(), 1e-3, "fft", k);
          expect(static_cast<double>(got[1]), wanted.imag(), 1e-3, "fft", k);
        }
      }
      expect(static_cast<double>(buffers[(transform * (2 * n + 1) + 2 * n) * 2]), macros_differ_ ? 1 : build, 0, "fft's mark", 0);
    }
  }

private:
  fft_plan plan(int build) const {
    const int at = macros_differ_ ? build : 0;
    fft_plan made{{8, 4, 3, 5}, 32 << at % 2, 1 + at % 3, 1 + at % 2, at, 1 + at / 2 % 2, 3 * at, at % 4 < 2 ? -1 : 1, 0, 0, 0, 1.0 / (16 + at)};
    std::rotate(made.radices, made.radices + at % 4, made.radices + 4);
    return made;
  }

  // The k-th point by definition.
  static std::complex<double> point(const fft_plan &with, const float *in, int k) {
    const int n = with.length();
    const double turn = with.sign * 2 * std::acos(-1.0) / n;
    std::complex<double> sum = 0;
    for (int i = 0; i < n; ++i) {
      const float *at = in + i * with.in_stride * (with.load == 1 ? 1 : 2);
      const std::complex<double> value(static_cast<double>(at[0]), with.load == 1 ? 0 : static_cast<double>(at[1]));
      sum += value * std::polar(1.0, turn * ((static_cast<long>(i) * k) % n));
    }
    return sum * with.scale;
  }

  const bool macros_differ_;
};

inline std::unique_ptr<workload> make(const std::string &name, const std::string &kernels) {
  const auto from = [&](const char *file) { return read_file(kernels + "/" + file + ".cpp"); };
  if (name == "tiny") {
    return std::make_unique<tiny>(from("tiny"));
  }
  if (name == "instantiations") {
    return std::make_unique<instantiations>(from("instantiations"));
  }
  if (name == "matrix") {
    return std::make_unique<matrix>(from("matrix"));
  }
  if (name == "fft-macros" || name == "fft-text") {
    return std::make_unique<fft>(from("fft"), name == "fft-macros");
  }
  fail("no such workload: " + name);
}

// The source bundle, the build, the look-up of the kernel: what is measured everywhere.
inline bundle build(sycl::queue &queue, const workload &what, int number, const std::vector<std::string> &more_options = {}) {
  std::vector<std::string> options = what.options(number);
  options.insert(options.end(), more_options.begin(), more_options.end());
  auto source = syclexp::create_kernel_bundle_from_source(queue.get_context(), syclexp::source_language::sycl, what.text(number));
  return syclexp::build(source, syclexp::properties{syclexp::build_options{options}, syclexp::registered_names{what.names()}});
}

} // namespace workloads

#endif
