// Reads the UUIDs that `COPY (SELECT id …) TO … (FORMAT binary)` writes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "uuid.hpp"

class CopiedIds {
 public:
  explicit CopiedIds(std::FILE *from) : from_(from) {
    // Signature, flags, and the length of an extension, which is empty so far.
    static constexpr char kHeader[] = "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0";
    char header[sizeof kHeader];
    if (std::fread(header, 1, sizeof header, from_) != sizeof header ||
        std::memcmp(header, kHeader, sizeof header) != 0) {
      fail("this is no binary COPY");
    }
  }

  // Reads the next UUID; false at the end. Ends the program if a row is something else.
  bool next(uuidx::Uuid *id) {
    if (at_ == end_ && !refill()) {
      return false;
    }
    // One column of 16 bytes.
    static constexpr unsigned char kRow[] = {0, 1, 0, 0, 0, 16};
    const unsigned char *row = &rows_[at_];
    if (std::memcmp(row, kRow, sizeof kRow) != 0) {
      fail("a row is not one UUID");
    }
    *id = uuidx::from_octets(row + sizeof kRow);
    at_ += kRowSize;
    return true;
  }

 private:
  static constexpr std::size_t kRowSize = 6 + uuidx::kUuidOctets;

  [[noreturn]] static void fail(const char *what) {
    std::fprintf(stderr, "%s\n", what);
    std::exit(2);
  }

  // Reads rows; false if only the end marker is left. A stream without it was cut.
  bool refill() {
    if (ended_) {
      return false;
    }
    const std::size_t got = std::fread(rows_.data(), 1, rows_.size(), from_);
    const std::size_t rest = got % kRowSize;
    at_ = 0;
    end_ = got - rest;
    ended_ = got < rows_.size();
    if (ended_ && (rest != 2 || rows_[end_] != 0xFF || rows_[end_ + 1] != 0xFF)) {
      fail("the COPY ended early");
    }
    return end_ > 0;
  }

  std::FILE *from_;
  std::array<unsigned char, 4096 * kRowSize> rows_{};
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  bool ended_ = false;
};
