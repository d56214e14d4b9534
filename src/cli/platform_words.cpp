#include "cli/platform_words.h"

#include "foreflow/base/text.h"

namespace foreflow::cli {
namespace {

// The equivalent of a scenario's "platform".
Json part_of(const PlatformWords& words) {
  Json part = Json::object().set(is_platform_file(words) ? "file" : "topology", words.name);
  if (is_scenario(words)) {
    const Json scenario = parse_json(read_file(words.name), words.name);
    part                = JsonView(scenario, words.name).at("platform").json();
  }
  if (words.nodes) part.set("nodes", *words.nodes);
  constexpr std::string_view kPrefix = "platform.";
  for (const std::string& setting : words.settings)
    scenario::override_with(part, setting.starts_with(kPrefix) ? setting.substr(kPrefix.size()) : setting);
  return part;
}

}  // namespace

bool is_platform_file(const PlatformWords& words) { return words.name.ends_with(".xml"); }
bool is_scenario(const PlatformWords& words) { return words.name.ends_with(".json"); }

scenario::PlatformChoice read_words(const PlatformWords& words, const std::string& command) {
  if (is_platform_file(words) && words.nodes)
    throw Error("--nodes", "a file has the nodes that it has; give the name of a topology");
  if (words.nodes && *words.nodes < 1)
    throw Error("--nodes", std::to_string(*words.nodes) + " is too small; use 1 or more");
  const Json holder = Json::object().set("platform", part_of(words));
  return scenario::read_platform(JsonView(holder, is_scenario(words) ? words.name : command).at("platform"));
}

}  // namespace foreflow::cli
