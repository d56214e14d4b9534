#include "execute/pytorch_log.h"

#include "foreflow/base/json.h"

namespace foreflow::execute {
namespace {

ProcessLog process_of(const JsonView& rank) {
  ProcessLog log;
  for (const JsonView& signature : rank.at("signatures").items()) log.signatures.push_back(signature.as_string());
  for (const JsonView& iteration : rank.at("iterations").items()) {
    const auto span = iteration.items();
    if (span.size() != 2) iteration.fail("is a list of two times");
    log.iterations.push_back({Seconds(span[0].as_number()), Seconds(span[1].as_number()), {}});
  }
  size_t at = 0;
  for (const JsonView& op : rank.at("ops").items()) {
    const auto row = op.items();
    if (row.size() != 3) op.fail("is a list of the number of a signature and two times");
    const LoggedOp logged{static_cast<size_t>(row[0].as_int()), Seconds(row[1].as_number()),
                          Seconds(row[2].as_number())};
    if (logged.signature >= log.signatures.size()) row[0].fail("is no number of a signature");
    while (at < log.iterations.size() && log.iterations[at].end < logged.begin) ++at;
    if (at == log.iterations.size()) op.fail("is in no iteration");
    log.iterations[at].ops.push_back(logged);
  }
  return log;
}

}  // namespace

std::vector<ProcessLog> parse_log(std::string_view text, const std::string& file) {
  const Json json = parse_json(text, file);
  std::vector<ProcessLog> ranks;
  for (const JsonView& rank : JsonView(json, file).at("ranks").items()) ranks.push_back(process_of(rank));
  return ranks;
}

std::vector<ProcessLog> every(const std::vector<ProcessLog>& logs, size_t turns, size_t turn) {
  std::vector<ProcessLog> chosen;
  for (const ProcessLog& log : logs) {
    chosen.push_back({log.signatures, {}});
    for (size_t i = turn; i < log.iterations.size(); i += turns) chosen.back().iterations.push_back(log.iterations[i]);
  }
  return chosen;
}

}  // namespace foreflow::execute
