#include "search/exhaustive/branch_worker.h"

#include <algorithm>
#include <memory>

namespace foreflow::search {
namespace {

constexpr size_t kTogether    = 64;   // branches in one request, which are expanded
constexpr auto kExpandRequest = "e";  // before a list of branches
constexpr auto kRefineRequest = "r";  // likewise

// The answers to requests of this kind, one for each list of branches.
Later<std::vector<std::string>> ask(const std::string& kind, const std::vector<std::vector<const Prospect*>>& lists,
                                    Round& round) {
  const auto answers = std::make_shared<std::vector<std::string>>(lists.size());
  for (size_t i = 0; i < lists.size(); ++i) {
    Json together = Json::array();
    for (const Prospect* branch : lists[i]) together.push(to_json(*branch));
    round.add(kind + together.dump_compact(), [answers, i](const std::string& answer) { (*answers)[i] = answer; });
  }
  return [answers] { return std::move(*answers); };
}

std::vector<std::vector<const Prospect*>> in_lists(const std::vector<const Prospect*>& branches) {
  std::vector<std::vector<const Prospect*>> lists;
  for (const Prospect* branch : branches) {
    if (lists.empty() || lists.back().size() == kTogether) lists.emplace_back();
    lists.back().push_back(branch);
  }
  return lists;
}

}  // namespace

Later<std::vector<std::variant<Refused, Prospect>>> ask_children(const std::vector<const Prospect*>& branches,
                                                                 Round& round) {
  return [texts = ask(kExpandRequest, in_lists(branches), round)] {
    std::vector<std::variant<Refused, Prospect>> children;
    for (const std::string& text : texts()) {
      const Json answers = parse_json(text, "branches");
      for (const JsonView& child : JsonView(answers, "branches").items()) {
        Prospect prospect = read_prospect(child.at("prospect"));
        if (child.has("refusal"))
          children.emplace_back(Refused{prospect.branch(), read_refusal(child.at("refusal"))});
        else
          children.emplace_back(std::move(prospect));
      }
    }
    return children;
  };
}

Later<std::vector<Refined>> ask_refined(const std::vector<std::vector<const Prospect*>>& lists, Round& round) {
  return [texts = ask(kRefineRequest, lists, round)] {
    std::vector<Refined> all;
    for (const std::string& text : texts()) {
      for (const Refined& one : read_refined(text)) all.push_back(one);
    }
    return all;
  };
}

std::string BranchWorker::answer(const std::string& request) {
  const Json asked = parse_json(request.substr(1), "branches");
  if (request[0] == *kPredictRequest) return print(predictor_.predict(question_.read(asked)));
  const JsonView prospects(asked, "branches");
  return request[0] == *kExpandRequest ? children_of(prospects) : bounds_of(prospects);
}

std::string BranchWorker::children_of(const JsonView& prospects) {
  Json children = Json::array();
  for (const JsonView& one : prospects.items()) {
    const Prospect parent = read_prospect(one);
    for (const Branch& child : surveyor_.branches().children(parent.branch())) children.push(judged(child, parent));
  }
  return children.dump_compact();
}

Json BranchWorker::judged(const Branch& child, const Prospect& parent) {
  const bool is_priced = parent.bounded_by != BoundedBy::demand;
  auto found           = surveyor_.judge(child, parent.number, &parent, is_priced ? microbatch_ : nullptr);
  Json json            = Json::object();
  if (const auto* refused = std::get_if<Refused>(&found)) {
    const Prospect place{{}, {}, parent.number, child.region, child.depth, child.point.dump_compact()};
    return json.set("prospect", to_json(place)).set("refusal", json_of(refused->refusal));
  }
  // The refined bound of a branch is that of its fastest point.
  const Branches& branches = surveyor_.branches();
  Prospect& own            = std::get<Prospect>(found);
  own.bounded_by           = parent.bounded_by;
  own.is_uncut             = parent.is_uncut;
  if (own.bounded_by == BoundedBy::step && branches.fastest(child) != branches.fastest(parent.branch()))
    own.bounded_by = BoundedBy::stages;
  return json.set("prospect", to_json(own));
}

std::string BranchWorker::bounds_of(const JsonView& prospects) {
  std::vector<Refined> all;
  for (const JsonView& one : prospects.items()) all.push_back(tighter_bound(read_prospect(one)));
  return print(all);
}

Refined BranchWorker::tighter_bound(const Prospect& prospect) {
  const Branch branch      = prospect.branch();
  const Branches& branches = surveyor_.branches();
  const Json fastest       = branches.fastest(branch);
  const ReadPoint read     = question_.read(fastest);
  if (!read.scenario) return {};
  if (prospect.bounded_by == BoundedBy::demand) return {surveyor_.bound_of(branch, read, microbatch_)};
  if (prospect.bounded_by == BoundedBy::step) return {attempt(read), prospect.is_uncut};
  if (branches.can_be_refined(branch)) return refiner_.refine(read);
  std::vector<std::vector<ReadPoint>> points;
  for (const Json& point : branches.differently_cut(branch)) {
    points.push_back(with_placements(point, branches.counted(branch)));
    for (const ReadPoint& one : points.back()) {
      if (!one.scenario) return {};
    }
  }
  return {refiner_.sketch(points)};
}

Bound BranchWorker::attempt(const ReadPoint& point) {
  std::vector<Seconds> times = refiner_.least_in_worlds(point);
  times.resize(question_.worlds().count);
  for (Seconds& time : times) time = question_.least_factor() * time;
  const std::vector<Seconds> first = predictor_.in_first_worlds(point, Question::kFirstWorlds);
  std::copy(first.begin(), first.end(), times.begin());
  const Seconds judged = at_risk(spread_of(Seconds(0), std::move(times)), question_.worlds().risk);
  return {kRounding / question_.least_factor() * judged, Bytes(0)};
}

std::vector<ReadPoint> BranchWorker::with_placements(const Json& point, const std::vector<Json>& placements) const {
  if (placements.empty()) return {question_.read(point)};
  std::vector<ReadPoint> points;
  for (const Json& placement : placements) points.push_back(question_.read(with(point, placement)));
  return points;
}

}  // namespace foreflow::search
