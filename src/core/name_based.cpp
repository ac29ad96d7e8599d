#include "name_based.hpp"

#include "ascii.hpp"

namespace uuidx {

std::optional<Uuid> namespace_by_name(std::string_view name) noexcept {
  for (const Namespace &known : kNamespaces) {
    if (equal_ignoring_case(name, known.name)) {
      return known.id;
    }
  }
  return std::nullopt;
}

}  // namespace uuidx
