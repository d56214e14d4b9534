// Values that have the size of the batch but no sample's content are made by each replica and microbatch for itself,
// whatever their size; what they compute is what the sequential program does.
#include "foreflow/transform/samples.h"

#include <gmock/gmock.h>

#include "foreflow/interpret/concrete.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/repeat_batch.h"
#include "foreflow/transform/simplify.h"
#include "support/distribution.h"

namespace foreflow::test::samples_test {
namespace {

// A program for a batch of {B} samples of {S} positions.
struct Model {
  std::string name, text;
};

// Indices [b, position] of every position of every sample: of a mask or of positions, [b,1,1,s,2].
const std::string kIndices = R"(
  %shape = Shape(%x)
  %b = Gather[axis = 0](%shape, %zero)
  %s = Gather[axis = 0](%shape, %one)
  %samples = Range(%zero, %b, %one)
  %positions = Range(%zero, %s, %one)
)";
const std::string kNumbers = R"(
  %zero = Constant[value = Int64()[0]]()
  %one = Constant[value = Int64()[1]]()
)";

const std::vector<Model>& models() {
  static const std::vector<Model> kModels = {
      {"class_token", R"(
func @main(weight %token: Tensor[Float32, (1, 1, 4)], %x: Tensor[Float32, ({B}, {S}, 4)]) {
  %n = Shape[start = 0, end = 1](%x)
  %rest = Constant[value = Int64(2,)[1, 1]]()
  %shape = Concat[axis = 0](%n, %rest)
  %tokens = Expand(%token, %shape)
  %all = Concat[axis = 1](%tokens, %x)
  return %all
})"},
      {"mask_stretched_again", R"(
func @main(weight %mask: Tensor[Float32, (1, 1, 4)], %x: Tensor[Float32, ({B}, {S}, 4)]) {
  %n = Shape[start = 0, end = 1](%x)
  %rest = Constant[value = Int64(2,)[1, 4]]()
  %shape = Concat[axis = 0](%n, %rest)
  %masks = Expand(%mask, %shape)
  %two = Constant[value = Int64(1,)[2]]()
  %all = Shape(%x)
  %wide = Concat[axis = 0](%two, %all)
  %stretched = Expand(%masks, %wide)
  %sum = ReduceSum[axes = [0], keepdims = 0](%stretched)
  %y = Add(%x, %sum)
  return %y
})"},
      {"mask_by_tuples", R"(
func @main(%mask: Tensor[Float32, ({B}, {S})], %x: Tensor[Float32, ({B}, {S})]) {)" +
                             kNumbers + kIndices + R"(
  %axes = Constant[value = Int64(3,)[1, 2, 3]]()
  %other_axes = Constant[value = Int64(3,)[0, 1, 2]]()
  %last = Constant[value = Int64(1,)[4]]()
  %sample = Unsqueeze(%samples, %axes)
  %position = Unsqueeze(%positions, %other_axes)
  %both = Add(%sample, %position)
  %all = Shape(%both)
  %samples_of = Expand(%sample, %all)
  %positions_of = Expand(%position, %all)
  %i = Unsqueeze(%samples_of, %last)
  %j = Unsqueeze(%positions_of, %last)
  %tuples = Concat[axis = -1](%i, %j)
  %chosen = GatherND(%mask, %tuples)
  %y = Relu(%chosen)
  return %y
})"},
      {"mask_by_rows", R"(
func @main(%mask: Tensor[Float32, ({B}, {S})], %x: Tensor[Float32, ({B}, {S})]) {)" +
                           kNumbers + kIndices + R"(
  %axes = Constant[value = Int64(1,)[1]]()
  %begin = Mul(%samples, %s)
  %column = Unsqueeze(%begin, %axes)
  %rows = Add(%column, %positions)
  %flat_shape = Constant[value = Int64(1,)[-1]]()
  %flat = Reshape(%mask, %flat_shape)
  %chosen = Gather[axis = 0](%flat, %rows)
  %y = Add(%chosen, %x)
  return %y
})"},
      {"positions_for_every_sample", R"(
func @main(weight %table: Tensor[Float32, (4096, 3)], %x: Tensor[Float32, ({B}, {S})]) {)" +
                                         kNumbers + kIndices + R"(
  %axes = Constant[value = Int64(1,)[0]]()
  %end = Constant[value = Int64(1,)[2]]()
  %row = Unsqueeze(%positions, %axes)
  %repeated = Expand(%row, %shape)
  %embedded = Gather[axis = 0](%table, %repeated)
  %y = Einsum[equation = "bsh,bs->bh"](%embedded, %x)
  return %y
})"},
      {"initial_state", R"(
func @main(weight %w: Tensor[Float32, (1, 12, 2)], weight %r: Tensor[Float32, (1, 12, 3)], %x: Tensor[Float32, ({B}, {S}, 2)]) {
  %n = Shape[start = 0, end = 1](%x)
  %d = Constant[value = Int64(1,)[1]]()
  %h = Constant[value = Int64(1,)[3]]()
  %shape = Concat[axis = 0](%d, %n, %h)
  %zeros = ConstantOfShape(%shape)
  %steps = Transpose[perm = [1, 0, 2]](%x)
  %y, %last, %cell = LSTM[hidden_size = 3](%steps, %w, %r, _, _, %zeros, %zeros)
  return %y
})"},
      {"heads_of_a_query_for_all", R"(
func @main(weight %query: Tensor[Float32, (1, 1, 6)], %x: Tensor[Float32, ({B}, {S}, 6)]) {
  %n = Shape[start = 0, end = 1](%x)
  %rest = Constant[value = Int64(2,)[1, 1]]()
  %repeats = Concat[axis = 0](%n, %rest)
  %queries = Tile(%query, %repeats)
  %first = Transpose[perm = [1, 0, 2]](%queries)
  %two = Constant[value = Int64(1,)[2]]()
  %all = Mul(%n, %two)
  %one = Constant[value = Int64(1,)[1]]()
  %three = Constant[value = Int64(1,)[3]]()
  %heads_shape = Concat[axis = 0](%one, %all, %three)
  %heads = Reshape(%first, %heads_shape)
  %q = Transpose[perm = [1, 0, 2]](%heads)
  %s = Shape[start = 1, end = 2](%x)
  %x_heads_shape = Concat[axis = 0](%all, %three, %s)
  %by_sample = Transpose[perm = [0, 2, 1]](%x)
  %k = Reshape(%by_sample, %x_heads_shape)
  %y = MatMul(%q, %k)
  return %y
})"},
      {"repeated_in_blocks", R"(
func @main(weight %keys: Tensor[Float32, (2, 3, 4)], %x: Tensor[Float32, ({B}, 2, {S}, 3)]) {
  %n = Shape[start = 0, end = 1](%x)
  %rest = Constant[value = Int64(2,)[1, 1]]()
  %repeats = Concat[axis = 0](%n, %rest)
  %all_keys = Tile(%keys, %repeats)
  %s = Shape[start = 2, end = 3](%x)
  %open = Constant[value = Int64(1,)[-1]]()
  %three = Constant[value = Int64(1,)[3]]()
  %merged = Concat[axis = 0](%open, %s, %three)
  %q = Reshape(%x, %merged)
  %y = MatMul(%q, %all_keys)
  return %y
})"},
      {"row_of_the_largest", R"(
func @main(%x: Tensor[Float32, ({B}, {S}, 4)], %at: Tensor[Int64, ({B}, {S})]) {)" +
                                 kNumbers + R"(
  %shape = Shape(%x)
  %b = Gather[axis = 0](%shape, %zero)
  %s = Gather[axis = 0](%shape, %one)
  %samples = Range(%zero, %b, %one)
  %begins = Mul(%samples, %s)
  %largest = ArgMax[axis = -1, keepdims = 0](%at)
  %rows = Add(%largest, %begins)
  %flat = Flatten[axis = 2](%x)
  %y = Gather[axis = 0](%flat, %rows)
  return %y
})"},
      {"a_mask_that_is_resized", R"(
func @main(%x: Tensor[Float32, ({B}, {S}, 2)]) {
  %n = Shape[start = 0, end = 1](%x)
  %s = Shape[start = 1, end = 2](%x)
  %first = Constant[value = Int64(1,)[1]]()
  %size = Constant[value = Int64(1,)[400]]()
  %four = Constant[value = Int64(1,)[4]]()
  %shape = Concat[axis = 0](%first, %n, %size, %four)
  %one = Constant[value = Float32()[1]]()
  %ones = Expand(%one, %shape)
  %sizes = Concat[axis = 0](%first, %n, %s, %four)
  %small = Resize[mode = "nearest"](%ones, _, _, %sizes)
  %axis = Constant[value = Int64()[2]]()
  %places = CumSum(%small, %axis)
  %zero = Constant[value = Int64()[0]]()
  %by_sample = Gather[axis = 0](%places, %zero)
  %one_more = Constant[value = Int64()[1]]()
  %all = Shape(%x)
  %b = Gather[axis = 0](%all, %zero)
  %samples = Range(%zero, %b, %one_more)
  %column_axis = Constant[value = Int64(1,)[1]]()
  %column = Unsqueeze(%samples, %column_axis)
  %of_all = GatherND(%by_sample, %column)
  %y = Concat[axis = 2](%of_all, %x)
  return %y
})"},
      {"resized_to_stated_sizes", R"(
func @main(%x: Tensor[Float32, ({B}, {S}, 4)]) {
  %kept = Shape[start = 0, end = 2](%x)
  %wide = Constant[value = Int64(1,)[7]]()
  %sizes = Concat[axis = 0](%kept, %wide)
  %y = Resize[mode = "linear"](%x, _, _, %sizes)
  return %y
})"},
      {"last_position", R"(
func @main(%x: Tensor[Float32, ({B}, {S}, 4)], %at: Tensor[Int64, ({B}, 1)]) {
  %zero = Constant[value = Int64()[0]]()
  %one = Constant[value = Int64()[1]]()
  %shape = Shape(%x)
  %b = Gather[axis = 0](%shape, %zero)
  %samples = Range(%zero, %b, %one)
  %axes = Constant[value = Int64(1,)[1]]()
  %column = Unsqueeze(%samples, %axes)
  %tuples = Concat[axis = -1](%column, %at)
  %y = GatherND(%x, %tuples)
  return %y
})"},
  };
  return kModels;
}

std::string with_sizes(std::string text, int64_t batch, int64_t sequence) {
  for (const auto& [word, size] : {std::pair<std::string, int64_t>{"{B}", batch}, {"{S}", sequence}}) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word))
      text.replace(at, word.size(), std::to_string(size));
  }
  return text;
}

ir::Module parsed(const Model& model, int64_t batch, int64_t sequence) {
  return ir::parse(with_sizes(model.text, batch, sequence), model.name, ops::table());
}

std::vector<ir::Type> parameter_types(const ir::Module& module) {
  std::vector<ir::Type> types;
  for (size_t i = 0; i < module.entry().parameters.size(); ++i) types.push_back(*module.entry().values[i].annotation);
  return types;
}

ir::Module separated(const Model& model, int64_t batch, int64_t sequence) {
  const transform::OtherBatches others{.one         = parameter_types(parsed(model, 1, sequence)),
                                       .small       = parameter_types(parsed(model, 3, 5)),
                                       .small_one   = parameter_types(parsed(model, 1, 5)),
                                       .batch       = batch,
                                       .small_batch = 3};
  return transform::separate_samples(parsed(model, batch, sequence), ops::table(), others);
}

ir::Module ready(const ir::Module& module) { return transform::eliminate_dead_code(transform::resolve(module)); }

class Samples : public testing::TestWithParam<std::string> {
 protected:
  const Model& model() const {
    return *std::find_if(models().begin(), models().end(), [](const Model& row) { return row.name == GetParam(); });
  }
};

TEST_P(Samples, MeanTheSameInEveryReplicaAndMicrobatch) {
  const ir::Module original = ready(parsed(model(), 8, 6)), separate = ready(separated(model(), 8, 6));
  std::mt19937_64 random(7);
  const auto arguments = random_arguments(original, random, 6);
  const auto expected  = interpret::evaluate(original, original.functions.size() - 1, arguments);
  for (const auto& [dp, microbatches] : {std::pair{1, 1}, {2, 1}, {8, 1}, {1, 4}, {2, 2}, {4, 2}}) {
    const Split split{.dp = dp, .microbatches = microbatches};
    SCOPED_TRACE(to_string(split));
    const auto results = run(distribute(separate, split), arguments, expected.size());
    for (size_t i = 0; i < results.size(); ++i) EXPECT_LE(relative_difference(results[i], expected[i]), 1e-5);
  }
}

TEST_P(Samples, AreCutAtRealSizes) {
  const ir::Module separate = ready(separated(model(), 4, 2048));
  EXPECT_NO_THROW(distribute(separate, {.dp = 2, .microbatches = 2}));
  EXPECT_NO_THROW(distribute(separate, {.dp = 4}));
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Model& model : models()) all.push_back(model.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, Samples, testing::ValuesIn(names()), [](const auto& info) { return info.param; });

// The positions of the sequence come first in the middle of the model: [s, b, h] and [s, b * heads, h / heads].
TEST(MergedBatch, IsCutWhereItIsInTheMiddle) {
  const ir::Module module = ready(ir::parse(R"(
func @main(%x: Tensor[Float32, (4, 12, 8)], %y: Tensor[Float32, (4, 6, 8)]) {
  %t = Transpose[perm = [1, 0, 2]](%x)
  %heads_shape = Constant[value = Int64(3,)[12, 8, 4]]()
  %heads = Reshape(%t, %heads_shape)
  %flat_shape = Constant[value = Int64(2,)[48, 8]]()
  %flat = Reshape(%heads, %flat_shape)
  %back_shape = Constant[value = Int64(3,)[12, 4, 8]]()
  %back = Reshape(%flat, %back_shape)
  %sum = Add(%back, %t)
  %out = Transpose[perm = [1, 0, 2]](%sum)
  %other = Relu(%y)
  return %out, %other
})",
                                            "merged", ops::table()));
  std::mt19937_64 random(7);
  const auto arguments = random_arguments(module, random, 2);
  const auto expected  = interpret::evaluate(module, 0, arguments);
  const auto results   = run(distribute(module, {.dp = 2}), arguments, expected.size());
  ASSERT_EQ(results.size(), expected.size());
  for (size_t i = 0; i < results.size(); ++i) EXPECT_EQ(relative_difference(results[i], expected[i]), 0);
}

// A model of one sample: a class token, an initial state, positions that come first, and shapes that say 1.
const std::string kOneSample = R"(
func @main(weight %token: Tensor[Float32, (1, 1, 4)], weight %w: Tensor[Float32, (1, 12, 4)],
           weight %r: Tensor[Float32, (1, 12, 3)], %x: Tensor[Float32, (1, 5, 2, 2)]) {
  %flat_shape = Constant[value = Int64(3,)[1, 5, 4]]()
  %flat = Reshape(%x, %flat_shape)
  %all = Concat[axis = 1](%token, %flat)
  %steps = Transpose[perm = [1, 0, 2]](%all)
  %zeros_shape = Constant[value = Int64(3,)[1, 1, 3]]()
  %zeros = ConstantOfShape(%zeros_shape)
  %y, %last, %cell = LSTM[hidden_size = 3](%steps, %w, %r, _, _, %zeros, %zeros)
  %heads_shape = Constant[value = Int64(3,)[6, 3, 1]]()
  %heads = Reshape(%y, %heads_shape)
  %back_shape = Constant[value = Int64(3,)[6, 1, 3]]()
  %back = Reshape(%heads, %back_shape)
  %result = Transpose[perm = [1, 0, 2]](%back)
  return %result
})";

TEST(RepeatBatch, LetsReplicasAndMicrobatchesRunAModelOfOneSampleAsItIs) {
  const ir::Module one  = ir::parse(kOneSample, "one", ops::table());
  const ir::Module many = ready(transform::repeat_batch(one, ops::table(), 4));
  std::mt19937_64 random(7);
  const auto arguments = random_arguments(many, random, 2);
  const auto all       = interpret::evaluate(many, 0, arguments)[0];
  ASSERT_EQ(all.dims(), (ir::Dims{4, 6, 3}));
  for (int64_t sample = 0; sample < 4; ++sample) {
    auto own         = arguments;
    const auto whole = arguments.back().data<float>();
    own.back() =
        ir::Array::of<float>(ir::DType::f32, {1, 5, 2, 2}, whole.subspan(static_cast<size_t>(sample) * 20, 20));
    const auto alone = interpret::evaluate(one, 0, own)[0];
    for (int64_t i = 0; i < alone.size(); ++i) EXPECT_EQ(alone.at(i), all.at(sample * alone.size() + i));
  }
  for (const Split& split : {Split{.dp = 4}, Split{.microbatches = 4}, Split{.dp = 2, .microbatches = 2}}) {
    SCOPED_TRACE(to_string(split));
    EXPECT_LE(relative_difference(run(distribute(many, split), arguments, 1)[0], all), 1e-6);
  }
}

TEST(RepeatBatch, NamesTheOpThatTakesOneSampleOut) {
  const ir::Module one = ir::parse(R"(
func @main(%x: Tensor[Float32, (1, 3)]) {
  %at = Constant[value = Int64()[0]]()
  %first = Gather[axis = 0](%x, %at)
  return %first
})",
                                   "one", ops::table());
  try {
    transform::repeat_batch(one, ops::table(), 2);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("%first = Gather: cannot go on with more samples"));
  }
}

// A softmax or a running sum along the batch, and a mean of the batch that is taken from its samples.
TEST(RepeatBatch, RefusesWhatMixesSamples) {
  const std::map<std::string, std::string> mixing = {
      {"Softmax", "%y = Softmax[axis = 0](%x)"},
      {"CumSum", "%zero = Constant[value = Int64()[0]]()\n %y = CumSum(%x, %zero)"},
      {"Sub", "%axes = Constant[value = Int64(1,)[0]]()\n %m = ReduceMean(%x, %axes)\n %y = Sub(%x, %m)"}};
  for (const auto& [op, body] : mixing) {
    const ir::Module two =
        ir::parse("func @main(%x: Tensor[Float32, (2, 3)]) {\n " + body + "\n return %y\n}", "two", ops::table());
    try {
      transform::repeat_batch(two, ops::table(), 2);
      ADD_FAILURE() << op;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("%y = " + op + ": cannot go on with more samples"));
    }
  }
  const ir::Module along = ir::parse(
      "func @main(%x: Tensor[Float32, (2, 3)]) {\n %y = Softmax[axis = 1](%x)\n return %y\n}", "two", ops::table());
  EXPECT_EQ(transform::repeat_batch(along, ops::table(), 2).entry().ops.size(), 1);
}

// Sample 0 alone is not what it is in a batch, so nothing can be made for one sample.
TEST(SeparateSamples, KeepsWhatDependsOnTheNumberOfSamples) {
  const Model model{"share", R"(
func @main(%x: Tensor[Float32, ({B}, {S})]) {
  %zero = Constant[value = Int64()[0]]()
  %shape = Shape(%x)
  %b = Gather[axis = 0](%shape, %zero)
  %number = Cast[to = "Float32"](%b)
  %all = Expand(%number, %shape)
  %y = Mul(%x, %all)
  return %y
})"};
  EXPECT_EQ(ir::print(separated(model, 4, 6)), ir::print(parsed(model, 4, 6)));
}

}  // namespace
}  // namespace foreflow::test::samples_test
