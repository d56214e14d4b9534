#include "foreflow/base/nth.h"
#include "foreflow/ir/builder.h"
#include "workload/sizes.h"

namespace foreflow::workload::definitions::mlp {
namespace {

const std::vector<Key>& keys() {
  static const std::vector<Key> rows = {
      {"layers", "number of layers", 16},
      {"hidden", "width of every layer", 8192},
      {"keeps_products",
       "training: the backward pass of Relu reads its input, so products are kept beside its results: true as in "
       "the programs of the DistIR authors, false as in PyTorch",
       true, Key::Kind::boolean}};
  return rows;
}

// x[b,h] -> Relu(x * w1) -> ... -> Relu(. * wL) -> [b,h], without biases: the DistIR paper's MLP (MLP 1B is 16 x 8192).
Model build(const Request& request, const ir::OpTable& ops) {
  const FilledValues values(keys(), request.sizes);
  const int64_t layers = positive(values, "layers", kMostLayers), hidden = positive(values, "hidden");
  ir::FunctionBuilder f("mlp", ops);
  const auto matrix = [&](int64_t rows) { return ir::Type::tensor(request.dtype, {rows, hidden}); };
  std::vector<ir::ValueId> weights;
  for (int64_t i = 1; i <= layers; ++i)
    weights.push_back(f.parameter("w" + std::to_string(i), ir::ParameterRole::weight, matrix(hidden)));
  ir::ValueId a     = f.parameter("x", ir::ParameterRole::data, matrix(request.batch));
  const bool trains = request.mode == Mode::training;
  ir::Attributes relu;
  if (trains && values.flag("keeps_products")) relu.set("keeps_input", int64_t{1});
  const ir::ValueId y = trains ? f.parameter("y", ir::ParameterRole::data, matrix(request.batch)) : ir::ValueId::none;
  for (int64_t i = 1; i <= layers; ++i) {
    const std::string number = std::to_string(i);
    a = f.op("Relu", {f.op("MatMul", {a, nth(weights, i - 1)}, {}, "z" + number)}, relu, "a" + number);
  }
  if (trains) a = f.op("Loss", {a, y}, {{"count", request.batch}}, "loss");
  Model model{{}, 0};
  model.module.source = "mlp";
  model.module.functions.push_back(f.finish({a}));
  return model;
}

}  // namespace

WorkloadDef row() {
  return {"mlp",
          "a multi-layer perceptron without biases; training with a squared loss",
          keys(),
          build,
          {.is_transformer = false, .has_sequence = false, .optimizer = "sgd"}};
}

}  // namespace foreflow::workload::definitions::mlp
