#include "workload/network.h"

#include "foreflow/base/nth.h"
#include "foreflow/ir/half.h"

namespace foreflow::workload {
namespace {

ir::Array array_of(ir::DType dtype, const ir::Dims& dims, double value) {
  ir::Array array(dtype, dims);
  const auto single = static_cast<float>(value);
  switch (dtype) {
    case ir::DType::f64: array.mutable_data<double>()[0] = value; break;
    case ir::DType::f16: array.mutable_data<uint16_t>()[0] = ir::float_to_half(single); break;
    case ir::DType::bf16: array.mutable_data<uint16_t>()[0] = ir::float_to_bfloat(single); break;
    case ir::DType::f8: array.mutable_data<uint8_t>()[0] = ir::float_to_float8(single); break;
    default: array.mutable_data<float>()[0] = single;
  }
  return array;
}

}  // namespace

Network::Network(std::string name, ir::DType dtype, const ir::OpTable& ops)
    : name_(std::move(name)), dtype_(dtype), table_(ops) {}

Value Network::parameter(std::string name, ir::ParameterRole role, ir::Type type) {
  const Value value = next();
  parameters_.push_back({std::move(name), role, std::move(type), value});
  return value;
}

Value Network::weight(std::string name, const ir::Dims& dims) {
  return parameter(std::move(name), ir::ParameterRole::weight, ir::Type::tensor(dtype_, dims));
}

Value Network::data(std::string name, const ir::Dims& dims) { return data(std::move(name), dims, dtype_); }

Value Network::data(std::string name, const ir::Dims& dims, ir::DType dtype) {
  return parameter(std::move(name), ir::ParameterRole::data, ir::Type::tensor(dtype, dims));
}

Value Network::integers(std::string name, const ir::Dims& dims) {
  return parameter(std::move(name), ir::ParameterRole::data, ir::Type::tensor(ir::DType::i64, dims));
}

Value Network::op(std::string_view op, const Values& inputs, ir::Attributes attributes, std::string name) {
  std::vector<std::string> names;
  if (!name.empty()) names.push_back(std::move(name));
  return ops(op, inputs, std::move(attributes), 1, std::move(names))[0];
}

Values Network::ops(std::string_view op, const Values& inputs, ir::Attributes attributes, size_t results,
                    std::vector<std::string> names) {
  Op record{std::string(op), inputs, {}, std::move(attributes), std::move(names)};
  for (size_t i = 0; i < results; ++i) record.results.push_back(next());
  ops_.push_back(std::move(record));
  return ops_.back().results;
}

Value Network::constant(ir::Array array) { return op("Constant", {}, {{"value", std::move(array)}}); }

Value Network::number(double value) { return constant(array_of(dtype_, {}, value)); }

Value Network::view(Value x, std::vector<int64_t> shape) { return op("Reshape", {x}, {{"shape", std::move(shape)}}); }

Value Network::permuted(Value x, std::vector<int64_t> order) {
  return op("Transpose", {x}, {{"perm", std::move(order)}});
}

Value Network::converted(Value x, ir::DType from, ir::DType to) {
  return from == to ? x : op("Cast", {x}, {{"to", std::string(ir::name(to))}});
}

ir::Array Network::filled(double value) const { return array_of(dtype_, {1}, value); }

ir::Module Network::finish(const Values& results) {
  ir::FunctionBuilder builder(name_, table_);
  std::vector<ir::ValueId> made(static_cast<size_t>(values_), ir::ValueId::none);
  const auto at = [&](Value value) -> ir::ValueId& { return nth(made, value); };
  const auto of = [&](const Values& values) {
    std::vector<ir::ValueId> ids;
    for (const Value value : values) ids.push_back(at(value));
    return ids;
  };
  for (const auto role : {ir::ParameterRole::weight, ir::ParameterRole::data}) {
    for (const Parameter& parameter : parameters_) {
      if (parameter.role == role) at(parameter.value) = builder.parameter(parameter.name, role, parameter.type);
    }
  }
  for (Op& op : ops_) {
    const auto ids = builder.emit(op.op, of(op.inputs), std::move(op.attributes), op.results.size(), op.names);
    for (size_t i = 0; i < ids.size(); ++i) at(op.results[i]) = ids[i];
  }
  ir::Module module;
  module.source = name_;
  module.functions.push_back(builder.finish(of(results)));
  return module;
}

}  // namespace foreflow::workload
