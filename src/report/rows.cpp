#include "report/rows.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace foreflow::report {
namespace {

constexpr double kNarrow = 1.0;   // in pixels: a narrower block is joined with its neighbour
constexpr double kGap    = 0.35;  // in pixels: shorter idle time is not visible

// FNV-1a over 64-bit words; 64 bits are enough to distinguish as many streams as a picture can show.
class Fingerprint {
 public:
  void add(uint64_t word) {
    for (int shift = 0; shift < 64; shift += 8) hash_ = (hash_ ^ ((word >> shift) & 0xFF)) * 1099511628211ULL;
  }
  uint64_t value() const { return hash_; }

 private:
  uint64_t hash_ = 14695981039346656037ULL;
};

uint64_t fingerprint(const stream::Program& program, const stream::Timeline& timeline, size_t stream) {
  const double tick = std::max(timeline.makespan.value() * 1e-6, 1e-15);
  Fingerprint print;
  const auto& items = program.streams[stream].items;
  for (size_t i = 0; i < items.size(); ++i) {
    const auto event = static_cast<size_t>(items[i].event);
    if (items[i].instance < 0) {
      print.add(event);
    } else {
      print.add(0x100000000ULL + static_cast<uint64_t>(program.communications[event].kind));
    }
    print.add(static_cast<uint64_t>(std::llround(timeline.records[stream][i].start.value() / tick)));
    print.add(static_cast<uint64_t>(std::llround(timeline.records[stream][i].end.value() / tick)));
  }
  return print.value();
}

// Joins narrow neighbouring blocks. A joined block has the colour of the family with the most time in it.
class Joiner {
 public:
  void add(const Block& block) {
    const bool touches = open_ && block.left - block_.right < kGap;
    if (touches && (block_.right - block_.left < kNarrow ||
                    (block.right - block.left < kNarrow && block.family == block_.family))) {
      block_.right = std::max(block_.right, block.right);
      block_.name  = {};
      weights_[block.family] += block.right - block.left;
      return;
    }
    close();
    open_  = true;
    block_ = block;
    weights_.clear();
    weights_[block.family] = block.right - block.left;
  }

  std::vector<Block> take() {
    close();
    return std::move(done_);
  }

 private:
  void close() {
    if (!open_) return;
    double most = -1;
    for (const auto& [family, weight] : weights_) {
      // By name where equal: addresses differ from run to run.
      if (weight < most || (weight == most && family->name > block_.family->name)) continue;
      most          = weight;
      block_.family = family;
    }
    done_.push_back(block_);
  }

  bool open_ = false;
  Block block_{};
  std::map<const Family*, double> weights_;
  std::vector<Block> done_;
};

}  // namespace

std::vector<Row> equal_streams(const stream::Program& program, const stream::Timeline& timeline) {
  std::vector<Row> rows;
  std::map<uint64_t, size_t> index;
  for (size_t s = 0; s < program.streams.size(); ++s) {
    if (program.streams[s].items.empty()) continue;
    const auto [found, fresh] = index.emplace(fingerprint(program, timeline, s), rows.size());
    if (fresh) rows.emplace_back();
    rows[found->second].streams.push_back(s);
  }
  return rows;
}

std::vector<Row> all_streams(const stream::Program& program) {
  std::vector<Row> rows;
  for (size_t s = 0; s < program.streams.size(); ++s) {
    if (!program.streams[s].items.empty()) rows.push_back({{s}});
  }
  return rows;
}

std::vector<Block> blocks(const stream::Program& program, const stream::Timeline& timeline, size_t stream,
                          double scale) {
  const auto& items = program.streams[stream].items;
  std::map<std::pair<bool, int32_t>, int> total, seen;
  for (const stream::Item& item : items) ++total[{item.instance < 0, item.event}];

  Joiner joiner;
  for (size_t i = 0; i < items.size(); ++i) {
    const stream::Item& item     = items[i];
    const stream::Record& record = timeline.records[stream][i];
    const auto event             = static_cast<size_t>(item.event);
    const bool compute           = item.instance < 0;
    const int occurrence         = seen[{compute, item.event}]++;
    if (record.end <= record.start) continue;
    const Family& family = compute ? phase_of(program.computes[event]) : family_of(program.communications[event]);
    const std::string_view name = compute ? program.computes[event].name : program.communications[event].name;
    joiner.add({record.start.value() * scale, record.end.value() * scale, &family, name, occurrence,
                total[{compute, item.event}]});
  }
  return joiner.take();
}

}  // namespace foreflow::report
