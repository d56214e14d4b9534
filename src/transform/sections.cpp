#include "sections.h"

#include <algorithm>

#include "copy.h"

namespace foreflow::transform {
namespace {

using ir::ValueId;

constexpr size_t kNobody = SIZE_MAX;

class Cutter {
 public:
  Cutter(const ir::Function& function, const Cuts& cuts, const std::string& name)
      : function_(function),
        cuts_(cuts),
        name_(name),
        placed_(depend_on_parameters(function)),
        maker_(function.values.size(), kNobody),
        seen_in_(function.values.size(), kNobody),
        map_(function.values.size()) {
    for (size_t o = 0; o < function.ops.size(); ++o) {
      for (uint32_t i = 0; i < function.ops[o].result_count; ++i) maker_[function.ops[o].first_result + i] = o;
    }
  }

  std::vector<Section> run() {
    find_readers();
    std::vector<Section> sections(cuts_.before.size() + 1);
    for (size_t s = 0; s < sections.size(); ++s) sections[s] = section(s);
    return sections;
  }

 private:
  size_t begin(size_t section) const { return section == 0 ? 0 : cuts_.before[section - 1]; }
  size_t end(size_t section) const { return section < cuts_.before.size() ? cuts_.before[section] : cuts_.end; }

  // The value that is there in place of one that is left out.
  ValueId standing(ValueId id) const {
    while (id != ValueId::none && maker_[ir::index(id)] != kNobody) {
      const auto found = cuts_.left_out.find(maker_[ir::index(id)]);
      if (found == cuts_.left_out.end()) break;
      id = found->second;
    }
    return id;
  }

  // Per value: the last section that reads it; the number of sections when it is wanted outside.
  void find_readers() {
    last_reader_.assign(function_.values.size(), 0);
    const size_t outside = cuts_.before.size() + 1;
    for (size_t s = 0; s < outside; ++s) {
      for (size_t o = begin(s); o < end(s); ++o) {
        for (const ValueId id : function_.inputs(function_.ops[o])) {
          if (id != ValueId::none) last_reader_[ir::index(standing(id))] = s;
        }
      }
    }
    for (size_t value = 0; value < cuts_.wanted.size(); ++value) {
      if (cuts_.wanted[value]) last_reader_[ir::index(standing(static_cast<ValueId>(value)))] = outside;
    }
    for (const ValueId id : function_.results) last_reader_[ir::index(standing(id))] = outside;
  }

  Section section(size_t number) {
    Section made;
    constants_.clear();
    for (size_t o = begin(number); o < end(number); ++o) {
      if (!cuts_.left_out.contains(o)) need(function_.ops[o], number, made);
    }
    ir::FunctionBuilder builder(name_ + "_" + std::to_string(number + 1), no_ops());
    for (const ValueId id : made.parameters) {
      const auto role =
          ir::index(id) < function_.parameters.size() ? function_.parameters[ir::index(id)] : ir::ParameterRole::data;
      map_.set(id, builder.parameter(function_.value(id).name, role, ir::TypeRef()));
    }
    std::sort(constants_.begin(), constants_.end());
    for (const size_t o : constants_) write(builder, function_.ops[o]);
    std::vector<ValueId> results;
    for (size_t o = begin(number); o < end(number); ++o) {
      if (cuts_.left_out.contains(o)) continue;
      const ir::Op& op = function_.ops[o];
      write(builder, op);
      for (uint32_t i = 0; i < op.result_count; ++i) {
        const ValueId id = function_.output(op, i);
        if (!placed_[ir::index(id)] || last_reader_[ir::index(id)] <= number) continue;
        made.results.push_back(id);
        results.push_back(map_(id));
      }
    }
    made.function = builder.finish(std::move(results));
    return made;
  }

  // Notes what an op reads from outside the section.
  void need(const ir::Op& op, size_t number, Section& made) {
    for (const ValueId operand : function_.inputs(op)) {
      const ValueId id = standing(operand);
      if (id == ValueId::none) continue;
      const size_t value = ir::index(id), maker = maker_[value];
      if ((maker != kNobody && maker >= begin(number)) || seen_in_[value] == number) continue;
      seen_in_[value] = number;
      if (placed_[value]) {
        made.parameters.push_back(id);
        continue;
      }
      if (std::find(constants_.begin(), constants_.end(), maker) == constants_.end()) constants_.push_back(maker);
      need(function_.ops[maker], number, made);
    }
  }

  void write(ir::FunctionBuilder& builder, const ir::Op& op) {
    std::vector<ValueId> operands;
    for (const ValueId id : function_.inputs(op)) operands.push_back(map_(standing(id)));
    const auto first = static_cast<size_t>(builder.append(op.def, op.callee, op.attributes, operands, op.result_count));
    for (uint32_t i = 0; i < op.result_count; ++i) {
      const ir::Value& value = function_.values[op.first_result + i];
      const auto copy        = static_cast<ValueId>(first + i);
      builder.set_name(copy, value.name);
      // A call renames devices, so that what is stated about them no longer holds.
      if (value.annotation != nullptr && !ir::device_of(*value.annotation).placed())
        builder.annotate(copy, value.annotation);
      map_.set(function_.output(op, i), copy);
    }
  }

  const ir::Function& function_;
  const Cuts& cuts_;
  const std::string& name_;
  const std::vector<bool> placed_;
  std::vector<size_t> maker_;  // per value: the op that makes it
  std::vector<size_t> last_reader_;
  std::vector<size_t> seen_in_;    // per value: the last section that was found to need it
  std::vector<size_t> constants_;  // ops before the section that it repeats
  ValueMap map_;                   // to values of the section at hand; a section reads nothing that it has not set
};

}  // namespace

std::vector<bool> depend_on_parameters(const ir::Function& function) {
  std::vector<bool> placed(function.values.size());
  for (size_t i = 0; i < function.parameters.size(); ++i) placed[i] = true;
  for (const ir::Op& op : function.ops) {
    const auto inputs = function.inputs(op);
    const bool any    = std::any_of(inputs.begin(), inputs.end(),
                                    [&](ValueId id) { return id != ValueId::none && placed[ir::index(id)]; });
    for (uint32_t i = 0; i < op.result_count; ++i) placed[op.first_result + i] = any;
  }
  return placed;
}

std::vector<Section> cut(const ir::Function& function, const Cuts& cuts, const std::string& name) {
  return Cutter(function, cuts, name).run();
}

}  // namespace foreflow::transform
