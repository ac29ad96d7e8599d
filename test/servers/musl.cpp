// Makes version 7 UUIDs and carries them through every text form, without the C++ library: prints
// "ok", or what fails. Linked to the core by musl.sh.
#include <cstdio>

#include "core/text_forms.hpp"
#include "core/v7.hpp"

namespace {

// True if an id is the same after its text form is read.
bool survives(uuidx::Uuid id, const uuidx::TextForm &form) {
  char text[uuidx::kMaxTextForm];
  const std::size_t length = form.encode(id, text);
  const uuidx::DecodedText decoded = form.decode({text, length});
  return decoded.fault == uuidx::TextFault::none && decoded.id == id;
}

}  // namespace

int main() {
  uuidx::Uuid last;
  uuidx::UnixTicks ticks = 0;
  for (std::uint64_t i = 1; i <= 100'000; ++i) {
    if (!uuidx::next_unix_ticks(ticks, i / 3, &ticks)) {
      return std::puts("no tick") != 0;
    }
    const uuidx::Uuid id = uuidx::v7_from_unix_ticks(ticks, i * 0x9E3779B97F4A7C15);
    if (!(last < id)) {
      return std::puts("not increasing") != 0;
    }
    for (const uuidx::TextForm &form : uuidx::text_forms()) {
      if (!survives(id, form)) {
        return std::printf("text form %s\n", form.name.data()) != 0;
      }
    }
    last = id;
  }
  return std::puts("ok") < 0;
}
