#include "foreflow/analyze/fusion.h"

#include <algorithm>
#include <map>
#include <set>

#include "analyze/fusion_pattern.h"
#include "analyze/kernel_class.h"
#include "foreflow/analyze/work.h"
#include "foreflow/base/nth.h"
#include "foreflow/ir/uses.h"

namespace foreflow::analyze {
namespace {

constexpr int32_t kNone = -1;

struct Group {
  std::vector<int32_t> ops;  // kernels, in order
  bool has_product = false;
  bool closed      = false;  // an attention core: complete
  std::set<int64_t> sizes;   // how many elements its results have
  ir::Device device;
};

class Fuser {
 public:
  explicit Fuser(const Subject& subject)
      : subject_(subject),
        function_(subject.function()),
        work_(work_of_ops(subject)),
        maker_(ir::makers_of(function_)) {
    root_.resize(function_.values.size());
    readers_.resize(function_.values.size());
    returned_.assign(function_.values.size(), false);
    group_.assign(function_.ops.size(), kNone);
    for (size_t v = 0; v < root_.size(); ++v) root_[v] = static_cast<ir::ValueId>(v);
    for (size_t o = 0; o < function_.ops.size(); ++o) {
      const ir::Op& op = function_.ops[o];
      classes_.push_back(kernel_class(subject, op));
      const bool view = classes_.back() == KernelClass::free_view;
      if (view) root_[op.first_result] = root(function_.inputs(op)[0]);
      for (const ir::ValueId id : function_.inputs(op)) {
        if (id != ir::ValueId::none && !view) readers_[ir::index(root(id))].push_back(static_cast<int32_t>(o));
      }
    }
    for (const ir::ValueId id : function_.results) returned_[ir::index(root(id))] = true;
  }

  Fusion run() {
    for (size_t o = 0; o < function_.ops.size(); ++o) place(static_cast<int32_t>(o));
    Fusion fusion;
    for (const ir::Work& work : work_) {
      fusion.kernels += static_cast<size_t>(work.kernels);
      fusion.traffic += work.read + work.written;
    }
    fusion.fused = fusion.kernels;
    for (const Group& group : groups_) {
      if (group.ops.size() < 2) continue;
      fusion.groups.push_back({pattern_of(group), group.ops, saved_by(group)});
      for (const int32_t op : group.ops) fusion.fused -= static_cast<size_t>(nth(work_, op).kernels);
      ++fusion.fused;
      fusion.saved += fusion.groups.back().saved;
    }
    return fusion;
  }

 private:
  const ir::Op& op(int32_t o) const { return nth(function_.ops, o); }
  KernelClass class_of(int32_t o) const { return nth(classes_, o); }
  ir::ValueId root(ir::ValueId id) const { return root_[ir::index(id)]; }
  int32_t root_maker(ir::ValueId id) const { return maker_[ir::index(root(id))]; }
  const ir::Type& type(ir::ValueId id) const { return subject_.value(id).type; }
  int64_t elements(int32_t o) const { return ir::element_count(type(function_.output(op(o), 0)).dims); }

  // The largest of an op's first result and its operands, in elements.
  int64_t largest(int32_t o) const {
    int64_t most = elements(o);
    for (const ir::ValueId id : function_.inputs(op(o))) {
      if (id != ir::ValueId::none) most = std::max(most, ir::element_count(type(id).dims));
    }
    return most;
  }

  // The operands' makers that are kernels, latest first.
  std::vector<int32_t> makers(int32_t o) const {
    std::set<int32_t, std::greater<>> all;
    for (const ir::ValueId id : function_.inputs(op(o))) {
      if (id != ir::ValueId::none && root_maker(id) != kNone) all.insert(root_maker(id));
    }
    return {all.begin(), all.end()};
  }

  void place(int32_t o) {
    const KernelClass kind = class_of(o);
    if (kind == KernelClass::none || kind == KernelClass::free_view) return;
    for (const int32_t maker : makers(o)) {
      const int32_t g = nth(group_, maker);
      if (g == kNone || !fits(nth(groups_, g), o) || waits_for_itself(g, o)) continue;
      return join(g, o);
    }
    groups_.push_back({{}, false, false, {}, ir::device_of(type(function_.output(op(o), 0)))});
    join(static_cast<int32_t>(groups_.size() - 1), o);
  }

  void join(int32_t g, int32_t o) {
    Group& group = nth(groups_, g);
    group.closed = class_of(o) == KernelClass::product && group.has_product;
    group.has_product |= class_of(o) == KernelClass::product;
    group.ops.push_back(o);
    group.sizes.insert(elements(o));
    if (class_of(o) == KernelClass::reduction) group.sizes.insert(largest(o));
    nth(group_, o) = g;
  }

  bool fits(const Group& group, int32_t o) const {
    if (group.closed || ir::device_of(type(function_.output(op(o), 0))) != group.device) return false;
    if (class_of(o) == KernelClass::product) return ends_attention(group, o);
    if (group.has_product && class_of(o) != KernelClass::element_wise) return begins_attention(group, o);
    return group.sizes.contains(largest(o));
  }

  // A softmax of a product, which a product reads.
  bool begins_attention(const Group& group, int32_t o) const {
    if (class_of(o) != KernelClass::row_wise || op(o).def->softmax != ir::Softmax::plain ||
        !group.sizes.contains(elements(o)))
      return false;
    const auto& readers = readers_[op(o).first_result];
    return std::any_of(readers.begin(), readers.end(),
                       [&](int32_t reader) { return class_of(reader) == KernelClass::product; });
  }

  bool ends_attention(const Group& group, int32_t o) const {
    const int32_t weights = root_maker(function_.inputs(op(o))[0]);
    const bool softmax    = std::any_of(group.ops.begin(), group.ops.end(),
                                        [&](int32_t member) { return op(member).def->softmax == ir::Softmax::plain; });
    return group.has_product && softmax && weights != kNone &&
           std::find(group.ops.begin(), group.ops.end(), weights) != group.ops.end();
  }

  // An operand from outside the group is made from a result of the group.
  bool waits_for_itself(int32_t g, int32_t o) const {
    const int32_t first = nth(groups_, g).ops.front();
    const auto inside   = [&](int32_t other) { return nth(group_, other) == g; };
    std::vector<int32_t> open;
    std::set<int32_t> seen;
    const auto visit = [&](int32_t maker) {
      const bool later = maker >= first && !subject_.on_host(op(maker));  // shapes are known beforehand
      if (later && seen.insert(maker).second) open.push_back(maker);
    };
    for (const ir::ValueId id : function_.inputs(op(o))) {
      const int32_t maker = id == ir::ValueId::none ? kNone : root_maker(id);
      if (maker != kNone && !inside(maker)) visit(maker);
    }
    while (!open.empty()) {
      const int32_t next = open.back();
      open.pop_back();
      if (inside(next)) return true;
      for (const ir::ValueId id : function_.inputs(op(next))) {
        if (id != ir::ValueId::none) visit(maker_[ir::index(id)]);
      }
    }
    return false;
  }

  std::string pattern_of(const Group& group) const {
    std::vector<std::string_view> names;
    for (const int32_t o : group.ops) names.push_back(op(o).def->name);
    return fusion_pattern(names, class_of(group.ops.front()) == KernelClass::product);
  }

  Bytes saved_by(const Group& group) const {
    std::map<ir::ValueId, size_t> reads;  // by ops of the group
    std::set<ir::ValueId> made;
    const int32_t number = nth(group_, group.ops.front());
    for (const int32_t o : group.ops) {
      for (const ir::ValueId id : function_.inputs(op(o))) {
        if (id != ir::ValueId::none) ++reads[root(id)];
      }
      for (uint32_t i = 0; i < op(o).result_count; ++i) made.insert(function_.output(op(o), i));
    }
    Bytes saved;
    for (const auto& [id, count] : reads) {
      const bool inside   = made.contains(id);
      const auto& readers = readers_[ir::index(id)];
      const bool stays =
          inside && !returned_[ir::index(id)] &&
          std::all_of(readers.begin(), readers.end(), [&](int32_t reader) { return nth(group_, reader) == number; });
      const size_t passes = count - (inside ? 0 : 1) + (stays ? 1 : 0);
      saved += static_cast<double>(passes) * ir::bytes_of(type(id));
    }
    return saved;
  }

  const Subject& subject_;
  const ir::Function& function_;
  const std::vector<ir::Work> work_;
  const std::vector<int32_t> maker_;           // per value
  std::vector<KernelClass> classes_;           // per op
  std::vector<ir::ValueId> root_;              // per value: what free views make it from
  std::vector<std::vector<int32_t>> readers_;  // per root value: ops that are no free views
  std::vector<bool> returned_;                 // per root value
  std::vector<int32_t> group_;                 // per op
  std::vector<Group> groups_;
};

}  // namespace

Fusion fusion(const Subject& subject) { return Fuser(subject).run(); }

std::vector<FusionRow> fusion_rows(const Subject& subject, const Fusion& fusion) {
  std::vector<FusionRow> rows;
  std::map<std::string, size_t> known;
  for (const FusionGroup& group : fusion.groups) {
    std::string ops;
    for (const int32_t o : group.ops)
      ops += (ops.empty() ? "" : " ") + std::string(nth(subject.function().ops, o).def->name);
    const auto [entry, fresh] = known.emplace(group.pattern + ": " + ops, rows.size());
    if (fresh) rows.push_back({group.pattern, ops});
    FusionRow& row = rows[entry->second];
    ++row.groups;
    row.kernels += group.ops.size();
    row.saved += group.saved;
  }
  std::stable_sort(rows.begin(), rows.end(), [](const FusionRow& a, const FusionRow& b) { return a.saved > b.saved; });
  return rows;
}

}  // namespace foreflow::analyze
