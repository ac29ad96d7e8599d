// The birthday test on packed random bits of UUIDs: birthday FILE WIDTH
// WIDTH is the number of random bits of each. Uses the first 2^24 UUIDs (or a smaller power of 2
// that the file has) and five windows of 40 bits, spread over the width (8 bits less than twice the
// power). In each, the number of pairs of UUIDs equal in all its bits has a Poisson distribution of
// mean 128; a constant bit doubles the mean. Prints for each window: first bit, width, UUIDs,
// pairs, z.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "endian.hpp"

namespace {

constexpr std::size_t kMostIds = std::size_t{1} << 24;
constexpr std::size_t kWindows = 5;
constexpr double kExpected = 128;

// Returns the first `size` bytes of a file, or all.
std::vector<unsigned char> read_file(const char *path, std::size_t size) {
  std::vector<unsigned char> octets(size);
  std::FILE *file = std::fopen(path, "rb");
  if (file == nullptr) {
    std::perror(path);
    std::exit(2);
  }
  octets.resize(std::fread(octets.data(), 1, size, file));
  std::fclose(file);
  return octets;
}

// Returns up to 57 bits at any offset, as a number.
std::uint64_t bits_at(const unsigned char *octets, std::size_t first, std::size_t width) {
  return uuidx::load_be64(octets + first / 8) << first % 8 >> (64 - width);
}

// Counts pairs of equal numbers.
std::size_t equal_pairs(std::vector<std::uint64_t> *numbers) {
  std::sort(numbers->begin(), numbers->end());
  std::size_t pairs = 0;
  std::size_t same = 0;  // before this one
  for (std::size_t at = 1; at < numbers->size(); ++at) {
    same = (*numbers)[at] == (*numbers)[at - 1] ? same + 1 : 0;
    pairs += same;
  }
  return pairs;
}

}  // namespace

int main(int count, char **arguments) {
  const std::size_t width = count == 3 ? std::strtoull(arguments[2], nullptr, 10) : 0;
  if (width < 40) {
    std::fputs("usage: birthday FILE WIDTH, WIDTH from 40\n", stderr);
    return 2;
  }
  std::vector<unsigned char> octets = read_file(arguments[1], kMostIds * width / 8);
  const std::size_t ids = std::bit_floor(octets.size() * 8 / width);
  if (ids < 1024) {
    std::fputs("too few UUIDs\n", stderr);
    return 2;
  }
  octets.resize(octets.size() + 8);  // a number may be read from the last byte
  const std::size_t window = 2 * static_cast<std::size_t>(std::bit_width(ids) - 1) - 8;
  std::vector<std::uint64_t> numbers(ids);
  for (std::size_t index = 0; index < kWindows; ++index) {
    const std::size_t first = index * (width - window) / (kWindows - 1);
    for (std::size_t id = 0; id < ids; ++id) {
      numbers[id] = bits_at(octets.data(), id * width + first, window);
    }
    const auto pairs = static_cast<double>(equal_pairs(&numbers));
    std::printf("%zu %zu %zu %.0f %.2f\n", first, window, ids, pairs,
                (pairs - kExpected) / std::sqrt(kExpected));
  }
  return 0;
}
