// Tensors that commands read, compare and write: what `evaluate` and `execute` share.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "foreflow/base/json.h"
#include "foreflow/ir/module.h"

namespace foreflow::cli {

using Arrays = std::map<std::string, ir::Array>;

// Files of "NAME=FILE.pb" settings, by name.
Arrays read_arrays(const std::vector<std::string>& settings, const std::string& option);

// Error at --input when `function` has no parameter of a given name.
void check_known(const Arrays& given, const ir::Function& function);

struct Tolerance {
  double relative = 1e-3, absolute = 1e-7;
};

// Outputs as they are reported, with their largest errors where something was expected.
class OutputReport {
 public:
  explicit OutputReport(Tolerance tolerance) : tolerance_(tolerance) {}

  // `expected` may be null. Tuples are compared element by element.
  void add(const std::string& name, const ir::Array& array, const ir::Array* expected);

  const Json& json() const { return outputs_; }      // member "outputs" of the answer
  const std::string& text() const { return text_; }  // a line for each
  std::string summary() const;                       // one line for all
  // Throws Error at `file` when an output differs by more than is tolerated.
  void check(const std::string& file) const;

 private:
  Tolerance tolerance_;
  Json outputs_ = Json::array();
  std::string text_;
  size_t compared_         = 0;
  double largest_absolute_ = 0, largest_relative_ = 0;
  std::vector<std::string> failures_;
};

// Error at --expect when something is left that is no output.
void check_expected(const Arrays& left, const std::vector<std::string>& outputs);

// folder/output_N.pb
void write_outputs(const std::string& folder, const std::vector<ir::Array>& results,
                   const std::vector<std::string>& names);

}  // namespace foreflow::cli
