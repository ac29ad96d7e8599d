// Unsigned numbers of 128 bits: the compiler's own, or PairNumber if it has none, as on 32-bit
// machines.
#pragma once

#include <compare>
#include <cstdint>

namespace uuidx {

// A 128-bit number with the operations that the text forms need.
class PairNumber {
 public:
  constexpr PairNumber() noexcept = default;
  // NOLINTNEXTLINE(google-explicit-constructor): numbers convert so.
  constexpr PairNumber(std::uint64_t low) noexcept : low_(low) {}
  constexpr PairNumber(std::uint64_t high, std::uint64_t low) noexcept : high_(high), low_(low) {}

  constexpr explicit operator std::uint64_t() const noexcept { return low_; }

  friend constexpr PairNumber operator~(PairNumber a) noexcept { return {~a.high_, ~a.low_}; }

  friend constexpr PairNumber operator|(PairNumber a, std::uint64_t b) noexcept {
    return {a.high_, a.low_ | b};
  }

  friend constexpr std::uint64_t operator&(PairNumber a, std::uint64_t b) noexcept {
    return a.low_ & b;
  }

  // Shifts by 1 to 127 bits.
  friend constexpr PairNumber operator<<(PairNumber a, int by) noexcept {
    return by >= 64 ? PairNumber{a.low_ << (by - 64), 0}
                    : PairNumber{a.high_ << by | a.low_ >> (64 - by), a.low_ << by};
  }

  friend constexpr PairNumber operator>>(PairNumber a, int by) noexcept {
    return by >= 64 ? PairNumber{0, a.high_ >> (by - 64)}
                    : PairNumber{a.high_ >> by, a.low_ >> by | a.high_ << (64 - by)};
  }

  constexpr PairNumber &operator>>=(int by) noexcept { return *this = *this >> by; }

  friend constexpr PairNumber operator+(PairNumber a, PairNumber b) noexcept {
    const std::uint64_t low = a.low_ + b.low_;
    return {a.high_ + b.high_ + (low < b.low_ ? 1 : 0), low};
  }

  friend constexpr PairNumber operator-(PairNumber a, PairNumber b) noexcept {
    return {a.high_ - b.high_ - (a.low_ < b.low_ ? 1 : 0), a.low_ - b.low_};
  }

  friend constexpr PairNumber operator*(PairNumber a, std::uint64_t b) noexcept {
    constexpr std::uint64_t kHalf = 0xFFFFFFFF;
    const std::uint64_t b_low = b & kHalf;
    const std::uint64_t b_high = b >> 32;
    const PairNumber outer{a.high_ * b + (a.low_ >> 32) * b_high, (a.low_ & kHalf) * b_low};
    return outer + (PairNumber{(a.low_ & kHalf) * b_high} << 32) +
           (PairNumber{(a.low_ >> 32) * b_low} << 32);
  }

  // Divides by 1 to 2^63.
  friend constexpr PairNumber operator/(PairNumber a, std::uint64_t b) noexcept {
    std::uint64_t rest = 0;
    return divide(a, b, &rest);
  }

  friend constexpr std::uint64_t operator%(PairNumber a, std::uint64_t b) noexcept {
    std::uint64_t rest = 0;
    divide(a, b, &rest);
    return rest;
  }

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 takes a defaulted <=> for a null pointer.
  friend constexpr auto operator<=>(const PairNumber &, const PairNumber &) noexcept = default;

 private:
  // Divides bit by bit, from the highest; sets `rest` to the remainder.
  static constexpr PairNumber divide(PairNumber a, std::uint64_t b, std::uint64_t *rest) noexcept {
    PairNumber quotient;
    *rest = 0;
    for (int bit = 0; bit < 128; ++bit) {
      *rest = *rest << 1 | a.high_ >> 63;
      a = a << 1;
      quotient = quotient << 1;
      if (*rest >= b) {
        *rest -= b;
        quotient.low_ |= 1;
      }
    }
    return quotient;
  }

  std::uint64_t high_ = 0;
  std::uint64_t low_ = 0;
};

#ifdef __SIZEOF_INT128__
__extension__ using Number = unsigned __int128;
#else
using Number = PairNumber;
#endif

}  // namespace uuidx
