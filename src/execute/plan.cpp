#include "foreflow/execute/plan.h"

#include <algorithm>
#include <map>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/interpret/devices.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/written_out.h"
#include "foreflow/lower/project.h"
#include "foreflow/ops/table.h"

namespace foreflow::execute {
namespace {

using interpret::Instance;
using interpret::Mixed;

// Small integers may be shapes or indices that decide shapes.
std::vector<Mixed> abstracted(const std::vector<ir::Array>& arguments) {
  std::vector<Mixed> values;
  for (const ir::Array& argument : arguments) {
    const bool known = !argument.is_tuple() && !ir::is_float(argument.dtype()) &&
                       argument.size() <= interpret::MixedDomain::kLargestKnown;
    values.push_back(known ? Mixed::of(argument) : Mixed::of(argument.type()));
  }
  return values;
}

bool touches(const ir::Type& type, const ir::Device& device) {
  const ir::Device lives = ir::device_of(type);
  return lives == device || !lives.placed();
}

bool spread(const ir::Type& type) { return ir::moved(type, ir::device_of(type)) != type; }

// Group ops give one result on the device of each operand; rooted ones may take a value that every process has.
bool is_rooted(const ir::OpDef& def) {
  switch (def.communication) {
    case ir::Communication::send:
    case ir::Communication::broadcast:
    case ir::Communication::scatter:
    case ir::Communication::gather:
    case ir::Communication::reduce: return true;
    default: return false;
  }
}

// Walks the whole program in its order, through calls, and notes every communication.
class CommunicationWalk {
 public:
  CommunicationWalk(const ir::Module& module, const interpret::MixedInterpretation& interpretation,
                    std::map<ir::Device, int> ranks)
      : module_(module), interpretation_(interpretation), ranks_(std::move(ranks)) {}

  std::vector<CommunicationRun> run() && {
    walk(interpretation_.entry(), {});
    return std::move(communications_);
  }

 private:
  void walk(const Instance<Mixed>& instance, const interpret::DeviceMap& map) {
    const ir::Function& function = module_.functions[instance.function];
    for (size_t o = 0; o < function.ops.size(); ++o) {
      const ir::Op& op = function.ops[o];
      if (op.is_call()) {
        walk(nth(interpretation_.instances, instance.callee[o]), interpret::composed(instance.maps[o], map));
      } else if (op.def->role == ir::Role::communication) {
        meet(instance, function, op, map);
      }
    }
  }

  void meet(const Instance<Mixed>& instance, const ir::Function& function, const ir::Op& op,
            const interpret::DeviceMap& map) {
    CommunicationRun communication;
    communication.number = static_cast<int>(communications_.size());
    communication.op     = op.def->name;
    const auto add       = [&](ir::ValueId id, std::vector<int>& side, ir::Type& one) {
      const ir::Type& type = instance.values[ir::index(id)].type;
      check(function, op, type);
      const ir::Device inside = ir::device_of(type);
      const ir::Device device = map.empty() ? inside : interpret::renamed(inside, map);
      if (device.placed() && !ranks_.contains(device))
        fail(function, op,
                   "is on D" + ir::to_string(device) + ", where no value of @" + module_.entry().name +
                       " is; return one from there");
      side.push_back(device.placed() ? ranks_.at(device) : kEverywhere);
      if (side.size() == 1) one = ir::moved(type, {});
    };
    for (const ir::ValueId id : function.inputs(op)) add(id, communication.from, communication.operand);
    for (uint32_t i = 0; i < op.result_count; ++i) add(function.output(op, i), communication.to, communication.result);
    const auto everywhere = [](const std::vector<int>& side) {
      return std::count(side.begin(), side.end(), kEverywhere) > 0;
    };
    if (everywhere(communication.to) || (everywhere(communication.from) && !is_rooted(*op.def)))
      fail(function, op, "has an operand on no device; place it, as in %x: Tensor[Float32, (4,), 1]");
    communications_.push_back(std::move(communication));
  }

  void check(const ir::Function& function, const ir::Op& op, const ir::Type& type) const {
    if (!type.resolved())
      fail(function, op,
           "sends a value of unknown shape, " + ir::to_string(type) +
               "; the shape of a message must not depend on numbers");
    if (spread(type))
      fail(function, op,
           "sends " + ir::to_string(type) + ", which is on several devices; send its elements one by one");
  }

  [[noreturn]] void fail(const ir::Function& function, const ir::Op& op, const std::string& what) const {
    throw Error(ir::describe(module_, function, op), what);
  }

  const ir::Module& module_;
  const interpret::MixedInterpretation& interpretation_;
  std::map<ir::Device, int> ranks_;
  std::vector<CommunicationRun> communications_;
};

void check_parameters(const ir::Module& module, const Instance<Mixed>& entry) {
  const ir::Function& function = module.functions[entry.function];
  for (size_t i = 0; i < function.parameters.size(); ++i) {
    if (!spread(entry.values[i].type)) continue;
    throw Error(module.source + ": @" + function.name + ": %" + function.values[i].name,
                "is a tuple on several devices; give each element a parameter of its own");
  }
}

}  // namespace

std::vector<int> CommunicationRun::members() const {
  std::set<int> all(from.begin(), from.end());
  all.insert(to.begin(), to.end());
  all.erase(kEverywhere);
  return {all.begin(), all.end()};
}

std::vector<RankProgram> plan(const ir::Module& module, const std::vector<ir::Array>& arguments) {
  const auto interpretation    = interpret::interpret_mixed(module, module.functions.size() - 1, abstracted(arguments));
  const Instance<Mixed>& entry = interpretation.entry();
  const ir::Function& function = module.entry();
  check_parameters(module, entry);
  ir::check_written_out(module, ir::kMostOpsWalked, "running them one by one");
  std::vector<RankProgram> programs;
  std::map<ir::Device, int> ranks;
  for (auto& [device, projected] : lower::project(module, interpretation, ops::table())) {
    ranks.emplace(device, static_cast<int>(programs.size()));
    RankProgram program{device, projected, {}, {}, {}};
    for (size_t i = 0; i < function.parameters.size(); ++i) {
      if (touches(entry.values[i].type, device)) program.parameters.push_back(i);
    }
    for (size_t i = 0; i < function.results.size(); ++i) {
      if (touches(entry.values[ir::index(function.results[i])].type, device)) program.results.push_back(i);
    }
    programs.push_back(std::move(program));
  }
  for (const CommunicationRun& communication : CommunicationWalk(module, interpretation, ranks).run()) {
    for (const int member : communication.members()) nth(programs, member).communications.push_back(communication);
  }
  return programs;
}

}  // namespace foreflow::execute
