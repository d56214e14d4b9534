// What is special about some keys of a scenario. A `*` at the end stands for anything.
#pragma once

#include <array>
#include <string_view>

namespace foreflow::scenario {

// Keys whose one value is a list.
constexpr std::array<std::string_view, 7> kLists = {
    "workload.shapes.*",
    "platform.parts",
    "cost.all_reduce.*",
    "disturbances.slowdowns",
    "disturbances.links",
    "disturbances.links[*",
    "disturbances.background",
};

// A key whose value is the path of a file where it ends like this.
struct FileKey {
  std::string_view path;
  std::string_view ending;
};

constexpr std::array kFiles = {
    FileKey{"workload.onnx", ""},
    FileKey{"workload.distir", ""},
    FileKey{"platform.file", ""},
    FileKey{"cost.model", ".json"},
};

// Whether `pattern` stands for `path`.
bool stands_for(std::string_view pattern, std::string_view path);

}  // namespace foreflow::scenario
