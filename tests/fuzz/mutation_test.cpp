// Changed inputs of every form through the library: few enough for every run of the tests. `mutated_inputs` takes more
// of them through the command.
#include <gtest/gtest.h>

#include "fuzz/form.h"
#include "fuzz/mutate.h"

namespace foreflow::fuzz {
namespace {

class Mutation : public ::testing::TestWithParam<std::string> {};

TEST_P(Mutation, IsTakenOrRefusedInOneLine) {
  const Form& form = forms().get(GetParam(), "test");
  const auto seeds = read_seeds(GetParam());
  const auto words = read_dictionary(GetParam());
  ASSERT_FALSE(seeds.empty());
  std::mt19937_64 random(20250601);
  for (int i = 0; i < form.mutations; ++i) {
    const std::string input = mutated(seeds, words, random);
    EXPECT_NO_THROW(try_bytes(form, input)) << "input " << i << ":\n" << input.substr(0, 4000);
  }
}

INSTANTIATE_TEST_SUITE_P(EveryForm, Mutation, ::testing::ValuesIn(forms().names()),
                         [](const auto& info) { return info.param; });

TEST(Mutations, AreTheSameOnEveryRun) {
  const std::vector<std::string> seeds = {"{\"a\": 12}", "abcdefgh"};
  std::mt19937_64 one(7), other(7);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(mutated(seeds, {"x"}, one), mutated(seeds, {"x"}, other));
}

TEST(DictionaryWords, AreReadWithTheirEscapes) {
  EXPECT_EQ(dictionary_words("# \"no\"\n\"a\\\"b\"\nkey=\"\\x41\\\\\"\n\n"), (std::vector<std::string>{"a\"b", "A\\"}));
}

}  // namespace
}  // namespace foreflow::fuzz
