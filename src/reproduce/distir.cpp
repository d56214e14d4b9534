#include "reproduce/distir.h"

namespace foreflow::reproduce::distir {

Question space_of(const Options& options, const std::string& model, const std::string& where) {
  for (const Model& row : kModels) {
    if (row.name == model) return question(options, "distir_table1/" + std::string(row.scenario));
  }
  throw Error(where, "\"" + model + "\" is none of the paper's models, such as \"MLP 1B\"");
}

std::string published(const Options& options, std::string_view name) {
  return options.folder + "/tests/published/distir/" + std::string(name);
}

search::Result searched(const Question& question, const Options& options, search::Pruning pruning, size_t top) {
  search::Options how;
  how.jobs    = options.jobs;
  how.top     = top;
  how.pruning = pruning;
  return search::search(question.source, question.file, how);
}

}  // namespace foreflow::reproduce::distir
