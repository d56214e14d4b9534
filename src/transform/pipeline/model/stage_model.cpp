#include "foreflow/transform/stage_model.h"

#include "transform/pipeline/model/model_cuts.h"
#include "transform/pipeline/model/modelled_program.h"
#include "transform/pipeline/model/program_needs.h"
#include "transform/pipeline/model/stage_needs.h"

namespace foreflow::transform {

// Answers for equal cuts are found once.
class StageModel::Program {
 public:
  Program(std::shared_ptr<const ir::Module> module, const ir::OpTable& ops, bool split_backward, int parts,
          const ir::WrittenDevices& written, const Price& price)
      : split_(split_backward),
        program_(std::move(module), parts, written),
        anywhere_(needs_of(program_, ops, price)),
        cuts_(program_) {}

  const std::vector<Message>& messages() const { return anywhere_.messages.distinct; }

  size_t add_prices(const StagePrices& prices) { return cuts_.add_prices(prices); }

  const std::vector<StageNeed>& needs(const Pipeline& wanted, size_t prices) {
    const auto [found, fresh] = needs_.try_emplace(cuts_.find(wanted, prices));
    if (fresh) found->second = needs_of_stages(program_, anywhere_, found->first, split_);
    return found->second;
  }

 private:
  const bool split_;
  const ModelledProgram program_;
  const ProgramNeeds anywhere_;
  ModelCuts cuts_;
  std::map<Cuts, std::vector<StageNeed>> needs_;
};

StageModel::StageModel(std::shared_ptr<const ir::Module> module, const ir::OpTable& ops, bool split_backward, int parts,
                       const ir::WrittenDevices& written, const Price& price)
    : program_(std::make_unique<Program>(std::move(module), ops, split_backward, parts, written, price)) {}

StageModel::StageModel(StageModel&&) noexcept = default;

StageModel::~StageModel() = default;

const std::vector<StageModel::Message>& StageModel::messages() const { return program_->messages(); }

size_t StageModel::add_prices(const StagePrices& prices) { return program_->add_prices(prices); }

const std::vector<StageNeed>& StageModel::needs(const Pipeline& wanted, size_t prices) {
  return program_->needs(wanted, prices);
}

}  // namespace foreflow::transform
