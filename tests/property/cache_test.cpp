// A token after a prompt is the same whether the prompt is read again or remembered.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "foreflow/interpret/concrete.h"
#include "support/distribution.h"
#include "support/slopes.h"

namespace foreflow::test::cache_test {
namespace {

using workload::Mode;

constexpr int64_t kBatch = 2, kPrompt = 5;

using Numbers = std::vector<ir::Array>;

ir::Module member(const std::string& family_name, const std::string& sizes, Mode mode) {
  return in_double(family(family_name, "{" + sizes + "}", kBatch, mode));
}

Numbers evaluated(const ir::Module& module, const Numbers& arguments) {
  return interpret::evaluate(module, module.functions.size() - 1, arguments);
}

Numbers weights_of(const ir::Module& module, uint64_t seed) {
  std::mt19937_64 random(seed);
  Numbers arguments = moderate_arguments(module, random, 3);
  size_t weights    = 0;
  for (const ir::ParameterRole role : module.entry().parameters) weights += role == ir::ParameterRole::weight ? 1 : 0;
  arguments.resize(weights);
  return arguments;
}

// [b,n,s,d] -> [b,n,room,d], with numbers that nobody may look at behind the known rows.
ir::Array with_room(const ir::Array& rows, int64_t room) {
  const ir::Dims& dims = rows.dims();
  std::vector<double> values;
  for (int64_t head = 0; head < dims[0] * dims[1]; ++head) {
    for (int64_t i = 0; i < room * dims[3]; ++i)
      values.push_back(i < dims[2] * dims[3] ? rows.at(head * dims[2] * dims[3] + i) : 77);
  }
  return ir::Array::of<double>(ir::DType::f64, {dims[0], dims[1], room, dims[3]}, values);
}

ir::Array tokens(int64_t length) {
  std::vector<int64_t> ids;
  for (int64_t b = 0; b < kBatch; ++b) {
    for (int64_t i = 0; i < length; ++i) ids.push_back((3 * i + 2 * b + 1) % 7);
  }
  return ir::Array::of_ints({kBatch, length}, ids);
}

ir::Array last_token(int64_t length) {
  std::vector<int64_t> ids;
  for (int64_t b = 0; b < kBatch; ++b) ids.push_back((3 * (length - 1) + 2 * b + 1) % 7);
  return ir::Array::of_ints({kBatch, 1}, ids);
}

const ir::Array kPlaces = ir::Array::of_ints({kBatch}, {kPrompt, kPrompt});

// The data parameters of a decoding program, in its order, are found by their names.
Numbers decode_arguments(const ir::Module& decode, Numbers arguments, const ir::Array& ids, const Numbers& caches) {
  size_t next = 0;
  for (size_t i = arguments.size(); i < decode.entry().parameters.size(); ++i) {
    const std::string& name = decode.entry().values[i].name;
    arguments.push_back(name == "positions" ? kPlaces : name == "ids" ? ids : caches.at(next++));
  }
  return arguments;
}

class Remembering : public testing::TestWithParam<std::string> {};

TEST_P(Remembering, GivesTheLogitsOfReadingAgain) {
  // Experts have a place for every token, as in decoding.
  const std::map<std::string, std::string> all{
      {"gpt", R"("layers": 2, "hidden": 8, "heads": 2, "vocabulary": 7)"},
      {"llama", R"("layers": 2, "hidden": 8, "heads": 4, "kv_heads": 2, "feed_forward": 6, "vocabulary": 7)"},
      {"moe",
       R"("layers": 2, "hidden": 8, "heads": 4, "kv_heads": 2, "feed_forward": 6, "vocabulary": 7, "experts": 4, "top_k": 2,
                 "capacity_factor": 2, "shared_experts": 1)"}};
  const std::string& sizes = all.at(GetParam());
  const auto prefill       = [&](int64_t length) {
    // The table of positions is as long as the longest sequence.
    const std::string whole = sizes + R"(, "phase": "prefill", "sequence": )" + std::to_string(length);
    return member(GetParam(), whole, Mode::inference);
  };
  const ir::Module longer = prefill(kPrompt + 1), shorter = prefill(kPrompt);
  const ir::Module decode = member(GetParam(),
                                   sizes + R"(, "phase": "decode", "sequence": 6, "context": )" +
                                       std::to_string(GetParam() == "gpt" ? kPrompt : kPrompt + 2),
                                   Mode::inference);
  const int64_t room      = GetParam() == "gpt" ? kPrompt + 1 : kPrompt + 3;
  const Numbers weights   = weights_of(longer, 11);
  Numbers short_arguments = weights, long_arguments = weights;
  if (GetParam() == "gpt") {  // positions of the shorter one are the first of the longer one's
    const ir::Array& wpe = weights[1];
    std::vector<double> first;
    for (int64_t i = 0; i < kPrompt * 8; ++i) first.push_back(wpe.at(i));
    short_arguments[1] = ir::Array::of<double>(ir::DType::f64, {kPrompt, 8}, first);
  }
  short_arguments.push_back(tokens(kPrompt));
  long_arguments.push_back(tokens(kPrompt + 1));
  Numbers read = evaluated(shorter, short_arguments);
  Numbers caches;
  for (size_t i = 1; i < read.size(); ++i) caches.push_back(with_room(read[i], room));
  const Numbers next  = evaluated(decode, decode_arguments(decode, weights, last_token(kPrompt + 1), caches));
  const Numbers again = evaluated(longer, long_arguments);
  EXPECT_LT(relative_difference(next[0], again[0]), 1e-9);
  // The new rows stand in the caches where the longer prompt has its last.
  ASSERT_EQ(next.size(), again.size());
  for (size_t i = 1; i < next.size(); ++i) {
    const ir::Dims& dims = again[i].dims();
    for (int64_t head = 0; head < dims[0] * dims[1]; ++head) {
      const int64_t there = head * room * dims[3], here = head * dims[2] * dims[3];
      for (int64_t j = 0; j < dims[2] * dims[3]; ++j) EXPECT_NEAR(next[i].at(there + j), again[i].at(here + j), 1e-9);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Decoders, Remembering, testing::Values("gpt", "llama", "moe"),
                         [](const auto& info) { return info.param; });

// The first token that T5 writes: training on targets of one token has the loss of that token's logits.
TEST(RememberingOfT5, GivesTheLossOfTraining) {
  const std::string sizes =
      R"("layers": 2, "hidden": 8, "heads": 2, "head_size": 3, "feed_forward": 6, "vocabulary": 7, "sequence": 4)";
  const ir::Module training = member("t5", sizes + R"(, "target_sequence": 1)", Mode::training);
  const ir::Module prefill  = member("t5", sizes + R"(, "phase": "prefill")", Mode::inference);
  const ir::Module decode   = member("t5", sizes + R"(, "phase": "decode", "context": 2)", Mode::inference);
  std::mt19937_64 random(5);
  const Numbers all = moderate_arguments(training, random, 7);
  std::map<std::string, ir::Array> by_name;
  for (size_t i = 0; i < all.size(); ++i) by_name.emplace(training.entry().values[i].name, all[i]);
  const auto named = [&](const ir::Module& module) {
    Numbers arguments;
    for (size_t i = 0; i < module.entry().parameters.size(); ++i) {
      const ir::Value& value = module.entry().values[i];
      const auto known       = by_name.find(value.name);
      arguments.push_back(known != by_name.end() ? known->second
                                                 : ir::Array(value.annotation->dtype, value.annotation->dims));
    }
    return arguments;
  };
  const Numbers memory = evaluated(prefill, named(prefill));
  for (size_t i = 0; i < memory.size(); ++i) {
    by_name.emplace("decoder.block." + std::to_string(i / 2) + ".cross." + (i % 2 == 0 ? "keys" : "values"), memory[i]);
  }
  const ir::Array logits = evaluated(decode, named(decode))[0];
  double loss            = 0;
  for (int64_t b = 0; b < kBatch; ++b) {
    double sum = 0;
    for (int64_t v = 0; v < 7; ++v) sum += std::exp(logits.at(b * 7 + v));
    loss += (std::log(sum) - logits.at(b * 7 + static_cast<int64_t>(by_name.at("labels").at(b)))) / kBatch;
  }
  double trained         = 0;
  const ir::Array result = evaluated(training, all)[0];
  for (int64_t i = 0; i < result.size(); ++i) trained += result.at(i);
  EXPECT_NEAR(loss, trained, 1e-9);
}

}  // namespace
}  // namespace foreflow::test::cache_test
