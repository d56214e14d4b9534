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

const DataForm& form_of(const std::vector<std::string>& names, const std::string& where) {
  for (const DataForm& form : data_forms()) {
    if (std::find(names.begin(), names.end(), form.column) != names.end()) return form;
  }
  throw Error(where,
              "is in no form of published measurements that is known: products (dtype,m,n,k,latency_ms), attention, "
              "collectives, layers, shares of the peak or what calibration/profile.py writes");
}

}  // namespace

std::vector<DataSet> read_data_sets(std::string_view text, const std::string& name, const std::string& device) {
  const std::vector<std::string> lines = split(after_byte_order_mark(text), '\n');
  size_t head                          = 0;
  while (head + 1 < lines.size() && lines[head].starts_with('#')) ++head;
  const std::vector<std::string> names = fields_of(lines.empty() ? std::string_view() : lines[head]);
  const DataForm& form                 = form_of(names, fmt::format("{}:{}", name, head + 1));
  const std::string source             = fmt::format("{}, {}", name, form.by);
  std::map<std::pair<std::string, std::string>, std::vector<Sample>> found;
  for (size_t i = head + 1; i < lines.size(); ++i) {
    if (trim(lines[i]).empty() || lines[i].starts_with('#')) continue;
    const FieldsOfRow row(names, fields_of(lines[i]), fmt::format("{}:{}", name, i + 1));
    if (form.several_devices && !device.starts_with(lower_case(row.first()))) continue;
    for (const Measured& one : form.read(row, device)) found[{one.law, one.of}].push_back(one.sample);
  }
  std::vector<DataSet> sets;
  for (auto& [key, samples] : found)
    sets.push_back({key.first, key.second, source, std::move(samples), form.fits == Fits::clock});
  return sets;
}

}  // namespace foreflow::cost
