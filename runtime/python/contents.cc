#include <cstddef>
#include <string_view>

#include <executorch/runtime/python/contents.h>

namespace executorch {
namespace runtime {
namespace python {
namespace {

struct Kind {
  size_t offset;
  std::string_view mark;
  const char* advice;
};

constexpr Kind kKinds[] = {
    {0, "PK\x03\x04",
     "this is a zip archive, as torch.save() and torch.export.save() write it: bring the model "
     "into "
     "a program with to_executorch()"},
    {0, "\x80\x02", "this is a pickle, as torch.save() wrote it in the past, not a program"},
    {0, "GGUF", "this is a GGUF file, not a program"},
    {4, "FT01", "this is external data (.ptd): load the program, and give this as data_path"},
    {4, "BP08", "this is a bundled program: load its bytes instead of its path"},
    {4, "ET", "this is a program in a version of the file format that this runtime does not know"},
};

}  // namespace

std::string guess_contents(const DataLoader& loader) {
  constexpr size_t kHead = 8;
  const Result<size_t> size = loader.size();
  if (!size.ok() || *size < kHead) {
    return size.ok() && *size == 0 ? "there are no bytes" : "";
  }
  const Result<FreeableBuffer> head =
      loader.load(0, kHead, DataLoader::SegmentInfo(DataLoader::SegmentInfo::Type::Program));
  if (!head.ok() || head->size() < kHead) {
    return "";
  }
  const std::string_view bytes(static_cast<const char*>(head->data()), kHead);
  // Of a version that is known, only something further back is wrong.
  if (bytes.substr(4) == "ET12") {
    return "";
  }
  for (const Kind& kind : kKinds) {
    if (bytes.substr(kind.offset, kind.mark.size()) == kind.mark) {
      return kind.advice;
    }
  }
  return "";
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
