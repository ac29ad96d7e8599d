// Letters of ASCII, whatever the locale: what a name or a digit means must not depend on it.
#pragma once

#include <algorithm>
#include <string_view>

namespace uuidx {

constexpr char ascii_lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr char ascii_upper(char c) noexcept {
  return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, {}, ascii_lower, ascii_lower);
}

}  // namespace uuidx
