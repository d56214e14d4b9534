#include "transform/blocks/block_function.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "foreflow/base/nth.h"
#include "foreflow/ir/uses.h"
#include "transform/rewrite/copy.h"

namespace foreflow::transform {
namespace {

using Column = std::vector<ir::ValueId>;  // one value of each occurrence
using Uses   = std::unordered_map<ir::ValueId, size_t>;

class BlockWriter {
 public:
  BlockWriter(const ir::Module& module, const Block& block, const std::string& name)
      : module_(module),
        block_(block),
        builder_(name, no_ops()),
        uses_(module.functions.size()),
        makers_(module.functions.size()) {
    for (const auto& occurrence : block.occurrences) {
      const size_t f = occurrence.front().function;
      if (!makers_[f].empty()) continue;
      uses_[f]   = ir::uses_of(module.functions[f]);
      makers_[f] = ir::makers_of(module.functions[f]);
    }
    made_.arguments.resize(count());
    made_.results.resize(count());
    made_.constants.resize(count());
  }

  BlockFunction run() {
    for (size_t i = 0; i < count(); ++i) count_inside(i);
    find_sources();
    choose_constants();
    declare_parameters();
    write();
    std::vector<ir::ValueId> results;
    for (size_t j = 0; j < block_.length(); ++j) {
      for (uint32_t r = 0; r < op(0, j).result_count; ++r) {
        // A call must have at least one result, even if it is not used.
        const bool last = j + 1 == block_.length() && r + 1 == op(0, j).result_count;
        if (!used_outside(j, r) && !(last && results.empty())) continue;
        results.push_back(result_of(j, r));
        for (size_t i = 0; i < count(); ++i) made_.results[i].push_back(function(i).output(op(i, j), r));
      }
    }
    made_.function = builder_.finish(std::move(results));
    return std::move(made_);
  }

 private:
  // The origin of an operand in the new function.
  struct Source {
    enum class Kind : uint8_t { none, inside, outside } kind = Kind::none;
    size_t number                                            = 0;  // of the op in the block, or of the column
    uint32_t result                                          = 0;
  };

  size_t count() const { return block_.occurrences.size(); }
  size_t home(size_t i) const { return block_.occurrences[i].front().function; }
  const ir::Function& function(size_t i) const { return module_.functions[home(i)]; }
  const ir::Op& op(size_t i, size_t j) const { return function(i).ops[block_.occurrences[i][j].op]; }

  void count_inside(size_t i) {
    Uses inside;
    for (size_t j = 0; j < block_.length(); ++j) {
      for (const ir::ValueId id : function(i).inputs(op(i, j))) ++inside[id];
    }
    inside_.push_back(std::move(inside));
  }
  bool only_inside(size_t i, ir::ValueId id) const {
    const auto found = inside_[i].find(id);
    return (found == inside_[i].end() ? 0 : found->second) == static_cast<size_t>(uses_[home(i)][ir::index(id)]);
  }
  bool used_outside(size_t j, uint32_t result) const {
    for (size_t i = 0; i < count(); ++i) {
      if (!only_inside(i, function(i).output(op(i, j), result))) return true;
    }
    return false;
  }

  const ir::Op* constant(size_t i, ir::ValueId id) const {
    const int32_t maker = makers_[home(i)][ir::index(id)];
    if (maker < 0) return nullptr;
    const ir::Op& op = nth(function(i).ops, maker);
    return is_constant(op) ? &op : nullptr;
  }

  // Returns true if a column consists of equal Constants that nothing outside of their occurrences reads. A Constant
  // that states a type stays outside, since the type may place it on a device.
  bool moves_inside(const Column& column) const {
    for (size_t i = 0; i < count(); ++i) {
      const ir::Op* one = constant(i, column[i]);
      if (one == nullptr || !only_inside(i, column[i]) || function(i).value(column[i]).annotation != nullptr)
        return false;
      const ir::Op& first = *constant(0, column[0]);
      if (one->def != first.def || (one->attributes != first.attributes && !(*one->attributes == *first.attributes)))
        return false;
    }
    return true;
  }

  void find_sources() {
    std::unordered_map<ir::ValueId, std::pair<size_t, uint32_t>> made;  // by occurrence 0
    std::map<Column, size_t> known;
    for (size_t j = 0; j < block_.length(); ++j) {
      std::vector<Source>& sources = sources_.emplace_back();
      for (size_t slot = 0; slot < op(0, j).operand_count; ++slot) {
        const ir::ValueId first = function(0).inputs(op(0, j))[slot];
        if (first == ir::ValueId::none) {
          sources.emplace_back();
        } else if (const auto found = made.find(first); found != made.end()) {
          sources.push_back({Source::Kind::inside, found->second.first, found->second.second});
        } else {
          Column column;
          for (size_t i = 0; i < count(); ++i) column.push_back(function(i).inputs(op(i, j))[slot]);
          const auto [entry, fresh] = known.emplace(column, columns_.size());
          if (fresh) columns_.push_back(std::move(column));
          sources.push_back({Source::Kind::outside, entry->second});
        }
      }
      for (uint32_t r = 0; r < op(0, j).result_count; ++r)
        made.emplace(function(0).output(op(0, j), r), std::pair(j, r));
    }
  }

  // Chooses the Constants that move into the function. If one column keeps a Constant outside, all columns with it do.
  void choose_constants() {
    std::set<std::pair<size_t, ir::ValueId>> stays;  // occurrence and value
    for (const Column& column : columns_) moves_.push_back(moves_inside(column));
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t c = 0; c < columns_.size(); ++c) {
        for (size_t i = 0; i < count() && moves_[c]; ++i) moves_[c] = !stays.contains({i, columns_[c][i]});
        for (size_t i = 0; i < count() && !moves_[c]; ++i) changed |= stays.emplace(i, columns_[c][i]).second;
      }
    }
  }

  void declare_parameters() {
    for (const Column& column : columns_) {
      const size_t c = inside_values_.size();
      inside_values_.push_back(moves_[c] ? ir::ValueId::none : builder_.parameter(shared_name(column), role(column)));
      for (size_t i = 0; i < count(); ++i) {
        if (moves_[c]) made_.constants[i].push_back(static_cast<size_t>(makers_[home(i)][ir::index(column[i])]));
        if (!moves_[c]) made_.arguments[i].push_back(column[i]);
      }
    }
  }

  std::string shared_name(const Column& column) const {
    std::vector<std::string_view> names;
    for (size_t i = 0; i < count(); ++i) names.push_back(function(i).value(column[i]).name);
    return common_name(names);
  }
  ir::ParameterRole role(const Column& column) const {
    for (size_t i = 0; i < count(); ++i) {
      const auto& roles = function(i).parameters;
      if (ir::index(column[i]) >= roles.size() || roles[ir::index(column[i])] != ir::ParameterRole::weight)
        return ir::ParameterRole::data;
    }
    return ir::ParameterRole::weight;
  }

  // The ops and Constants in the order that they have in the first occurrence.
  void write() {
    std::vector<std::pair<size_t, size_t>> constants;  // op number there, column
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (moves_[c]) constants.emplace_back(makers_[home(0)][ir::index(columns_[c][0])], c);
    }
    std::sort(constants.begin(), constants.end());
    auto next = constants.begin();
    for (size_t j = 0; j < block_.length(); ++j) {
      for (; next != constants.end() && next->first < block_.occurrences[0][j].op; ++next) {
        const ir::Op& constant       = function(0).ops[next->first];
        inside_values_[next->second] = builder_.append(constant.def, -1, constant.attributes, {}, 1);
        builder_.set_name(inside_values_[next->second], shared_name(columns_[next->second]));
      }
      append(j, operands(j));
    }
  }

  std::vector<ir::ValueId> operands(size_t j) const {
    std::vector<ir::ValueId> ids;
    for (const Source& source : sources_[j]) {
      ids.push_back(source.kind == Source::Kind::none      ? ir::ValueId::none
                    : source.kind == Source::Kind::outside ? inside_values_[source.number]
                                                           : result_of(source.number, source.result));
    }
    return ids;
  }

  ir::ValueId result_of(size_t j, uint32_t result) const {
    return static_cast<ir::ValueId>(first_result_[j] + static_cast<int32_t>(result));
  }

  void append(size_t j, const std::vector<ir::ValueId>& operands) {
    const ir::Op& first = op(0, j);
    first_result_.push_back(
        static_cast<int32_t>(builder_.append(first.def, first.callee, first.attributes, operands, first.result_count)));
    for (uint32_t r = 0; r < first.result_count; ++r) {
      const ir::ValueId id = result_of(j, r);
      Column column;
      for (size_t i = 0; i < count(); ++i) column.push_back(function(i).output(op(i, j), r));
      builder_.set_name(id, shared_name(column));
      builder_.annotate(id, function(0).value(column[0]).annotation);
    }
  }

  const ir::Module& module_;
  const Block& block_;
  ir::FunctionBuilder builder_;
  std::vector<std::vector<int32_t>> uses_;    // per function and value
  std::vector<std::vector<int32_t>> makers_;  // per function and value
  std::vector<Uses> inside_;                  // per occurrence
  std::vector<std::vector<Source>> sources_;  // per op and operand
  std::vector<Column> columns_;               // what comes from outside
  std::vector<bool> moves_;                   // per column: Constants that the function has
  std::vector<ir::ValueId> inside_values_;    // per column: the parameter or Constant of the new function
  std::vector<int32_t> first_result_;         // per op, in the new function
  BlockFunction made_;
};

}  // namespace

BlockFunction block_function(const ir::Module& module, const Block& block, const std::string& name) {
  return BlockWriter(module, block, name).run();
}

}  // namespace foreflow::transform
