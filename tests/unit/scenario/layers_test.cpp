// Layers are found whatever is recomputed: stages in the middle of a pipeline have as many each.
#include <gtest/gtest.h>

#include "foreflow/base/json.h"
#include "foreflow/base/text.h"
#include "foreflow/scenario/run.h"
#include "support/temporary.h"

namespace foreflow::scenario::layers_test {
namespace {

report::Summary simulated(const std::string& model, const std::string& strategy) {
  const std::string text = R"({"workload": {)" + model +
                           R"("layers": 8, "hidden": 64, "heads": 4, "sequence": 32, "vocabulary": 128,
      "dtype": "bf16"}, "platform": {"topology": "dgx_a100"}, "cost": {"model": "roofline"}, "engine": "analytic",
      "strategy": {"pp": 4, "microbatches": 4, "global_batch": 4, "stage_partition": "layers", )" +
                           strategy + "}}";
  return run(load(parse_json(text, "layers.json"), "layers.json")).summary;
}

TEST(StagesOfLayers, AreEqualWhateverIsRecomputed) {
  for (const char* model : {R"("model": "gpt", )", R"("model": "llama", "feed_forward": 128, )"}) {
    for (const char* attention : {"flash", "unfused"}) {
      for (const char* recompute : {"none", "selective", "op", "full", "block(2)"}) {
        const std::string strategy =
            std::string(R"("attention": ")") + attention + R"(", "recompute": ")" + recompute + "\"";
        SCOPED_TRACE(model + strategy);
        const report::Summary summary = simulated(model, strategy);
        ASSERT_EQ(summary.devices.size(), 4U);
        const double second = summary.devices[1].compute.value(), third = summary.devices[2].compute.value();
        EXPECT_NEAR(second, third, 1e-9 * second);
      }
    }
  }
}

// A transformer of one head as exporters write one: norms are ops, and all layers read one mask. Parts of a split mask
// are cut where the first layer reads them, and a final norm and a large head follow the last.
class Exported {
 public:
  explicit Exported(int layers) {
    std::string x = "x";
    for (int layer = 0; layer < layers; ++layer) x = block(x, std::to_string(layer));
    ops_ += "  %logits = MatMul(" + norm(x, "end") + ", " + weight("head", 8, 256) + ")\n  return %logits\n}\n";
  }
  std::string text() const { return parameters_ + ") {\n" + kShared + ops_; }

 private:
  static constexpr const char* kShared =
      "  %eps = Constant[value = Float32()[0.001]]()\n"
      "  %far = ConstantOfShape[shape = [16, 16], value = Float32(1,)[-1000]]()\n"
      "  %mask = Trilu[k = 1, upper = 1](%far)\n";

  // Adds an op and returns its operand for others.
  std::string op(const std::string& name, const std::string& call) {
    ops_ += "  %" + name + " = " + call + "\n";
    return "%" + name;
  }
  std::string weight(const std::string& name, int rows, int columns) {
    parameters_ +=
        ", weight %" + name + ": Tensor[Float32, (" + std::to_string(rows) + ", " + std::to_string(columns) + ")]";
    return "%" + name;
  }
  std::string norm(const std::string& x, const std::string& at) {
    const std::string square = op("square_" + at, "Mul(%" + x + ", %" + x + ")");
    const std::string mean   = op("mean_" + at, "ReduceMean[axes = [-1], keepdims = 1](" + square + ")");
    const std::string root   = op("root_" + at, "Sqrt(" + op("more_" + at, "Add(" + mean + ", %eps)") + ")");
    return op("norm_" + at, "Div(%" + x + ", " + root + ")");
  }
  std::string product(const std::string& name, const std::string& x, int rows, int columns) {
    return op(name, "MatMul(" + x + ", " + weight("w_" + name, rows, columns) + ")");
  }
  // Returns the name of the residual stream behind the layer.
  std::string block(const std::string& x, const std::string& at) {
    const std::string n = norm(x, "first" + at);
    const std::string q = product("q" + at, n, 8, 8), k = product("k" + at, n, 8, 8), v = product("v" + at, n, 8, 8);
    const std::string turned = op("t" + at, "Transpose[perm = [0, 2, 1]](" + k + ")");
    const std::string scores = op("s" + at, "MatMul(" + q + ", " + turned + ")");
    const std::string masked = op("m" + at, "Add(" + scores + ", %mask)");
    const std::string seen   = op("o" + at, "MatMul(" + op("p" + at, "Softmax(" + masked + ")") + ", " + v + ")");
    op("y" + at, "Add(%" + x + ", " + product("a" + at, seen, 8, 8) + ")");
    const std::string up = product("u" + at, norm("y" + at, "second" + at), 8, 32);
    op("z" + at, "Add(%y" + at + ", " + product("d" + at, op("r" + at, "Relu(" + up + ")"), 32, 8) + ")");
    return "z" + at;
  }

  std::string parameters_ = "func @f(%x: Tensor[Float32, (4, 16, 8)]", ops_;
};

// The computing time of the device with this number, from 1.
double compute_of(const report::Summary& summary, int device) {
  for (const report::DeviceSummary& one : summary.devices) {
    for (const stream::DeviceRange& range : one.members) {
      if (device >= range.first && device <= range.last && (device - range.first) % range.step == 0)
        return one.compute.value();
    }
  }
  return 0;
}

TEST(StagesOfLayers, AreThoseOfTheFileWhateverRanksSplit) {
  const test::TemporaryFolder folder;
  write_file(folder / "model.distir", Exported(8).text());
  for (const int cp : {1, 2, 4}) {
    for (const char* mode : {"inference", "training"}) {
      SCOPED_TRACE(std::string(mode) + ", cp " + std::to_string(cp));
      const std::string text =
          R"({"workload": {"distir": "model.distir", "mode": ")" + std::string(mode) +
          R"("}, "platform": {"topology": "dgx_a100", "nodes": 2}, "cost": {"model": "roofline"}, "engine": "analytic",
            "strategy": {"pp": 4, "microbatches": 4, "stage_partition": "layers", "attention": "unfused", "cp": )" +
          std::to_string(cp) + "}}";
      const report::Summary summary = run(load(parse_json(text, "layers.json"), folder / "layers.json")).summary;
      const double second = compute_of(summary, cp + 1), third = compute_of(summary, 2 * cp + 1);
      EXPECT_GT(second, 0);
      EXPECT_NEAR(second, third, 1e-9 * second);
    }
  }
}

}  // namespace
}  // namespace foreflow::scenario::layers_test
