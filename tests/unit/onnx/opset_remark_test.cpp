// A model of an opset that nobody here knows is read as one of the newest that is known, and the user is told.
#include <gtest/gtest.h>

#include "foreflow/base/text.h"
#include "foreflow/onnx/import.h"
#include "support/temporary.h"
#include "unit/onnx/bytes.h"

namespace foreflow::onnx::opset_remark_test {
namespace {

using namespace foreflow::test;

TEST(OpsetRemark, IsMadeOfNewerOpsetsOnly) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.onnx";
  const auto remark      = [&](const std::string& bytes) {
    write_file(path, bytes);
    return opset_remark(path);
  };
  EXPECT_EQ(remark(model({.nodes = {{"Relu", {"x"}, {"y"}}}, .opset = 99})),
            path +
                ": imports opset 99; operators are read as those of opset 25, the newest that is known, in which some "
                "may mean something else");
  EXPECT_EQ(remark(model({.nodes = {{"Relu", {"x"}, {"y"}}}, .opset = 25})), "");
  EXPECT_EQ(remark("no model"), "");
  EXPECT_EQ(opset_remark(folder / "nothing.onnx"), "");
}

}  // namespace
}  // namespace foreflow::onnx::opset_remark_test
