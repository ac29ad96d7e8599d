// Packs the random bits of the UUIDs of a binary COPY on stdin, without gaps:
// pack 4|7 BYTES
// Ends after that many bytes, or never for 0.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "copied_ids.hpp"
#include "fields.hpp"
#include "v4.hpp"
#include "v7.hpp"

namespace {

using uuidx::low_bits;
using uuidx::Uuid;

// Buffers bits for stdout, eight bytes at a time.
class BitWriter {
 public:
  explicit BitWriter(std::uint64_t words) : left_(words) {}

  // Writes the lowest bits of a number, most significant first; false once there are enough.
  bool put(std::uint64_t value, int width) {
    if (width < room_) {
      word_ = word_ << width | value;
      room_ -= width;
      return true;
    }
    const int rest = width - room_;
    word_ = (room_ == 64 ? 0 : word_ << room_) | value >> rest;
    if (!flush()) {
      return false;
    }
    word_ = value & ((std::uint64_t{1} << rest) - 1);
    room_ = 64 - rest;
    return true;
  }

 private:
  bool flush() {
    unsigned char octets[8];
    uuidx::store_be64(octets, word_);
    // The reader may have had enough, too.
    return std::fwrite(octets, 1, sizeof octets, stdout) == sizeof octets && --left_ > 0;
  }

  std::uint64_t word_ = 0;
  int room_ = 64;
  std::uint64_t left_;
};

// Version 4: all bits except version and variant.
bool put_v4(BitWriter *writer, Uuid id) {
  const std::uint64_t high = id.hi >> 16 << 12 | (id.hi & low_bits(12));
  return writer->put(high, 60) && writer->put(id.lo & low_bits(62), 62);
}

// Version 7: the bits after the tick.
bool put_v7(BitWriter *writer, Uuid id) {
  return writer->put(id.lo & low_bits(uuidx::kV7RandomWidth), uuidx::kV7RandomWidth);
}

}  // namespace

int main(int count, char **arguments) {
  if (count != 3) {
    std::fputs("usage: pack 4|7 BYTES\n", stderr);
    return 2;
  }
  const bool is_v4 = *arguments[1] == '4';
  const std::uint64_t bytes = std::strtoull(arguments[2], nullptr, 10);
  BitWriter writer{bytes == 0 ? std::numeric_limits<std::uint64_t>::max() : (bytes + 7) / 8};
  static CopiedIds ids{stdin};
  Uuid id;
  while (ids.next(&id)) {
    if (uuidx::version_of(id) != (is_v4 ? uuidx::kV4 : uuidx::kV7)) {
      std::fputs("a UUID of another version\n", stderr);
      return 2;
    }
    if (is_v4 ? !put_v4(&writer, id) : !put_v7(&writer, id)) {
      return std::fflush(stdout) == 0 ? 0 : 2;
    }
  }
  std::fputs("there are not so many UUIDs\n", stderr);
  return 2;
}
