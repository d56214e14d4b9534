#include "search/kept.h"

#include <cmath>

#include "foreflow/scenario/fingerprint.h"

namespace foreflow::search {
namespace {

constexpr const char* kFits    = "done";
constexpr const char* kRefused = "refused";

// The same for every order of the keys.
std::string name_of(const std::string& point) { return scenario::sorted(parse_json(point, "point")).dump_compact(); }

store::Identity identity_of(const Json& source, const std::string& file, const Worlds& worlds, const Options& options) {
  Json question = source;
  if (options.engine != nullptr) question.set("engine", options.engine->name);
  if (worlds.count > 0) question.set("worlds", worlds.count).set("disturbances", worlds.said);
  // It is in the names of the points, so that searches of other strategies share the store.
  question.set("strategy", Json::object());
  return {"search", options.version, scenario::fingerprint(question, file), source.dump_compact()};
}

// Throws Error unless it is what print() writes of a prediction.
Prediction read_record(const store::Record& record) {
  const Prediction prediction = read_prediction(record.answer);
  for (const double number :
       {prediction.time.value(), prediction.samples_per_second, prediction.memory.value(), prediction.overflow}) {
    if (!std::isfinite(number) || number < 0) throw Error("prediction", "has a number that is not from 0 on");
  }
  if (record.status != (prediction.refusal ? kRefused : kFits))
    throw Error("status", "is " + Json(record.status).dump_compact() + ", which is not what the answer says");
  if (prediction.spread) {
    for (const Seconds time : {prediction.spread->undisturbed, prediction.spread->mean, prediction.spread->p95}) {
      if (!(time > Seconds(0)) || !std::isfinite(time.value())) throw Error("spread", "has a time that is not above 0");
    }
  }
  if (!prediction.predicted && !prediction.refusal) throw Error("prediction", "has neither a time nor a refusal");
  return prediction;
}

// A failure of the run may be one of the machine: the next search tries the point again.
bool lasts(const Prediction& prediction) { return !prediction.refusal || prediction.refusal->cause != Cause::run; }

}  // namespace

Kept::Kept(const Json& source, const std::string& file, const Worlds& worlds, const Options& options)
    : risk_(options.risk) {
  if (options.store.empty()) return;
  store_ = std::make_unique<store::Store>(options.store, identity_of(source, file, worlds, options));
  store_->claim();
  for (const auto& [point, record] : store_->finished()) {
    try {
      found_.emplace(point, read_record(record));
    } catch (const Error& error) {
      store_->fail(point, error.what());
    }
  }
  if (options.begun) options.begun(found_.size());
}

bool Kept::has(const std::string& point) const { return store_ != nullptr && found_.contains(name_of(point)); }

Later<std::vector<std::optional<Prediction>>> Kept::predictions(const std::vector<std::string>& points, Round& round,
                                                                const std::string& prefix) {
  const auto all = std::make_shared<std::vector<std::optional<Prediction>>>(points.size());
  for (size_t i = 0; i < points.size(); ++i) {
    const auto found = store_ == nullptr ? found_.end() : found_.find(name_of(points[i]));
    if (found != found_.end()) {
      (*all)[i] = found->second;
      reused_ += found->second.predicted ? 1 : 0;
      continue;
    }
    round.add(prefix + points[i], [this, all, i, point = points[i]](const std::string& answer) {
      (*all)[i] = read_prediction(answer);
      put(point, *(*all)[i], answer);
    });
  }
  return [this, all] {
    for (std::optional<Prediction>& prediction : *all) {
      if (prediction) prediction = judged(*std::move(prediction), risk_);
    }
    return std::move(*all);
  };
}

void Kept::put(const std::string& point, const Prediction& prediction, const std::string& answer) {
  if (store_ == nullptr || !lasts(prediction)) return;
  const std::string name = name_of(point);
  store_->put(name, {prediction.refusal ? kRefused : kFits, answer});
  found_.emplace(name, prediction);
}

}  // namespace foreflow::search
