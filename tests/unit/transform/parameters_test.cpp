#include "foreflow/transform/parameters.h"

#include <gtest/gtest.h>

#include "foreflow/ir/text.h"
#include "foreflow/ops/table.h"

namespace foreflow::transform::parameters_test {
namespace {

TEST(CountParameters, LeavesOutDataAndRunningStatistics) {
  const ir::Module module =
      ir::parse(R"(func @f(%x: Tensor[Float32, (2, 4, 8, 8)], weight %scale: Tensor[Float32, (4,)],
                                               weight %bias: Tensor[Float32, (4,)], weight %mean: Tensor[Float32, (4,)],
                                               weight %variance: Tensor[Float32, (4,)]) {
  %y = BatchNormalization(%x, %scale, %bias, %mean, %variance)
  return %y
}
)",
                "test", ops::table());
  EXPECT_EQ(count_parameters(module), 4 + 4);
}

}  // namespace
}  // namespace foreflow::transform::parameters_test
