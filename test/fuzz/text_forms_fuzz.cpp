// A libFuzzer target for untrusted texts. UUIDX_FUZZ chooses what is read: the name of a text form,
// or "names" for the names of forms and namespaces. Most inputs are mutated from a valid one, so
// that many are nearly valid.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "name_based.hpp"
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

// The form that is read; none for the names.
const TextForm *target;

std::string encode(Uuid id, const TextForm &form) {
  // On the heap and no larger than necessary, so that the sanitizer sees a write past its end.
  const auto room = std::make_unique<char[]>(kMaxTextForm);
  return {room.get(), form.encode(id, room.get())};
}

// Returns a text as the form is written, without the differences in letter case, in the aliases of
// Crockford's base 32 and in the padding of base32hex.
std::string canonical(std::string_view text, const TextForm &form) {
  std::string result{text};
  if (form.name == "base32hex" && text.size() == 32 && text.ends_with("======")) {
    result.resize(26);
  }
  for (char &c : result) {
    const bool small = c >= 'a' && c <= 'z';
    const bool big = c >= 'A' && c <= 'Z';
    if (small && (form.name == "ulid" || form.name == "base32hex")) {
      c = static_cast<char>(c - 0x20);
    } else if (big && (form.name == "hex" || form.name == "urn")) {
      c = static_cast<char>(c + 0x20);
    }
    if (form.name == "ulid") {
      c = c == 'I' || c == 'L' ? '1' : c == 'O' ? '0' : c;
    }
  }
  return result;
}

// Checks that a text that is read is written the same, and that any other has its first fault at
// the reported place.
void check_text(std::string_view text, const TextForm &form) {
  const DecodedText decoded = form.decode(text);
  const std::size_t at = decoded.position;
  if (decoded.fault == TextFault::none) {
    ++valid;
    demand(encode(decoded.id, form) == canonical(text, form), "written as it was read");
    return;
  }
  demand(at <= text.size(), "the fault is in the text");
  // What follows the fault does not matter, and nothing before it is wrong.
  const DecodedText before = form.decode(text.substr(0, at));
  switch (decoded.fault) {
    case TextFault::length:
      if (at < text.size()) {
        demand(before.fault == TextFault::none, "what is too long starts with what is not");
      }
      break;
    case TextFault::leading_zero:
      demand(form.name == "decimal" && text.size() > 1 && text[at] == '0' && at == 0,
             "a leading zero is one");
      break;
    default: {
      demand(at < text.size(), "there is a character at fault");
      demand(before.fault == TextFault::none ||
                 (before.fault == TextFault::length && before.position == at),
             "nothing is wrong before the first fault");
      const DecodedText until = form.decode(text.substr(0, at + 1));
      demand(until.fault == decoded.fault && until.position == at,
             "what follows the first fault does not matter");
    }
  }
}

// The names of forms, then those of namespaces.
const std::vector<std::string_view> &names() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> list;
    for (const TextForm &form : text_forms()) {
      list.push_back(form.name);
    }
    list.insert(list.end(), {"dns", "url", "oid", "x500"});
    return list;
  }();
  return all;
}

// Checks that a name is known in any case of ASCII letters, and that no other text is.
void check_name(std::string_view name) {
  std::string lower{name};
  for (char &c : lower) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 0x20) : c;
  }
  const auto known = std::find(names().begin(), names().end(), lower) - names().begin();
  const bool is_form = known < std::ssize(text_forms());
  const bool is_namespace = !is_form && known < std::ssize(names());
  demand((text_form_by_name(name) != nullptr) == is_form, "a form by its name");
  demand(namespace_by_name(name).has_value() == is_namespace, "a namespace by its name");
  valid += is_form || is_namespace ? 1 : 0;
}

// SplitMix64 (Steele, Lea and Flood, 2014): seeding a generator of the standard library would take
// most of the time.
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

// Returns a UUID: random bits, few bits, or the RFC variant with versions 0 to 8.
Uuid any_uuid(Random &random) {
  Uuid id{random(), random()};
  switch (random() % 8) {
    case 0:
      id = random() % 2 == 0 ? kNil : kMax;
      break;
    case 1:
      id.hi = 0;
      id.lo >>= random() % 64;
      break;
    case 2:
      id.hi >>= random() % 64;
      break;
    default:
      id = stamp(id, static_cast<unsigned>(random() % 9));
  }
  return id;
}

}  // namespace
}  // namespace uuidx_fuzz

int LLVMFuzzerInitialize(int * /*argc*/, char *** /*argv*/) {
  const char *name = std::getenv("UUIDX_FUZZ");
  if (name == nullptr) {
    std::fputs("UUIDX_FUZZ is not set\n", stderr);
    std::exit(2);
  }
  uuidx_fuzz::target = uuidx::text_form_by_name(name);
  if (!uuidx_fuzz::target && std::strcmp(name, "names") != 0) {
    std::fprintf(stderr, "UUIDX_FUZZ is of no form: %s\n", name);
    std::exit(2);
  }
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace uuidx_fuzz;
  ++inputs;
  const std::string_view text{reinterpret_cast<const char *>(data), size};
  if (target) {
    check_text(text, *target);
  } else {
    check_name(text);
  }
  return 0;
}

// Replaces the input by a valid one, or keeps it, and makes some random edits.
std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  using namespace uuidx_fuzz;
  Random random{seed};
  const unsigned choice = static_cast<unsigned>(random() % 8);
  if (choice < 6 || size == 0) {
    const std::string input = target ? encode(any_uuid(random), *target)
                                     : std::string{names()[random() % names().size()]};
    size = std::min(input.size(), max_size);
    std::copy_n(input.begin(), size, data);
  }
  if (choice < 2) {
    for (std::size_t i = 0; i < size; ++i) {
      const auto c = static_cast<std::uint8_t>(data[i] | 0x20);
      // Changes the case of some letters, which in some forms gives another value.
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
