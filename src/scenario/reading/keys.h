// Keys of a scenario that need special treatment. A `*` at the end of a pattern matches any text.
#pragma once

#include <array>
#include <string_view>

namespace foreflow::scenario {

// Members of maps whose one value is a list. Other keys say it in their rows (ValueType::is_list).
constexpr std::array<std::string_view, 3> kListsInMaps = {"workload.shapes.*", "workload.inputs.*",
                                                          "cost.all_reduce.*"};

// Keys below whose values no list is an axis: they hold what a calibration's file does.
constexpr std::array<std::string_view, 2> kTables = {"cost.families", "cost.laws"};

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

// True when `pattern` matches `path`, which is the path of a key of the scenario or of one of its jobs.
bool stands_for(std::string_view pattern, std::string_view path);

}  // namespace foreflow::scenario
