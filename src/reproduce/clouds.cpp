#include "reproduce/clouds.h"

#include <fmt/core.h>

#include <map>

#include "reproduce/published.h"

namespace foreflow::reproduce {
namespace {

std::string point_name(const std::string& model, const std::string& degrees, int64_t batch) {
  return fmt::format("{} {}, batch {}", model, degrees, batch);
}

std::map<std::string, Published> by_name(const std::string& path) {
  std::map<std::string, Published> rows;
  for (const Published& row : read_published(path)) {
    const std::string degrees =
        fmt::format("{}/{}/{}/{}", row.whole("d"), row.whole("t"), row.whole("p"), row.whole("k"));
    rows.emplace(point_name(row.word("model"), degrees, row.whole("batch")), row);
  }
  return rows;
}

}  // namespace

void add_cloud(Result& result, const std::string& model, const Question& question, const std::string& published,
               const Options& options) {
  const auto theirs = by_name(published);
  for (const search::Candidate& point : distir::searched(question, options, search::Pruning::none).ranked) {
    const Json* batch = point.strategy.find("global_batch");
    std::string name  = point_name(model, words_of(point.strategy), batch == nullptr ? 0 : *batch->if_int());
    Json more         = Json::object().set("peak_memory_bytes", whole_bytes(point.peak_memory));
    const auto known  = theirs.find(name);
    if (known == theirs.end()) {
      result.rows.push_back({std::move(name), {}, point.samples_per_second, {}, std::move(more)});
      continue;
    }
    more.set("published_peak_memory_bytes", whole_bytes(Bytes(1e9 * known->second.number("memory"))));
    result.rows.push_back(
        compare(std::move(name), known->second.number("throughput"), point.samples_per_second, std::move(more)));
  }
}

}  // namespace foreflow::reproduce
