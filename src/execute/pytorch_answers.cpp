#include "execute/pytorch_answers.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "foreflow/base/escape.h"
#include "foreflow/cost/signature.h"

namespace foreflow::execute {
namespace {

// The computes of a program by the remark behind their statements in the script, each with its work.
std::map<std::string, cost::Measurement> computes_of(const ir::Module& module) {
  std::map<std::string, cost::Measurement> rows;
  for (const ir::Function& function : module.functions) {
    const auto type = [&](ir::ValueId id) {
      const bool known = id != ir::ValueId::none && function.value(id).annotation != nullptr;
      return known ? *function.value(id).annotation : ir::Type();
    };
    for (const ir::Op& op : function.ops) {
      if (op.is_call() || op.def->role == ir::Role::communication) continue;
      std::vector<ir::Type> inputs, outputs;
      for (const ir::ValueId id : function.inputs(op)) inputs.push_back(type(id));
      for (uint32_t i = 0; i < op.result_count; ++i) outputs.push_back(type(function.output(op, i)));
      const std::vector<const ir::Array*> unknown(inputs.size(), nullptr);
      const ir::OpCall call{*op.def, *op.attributes, inputs, unknown, op.result_count};
      cost::Measurement row;
      row.signature           = cost::signature(call, outputs);
      const auto [at, is_new] = rows.try_emplace(escape::python_comment(row.signature));
      if (!is_new) continue;
      const ir::Work work = op.def->work(call, outputs);
      row.op              = op.def->name;
      row.dtype           = cost::dtype_of(inputs, outputs);
      row.flops           = work.flops;
      row.read            = work.read;
      row.written         = work.written;
      at->second          = std::move(row);
    }
  }
  return rows;
}

struct One {
  Answer answer;
  std::vector<Span> last;      // what the last iteration did
  Seconds computed, deviated;  // by all executions of all computes, and the sum of their standard deviations
};

// Without those that took more than ten medians.
std::vector<Seconds> undisturbed(std::vector<Seconds> times) {
  constexpr double kMost = 10;
  const Seconds most     = kMost * cost::median(times);
  std::erase_if(times, [&](Seconds time) { return time > most; });
  return times;
}

Seconds mean(const std::vector<Seconds>& times) {
  Seconds sum;
  for (const Seconds time : times) sum += time;
  return sum / static_cast<double>(times.size());
}

Seconds deviation(const std::vector<Seconds>& times) {
  const Seconds middle = mean(times);
  double squares       = 0;
  for (const Seconds time : times) squares += std::pow((time - middle).value(), 2);
  return Seconds(std::sqrt(squares / static_cast<double>(times.size())));
}

One sorted(const ProcessLog& log, const RankProgram& program, int rank) {
  const auto computes = computes_of(program.module);
  std::vector<const cost::Measurement*> kinds;  // by signature; null: a communication
  for (const std::string& signature : log.signatures) {
    const auto found = computes.find(signature);
    kinds.push_back(found == computes.end() ? nullptr : &found->second);
  }
  std::vector<std::vector<Seconds>> times(log.signatures.size());
  One result;
  result.answer.communications.resize(program.communications.size());
  for (const LoggedIteration& iteration : log.iterations) {
    IterationTimes now;
    now.total   = iteration.end - iteration.begin;
    size_t next = 0;
    result.last.clear();
    for (const LoggedOp& op : iteration.ops) {
      const Seconds time               = op.end - op.begin;
      const cost::Measurement* compute = kinds[op.signature];
      Span span{rank, "", compute == nullptr, op.begin - iteration.begin, op.end - iteration.begin};
      if (compute != nullptr) {
        span.what = compute->signature;
        times[op.signature].push_back(time);
        now.compute += time;
      } else {
        FOREFLOW_CHECK(next < program.communications.size(), "a script communicates as it was planned");
        span.what = message_of(program.communications[next]).signature;
        result.answer.communications[next++].push_back(time);
      }
      result.last.push_back(std::move(span));
    }
    FOREFLOW_CHECK(iteration.ops.empty() || next == program.communications.size(),
                   "a script communicates as it was planned");
    result.answer.iterations.push_back(now);
  }
  for (size_t s = 0; s < kinds.size(); ++s) {
    if (kinds[s] == nullptr || times[s].empty()) continue;
    cost::Measurement row = *kinds[s];
    row.rank              = rank;
    row.count             = static_cast<int64_t>(times[s].size());
    row.fastest           = *std::min_element(times[s].begin(), times[s].end());
    const auto usual      = undisturbed(std::move(times[s]));
    row.time              = mean(usual);
    result.computed += row.time * static_cast<double>(row.count);
    result.deviated += deviation(usual) * static_cast<double>(row.count);
    result.answer.ops.push_back(std::move(row));
  }
  return result;
}

// Replaces the time that each process spent in a communication by that of its last member to arrive; the rest is wait.
void separate_waits(const Programs& programs, std::vector<One>& ranks) {
  std::map<int, std::vector<Seconds>> least;  // by the communication's number, in each iteration
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    for (size_t c = 0; c < programs[rank].communications.size(); ++c) {
      const auto& mine = ranks[rank].answer.communications[c];
      auto& all        = least.try_emplace(programs[rank].communications[c].number, mine).first->second;
      for (size_t i = 0; i < mine.size(); ++i) all[i] = std::min(all[i], mine[i]);
    }
  }
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    Answer& answer = ranks[rank].answer;
    for (size_t c = 0; c < answer.communications.size(); ++c) {
      const auto& all = least.at(programs[rank].communications[c].number);
      for (size_t i = 0; i < all.size(); ++i) {
        answer.iterations[i].communication += all[i];
        answer.iterations[i].wait += answer.communications[c][i] - all[i];
      }
      answer.communications[c].assign(all.size(), all.empty() ? Seconds(0) : mean(undisturbed(all)));
    }
  }
}

}  // namespace

Answers answers_of(const std::vector<ProcessLog>& logs, const Programs& programs) {
  FOREFLOW_CHECK(logs.size() == programs.size(), "every process writes its log");
  std::vector<One> ranks;
  for (size_t rank = 0; rank < logs.size(); ++rank)
    ranks.push_back(sorted(logs[rank], programs[rank], static_cast<int>(rank)));
  separate_waits(programs, ranks);
  Answers result;
  Seconds computed, deviated;
  for (One& rank : ranks) {
    computed += rank.computed;
    deviated += rank.deviated;
    result.answers.push_back(std::move(rank.answer));
    result.timeline.insert(result.timeline.end(), rank.last.begin(), rank.last.end());
  }
  if (computed > Seconds(0)) result.spread = deviated / computed;
  return result;
}

}  // namespace foreflow::execute
