#include "typeid.hpp"

#include "positional.hpp"

namespace uuidx {

namespace {

constexpr Alphabet kLowerCrockford{"0123456789abcdefghjkmnpqrstvwxyz", false};
constexpr BitFormat kSuffixFormat{&kLowerCrockford, 5, 26, false};

constexpr char kSeparator = '_';

}  // namespace

std::optional<std::size_t> typeid_prefix_fault(std::string_view prefix) noexcept {
  for (std::size_t i = 0; i < prefix.size(); ++i) {
    const bool letter = prefix[i] >= 'a' && prefix[i] <= 'z';
    const bool inside = i > 0 && i + 1 < prefix.size();
    if (i == kMaxTypeidPrefix || !(letter || (prefix[i] == kSeparator && inside))) {
      return i;
    }
  }
  return std::nullopt;
}

std::size_t encode_typeid(Uuid id, std::string_view prefix, char *to) noexcept {
  std::size_t length = prefix.copy(to, prefix.size());
  if (length > 0) {
    to[length++] = kSeparator;
  }
  return length + encode_bits(number_of(id), kSuffixFormat, to + length);
}

DecodedTypeid decode_typeid(std::string_view text) noexcept {
  // A prefix may have underscores, the digits have none.
  const std::size_t separator = text.rfind(kSeparator);
  const std::size_t begin = separator == std::string_view::npos ? 0 : separator + 1;
  const std::string_view prefix = text.substr(0, begin > 0 ? separator : 0);
  // Not substr(), which would need the C++ runtime for its exception.
  std::string_view digits = text;
  digits.remove_prefix(begin);
  // Without a prefix, there is no underscore.
  if (begin > 0 && prefix.empty()) {
    return {prefix, {TextFault::character, 0, {}}};
  }
  if (const auto fault = typeid_prefix_fault(prefix)) {
    return {prefix, {TextFault::character, *fault, {}}};
  }
  DecodedText decoded = decode_bits(digits, kSuffixFormat);
  decoded.position += begin;
  return {prefix, decoded};
}

}  // namespace uuidx
