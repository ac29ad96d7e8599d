// A libFuzzer target for untrusted texts. UUIDX_FUZZ is the name of the text format that is read.
// Most inputs are mutated from a valid one, so that many are nearly valid.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "text_formats.hpp"

// libFuzzer's names.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming)
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);
std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size, std::size_t max_size,
                                    unsigned seed);
std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t max_size);
// NOLINTEND(readability-identifier-naming)
}

namespace uuidx_fuzz {
namespace {

using namespace uuidx;

// The number of inputs, and how many of them were valid.
unsigned long inputs, valid;

// Aborts the program unless a property holds, so that libFuzzer keeps the input.
void demand(bool holds, const char *property) {
  if (!holds) {
    std::fprintf(stderr, "does not hold: %s\n", property);
    std::abort();
  }
}

// Prints the counts when the program ends.
const int counted_at_exit =
    std::atexit([] { std::fprintf(stderr, "valid %lu of %lu\n", valid, inputs); });

// The format that is read.
const TextFormat *target;

std::string encode(Uuid id, const TextFormat &format) {
  // On the heap and no larger than necessary, so that the sanitizer sees a write past its end.
  const auto room = std::make_unique<char[]>(kMaxTextFormat);
  return {room.get(), format.encode(id, room.get())};
}

// Returns a text as the format is written, without the differences in letter case, in the aliases
// of Crockford's base 32 and in the padding of base32hex and base58.
std::string canonical(std::string_view text, const TextFormat &format) {
  std::string result{text};
  if (format.name == "base58" && text.size() < 22) {
    result.insert(0, 22 - text.size(), '1');
  }
  if (format.name == "base32hex" && text.size() == 32 && text.ends_with("======")) {
    result.resize(26);
  }
  for (char &c : result) {
    const bool small = c >= 'a' && c <= 'z';
    const bool big = c >= 'A' && c <= 'Z';
    if (small && (format.name == "ulid" || format.name == "base32hex")) {
      c = static_cast<char>(c - 0x20);
    } else if (big && (format.name == "hex" || format.name == "urn")) {
      c = static_cast<char>(c + 0x20);
    }
    if (format.name == "ulid") {
      c = c == 'I' || c == 'L' ? '1' : c == 'O' ? '0' : c;
    }
  }
  return result;
}

// Checks that a text that is read is written the same, and that any other has its first fault at
// the reported place.
void check_text(std::string_view text, const TextFormat &format) {
  const DecodedText decoded = format.decode(text);
  const std::size_t at = decoded.position;
  if (decoded.fault == TextFault::none) {
    ++valid;
    demand(encode(decoded.id, format) == canonical(text, format), "written as it was read");
    return;
  }
  demand(at <= text.size(), "the fault is in the text");
  // What follows the fault does not matter, and nothing before it is wrong.
  const DecodedText before = format.decode(text.substr(0, at));
  switch (decoded.fault) {
    case TextFault::length:
      if (at < text.size()) {
        demand(before.fault == TextFault::none, "what is too long starts with what is not");
      }
      break;
    case TextFault::leading_zero:
      demand(format.name == "decimal" && text.size() > 1 && text[at] == '0' && at == 0,
             "a leading zero is one");
      break;
    default: {
      demand(at < text.size(), "there is a character at fault");
      demand(before.fault == TextFault::none ||
                 (before.fault == TextFault::length && before.position == at),
             "nothing is wrong before the first fault");
      const DecodedText until = format.decode(text.substr(0, at + 1));
      demand((until.fault == decoded.fault && until.position == at) ||
                 (decoded.fault == TextFault::overflow && until.fault == TextFault::length),
             "what follows the first fault does not matter, unless it makes the text long enough");
    }
  }
}

// Cheap to seed, as each input needs a new one.
using Random = std::independent_bits_engine<std::minstd_rand, 64, std::uint64_t>;

// Returns nil, max, or a UUID of few or of many random bits.
Uuid any_uuid(Random &random) {
  const std::uint64_t bits = random();
  const std::uint64_t few = bits >> random() % 64;
  const Uuid ids[] = {kNil, kMax, {0, few}, {few, bits}, {random(), bits}};
  return ids[random() % std::size(ids)];
}

}  // namespace
}  // namespace uuidx_fuzz

int LLVMFuzzerInitialize(int * /*argc*/, char *** /*argv*/) {
  const char *name = std::getenv("UUIDX_FUZZ");
  uuidx_fuzz::target = uuidx::text_format_by_name(name != nullptr ? name : "");
  if (!uuidx_fuzz::target) {
    std::fputs("UUIDX_FUZZ is of no format\n", stderr);
    std::exit(2);
  }
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace uuidx_fuzz;
  ++inputs;
  check_text({reinterpret_cast<const char *>(data), size}, *target);
  return 0;
}

// Replaces the input by a valid one, or keeps it, and makes some random edits.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  using namespace uuidx_fuzz;
  Random random{seed};
  const unsigned choice = static_cast<unsigned>(random() % 8);
  if (choice < 6 || size == 0) {
    const std::string input = encode(any_uuid(random), *target);
    size = std::min(input.size(), max_size);
    std::copy_n(input.begin(), size, data);
  }
  if (choice < 2) {
    for (std::size_t i = 0; i < size; ++i) {
      const auto c = static_cast<std::uint8_t>(data[i] | 0x20);
      // Changes the case of some letters, which in some formats gives another value.
      if (c >= 'a' && c <= 'z' && random() % 2 == 0) {
        data[i] ^= 0x20;
      }
    }
  } else if (choice < 4 && size > 0) {
    // Replaces a character by a printable one, which libFuzzer would seldom do.
    data[random() % size] = static_cast<std::uint8_t>(' ' + random() % 95);
  } else {
    size = LLVMFuzzerMutate(data, size, max_size);
  }
  return size;
}
