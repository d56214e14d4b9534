// Every emitter: what torch computes for the op's samples is what the reference kernel computes.
#include <gtest/gtest.h>

#include "foreflow/ir/builder.h"
#include "foreflow/lower/pytorch.h"
#include "foreflow/ops/table.h"
#include "property/op_samples.h"
#include "pytorch/scripts.h"

namespace foreflow::test {
namespace {

// A module with a function for every sample of every op with an emitter, and an entry that calls them all.
class Samples {
 public:
  void add(const ir::OpDef& def, const ir::OpDef::Sample& sample, const std::string& name) {
    ir::FunctionBuilder builder(name, ops::table());
    std::vector<ir::ValueId> inputs;
    std::vector<ir::Value> own;
    for (const Operand& operand : random_operands(sample, random_)) {
      if (operand.left_out()) {
        inputs.push_back(ir::ValueId::none);
        continue;
      }
      inputs.push_back(builder.parameter("x", ir::ParameterRole::data));
      parameters_.push_back({name + "." + std::to_string(calls_[name].inputs.size()), operand.type});
      calls_[name].inputs.push_back(parameters_.size() - 1);
      arguments.push_back(operand.array);
    }
    calls_[name].function = module.functions.size();
    calls_[name].outputs  = sample.outputs;
    module.functions.push_back(builder.finish(builder.emit(def.name, inputs, sample.attributes, sample.outputs)));
  }

  void finish() {
    ir::FunctionBuilder builder("all", ops::table());
    std::vector<ir::ValueId> values, results;
    for (const auto& [name, type] : parameters_)
      values.push_back(builder.parameter(name, ir::ParameterRole::data, type));
    for (const auto& [name, call] : calls_) {
      std::vector<ir::ValueId> inputs;
      std::vector<std::string> names;
      for (const size_t input : call.inputs) inputs.push_back(values[input]);
      for (size_t i = 0; i < call.outputs; ++i) names.push_back(name + "_y." + std::to_string(i));
      const auto outputs = builder.call(call.function, inputs, call.outputs, names);
      results.insert(results.end(), outputs.begin(), outputs.end());
    }
    module.functions.push_back(builder.finish(results));
  }

  ir::Module module;
  std::vector<ir::Array> arguments;

 private:
  struct Call {
    size_t function = 0, outputs = 0;
    std::vector<size_t> inputs;
  };
  std::mt19937_64 random_{7};
  std::vector<std::pair<std::string, ir::Type>> parameters_;
  std::map<std::string, Call> calls_;
};

void expect_the_same(Samples& samples, const std::string& python) {
  samples.finish();
  const TemporaryFolder folder;
  write_case(folder.path().string(), samples.module, samples.arguments);
  const PythonResult result =
      run_python(python, {FOREFLOW_SOURCE_DIR "/tests/pytorch/run_functions.py", folder.path().string(), "1e-5"});
  EXPECT_EQ(result.exit_code, 0) << result.text;
  std::cout << result.text;
}

TEST(PyTorch, ComputesWhatTheReferenceKernelsComputeForEverySample) {
  FOREFLOW_PYTHON_OR_SKIP(python);
  Samples samples;
  for (const ir::OpDef& def : ops::table()) {
    if (lower::emitters().find(def.name) == nullptr || def.role == ir::Role::communication) continue;
    size_t number = 0;
    for (const ir::OpDef::Sample& sample : def.samples()) {
      samples.add(def, sample, std::string(def.name) + "_" + std::to_string(number++));
    }
  }
  expect_the_same(samples, python);
}

ir::OpDef::Sample resized(ir::Attributes attributes, int64_t before) {
  return {.attributes = std::move(attributes), .inputs = {ir::Type::tensor(ir::DType::f32, {2, before})}};
}

// The modes of Resize of which its own samples have none.
TEST(PyTorch, ResizesInEveryModeAsTheReferenceKernelDoes) {
  FOREFLOW_PYTHON_OR_SKIP(python);
  const std::vector<double> larger{1, 1.7}, smaller{1, 0.55};
  const std::vector<int64_t> one{2, 1}, box{5, 4};
  Samples samples;
  const ir::OpDef& def = *ops::table().find("Resize");
  size_t number        = 0;
  const auto add       = [&](const ir::OpDef::Sample& sample) {
    samples.add(def, sample, "Resize_" + std::to_string(number++));
  };
  for (const std::string places : {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "asymmetric",
                                   "align_corners", "tf_half_pixel_for_nn", "tf_crop_and_resize"}) {
    for (const std::string mode : {"nearest", "linear", "cubic"}) {
      const ir::Attributes kind{{"mode", mode}, {"coordinate_transformation_mode", places}};
      const auto with = [&](const std::string& name, ir::Attribute value) {
        ir::Attributes all = kind;
        all.set(name, std::move(value));
        return all;
      };
      add(resized(with("scales", larger), 7));
      add(resized(with("scales", smaller), 9));
      add(resized(with("sizes", one), 5));
    }
  }
  for (const std::string policy : {"not_larger", "not_smaller"}) {
    add(resized({{"mode", "linear"}, {"sizes", box}, {"keep_aspect_ratio_policy", policy}}, 3));
  }
  for (const std::string rounding : {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) {
    add(resized({{"nearest_mode", rounding}, {"scales", std::vector<double>{1, 2}}}, 3));
  }
  for (const std::string mode : {"linear", "cubic"}) {
    add(resized({{"mode", mode}, {"scales", smaller}, {"antialias", 1}, {"cubic_coeff_a", -0.5}}, 9));
  }
  ir::OpDef::Sample old = resized({}, 4);  // before opset 11 the scales are the second operand
  old.inputs.push_back(ir::Type::tensor(ir::DType::f32, {2}));
  old.values.emplace_back(1, ir::Array::of_floats({2}, {1, 2}));
  add(old);
  expect_the_same(samples, python);
}

}  // namespace
}  // namespace foreflow::test
