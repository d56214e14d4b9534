#include "lower/liveness.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "foreflow/base/nth.h"
#include "foreflow/ir/host_memory.h"
#include "foreflow/ir/views.h"
#include "lower/caches.h"

namespace foreflow::lower {
namespace {

using MixedInstance = interpret::Instance<interpret::Mixed>;

constexpr int32_t kNever  = -1;
constexpr int32_t kPinned = INT32_MAX;  // lives on after the function
constexpr int32_t kHanded = -2;         // a call frees it

// Host memory is separate from the memory of the devices.
bool within_one_memory(const ir::Type& from, const ir::Type& to) {
  const ir::Device source = ir::device_of(from), target = ir::device_of(to);
  return source.same_gpu(target) && ir::in_host_memory(source) == ir::in_host_memory(target);
}

// The operand of a view whose memory result `i` of `op` takes over, or none.
ir::ValueId viewed_operand(const ir::Function& function, const ir::Op& op, size_t i, const MixedInstance& instance,
                           cost::MemoryRule rule) {
  const auto inputs = function.inputs(op);
  if (rule == cost::MemoryRule::distir || inputs.empty() || inputs[0] == ir::ValueId::none) return ir::ValueId::none;
  const ir::Type& result = instance.values[op.first_result + i].type;
  if (op.def->communication == ir::Communication::send)
    return within_one_memory(instance.values[ir::index(inputs[0])].type, result) ? inputs[0] : ir::ValueId::none;
  if (!ir::shares_operand(op) || op.result_count > 1) return ir::ValueId::none;
  const bool same_size = ir::bytes_of(instance.values[ir::index(inputs[0])].type) == ir::bytes_of(result);
  return same_size ? inputs[0] : ir::ValueId::none;
}

// Two results of a function, by number.
struct Views {
  size_t result, earlier;
};

// The pairs of results that are views of one value, those of a result in the order of the earlier ones.
std::vector<Views> views_of_one_value(const ir::Function& function) {
  std::vector<ir::ValueId> viewed(function.values.size());
  for (size_t value = 0; value < viewed.size(); ++value) viewed[value] = static_cast<ir::ValueId>(value);
  for (const ir::Op& op : function.ops) {
    const bool view = !op.is_call() && ir::shares_operand(op) && op.result_count == 1;
    const auto from = view ? function.inputs(op)[0] : ir::ValueId::none;
    if (from != ir::ValueId::none) viewed[op.first_result] = viewed[ir::index(from)];
  }
  std::vector<std::pair<ir::ValueId, size_t>> results;  // by the value that they view
  for (size_t i = 0; i < function.results.size(); ++i) {
    const ir::ValueId root = viewed[ir::index(function.results[i])];
    if (ir::index(root) >= function.parameters.size()) results.emplace_back(root, i);
  }
  std::sort(results.begin(), results.end());
  std::vector<Views> pairs;
  for (size_t first = 0, i = 0; i < results.size(); ++i) {
    if (results[i].first != results[first].first) first = i;
    for (size_t other = first; other < i; ++other) pairs.push_back({results[i].second, results[other].second});
  }
  return pairs;
}

// Per result of a function: the index of an earlier result that has the same memory; -1 if there is none. Views of one
// value have the same memory if they have the same size: a smaller one is a view of a part. `bytes` gives the size of a
// result, in the function or in a call of it.
template <class BytesOf>
std::vector<int32_t> same_results(size_t results, const std::vector<Views>& views, const BytesOf& bytes) {
  std::vector<int32_t> same(results, -1);
  for (const auto& [result, earlier] : views) {
    if (same[result] < 0 && bytes(earlier) == bytes(result)) same[result] = static_cast<int32_t>(earlier);
  }
  return same;
}

// Finds buffers and the last op that touches each.
class Analysis {
 public:
  Analysis(const ir::Module& module, const MixedInstance& instance, const Boundary& boundary, cost::MemoryRule rule)
      : module_(module),
        function_(module.functions[instance.function]),
        instance_(instance),
        boundary_(boundary),
        rule_(rule) {}

  Liveness run() {
    result_.buffer_of.resize(function_.values.size());
    last_use_.assign(function_.values.size(), kNever);
    last_read_.assign(function_.values.size(), kNever);
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      for (const ir::ValueId id : function_.inputs(function_.ops[o])) {
        if (id != ir::ValueId::none) last_read_[ir::index(id)] = static_cast<int32_t>(o);
      }
    }
    for (size_t i = 0; i < function_.results.size(); ++i) {
      if (boundary_.wanted[i] != 0) last_read_[ir::index(function_.results[i])] = kPinned;
    }
    find_escaping();
    for (size_t i = 0; i < function_.parameters.size(); ++i) own_memory(i);
    for (size_t o = 0; o < function_.ops.size(); ++o) visit(static_cast<int32_t>(o));
    pin();
    settle();
    return std::move(result_);
  }

 private:
  // Finds the values whose memory a caller or a callee takes over. The other side sees only their type, so it does not
  // know that they may be parts of a larger value.
  void find_escaping() {
    escapes_.resize(function_.values.size());
    const auto mark = [&](ir::ValueId id) {
      if (id != ir::ValueId::none) escapes_[ir::index(id)] = true;
    };
    for (const ir::ValueId id : function_.results) mark(id);
    for (size_t o = function_.ops.size(); o-- > 0;) {
      const ir::Op& op  = function_.ops[o];
      const auto inputs = function_.inputs(op);
      if (op.is_call()) std::for_each(inputs.begin(), inputs.end(), mark);
      const bool sends  = !op.is_call() && op.def->communication == ir::Communication::send;
      const bool shares = !op.is_call() && !inputs.empty() && (ir::shares_operand(op) || sends);
      for (size_t i = 0; shares && i < op.result_count; ++i) {
        if (escapes_[op.first_result + i]) mark(inputs[0]);
      }
    }
  }

  // True where the results are parts of the operand and stay in its memory, so that they need none of their own.
  bool are_parts_in_place(const ir::Op& op) const {
    if (rule_ == cost::MemoryRule::distir || op.result_count < 2 || op.attributes->int_or("placed", 0) != 1)
      return false;
    const auto first = escapes_.begin() + op.first_result;
    return std::none_of(first, first + op.result_count, [](bool escapes) { return escapes; });
  }

  int32_t& last(ir::ValueId id) { return nth(last_use_, result_.buffer_of[ir::index(id)]); }

  void own_memory(size_t value) {
    result_.buffer_of[value] = static_cast<int32_t>(value);
    const uint32_t number    = instance_.values.number(value);
    if (number >= result_.size.size()) result_.size.resize(number + 1, Bytes(-1));
    Bytes& size = result_.size[number];
    if (size < Bytes(0)) size = ir::bytes_of(instance_.values[value].type);
  }

  // Results of a call that share memory.
  std::vector<int32_t> same_results_of(const ir::Op& op) {
    if (rule_ == cost::MemoryRule::distir) return std::vector<int32_t>(op.result_count, -1);
    const auto [views, fresh] = views_.try_emplace(op.callee);
    if (fresh) views->second = views_of_one_value(nth(module_.functions, op.callee));
    return same_results(op.result_count, views->second,
                        [&](size_t result) { return ir::bytes_of(instance_.values[op.first_result + result].type); });
  }

  void visit(int32_t o) {
    const ir::Op& op = nth(function_.ops, o);
    const auto same  = op.is_call() ? same_results_of(op) : std::vector<int32_t>();
    for (const ir::ValueId id : function_.inputs(op)) {
      if (id != ir::ValueId::none) last(id) = o;
    }
    for (size_t i = 0; i < op.result_count; ++i) {
      const size_t value       = op.first_result + i;
      const ir::ValueId shared = op.is_call() ? result_of(op, same[i]) : shared_operand(op, i, o);
      own_memory(value);
      if (shared != ir::ValueId::none) {
        result_.buffer_of[value] = result_.buffer_of[ir::index(shared)];
        int32_t& read            = nth(last_read_, result_.buffer_of[value]);
        read                     = std::max(read, last_read_[value]);
      }
      if (last(static_cast<ir::ValueId>(value)) < o) last(static_cast<ir::ValueId>(value)) = o;
    }
  }

  static ir::ValueId result_of(const ir::Op& op, int32_t result) {
    return result < 0 ? ir::ValueId::none : static_cast<ir::ValueId>(op.first_result + static_cast<uint32_t>(result));
  }

  // The operand whose memory result `i` reuses: the weight of an optimizer, a cache that gets new rows, the buffer of
  // an in-place collective, or the operand of a view.
  ir::ValueId shared_operand(const ir::Op& op, size_t i, int32_t o) const {
    const auto inputs = function_.inputs(op);
    if (op.def->role == ir::Role::optimizer) {
      const bool many = inputs.size() == size_t{2} * op.result_count;  // w1..wn, dw1..dwn; else w, dw, states
      return inputs[many || i == 0 ? i : i + 1];
    }
    const ir::ValueId overwritten = overwritten_operand(op, i);
    if (overwritten != ir::ValueId::none && may_overwrite(overwritten, o)) return overwritten;
    if (are_parts_in_place(op)) return inputs[0];
    return viewed_operand(function_, op, i, instance_, rule_);
  }

  // The operand that the op overwrites with result `i` if nothing reads it afterwards, as Add(sum, part) does for
  // gradients of microbatches, a bias or a residual.
  ir::ValueId overwritten_operand(const ir::Op& op, size_t i) const {
    const auto inputs = function_.inputs(op);
    switch (op.def->in_place) {
      case ir::InPlace::never: return ir::ValueId::none;
      case ir::InPlace::rows: return inputs[0];
      case ir::InPlace::on_request: return op.attributes->int_or("in_place", 0) != 0 ? inputs[i] : ir::ValueId::none;
      case ir::InPlace::each: return rule_ == cost::MemoryRule::reuse ? inputs[i] : ir::ValueId::none;
      case ir::InPlace::first: break;
    }
    const bool same_type = instance_.values[ir::index(inputs[0])].type == instance_.values[op.first_result].type;
    return rule_ == cost::MemoryRule::reuse && same_type ? inputs[0] : ir::ValueId::none;
  }

  // True if nothing reads the buffer of the value after op `o`, in this function or its caller.
  bool may_overwrite(ir::ValueId id, int32_t o) const {
    const auto buffer = static_cast<size_t>(result_.buffer_of[ir::index(id)]);
    return last_read_[buffer] == o && (buffer >= function_.parameters.size() || boundary_.dies[buffer] != 0);
  }

  void pin() {
    for (size_t i = 0; i < function_.parameters.size(); ++i) {
      if (boundary_.dies[i] == 0) last_use_[i] = kPinned;
    }
    std::vector<bool> returned(function_.values.size());
    for (size_t i = 0; i < function_.parameters.size(); ++i) returned[i] = boundary_.dies[i] == 0;
    const auto same = rule_ == cost::MemoryRule::distir
                          ? std::vector<int32_t>(function_.results.size(), -1)
                          : same_results(function_.results.size(), views_of_one_value(function_), [&](size_t result) {
                              return ir::bytes_of(instance_.values[ir::index(function_.results[result])].type);
                            });
    for (size_t i = 0; i < function_.results.size(); ++i) {
      if (boundary_.wanted[i] == 0) continue;
      const ir::ValueId id = function_.results[i];
      const auto buffer    = static_cast<size_t>(result_.buffer_of[ir::index(id)]);
      if (returned[buffer] && same[i] < 0) result_.returned_again.push_back(id);
      returned[buffer] = true;
      last(id)         = kPinned;
    }
    if (rule_ != cost::MemoryRule::distir) return;
    std::vector<bool> used(function_.values.size());
    for (const ir::ValueId id : function_.operands) {
      if (id != ir::ValueId::none) used[ir::index(id)] = true;
    }
    for (size_t i = function_.parameters.size(); i < used.size(); ++i) {
      if (!used[i]) last_use_[i] = kPinned;
    }
  }

  void settle() {
    result_.first_freed.assign(function_.ops.size() + 1, 0);
    for_each_freed([&](int32_t, size_t op) { ++result_.first_freed[op]; });
    std::exclusive_scan(result_.first_freed.begin(), result_.first_freed.end(), result_.first_freed.begin(), 0U);
    result_.freed.resize(result_.first_freed.back());
    std::vector<uint32_t> next(result_.first_freed.begin(), result_.first_freed.end() - 1);
    for_each_freed([&](int32_t buffer, size_t op) { result_.freed[next[op]++] = buffer; });
    for (size_t buffer = 0; buffer < function_.values.size(); ++buffer) {
      if (owns_memory(buffer) && last_use_[buffer] == kNever)
        result_.unfreed_parameters.push_back(static_cast<int32_t>(buffer));
    }
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      if (function_.ops[o].is_call()) hand_over(o);
    }
  }

  bool owns_memory(size_t value) const { return result_.buffer_of[value] == static_cast<int32_t>(value); }

  // Calls f(buffer, op) where the last use is an op of this function.
  template <class F>
  void for_each_freed(F f) const {
    for (size_t buffer = 0; buffer < function_.values.size(); ++buffer) {
      const int32_t op = last_use_[buffer];
      if (!owns_memory(buffer) || op == kNever || op == kPinned) continue;
      if (!nth(function_.ops, op).is_call()) f(static_cast<int32_t>(buffer), static_cast<size_t>(op));
    }
  }

  // The callee frees the arguments that die in the call; unused results are not wanted.
  void hand_over(size_t o) {
    const ir::Op& op  = function_.ops[o];
    const auto inputs = function_.inputs(op);
    Boundary& call    = result_.calls.emplace_back();
    const auto hand   = [&](int32_t buffer) {
      int32_t& last   = nth(last_use_, buffer);
      const bool ends = last == static_cast<int32_t>(o);
      if (ends) last = kHanded;  // once, also where two operands share it
      return ends;
    };
    call.dies.reserve(inputs.size());
    call.wanted.reserve(op.result_count);
    for (const ir::ValueId id : inputs)
      call.dies.push_back(id != ir::ValueId::none && hand(result_.buffer_of[ir::index(id)]) ? 1 : 0);
    for (size_t i = 0; i < op.result_count; ++i) {
      const auto value     = static_cast<int32_t>(op.first_result + i);
      const int32_t buffer = nth(result_.buffer_of, value);
      call.wanted.push_back(buffer != value ? call.wanted[static_cast<size_t>(buffer) - op.first_result]
                                            : static_cast<uint8_t>(hand(value) ? 0 : 1));
    }
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const MixedInstance& instance_;
  const Boundary& boundary_;
  cost::MemoryRule rule_;
  Liveness result_;
  std::map<int32_t, std::vector<Views>> views_;  // by callee: of its results
  std::vector<bool> escapes_;                    // per value
  std::vector<int32_t> last_use_;                // per buffer: op number
  std::vector<int32_t> last_read_;  // per value, of a buffer by any of its values: op number, or kPinned: returned
};

}  // namespace

bool results_stay_in_place(const ir::Op& op, cost::MemoryRule rule) {
  if (rule != cost::MemoryRule::reuse) return false;
  const bool placed = op.def->role == ir::Role::view && op.attributes->int_or("placed", 0) == 1;
  return op.def->tuple == ir::Tuple::unpacks || (placed && (op.def->joins_operands || op.result_count > 1));
}

Liveness analyse(const ir::Module& module, const MixedInstance& instance, const Boundary& boundary,
                 cost::MemoryRule rule) {
  return Analysis(module, instance, boundary, rule).run();
}

}  // namespace foreflow::lower
