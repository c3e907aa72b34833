// The arithmetic of PTX instructions on C++ values. Included by translated kernels only.
#pragma once
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace ptx {

template <class T>
constexpr unsigned bits_of = 8 * sizeof(T);

// PTX registers are untyped apart from their size: an instruction reads a register as its own type.
template <class To, class From>
inline To as(From from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else if constexpr (std::is_same_v<To, bool> || std::is_same_v<From, bool>) {
    return static_cast<To>(from);
  } else {
    To to{};
    std::memcpy(&to, &from, std::min(sizeof(To), sizeof(From)));
    return to;
  }
}

// A narrower integer is extended by its own signedness, as PTX requires of a wider destination register.
template <class Register, class T>
inline void assign(Register& target, T value) {
  if constexpr (std::is_same_v<Register, T> || std::is_same_v<Register, bool> ||
                (std::is_integral_v<Register> && std::is_integral_v<T>)) {
    target = static_cast<Register>(value);
  } else {
    static_assert(sizeof(Register) >= sizeof(T));
    Register widened{};
    std::memcpy(&widened, &value, sizeof(T));
    target = widened;
  }
}

template <class T>
inline T load(const std::uint8_t* address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

template <class T>
inline void store(std::uint8_t* address, T value) {
  std::memcpy(address, &value, sizeof(T));
}

inline double double_bits(std::uint64_t bits) { return as<double>(bits); }
inline float float_bits(std::uint32_t bits) { return as<float>(bits); }

inline float flush_subnormal(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

// The barriers keep the compiler from moving the operation out of the region with the other rounding.
template <class Operation>
__attribute__((noinline)) auto rounded(int mode, Operation operation) {
  const int before = std::fegetround();
  std::fesetround(mode);
  asm volatile("" ::: "memory");
  auto result = operation();
  asm volatile("" ::"g"(&result) : "memory");
  std::fesetround(before);
  return result;
}

template <class T>
inline T saturate(T x) {
  return x > 0 ? (x < 1 ? x : T(1)) : T(0);
}

inline double clear_low_word(double x) { return as<double>(as<std::uint64_t>(x) & 0xffffffff00000000ull); }

template <class T>
T add_with_carry(bool& carry, T a, T b, bool carry_in, bool carry_out) {
  const unsigned __int128 sum = static_cast<unsigned __int128>(a) + b + (carry_in && carry ? 1 : 0);
  if (carry_out) carry = (sum >> bits_of<T>)&1;
  return static_cast<T>(sum);
}

template <class T>
T subtract_with_borrow(bool& carry, T a, T b, bool borrow_in, bool borrow_out) {
  const unsigned __int128 difference = static_cast<unsigned __int128>(a) - b - (borrow_in && carry ? 1 : 0);
  if (borrow_out) carry = (difference >> bits_of<T>)&1;
  return static_cast<T>(difference);
}

template <class T>
T multiply_high(T a, T b) {
  using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> bits_of<T>);
}

// Division by zero and the overflowing quotient do not trap on the device.
template <class T>
T divide(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return static_cast<T>(0 - static_cast<std::uint64_t>(a));
  return a / b;
}

template <class T>
T remainder(T a, T b) {
  if (b == 0) return a;
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return 0;
  return a % b;
}

template <class T>
bool unordered(T a, T b) {
  return a != a || b != b;
}

template <class T>
bool ordered_not_equal(T a, T b) {
  return a < b || a > b;
}

template <class T>
T minimum(T a, T b, bool propagate_nan) {
  return propagate_nan && unordered(a, b) ? std::numeric_limits<T>::quiet_NaN() : std::fmin(a, b);
}

template <class T>
T maximum(T a, T b, bool propagate_nan) {
  return propagate_nan && unordered(a, b) ? std::numeric_limits<T>::quiet_NaN() : std::fmax(a, b);
}

template <class T>
bool testp_finite(T a) {
  return std::isfinite(a);
}
template <class T>
bool testp_infinite(T a) {
  return std::isinf(a);
}
template <class T>
bool testp_number(T a) {
  return a == a;
}
template <class T>
bool testp_notanumber(T a) {
  return a != a;
}
template <class T>
bool testp_normal(T a) {
  return std::isnormal(a);
}
template <class T>
bool testp_subnormal(T a) {
  return std::fpclassify(a) == FP_SUBNORMAL;
}

// Shift counts are clamped, not wrapped.
template <class T>
T shift_left(T a, std::uint32_t count) {
  return count >= bits_of<T> ? 0 : static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << count);
}

template <class T>
T shift_right(T a, std::uint32_t count) {
  if (count >= bits_of<T>) return std::is_signed_v<T> && a < 0 ? static_cast<T>(-1) : 0;
  return a >> count;
}

inline std::uint32_t funnel_shift(std::uint32_t low, std::uint32_t high, std::uint32_t count, bool left, bool wrap) {
  const std::uint32_t n = wrap ? count & 31 : std::min(count, 32u);
  const std::uint64_t both = static_cast<std::uint64_t>(high) << 32 | low;
  return static_cast<std::uint32_t>(left ? (both << n) >> 32 : both >> n);
}

template <class T>
std::uint32_t count_leading_zeros(T a) {
  if (a == 0) return bits_of<T>;
  return sizeof(T) == 8 ? __builtin_clzll(a) : __builtin_clz(static_cast<std::uint32_t>(a));
}

template <class T>
T reverse_bits(T a) {
  T result = 0;
  for (unsigned i = 0; i < bits_of<T>; ++i)
    if (a >> i & 1) result |= T(1) << (bits_of<T> - 1 - i);
  return result;
}

template <class T>
std::uint32_t find_leading_bit(T a, bool as_shift) {
  auto magnitude = static_cast<std::make_unsigned_t<T>>(a);
  if (std::is_signed_v<T> && a < 0) magnitude = ~magnitude;
  if (magnitude == 0) return ~0u;
  const std::uint32_t zeros = count_leading_zeros(magnitude);
  return as_shift ? zeros : bits_of<T> - 1 - zeros;
}

template <class T>
T extract_field(T a, std::uint32_t position, std::uint32_t length) {
  position &= 255;
  length &= 255;
  if (length == 0) return 0;
  const unsigned top = std::min(position + length - 1, bits_of<T> - 1);
  const auto source = static_cast<std::uint64_t>(a);
  const bool fill = std::is_signed_v<T> && (source >> top & 1);
  std::uint64_t result = 0;
  for (unsigned i = 0; i < bits_of<T>; ++i) {
    const bool inside = i < length && position + i < bits_of<T>;
    if (inside ? (source >> (position + i) & 1) : fill) result |= std::uint64_t(1) << i;
  }
  return static_cast<T>(result);
}

template <class T>
T insert_field(T field, T into, std::uint32_t position, std::uint32_t length) {
  position &= 255;
  length &= 255;
  for (unsigned i = 0; i < length && position + i < bits_of<T>; ++i) {
    const T bit = T(1) << (position + i);
    into = (into & ~bit) | ((field >> i & 1) ? bit : 0);
  }
  return into;
}

inline std::uint32_t permute_bytes(std::uint32_t a, std::uint32_t b, std::uint32_t selector) {
  const std::uint64_t both = static_cast<std::uint64_t>(b) << 32 | a;
  std::uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const std::uint32_t choice = selector >> (4 * i) & 15;
    auto byte = static_cast<std::uint8_t>(both >> (8 * (choice & 7)));
    if (choice & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= static_cast<std::uint32_t>(byte) << (8 * i);
  }
  return result;
}

inline std::uint32_t logic3(std::uint32_t a, std::uint32_t b, std::uint32_t c, unsigned table) {
  std::uint32_t result = 0;
  for (unsigned k = 0; k < 8; ++k)
    if (table >> k & 1) result |= (k & 4 ? a : ~a) & (k & 2 ? b : ~b) & (k & 1 ? c : ~c);
  return result;
}

template <class T>
T round_rzi(T x) {
  return std::trunc(x);
}
template <class T>
T round_rni(T x) {
  return std::nearbyint(x);
}
template <class T>
T round_rmi(T x) {
  return std::floor(x);
}
template <class T>
T round_rpi(T x) {
  return std::ceil(x);
}

// Conversions to integers saturate; NaN gives zero, or the lowest 64-bit pattern.
template <class To, class From>
To float_to_integer(From x) {
  if (x != x) return sizeof(To) == 8 ? static_cast<To>(1ull << 63) : 0;
  const long double low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
  if (x <= low) return std::numeric_limits<To>::min();
  if (x >= high) return std::numeric_limits<To>::max();
  return static_cast<To>(x);
}

template <class To, class From>
To saturate_integer(From x) {
  const __int128 value = x, low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
  return static_cast<To>(std::clamp(value, low, high));
}

}  // namespace ptx
