#include <algorithm>

#include "foreflow/base/suggestion.h"
#include "foreflow/base/text.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/autodiff.h"
#include "foreflow/transform/passes.h"
#include "transform/pass_arguments.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;
using Ints = std::vector<int64_t>;

// The prediction in the new function, and what is known about it.
struct Prediction {
  ir::FunctionBuilder& builder;
  ValueId value;
  ir::Type type;
  std::string where;
  size_t axis;  // of the classes
};

ValueId sum(const Prediction& prediction, ValueId) { return prediction.value; }

ValueId mean_square(const Prediction& prediction, ValueId target) {
  return prediction.builder.op("Loss", {prediction.value, target}, {{"count", ir::element_count(prediction.type.dims)}},
                               "loss");
}

// Classes at the end become [rows, classes]: what is in front of them is rows.
ValueId cross_entropy(const Prediction& prediction, ValueId target) {
  const ir::Dims& dims  = prediction.type.dims;
  const int64_t classes = dims[prediction.axis], rows = ir::element_count(dims) / std::max<int64_t>(classes, 1);
  ValueId logits = prediction.value, labels = target;
  if (prediction.axis + 1 == dims.size() && dims.size() > 2) {
    logits = prediction.builder.op("Reshape", {logits}, {{"shape", Ints{-1, classes}}});
    labels = prediction.builder.op("Reshape", {labels}, {{"shape", Ints{-1}}});
  } else if (prediction.axis != 1) {
    throw Error(prediction.where, "the classes of " + to_string(prediction.type) +
                                      " should be its dimension 1 or its last one; give axis, or name another output");
  }
  return prediction.builder.op("SoftmaxCrossEntropyLoss", {logits, labels}, {{"count", rows}}, "loss");
}

std::optional<ir::Type> no_target(const Prediction&) { return std::nullopt; }
std::optional<ir::Type> same_target(const Prediction& prediction) { return prediction.type; }
std::optional<ir::Type> label_target(const Prediction& prediction) {
  ir::Dims dims = prediction.type.dims;
  dims.erase(prediction.axis);
  return ir::Type::tensor(ir::DType::i64, dims);
}

struct LossRow {
  std::string_view name;
  std::optional<ir::Type> (*target)(const Prediction&);
  ValueId (*write)(const Prediction&, ValueId target);
};
constexpr LossRow kRows[] = {
    {"cross_entropy", label_target, cross_entropy}, {"mean_square", same_target, mean_square}, {"sum", no_target, sum}};

const LossRow& loss_row(std::string_view name) {
  for (const LossRow& row : kRows) {
    if (row.name == name) return row;
  }
  throw Error("loss", "unknown loss \"" + std::string(name) + "\"; use " + list_or(loss_names()));
}

// The number of the result that `output` gives by number or name.
size_t result_number(const ir::Function& function, const std::string& output, const std::string& where) {
  const auto number = parse_number<size_t>(output);
  if (number && *number < function.results.size()) return *number;
  std::vector<std::string> names;
  for (size_t i = 0; i < function.results.size(); ++i) {
    names.push_back(function.value(function.results[i]).name);
    if (names.back() == output) return i;
  }
  if (names.empty()) throw Error(where, "returns nothing; a program that returns a prediction would be right");
  throw Error(where, "returns no \"" + output + "\"" + suggestion(output, names) + ", or give the number of a result");
}

// The logits, where `value` is a Softmax of them along the axis of the classes.
ValueId before_softmax(const ir::Function& function, ValueId value, size_t axis, const ir::Dims& dims) {
  const auto rank     = static_cast<int64_t>(dims.size());
  const bool has_lane = std::all_of(dims.begin() + axis + 1, dims.end(), [](int64_t dim) { return dim == 1; });
  for (const ir::Op& op : function.ops) {
    if (op.is_call() || op.def->softmax != ir::Softmax::plain || function.output(op, 0) != value) continue;
    const bool flattens = op.attributes->int_or("flatten", 0) != 0;
    const int64_t own   = op.attributes->int_or("axis", flattens ? 1 : -1);
    const auto along    = static_cast<size_t>(own < 0 ? own + rank : own);
    if (along == axis && (!flattens || has_lane)) return function.inputs(op)[0];
  }
  return value;
}

}  // namespace

std::vector<std::string> loss_names() {
  std::vector<std::string> names;
  for (const LossRow& row : kRows) names.emplace_back(row.name);
  return names;
}

ir::Module add_loss(const ir::Module& module, const ir::OpTable& ops, std::string_view kind, const std::string& output,
                    int64_t axis) {
  const LossRow& row           = loss_row(kind);
  const ir::Function& function = module.entry();
  const std::string where      = module.source + ": @" + function.name;
  ValueId predicted =
      function.results.empty() ? ValueId::none : function.results[result_number(function, output, where)];
  if (predicted == ValueId::none)
    throw Error(where, "returns nothing; a program that returns a prediction would be right");
  const auto interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  const ir::Type type       = ir::moved(interpretation.entry().values[ir::index(predicted)].type, {});
  if (!type.is_tensor() || !ir::is_float(type.dtype) || !type.resolved() || type.dims.empty()) {
    throw Error(where,
                "the prediction is " + to_string(type) + "; a floating-point tensor of known shape would be right");
  }
  const auto rank = static_cast<int64_t>(type.dims.size());
  if (axis < -rank || axis >= rank)
    throw Error(where, "the prediction " + to_string(type) + " has no axis " + std::to_string(axis));
  ir::FunctionBuilder builder(function.name, ops);
  Prediction prediction{builder, predicted, type, where, static_cast<size_t>(axis < 0 ? axis + rank : axis)};
  if (row.write == cross_entropy) predicted = before_softmax(function, predicted, prediction.axis, type.dims);
  ValueMap map(function.values.size());
  copy_parameters(builder, function, map);
  const std::optional<ir::Type> wanted = row.target(prediction);
  const ValueId target = wanted ? builder.parameter("target", ir::ParameterRole::data, *wanted) : ValueId::none;
  for (const ir::Op& op : function.ops) copy_op(builder, function, op, map);
  prediction.value        = map(predicted);
  ir::Module result       = module;
  const ValueId loss      = row.write(prediction, target);
  result.functions.back() = builder.finish({loss});
  ir::verify(result);
  return result;
}

namespace definitions::add_loss {
PassDef row() {
  return {"add_loss",
          "return the loss of a prediction instead: kind=cross_entropy (of logits, or of their Softmax, by labels; "
          "classes along axis, the last one), mean_square or sum; output=NAME or number (0); targets become the data "
          "parameter `target`",
          {"kind", "output", "axis"},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments) {
            return loss_arguments(module, ops, arguments, "kind");
          }};
}
}  // namespace definitions::add_loss

ir::Module loss_arguments(const ir::Module& module, const ir::OpTable& ops, const PassArguments& arguments,
                          const std::string& kind) {
  const std::string name = word_argument(arguments, kind, kind == "kind" ? "cross_entropy" : "");
  if (name.empty()) return module;
  return add_loss(module, ops, name, word_argument(arguments, "output", "0"), integer_argument(arguments, "axis", -1));
}

}  // namespace foreflow::transform
