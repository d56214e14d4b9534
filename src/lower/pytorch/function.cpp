#include "lower/pytorch/function.h"

#include <map>
#include <set>

#include "foreflow/base/escape.h"
#include "foreflow/base/nth.h"
#include "foreflow/base/text.h"
#include "foreflow/cost/signature.h"
#include "lower/pytorch/python.h"

namespace foreflow::lower {
namespace {

using ir::ValueId;
using Names = std::vector<std::string>;

// The value is made on another rank: a result of a communication that projection left without a name.
bool is_elsewhere(const ir::Function& function, const ir::Op& op, ValueId id, int32_t device) {
  if (op.is_call() || op.def->role != ir::Role::communication) return false;
  const ir::TypeRef& type = function.value(id).annotation;
  return type != nullptr && ir::device_of(*type).placed() && ir::device_of(*type).index != device;
}

// The work of the op, for people and for tables of times: the signature of a compute, the operands of a communication.
std::string remark(const OpSite& site) {
  std::vector<ir::Type> inputs, outputs;
  std::string sent;
  for (const ValueId id : site.function.inputs(site.op)) {
    inputs.push_back(id == ValueId::none ? ir::Type() : site.type(id));
    if (id != ValueId::none) sent += " " + python::signature(inputs.back());
  }
  if (site.op.def->role == ir::Role::communication) return std::string(site.op.def->name) + sent;
  for (uint32_t i = 0; i < site.op.result_count; ++i) outputs.push_back(site.type(site.function.output(site.op, i)));
  const std::vector<const ir::Array*> unknown(inputs.size(), nullptr);
  return escape::python_comment(
      cost::signature({*site.op.def, *site.op.attributes, inputs, unknown, site.op.result_count}, outputs));
}

class FunctionWriter {
 public:
  FunctionWriter(const ir::Module& module, const ir::Function& function, int rank, const Names& callees, World& world,
                 Naming naming)
      : module_(module), function_(function), rank_(rank), callees_(callees), world_(world), naming_(naming) {
    for (const auto& [number, of_device] : world.ranks) device_ = of_device == rank ? ir::Device(number) : device_;
    find_idle();
    name_values();
    find_last_uses();
  }

  std::string text() && {
    Names parameters;
    for (size_t i = 0; i < function_.parameters.size(); ++i) parameters.push_back(names_[i]);
    text_ = "(" + join(parameters) + "):\n";
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (idle_[o]) continue;
      statement(function_.ops[o]);
      forget(o);
    }
    Names results;
    for (const ValueId id : function_.results) results.push_back(names_[ir::index(id)]);
    text_ += results.empty() ? "    return\n" : "    return " + join(results) + "\n";
    return std::move(text_);
  }

 private:
  // Projection keeps what is on no device, as constants of other replicas: idle where this rank has no use for it.
  void find_idle() {
    idle_.resize(function_.ops.size());
    std::vector<bool> used(function_.values.size());
    for (const ValueId id : function_.results) used[ir::index(id)] = true;
    for (size_t o = function_.ops.size(); o-- > 0;) {
      const ir::Op& op = function_.ops[o];
      idle_[o]         = device_.placed() && !op.is_call() && op.def->role != ir::Role::communication;
      for (uint32_t i = 0; i < op.result_count; ++i) {
        const ir::TypeRef& type = function_.value(function_.output(op, i)).annotation;
        const bool on_none      = type != nullptr && !type->is_tuple() && !type->device.placed();
        idle_[o]                = idle_[o] && on_none && !used[op.first_result + i];
      }
      if (idle_[o]) continue;
      for (const ValueId id : function_.inputs(op)) {
        if (id != ValueId::none) used[ir::index(id)] = true;
      }
    }
  }

  void name_values() {
    names_.resize(function_.values.size());
    std::vector<bool> elsewhere(function_.values.size());
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      const ir::Op& op = function_.ops[o];
      for (uint32_t i = 0; i < op.result_count; ++i) {
        elsewhere[op.first_result + i] =
            idle_[o] || is_elsewhere(function_, op, function_.output(op, i), device_.index);
      }
    }
    if (naming_ == Naming::canonical) {
      size_t next = 0;  // not the value's number, which depends on the position of a rank in its groups
      for (size_t i = 0; i < names_.size(); ++i) {
        if (!elsewhere[i]) names_[i] = "v" + std::to_string(next++);
      }
      return;
    }
    std::set<std::string> taken = called();
    for (size_t i = 0; i < names_.size(); ++i) {
      if (elsewhere[i]) continue;
      names_[i] = own_name(i);
      for (int copy = 2; !taken.insert(names_[i]).second; ++copy) names_[i] = own_name(i) + "_" + std::to_string(copy);
    }
  }

  // In Python, a name that a function assigns is local in the whole function, so no value may have the name of a
  // callee.
  std::set<std::string> called() const {
    std::set<std::string> names;
    for (const ir::Op& op : function_.ops) {
      if (op.is_call()) names.insert(nth(callees_, op.callee));
    }
    return names;
  }

  std::string own_name(size_t i) const {
    const std::string& name = function_.values[i].name;
    return python::identifier(name.empty() ? "v" + std::to_string(i) : name, python::Scope::function);
  }

  void find_last_uses() {
    std::vector<size_t> last(function_.values.size(), kKept);
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (idle_[o]) continue;
      const ir::Op& op = function_.ops[o];
      for (uint32_t i = 0; i < op.result_count; ++i) last[op.first_result + i] = o;
      for (const ValueId id : function_.inputs(op)) {
        if (id != ValueId::none && ir::index(id) >= function_.parameters.size()) last[ir::index(id)] = o;
      }
    }
    for (const ValueId id : function_.results) last[ir::index(id)] = kKept;
    for (size_t i = 0; i < last.size(); ++i) {
      if (last[i] != kKept && !names_[i].empty()) ends_[last[i]].push_back(names_[i]);
    }
  }

  void statement(const ir::Op& op) {
    const OpSite site{module_, function_, op, rank_, names_};
    if (op.is_call()) {
      Names arguments;
      for (const ValueId id : function_.inputs(op)) {
        if (id == ValueId::none) site.fail("passes a value that this rank does not have");
        arguments.push_back(names_[ir::index(id)]);
      }
      text_ += "    " + targets(site, false) + nth(callees_, op.callee) + "(" + join(arguments) + ")\n";
      return;
    }
    const std::string right = expression(site, world_);
    text_ += "    " + targets(site, is_sequence(op)) + right + "  # " + remark(site) + "\n";
  }

  void forget(size_t o) {
    const auto ended = ends_.find(o);
    if (ended != ends_.end()) text_ += "    del " + join(ended->second) + "\n";
  }

  static constexpr size_t kKept = static_cast<size_t>(-1);

  const ir::Module& module_;
  const ir::Function& function_;
  int rank_;
  const Names& callees_;
  World& world_;
  Naming naming_;
  ir::Device device_;             // of the rank
  std::vector<bool> idle_;        // per op
  Names names_;                   // by ValueId; empty: on another rank, or idle
  std::map<size_t, Names> ends_;  // per op: the values whose last use it is
  std::string text_;
};

}  // namespace

std::string function_text(const ir::Module& module, const ir::Function& function, int rank,
                          const std::vector<std::string>& callees, World& world, Naming naming) {
  return FunctionWriter(module, function, rank, callees, world, naming).text();
}

}  // namespace foreflow::lower
