#include "foreflow/report/writer.h"
#include "report/picture.h"

namespace foreflow::report {
namespace {

std::string write(const Summary& summary, const stream::Program& program, const stream::Timeline& timeline,
                  const platform::Platform&) {
  return draw_timeline(summary, program, timeline);
}

}  // namespace

namespace definitions::svg {
WriterDef row() { return {"svg", "a picture of the timeline", write}; }
}  // namespace definitions::svg

}  // namespace foreflow::report
