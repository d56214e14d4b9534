#include "foreflow/analyze/work.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace foreflow::analyze {
namespace {

bool communicates(const ir::Op& op) { return op.def->role == ir::Role::communication; }

template <class F>
Weighing weigh(std::string name, const std::vector<ir::Work>& work, F measure) {
  Weighing weighing{std::move(name), {}};
  for (const ir::Work& one : work) weighing.weights.push_back(measure(one));
  return weighing;
}

}  // namespace

std::vector<ir::Work> work_of_ops(const Subject& subject) {
  std::vector<ir::Work> all;
  for (const ir::Op& op : subject.function().ops) {
    const bool counts = !communicates(op) && !subject.on_host(op) && subject.resolved(op);
    all.push_back(counts ? subject.apply(op, op.def->work)
                         : ir::Work{.flops = {}, .read = {}, .written = {}, .kernels = 0});
  }
  return all;
}

std::vector<TypeRow> totals_by_type(const Subject& subject, const std::vector<ir::Work>& work) {
  std::map<std::string_view, TypeRow> by_name;
  for (size_t o = 0; o < work.size(); ++o) {
    const std::string_view name = subject.function().ops[o].def->name;
    TypeRow& row                = by_name[name];
    row.op                      = name;
    ++row.count;
    row.flops += work[o].flops;
    row.read += work[o].read;
    row.written += work[o].written;
  }
  std::vector<TypeRow> rows;
  for (auto& [name, row] : by_name) rows.push_back(std::move(row));
  std::stable_sort(rows.begin(), rows.end(), [](const TypeRow& a, const TypeRow& b) {
    return std::tuple(a.flops, a.read + a.written) > std::tuple(b.flops, b.read + b.written);
  });
  return rows;
}

Weighing weigh_ops(const Subject& subject) {
  Weighing weighing{"ops", {}};
  for (const ir::Op& op : subject.function().ops) weighing.weights.push_back(subject.on_host(op) ? 0 : 1);
  return weighing;
}

Weighing weigh_flops(const std::vector<ir::Work>& work) {
  return weigh("flops", work, [](const ir::Work& one) { return one.flops.value(); });
}

Weighing weigh_bytes(const std::vector<ir::Work>& work) {
  return weigh("bytes", work, [](const ir::Work& one) { return (one.read + one.written).value(); });
}

Weighing weigh_seconds(const Subject& subject, const cost::CostModel& model, const platform::Device& device) {
  Weighing weighing{"seconds", {}};
  for (const ir::Op& op : subject.function().ops) {
    std::optional<Seconds> time = Seconds(0);  // nothing: only the network knows
    if (subject.resolved(op)) {
      time =
          subject.apply(op, [&](const ir::OpCall& call, std::span<const ir::Type> outputs) -> std::optional<Seconds> {
            const cost::Application application{call, outputs, subject.on_host(op)};
            if (!communicates(op)) return model.compute(application, device).time;
            const auto ranks = static_cast<int>(std::max(call.arity(), call.outputs));
            return cost::time_of(model.communication(application, ranks).on(1));  // as in one server
          });
    }
    if (!time) ++weighing.unpriced;
    weighing.weights.push_back(time.value_or(Seconds(0)).value());
  }
  return weighing;
}

}  // namespace foreflow::analyze
