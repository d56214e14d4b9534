#include "execute/trace_ops.h"

#include <algorithm>
#include <array>
#include <vector>

#include "foreflow/base/error.h"
#include "foreflow/cost/signature.h"
#include "foreflow/ops/table.h"

namespace foreflow::execute {
namespace {

// Our op for an op of PyTorch, and which of its inputs are the operands. `is_causal`: the input that says so; -1: none.
struct Counterpart {
  std::string_view aten, op;
  std::vector<size_t> inputs;
  size_t results = 1;
  int is_causal  = -1;
};

const std::vector<Counterpart>& counterparts() {
  static const std::vector<Counterpart> rows = {
      {"aten::mm", "MatMul", {0, 1}},
      {"aten::bmm", "MatMul", {0, 1}},
      {"aten::baddbmm", "MatMul", {1, 2}},
      {"aten::addmm", "Gemm", {1, 2, 0}},
      {"aten::add", "Add", {0, 1}},
      {"aten::add_", "Add", {0, 1}},
      {"aten::sub", "Sub", {0, 1}},
      {"aten::mul", "Mul", {0, 1}},
      {"aten::mul_", "Mul", {0, 1}},
      {"aten::div", "Div", {0, 1}},
      {"aten::relu", "Relu", {0}},
      {"aten::relu_", "Relu", {0}},
      {"aten::gelu", "Gelu", {0}},
      {"aten::silu", "QuickGelu", {0}},
      {"aten::sigmoid", "Sigmoid", {0}},
      {"aten::tanh", "Tanh", {0}},
      {"aten::exp", "Exp", {0}},
      {"aten::sqrt", "Sqrt", {0}},
      {"aten::neg", "Neg", {0}},
      {"aten::_softmax", "Softmax", {0}},
      {"aten::_log_softmax", "LogSoftmax", {0}},
      {"aten::native_layer_norm", "LayerNormalization", {0, 2, 3}},
      {"aten::threshold_backward", "ReluGrad", {1, 0}},
      {"aten::gelu_backward", "GeluGrad", {1, 0}},
      {"aten::_softmax_backward_data", "SoftmaxGrad", {1, 0}},
      {"aten::embedding", "Gather", {0, 1}},
      {"aten::_scaled_dot_product_flash_attention", "BlockAttention", {0, 1, 2}, 2, 4},
      {"aten::_scaled_dot_product_efficient_attention", "BlockAttention", {0, 1, 2}, 2, 6},
  };
  return rows;
}

struct TypeName {
  std::string_view theirs;
  ir::DType ours;
};
constexpr std::array kTypes = {
    TypeName{"float", ir::DType::f32}, TypeName{"c10::Half", ir::DType::f16},
    TypeName{"c10::BFloat16", ir::DType::bf16}, TypeName{"double", ir::DType::f64},
    TypeName{"long int", ir::DType::i64}, TypeName{"long", ir::DType::i64}, TypeName{"int", ir::DType::i32},
    TypeName{"signed char", ir::DType::i8}, TypeName{"unsigned char", ir::DType::u8},
    TypeName{"bool", ir::DType::boolean},
    // As record_param_comms has them.
    TypeName{"Float", ir::DType::f32}, TypeName{"Half", ir::DType::f16}, TypeName{"BFloat16", ir::DType::bf16},
    TypeName{"Double", ir::DType::f64}, TypeName{"Long", ir::DType::i64}, TypeName{"Int", ir::DType::i32},
    TypeName{"Byte", ir::DType::u8}, TypeName{"Char", ir::DType::i8}, TypeName{"Bool", ir::DType::boolean}};

std::optional<ir::DType> dtype_named(std::string_view name) {
  const auto* const found =
      std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeName& one) { return one.theirs == name; });
  return found == kTypes.end() ? std::nullopt : std::optional(found->ours);
}

// Input `index` as a tensor. Nothing: it is none, or was not recorded.
std::optional<ir::Type> tensor_at(const HostOp& op, size_t index) {
  if (index >= op.dims.size() || index >= op.types.size() || op.dims[index].empty()) return std::nullopt;
  const auto dtype       = dtype_named(op.types[index]);
  constexpr double kMost = 1e15;  // elements
  double elements        = 1;
  for (const int64_t dim : op.dims[index]) elements *= static_cast<double>(dim);
  if (!dtype || op.dims[index].size() > ir::Dims::kMaxRank || elements > kMost) return std::nullopt;
  return ir::Type::tensor(*dtype, ir::Dims(op.dims[index]));
}

std::optional<cost::Measurement> applied(const Counterpart& row, const std::vector<ir::Type>& operands,
                                         const ir::Attributes& attributes) {
  const ir::OpDef& def = ops::table().get(row.op, "trace");
  const std::vector<const ir::Array*> unknown(operands.size(), nullptr);
  const ir::OpCall call{def, attributes, operands, unknown, row.results};
  std::vector<ir::Type> outputs;
  try {
    outputs = def.infer(call);
  } catch (const Error&) {
    return std::nullopt;  // PyTorch broadcasts and converts where ours do not: not this work
  }
  const ir::Work work = def.work(call, outputs);
  cost::Measurement found;
  found.op        = row.op;
  found.dtype     = cost::dtype_of(call.inputs, outputs);
  found.signature = cost::signature(call, outputs);
  found.flops     = work.flops;
  found.read      = work.read;
  found.written   = work.written;
  return found;
}

// Names of collectives, without "_", in small letters; the first that a name begins with is meant.
struct CollectiveName {
  std::string_view theirs, ours;
  enum class Counts : uint8_t { in, out, in_of_all } counts;  // what message_bytes is: elements that go in, or come out
  bool of_pair = false;                                       // between two ranks, however many the group has
};
constexpr std::array kCollectives = {CollectiveName{"allreduce", "MPIAllreduce", CollectiveName::Counts::in},
                                     CollectiveName{"allgather", "MPIAllgather", CollectiveName::Counts::in_of_all},
                                     CollectiveName{"reducescatter", "MPIReduceScatter", CollectiveName::Counts::in},
                                     CollectiveName{"alltoall", "MPIAlltoall", CollectiveName::Counts::in},
                                     CollectiveName{"broadcast", "MPIBroadcast", CollectiveName::Counts::in},
                                     CollectiveName{"reduce", "MPIReduce", CollectiveName::Counts::in},
                                     CollectiveName{"send", "Send", CollectiveName::Counts::in, true},
                                     CollectiveName{"recv", "Send", CollectiveName::Counts::out, true}};

const CollectiveName* collective_named(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != '_') plain += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  const auto* const found = std::find_if(kCollectives.begin(), kCollectives.end(),
                                         [&](const CollectiveName& one) { return plain.starts_with(one.theirs); });
  return found == kCollectives.end() ? nullptr : found;
}

}  // namespace

std::optional<cost::Measurement> compute_of(const HostOp& op) {
  const auto row = std::find_if(counterparts().begin(), counterparts().end(),
                                [&](const Counterpart& one) { return one.aten == op.name; });
  if (row == counterparts().end()) return std::nullopt;
  std::vector<ir::Type> operands;
  for (const size_t index : row->inputs) {
    const auto operand = tensor_at(op, index);
    if (!operand) return std::nullopt;
    operands.push_back(*operand);
  }
  ir::Attributes attributes;
  if (row->is_causal >= 0) {
    const auto at = static_cast<size_t>(row->is_causal);
    if (at >= op.values.size()) return std::nullopt;
    if (op.values[at] == "True") attributes.set("causal", int64_t{1});
  }
  return applied(*row, operands, attributes);
}

std::optional<cost::Measurement> message_from(const MessageFacts& facts) {
  const CollectiveName* name = collective_named(facts.collective);
  const auto dtype           = dtype_named(facts.dtype);
  if (name == nullptr || !dtype) return std::nullopt;
  using Counts           = CollectiveName::Counts;
  const int ranks        = name->of_pair ? 2 : facts.ranks;
  const double elements  = name->counts == Counts::out ? facts.out : facts.in;
  const double members   = name->counts == Counts::in_of_all ? ranks : 1;
  constexpr double kMost = 1e15;
  if (!(elements > 0) || elements > kMost || ranks < 2) return std::nullopt;
  cost::Measurement found;
  found.kind      = cost::Measurement::Kind::message;
  found.op        = name->ours;
  found.dtype     = ir::short_name(*dtype);
  found.ranks     = ranks;
  found.message   = Bytes(elements * members * ir::size_of(*dtype));
  found.signature = cost::message_signature(found.op, found.message, ranks);
  return found;
}

std::optional<cost::Measurement> message_from(const HostOp& range, int ranks) {
  constexpr std::string_view kPrefix = "nccl:";
  if (!range.name.starts_with(kPrefix) || range.dims.size() != 1 || range.types.size() != 1) return std::nullopt;
  double elements = range.dims[0].empty() ? 0 : 1;
  for (const int64_t dim : range.dims[0]) elements *= static_cast<double>(dim);
  return message_from({range.name.substr(kPrefix.size()), range.types[0], elements, elements, ranks});
}

}  // namespace foreflow::execute
