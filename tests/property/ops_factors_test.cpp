// Factors proved by evaluating halves: what a letter splits gives, put together again, what the whole gives.
#include <cstring>
#include <map>
#include <set>

#include "foreflow/base/text.h"
#include "ops/kernel.h"
#include "property/op_samples.h"

namespace foreflow::test {
namespace {

using ir::Array;

class OpFactors : public ::testing::TestWithParam<std::string> {};

struct Texts {
  std::vector<std::string> inputs, outputs;
};

std::vector<std::string> parts_of(const std::string& text, size_t count) {
  return count == 0 ? std::vector<std::string>{} : split(text, ',');
}

// One dimension seen as outer blocks, each a run of bytes that is cut in the middle.
struct Cut {
  size_t runs, run_bytes;
};

Cut cut_of(const Array& array, size_t axis, int64_t blocks) {
  size_t runs = static_cast<size_t>(blocks);
  for (size_t d = 0; d < axis; ++d) runs *= static_cast<size_t>(array.dims()[d]);
  return {.runs = runs, .run_bytes = array.byte_count() / runs};
}

Array half_of(const Array& whole, size_t axis, int64_t blocks, size_t half) {
  ir::Dims dims = whole.dims();
  dims[axis] /= 2;
  Array result(whole.dtype(), dims);
  const Cut cut      = cut_of(whole, axis, blocks);
  const size_t bytes = cut.run_bytes / 2;
  for (size_t run = 0; run < cut.runs; ++run) {
    std::memcpy(result.mutable_bytes() + run * bytes, whole.bytes() + run * cut.run_bytes + half * bytes, bytes);
  }
  return result;
}

Array joined(const Array& first, const Array& second, size_t axis, int64_t blocks) {
  ir::Dims dims = first.dims();
  dims[axis] += second.dims()[axis];
  Array result(first.dtype(), dims);
  const Cut cut = cut_of(first, axis, blocks);
  for (size_t run = 0; run < cut.runs; ++run) {
    std::memcpy(result.mutable_bytes() + 2 * run * cut.run_bytes, first.bytes() + run * cut.run_bytes, cut.run_bytes);
    std::memcpy(result.mutable_bytes() + (2 * run + 1) * cut.run_bytes, second.bytes() + run * cut.run_bytes,
                cut.run_bytes);
  }
  return result;
}

Array added(const Array& a, const Array& b) {
  std::vector<double> sum = ops::values_of<double>(a);
  for (size_t i = 0; i < sum.size(); ++i) sum[i] += b.at(static_cast<int64_t>(i));
  return ops::array_of(a.dtype(), a.dims(), sum);
}

// The letters stand one a dimension, in inputs first, once a tensor.
void check_form(const Texts& texts, const std::vector<Operand>& operands, const std::vector<Array>& outputs) {
  ASSERT_EQ(texts.inputs.size(), operands.size());
  ASSERT_EQ(texts.outputs.size(), outputs.size());
  std::set<char> in_inputs{'.'};
  for (size_t i = 0; i < operands.size(); ++i) {
    EXPECT_EQ(texts.inputs[i].size(), operands[i].left_out() ? 0 : operands[i].array.dims().size()) << "input " << i;
    in_inputs.insert(texts.inputs[i].begin(), texts.inputs[i].end());
  }
  for (size_t o = 0; o < outputs.size(); ++o) {
    EXPECT_EQ(texts.outputs[o].size(), outputs[o].dims().size()) << "output " << o;
    for (const char letter : texts.outputs[o]) EXPECT_TRUE(in_inputs.contains(letter)) << letter << " is in no input";
  }
}

class Halving {
 public:
  Halving(const ir::OpDef& def, const ir::OpDef::Sample& sample, const std::vector<Operand>& operands,
          ir::Factors factors)
      : def_(def), sample_(sample), operands_(operands), factors_(std::move(factors)) {
    whole_                               = Application(def_, sample_.attributes, operands_, sample_.outputs).eval();
    const std::vector<std::string> sides = {factors_.text.substr(0, factors_.text.find("->")),
                                            factors_.text.substr(factors_.text.find("->") + 2)};
    texts_                               = {parts_of(sides[0], operands_.size()), parts_of(sides[1], whole_.size())};
  }

  void check() {
    check_form(texts_, operands_, whole_);
    if (::testing::Test::HasFailure()) return;
    std::set<char> letters;
    for (const std::string& text : texts_.inputs) letters.insert(text.begin(), text.end());
    letters.erase('.');
    for (const char letter : letters) check_letter(letter);
  }

 private:
  void check_letter(char letter) {
    smallest_ = INT64_MAX;
    for (size_t i = 0; i < operands_.size(); ++i) note_size(texts_.inputs[i].find(letter), operands_[i].array);
    for (size_t o = 0; o < whole_.size(); ++o) note_size(texts_.outputs[o].find(letter), whole_[o]);
    if (smallest_ % 2 != 0) return;
    const auto first = eval_half(letter, 0), second = eval_half(letter, 1);
    for (size_t o = 0; o < whole_.size(); ++o) {
      const size_t axis = texts_.outputs[o].find(letter);
      ir::Dims expected = whole_[o].dims();
      if (axis != std::string::npos) expected[axis] /= 2;
      ASSERT_EQ(first[o].dims(), expected)
          << factors_.text << ": a half of " << letter << " gives " << to_string(first[o].type());
      ASSERT_EQ(second[o].dims(), expected);
      const Array together = axis == std::string::npos
                                 ? added(first[o], second[o])
                                 : joined(first[o], second[o], axis, blocks(letter, whole_[o], axis));
      EXPECT_TRUE(close(together, whole_[o], 1e-4)) << factors_.text << ": halves of " << letter << " in output " << o;
    }
  }

  void note_size(size_t axis, const Array& array) {
    if (axis != std::string::npos) smallest_ = std::min(smallest_, array.dims()[axis]);
  }

  // The side that holds all blocks of the blocked letter is `blocks` times as large as the other.
  int64_t blocks(char letter, const Array& array, size_t axis) const {
    if (letter != factors_.blocked) {
      EXPECT_EQ(array.dims()[axis], smallest_) << factors_.text << ": " << letter << " has two sizes";
      return 1;
    }
    return array.dims()[axis] / smallest_;
  }

  std::vector<Array> eval_half(char letter, size_t half) const {
    std::vector<Operand> halves = operands_;
    for (size_t i = 0; i < halves.size(); ++i) {
      const size_t axis = texts_.inputs[i].find(letter);
      if (axis != std::string::npos) {
        halves[i].array = half_of(operands_[i].array, axis, blocks(letter, operands_[i].array, axis), half);
      }
    }
    return Application(def_, sample_.attributes, halves, sample_.outputs).eval();
  }

  const ir::OpDef& def_;
  const ir::OpDef::Sample& sample_;
  const std::vector<Operand>& operands_;
  ir::Factors factors_;
  std::vector<Array> whole_;
  Texts texts_;
  int64_t smallest_ = 0;
};

TEST_P(OpFactors, HoldForHalvesOfEveryLetter) {
  const ir::OpDef& def = ops::table().get(GetParam(), "test");
  if (def.role == ir::Role::communication) return;
  std::mt19937_64 rng(2);
  for (const ir::OpDef::Sample& sample : def.samples()) {
    const std::vector<Operand> operands = random_operands(sample, rng);
    const ir::Factors factors = def.factors(Application(def, sample.attributes, operands, sample.outputs).call());
    if (factors.rule == ir::Factors::Rule::linear_view || factors.text.empty()) continue;
    Halving(def, sample, operands, factors).check();
  }
}

// A view of the row-major order: its elements are those of the operand, one after the other.
TEST_P(OpFactors, LinearViewsKeepTheOrderOfElements) {
  const ir::OpDef& def = ops::table().get(GetParam(), "test");
  std::mt19937_64 rng(3);
  for (const ir::OpDef::Sample& sample : def.samples()) {
    const std::vector<Operand> operands = random_operands(sample, rng);
    const Application application(def, sample.attributes, operands, sample.outputs);
    if (def.factors(application.call()).rule != ir::Factors::Rule::linear_view) continue;
    const Array result = application.eval().at(0);
    EXPECT_EQ(result.reshaped(operands[0].array.dims()), operands[0].array);
  }
}

INSTANTIATE_TEST_SUITE_P(Table, OpFactors, ::testing::ValuesIn(op_names()), op_test_name);

}  // namespace
}  // namespace foreflow::test
