// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a kernel receives is what set_arg was given (free-function-kernels.md section 5).

#include "support.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <tuple>

namespace {

enum plain_enum { plain_zero, plain_large = 70000 };
enum class small_enum : std::uint8_t { zero, top = 255 };
enum class wide_enum : std::int64_t { low = std::numeric_limits<std::int64_t>::min() };

struct row {
  const char *type;
  const char *kernel;
};

/// One kernel for each type: the argument goes back through memory, guarded by arguments of one byte on both sides.
const char *const declarations = "enum plain_enum { plain_zero, plain_large = 70000 };\n"
                                 "enum class small_enum : unsigned char { zero, top = 255 };\n"
                                 "enum class wide_enum : long { low };\n"
                                 "#define ECHO(T, NAME) TASK echo_##NAME(char before, T v, char after, T *out, "
                                 "char *guards) { *out = v; guards[0] = before; guards[1] = after; }\n";

const row scalars[] = {
    {"bool", "bool_"},
    {"char", "char_"},
    {"signed char", "schar"},
    {"unsigned char", "uchar"},
    {"short", "short_"},
    {"unsigned short", "ushort"},
    {"int", "int_"},
    {"unsigned", "uint"},
    {"long", "long_"},
    {"unsigned long", "ulong"},
    {"long long", "llong"},
    {"unsigned long long", "ullong"},
    {"float", "float_"},
    {"double", "double_"},
    {"wchar_t", "wchar"},
    {"char16_t", "char16"},
    {"char32_t", "char32"},
    {"std::byte", "byte"},
    {"std::int8_t", "int8"},
    {"std::uint64_t", "uint64"},
    {"std::size_t", "size"},
    {"plain_enum", "plain_enum"},
    {"small_enum", "small_enum"},
    {"wide_enum", "wide_enum"},
    {"sycl::id<3>", "id3"},
    {"sycl::range<2>", "range2"},
};

std::string scalar_source() {
  std::string text = declarations;
  for (const row &each : scalars)
    text += "ECHO(" + std::string(each.type) + ", " + each.kernel + ")\n";
  return text;
}

} // namespace

TEST_CASE("scalars, enumerations and index types (5.2)") {
  sycl::queue q;
  const auto bundle = support::build(q, "#include <cstddef>\n#include <cstdint>\n" + scalar_source());
  support::shared_array<char> guards(q, 2);
  const auto echo = [&](const char *name, auto value) {
    using T = decltype(value);
    CAPTURE(name);
    support::shared_array<T> out(q, 1);
    std::memset(static_cast<void *>(out.get()), 0x5a, sizeof(T));
    guards[0] = guards[1] = 0;
    q.submit([&](sycl::handler &group) {
       group.set_args('<', value, '>', out.get(), guards.get());
       group.single_task(bundle.ext_oneapi_get_kernel(std::string("echo_") + name));
     }).wait();
    CHECK(std::memcmp(out.get(), &value, sizeof(T)) == 0);
    CHECK(guards[0] == '<');
    CHECK(guards[1] == '>');
  };
  echo("bool_", true);
  echo("bool_", false);
  echo("char_", char{-7});
  echo("schar", static_cast<signed char>(-128));
  echo("uchar", static_cast<unsigned char>(200));
  echo("short_", static_cast<short>(-30000));
  echo("ushort", static_cast<unsigned short>(60000));
  echo("int_", std::numeric_limits<int>::min());
  echo("uint", 4000000000u);
  echo("long_", std::numeric_limits<long>::min());
  echo("ulong", std::numeric_limits<unsigned long>::max());
  echo("llong", -5000000000ll);
  echo("ullong", 0x123456789abcdef0ull);
  echo("float_", -1.5e-30f);
  echo("float_", std::numeric_limits<float>::infinity());
  echo("wchar", L'\u4e16');
  echo("char16", u'\u4e16');
  echo("char32", U'\U0001f600');
  echo("byte", std::byte{0xa5});
  echo("int8", std::int8_t{-1});
  echo("uint64", std::uint64_t{1} << 63);
  echo("size", ~std::size_t{0});
  echo("plain_enum", plain_large);
  echo("small_enum", small_enum::top);
  echo("wide_enum", wide_enum::low);
  echo("id3", sycl::id<3>(1, 2, 3));
  echo("range2", sycl::range<2>(4, 5));
  if (q.get_device().has(sycl::aspect::fp64))
    echo("double_", 1.0 / 3.0);
}

namespace {

struct padded {
  char a;
  double b;
  char c;
  int d;
  short e;
};
struct tail {
  long a;
  char b;
};
struct bytes3 {
  unsigned char x[3];
};
struct alignas(32) wide {
  int a;
  char b;
};
struct inner {
  short a;
  char b;
};
struct nested : inner {
  inner list[3];
  bool flag;
  bytes3 rest;
};
struct bits {
  unsigned a : 3;
  unsigned b : 13;
  int c : 9;
};
struct __attribute__((packed)) packed {
  char a;
  int b;
  long c;
};
union number {
  float f;
  unsigned u;
};
struct empty {};
struct big {
  int x[200];
};

const char *const structs = R"(
struct padded { char a; double b; char c; int d; short e; };
struct tail { long a; char b; };
struct bytes3 { unsigned char x[3]; };
struct alignas(32) wide { int a; char b; };
struct inner { short a; char b; };
struct nested : inner { inner list[3]; bool flag; bytes3 rest; };
struct bits { unsigned a : 3; unsigned b : 13; int c : 9; };
struct __attribute__((packed)) packed { char a; int b; long c; };
union number { float f; unsigned u; };
struct empty {};
struct big { int x[200]; };
#define ECHO(T) \
  TASK first_##T(T v, char guard, T *out, char *g) { *out = v; *g = guard; } \
  TASK middle_##T(char guard, T v, char guard2, T *out, char *g) { *out = v; *g = guard; g[1] = guard2; } \
  TASK last_##T(char *g, T *out, char guard, T v) { *out = v; *g = guard; } \
  TASK size_##T(unsigned long *out) { out[0] = sizeof(T); out[1] = alignof(T); }
ECHO(padded) ECHO(tail) ECHO(bytes3) ECHO(wide) ECHO(inner) ECHO(nested) ECHO(bits) ECHO(packed) ECHO(number) ECHO(empty) ECHO(big)
)";

/// Every value is different from its neighbours, and padding from all of them.
template <class T> T patterned() {
  T value;
  auto *bytes = reinterpret_cast<unsigned char *>(&value);
  for (std::size_t i = 0; i < sizeof(T); ++i)
    bytes[i] = static_cast<unsigned char>(i * 7 + 1);
  return value;
}

bool equal(const padded &x, const padded &y) {
  return x.a == y.a && std::memcmp(&x.b, &y.b, sizeof(x.b)) == 0 && x.c == y.c && x.d == y.d && x.e == y.e;
}
bool equal(const tail &x, const tail &y) { return x.a == y.a && x.b == y.b; }
bool equal(const bytes3 &x, const bytes3 &y) { return std::memcmp(&x, &y, sizeof(x)) == 0; }
bool equal(const wide &x, const wide &y) { return x.a == y.a && x.b == y.b; }
bool equal(const inner &x, const inner &y) { return x.a == y.a && x.b == y.b; }
bool equal(const nested &x, const nested &y) {
  return x.a == y.a && x.b == y.b && equal(x.list[0], y.list[0]) && equal(x.list[1], y.list[1]) &&
         equal(x.list[2], y.list[2]) && x.flag == y.flag && equal(x.rest, y.rest);
}
bool equal(const bits &x, const bits &y) { return x.a == y.a && x.b == y.b && x.c == y.c; }
bool equal(const packed &x, const packed &y) { return std::memcmp(&x, &y, sizeof(x)) == 0; }
bool equal(const number &x, const number &y) { return x.u == y.u; }
bool equal(const empty &, const empty &) { return true; }
bool equal(const big &x, const big &y) { return std::memcmp(&x, &y, sizeof(x)) == 0; }

} // namespace

TEST_CASE("structures by value at each position beside an argument of one byte (5.1, 5.2, A2)") {
  sycl::queue q;
  const auto bundle = support::build(q, structs);
  support::shared_array<char> guards(q, 2);
  const auto echo = [&](const std::string &name, auto value) {
    using T = decltype(value);
    CAPTURE(name);
    support::shared_array<std::size_t> size(q, 2);
    q.submit([&](sycl::handler &group) {
       group.set_args(size.get());
       group.single_task(bundle.ext_oneapi_get_kernel("size_" + name));
     }).wait();
    CHECK(size[0] == sizeof(T));
    CHECK(size[1] == alignof(T));

    support::shared_array<T> out(q, 1);
    const auto run = [&](const std::string &position, auto set) {
      CAPTURE(position);
      std::memset(static_cast<void *>(out.get()), 0, sizeof(T));
      guards[0] = guards[1] = 0;
      q.submit([&](sycl::handler &group) {
         set(group);
         group.single_task(bundle.ext_oneapi_get_kernel(position + "_" + name));
       }).wait();
      CHECK(equal(out[0], value));
      CHECK(guards[0] == 'g');
    };
    run("first", [&](sycl::handler &group) { group.set_args(value, 'g', out.get(), guards.get()); });
    run("middle", [&](sycl::handler &group) { group.set_args('g', value, 'h', out.get(), guards.get()); });
    CHECK(guards[1] == 'h');
    run("last", [&](sycl::handler &group) { group.set_args(guards.get(), out.get(), 'g', value); });
  };
  if (q.get_device().has(sycl::aspect::fp64))
    echo("padded", padded{'a', 2.5, 'c', 1 << 30, -4});
  echo("tail", patterned<tail>());
  echo("bytes3", patterned<bytes3>());
  echo("wide", wide{7, 'w'});
  echo("inner", patterned<inner>());
  nested n{};
  n.a = -3;
  n.b = 'n';
  n.list[0] = {1, 'x'};
  n.list[1] = {2, 'y'};
  n.list[2] = {-3, 'z'};
  n.flag = true;
  n.rest = {{9, 8, 7}};
  echo("nested", n);
  echo("bits", bits{5, 8000, -200});
  echo("packed", patterned<packed>());
  number u;
  u.u = 0x7fc12345;
  echo("number", u);
  echo("empty", empty{});
  echo("big", patterned<big>());
}

TEST_CASE("library types by value (5.2, A2)") {
  sycl::queue q;
  const auto bundle =
      support::build(q, "#include <array>\n#include <tuple>\n#include <optional>\n#include <utility>\n"
                        "TASK k(std::array<int, 3> a, std::pair<char, int> p, std::tuple<char, short, long> t, "
                        "std::optional<int> o, long *out) {\n"
                        "  out[0] = a[0] + 10 * a[1] + 100 * a[2];\n  out[1] = p.first * 1000 + p.second;\n"
                        "  out[2] = std::get<0>(t) + std::get<1>(t) + std::get<2>(t);\n  out[3] = o ? *o : -1; }\n");
  support::shared_array<long> out(q, 4);
  const std::array<int, 3> array = {1, 2, 3};
  const std::pair<char, int> pair(4, 5);
  const std::tuple<char, short, long> tuple(1, 20, 300);
  q.submit([&](sycl::handler &group) {
     group.set_args(array, pair, tuple, std::optional<int>(8), out.get());
     group.single_task(bundle.ext_oneapi_get_kernel("k"));
   }).wait();
  CHECK(out[0] == 321);
  CHECK(out[1] == 4005);
  CHECK(out[2] == 321);
  CHECK(out[3] == 8);
}

TEST_CASE("pointers: typed, untyped, to constants, null, and inside structures (5.2, A7)") {
  sycl::queue q;
  const auto bundle = support::build(q, "struct holder { int n; int *p; };\n"
                                        "TASK k(int *p, const int *c, void *v, int *nothing, holder h) {\n"
                                        "  p[0] = c[0] + 1; static_cast<int *>(v)[1] = nothing == nullptr; h.p[2] = h.n; }\n");
  struct holder {
    int n;
    int *p;
  };
  support::shared_array<int> data(q, 3), constant(q, 1, 41);
  const int *const pointer_to_const = constant.get();
  q.submit([&](sycl::handler &group) {
     group.set_args(data.get(), pointer_to_const, static_cast<void *>(data.get()), nullptr, holder{7, data.get()});
     group.single_task(bundle.ext_oneapi_get_kernel("k"));
   }).wait();
  CHECK(data[0] == 42);
  CHECK(data[1] == 1);
  CHECK(data[2] == 7);
}

TEST_CASE("arguments are copied when they are set; order is free and the last value counts (A5, A6)") {
  sycl::queue q;
  const auto bundle = support::build(q, "TASK k(int a, int b, int *out) { out[0] = a; out[1] = b; }\n");
  support::shared_array<int> out(q, 2);
  q.submit([&](sycl::handler &group) {
     int local = 1;
     group.set_arg(2, out.get());
     group.set_arg(1, local);
     group.set_arg(0, local);
     local = 5;
     group.set_arg(1, 2);
     group.single_task(bundle.ext_oneapi_get_kernel("k"));
   }).wait();
  CHECK(out[0] == 1);
  CHECK(out[1] == 2);
}

TEST_CASE("arguments may be set after the launch call, since the group is submitted as a whole") {
  sycl::queue q;
  const auto bundle = support::build(q, "TASK k(int *out) { *out = 3; }\n");
  support::shared_array<int> out(q, 1);
  q.submit([&](sycl::handler &group) {
     group.single_task(bundle.ext_oneapi_get_kernel("k"));
     group.set_arg(0, out.get());
   }).wait();
  CHECK(out[0] == 3);
}

TEST_CASE("a parameter that the kernel changes is the work-item's own (A1)") {
  sycl::queue q;
  struct counter {
    int value;
    int step;
  };
  const auto bundle = support::build(q, "struct counter { int value; int step; };\n"
                                        "KERNEL_1D k(counter c, int *out) {\n"
                                        "  auto i = syclext::this_work_item::get_nd_item<1>().get_global_linear_id();\n"
                                        "  for (int j = 0; j < 5; ++j) c.value += c.step;\n"
                                        "  out[i] = c.value; }\n");
  support::shared_array<int> out(q, 256);
  q.submit([&](sycl::handler &group) {
     group.set_args(counter{0, 3}, out.get());
     group.parallel_for(sycl::nd_range<1>({256}, {32}), bundle.ext_oneapi_get_kernel("k"));
   }).wait();
  for (std::size_t i = 0; i < out.size(); ++i)
    REQUIRE(out[i] == 15);
}

TEST_CASE("many arguments, more than the handler keeps without an allocation") {
  sycl::queue q;
  std::string parameters, sum;
  for (int i = 0; i < 40; ++i) {
    parameters += "long a" + std::to_string(i) + ", ";
    sum += " + a" + std::to_string(i) + " * " + std::to_string(i + 1);
  }
  const auto bundle = support::build(q, "TASK k(" + parameters + "long *out) { *out = 0" + sum + "; }\n");
  support::shared_array<long> out(q, 1);
  long expected = 0;
  q.submit([&](sycl::handler &group) {
     for (int i = 0; i < 40; ++i) {
       group.set_arg(i, static_cast<long>(i * i));
       expected += static_cast<long>(i * i) * (i + 1);
     }
     group.set_arg(40, out.get());
     group.single_task(bundle.ext_oneapi_get_kernel("k"));
   }).wait();
  CHECK(out[0] == expected);
}

TEST_CASE("raw_kernel_arg gives the bytes of an argument, from any address (runtime.md 11.4)") {
  sycl::queue q;
  const auto bundle = support::build(q, "TASK k(int a, double b, long *out) { out[0] = a; out[1] = (long)b; }\n");
  support::shared_array<long> out(q, 2);
  char bytes[1 + sizeof(int)];
  const int value = 77;
  std::memcpy(bytes + 1, &value, sizeof(value));
  const double other = 5.0;
  q.submit([&](sycl::handler &group) {
     group.set_args(sycl::ext::oneapi::raw_kernel_arg(bytes + 1, sizeof(int)),
                    sycl::ext::oneapi::raw_kernel_arg(&other, sizeof(other)), out.get());
     group.single_task(bundle.ext_oneapi_get_kernel("k"));
   }).wait();
  CHECK(out[0] == 77);
  CHECK(out[1] == 5);
}

TEST_CASE("wrong arguments (runtime.md 7.2, rows 10 to 12)") {
  sycl::queue q;
  const auto bundle = support::build(q, "TASK k(int a, long b, int *out) { *out = a + (int)b; }\n");
  const sycl::kernel k = bundle.ext_oneapi_get_kernel("k");
  support::shared_array<int> out(q, 1, -1);
  using sycl::errc;
  const auto wrong = [&](errc code, auto set) {
    const std::string message = support::failure(code, [&] {
      q.submit([&](sycl::handler &group) {
        set(group);
        group.single_task(k);
      });
    });
    CHECK_CONTAINS(message, "k");
    q.wait();
    CHECK(out[0] == -1);
    // A right call after a wrong one works: nothing is carried over.
    q.submit([&](sycl::handler &group) {
       group.set_args(1, 2l, out.get());
       group.single_task(k);
     }).wait();
    CHECK(out[0] == 3);
    out[0] = -1;
    return message;
  };
  wrong(errc::invalid, [&](sycl::handler &) {});
  wrong(errc::invalid, [&](sycl::handler &group) { group.set_args(1, 2l); });
  wrong(errc::invalid, [&](sycl::handler &group) {
    group.set_arg(0, 1);
    group.set_arg(2, out.get());
  });
  wrong(errc::invalid, [&](sycl::handler &group) { group.set_args(1, 2l, out.get(), 4); });
  wrong(errc::invalid, [&](sycl::handler &group) {
    group.set_args(1, 2l, out.get());
    group.set_arg(1000, 4);
  });
  const std::string size = wrong(errc::kernel_argument, [&](sycl::handler &group) { group.set_args(1, 2, out.get()); });
  CHECK_CONTAINS(size, "4");
  CHECK_CONTAINS(size, "8");
  wrong(errc::kernel_argument, [&](sycl::handler &group) { group.set_args(1l, 2l, out.get()); });
  wrong(errc::kernel_argument, [&](sycl::handler &group) { group.set_args(out.get(), 2l, out.get()); });
  wrong(errc::kernel_argument, [&](sycl::handler &group) { group.set_args(1, 2l, 3); });
  wrong(errc::kernel_argument, [&](sycl::handler &group) {
    group.set_args(sycl::ext::oneapi::raw_kernel_arg(&out, 3), 2l, out.get());
  });
  wrong(errc::kernel_argument, [&](sycl::handler &group) {
    int *pointer = out.get();
    group.set_args(1, 2l, sycl::ext::oneapi::raw_kernel_arg(&pointer, sizeof(pointer)));
  });
  support::failure(errc::invalid, [&] { q.submit([](sycl::handler &group) { group.set_arg(-1, 0); }); });
}

TEST_CASE("vec, marray and half by value, in the host's layout (5.2)") {
  sycl::queue q;
  const auto bundle = support::build(
      q, "TASK k(char before, sycl::int2 a, sycl::vec<short, 3> b, char between, sycl::marray<int, 3> c, sycl::half h,\n"
         "       sycl::float4 f, char after, float *out, unsigned long *size) {\n"
         "  out[0] = a[0]; out[1] = a[1]; out[2] = b[0]; out[3] = b[2]; out[4] = c[0]; out[5] = c[2]; out[6] = (float)h;\n"
         "  out[7] = f[0]; out[8] = f[3]; out[9] = before; out[10] = between; out[11] = after;\n"
         "  size[0] = sizeof(a); size[1] = sizeof(b); size[2] = sizeof(c); size[3] = sizeof(h); size[4] = sizeof(f); }\n");
  support::shared_array<float> out(q, 12);
  support::shared_array<std::size_t> size(q, 5);
  const sycl::int2 a(1, -2);
  const sycl::vec<short, 3> b(3, 4, -5);
  const sycl::marray<int, 3> c(6, 7, -8);
  const sycl::half h(1.5f);
  const sycl::float4 f(0.25f, 1, 2, -0.5f);
  q.submit([&](sycl::handler &group) {
     group.set_args('<', a, b, '|', c, h, f, '>', out.get(), size.get());
     group.single_task(bundle.ext_oneapi_get_kernel("k"));
   }).wait();
  const float expected[] = {1, -2, 3, -5, 6, -8, 1.5f, 0.25f, -0.5f, '<', '|', '>'};
  for (std::size_t i = 0; i < 12; ++i)
    CHECK(out[i] == expected[i]);
  CHECK(size[0] == sizeof(a));
  CHECK(size[1] == sizeof(b));
  CHECK(size[2] == sizeof(c));
  CHECK(size[3] == sizeof(h));
  CHECK(size[4] == sizeof(f));
}
