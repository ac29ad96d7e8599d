#include "name_based.hpp"

#include "ascii.hpp"

namespace uuidx {

namespace {

struct Namespace {
  std::string_view name;
  Uuid id;
};

constexpr std::uint64_t kNamespaceLo = 0x80b400c04fd430c8;

constexpr Namespace kNamespaces[] = {
    {"dns", {0x6ba7b8109dad11d1, kNamespaceLo}},
    {"url", {0x6ba7b8119dad11d1, kNamespaceLo}},
    {"oid", {0x6ba7b8129dad11d1, kNamespaceLo}},
    {"x500", {0x6ba7b8149dad11d1, kNamespaceLo}},
};

}  // namespace

std::optional<Uuid> namespace_by_name(std::string_view name) noexcept {
  for (const Namespace &known : kNamespaces) {
    if (equal_ignoring_case(name, known.name)) {
      return known.id;
    }
  }
  return std::nullopt;
}

}  // namespace uuidx
