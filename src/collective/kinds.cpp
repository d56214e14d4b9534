// The kinds of collectives, one row each.
#include <algorithm>

#include "foreflow/base/suggestion.h"
#include "foreflow/collective/collective.h"

namespace foreflow::collective {
namespace {

double all_bytes(int) { return 1; }
double bytes_of_others(int ranks) { return static_cast<double>(ranks - 1) / ranks; }
double twice_bytes_of_others(int ranks) { return 2 * bytes_of_others(ranks); }

int one_chunk(int) { return 1; }
int chunk_a_rank(int ranks) { return ranks; }
int chunk_a_pair(int ranks) { return ranks * ranks; }

std::vector<KindDef> kind_rows() {
  return {
      {.name       = "send",
       .kind       = Kind::send,
       .remark     = " from the first rank to the last",
       .ops        = {"Send"},
       .bus_factor = all_bytes,
       .message    = [](int, int from, int) { return from == 0 ? 0 : -1; },
       .chunks     = one_chunk,
       .messages   = true},
      {.name       = "all_reduce",
       .kind       = Kind::all_reduce,
       .ops        = {"MPIAllreduce", "MPIAllreduceMax"},
       .bus_factor = twice_bytes_of_others},
      {.name       = "reduce_scatter",
       .kind       = Kind::reduce_scatter,
       .ops        = {"MPIReduceScatter"},
       .every_pair = true,
       .bus_factor = bytes_of_others,
       .message    = [](int, int, int to) { return to; },
       .chunks     = chunk_a_rank,
       .adds       = true},
      {.name          = "all_gather",
       .kind          = Kind::all_gather,
       .ops           = {"MPIAllgather"},
       .counts_result = true,
       .every_pair    = true,
       .bus_factor    = bytes_of_others,
       .message       = [](int, int from, int) { return from; },
       .chunks        = chunk_a_rank},
      {.name = "broadcast", .kind = Kind::broadcast, .ops = {"MPIBroadcast"}, .bus_factor = all_bytes},
      {.name = "reduce", .kind = Kind::reduce, .ops = {"MPIReduce"}, .root_receives = true, .bus_factor = all_bytes},
      {.name          = "gather",
       .kind          = Kind::gather,
       .ops           = {"MPIGather"},
       .counts_result = true,
       .root_receives = true,
       .bus_factor    = bytes_of_others,
       .message       = [](int, int from, int to) { return to == 0 ? from : -1; },
       .chunks        = chunk_a_rank,
       .messages      = true},
      {.name       = "scatter",
       .kind       = Kind::scatter,
       .ops        = {"MPIScatter"},
       .bus_factor = bytes_of_others,
       .message    = [](int, int from, int to) { return from == 0 ? to : -1; },
       .chunks     = chunk_a_rank,
       .messages   = true},
      {.name       = "all_to_all",
       .kind       = Kind::all_to_all,
       .ops        = {"MPIAlltoall"},
       .of_each    = true,
       .every_pair = true,
       .bus_factor = bytes_of_others,
       .message    = [](int ranks, int from, int to) { return from * ranks + to; },
       .chunks     = chunk_a_pair,
       .messages   = true},
      {.name       = "shift",
       .kind       = Kind::shift,
       .remark     = " (each rank to the next)",
       .ops        = {"MPIShift"},
       .of_each    = true,
       .bus_factor = all_bytes,
       .message    = [](int ranks, int from, int to) { return to == (from + 1) % ranks ? from : -1; },
       .chunks     = chunk_a_rank,
       .messages   = true},
  };
}

}  // namespace

const Registry<KindDef>& kinds() {
  static const Registry<KindDef> rows("collective", "collectives", kind_rows());
  return rows;
}

const KindDef& def_of(Kind kind) {
  const auto row = std::find_if(kinds().begin(), kinds().end(), [&](const KindDef& def) { return def.kind == kind; });
  FOREFLOW_CHECK(row != kinds().end(), "every kind of collectives has a row");
  return *row;
}

std::vector<Kind> message_kinds() {
  std::vector<Kind> result;
  for (const KindDef& def : kinds()) {
    if (def.messages) result.push_back(def.kind);
  }
  return result;
}

std::string_view name(Kind kind) { return def_of(kind).name; }

Kind kind_named(std::string_view name, const std::string& where) {
  if (const KindDef* def = kinds().find(name)) return def->kind;
  throw Error(where, "unknown collective \"" + std::string(name) + "\"" + suggestion(name, kinds().names()));
}

double bus_factor(Kind kind, int ranks) { return def_of(kind).bus_factor(ranks); }

double chunk_share(const Plan& plan, Kind kind, int ranks) {
  return (def_of(kind).of_each ? ranks : 1.0) / plan.chunks;
}

}  // namespace foreflow::collective
