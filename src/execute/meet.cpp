#include "execute/meet.h"

#include <optional>

#include "execute/values.h"
#include "foreflow/ops/table.h"

namespace foreflow::execute {
namespace {

// The reference kernel of `op` on these operands.
std::vector<ir::Array> apply(const ir::OpDef& op, const ir::Attributes& attributes, std::span<const ir::Array> operands,
                             size_t outputs) {
  std::vector<ir::Type> types;
  std::vector<const ir::Array*> known;
  for (const ir::Array& operand : operands) {
    types.push_back(operand.type());
    known.push_back(&operand);
  }
  return op.eval({op, attributes, types, known, outputs});
}

std::vector<ir::Array> apply(std::string_view op, const ir::Attributes& attributes, std::span<const ir::Array> operands,
                             size_t outputs) {
  return apply(ops::table().get(op, std::string(op)), attributes, operands, outputs);
}

// The messages that are sent and received at the same time.
class Round {
 public:
  Round(int rank, const Exchange& exchange) : rank_(rank), exchange_(exchange) {}

  void send(int rank, const ir::Array& value) {
    if (rank == rank_) return;
    for (const auto& leaf : leaves(value)) outgoing_.push_back({rank, leaf});
  }
  // `value` is of the type that is sent and stays where it is until run() has returned.
  void receive(int rank, ir::Array& value) {
    for (const auto& leaf : mutable_leaves(value)) incoming_.push_back({rank, leaf});
  }
  void run() { exchange_(outgoing_, incoming_); }

 private:
  int rank_;
  const Exchange& exchange_;
  std::vector<Outgoing> outgoing_;
  std::vector<Incoming> incoming_;
};

struct Site {
  const ir::Op& op;
  const CommunicationRun& communication;
  int rank;
  std::span<const ir::Array* const> operands;
  const Exchange& exchange;

  bool has(size_t operand) const {
    return communication.from[operand] == rank || communication.from[operand] == kEverywhere;
  }
  bool gets(size_t result) const { return communication.to[result] == rank; }
  std::optional<size_t> position() const {
    for (size_t i = 0; i < communication.from.size(); ++i) {
      if (communication.from[i] == rank) return i;
    }
    return std::nullopt;
  }
  bool gets_any() const {
    for (size_t i = 0; i < communication.to.size(); ++i) {
      if (gets(i)) return true;
    }
    return false;
  }
};

// Processes with a result that do not have operand `o`.
std::vector<int> receivers(const CommunicationRun& communication, size_t o) {
  std::vector<int> all;
  for (const int rank : communication.to) {
    const bool again = std::find(all.begin(), all.end(), rank) != all.end();
    if (rank != communication.from[o] && !again) all.push_back(rank);
  }
  return all;
}

std::vector<ir::Array> by_all_operands(const Site& site) {
  std::vector<ir::Array> operands(site.communication.from.size());
  Round round(site.rank, site.exchange);
  for (size_t o = 0; o < operands.size(); ++o) {
    if (site.has(o)) {
      operands[o] = *site.operands[o];
      if (site.communication.from[o] == kEverywhere) continue;
      for (const int receiver : receivers(site.communication, o)) round.send(receiver, operands[o]);
    } else if (site.gets_any()) {
      operands[o] = blank(site.communication.operand);
      round.receive(site.communication.from[o], operands[o]);
    }
  }
  round.run();
  if (!site.gets_any()) return std::vector<ir::Array>(site.communication.to.size());
  return apply(*site.op.def, *site.op.attributes, operands, site.op.result_count);
}

std::vector<ir::Array> scatter(const Site& site) {
  const size_t n = site.communication.to.size();
  std::vector<ir::Array> parts(n);
  Round round(site.rank, site.exchange);
  if (site.has(0)) parts = apply(*site.op.def, *site.op.attributes, std::span(site.operands[0], 1), n);
  for (size_t i = 0; i < n; ++i) {
    if (site.has(0)) {
      if (site.communication.from[0] != kEverywhere) round.send(site.communication.to[i], parts[i]);
    } else if (site.gets(i)) {
      parts[i] = blank(site.communication.result);
      round.receive(site.communication.from[0], parts[i]);
    }
  }
  round.run();
  return parts;
}

// Every member sends part i of `mine` to member i and gets one part of type `part` from each.
std::vector<ir::Array> trade(const Site& site, size_t self, const std::vector<ir::Array>& mine, const ir::Type& part) {
  std::vector<ir::Array> got(mine.size());
  Round round(site.rank, site.exchange);
  for (size_t i = 0; i < mine.size(); ++i) {
    if (i == self) {
      got[i] = mine[i];
      continue;
    }
    got[i] = blank(part);
    round.send(site.communication.from[i], mine[i]);
    round.receive(site.communication.from[i], got[i]);
  }
  round.run();
  return got;
}

std::vector<ir::Array> only(size_t position, size_t count, ir::Array value) {
  std::vector<ir::Array> results(count);
  results[position] = std::move(value);
  return results;
}

ir::Attributes along(const ir::Op& op, std::string_view axis) { return {{"axis", op.attributes->int_or(axis, 0)}}; }

std::vector<ir::Array> cut(const Site& site, size_t self, std::string_view axis) {
  return apply("MPIScatter", along(site.op, axis), std::span(site.operands[self], 1), site.communication.from.size());
}

std::vector<ir::Array> reduce_scatter(const Site& site, size_t self) {
  const auto got = trade(site, self, cut(site, self, "axis"), site.communication.result);
  return only(self, got.size(), apply("MPIReduce", {}, got, 1)[0]);
}

std::vector<ir::Array> all_to_all(const Site& site, size_t self) {
  const auto parts = cut(site, self, "split_axis");
  const auto got   = trade(site, self, parts, parts[self].type());
  return only(self, got.size(), apply("MPIGather", along(site.op, "concat_axis"), got, 1)[0]);
}

std::vector<ir::Array> shift(const Site& site, size_t self) {
  const size_t n     = site.communication.from.size();
  const bool forward = site.op.attributes->int_or("by", 1) > 0;
  const size_t next = (self + 1) % n, before = (self + n - 1) % n;
  ir::Array got = blank(site.communication.operand);
  Round round(site.rank, site.exchange);
  round.send(site.communication.from[forward ? next : before], *site.operands[self]);
  round.receive(site.communication.from[forward ? before : next], got);
  round.run();
  return only(self, n, std::move(got));
}

std::vector<ir::Array> all_reduce(const Site& site, size_t self) {
  const size_t n = site.communication.from.size();
  std::vector<ir::Array> runs;
  for (size_t i = 0; i < n; ++i) runs.push_back(run_of(*site.operands[self], i, n));
  const auto got      = trade(site, self, runs, run_type(site.communication.operand, self, n));
  const ir::Array sum = apply("MPIReduce", {}, got, 1)[0];
  Round round(site.rank, site.exchange);
  for (size_t i = 0; i < n; ++i) {
    if (i == self) {
      runs[i] = sum;
      continue;
    }
    runs[i] = blank(run_type(site.communication.operand, i, n));
    round.send(site.communication.from[i], sum);
    round.receive(site.communication.from[i], runs[i]);
  }
  round.run();
  return only(self, n, join_runs(site.communication.operand, runs));
}

}  // namespace

void rendezvous(const CommunicationRun& communication, int rank, const Exchange& exchange) {
  std::vector<Outgoing> outgoing;
  std::vector<Incoming> incoming;
  for (const int member : communication.members()) {
    if (member == rank) continue;
    outgoing.push_back({member, {}});
    incoming.push_back({member, {}});
  }
  exchange(outgoing, incoming);
}

std::vector<ir::Array> meet(const ir::Op& op, const CommunicationRun& communication, int rank,
                            std::span<const ir::Array* const> operands, const Exchange& exchange) {
  const Site site{op, communication, rank, operands, exchange};
  const auto self = site.position();
  if (op.def->communication == ir::Communication::scatter) return scatter(site);
  if (!self) return by_all_operands(site);
  switch (op.def->communication) {
    case ir::Communication::reduce_scatter: return reduce_scatter(site, *self);
    case ir::Communication::all_to_all: return all_to_all(site, *self);
    case ir::Communication::all_reduce: return all_reduce(site, *self);
    case ir::Communication::shift: return shift(site, *self);
    default: return by_all_operands(site);
  }
}

}  // namespace foreflow::execute
