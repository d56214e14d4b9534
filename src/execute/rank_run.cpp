#include "execute/rank_run.h"

#include <chrono>
#include <new>

#include "foreflow/cost/signature.h"

namespace foreflow::execute {
namespace {

using Clock = std::chrono::steady_clock;

Seconds since(Clock::time_point start) { return Seconds(std::chrono::duration<double>(Clock::now() - start).count()); }

// Per op, the values that nothing uses after it.
std::vector<std::vector<ir::ValueId>> last_uses(const ir::Function& function) {
  constexpr size_t kNever = static_cast<size_t>(-1);
  std::vector<size_t> last(function.values.size(), kNever);
  for (size_t o = 0; o < function.ops.size(); ++o) {
    const ir::Op& op = function.ops[o];
    for (uint32_t i = 0; i < op.result_count; ++i) last[op.first_result + i] = o;
    for (const ir::ValueId id : function.inputs(op)) {
      if (id != ir::ValueId::none) last[ir::index(id)] = o;
    }
  }
  for (const ir::ValueId id : function.results) last[ir::index(id)] = kNever;
  std::vector<std::vector<ir::ValueId>> dead(function.ops.size());
  for (size_t v = 0; v < last.size(); ++v) {
    if (last[v] != kNever) dead[last[v]].push_back(static_cast<ir::ValueId>(v));
  }
  return dead;
}

}  // namespace

RankRun::RankRun(const RankProgram& program, int rank, const Exchange& exchange)
    : program_(program), rank_(rank), exchange_(exchange) {
  for (const ir::Function& function : program.module.functions) {
    dead_after_.push_back(last_uses(function));
    sites_.emplace_back(function.ops.size());
  }
  log_.communications.resize(program.communications.size());
}

std::vector<ir::Array> RankRun::iterate(const std::vector<ir::Array>& arguments, Timing timing) {
  timing_                        = timing;
  next_communication_            = 0;
  now_                           = {};
  const Clock::time_point start  = Clock::now();
  std::vector<ir::Array> results = run(program_.module.functions.size() - 1, arguments);
  now_.total                     = since(start);
  if (timing == Timing::on) log_.iterations.push_back(now_);
  return results;
}

std::vector<ir::Array> RankRun::run(size_t number, std::vector<ir::Array> arguments) {
  const ir::Function& function  = program_.module.functions[number];
  std::vector<ir::Array> values = std::move(arguments);
  values.resize(function.values.size());
  for (size_t o = 0; o < function.ops.size(); ++o) {
    const ir::Op& op               = function.ops[o];
    const Clock::time_point start  = Clock::now();
    std::vector<ir::Array> results = step(function, op, values);
    for (size_t i = 0; i < results.size(); ++i) values[op.first_result + i] = std::move(results[i]);
    for (const ir::ValueId id : dead_after_[number][o]) values[ir::index(id)] = ir::Array();
    if (!op.is_call() && op.def->role != ir::Role::communication) note(op, sites_[number][o], since(start));
  }
  std::vector<ir::Array> results;
  for (const ir::ValueId id : function.results) results.push_back(values[ir::index(id)]);
  return results;
}

std::vector<ir::Array> RankRun::step(const ir::Function& function, const ir::Op& op,
                                     const std::vector<ir::Array>& values) {
  if (op.is_call()) {
    std::vector<ir::Array> arguments;
    for (const ir::ValueId id : function.inputs(op)) arguments.push_back(values[ir::index(id)]);
    return run(static_cast<size_t>(op.callee), std::move(arguments));
  }
  std::vector<const ir::Array*> operands;
  for (const ir::ValueId id : function.inputs(op))
    operands.push_back(id == ir::ValueId::none ? nullptr : &values[ir::index(id)]);
  try {
    return op.def->role == ir::Role::communication ? meet_others(op, operands) : compute(op, operands);
  } catch (const ir::OpError& error) {
    throw Error(ir::describe(program_.module, function, op), error.problem());
  } catch (const Error& error) {
    const std::string prefix = error.where().empty() ? "" : error.where() + ": ";
    throw Error(ir::describe(program_.module, function, op), prefix + error.problem());
  } catch (const std::bad_alloc&) {
    throw Error(ir::describe(program_.module, function, op), "ran out of memory");
  }
}

std::vector<ir::Array> RankRun::compute(const ir::Op& op, std::span<const ir::Array* const> operands) {
  if (op.def->eval == nullptr) throw ir::OpError(op.def->name, "has no reference kernel");
  inputs_.clear();
  outputs_.clear();
  for (const ir::Array* operand : operands) inputs_.push_back(operand == nullptr ? ir::Type() : operand->type());
  std::vector<ir::Array> results = op.def->eval({*op.def, *op.attributes, inputs_, operands, op.result_count});
  for (const ir::Array& result : results) outputs_.push_back(result.type());
  return results;
}

// The row is looked up once for a site, whose types are the same each time unless they depend on numbers: making a
// signature takes as long as a small op.
void RankRun::note(const ir::Op& op, Site& site, Seconds time) {
  now_.compute += time;
  if (timing_ == Timing::off) return;
  if (site.row == nullptr || site.inputs != inputs_) {
    const std::vector<const ir::Array*> unknown(inputs_.size(), nullptr);
    const ir::OpCall call{*op.def, *op.attributes, inputs_, unknown, op.result_count};
    site.inputs = inputs_;
    site.row    = &log_.ops[cost::signature(call, outputs_)];
    if (site.row->times.empty())
      *site.row = {
          std::string(op.def->name), std::string(cost::dtype_of(inputs_, outputs_)), op.def->work(call, outputs_), {}};
  }
  site.row->times.push_back(time);
}

std::vector<ir::Array> RankRun::meet_others(const ir::Op& op, std::span<const ir::Array* const> operands) {
  FOREFLOW_CHECK(next_communication_ < program_.communications.size() &&
                     program_.communications[next_communication_].op == op.def->name,
                 "a process reaches its communications in the order of the whole program");
  const size_t number                   = next_communication_++;
  const CommunicationRun& communication = program_.communications[number];
  const Clock::time_point start         = Clock::now();
  rendezvous(communication, rank_, exchange_);
  const Seconds wait             = since(start);
  std::vector<ir::Array> results = meet(op, communication, rank_, operands, exchange_);
  rendezvous(communication, rank_, exchange_);  // it holds all of them until it ends
  const Seconds time = since(start) - wait;
  now_.wait += wait;
  now_.communication += time;
  if (timing_ == Timing::on) log_.communications[number].push_back(time);
  return results;
}

}  // namespace foreflow::execute
