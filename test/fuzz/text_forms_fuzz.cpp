// A libFuzzer target for what reads bits or texts that anybody may send. UUIDX_FUZZ names the
// target: a text form, or "fields" for UUIDs of any bits. Every input starts from a valid one, so
// that many are nearly valid.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "convert.hpp"
#include "fields.hpp"
#include "text_forms.hpp"

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

namespace {

using uuidx::DecodedText;
using uuidx::TextFault;
using uuidx::TextForm;
using uuidx::Uuid;

// None for the fields.
std::optional<TextForm> target;

// Inputs, and those among them that were valid.
unsigned long inputs, valid;

// Ends the program, for libFuzzer to keep the input, unless a property holds.
void demand(bool holds, const char *property) {
  if (!holds) {
    std::fprintf(stderr, "does not hold: %s\n", property);
    std::abort();
  }
}

std::string encode(Uuid id, TextForm form) {
  // On the heap and no larger than it must be, so that a write behind it is seen.
  const auto room = std::make_unique<char[]>(uuidx::kMaxTextForm);
  return {room.get(), uuidx::encode_text(id, form, room.get())};
}

// A text as the form is written, whatever its case and the aliases of Crockford's base 32.
std::string canonical(std::string_view text, TextForm form) {
  std::string result{text};
  for (char &c : result) {
    const bool small = c >= 'a' && c <= 'z';
    const bool big = c >= 'A' && c <= 'Z';
    if (small && (form == TextForm::ulid || form == TextForm::base32hex)) {
      c = static_cast<char>(c - 0x20);
    } else if (big && (form == TextForm::hex || form == TextForm::urn)) {
      c = static_cast<char>(c + 0x20);
    }
    if (form == TextForm::ulid) {
      c = c == 'I' || c == 'L' ? '1' : c == 'O' ? '0' : c;
    }
  }
  return result;
}

// What is read is written the same; what is not has its first fault where it is said to be.
void check_text(std::string_view text, TextForm form) {
  const DecodedText decoded = uuidx::decode_text(text, form);
  const std::size_t at = decoded.position;
  if (decoded.fault == TextFault::none) {
    ++valid;
    demand(encode(decoded.id, form) == canonical(text, form), "written as it was read");
    return;
  }
  demand(at <= text.size(), "the fault is in the text");
  // Behind this place nothing matters, and before it nothing is wrong.
  const DecodedText before = uuidx::decode_text(text.substr(0, at), form);
  switch (decoded.fault) {
    case TextFault::length:
      if (at < text.size()) {
        demand(before.fault == TextFault::none, "what is too long starts with what is not");
      }
      break;
    case TextFault::leading_zero:
      demand(form == TextForm::decimal && text.size() > 1 && text[at] == '0' && at == 0,
             "a leading zero is one");
      break;
    default: {
      demand(at < text.size(), "there is a character at fault");
      demand(before.fault == TextFault::none ||
                 (before.fault == TextFault::length && before.position == at),
             "nothing is wrong before the first fault");
      const DecodedText until = uuidx::decode_text(text.substr(0, at + 1), form);
      demand(until.fault == decoded.fault && until.position == at,
             "what follows the first fault does not matter");
    }
  }
}

// The fields of any UUID are its bits, and conversions undo each other.
void check_fields(Uuid id) {
  int next = 0;
  Uuid joined;
  for (const uuidx::Field &field : uuidx::layout_of(id)) {
    demand(field.first == next && field.width > 0 && field.width <= 62, "fields without gaps");
    next += field.width;
    const std::uint64_t value = uuidx::field_value(id, field);
    demand(value >> field.width == 0, "a field within its width");
    for (int bit = 0; bit < field.width; ++bit) {
      const int place = 127 - (field.first + field.width - 1 - bit);
      std::uint64_t &word = place < 64 ? joined.lo : joined.hi;
      // Counted from the least significant bit now.
      word |= (value >> bit & 1) << (place % 64);
    }
  }
  demand(next == 0 || next == 128, "fields of all bits, or none");
  const auto version = uuidx::version_of(id);
  const auto time = uuidx::time_of(id);
  const auto precise = uuidx::precise_time_of(id);
  demand(time.has_value() == (version == 1U || version == 6U || version == 7U), "has a time");
  demand(time.has_value() == precise.has_value(), "has a precise time");
  demand(!time || (*precise >= *time && *precise < *time + 1000), "within the millisecond");
  demand(uuidx::clock_seq_of(id).has_value() == (version == 1U || version == 6U), "clock sequence");
  demand(uuidx::node_of(id).has_value() == (version == 1U || version == 6U), "node");
  demand(uuidx::description_of(id) != nullptr, "description");
  demand(uuidx::swap_guid(uuidx::swap_guid(id)) == id, "the order of a GUID undone");
  if (const auto v6 = uuidx::v1_to_v6(id)) {
    demand(uuidx::v6_to_v1(*v6) == id && uuidx::time_of(*v6) == time, "version 1 as 6 and back");
  }
  if (version == 6U) {
    demand(uuidx::v1_to_v6(*uuidx::v6_to_v1(id)) == id, "version 6 as 1 and back");
    Uuid v7;
    if (uuidx::v6_to_v7(id, id.lo, &v7) == uuidx::Status::ok) {
      demand(*uuidx::time_of(v7) <= *time && *time < *uuidx::time_of(v7) + 1000, "version 6 as 7");
    } else {
      demand(*time < 0, "version 6 before 1970");
    }
  }
  const uuidx::SipKey key{id.lo, id.hi};
  if (version == 7U) {
    demand(uuidx::v47_unmask(uuidx::v47_mask(id, key), key) == id, "masked and unmasked");
  }
  if (next == 128) {
    ++valid;
    demand(joined == id, "the fields are the bits");
  }
}

// SplitMix64 (Steele, Lea and Flood, 2014): one from the library would take most of the time for
// its seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t operator()() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

 private:
  std::uint64_t state_;
};

// Any UUID: random bits, few bits, or the RFC variant and any version.
Uuid any_uuid(Random &random) {
  Uuid id{random(), random()};
  switch (random() % 8) {
    case 0:
      id = random() % 2 == 0 ? uuidx::kNil : uuidx::kMax;
      break;
    case 1:
      id.hi = 0;
      id.lo >>= random() % 64;
      break;
    case 2:
      id.hi >>= random() % 64;
      break;
    default:
      id = uuidx::stamp(id, static_cast<unsigned>(random() % 9));
  }
  return id;
}

void say_counts() {
  std::fprintf(stderr, "valid %lu of %lu\n", valid, inputs);
}

}  // namespace

int LLVMFuzzerInitialize(int * /*argc*/, char *** /*argv*/) {
  const char *name = std::getenv("UUIDX_FUZZ");
  if (name == nullptr) {
    std::fputs("UUIDX_FUZZ is not set\n", stderr);
    std::exit(2);
  }
  target = uuidx::text_form_by_name(name);
  if (!target && std::strcmp(name, "fields") != 0) {
    std::fprintf(stderr, "UUIDX_FUZZ is of no form: %s\n", name);
    std::exit(2);
  }
  std::atexit(say_counts);
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  ++inputs;
  if (target) {
    check_text({reinterpret_cast<const char *>(data), size}, *target);
  } else if (size >= uuidx::kUuidOctets) {
    check_fields(uuidx::from_octets(data));
  }
  return 0;
}

// A valid input, or the given one, with some random edits.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  Random random{seed};
  const unsigned choice = static_cast<unsigned>(random() % 8);
  if (choice < 6 || size == 0) {
    const Uuid id = any_uuid(random);
    std::string input(uuidx::kUuidOctets, '\0');
    uuidx::to_octets(id, reinterpret_cast<unsigned char *>(input.data()));
    if (target) {
      input = encode(id, *target);
    }
    size = std::min(input.size(), max_size);
    std::copy_n(input.begin(), size, data);
  }
  if (choice < 2) {
    for (std::size_t i = 0; target && i < size; ++i) {
      const auto c = static_cast<std::uint8_t>(data[i] | 0x20);
      // Letters in the other case here and there, which is another text in some forms.
      if (c >= 'a' && c <= 'z' && random() % 2 == 0) {
        data[i] ^= 0x20;
      }
    }
  } else if (choice < 4 && size > 0) {
    // One printable character in the place of another: libFuzzer would seldom find it.
    data[random() % size] = static_cast<std::uint8_t>(' ' + random() % 95);
  } else {
    size = LLVMFuzzerMutate(data, size, max_size);
  }
  return size;
}
