// Sequences of calls of the C interface, right and wrong: null, numbers that are nothing, methods
// that are not there, modules that are gone from the list.

#include <cstring>
#include <string>
#include <vector>

#include <executorch/extension/c_api/executorch_c.h>
#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/runtime/executor/testing/program_builder.h>
#include <executorch/tests/fuzz/choices.h>
#include <executorch/tests/fuzz/fuzz_target.h>
#include <executorch/tests/fuzz/scratch_file.h>

namespace {

using executorch::extension::testing::TinyProgram;
using executorch::fuzz::Choices;
using executorch::runtime::testing::PteFile;

PteFile program(bool is_dynamic, bool is_planned) {
  TinyProgram tiny;
  tiny.methods = {"forward", "second"};
  tiny.dynamic = is_dynamic;
  tiny.plan_outputs = is_planned;
  tiny.plan_inputs = is_planned;
  const std::vector<uint8_t> bytes = tiny.build();
  return PteFile(bytes.data(), bytes.size());
}

/// Modules that live, and all that a call may be given.
class Session {
 public:
  explicit Session(Choices& choices) : choices_(choices) {}
  ~Session() {
    for (executorch_module* const module : modules_) {
      executorch_module_destroy(module);
    }
  }

  void step() {
    switch (choices_.below(16)) {
      case 0:
      case 1:
        load();
        break;
      case 2:
        destroy();
        break;
      case 3:
        (void)executorch_module_load_method(module(), method());
        break;
      case 4:
        (void)executorch_module_unload_method(module(), method());
        break;
      case 5:
        names();
        break;
      case 6:
        describe();
        break;
      case 7:
        set_output();
        break;
      case 8:
        (void)executorch_module_get_output(module(), method(), index(),
                                           choices_.one_in(10) ? nullptr : &value_);
        break;
      case 9:
        registries();
        break;
      default:
        execute();
    }
    if (std::strlen(executorch_last_message()) > (1u << 20)) {
      std::abort();
    }
  }

 private:
  executorch_module* module() {
    return modules_.empty() || choices_.one_in(16) ? nullptr
                                                   : modules_[choices_.below(modules_.size())];
  }
  const char* method() {
    return choices_.of<const char*>(
        {"forward", "forward", "forward", "second", "absent", "", nullptr});
  }
  size_t index() { return choices_.of<size_t>({0, 0, 1, 2, SIZE_MAX}); }

  void load() {
    static const PteFile files[] = {program(false, true), program(true, true),
                                    program(false, false), program(true, false)};
    const PteFile& file = files[choices_.below(4)];
    executorch_module_options options = {};
    options.struct_size = choices_.one_in(10) ? choices_.below(100) : sizeof(options);
    options.load_mode = choices_.one_in(10) ? static_cast<int32_t>(choices_.between(-2, 9)) : 0;
    options.check_integrity = choices_.one_in(2);
    options.share_memory_arenas = choices_.one_in(2);
    const char* const paths[] = {"/nonexistent.ptd", nullptr};
    options.num_data_paths = choices_.one_in(8) ? choices_.below(3) : 0;
    options.data_paths = choices_.one_in(2) ? paths : nullptr;
    executorch_module* module = nullptr;
    const bool has_options = !choices_.one_in(3);
    executorch_error error;
    if (choices_.one_in(3)) {
      static executorch::fuzz::ScratchFile scratch;
      const std::string& path = scratch.write(file.data(), file.size() - choices_.below(2) * 40);
      error = executorch_module_load(choices_.one_in(8) ? nullptr : path.c_str(),
                                     has_options ? &options : nullptr,
                                     choices_.one_in(16) ? nullptr : &module);
    } else {
      const size_t size = choices_.one_in(8) ? choices_.below(file.size()) : file.size();
      error = executorch_module_load_from_memory(
          choices_.one_in(16) ? nullptr : file.data() + (choices_.one_in(16) ? 1 : 0), size,
          has_options ? &options : nullptr, choices_.one_in(16) ? nullptr : &module);
    }
    if (error == 0) {
      modules_.push_back(module);
    }
  }

  void destroy() {
    if (modules_.empty() || choices_.one_in(8)) {
      executorch_module_destroy(nullptr);
      return;
    }
    const auto at = modules_.begin() + static_cast<ptrdiff_t>(choices_.below(modules_.size()));
    executorch_module_destroy(*at);
    modules_.erase(at);
  }

  void names() {
    size_t count = 0;
    const char* name = nullptr;
    (void)executorch_module_num_methods(module(), choices_.one_in(10) ? nullptr : &count);
    if (executorch_module_method_name(module(), index(), &name) == 0) {
      total_ += std::strlen(name);
    }
  }

  void describe() {
    size_t count = 0;
    (void)executorch_module_num_inputs(module(), method(), &count);
    (void)executorch_module_num_outputs(module(), method(), choices_.one_in(10) ? nullptr : &count);
    executorch_value info = {};
    const bool ok = (choices_.one_in(2)
                         ? executorch_module_input_info(module(), method(), index(), &info)
                         : executorch_module_output_info(module(), method(), index(), &info)) == 0;
    for (size_t i = 0; ok && info.kind == EXECUTORCH_KIND_TENSOR && i < info.as.tensor.rank; ++i) {
      total_ += static_cast<size_t>(info.as.tensor.sizes[i]) + info.as.tensor.dim_order[i];
    }
  }

  void set_output() {
    (void)executorch_module_set_output_data(
        module(), method(), index(), choices_.one_in(10) ? nullptr : output_,
        choices_.one_in(4) ? choices_.below(30) : sizeof(output_));
  }

  void registries() {
    for (size_t i = 0; i <= executorch_num_operators(); ++i) {
      total_ += executorch_operator_name(i) == nullptr ? 1 : 0;
    }
    (void)executorch_backend_name(index());
    (void)executorch_num_backends();
    total_ +=
        std::strlen(executorch_error_name(static_cast<executorch_error>(choices_.below(70000))));
    total_ += executorch_dtype_size(static_cast<int32_t>(choices_.between(-100, 300)));
  }

  executorch_value input(int32_t* sizes, uint8_t* order) {
    executorch_value value = {};
    value.kind = EXECUTORCH_KIND_TENSOR;
    const bool is_right = !choices_.one_in(3);
    sizes[0] = 2;
    sizes[1] = 3;
    order[0] = 0;
    order[1] = 1;
    value.as.tensor = {input_, sizes, nullptr, 2, sizeof(input_), EXECUTORCH_DTYPE_FLOAT32};
    if (is_right) {
      return value;
    }
    executorch_tensor& tensor = value.as.tensor;
    switch (choices_.below(8)) {
      case 0:
        value.kind = static_cast<int32_t>(choices_.between(-1, 8));
        other_kind(value);
        break;
      case 1:
        sizes[choices_.below(2)] = choices_.of({0, 1, -1, INT32_MAX, INT32_MIN, 4});
        break;
      case 2:
        tensor.rank = choices_.of<size_t>({0, 1, 3, 17, SIZE_MAX});
        sizes[2] = 1;
        break;
      case 3:
        tensor.dtype = static_cast<int32_t>(choices_.between(-2, 40));
        break;
      case 4:
        tensor.nbytes = choices_.below(30);
        break;
      case 5:
        tensor.data = choices_.one_in(2) ? nullptr : reinterpret_cast<char*>(input_) + 1;
        tensor.nbytes -= 4;
        break;
      case 6:
        tensor.dim_order = order;
        order[choices_.below(2)] = static_cast<uint8_t>(choices_.of({0, 1, 2, 255}));
        break;
      default:
        tensor.sizes = nullptr;
    }
    // Only what the sizes array has is claimed.
    if (tensor.rank > 20) {
      tensor.sizes = nullptr;
    }
    return value;
  }

  /// Numbers for what has become one. Pointers are believed, so that strings and tensors have some
  /// that are; a number's bytes are two of them on 32 bits.
  void other_kind(executorch_value& value) {
    if (value.kind == EXECUTORCH_KIND_STRING) {
      value.as.string_value = {choices_.one_in(4) ? nullptr : "text",
                               static_cast<size_t>(choices_.below(5))};
    } else if (value.kind == EXECUTORCH_KIND_BOOL) {
      value.as.bool_value = choices_.one_in(2);
    } else if (value.kind != EXECUTORCH_KIND_TENSOR) {
      value.as.int_value = choices_.between(-3, 3);
    }
  }

  void execute() {
    int32_t sizes[2][20] = {};
    uint8_t orders[2][20] = {};
    const executorch_value inputs[] = {input(sizes[0], orders[0]), input(sizes[1], orders[1])};
    executorch_value outputs[2] = {};
    const bool wants_outputs = choices_.one_in(2);
    const executorch_error error = executorch_module_execute(
        module(), method(), choices_.one_in(16) ? nullptr : inputs,
        choices_.one_in(8) ? choices_.below(3) : 2, wants_outputs ? outputs : nullptr,
        wants_outputs ? 1 + choices_.below(2) : choices_.below(2));
    if (error == 0 && wants_outputs && outputs[0].kind == EXECUTORCH_KIND_TENSOR) {
      const executorch_tensor& tensor = outputs[0].as.tensor;
      for (size_t i = 0; i < tensor.nbytes; ++i) {
        total_ += static_cast<const uint8_t*>(tensor.data)[i];
      }
    }
  }

  Choices& choices_;
  std::vector<executorch_module*> modules_;
  executorch_value value_ = {};
  alignas(16) float input_[6] = {1, 2, 3, 4, 5, 6};
  alignas(16) float output_[6] = {};
  volatile size_t total_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Choices choices(data, size);
  Session session(choices);
  for (uint64_t steps = 2 + choices.below(30); steps > 0; --steps) {
    session.step();
  }
  return 0;
}
