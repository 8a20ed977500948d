#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace executorch {
namespace runtime {
namespace testing {

/// The bytes of a `.pte`, aligned as a data loader would align them.
class PteFile {
 public:
  explicit PteFile(size_t size);
  PteFile(const uint8_t* data, size_t size);
  PteFile(const PteFile& other) : PteFile(other.data(), other.size()) {}
  PteFile& operator=(const PteFile&) = delete;
  PteFile(PteFile&&) = default;

  uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  std::unique_ptr<uint8_t[]> memory_;
  uint8_t* data_;
  size_t size_;
};

/// A tensor to put into a program. The fields are those of the file format.
struct TensorOptions {
  std::vector<int32_t> sizes;
  /// Contiguous if not given.
  std::optional<std::vector<uint8_t>> dim_order;
  int8_t scalar_type = 6;  // Float
  int8_t shape_dynamism = 0;
  uint32_t data_buffer_idx = 0;
  /// 0: no planned memory.
  uint32_t memory_id = 0;
  uint64_t memory_offset = 0;
  int32_t storage_offset = 0;
  int8_t layout = 0;
  /// Not empty: the tensor gets an ExtraTensorInfo with this name.
  std::string name;
  bool external = false;
  int8_t device_type = 0;
  bool omit_sizes = false;
};

/// Builds programs for tests, correct ones and such that are wrong in a chosen place.
///
/// `add_...` return the index by which the rest of the program refers to what was added. Everything
/// goes into the current method; `begin_method` starts another one.
class ProgramBuilder {
 public:
  ProgramBuilder();
  ~ProgramBuilder();
  ProgramBuilder(ProgramBuilder&& other) noexcept;

  void begin_method(const std::string& name);

  int add_none();
  int add_int(int64_t value);
  int add_bool(bool value);
  int add_double(double value);
  int add_string(const std::string& value);
  int add_tensor(const TensorOptions& options);
  /// A float tensor of these sizes in planned memory, at the next free offset of buffer 1.
  int add_planned_tensor(const std::vector<int32_t>& sizes, int8_t scalar_type = 6,
                         int8_t shape_dynamism = 0);
  /// A float tensor with this content.
  int add_constant_tensor(const std::vector<float>& values);
  int add_int_list(const std::vector<int64_t>& value_indices);
  int add_double_list(const std::vector<double>& values);
  int add_bool_list(const std::vector<uint8_t>& values);
  int add_tensor_list(const std::vector<int32_t>& value_indices);
  int add_optional_tensor_list(const std::vector<int32_t>& value_indices);
  /// A value of a type that may not exist.
  int add_value_of_type(uint8_t type);

  int add_operator(const std::string& name, const std::string& overload = "out");
  /// A delegate with its data in a segment, or inside the flatbuffer.
  int add_delegate(const std::string& backend_id, const std::vector<uint8_t>& data,
                   bool inline_data = false,
                   const std::vector<std::pair<std::string, std::string>>& compile_specs = {});

  void call_kernel(int op_index, const std::vector<int32_t>& args);
  void call_delegate(int delegate_index, const std::vector<int32_t>& args);
  void move(int from, int to);
  void jump_if_false(int condition, int destination);
  void free_value(int value);
  void begin_chain();

  void set_inputs(const std::vector<int32_t>& value_indices);
  void set_outputs(const std::vector<int32_t>& value_indices);
  /// Replaces the sizes of the planned buffers; the reserved entry 0 is added here.
  void set_planned_buffers(const std::vector<int64_t>& sizes);
  /// Says that planned buffer `memory_id` (from 1) is on a device.
  void set_buffer_device(int32_t memory_id, int8_t device_type, int8_t device_index = 0);
  void set_output_encoding(const std::string& encoding);
  /// Of the schema; 0 if not set.
  void set_version(uint32_t version);

  /// Returns the `data_buffer_idx` of a new constant.
  uint32_t add_constant_data(const std::vector<uint8_t>& data);
  /// Returns the `data_buffer_idx` of a new initial state of a mutable tensor.
  uint32_t add_mutable_data(const std::vector<uint8_t>& data);
  void add_named_data(const std::string& key, const std::vector<uint8_t>& data);
  /// Puts a constant inside the flatbuffer, the way old exporters did.
  void add_inline_constant(const std::vector<uint8_t>& data);

  /// The file, with an extended header if it has segments.
  PteFile build() const;

 private:
  struct Method;
  struct State;
  Method& method() const;

  std::unique_ptr<State> state_;
};

}  // namespace testing
}  // namespace runtime
}  // namespace executorch
