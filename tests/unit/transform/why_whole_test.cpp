// A batch that cannot be split is refused with the op that needs it whole, why, and what could be split in its stead.
#include <gtest/gtest.h>

#include <algorithm>

#include "foreflow/base/error.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/pipeline.h"
#include "foreflow/transform/tensor.h"
#include "support/distribution.h"

namespace foreflow::transform::why_whole_test {
namespace {

struct Refused {
  std::string name;
  std::string body;  // of @f(%x: Tensor[Float32, (4, 6)], %i: Tensor[Int64, (4, 1)]); it makes %y
  std::string message;
};

std::string because(const std::string& reason) {
  return "needs the whole batch at once, because " + reason + ", so the batch cannot be split over microbatches";
}
std::string along_x(const std::string& reason) {
  return because("samples are counted along dimension 0 of %x, and " + reason);
}

const std::vector<Refused>& refusals() {
  static const std::vector<Refused> kRefusals = {
      {"Ranks", "%k = Constant[value = Int64(1,)[2]]()\n  %y, %places = TopK[axis = 0](%x, %k)",
       "m: @f: %y, %places = TopK: " + along_x("it ranks all elements along that dimension")},
      {"AddsUp", "%axis = Constant[value = Int64()[0]]()\n  %y = CumSum(%x, %axis)",
       "m: @f: %y = CumSum: " + along_x("it adds up along that dimension")},
      {"Reduces", "%y = ReduceMax[axes = [0]](%x)",
       "m: @f: %y = ReduceMax: " + along_x("its result depends on all elements along that dimension")},
      {"Normalises", "%y = Softmax[axis = 0](%x)",
       "m: @f: %y = Softmax: " + along_x("it normalises along that dimension")},
      {"TakesStatistics",
       "%v = Constant[value = Float32(6,)[1, 1, 1, 1, 1, 1]]()\n"
       "  %y, %mean, %variance = BatchNormalization[training_mode = 1](%x, %v, %v, %v, %v)",
       "m: @f: %y, %mean, %variance = BatchNormalization: " +
           along_x("in training, its mean and variance are those of all samples") +
           "; in inference (training_mode = 0), or with a normalisation within each sample such as GroupNormalization, "
           "it can"},
      {"QuantisesByTheRange",
       "%q, %scale, %zero = DynamicQuantizeLinear(%x)\n  %y = DequantizeLinear(%q, %scale, %zero)",
       "m: @f: %q, %scale, %zero = DynamicQuantizeLinear: " +
           along_x("its scale and zero point come from the range of all samples") +
           "; quantised statically, with scales from a calibration, the model can"},
      {"GathersFromAnySample", "%rows = Squeeze[axes = [1]](%i)\n  %y = Gather[axis = 0](%x, %rows)",
       "m: @f: %y = Gather: " + along_x("its indices may point anywhere along that dimension")},
      {"Joins", "%one = Constant[value = Float32(1, 6)[1, 2, 3, 4, 5, 6]]()\n  %y = Concat[axis = 0](%x, %one)",
       "m: @f: %y = Concat: " + along_x("it joins its operands along that dimension")},
      {"KeepsUnknownRows",
       "%keep = Cast[to = \"Bool\"](%i)\n  %flat = Reshape[shape = [-1]](%keep)\n  %y = Compress[axis = 0](%x, %flat)",
       "m: @f: %y = Compress: " + along_x("how many elements it keeps depends on all of them")},
      {"MultipliesSamplesWithEachOther", "%t = Transpose[perm = [1, 0]](%x)\n  %y = MatMul(%x, %t)",
       "m: @f: %y = MatMul: " + because("its operands count samples along different dimensions, dimension 0 of %x and "
                                        "dimension 1 of %t, so each sample meets every other")},
      {"MixesThemInAView", "%t = Transpose[perm = [1, 0]](%x)\n  %y = Reshape[shape = [8, 3]](%t)",
       "m: @f: %y = Reshape: " + because("samples are counted along dimension 1 of %t, and along no dimension of its "
                                         "result, (8, 3)")},
      {"MeetsWhatIsOfNoSample", "%all = Constant[value = Float32(4, 1)[1, 2, 3, 4]]()\n  %y = Add(%x, %all)",
       "m: @f: %y = Add: " + because("it takes %all, (4, 1), for the whole batch, and nothing says "
                                     "which part of it belongs to which sample")},
  };
  return kRefusals;
}

class WhyWhole : public testing::TestWithParam<std::string> {};

TEST_P(WhyWhole, IsSaidInOneLine) {
  const Refused& row = *std::find_if(refusals().begin(), refusals().end(),
                                     [](const Refused& refused) { return refused.name == GetParam(); });
  const std::string text =
      "func @f(%x: Tensor[Float32, (4, 6)], %i: Tensor[Int64, (4, 1)]) {\n  " + row.body + "\n  return %y\n}";
  const ir::Module module = shard(ir::parse(text, "m", ops::table()), ops::table(), 1).module;
  try {
    pipeline(module, ops::table(), test::pipeline(1, 2));
    ADD_FAILURE() << "was accepted";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()), row.message);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const Refused& refused : refusals()) all.push_back(refused.name);
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, WhyWhole, testing::ValuesIn(names()), [](const auto& info) { return info.param; });

}  // namespace
}  // namespace foreflow::transform::why_whole_test
