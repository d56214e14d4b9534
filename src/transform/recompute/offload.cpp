// Offloads activations to the host:
//
//   forward   %y = Gelu(%x)             %y = Gelu(%x)
//                                       %h = Send(%y, 1.host)          // runs on a stream of its own
//   backward  ..                        %b = Send(%h, 1.from_host)     // begins while values before it are in use
//             %dx = GeluGrad(%y, %dy)   %c = Send(%b, 1)               // waits until the copy has arrived
//                                       %dx = GeluGrad(%c, %dy)
//
// In a pipeline, the activations that a stage's forward function returns for its backward function are on the host in
// the main function. The first ones that the backward function needs are copied back during the task before it.

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "foreflow/base/nth.h"
#include "foreflow/base/refusal.h"
#include "foreflow/interpret/mixed.h"
#include "foreflow/ir/text.h"
#include "foreflow/transform/passes.h"
#include "foreflow/transform/recompute.h"
#include "transform/blocks/forward_pass.h"
#include "transform/recompute/host_moves.h"
#include "transform/rewrite/value_devices.h"

namespace foreflow::transform {
namespace {

using ir::Device;
using ir::ValueId;

// Per function and value: its bytes, in the first instance of the function.
std::vector<std::vector<Bytes>> sizes_of_values(const ir::Module& module) {
  const interpret::MixedInterpretation interpretation = interpret::interpret_mixed(module, module.functions.size() - 1);
  std::vector<std::vector<Bytes>> sizes(module.functions.size());
  for (const auto& instance : interpretation.instances) {
    std::vector<Bytes>& known = sizes[instance.function];
    if (!known.empty()) continue;
    for (size_t i = 0; i < instance.values.size(); ++i) known.push_back(ir::bytes_of(instance.values[i].type));
  }
  return sizes;
}

using Slot = std::pair<size_t, size_t>;  // a function and one of its parameters or results

class Offloader {
 public:
  Offloader(const ir::Module& module, const ir::OpTable& ops)
      : module_(module),
        entry_(module.entry()),
        ops_(ops),
        devices_(devices_of_values(module)),
        sizes_(sizes_of_values(module)),
        moves_(module.functions.size()) {}

  ir::Module run() {
    const bool calls = std::any_of(entry_.ops.begin(), entry_.ops.end(), [](const ir::Op& op) { return op.is_call(); });
    calls ? between_calls() : inside_entry();
    ir::Module result;
    result.source = module_.source;
    for (size_t f = 0; f < module_.functions.size(); ++f) {
      static const std::set<size_t> kNone;
      const bool is_entry = f + 1 == module_.functions.size();
      result.functions.push_back(with_moves(module_.functions[f], ops_, moves_[f], is_entry ? takers_ : kNone));
    }
    ir::verify(result);
    return result;
  }

 private:
  // A program without calls.
  void inside_entry() {
    const size_t forward = forward_ops(entry_);
    if (forward == entry_.ops.size()) fail("has no backward pass that activations could wait for");
    const std::vector<bool> follows = follow_data(entry_);
    std::vector<size_t> last(entry_.values.size(), kNever), first(entry_.values.size(), kNever);
    for (size_t o = 0; o < entry_.ops.size(); ++o) {
      const ir::Op& op = entry_.ops[o];
      for (uint32_t i = 0; i < op.result_count && o < forward; ++i) last[op.first_result + i] = o;
      for (const ValueId id : entry_.inputs(op)) {
        if (id == ValueId::none) continue;
        if (o < forward) last[ir::index(id)] = o;
        if (o >= forward) first[ir::index(id)] = std::min(first[ir::index(id)], o);
      }
    }
    std::vector<bool> wanted(entry_.values.size());
    for (const ValueId id : entry_.results) wanted[ir::index(id)] = true;
    std::vector<HostMove>& moves = moves_.back();
    for (size_t v = entry_.parameters.size(); v < entry_.values.size(); ++v) {
      const Device device = devices_.back()[v];
      if (!follows[v] || wanted[v] || last[v] == kNever || first[v] == kNever || device != Device(device.index))
        continue;
      moves.push_back({static_cast<ValueId>(v), device.index, last[v], kNever, first[v]});
    }
    prefetch(module_.functions.size() - 1, moves, forward);
  }

  // Per value: whether it depends on data (and not on weights alone).
  static std::vector<bool> follow_data(const ir::Function& function) {
    std::vector<bool> follows(function.values.size());
    for (size_t i = 0; i < function.parameters.size(); ++i)
      follows[i] = function.parameters[i] == ir::ParameterRole::data;
    for (const ir::Op& op : function.ops) {
      const auto inputs = function.inputs(op);
      const bool any    = std::any_of(inputs.begin(), inputs.end(),
                                      [&](ValueId id) { return id != ValueId::none && follows[ir::index(id)]; });
      std::fill_n(follows.begin() + op.first_result, op.result_count, any);
    }
    return follows;
  }

  // Decides when values are copied back. On each device the values, in the order of their first use, are divided into
  // windows no larger than the largest single value. The values of a window are copied back together, while those of
  // the window before are in use; the first window from op `start` on. A stream works in order, so a window must have
  // arrived before the copies of the next one begin.
  void prefetch(size_t function, std::vector<HostMove>& moves, size_t start) const {
    std::stable_sort(moves.begin(), moves.end(),
                     [](const HostMove& a, const HostMove& b) { return a.needed < b.needed; });
    struct Window {
      size_t back, needed;
      Bytes size;
    };
    std::map<int32_t, Bytes> largest;
    for (const HostMove& move : moves)
      largest[move.device] = std::max(largest[move.device], size_of(function, move.value));
    std::map<int32_t, Window> windows;
    for (HostMove& move : moves) {
      const Bytes size          = size_of(function, move.value);
      const auto [known, first] = windows.try_emplace(move.device, Window{start, move.needed, Bytes(0)});
      Window& window            = known->second;
      if (!first && window.size + size > largest[move.device]) window = {window.needed, move.needed, Bytes(0)};
      window.size += size;
      move.back   = window.back;
      move.needed = window.needed;
    }
  }

  // A program with calls, as a pipeline has: offloads what a call or a message of the forward pass leaves for a call of
  // the backward pass.
  void between_calls() {
    find_backward();
    find_candidates();
    drop_uneven();
    std::vector<HostMove>& own = moves_.back();
    std::set<Slot> given, taken;
    for (const auto& [id, one] : candidates_) {
      HostMove move{id, device_of(module_.functions.size() - 1, ir::index(id))};
      if (one.given) {
        given.insert(*one.given);
      } else {
        move.out = one.last;
      }
      own.push_back(move);
      taken.insert(one.taken);
      takers_.insert(one.call);
    }
    for (const Slot& slot : given) leave(slot);
    std::map<size_t, std::vector<size_t>> parameters;
    for (const auto& [function, parameter] : taken) parameters[function].push_back(parameter);
    std::set<Slot> early;
    for (const auto& [function, list] : parameters) take(function, list, early);
    begin_early(early);
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw RefusalError(Cause::program, module_.source + ": @" + entry_.name, what);
  }

  Bytes size_of(size_t function, ValueId id) const { return sizes_[function][ir::index(id)]; }

  int32_t device_of(size_t function, size_t value) const {
    const Device device = devices_[function].empty() ? Device() : devices_[function][value];
    if (!device.placed())
      fail("runs @" + module_.functions[function].name +
           " on several devices, whose activations cannot be told apart; use a schedule with one pipe");
    return device.index;
  }

  // Marks the ops of the entry that depend on the gradient of the loss: the backward pass.
  void find_backward() {
    std::vector<bool> starts;
    for (const ir::Function& function : module_.functions) {
      starts.push_back(std::any_of(function.ops.begin(), function.ops.end(), [&](const ir::Op& op) {
        return op.is_call() ? nth(starts, op.callee) : op.def->role == ir::Role::loss_gradient;
      }));
    }
    backward_.resize(entry_.ops.size());
    std::vector<bool> late(entry_.values.size());
    for (size_t o = 0; o < entry_.ops.size(); ++o) {
      const ir::Op& op  = entry_.ops[o];
      const auto inputs = entry_.inputs(op);
      backward_[o]      = (op.is_call() && nth(starts, op.callee)) ||
                     std::any_of(inputs.begin(), inputs.end(),
                                 [&](ValueId id) { return id != ValueId::none && late[ir::index(id)]; });
      std::fill_n(late.begin() + op.first_result, op.result_count, backward_[o]);
    }
  }

  // A value that can be offloaded.
  struct Candidate {
    std::optional<Slot> given;  // the result of a forward function, if no other forward op reads it
    Slot taken;                 // the parameter of a backward function
    size_t call, last;          // the backward call; the last op of the forward pass that computes or reads it
  };

  void find_candidates() {
    const std::vector<bool> follows = follow_data(entry_);
    std::vector<int> readers(entry_.values.size());
    std::vector<bool> wanted(entry_.values.size());
    for (const ValueId id : entry_.results) wanted[ir::index(id)] = true;
    for (size_t o = 0; o < entry_.ops.size(); ++o) {
      const ir::Op& op  = entry_.ops[o];
      const auto inputs = entry_.inputs(op);
      for (uint32_t i = 0; i < op.result_count && !backward_[o]; ++i) {
        Candidate made{std::nullopt, {}, kNever, o};
        if (op.is_call()) made.given = Slot{static_cast<size_t>(op.callee), i};
        if (follows[op.first_result + i] && !wanted[op.first_result + i])
          candidates_.emplace(entry_.output(op, i), made);
      }
      for (size_t i = 0; i < inputs.size(); ++i) {
        const auto found = candidates_.find(inputs[i]);
        if (found == candidates_.end()) continue;
        Candidate& one = found->second;
        if (!backward_[o]) {
          one.given = std::nullopt;
          one.last  = o;
        } else if (!op.is_call()) {
          candidates_.erase(found);
        } else if (one.call != kNever) {
          fail("reads an activation in two functions of the backward pass; use a schedule that does not split it");
        } else {
          one.call  = o;
          one.taken = {static_cast<size_t>(op.callee), i};
        }
      }
    }
    std::erase_if(candidates_, [](const auto& entry) { return entry.second.call == kNever; });
  }

  // A function is rewritten once for all its calls. So drops the results and parameters that are not offloaded in every
  // call of their function.
  void drop_uneven() {
    std::map<size_t, int> calls;
    for (const ir::Op& op : entry_.ops) {
      if (op.is_call()) ++nth(calls, op.callee);
    }
    for (bool changed = true; changed;) {
      std::map<Slot, int> given, taken;
      for (const auto& [id, one] : candidates_) {
        if (one.given) ++given[*one.given];
        ++taken[one.taken];
      }
      for (auto& [id, one] : candidates_) {
        if (one.given && given[*one.given] < calls[one.given->first]) one.given = std::nullopt;
      }
      changed = std::erase_if(candidates_, [&](const auto& entry) {
                  return taken[entry.second.taken] < calls[entry.second.taken.first];
                }) > 0;
    }
  }

  // Copies a result of a forward function to the host after its last use in that function.
  void leave(const Slot& slot) {
    const ir::Function& function = module_.functions[slot.first];
    const ValueId id             = function.results[slot.second];
    size_t last                  = 0;
    for (size_t o = 0; o < function.ops.size(); ++o) {
      const auto inputs = function.inputs(function.ops[o]);
      const bool makes  = ir::index(id) - function.ops[o].first_result < function.ops[o].result_count;
      if (makes || std::find(inputs.begin(), inputs.end(), id) != inputs.end()) last = o;
    }
    std::vector<HostMove>& moves = moves_[slot.first];
    const bool known = std::any_of(moves.begin(), moves.end(), [&](const HostMove& move) { return move.value == id; });
    if (!known) moves.push_back({id, device_of(slot.first, ir::index(id)), last});
  }

  // Copies the parameters `parameters` of a backward function back. Those that it needs first are added to `early`:
  // their copies must begin before the call.
  void take(size_t number, const std::vector<size_t>& parameters, std::set<Slot>& early) {
    const ir::Function& function = module_.functions[number];
    std::vector<HostMove>& moves = moves_[number];
    for (const size_t i : parameters) {
      size_t first = kNever;
      for (size_t o = function.ops.size(); o-- > 0;) {
        const auto inputs = function.inputs(function.ops[o]);
        if (std::find(inputs.begin(), inputs.end(), static_cast<ValueId>(i)) != inputs.end()) first = o;
      }
      moves.push_back({static_cast<ValueId>(i), device_of(number, i), kNever, kNever, first});
    }
    prefetch(number, moves, kNever);
    for (const HostMove& move : moves) {
      if (move.back == kNever && move.needed != kNever) early.insert({number, ir::index(move.value)});
    }
  }

  // Begins the copies of `early` during the task before on the same device, but not before the value is on the host.
  void begin_early(const std::set<Slot>& early) {
    std::map<size_t, size_t> before;  // per call: the call before it on its device
    std::map<int32_t, size_t> latest;
    for (size_t o = 0; o < entry_.ops.size(); ++o) {
      const ir::Op& op = entry_.ops[o];
      if (!op.is_call()) continue;
      std::set<int32_t> here;
      for (uint32_t i = 0; i < op.result_count; ++i) here.insert(devices_.back()[op.first_result + i].index);
      for (const ValueId id : entry_.inputs(op)) {
        if (id != ValueId::none) here.insert(devices_.back()[ir::index(id)].index);
      }
      for (const int32_t device : here) {
        if (latest.contains(device)) before[o] = std::max(before[o], latest[device]);
      }
      for (const int32_t device : here) latest[device] = o;
    }
    for (HostMove& move : moves_.back()) {
      const Candidate& one = candidates_.at(move.value);
      if (early.contains(one.taken)) move.back = std::max(before[one.call], one.last + 1);
    }
  }

  const ir::Module& module_;
  const ir::Function& entry_;
  const ir::OpTable& ops_;
  const std::vector<std::vector<Device>> devices_;
  const std::vector<std::vector<Bytes>> sizes_;
  std::vector<std::vector<HostMove>> moves_;  // per function
  std::vector<bool> backward_;                // per op of the entry
  std::map<ValueId, Candidate> candidates_;
  std::set<size_t> takers_;  // calls that accept moved values wherever they are
};

}  // namespace

ir::Module offload(const ir::Module& module, const ir::OpTable& ops) {
  const ir::Module placed = placed_on_first(module);
  return Offloader(placed, ops).run();
}

namespace definitions::offload {
PassDef row() {
  return {"offload",
          "keep what the forward pass leaves for the backward pass in the memory of the host meanwhile",
          {},
          [](const ir::Module& module, const ir::OpTable& ops, const PassArguments&) {
            return transform::offload(module, ops);
          }};
}
}  // namespace definitions::offload

}  // namespace foreflow::transform
