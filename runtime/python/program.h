#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/executor/program.h>
#include <executorch/runtime/python/py_object.h>
#include <executorch/runtime/python/py_ref.h>
#include <executorch/runtime/python/tracer.h>

namespace executorch {
namespace runtime {
namespace python {

/// Where bytes come from: a path, or an object that holds them.
struct Source {
  /// A str, bytes or os.PathLike is a path when `is_path`; otherwise `object` is a buffer.
  static Source path(std::string path);
  static Source buffer(Object object);

  std::string file;  // Empty for a buffer.
  Object object;     // Null for a file.

  /// What to call it in messages.
  std::string name() const { return object ? "the given bytes" : file; }
};

/// A program with its loader and external data. Shared by everything that was made from it, so that
/// none of it can outlive what it points to.
class ProgramState {
 public:
  /// Loads a program, or the program of a bundle (see bundle()) in memory. Needs the GIL, and
  /// releases it while files are read and checked. Throws Failure.
  static std::shared_ptr<ProgramState> load(const Source& program, const std::vector<Source>& data,
                                            Program::Verification verification,
                                            const TraceOptions& trace);

  ProgramState(const ProgramState&) = delete;
  ProgramState& operator=(const ProgramState&) = delete;

  const Program& program() const { return *program_; }

  /// The external data; null if there is none.
  const NamedDataMap* data_map() const;

  /// What the program was loaded from, for messages.
  const std::string& name() const { return name_; }

  /// The bundled program that the program came in; null if it came alone.
  const void* bundle() const { return bundle_; }

  /// What records the runs of its methods; null if nothing does.
  Tracer* tracer() const { return tracer_.get(); }

  /// The names of all methods, in the order of the file. Throws Failure.
  std::vector<std::string> method_names() const;

  /// What a method takes and gives. Throws Failure, of kind kMethodNotFound for an unknown name.
  MethodMeta method_meta(const std::string& method_name) const;

 private:
  ProgramState() = default;

  /// Makes a loader that `this` keeps alive together with the bytes it reads.
  DataLoader* add_loader(const Source& source);
  DataLoader* add_buffer(const Object& object);
  DataLoader* add_bundle(const Object& object);
  void load_data(const std::vector<Source>& data);

  std::string name_;
  std::vector<PyRef> borrowed_;  // Python objects that loaders read from.
  std::vector<std::shared_ptr<void>> copies_;
  std::vector<std::unique_ptr<DataLoader>> loaders_;
  std::vector<std::unique_ptr<NamedDataMap>> data_maps_;
  std::unique_ptr<NamedDataMap> merged_;
  const void* bundle_ = nullptr;  // In copies_.
  std::unique_ptr<Tracer> tracer_;
  std::optional<Program> program_;
};

}  // namespace python
}  // namespace runtime
}  // namespace executorch
