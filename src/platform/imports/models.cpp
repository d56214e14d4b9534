// Data sheets by the names that drivers give to GPUs: "NVIDIA A100-SXM4-80GB", "NVIDIA H100 PCIe", "Tesla T4". A name
// of ours is a family, perhaps a form, and the memory: "A100-SXM4-80GB", "RTX-4090-24GB".
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "platform/imports/imports.h"

namespace foreflow::platform::imports {
namespace {

using Words = std::vector<std::string>;

// In capitals, parted at blanks and dashes.
Words words_of_name(std::string_view name) {
  std::string text;
  for (const char c : name) text += c == '-' ? ' ' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return words_of(text);
}

bool is_memory(const std::string& word) {
  return word.ends_with("GB") && std::isdigit(static_cast<unsigned char>(word.front())) != 0;
}
bool is_form(const std::string& word) { return word.starts_with("SXM") || word == "PCIE" || word == "NVL"; }

bool has(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// How many words of form and memory the two have in common; nothing where they are of different families or forms.
std::optional<int> likeness(const Words& sheet, const Words& model) {
  const bool model_has_form = std::any_of(model.begin(), model.end(), is_form);
  int common                = 0;
  for (const std::string& word : sheet) {
    const bool named = has(model, word);
    if (is_memory(word)) {
      common += named ? 1 : 0;
    } else if (is_form(word)) {
      if (model_has_form && !named) return std::nullopt;
      common += named ? 1 : 0;
    } else if (!named) {
      return std::nullopt;
    }
  }
  return common;
}

// For messages and for the comment of the file.
std::string in_words(const std::string& model) {
  Words words = imports::words_of(model);
  for (std::string& word : words) word = plain(word);
  return fmt::format("\"{}\"", fmt::join(words, " "));
}

}  // namespace

DataSheet sheet_of_model(const std::string& model, const ImportOptions& options, std::vector<std::string>& assumed) {
  const Words words     = words_of_name(model);
  const DeviceDef* best = nullptr;
  int most              = -1;
  for (const DeviceDef& device : devices()) {
    const std::optional<int> common = likeness(words_of_name(device.name), words);
    if (!common || *common <= most) continue;
    best = &device;
    most = *common;
  }
  if (best == nullptr) {
    const std::string why = model.empty() ? "which the file does not name"
                                          : fmt::format("as there is no data sheet of {}", in_words(model));
    return sheet_or(options, "A100-PCIE-80GB", why, assumed);
  }
  const Words named = words_of_name(best->name);
  if (std::all_of(named.begin(), named.end(), [&](const std::string& word) { return has(words, word); }))
    return changed(options.device, best->sheet);
  return sheet_or(options, best->name, fmt::format("taken for {}", in_words(model)), assumed);
}

}  // namespace foreflow::platform::imports

namespace foreflow::platform {

bool may_be_called(std::string_view name, std::string_view model) {
  return imports::likeness(imports::words_of_name(name), imports::words_of_name(model)).has_value();
}

}  // namespace foreflow::platform
