#include "cut_calls.h"

#include <algorithm>

#include "copy.h"
#include "sections.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

class CallCutter {
 public:
  CallCutter(const ir::Module& module, const std::map<size_t, CallCuts>& cuts)
      : module_(module),
        entry_(module.entry()),
        cuts_(cuts),
        builder_(entry_.name, no_ops()),
        map_(entry_.values.size()) {}

  WithCutCalls run() {
    keep_functions();
    copy_parameters(builder_, entry_, map_);
    for (size_t o = 0; o < entry_.ops.size(); ++o) {
      made_.first_op.push_back(builder_.function().ops.size());
      const auto found = cuts_.find(o);
      if (found != cuts_.end()) {
        write_pieces(o, found->second);
      } else {
        ir::Op op = entry_.ops[o];
        if (op.is_call()) op.callee = place_[static_cast<size_t>(op.callee)];
        copy_op(builder_, entry_, op, map_);
      }
    }
    made_.first_op.push_back(builder_.function().ops.size());
    for (size_t value = 0; value < entry_.values.size(); ++value)
      made_.values.push_back(map_(static_cast<ValueId>(value)));
    made_.module.functions.push_back(builder_.finish(copies(entry_.results, map_)));
    made_.module.source = module_.source;
    return std::move(made_);
  }

 private:
  // Functions that something still calls.
  void keep_functions() {
    const size_t count = module_.functions.size() - 1;
    std::vector<bool> called(count);
    for (size_t o = 0; o < entry_.ops.size(); ++o) {
      if (entry_.ops[o].is_call() && !cuts_.contains(o)) called[static_cast<size_t>(entry_.ops[o].callee)] = true;
    }
    std::vector<bool> cut_up(count);
    for (const auto& [o, cuts] : cuts_) cut_up[static_cast<size_t>(entry_.ops[o].callee)] = true;
    for (size_t f = count; f-- > 0;) {
      if (!called[f] && !cut_up[f]) continue;
      for (const ir::Op& op : module_.functions[f].ops) {
        if (op.is_call()) called[static_cast<size_t>(op.callee)] = true;
      }
    }
    place_.assign(count, -1);
    for (size_t f = 0; f < count; ++f) {
      if (!called[f]) continue;
      place_[f] = static_cast<int32_t>(made_.module.functions.size());
      made_.module.functions.push_back(renumbered(module_.functions[f]));
    }
  }

  ir::Function renumbered(ir::Function function) const {
    for (ir::Op& op : function.ops) {
      if (op.is_call()) op.callee = place_[static_cast<size_t>(op.callee)];
    }
    return function;
  }

  struct Pieces {
    std::vector<Section> sections;  // without their functions
    std::vector<int32_t> functions;
  };

  const Pieces& pieces(int32_t callee, const CallCuts& cuts) {
    const auto [found, fresh] = known_.try_emplace({callee, cuts});
    if (!fresh) return found->second;
    const ir::Function function = renumbered(module_.functions[static_cast<size_t>(callee)]);
    const int variant           = ++variants_[callee];
    const std::string name =
        variant == 1 ? function.name : function.name + "_" + std::string(1, static_cast<char>('a' + variant - 1));
    const std::vector<size_t> before(cuts.before.begin(), cuts.before.end());
    Pieces& made  = found->second;
    made.sections = cut(function, {before, function.ops.size(), {}, cuts.left_out}, name);
    for (Section& section : made.sections) {
      made.functions.push_back(static_cast<int32_t>(made_.module.functions.size()));
      made_.module.functions.push_back(std::move(section.function));
    }
    return made;
  }

  void write_pieces(size_t o, const CallCuts& cuts) {
    const ir::Op& op           = entry_.ops[o];
    const ir::Function& callee = module_.functions[static_cast<size_t>(op.callee)];
    const Pieces& pieces       = this->pieces(op.callee, cuts);
    std::map<ValueId, ValueId> here;  // value of the callee -> of the new entry
    const auto arguments = entry_.inputs(op);
    for (size_t i = 0; i < arguments.size(); ++i) here[static_cast<ValueId>(i)] = map_(arguments[i]);
    for (size_t s = 0; s < pieces.sections.size(); ++s) {
      const Section& section = pieces.sections[s];
      std::vector<ValueId> operands;
      for (const ValueId id : section.parameters) operands.push_back(here.at(id));
      const size_t first =
          ir::index(builder_.append(nullptr, pieces.functions[s], op.attributes, operands, section.results.size()));
      for (size_t i = 0; i < section.results.size(); ++i) here[section.results[i]] = static_cast<ValueId>(first + i);
    }
    for (uint32_t i = 0; i < op.result_count; ++i) name_result(op, i, standing(callee, cuts, callee.results[i]), here);
  }

  void name_result(const ir::Op& op, uint32_t i, ValueId inside, const std::map<ValueId, ValueId>& here) {
    const ValueId old = entry_.output(op, i), copy = here.at(inside);
    map_.set(old, copy);
    if (ir::index(inside) < module_.functions[static_cast<size_t>(op.callee)].parameters.size()) return;
    builder_.set_name(copy, entry_.value(old).name);
    builder_.annotate(copy, entry_.value(old).annotation);
  }

  static ValueId standing(const ir::Function& callee, const CallCuts& cuts, ValueId id) {
    for (const auto& [o, value] : cuts.left_out) {
      if (callee.ops[o].first_result == ir::index(id)) return value;
    }
    return id;
  }

  const ir::Module& module_;
  const ir::Function& entry_;
  const std::map<size_t, CallCuts>& cuts_;
  ir::FunctionBuilder builder_;
  ValueMap map_;
  std::vector<int32_t> place_;  // per old function: its number in the new module; -1: gone
  std::map<std::pair<int32_t, CallCuts>, Pieces> known_;
  std::map<int32_t, int> variants_;
  WithCutCalls made_;
};

}  // namespace

size_t WithCutCalls::at(const Position& place, const std::map<size_t, CallCuts>& cuts) const {
  const auto found = cuts.find(place.op);
  if (found == cuts.end()) return first_op[place.op];
  const auto& before = found->second.before;
  return first_op[place.op] + static_cast<size_t>(std::distance(before.begin(), before.upper_bound(place.inner)));
}

WithCutCalls cut_calls(const ir::Module& module, const std::map<size_t, CallCuts>& cuts) {
  return CallCutter(module, cuts).run();
}

}  // namespace foreflow::transform
