#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <sys/stat.h>

#include <executorch/devtools/bundled_program/bundled_program.h>
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <executorch/extension/log_capture/log_capture.h>
#include <executorch/runtime/python/contents.h>
#include <executorch/runtime/python/failure.h>
#include <executorch/runtime/python/program.h>

namespace executorch {
namespace runtime {
namespace python {

using extension::BufferDataLoader;
using extension::FileDataLoader;
using extension::FlatTensorDataMap;
using extension::LogCapture;
using extension::MergedDataMap;
using extension::MmapDataLoader;

namespace {

/// Files up to this size are read, larger ones are mapped. A mapped file costs no memory of its own
/// but must not change while the program lives, and small programs are the ones that get written
/// again and again in a notebook.
constexpr off_t kLargestFileToRead = off_t{16} << 20;

/// What the runtime wants program data aligned to.
constexpr size_t kDataAlignment = alignof(std::max_align_t);

/// What a bundled program aligns its program to.
constexpr size_t kBundleAlignment = 32;

[[noreturn]] void fail_to_load(const std::string& name, Error error, LogCapture& log,
                               const std::string& advice = "") {
  FailureKind kind = FailureKind::kGeneric;
  struct stat status;
  if (error == Error::AccessFailed && ::stat(name.c_str(), &status) != 0 && errno == ENOENT) {
    kind = FailureKind::kFileNotFound;
  }
  std::vector<std::string> lines = log.take();
  if (!advice.empty()) {
    lines.push_back(advice);
  }
  throw Failure(error, "loading " + name, std::move(lines), kind);
}

template <typename Loader>
std::unique_ptr<DataLoader> boxed(Result<Loader> loader, const std::string& name, LogCapture& log) {
  if (!loader.ok()) {
    fail_to_load(name, loader.error(), log);
  }
  return std::make_unique<Loader>(std::move(*loader));
}

std::unique_ptr<DataLoader> open_file(const std::string& path) {
  LogCapture log;
  const GilRelease release;
  struct stat status;
  if (::stat(path.c_str(), &status) == 0 && status.st_size > kLargestFileToRead) {
    return boxed(MmapDataLoader::from(path.c_str(), MmapDataLoader::MlockConfig::NoMlock), path,
                 log);
  }
  return boxed(FileDataLoader::from(path.c_str()), path, log);
}

/// The bytes of a Python object for as long as this lives.
class BorrowedBytes {
 public:
  explicit BorrowedBytes(PyObject* object) {
    if (PyObject_GetBuffer(object, &buffer_, PyBUF_SIMPLE) != 0) {
      throw PythonError();
    }
  }
  BorrowedBytes(const BorrowedBytes&) = delete;
  BorrowedBytes& operator=(const BorrowedBytes&) = delete;
  ~BorrowedBytes() { PyBuffer_Release(&buffer_); }

  void* data() const { return buffer_.buf; }
  size_t size() const { return static_cast<size_t>(buffer_.len); }

 private:
  Py_buffer buffer_;
};

/// Copies bytes to where they are aligned and nobody else can change them.
std::shared_ptr<void> aligned_copy(const BorrowedBytes& bytes, size_t alignment) {
  const size_t rounded = (bytes.size() / alignment + 1) * alignment;
  void* copy = std::aligned_alloc(alignment, rounded);
  if (copy == nullptr) {
    throw Failure(Error::MemoryAllocationFailed,
                  "copying " + std::to_string(bytes.size()) + " bytes of a program");
  }
  if (bytes.size() > 0) {
    std::memcpy(copy, bytes.data(), bytes.size());
  }
  return std::shared_ptr<void>(copy, [](void* block) { std::free(block); });
}

}  // namespace

Source Source::path(std::string path) { return {std::move(path), Object()}; }

Source Source::buffer(Object object) { return {std::string(), std::move(object)}; }

DataLoader* ProgramState::add_loader(const Source& source) {
  if (source.object) {
    return add_buffer(source.object);
  }
  loaders_.push_back(open_file(source.file));
  return loaders_.back().get();
}

DataLoader* ProgramState::add_buffer(const Object& object) {
  const BorrowedBytes bytes(object.get());
  const void* data = bytes.data();
  // Bytes cannot change, so they are read where they lie; other buffers could change under the
  // program.
  if (PyBytes_CheckExact(object.get()) && reinterpret_cast<uintptr_t>(data) % kDataAlignment == 0) {
    borrowed_.push_back(PyRef::borrow(object.get()));
  } else {
    copies_.push_back(aligned_copy(bytes, kDataAlignment));
    data = copies_.back().get();
  }
  loaders_.push_back(std::make_unique<BufferDataLoader>(data, bytes.size()));
  return loaders_.back().get();
}

DataLoader* ProgramState::add_bundle(const Object& object) {
  const BorrowedBytes bytes(object.get());
  copies_.push_back(aligned_copy(bytes, kBundleAlignment));
  const void* program = nullptr;
  size_t size = 0;
  LogCapture log;
  const Error error =
      bundled_program::get_program_data(copies_.back().get(), bytes.size(), &program, &size);
  if (error != Error::Ok) {
    fail_to_load(name_, error, log);
  }
  bundle_ = copies_.back().get();
  loaders_.push_back(std::make_unique<BufferDataLoader>(program, size));
  return loaders_.back().get();
}

namespace {

bool holds_bundle(const Object& object) {
  const BorrowedBytes bytes(object.get());
  return bundled_program::is_bundled_program(bytes.data(), bytes.size());
}

}  // namespace

void ProgramState::load_data(const std::vector<Source>& data) {
  for (const Source& source : data) {
    DataLoader* loader = add_loader(source);
    LogCapture log;
    const GilRelease release;
    Result<FlatTensorDataMap> map = FlatTensorDataMap::load(loader);
    if (!map.ok()) {
      fail_to_load(source.name(), map.error(), log);
    }
    data_maps_.push_back(std::make_unique<FlatTensorDataMap>(std::move(*map)));
  }
  if (data_maps_.size() < 2) {
    return;
  }
  LogCapture log;
  std::vector<const NamedDataMap*> maps;
  for (const auto& map : data_maps_) {
    maps.push_back(map.get());
  }
  Result<MergedDataMap> merged = MergedDataMap::load(maps);
  if (!merged.ok()) {
    throw Failure(merged.error(), "merging external data", log.take());
  }
  merged_ = std::make_unique<MergedDataMap>(std::move(*merged));
}

std::shared_ptr<ProgramState> ProgramState::load(const Source& program,
                                                 const std::vector<Source>& data,
                                                 Program::Verification verification,
                                                 const TraceOptions& trace) {
  std::shared_ptr<ProgramState> state(new ProgramState());
  state->name_ = program.name();
  state->tracer_ = Tracer::create(trace);
  DataLoader* loader = program.object && holds_bundle(program.object)
                           ? state->add_bundle(program.object)
                           : state->add_loader(program);
  {
    LogCapture log;
    const GilRelease release;
    Result<Program> loaded = Program::load(loader, verification);
    if (!loaded.ok()) {
      fail_to_load(state->name_, loaded.error(), log,
                   loaded.error() == Error::InvalidProgram ? guess_contents(*loader) : "");
    }
    state->program_.emplace(std::move(*loaded));
  }
  state->load_data(data);
  return state;
}

const NamedDataMap* ProgramState::data_map() const {
  if (merged_ != nullptr) {
    return merged_.get();
  }
  return data_maps_.empty() ? nullptr : data_maps_.front().get();
}

std::vector<std::string> ProgramState::method_names() const {
  LogCapture log;
  std::vector<std::string> names;
  for (size_t i = 0; i < program_->num_methods(); ++i) {
    const Result<const char*> name = program_->get_method_name(i);
    if (!name.ok()) {
      throw Failure(name.error(), "reading the method names of " + name_, log.take());
    }
    names.emplace_back(*name);
  }
  return names;
}

MethodMeta ProgramState::method_meta(const std::string& method_name) const {
  LogCapture log;
  const Result<MethodMeta> meta = program_->method_meta(method_name.c_str());
  if (meta.ok()) {
    return *meta;
  }
  std::vector<std::string> lines = log.take();
  bool known = false;
  std::string listed;
  for (const std::string& name : method_names()) {
    known = known || name == method_name;
    listed += (listed.empty() ? "'" : ", '") + name + "'";
  }
  if (known) {
    throw Failure(meta.error(), "reading method '" + method_name + "' of " + name_,
                  std::move(lines));
  }
  throw Failure(meta.error(), "looking up method '" + method_name + "' in " + name_,
                {"there is no such method; the program has " + (listed.empty() ? "none" : listed)},
                FailureKind::kMethodNotFound);
}

}  // namespace python
}  // namespace runtime
}  // namespace executorch
