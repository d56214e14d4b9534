// Builder with which families write their programs: it records weights, data and ops, so that a layer declares what it
// needs where it stands. The program made of it has its parameters first, weights before data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foreflow/ir/builder.h"

namespace foreflow::workload {

class Network {
 public:
  enum class Value : int32_t {};
  using Values = std::vector<Value>;

  // Floats are of type `dtype`. `ops` must outlive the program.
  Network(std::string name, ir::DType dtype, const ir::OpTable& ops);

  ir::DType dtype() const { return dtype_; }

  Value weight(std::string name, const ir::Dims& dims);
  Value data(std::string name, const ir::Dims& dims);  // floats
  Value data(std::string name, const ir::Dims& dims, ir::DType dtype);
  Value integers(std::string name, const ir::Dims& dims);  // Int64

  Value op(std::string_view op, const Values& inputs, ir::Attributes attributes = {}, std::string name = "");
  // `names` are those of the first results.
  Values ops(std::string_view op, const Values& inputs, ir::Attributes attributes, size_t results,
             std::vector<std::string> names = {});

  Value constant(ir::Array array);
  Value number(double value);                       // a scalar of the network's type
  Value view(Value x, std::vector<int64_t> shape);  // Reshape: 0 keeps a dimension, -1 takes the rest
  Value permuted(Value x, std::vector<int64_t> order);
  Value converted(Value x, ir::DType from, ir::DType to);  // x itself where both are the same

  // One number of the network's type, as ConstantOfShape wants it: [1].
  ir::Array filled(double value) const;

  // The program. The builder is empty afterwards.
  ir::Module finish(const Values& results);

 private:
  struct Parameter {
    std::string name;
    ir::ParameterRole role;
    ir::Type type;
    Value value;
  };
  struct Op {
    std::string op;
    Values inputs, results;
    ir::Attributes attributes;
    std::vector<std::string> names;  // of the first results
  };

  Value next() { return static_cast<Value>(values_++); }
  Value parameter(std::string name, ir::ParameterRole role, ir::Type type);

  std::string name_;
  ir::DType dtype_;
  const ir::OpTable& table_;
  int32_t values_ = 0;
  std::vector<Parameter> parameters_;
  std::vector<Op> ops_;
};

using Value  = Network::Value;
using Values = Network::Values;

}  // namespace foreflow::workload
