#include "v8_node.hpp"

#include "support.hpp"

namespace uuidx_test {
namespace {

TEST(V8Node, LayoutIsAsDocumented) {
  // 48 bits of milliseconds, version, 12 of fraction, variant, 4 of sequence, 16 of node, 42 of
  // random bits.
  const Uuid id = v8_node_from_unix_ticks(0x0123456789ABCDEF, 0xFFFF, 0);
  EXPECT_EQ(id, parse("01234567-89ab-8cde-bfff-fc0000000000"));
  EXPECT_EQ(v8_node_from_unix_ticks(0, 0, ~std::uint64_t{0}),
            parse("00000000-0000-8000-8000-03ffffffffff"));
  EXPECT_EQ(v8_node_from_unix_ticks(0xF, 1, 0), parse("00000000-0000-8000-bc00-040000000000"));
}

TEST(V8Node, EveryNodeAndTimeRoundTrips) {
  for (std::uint32_t node = 0; node <= kMaxNode; ++node) {
    const auto ticks = static_cast<UnixTicks>(random_between(0, kMaxUnixMillis)) << kMillisShift |
                       (rng()() & 0xFFFF);
    const Uuid id = v8_node_from_unix_ticks(ticks, node, rng()());
    ASSERT_EQ(v8_node_of(id), node);
    ASSERT_EQ(v8_node_time_of(id), micros_from_unix_ticks(ticks));
    ASSERT_EQ(unix_ticks_of(id), ticks);
    ASSERT_EQ(version_of(id), kV8);
  }
}

TEST(V8Node, OrderIsThatOfTickThenNode) {
  for (int i = 0; i < 100'000; ++i) {
    const UnixTicks ticks = rng()() >> 1;
    const auto node = static_cast<std::uint32_t>(random_between(0, kMaxNode - 1));
    const Uuid id = v8_node_from_unix_ticks(ticks, node, rng()());
    ASSERT_LT(id, v8_node_from_unix_ticks(ticks, node + 1, rng()()));
    ASSERT_LT(id, v8_node_from_unix_ticks(ticks + 1, 0, rng()()));
  }
}

}  // namespace
}  // namespace uuidx_test
