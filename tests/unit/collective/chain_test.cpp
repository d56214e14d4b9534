#include "foreflow/collective/chain.h"

#include <gtest/gtest.h>

namespace foreflow::collective::chain_test {
namespace {

// n ranks in nodes of their own, K chunks: (K + n - 2) steps of latency and of bytes / K.
TEST(ChainOfChunks, TakesItsClosedForm) {
  const Wire wire{Seconds(1e-6), BytesPerSecond(1e9)};
  for (const int chunks : {1, 7, 100, kMostChunks}) {
    for (const int ranks : {2, 3, 8}) {
      const Task task{Kind::broadcast, {.ranks = ranks}, Bytes(1e6), wire, wire};
      const double expected = (chunks + ranks - 2) * (1e-6 + 1e6 / 1e9 / chunks);
      EXPECT_NEAR(closed_form(chain_of(chunks), task).total().value() / expected, 1, 1e-9) << chunks << " " << ranks;
      EXPECT_EQ(chain_of(chunks).plan(task).chunks, chunks);
    }
  }
}

}  // namespace
}  // namespace foreflow::collective::chain_test
