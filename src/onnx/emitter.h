// Appends ops to the program under construction and, for graphs with control flow, follows what is known of their
// results: types and, where they are small, numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/builder.h"

namespace foreflow::onnx {

class Emitter {
 public:
  // follows: control flow asks for it; without, no op is interpreted.
  enum class Follow : uint8_t { nothing, results };
  Emitter(std::string function, const ir::OpTable& ops, Follow follow)
      : builder_(std::move(function), ops), follow_(follow) {}

  // `numbers` may be null. A type that is not known is null too.
  ir::ValueId parameter(std::string name, ir::ParameterRole role, const std::optional<ir::Type>& type,
                        const ir::Array* numbers = nullptr);

  // Error at `where` for what the op cannot do, as far as that is followed.
  std::vector<ir::ValueId> emit(const std::string& where, std::string_view op, std::vector<ir::ValueId> inputs,
                                ir::Attributes attributes = {}, size_t outputs = 1,
                                const std::vector<std::string>& names = {});
  ir::ValueId constant(ir::Array value, std::string name = "");

  // What is known of a value; nothing while nothing is followed.
  const ir::Type& type(ir::ValueId id) const { return known_.at(ir::index(id)).type; }
  const ir::Array* numbers(ir::ValueId id) const { return known_.at(ir::index(id)).known.get(); }
  // The one number of a value that has one.
  std::optional<int64_t> number(ir::ValueId id) const;

  const std::string& name(ir::ValueId id) const { return builder_.function().value(id).name; }
  const ir::OpTable& table() const { return builder_.table(); }
  size_t size() const { return builder_.function().ops.size(); }
  ir::Function finish(std::vector<ir::ValueId> results) { return builder_.finish(std::move(results)); }

 private:
  void follow_last(const std::string& where);

  ir::FunctionBuilder builder_;
  Follow follow_;
  std::vector<interpret::Mixed> known_;  // by value; empty while nothing is followed
};

}  // namespace foreflow::onnx
