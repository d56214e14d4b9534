// Causal masks in the forms in which exporters compute them, with more elements than are known one by one.
#include "transform/context/causal_mask.h"

#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "foreflow/interpret/concrete.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/transform/context_attention.h"
#include "support/distribution.h"

namespace foreflow::transform::causal_mask_test {
namespace {

constexpr int64_t kRows = 80;  // 6,400 elements
static_assert(kRows * kRows > interpret::MixedDomain::kLargestKnown);

// What the masks below are made of.
constexpr std::string_view kParts = R"(
  %zero = Constant[value = Int64()[0]]()
  %one = Constant[value = Int64()[1]]()
  %many = Constant[value = Int64()[80]]()
  %first = Constant[value = Int64(1,)[0]]()
  %second = Constant[value = Int64(1,)[1]]()
  %none = Constant[value = Float32()[0]]()
  %least = Constant[value = Float32()[-3.4028235e+38]]()
  %square = Constant[value = Int64(2,)[80, 80]]()
  %all = Constant[value = Int64(4,)[2, 1, 80, 80]]()
  %full = ConstantOfShape[value = Float32(1,)[-10000]](%square)
  %ones = ConstantOfShape[value = Float32(1,)[1]](%square)
  %triangle = Trilu(%full, %one)
  %lower = Trilu[upper = 0](%ones)
  %places = Range(%zero, %many, %one)
  %rows = Unsqueeze(%places, %second)
  %keys = Unsqueeze(%places, %first)
)";

ir::Module attention_with(std::string_view mask) {
  return ir::parse(
      "func @main(%q: Tensor[Float32, (2, 1, 80, 4)], %k: Tensor[Float32, (2, 1, 4, 80)], "
      "%v: Tensor[Float32, (2, 1, 80, 4)], %data: Tensor[Float32, (2, 1, 80, 80)]) {" +
          std::string(kParts) + "  " + std::string(mask) +
          "\n  %scores = MatMul(%q, %k)\n  %sum = Add(%scores, %mask)\n"
          "  %shares = Softmax[axis = -1](%sum)\n  %y = MatMul(%shares, %v)\n  return %y\n}",
      "mask", ops::table());
}

// Returns true if attention of one op hides later keys without an operand.
bool is_fused_as_causal(const ir::Module& module) {
  const ir::Module fused = fuse_attention(module, ops::table());
  for (const ir::Op& op : fused.entry().ops) {
    if (op.def->name == "BlockAttention") return op.attributes->int_or("causal", 0) != 0 && op.operand_count == 3;
  }
  ADD_FAILURE() << "no attention of one op";
  return false;
}

constexpr std::string_view kCausal[] = {
    "%mask = Identity(%triangle)",
    "%half = Cast[to = \"Float16\"](%triangle)\n  %mask = Cast[to = \"Float32\"](%half)",
    "%axes = Constant[value = Int64(2,)[0, 1]]()\n  %mask = Unsqueeze(%triangle, %axes)",
    "%mask = Expand(%triangle, %all)",
    "%apart = Reshape[shape = [1, 80, 1, 80]](%triangle)\n  %mask = Transpose[perm = [0, 2, 1, 3]](%apart)",
    "%behind = Less(%rows, %keys)\n  %mask = Where(%behind, %least, %none)",
    "%next = Add(%rows, %second)\n  %seen = Less(%keys, %next)\n  %mask = Where(%seen, %none, %full)",
    "%seen = GreaterOrEqual(%rows, %keys)\n  %mask = Where(%seen, %none, %least)",
    "%behind = Greater(%keys, %rows)\n  %b = Cast[to = \"Float32\"](%behind)\n  %mask = Mul(%triangle, %b)",
    "%far = Sub(%keys, %rows)\n  %behind = Greater(%far, %zero)\n  %mask = Where(%behind, %least, %none)",
    "%hidden = Equal(%lower, %none)\n  %mask = Where(%hidden, %least, %none)",
    "%r = Cast[to = \"Float32\"](%rows)\n  %k32 = Cast[to = \"Float32\"](%keys)\n  %seen = LessOrEqual(%k32, %r)\n"
    "  %hidden = Not(%seen)\n  %mask = Where(%hidden, %least, %none)",
    "%start = Constant[value = Int64(2,)[0, 0]]()\n  %end = Constant[value = Int64(2,)[90, 80]]()\n"
    "  %mask = Slice(%triangle, %start, %end)",
};

constexpr std::string_view kOthers[] = {
    "%mask = Trilu(%full, %zero)",                         // hides the query's own key
    "%k2 = Add(%one, %one)\n  %mask = Trilu(%full, %k2)",  // shows one key more
    "%mask = Trilu[upper = 0](%full)",
    "%mask = Transpose(%triangle)",
    "%mask = Trilu(%ones, %one)",  // hides nothing
    "%behind = Less(%keys, %rows)\n  %mask = Where(%behind, %least, %none)",
    "%behind = LessOrEqual(%rows, %keys)\n  %mask = Where(%behind, %least, %none)",
    "%behind = Less(%keys, %many)\n  %mask = Where(%behind, %least, %none)",
    "%seen = Less(%rows, %keys)\n  %mask = Where(%seen, %none, %least)",
    "%inf = Constant[value = Float32()[-inf]]()\n  %behind = Greater(%keys, %rows)\n"
    "  %b = Cast[to = \"Float32\"](%behind)\n  %mask = Mul(%inf, %b)",  // no number where nothing is hidden
    "%start = Constant[value = Int64(1,)[-1]]()\n  %end = Constant[value = Int64(1,)[-1000]]()\n"
    "  %back = Slice(%places, %start, %end, %first, %start)\n  %other = Unsqueeze(%back, %second)\n"
    "  %behind = Less(%other, %keys)\n  %mask = Where(%behind, %least, %none)",
    "%mask = Identity(%none)",
    "%mask = Identity(%data)",
    "%pair = Constant[value = Int64(2,)[1, 1]]()\n  %mask = ConstantOfShape(%pair)",
    "%numbers = Cast[to = \"Float16\"](%rows)\n  %large = Constant[value = Float16()[2000]]()\n"
    "  %r = Add(%numbers, %large)\n  %halves = Cast[to = \"Float16\"](%keys)\n  %c = Add(%halves, %large)\n"
    "  %behind = Less(%r, %c)\n  %mask = Where(%behind, %least, %none)",  // 2049 is no number of 16 bits
};

TEST(CausalMask, IsRecognisedInTheFormsThatExportersWrite) {
  for (const std::string_view mask : kCausal) EXPECT_TRUE(is_fused_as_causal(attention_with(mask))) << mask;
}

TEST(CausalMask, StaysAnOperandWhereItHidesOtherKeys) {
  for (const std::string_view mask : kOthers) EXPECT_FALSE(is_fused_as_causal(attention_with(mask))) << mask;
}

TEST(CausalMask, IsRemarkedOnWhereItsNumbersAreNotKnown) {
  const auto remark = [](std::string_view mask) {
    return remark_on_masks(fuse_attention(attention_with(mask), ops::table()));
  };
  EXPECT_EQ(
      remark("%mask = Identity(%data)"),
      "attention computes all scores to which it adds %mask (2, 1, 80, 80), whose numbers are not known; a mask that "
      "only hides later keys halves them where it is a Trilu of one number, or compares positions");
  EXPECT_EQ(remark("%mask = Identity(%triangle)"), "");
  EXPECT_EQ(remark("%mask = Transpose(%triangle)"), "") << "it is known to hide other keys";
  EXPECT_EQ(remark("%row = Slice[starts = [0], ends = [1], axes = [2]](%data)\n  %mask = Expand(%row, %all)"), "")
      << "it hides the same keys from all queries, such as padding";
}

// The number that a pattern gives the element of that number in row-major order.
double number_at(const Pattern& pattern, const ir::Dims& dims, int64_t element) {
  const auto* choice = std::get_if<Bordered>(&pattern);
  const Affine& form = choice == nullptr ? std::get<Affine>(pattern) : choice->where;
  int64_t number     = form.constant;
  for (size_t d = dims.size(); d-- > 0; element /= dims[d]) number += form.factors[d] * (element % dims[d]);
  return choice == nullptr ? static_cast<double>(number) : (number >= 0 ? choice->on : choice->off).at(0);
}

// The values of a function for whose elements there is a rule.
std::vector<ir::ValueId> values_with_patterns(const ir::Function& function, const ElementPatterns& patterns) {
  std::vector<ir::ValueId> values;
  for (size_t i = 0; i < function.values.size(); ++i) {
    if (patterns.of(static_cast<ir::ValueId>(i)) != nullptr) values.push_back(static_cast<ir::ValueId>(i));
  }
  return values;
}

void expect_elements(const Pattern& pattern, const ir::Array& elements, std::string_view where) {
  for (int64_t i = 0; i < elements.size(); ++i) {
    const double expected = elements.at(i), number = number_at(pattern, elements.dims(), i);
    ASSERT_TRUE(number == expected || (std::isnan(number) && std::isnan(expected)))
        << where << ": element " << i << " is " << expected << ", not " << number;
  }
}

TEST(ElementPatterns, GiveTheElementsThatTheReferenceExecutorComputes) {
  std::vector<std::string_view> masks(std::begin(kCausal), std::end(kCausal));
  masks.insert(masks.end(), std::begin(kOthers), std::end(kOthers));
  for (const std::string_view mask : masks) {
    ir::Module module = attention_with(mask);
    const ElementPatterns patterns{KnownFunction(module)};
    const auto values               = values_with_patterns(module.entry(), patterns);
    module.functions.back().results = values;
    std::mt19937_64 random(7);
    const auto results = interpret::evaluate(module, 0, test::random_arguments(module, random, 2));
    EXPECT_GT(values.size(), 10U);
    for (size_t v = 0; v < values.size(); ++v) expect_elements(*patterns.of(values[v]), results[v], mask);
  }
}

}  // namespace
}  // namespace foreflow::transform::causal_mask_test
