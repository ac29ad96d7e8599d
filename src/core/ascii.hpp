// ASCII letters in any locale: the meaning of a name or a digit must not depend on the locale.
#pragma once

#include <algorithm>
#include <string_view>

namespace uuidx {

// Returns an ASCII letter in lower case, any other character unchanged.
constexpr char ascii_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Returns an ASCII letter in upper case, any other character unchanged.
constexpr char ascii_upper(char c) noexcept {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

// True if two strings differ at most in the case of ASCII letters.
constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  // Not std::ranges::equal(), which libc++ before 15 lacks.
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

}  // namespace uuidx
