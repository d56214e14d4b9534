// Repeated stretches of token sequences, against definitions that are slow and plain.
#include "transform/blocks/repeats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "transform/blocks/block_function.h"
#include "transform/blocks/suffixes.h"

namespace foreflow::transform::repeats_test {
namespace {

using Tokens = std::vector<int32_t>;

Tokens random_tokens(std::mt19937_64& random, size_t length, int letters) {
  Tokens tokens(length);
  for (int32_t& token : tokens) token = std::uniform_int_distribution<int32_t>(0, letters - 1)(random);
  return tokens;
}

Tokens tail(const Tokens& tokens, size_t start) {
  return {tokens.begin() + static_cast<std::ptrdiff_t>(start), tokens.end()};
}

TEST(Suffixes, AreSortedAndKnowWhatNeighboursShare) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 100; ++round) {
    const Tokens tokens = random_tokens(random, static_cast<size_t>(2 + round % 40), 2);
    const Suffixes made = sort_suffixes(tokens);
    std::vector<int32_t> expected(tokens.size());
    std::iota(expected.begin(), expected.end(), 0);
    std::sort(expected.begin(), expected.end(), [&](int32_t a, int32_t b) {
      return tail(tokens, static_cast<size_t>(a)) < tail(tokens, static_cast<size_t>(b));
    });
    ASSERT_EQ(made.order, expected);
    for (size_t i = 1; i < expected.size(); ++i) {
      const Tokens a     = tail(tokens, static_cast<size_t>(expected[i - 1])),
                   b     = tail(tokens, static_cast<size_t>(expected[i]));
      const auto differs = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
      EXPECT_EQ(made.common[i], differs - a.begin());
    }
  }
}

// Of every stretch, its occurrences from the left.
int64_t best_saving(const Tokens& tokens, size_t shortest, size_t fewest) {
  int64_t best = 0;
  for (size_t length = shortest; length <= tokens.size() / 2; ++length) {
    std::map<Tokens, std::vector<size_t>> starts;
    for (size_t i = 0; i + length <= tokens.size(); ++i) {
      auto& list = starts[Tokens(tokens.begin() + static_cast<std::ptrdiff_t>(i),
                                 tokens.begin() + static_cast<std::ptrdiff_t>(i + length))];
      if (list.empty() || i >= list.back() + length) list.push_back(i);
    }
    for (const auto& [stretch, list] : starts) {
      if (list.size() >= fewest) best = std::max(best, Repeat{length, list}.saving());
    }
  }
  return best;
}

TEST(Repeats, AreWhatTheySayAndDoNotOverlap) {
  std::mt19937_64 random(2);
  for (int round = 0; round < 200; ++round) {
    const Tokens tokens = random_tokens(random, static_cast<size_t>(10 + round % 60), 2 + round % 3);
    for (const Repeat& repeat : find_repeats(tokens, 2, 2)) {
      EXPECT_GE(repeat.starts.size(), 2U);
      for (size_t i = 0; i < repeat.starts.size(); ++i) {
        if (i > 0) {
          EXPECT_GE(repeat.starts[i], repeat.starts[i - 1] + repeat.length);
        }
        const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(repeat.starts.front());
        EXPECT_TRUE(std::equal(first, first + static_cast<std::ptrdiff_t>(repeat.length),
                               tokens.begin() + static_cast<std::ptrdiff_t>(repeat.starts[i])));
      }
    }
  }
}

// Layers of random ops with something before, between every few, and after.
TEST(Repeats, FindWhatSavesMostInSequencesOfLayers) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 100; ++round) {
    const Tokens layer = random_tokens(random, static_cast<size_t>(5 + round % 9), 30);
    Tokens tokens      = random_tokens(random, 7, 30);
    for (int i = 0; i < 2 + round % 11; ++i) {
      tokens.insert(tokens.end(), layer.begin(), layer.end());
      if (round % 4 == 0 && i % 3 == 2) tokens.push_back(static_cast<int32_t>(30 + i));
    }
    const Tokens end = random_tokens(random, 5, 30);
    tokens.insert(tokens.end(), end.begin(), end.end());
    int64_t best = 0;
    // Tokens are numbers below their count.
    tokens.resize(std::max<size_t>(tokens.size(), 48), 47);
    for (const Repeat& repeat : find_repeats(tokens, 4, 2)) best = std::max(best, repeat.saving());
    EXPECT_EQ(best, best_saving(tokens, 4, 2)) << round;
  }
}

TEST(CommonName, LeavesOutTheNumbersThatDiffer) {
  EXPECT_EQ(common_name({"h.0.attn.weight", "h.1.attn.weight"}), "h.attn.weight");
  EXPECT_EQ(common_name({"h.0.ln_1.bias", "h.10.ln_1.bias"}), "h.ln_1.bias");
  EXPECT_EQ(common_name({"Add_12_out", "Add_7_out"}), "Add_out");
  EXPECT_EQ(common_name({"x", "x"}), "x");
  EXPECT_EQ(common_name({"layer1", "layer2"}), "layer");
  EXPECT_EQ(common_name({"0.weight", "1.weight"}), "weight");
  EXPECT_EQ(common_name({"h.0.ln_1.weight", "ln_f.weight"}), "weight");
  EXPECT_EQ(common_name({"Add_out", "Add_out_2", "Add_out_11"}), "Add_out");
  EXPECT_EQ(common_name({"Add_12_out", "Sub_7_out"}), "out");
  EXPECT_EQ(common_name({"x", "h.0.out"}), "");
  EXPECT_EQ(common_name({"3114", "3217"}), "");
  EXPECT_EQ(common_name({"", "a"}), "");
}

}  // namespace
}  // namespace foreflow::transform::repeats_test
