// Which name somebody meant.
#include <gtest/gtest.h>

#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"

namespace foreflow::nearest_test {
namespace {

using Words = std::vector<std::string>;

TEST(Nearest, HasTheFewestEditsAndIsTheFirstOfEquals) {
  EXPECT_EQ(nearest("rign", {"tree", "ring", "star"}), "ring");
  EXPECT_EQ(nearest("tpp", {"pp", "dp", "tp"}), "pp") << "an edit each";
  EXPECT_EQ(nearest("x", {"a", "b"}), "a");
  EXPECT_EQ(nearest("x", {}), "");
}

TEST(Nearest, CountsTwoSwappedLettersOnce) { EXPECT_EQ(nearest("gtp", {"gab", "gpt"}), "gpt"); }

const Words kModels = {"gpt",       "llama",      "t5",           "llama-7b", "llama2-7b", "llama2-70b",
                       "llama3-8b", "llama3-70b", "mixtral-8x7b", "resnet50", "bert-large"};

TEST(Nearest, HeedsNeitherCaseNorPunctuation) {
  EXPECT_EQ(nearest("Llama-3_8B", kModels), "llama3-8b");
  EXPECT_EQ(nearest("LLAMA3.70B", kModels), "llama3-70b");
  EXPECT_EQ(nearest("resnet-50", kModels), "resnet50");
  EXPECT_EQ(nearest("Ring", {"rang", "ring"}), "ring");
}

TEST(Nearest, HasTheLongestPartInCommon) {
  EXPECT_EQ(nearest("meta-llama/Meta-Llama-3-8B-Instruct", kModels), "llama3-8b");
  EXPECT_EQ(nearest("Mixtral-8x7B-v0.1", kModels), "mixtral-8x7b");
  EXPECT_EQ(nearest("deepspeed", {"ddp", "fsdp", "megatron-deepspeed"}), "megatron-deepspeed");
  EXPECT_EQ(nearest("pytorch", {"alpa", "ddp", "megatron-lm", "torchtitan"}), "torchtitan");
}

TEST(Nearest, BeginsWithTheWholeName) {
  EXPECT_EQ(nearest("llama3", kModels), "llama3-8b");
  EXPECT_EQ(nearest("mixtral", kModels), "mixtral-8x7b");
  EXPECT_EQ(nearest("bert", kModels), "bert-large");
}

TEST(Nearest, IsTheNewestOfVersions) {
  const Words libraries = {"gloo", "nccl@2.8", "nccl@2.23", "nccl@2.18", "rccl"};
  EXPECT_EQ(nearest("nccl", libraries), "nccl@2.23");
  EXPECT_EQ(nearest("ncl", libraries), "nccl@2.23");
  EXPECT_EQ(nearest("nccl@2.19", libraries), "nccl@2.18") << "a version is part of the name";
  EXPECT_EQ(nearest("rcl", libraries), "rccl");
}

TEST(Suggestion, IsTheNearestName) { EXPECT_EQ(suggestion("rign", {"tree", "ring"}), "; the nearest is \"ring\""); }

TEST(Suggestion, IsEveryNameWhereNoneIsNear) {
  EXPECT_EQ(suggestion("quux", {"tree", "ring"}), "; use tree or ring");
  EXPECT_EQ(suggestion("quux", Words(33, "ring")), "") << "too many to list";
  EXPECT_EQ(suggestion("quux", {}), "");
  EXPECT_EQ(suggestion_or_first("quux", Words(33, "ring")), "; the first of 33 is \"ring\"");
  EXPECT_EQ(suggestion_or_first("quux", {"tree", "ring"}), "; use tree or ring");
  EXPECT_EQ(suggestion_or_first("quux", {}), "");
}

}  // namespace
}  // namespace foreflow::nearest_test
