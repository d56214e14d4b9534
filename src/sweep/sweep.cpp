#include "foreflow/sweep/sweep.h"

#include <algorithm>
#include <optional>
#include <set>

#include "foreflow/base/process.h"
#include "foreflow/base/refusal.h"
#include "foreflow/scenario/fingerprint.h"
#include "foreflow/scenario/scenario.h"
#include "foreflow/scenario/strategy_key.h"
#include "foreflow/store/store.h"
#include "sweep/answer.h"
#include "sweep/chain.h"
#include "sweep/waves.h"

namespace foreflow::sweep {
namespace {

using store::Record;
using store::Store;

constexpr const char* kDone   = "done";
constexpr const char* kFailed = "failed";

// The point's values by the axes' paths, sorted: {"platform.nodes":2,"strategy.tp":4}.
std::string point_name(const std::vector<scenario::Axis>& axes, const std::vector<size_t>& choice) {
  Json::Object values;
  for (size_t a = 0; a < axes.size(); ++a) values.emplace_back(axes[a].path(), axes[a].values[choice[a]]);
  return scenario::sorted(values).dump_compact();
}

std::string without_file(const std::string& text, const std::string& file) {
  const std::string prefix = file + ": ";
  return text.starts_with(prefix) ? text.substr(prefix.size()) : text;
}

// Checks the values of the strategy, or of each of a list of them.
void check_values_of_strategy(const JsonView& holder) {
  if (holder.json().if_object() == nullptr || !holder.has("strategy")) return;
  const JsonView strategy = holder.at("strategy");
  if (strategy.json().if_object() != nullptr) scenario::check_values(strategy, false);
  if (strategy.json().if_array() == nullptr) return;
  for (const JsonView& one : strategy.items()) {
    if (one.json().if_object() != nullptr) scenario::check_values(one, false);
  }
}

// Throws Error at a value of a strategy that is of another kind than its key: no point that has it works.
void check_values_of_strategies(const JsonView& scenario) {
  check_values_of_strategy(scenario);
  if (scenario.json().if_object() == nullptr || !scenario.has("jobs")) return;
  const JsonView jobs = scenario.at("jobs");
  if (jobs.json().if_array() == nullptr) return;
  for (const JsonView& job : jobs.items()) check_values_of_strategy(job);
}

class Sweep {
 public:
  Sweep(const Json& source, const std::string& file, const Options& options)
      : source_(source), file_(file), options_(options), axes_(scenario::axes(source, file)) {
    count_ = scenario::count_points(axes_, file);
    check_values_of_strategies(JsonView(source, file));
    check_scenario();
    identity_ = {"sweep", options.version, scenario::fingerprint(source, file), source.dump_compact()};
  }

  Result run() {
    Store store(options_.store, identity_);
    std::vector<size_t> pending = read(store);
    if (!pending.empty()) {
      store.claim();
      pending = read(store);  // another sweep may have added points until now
    }
    done_ = count_ - pending.size();
    if (options_.begun) options_.begun(done_, count_);
    const auto jobs = static_cast<size_t>(std::max(options_.jobs, 1));
    for (const Wave& wave : waves_of(source_, axes_, pending, jobs)) work_on(wave, jobs, store);
    return result(store);
  }

 private:
  Json point(size_t number) const { return scenario::with_choice(source_, axes_, scenario::choice_of(axes_, number)); }
  std::string name(size_t number) const { return point_name(axes_, scenario::choice_of(axes_, number)); }

  // Reads the records. Returns the points that have none.
  std::vector<size_t> read(Store& store) {
    records_ = store.finished();
    check_records(store);
    std::vector<size_t> pending;
    for (size_t number = 0; number < count_; ++number) {
      if (!records_.contains(name(number))) pending.push_back(number);
    }
    return pending;
  }

  // Throws Error naming the store and the point when a record is not one that a sweep of this scenario writes. The
  // store is not changed.
  void check_records(const Store& store) const {
    std::set<std::string> names;
    for (size_t number = 0; number < count_; ++number) names.insert(name(number));
    for (const auto& [point, record] : records_) {
      if (!names.contains(point)) store.fail(point, "is none of the scenario's points");
      if (record.status != kDone && record.status != kFailed)
        store.fail(point, "its status is " + Json(record.status).dump_compact() + ", which is neither done nor failed");
      if (record.status == kDone) answer_in(store, point, record);
    }
  }

  static Json answer_in(const Store& store, const std::string& point, const Record& record) {
    try {
      return read_answer(record.answer, "answer");
    } catch (const Error& error) {
      store.fail(point, error.what());
    }
  }

  // Throws the error of the first point when every point is wrong. A point that is refused is an answer.
  void check_scenario() const {
    std::optional<Error> first;
    for (size_t number = 0; number < count_; ++number) {
      try {
        scenario::load(point(number), file_);
        return;
      } catch (const RefusalError&) {
        return;
      } catch (const Error& error) {
        if (!first) first = error;
      }
    }
    throw Error(*first);
  }

  void work_on(const Wave& wave, size_t jobs, Store& store) {
    Chain chain;
    if (wave.shared) load_shared(chain, wave.batches.front().front());
    std::vector<std::vector<size_t>> left(jobs);  // of each worker's batch, last first
    size_t batch = 0;
    Service service;
    service.work = [&](size_t number) { return chain.answer(point(number), file_).dump_compact(); };
    service.next = [&](size_t worker) -> std::optional<size_t> {
      if (left[worker].empty()) {
        if (batch == wave.batches.size()) return std::nullopt;
        left[worker].assign(wave.batches[batch].rbegin(), wave.batches[batch].rend());
        ++batch;
      }
      const size_t number = left[worker].back();
      left[worker].pop_back();
      return number;
    };
    service.finished = [&](size_t number, const std::string& answer) { keep(store, number, {kDone, answer}); };
    service.failed   = [&](size_t number, const std::exception& why) { fail(store, number, why); };
    serve(std::min(jobs, wave.batches.size()), service);
  }

  // A platform that cannot be loaded is a failure of the points that use it.
  void load_shared(Chain& chain, size_t number) const {
    try {
      chain.load_platform(point(number), file_);
    } catch (const Error&) {
    }
  }

  void keep(Store& store, size_t number, const Record& record) {
    store.put(name(number), record);
    records_.emplace(name(number), record);
    step();
  }

  void fail(Store& store, size_t number, const std::exception& why) {
    const bool is_input =
        dynamic_cast<const Error*>(&why) != nullptr && dynamic_cast<const ChildDied*>(&why) == nullptr;
    if (is_input) return keep(store, number, {kFailed, without_file(why.what(), file_)});
    crashed_.emplace(number, why.what());
    step();
  }

  void step() {
    ++done_;
    if (options_.finished) options_.finished(done_, count_);
  }

  Result result(const Store& store) const {
    Result result{source_, identity_.version, identity_.hash, axes_, {}};
    for (size_t number = 0; number < count_; ++number) {
      Point& point = result.points.emplace_back();
      point.choice = scenario::choice_of(axes_, number);
      if (const auto crash = crashed_.find(number); crash != crashed_.end()) {
        point.status = Status::crashed;
        point.why    = crash->second;
        continue;
      }
      const Record& record = records_.at(name(number));
      point.status         = record.status == kDone ? Status::done : Status::failed;
      if (point.status == Status::done) {
        point.answer = answer_in(store, name(number), record);
      } else {
        point.why = record.answer;
      }
    }
    return result;
  }

  const Json& source_;
  const std::string& file_;
  const Options& options_;
  std::vector<scenario::Axis> axes_;
  size_t count_ = 0;
  size_t done_  = 0;
  store::Identity identity_;
  std::map<std::string, Record> records_;  // by the points' names
  std::map<size_t, std::string> crashed_;
};

}  // namespace

Result sweep(const Json& source, const std::string& file, const Options& options) {
  return Sweep(source, file, options).run();
}

}  // namespace foreflow::sweep
