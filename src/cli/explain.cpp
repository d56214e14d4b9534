// The terms that a prediction is made of, and for a scenario with a framework what each of its settings changes: the
// scenario is predicted again without it. Without a framework: what the prediction takes for granted.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>

#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/remarks.h"
#include "foreflow/base/text.h"
#include "foreflow/ops/table.h"
#include "foreflow/scenario/assumptions.h"
#include "foreflow/scenario/framework.h"
#include "foreflow/scenario/run.h"

namespace foreflow::cli::definitions::explain_command {
namespace {

struct Options {
  std::string scenario, json;
  std::vector<std::string> settings;
};

struct Term {
  std::string name;
  Seconds seconds;  // of the average device
  std::string provenance;
};

struct Effect {
  scenario::FrameworkSetting setting;
  Seconds added;        // to the iteration
  Bytes memory;         // to the peak of the fullest device
  std::string refused;  // why the scenario cannot be predicted without it; empty: it can
};

report::Summary predicted(const Json& json, const std::string& file) {
  return scenario::run(scenario::load(json, file)).summary;
}

Bytes peak(const report::Summary& summary) {
  Bytes most;
  for (const report::DeviceSummary& device : summary.devices) most = std::max(most, device.peak_memory);
  return most;
}

// Returns the provenance of most of the priced time.
std::string provenance_of_computes(const report::Summary& summary) {
  std::string name = "roofline";
  double most      = 0;
  const auto* all  = summary.job.cost_provenance.if_object();
  if (all == nullptr) return name;
  for (const auto& [from, share] : *all) {
    const double part = share.if_double() != nullptr ? *share.if_double() : 0;
    if (part <= most) continue;
    most = part;
    name = from;
  }
  return name;
}

// Returns the provenance of most of the time of the messages of an op.
std::string provenance_of_messages(const report::Summary& summary, const std::string& op) {
  std::map<std::string, Seconds> seconds{{"simulated", Seconds(0)}};
  for (const report::CollectiveSummary& one : summary.collectives) {
    if (one.name == op) seconds[one.provenance] += one.ranks * one.time;
  }
  return std::max_element(seconds.begin(), seconds.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

std::vector<Term> terms_of(const report::Summary& summary) {
  std::vector<Term> terms;
  for (const report::OpTime& op : summary.ops) {
    const ir::OpDef* def = ops::table().find(op.name);
    const bool message   = def != nullptr && def->communication != ir::Communication::none;
    const auto found = std::find_if(terms.begin(), terms.end(), [&](const Term& one) { return one.name == op.family; });
    if (found != terms.end()) {
      found->seconds += op.seconds;
    } else {
      terms.push_back({op.family, op.seconds,
                       message ? provenance_of_messages(summary, op.name) : provenance_of_computes(summary)});
    }
  }
  double idle = 0, host = 0, devices = 0;
  for (const report::DeviceSummary& device : summary.devices) {
    const auto represented = static_cast<double>(device.count());
    idle += (device.idle - device.host_idle).value() * represented;
    host += (device.host_idle + device.host_inside).value() * represented;
    devices += represented;
  }
  terms.push_back({"idle", Seconds(devices > 0 ? idle / devices : 0), "simulated"});
  terms.push_back({"host", Seconds(devices > 0 ? host / devices : 0), "simulated"});
  std::stable_sort(terms.begin(), terms.end(), [](const Term& a, const Term& b) { return a.seconds > b.seconds; });
  return terms;
}

// The share of the communication of the average device during which it also computes.
double hidden_share(const report::Summary& summary) {
  Seconds both, communication;
  for (const report::DeviceSummary& device : summary.devices) {
    const auto represented = static_cast<double>(device.count());
    both += represented * (device.compute + device.communication - device.busy);
    communication += represented * device.communication;
  }
  return communication > Seconds(0) ? std::max(both, Seconds(0)) / communication : 0;
}

// The time that more than one term counts: of messages that travel while their device computes, or while another of its
// messages does. The terms less it add up to the iteration.
Seconds counted_again(const report::Summary& summary, const std::vector<Term>& terms) {
  constexpr double kRounding = 1e-9;
  Seconds sum;
  for (const Term& term : terms) sum += term.seconds;
  const Seconds more = sum - summary.iteration_time;
  return more > kRounding * summary.iteration_time ? more : Seconds(0);
}

// The object without a member.
Json without(const Json& json, std::string_view key) {
  Json rest = Json::object();
  for (const auto& [name, value] : *json.if_object()) {
    if (name != key) rest.set(name, value);
  }
  return rest;
}

Json without_setting(const Json& scenario, const std::string& setting) {
  const auto words        = split(setting, '.');
  const std::string &part = words[0], &key = words[1];
  Json rest = scenario;
  return rest.set(part, without(*scenario.find(part), key));
}

Json without_setting_of_job(const Json& scenario, size_t job, const std::string& setting) {
  Json jobs = Json::array(), rest = scenario;
  for (const Json& one : *scenario.find("jobs")->if_array())
    jobs.push(jobs.if_array()->size() == job ? without_setting(one, setting) : one);
  return rest.set("jobs", std::move(jobs));
}

// `without`: the scenario that lacks the setting.
Effect effect_of(const scenario::FrameworkSetting& setting, const Json& without, const std::string& file,
                 const report::Summary& with) {
  try {
    const report::Summary other = predicted(without, file);
    return {setting, with.iteration_time - other.iteration_time, peak(with) - peak(other), ""};
  } catch (const Error& error) {
    return {setting, {}, {}, error.problem()};
  }
}

// True if every job has that part of a scenario for itself, so that none inherits what stands around them.
bool all_jobs_have(const Json& scenario, const std::string& part) {
  const Json* jobs = scenario.find("jobs");
  return jobs != nullptr && std::all_of(jobs->if_array()->begin(), jobs->if_array()->end(),
                                        [&](const Json& job) { return job.find(part) != nullptr; });
}

// The effects of the settings around the jobs, then of those that each job has for itself.
std::vector<Effect> effects_of(const scenario::Completed& completed, const Json& plain, const std::string& file,
                               const report::Summary& with) {
  std::vector<Effect> effects;
  for (const scenario::FrameworkSetting& setting : completed.applied) {
    if (all_jobs_have(plain, split(setting.key, '.')[0])) continue;
    effects.push_back(effect_of(setting, without_setting(plain, setting.key), file, with));
  }
  for (size_t job = 0; job < completed.of_jobs.size(); ++job) {
    for (scenario::FrameworkSetting setting : completed.of_jobs[job]) {
      const Json rest = without_setting_of_job(plain, job, setting.key);
      setting.key     = fmt::format("jobs[{}].{}", job, setting.key);
      effects.push_back(effect_of(setting, rest, file, with));
    }
  }
  return effects;
}

const scenario::Framework* known(const Json& scenario) {
  const Json* name = scenario.find("framework");
  if (name == nullptr || name->if_string() == nullptr) return nullptr;
  for (const scenario::Framework& one : scenario::frameworks()) {
    if (one.name == *name->if_string()) return &one;
  }
  return nullptr;
}

std::string signed_words(const std::string& words, bool negative) { return (negative ? "- " : "+ ") + words; }

std::string text_of(const report::Summary& summary, const std::vector<Term>& terms, const std::vector<Effect>& effects,
                    const scenario::Framework* framework, const std::vector<scenario::Assumption>& assumed) {
  std::string out = fmt::format("{}\n\n  iteration {}, peak of memory {}\n\nTerms, on the average device\n",
                                summary.job.name, format(summary.iteration_time), format(peak(summary)));
  for (const Term& term : terms) {
    if (!(term.seconds > Seconds(0))) continue;
    out += fmt::format("  {:<17}{:>6.1f} %  {:>9}   {}\n", term.name, 100 * (term.seconds / summary.iteration_time),
                       format(term.seconds), term.provenance);
  }
  constexpr double kShownAsZero = 0.0005, kZero = 1e-12;  // of the iteration; less is rounding
  const Seconds again = counted_again(summary, terms);
  if (const double share = hidden_share(summary); share > kShownAsZero) {
    out += fmt::format("  {:.1f} % of the communication is hidden behind compute: {} that more than one term counts\n",
                       100 * share, format(again));
  } else if (again > kShownAsZero * summary.iteration_time) {
    out += fmt::format("  messages travel at the same time: {} that more than one term counts\n", format(again));
  }
  if (!effects.empty()) {
    out +=
        "\nWhat the framework sets, and what each adds to the iteration and to the memory: differences to predictions "
        "without that setting alone, which need not add up\n";
  }
  for (const Effect& one : effects) {
    const std::string what = one.setting.key + " " + one.setting.value.dump_compact();
    const Seconds added = std::abs(one.added.value()) < kZero * summary.iteration_time.value() ? Seconds(0) : one.added;
    const std::string time = signed_words(format(Seconds(std::abs(added.value()))), added < Seconds(0));
    const std::string size = signed_words(format(Bytes(std::abs(one.memory.value()))), one.memory < Bytes(0));
    out += one.refused.empty() ? fmt::format("  {:<38} {:>11}{:>12}   ", what, time, size)
                               : fmt::format("  {:<38} {:>23}   ", what, "needed");
    out += one.setting.why + (one.setting.assumed ? " (assumed)" : "") + "\n";
  }
  if (framework != nullptr) {
    out += "\nWhat " + framework->name + " does and the prediction leaves out\n";
    for (const std::string& one : framework->missing) out += "  " + one + "\n";
  }
  if (!assumed.empty())
    out += "\nWhat is assumed without a framework (foreflow list frameworks), and the key that changes it\n";
  for (const scenario::Assumption& one : assumed) out += fmt::format("  {:<28}{}\n", one.key, one.what);
  return out;
}

Json json_of(const report::Summary& summary, const std::vector<Term>& terms, const std::vector<Effect>& effects,
             const scenario::Framework* framework, const std::vector<scenario::Assumption>& assumed) {
  Json rows = Json::array(), sets = Json::array();
  for (const Term& term : terms)
    rows.push(
        Json::object().set("name", term.name).set("seconds", term.seconds.value()).set("provenance", term.provenance));
  for (const Effect& one : effects) {
    Json row = Json::object().set("key", one.setting.key).set("value", one.setting.value);
    row.set("why", one.setting.why).set("assumed", one.setting.assumed);
    if (one.refused.empty()) row.set("seconds", one.added.value()).set("memory_bytes", whole_bytes(one.memory));
    if (!one.refused.empty()) row.set("refused", one.refused);
    sets.push(std::move(row));
  }
  Json json = Json::object().set("iteration_time_s", summary.iteration_time.value());
  json.set("peak_memory_bytes", whole_bytes(peak(summary))).set("terms", std::move(rows));
  json.set("hidden_communication_s", counted_again(summary, terms).value()).set("settings", std::move(sets));
  if (framework == nullptr) {
    Json all = Json::array();
    for (const scenario::Assumption& one : assumed)
      all.push(Json::object().set("key", one.key).set("assumed", one.what));
    return json.set("assumptions", std::move(all));
  }
  Json missing = Json::array();
  for (const std::string& one : framework->missing) missing.push(one);
  return json.set("framework", framework->name).set("not_modelled", std::move(missing));
}

void run(const Options& options) {
  Json json = parse_json(read_file(options.scenario), options.scenario);
  for (const std::string& setting : options.settings) scenario::override_with(json, setting);
  remark_on_opsets(json, options.scenario);
  const scenario::Completed completed  = scenario::with_framework(json, options.scenario);
  const Json plain                     = without(completed.json, "framework");
  const report::Summary summary        = predicted(plain, options.scenario);
  const std::vector<Effect> effects    = effects_of(completed, plain, options.scenario, summary);
  const auto terms                     = terms_of(summary);
  const scenario::Framework* framework = known(json);
  std::vector<scenario::Assumption> assumed;
  if (framework == nullptr) assumed = scenario::assumptions(scenario::load(plain, options.scenario));
  answer(options.json, json_of(summary, terms, effects, framework, assumed),
         text_of(summary, terms, effects, framework, assumed));
}

Action declare(CLI::App& command) {
  const auto options = std::make_shared<Options>();
  reads_scenario(command.add_option("SCENARIO.json", options->scenario, "what to predict")->required());
  command.add_option("--set", options->settings, "PATH=VALUE: change one value, such as strategy.tp=4; repeatable")
      ->expected(1)
      ->take_all();
  writes(command.add_option("--json", options->json, "write the terms to FILE (- for stdout)"));
  return [options] { run(*options); };
}

}  // namespace

CommandDef row() {
  return {"explain",
          "the terms of a prediction, and what each setting of its framework adds, or what is assumed without one",
          "foreflow explain scenarios/frameworks/llama3_8b_fsdp.json", declare};
}

}  // namespace foreflow::cli::definitions::explain_command
