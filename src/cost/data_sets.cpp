#include "cost/data_sets.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "cost/data_forms.h"
#include "foreflow/base/error.h"
#include "foreflow/base/text.h"

namespace foreflow::cost {
namespace {

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

const DataForm& form_of(const std::vector<std::string>& names, const std::string& name) {
  for (const DataForm& form : data_forms()) {
    if (std::find(names.begin(), names.end(), form.column) != names.end()) return form;
  }
  throw Error(name + ":1",
              "is in no form of published measurements that is known: products (dtype,m,n,k,latency_ms), attention, "
              "collectives, layers or shares of the peak");
}

}  // namespace

std::vector<DataSet> read_data_sets(std::string_view text, const std::string& name, const std::string& device) {
  const std::vector<std::string> lines = split(text, '\n');
  const std::vector<std::string> names = fields_of(lines.empty() ? std::string_view() : lines[0]);
  const DataForm& form                 = form_of(names, name);
  const std::string source             = fmt::format("{}, {}", name, form.by);
  std::map<std::pair<std::string, std::string>, std::vector<Sample>> found;
  for (size_t i = 1; i < lines.size(); ++i) {
    if (trim(lines[i]).empty()) continue;
    const FieldsOfRow row(names, fields_of(lines[i]), fmt::format("{}:{}", name, i + 1));
    if (form.several_devices && !device.starts_with(lower_case(row.first()))) continue;
    for (const Measured& one : form.read(row, device)) found[{one.law, one.of}].push_back(one.sample);
  }
  std::vector<DataSet> sets;
  for (auto& [key, samples] : found) sets.push_back({key.first, key.second, source, std::move(samples)});
  return sets;
}

}  // namespace foreflow::cost
