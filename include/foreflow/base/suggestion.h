// Suggestions for errors that report an unknown name.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foreflow {

// The candidate that `name` likely stands for, by `nearest` (foreflow/base/text.h). Nothing if none is near.
std::optional<std::string> near_name(std::string_view name, const std::vector<std::string>& candidates);

// "; the nearest is \"ring\"", by `nearest` (foreflow/base/text.h). Where no candidate is near, "; use ring or tree" if
// they are few, and nothing otherwise.
std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

// The same for names of which there may be many, such as devices of a platform: where none is near and they are not
// few, it shows how they look: "; the first of 128 is \"node0-gpu0\"".
std::string suggestion_or_first(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace foreflow
