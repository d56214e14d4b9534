// "jobs": several workloads on one platform. What a job leaves out is what the scenario says for all of them.
#include <set>

#include "scenario/keys/sections.h"
#include "scenario/read.h"

namespace foreflow::scenario {
namespace {

constexpr int64_t kMostIterations = 10'000;  // each is written out

// Every job with all of its parts in its own object.
Json filled_in(const JsonView& root) {
  Json jobs = Json::array();
  for (const JsonView& own : root.at("jobs").items()) {
    own.allow_only(names_of(job_keys()));
    Json job = own.json();
    for (const std::string_view part : kPartsOfJobs) {
      if (!own.has(part) && root.has(part)) job.set(part, root.at(part).json());
    }
    jobs.push(std::move(job));
  }
  return Json(root.json()).set("jobs", std::move(jobs));
}

// Names are part of the names of devices, so that they have to be told apart.
std::string read_name(const JsonView& json, int number, std::set<std::string>& taken) {
  const std::string name = json.string_or("name", "job" + std::to_string(number + 1));
  if (name.empty()) json.at("name").fail("is empty; give the job a name or leave it out");
  if (name.find('/') != std::string::npos)
    json.at("name").fail("\"" + name + "\" has a '/', which joins the name of a job and of its device; leave it out");
  if (taken.insert(name).second) return name;
  (json.has("name") ? json.at("name") : json).fail("two jobs have the name \"" + name + "\"; rename one");
}

Job read_job(const Scenario& whole, int number, std::set<std::string>& names) {
  Job job{whole, Seconds(0), 1};
  job.scenario.job    = number;
  const JsonView json = root_of(job.scenario);
  job.scenario.name   = read_name(json, number, names);
  read_work(json, job.scenario);
  job.iterations = static_cast<int>(positive_or(json, "iterations", 1, kMostIterations));
  if (!json.has("start")) return job;
  job.start = json.at("start").as_seconds();
  if (job.start < Seconds(0)) json.at("start").fail("is before the beginning; use \"0s\" or later");
  return job;
}

}  // namespace

Scenario with_jobs(Scenario scenario) {
  scenario.source    = filled_in(root_of(scenario));
  const size_t count = root_of(scenario).at("jobs").items().size();
  if (count == 0) root_of(scenario).at("jobs").fail("lists no job; give one or more");
  std::vector<Job> jobs;
  std::set<std::string> names;
  for (size_t i = 0; i < count; ++i) jobs.push_back(read_job(scenario, static_cast<int>(i), names));
  scenario.jobs = std::move(jobs);
  return scenario;
}

}  // namespace foreflow::scenario
