#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/executor/pte_data_map.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/compiler.h>

// Only names, so that the flatbuffer headers stay out of this one.
namespace executorch_flatbuffer {
struct Program;
}  // namespace executorch_flatbuffer

namespace executorch {
namespace runtime {

namespace testing {
// Lets tests at the private functions.
class ProgramTestFriend;
}  // namespace testing

/// A program: the content of a `.pte` file, ready to load methods from.
///
/// Immutable after `load`, so any number of threads may use one program at the same time. The data
/// loader must outlive it, and it must outlive every `Method` and `MethodMeta` made from it.
class Program final {
 public:
  /// How much of a file `load` checks before it returns.
  ///
  /// On both levels the bytes of the program are checked to be a well-formed flatbuffer, and
  /// whatever a method needs is checked when the method is loaded: a damaged or hostile file gives
  /// an error, never a crash.
  enum class Verification : uint8_t {
    /// What it takes to use the program safely.
    Minimal,
    /// Also checks every method and segment, so that damage anywhere shows at once, and, if the
    /// file ends with an integrity trailer (see integrity.h), that no byte of it has changed.
    InternalConsistency,
  };

  /// What the first bytes of a file say about it.
  enum HeaderStatus {
    /// A program that this runtime can read.
    CompatibleVersion,
    /// A program in another version of the format.
    IncompatibleVersion,
    /// Not a program.
    NotPresent,
    /// Fewer bytes than `kMinHeadBytes` were given.
    ShortData,
  };

  /// Highest version of the schema that this runtime reads.
  static constexpr uint32_t kMaxSupportedSchemaVersion = 0;

  /// Bytes that `check_header` needs to see.
  static constexpr size_t kMinHeadBytes = 64;

  /// Loads a program.
  ///
  /// @param loader Where the file's bytes come from; must outlive the program.
  /// @param verification How much to check, see `Verification`.
  /// @retval Error::InvalidArgument The loader is null, or gave memory that is not aligned for
  ///     `max_align_t`.
  /// @retval Error::InvalidProgram The bytes are not a valid program.
  /// Errors of the loader come back as they are.
  ET_NODISCARD static Result<Program> load(DataLoader* loader,
                                           Verification verification = Verification::Minimal);

  /// The older name of `load`.
  ET_DEPRECATED static Result<Program> Load(DataLoader* loader,
                                            Verification verification = Verification::Minimal) {
    return load(loader, verification);
  }

  Program(Program&&) noexcept = default;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  Program& operator=(Program&&) = delete;
  ~Program() = default;

  /// Looks whether the file that starts with these bytes can be loaded.
  static HeaderStatus check_header(const void* data, size_t size);

  /// How many methods the program has.
  size_t num_methods() const;

  /// Name of a method, valid as long as the program.
  ///
  /// @retval Error::InvalidArgument `method_index` is not below `num_methods()`.
  Result<const char*> get_method_name(size_t method_index) const;

  /// Describes a method without loading it.
  ///
  /// @retval Error::InvalidArgument There is no such method.
  /// @retval Error::InvalidProgram The method's description is damaged.
  Result<MethodMeta> method_meta(const char* method_name) const;

  /// Loads a method: resolves its kernels, places its tensors and initializes its delegates.
  ///
  /// @param method_name Such as "forward".
  /// @param memory_manager The memory that the method uses; must outlive it.
  /// @param event_tracer Receives events of loading and running the method; may be null.
  /// @param named_data_map Gives the data that is kept outside of the program, such as the weights
  ///     in a `.ptd` file; may be null if the program needs none. Must outlive the method.
  /// @param backend_options Options for the method's backends; may be null.
  /// @param kernels Kernels for this method alone, which go before the registered ones. The list is
  ///     needed during this call only.
  /// @retval Error::InvalidArgument There is no such method, or `memory_manager` lacks a part.
  /// @retval Error::InvalidProgram The method is damaged.
  /// @retval Error::OperatorMissing No kernel is registered for some operator; the log names all of
  ///     them.
  /// @retval Error::NotFound A backend is not registered or not available.
  /// @retval Error::InvalidState The method needs external data and there is no `named_data_map`.
  /// @retval Error::InvalidExternalData External data has another dtype or shape than the program
  ///     says.
  /// @retval Error::MemoryAllocationFailed The memory does not suffice.
  Result<Method> load_method(const char* method_name, MemoryManager* memory_manager,
                             EventTracer* event_tracer = nullptr,
                             const NamedDataMap* named_data_map = nullptr,
                             const LoadBackendOptionsMap* backend_options = nullptr,
                             Span<const Kernel> kernels = {}) const;

  /// Data of a constant tensor, valid as long as the program.
  ///
  /// @param buffer_index The tensor's `data_buffer_idx`.
  /// @param nbytes How many bytes the caller is going to read.
  /// @retval Error::InvalidArgument There is no such buffer, or it has fewer bytes.
  Result<const void*> get_constant_buffer_data(size_t buffer_index, size_t nbytes) const;

  /// The named data in this program's own file, valid as long as the program.
  ///
  /// @retval Error::NotFound The file has none.
  Result<const NamedDataMap*> get_named_data_map() const;

  /// How the outputs of a method nest, as written by the exporter. The text's format is not the
  /// runtime's concern.
  ///
  /// @retval Error::InvalidArgument There is no such method.
  /// @retval Error::InvalidProgram The method does not say.
  ET_DEPRECATED Result<const char*> get_output_flattening_encoding(
      const char* method_name = "forward") const;

  /// Loads a segment.
  ///
  /// @retval Error::NotFound There is no such segment.
  /// @retval Error::InvalidProgram The segment lies outside of the file.
  Result<FreeableBuffer> LoadSegment(const DataLoader::SegmentInfo& segment_info) const;

  /// Loads a part of a mutable-data segment into the caller's memory.
  ///
  /// @param mutable_data_segments_index Which of the program's mutable-data segments.
  /// @param offset_index Which part of it.
  /// @param size Bytes to read; `buffer` must have room for them.
  /// @retval Error::NotFound There is no such segment or part.
  /// @retval Error::InvalidProgram The part has fewer bytes.
  Error load_mutable_subsegment_into(size_t mutable_data_segments_index, size_t offset_index,
                                     size_t size, void* buffer) const;

 private:
  friend class Method;
  friend class internal::MethodLoader;
  friend class testing::ProgramTestFriend;

  Program(DataLoader* loader, size_t segment_base_offset, FreeableBuffer&& program_data,
          const executorch_flatbuffer::Program* internal_program,
          FreeableBuffer&& constant_segment_data, std::optional<internal::PteDataMap>&& named_data);

  /// The inline data of a delegate, valid as long as the program.
  Error get_backend_delegate_data(size_t index, const void** out_data, size_t* out_size) const;

  DataLoader* loader_;
  size_t segment_base_offset_;
  FreeableBuffer program_data_;
  const executorch_flatbuffer::Program* internal_program_;
  FreeableBuffer constant_segment_data_;
  std::optional<internal::PteDataMap> named_data_;
};

}  // namespace runtime
}  // namespace executorch

namespace torch {
namespace executor {
using ::executorch::runtime::Program;
}  // namespace executor
}  // namespace torch
