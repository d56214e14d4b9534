// Sequences of words get the number of their first occurrence, whatever their length.
#include "foreflow/base/sequence_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace foreflow::interpret::sequence_table_test {
namespace {

TEST(SequenceTable, NumbersSequencesInTheOrderOfTheirFirstOccurrence) {
  std::mt19937_64 rng(3);
  SequenceTable table;
  std::map<std::vector<uint64_t>, uint32_t> expected;
  for (int i = 0; i < 5000; ++i) {
    std::vector<uint64_t> words(rng() % 4);
    for (uint64_t& word : words) word = (rng() % 16) << (rng() % 2 == 0 ? 0 : 60);
    const auto [known, fresh] = expected.try_emplace(words, static_cast<uint32_t>(table.size()));
    EXPECT_EQ(table.number(words), known->second);
  }
  EXPECT_EQ(table.size(), expected.size());
}

}  // namespace
}  // namespace foreflow::interpret::sequence_table_test
