#include "transform/blocks/op_sequence.h"

#include <map>
#include <string>
#include <unordered_map>

namespace foreflow::transform {
namespace {

class Sequencer {
 public:
  OpSequence run(const ir::Module& module) {
    for (size_t f = 0; f < module.functions.size(); ++f) {
      add(module.functions[f], f);
      const std::vector<int64_t> end = {kEnd, static_cast<int64_t>(f)};
      append(end, {f, module.functions[f].ops.size()});
    }
    sequence_.first_source.push_back(sequence_.sources.size());
    int64_t open = 0;
    for (size_t i = 0; i < sequence_.tokens.size(); ++i) sequence_.crossing.push_back(open += change_[i]);
    return std::move(sequence_);
  }

 private:
  static constexpr int64_t kEnd = -1, kUnstated = -1;

  void append(const std::vector<int64_t>& key, OpAt at) {
    sequence_.tokens.push_back(tokens_.emplace(key, static_cast<int32_t>(tokens_.size())).first->second);
    sequence_.ops.push_back(at);
    sequence_.first_source.push_back(sequence_.sources.size());
    change_.resize(sequence_.tokens.size() + 1);
  }

  void add(const ir::Function& function, size_t f) {
    std::vector<OpSequence::Source> made(function.values.size());
    std::vector<int64_t> last_use(function.values.size(), -1);
    for (size_t o = 0; o < function.ops.size(); ++o) {
      const ir::Op& op = function.ops[o];
      if (is_constant(op)) continue;
      const auto place = static_cast<int64_t>(sequence_.tokens.size());
      append(key_of(function, op), {f, o});
      for (const ir::ValueId id : function.inputs(op)) {
        sequence_.sources.push_back(id == ir::ValueId::none ? OpSequence::Source() : made[ir::index(id)]);
        if (id != ir::ValueId::none) last_use[ir::index(id)] = place;
      }
      for (uint32_t i = 0; i < op.result_count; ++i) made[op.first_result + i] = {place, i};
    }
    const auto end = static_cast<int64_t>(sequence_.tokens.size());
    for (const ir::ValueId id : function.results) last_use[ir::index(id)] = end;
    change_.resize(static_cast<size_t>(end) + 2);
    for (size_t value = 0; value < made.size(); ++value) {
      if (made[value].place < 0 || last_use[value] < 0) continue;
      ++change_[static_cast<size_t>(made[value].place) + 1];
      --change_[static_cast<size_t>(last_use[value]) + 1];
    }
  }

  std::vector<int64_t> key_of(const ir::Function& function, const ir::Op& op) {
    const auto def           = static_cast<int64_t>(reinterpret_cast<intptr_t>(op.def));  // only compared for equality
    std::vector<int64_t> key = {def, op.callee, attributes_number(op.attributes), op.result_count, op.operand_count};
    const auto inputs        = function.inputs(op);
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const ir::TypeRef& stated = function.values[op.first_result + i].annotation;
      key.push_back(stated == nullptr ? kUnstated : number(ir::to_string(*stated)));
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i] == ir::ValueId::none) key.push_back(static_cast<int64_t>(i));
    }
    return key;
  }

  int64_t number(const std::string& text) {
    return texts_.emplace(text, static_cast<int64_t>(texts_.size())).first->second;
  }

  int64_t attributes_number(const ir::AttributesRef& attributes) {
    const auto [known, fresh] = attributes_.emplace(attributes.get(), 0);
    if (!fresh) return known->second;
    std::string text;
    for (const auto& [name, value] : *attributes) text += name + " = " + ir::to_string(value) + ", ";
    return known->second = number(text);
  }

  OpSequence sequence_;
  std::vector<int64_t> change_;  // of the number of open values, per token
  std::map<std::vector<int64_t>, int32_t> tokens_;
  std::unordered_map<std::string, int64_t> texts_;
  std::unordered_map<const ir::Attributes*, int64_t> attributes_;
};

}  // namespace

OpSequence op_sequence(const ir::Module& module) { return Sequencer().run(module); }

}  // namespace foreflow::transform
