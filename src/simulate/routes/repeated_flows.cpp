#include "simulate/routes/repeated_flows.h"

#include <algorithm>
#include <utility>

#include "foreflow/base/nth.h"

namespace foreflow::simulate {
namespace {

using collective::Flow;

// Looking for images of fewer would cost more than it saves.
constexpr size_t kLeast = 32;

// Finds the flow of the first block that each is an image of.
class Repetition {
 public:
  Repetition(const std::vector<Flow>& flows, int images, int ranks)
      : flows_(flows),
        images_(images),
        ranks_(ranks),
        block_(ranks / images),
        newest_(static_cast<size_t>(block_), -1),
        older_(flows.size(), -1),
        last_(flows.size(), -1),
        count_(flows.size(), 1) {}

  // RepeatedFlows::like; nothing if some are no images.
  std::vector<int32_t> run() {
    std::vector<int32_t> like;
    like.reserve(flows_.size());
    for (size_t i = 0; i < flows_.size(); ++i) {
      const Flow& flow = flows_[i];
      if (flow.from >= ranks_ || flow.to >= ranks_) return {};
      if (flow.from < block_) older_[i] = std::exchange(nth(newest_, flow.from), static_cast<int32_t>(i));
    }
    for (size_t i = 0; i < flows_.size(); ++i) {
      like.push_back(flows_[i].from < block_ ? static_cast<int32_t>(i) : image_of(flows_[i]));
      if (like.back() < 0) return {};
    }
    for (size_t i = 0; i < flows_.size(); ++i) {
      if (flows_[i].from < block_ && count_[i] != images_) return {};
    }
    return like;
  }

 private:
  int32_t image_of(const Flow& flow) {
    const int in_block = flow.from % block_, moved = flow.from - in_block;
    const int to   = flow.to >= moved ? flow.to - moved : flow.to - moved + ranks_;
    int32_t number = nth(newest_, in_block);
    while (number >= 0 && (nth(flows_, number).to != to || nth(flows_, number).share != flow.share))
      number = nth(older_, number);
    if (number < 0) return -1;
    ++nth(count_, number);
    // One image in each block.
    return std::exchange(nth(last_, number), flow.from) < flow.from ? number : -1;
  }

  const std::vector<Flow>& flows_;
  const int images_, ranks_, block_;
  std::vector<int32_t> newest_, older_;  // flows of the first block, by rank; the one before from the same rank
  std::vector<int32_t> last_, count_;    // of a flow of the first block: the rank of its last image, and how many
};

bool meet_themselves(const std::vector<Flow>& flows, const std::vector<int>& places) {
  return std::any_of(flows.begin(), flows.end(),
                     [&](const Flow& flow) { return nth(places, flow.from) == nth(places, flow.to); });
}

}  // namespace

RepeatedFlows not_repeated(const platform::Platform& platform) {
  return {platform::Rotation(static_cast<int>(platform.links().size())), {}};
}

RepeatedFlows repeated(const platform::Platform& platform, const std::vector<Flow>& flows,
                       const stream::Placed& placed) {
  const std::vector<int>& places = placed.places;
  if (flows.size() < kLeast || meet_themselves(flows, places)) return not_repeated(platform);
  const platform::Rotation& rotation = platform.rotation();
  const int most                     = platform::count_images(platform, places);
  // Rings enter every other node on another rail, so it may take two blocks to come to the same again.
  for (const int images : {most, most / 2}) {
    if (images < 2 || most % images != 0) continue;
    auto like = Repetition(flows, images, static_cast<int>(places.size())).run();
    if (!like.empty()) return {rotation.by(rotation.parts() / images), std::move(like)};
  }
  return not_repeated(platform);
}

}  // namespace foreflow::simulate
