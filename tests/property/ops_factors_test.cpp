// Factors proved by evaluating halves: what a letter splits gives, put together again, what the whole gives.
#include <algorithm>
#include <cstring>
#include <set>

#include "ops/common/kernel.h"
#include "property/op_samples.h"
#include "transform/rewrite/factor_text.h"

namespace foreflow::test::ops_factors_test {
namespace {

using ir::Array;

class OpFactors : public ::testing::TestWithParam<std::string> {};

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
void check_form(const transform::FactorText& texts, const std::vector<Operand>& operands,
                const std::vector<Array>& outputs) {
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
      : def_(def),
        sample_(sample),
        operands_(operands),
        factors_(std::move(factors)),
        texts_(transform::parse_factors(factors_.text)) {
    if (texts_.inputs.empty()) texts_.inputs.resize(operands_.size());  // one operand of rank 0 looks like none
    whole_ = Application(def_, sample_.attributes, operands_, sample_.outputs).eval();
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
    if (smallest_ % 2 != 0 || (letter == factors_.grouped && factors_.blocks % 2 != 0)) return;
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

  // The side that holds all blocks of the blocked letter is `blocks` times as large as the other. Of another letter,
  // one index of the smallest side may stand for several of a larger one, which follow each other.
  int64_t blocks(char letter, const Array& array, size_t axis) const {
    if (letter != factors_.blocked && letter != texts_.parted) {
      EXPECT_EQ(array.dims()[axis] % smallest_, 0) << factors_.text << ": " << letter << " has sizes that do not match";
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
    if (half == 1 && leaves_partial_sums(letter)) clear_operand_added_once(letter, halves);
    return Application(def_, half_attributes(letter), halves, sample_.outputs).eval();
  }

  bool leaves_partial_sums(char letter) const {
    return std::any_of(texts_.outputs.begin(), texts_.outputs.end(),
                       [letter](const std::string& text) { return text.find(letter) == std::string::npos; });
  }

  // The operand marked '+' is a term of the sum: one part adds it, the others add nothing.
  void clear_operand_added_once(char letter, std::vector<Operand>& halves) const {
    if (texts_.once < 0) return;
    const auto once = static_cast<size_t>(texts_.once);
    if (texts_.inputs[once].find(letter) != std::string::npos || halves[once].left_out()) return;
    halves[once].array = Array(halves[once].array.dtype(), halves[once].array.dims());
  }

  // Sizes that attributes write out shrink with the dimension that they describe (transform::local_attributes).
  ir::Attributes half_attributes(char letter) const {
    ir::Attributes attributes = sample_.attributes;
    const size_t axis         = texts_.outputs[0].find(letter);
    if (def_.name == "Split" && letter == factors_.blocked && attributes.find("split") != nullptr) {
      std::vector<int64_t> sizes = attributes.get_ints("split");
      for (int64_t& size : sizes) size /= 2;
      attributes.set("split", sizes);
    }
    if (def_.name == "Slice" && letter == texts_.parted) {
      for (const char* key : {"starts", "ends"})
        attributes.set(key, std::vector<int64_t>{attributes.get_ints(key)[0] / 2});
    }
    if (def_.name == "Expand" && attributes.find("shape") != nullptr && axis != std::string::npos) {
      std::vector<int64_t> shape = attributes.get_ints("shape");
      if (axis < shape.size() && shape[axis] == whole_[0].dims()[axis]) shape[axis] /= 2;
      attributes.set("shape", shape);
    }
    if (def_.name == "MatMulNBits" && (letter == 'k' || letter == 'n')) {
      const char* const key = letter == 'k' ? "K" : "N";
      attributes.set(key, attributes.get_int(key) / 2);
    }
    if (letter == factors_.grouped) {
      for (const char* key : {"num_heads", "kv_num_heads"}) {
        if (attributes.find(key) != nullptr) attributes.set(key, attributes.get_int(key) / 2);
      }
    }
    return attributes;
  }

  const ir::OpDef& def_;
  const ir::OpDef::Sample& sample_;
  const std::vector<Operand>& operands_;
  ir::Factors factors_;
  transform::FactorText texts_;
  std::vector<Array> whole_;
  int64_t smallest_ = 0;
};

TEST_P(OpFactors, HoldForHalvesOfEveryLetter) {
  const ir::OpDef& def = ops::table().get(GetParam(), "test");
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

// A batch that is counted along such a dimension cannot be split; the refusal says why.
TEST_P(OpFactors, SayWhyADimensionOfTheFirstOperandIsLeftWhole) {
  const ir::OpDef& def = ops::table().get(GetParam(), "test");
  if (def.role != ir::Role::compute && def.role != ir::Role::view) return;
  std::mt19937_64 rng(4);
  for (const ir::OpDef::Sample& sample : def.samples()) {
    const std::vector<Operand> operands = random_operands(sample, rng);
    const ir::Factors factors = def.factors(Application(def, sample.attributes, operands, sample.outputs).call());
    const transform::FactorText text = transform::parse_factors(factors.text);
    if (factors.rule == ir::Factors::Rule::linear_view || text.inputs.empty()) continue;
    const ir::Dims& dims = operands[0].array.dims();
    bool leaves_whole    = false;
    for (size_t d = 0; d < dims.size(); ++d) leaves_whole = leaves_whole || (text.inputs[0][d] == '.' && dims[d] > 1);
    EXPECT_TRUE(!leaves_whole || !def.whole_because.empty()) << factors.text;
  }
}

INSTANTIATE_TEST_SUITE_P(Table, OpFactors, ::testing::ValuesIn(op_names()), op_test_name);

}  // namespace
}  // namespace foreflow::test::ops_factors_test
