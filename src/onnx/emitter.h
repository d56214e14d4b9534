// Appends ops to the program under construction. For graphs with control flow it also interprets them: the types of
// their results are known and, if they are small, the elements.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/builder.h"

namespace foreflow::onnx {

class Emitter {
 public:
  // Tells whether ops are interpreted. Only graphs with control flow need it.
  enum class Follow : uint8_t { nothing, results };
  Emitter(std::string function, const ir::OpTable& ops, Follow follow)
      : builder_(std::move(function), ops), follow_(follow) {}

  // Adds a parameter. `type` and `numbers` (its elements) are null if they are not known.
  ir::ValueId parameter(std::string name, ir::ParameterRole role, const std::optional<ir::Type>& type,
                        const ir::Array* numbers = nullptr);

  // Appends an op and returns its results. If ops are interpreted, throws Error at `where` for operands that the op
  // rejects.
  std::vector<ir::ValueId> emit(const std::string& where, std::string_view op, std::vector<ir::ValueId> inputs,
                                ir::Attributes attributes = {}, size_t outputs = 1,
                                const std::vector<std::string>& names = {});
  ir::ValueId constant(ir::Array value, std::string name = "");

  // The type and the elements of a value, as far as they are known. Requires: ops are interpreted.
  const ir::Type& type(ir::ValueId id) const;
  const ir::Array* numbers(ir::ValueId id) const;
  // The number that a value of one element holds; nothing if it has more elements or is not known.
  std::optional<int64_t> number(ir::ValueId id) const;

  // Sequences exist while the model is read only: an id that stands for these values, and is no operand of an op.
  ir::ValueId sequence(std::vector<ir::ValueId> elements);
  // The values that it stands for; null: the value is no sequence.
  const std::vector<ir::ValueId>* elements(ir::ValueId id) const;

  // Values that the writer of an operator shares between nodes, under a key of its own; empty at first.
  std::vector<ir::ValueId>& noted(const std::string& key) { return notes_[key]; }

  // The data parameters from which a value is computed, as "input \"sr\"" or a list; empty if there is none.
  std::string inputs_of(ir::ValueId id) const;
  void set_name(ir::ValueId id, std::string name) { builder_.set_name(id, std::move(name)); }
  const std::string& name(ir::ValueId id) const { return builder_.function().value(id).name; }
  const ir::OpTable& table() const { return builder_.table(); }
  size_t size() const { return builder_.function().ops.size(); }
  size_t values() const { return builder_.function().values.size(); }
  ir::Function finish(std::vector<ir::ValueId> results) { return builder_.finish(std::move(results)); }

 private:
  void follow_last(const std::string& where);

  ir::FunctionBuilder builder_;
  Follow follow_;
  std::map<std::string, std::vector<ir::ValueId>> notes_;
  std::vector<std::vector<ir::ValueId>> sequences_;
  std::vector<interpret::Mixed> known_;  // per value; empty if ops are not interpreted
};

}  // namespace foreflow::onnx
