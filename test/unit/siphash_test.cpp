#include "siphash.hpp"

#include <iterator>

#include "support.hpp"

namespace uuidx_test {
namespace {

// The test vectors of SipHash's authors: the MACs of the octets 0, 1, 2 … of each length below 16,
// with the key of octets 0 to 15. Each is printed as octets, hence the reversed order.
constexpr std::uint64_t kVectors[] = {
    0x310e0edd47db6f72, 0xfd67dc93c539f874, 0x5a4fa9d909806c0d, 0x2d7efbd796666785,
    0xb7877127e09427cf, 0x8da699cd64557618, 0xcee3fe586e46c9cb, 0x37d1018bf50002ab,
    0x6224939a79f5f593, 0xb0e4a90bdf82009e, 0xf3b9dd94c5bb5d7a, 0xa7ad6b22462fb3f4,
    0xfbe50e86bc8f1e75, 0x903d84c02756ea14, 0xeef27a8e90ca23f7, 0xe545be4961ca29a1};

TEST(SipHash, TestVectorsOfItsAuthors) {
  const unsigned char octets[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const SipKey key{load_le(octets, 8), load_le(octets + 8, 8)};
  for (std::size_t size = 0; size < std::size(kVectors); ++size) {
    EXPECT_EQ(__builtin_bswap64(siphash_2_4(key, octets, size)), kVectors[size]) << size;
  }
}

}  // namespace
}  // namespace uuidx_test
