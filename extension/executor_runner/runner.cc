#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <system_error>

#include <executorch/extension/data_loader/file_data_loader.h>
#include <executorch/extension/evalue_util/print_evalue.h>
#include <executorch/extension/executor_runner/files.h>
#include <executorch/extension/executor_runner/recording.h>
#include <executorch/extension/executor_runner/runner.h>
#include <executorch/extension/memory_allocator/measuring_memory_allocator.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/runner_util/inputs.h>
#include <executorch/extension/threadpool/threadpool.h>
#include <executorch/extension/threadpool/threadpool_guard.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/platform/log.h>

namespace executorch {
namespace extension {
namespace executor_runner {

using runtime::Error;
using runtime::EValue;
using runtime::Method;
using runtime::MethodMeta;
using runtime::Program;
using runtime::Result;
using runtime::Tag;
using runtime::TensorInfo;

namespace {

using Clock = std::chrono::steady_clock;

/// Elements printed at either end of a long output.
constexpr long kSummaryItems = 10;

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Everything that one invocation of the runner works on.
struct Session {
  const Options& options;
  std::ostream& out;
  std::ostream& errors;
  std::unique_ptr<Module> module;
  const MeasuringMemoryAllocator* method_memory = nullptr;  // Of the module, which owns it.
  const MeasuringMemoryAllocator* temporary_memory = nullptr;
  std::string method_name;
  Method* method = nullptr;
  std::vector<size_t> tensor_inputs;         // Indices of the inputs that are tensors.
  std::vector<std::vector<int32_t>> shapes;  // Of these.
  size_t planned_bytes = 0;
  double load_ms = 0;
  std::vector<double> run_ms;  // One entry for each timed execution.
};

ExitCode fail(Session& session, const std::string& what, Error error) {
  char code[32];
  std::snprintf(code, sizeof(code), "0x%02" PRIx32, static_cast<uint32_t>(error));
  session.errors << "executor_runner: " << what << " failed with error " << code << " ("
                 << runtime::to_string(error) << ")\n";
  return kProgramFailed;
}

/// The method to run: the one asked for, or forward, or the only one.
ExitCode choose_method(Session& session) {
  const auto names = session.module->method_names();
  if (!names.ok()) {
    return fail(session, "reading the method names of " + session.options.model_path,
                names.error());
  }
  session.method_name = session.options.method_name;
  if (session.method_name.empty()) {
    session.method_name = names->size() == 1 ? *names->begin() : "forward";
  }
  if (names->count(session.method_name) == 0) {
    std::vector<std::string> sorted(names->begin(), names->end());
    std::sort(sorted.begin(), sorted.end());
    session.errors << "executor_runner: " << session.options.model_path << " has no method "
                   << session.method_name << "; its methods are:";
    for (const std::string& name : sorted) {
      session.errors << " " << name;
    }
    session.errors << "\n";
    return kProgramFailed;
  }
  return kSuccess;
}

/// The module of the options' files, or of `model` and at most one file of data; none, and a line
/// in `errors`, if the data cannot be had.
std::unique_ptr<Module> make_module(Session& session, std::unique_ptr<runtime::EventTracer> tracer,
                                    std::unique_ptr<runtime::DataLoader> model) {
  const Options& options = session.options;
  auto method_memory = std::make_unique<MeasuringMemoryAllocator>();
  auto temporary_memory = std::make_unique<MeasuringMemoryAllocator>();
  session.method_memory = method_memory.get();
  session.temporary_memory = temporary_memory.get();
  if (model == nullptr) {
    return std::make_unique<Module>(options.model_path, options.data_paths, options.load_mode,
                                    std::move(tracer), std::move(method_memory),
                                    std::move(temporary_memory));
  }
  std::unique_ptr<runtime::DataLoader> data;
  if (options.data_paths.size() > 1) {
    session.errors << "executor_runner: a model in the program's own file takes one file of "
                      "--data_path\n";
    return nullptr;
  }
  if (!options.data_paths.empty()) {
    auto file = FileDataLoader::from(options.data_paths[0].c_str());
    if (!file.ok()) {
      session.errors << "executor_runner: cannot read " << options.data_paths[0] << "\n";
      return nullptr;
    }
    data = std::make_unique<FileDataLoader>(std::move(*file));
  }
  return std::make_unique<Module>(std::move(model), std::move(method_memory),
                                  std::move(temporary_memory), std::move(tracer), std::move(data));
}

ExitCode load(Session& session, std::unique_ptr<runtime::EventTracer> tracer,
              std::unique_ptr<runtime::DataLoader> model) {
  const Options& options = session.options;
  const Clock::time_point start = Clock::now();
  session.module = make_module(session, std::move(tracer), std::move(model));
  if (session.module == nullptr) {
    return kFileFailed;
  }
  const Error error =
      session.module->load(options.strict_verification ? Program::Verification::InternalConsistency
                                                       : Program::Verification::Minimal);
  if (error != Error::Ok) {
    return fail(session, "loading " + options.model_path, error);
  }
  ET_LOG(Info, "Model file %s is loaded.", options.model_path.c_str());
  const ExitCode chosen = choose_method(session);
  if (chosen != kSuccess) {
    return chosen;
  }
  ET_LOG(Info, "Using method %s", session.method_name.c_str());
  const Result<Method*> method = session.module->method(session.method_name);
  if (!method.ok()) {
    return fail(session, "loading method " + session.method_name, method.error());
  }
  session.method = *method;
  session.load_ms = milliseconds_since(start);
  ET_LOG(Info, "Method loaded.");
  return kSuccess;
}

/// Takes the shape of the next tensor input: the one asked for, or the program's bound.
Result<SampleSize> choose_shape(Session& session, size_t input, const TensorInfo& info) {
  const std::vector<std::vector<int32_t>>& asked = session.options.input_shapes;
  const size_t position = session.shapes.size();
  std::vector<int32_t> shape(info.sizes().begin(), info.sizes().end());
  if (position < asked.size() && !asked[position].empty()) {
    if (asked[position].size() != shape.size()) {
      session.errors << "--input_shapes: input " << input << " has " << shape.size()
                     << " dimensions, found " << asked[position].size() << "\n";
      return Error::InvalidArgument;
    }
    shape = asked[position];
  }
  size_t bytes = runtime::elementSize(info.scalar_type());
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] > info.sizes()[i]) {
      session.errors << "--input_shapes: dimension " << i << " of input " << input << " is at most "
                     << info.sizes()[i] << ", found " << shape[i] << "\n";
      return Error::InvalidArgument;
    }
    bytes *= static_cast<size_t>(shape[i]);
  }
  session.shapes.push_back(std::move(shape));
  return SampleSize{bytes, info.nbytes()};
}

/// Reads what the method takes; returns the sizes of its tensor inputs.
Result<std::vector<SampleSize>> inspect(Session& session) {
  const MethodMeta meta = session.method->method_meta();
  for (size_t i = 0; i < meta.num_memory_planned_buffers(); ++i) {
    const Result<int64_t> size = meta.memory_planned_buffer_size(i);
    if (!size.ok()) {
      return size.error();
    }
    session.planned_bytes += static_cast<size_t>(*size);
  }
  std::vector<SampleSize> sizes;
  for (size_t i = 0; i < meta.num_inputs(); ++i) {
    const Result<Tag> tag = meta.input_tag(i);
    if (!tag.ok()) {
      return tag.error();
    }
    if (*tag != Tag::Tensor) {
      continue;
    }
    const Result<TensorInfo> info = meta.input_tensor_meta(i);
    if (!info.ok()) {
      return info.error();
    }
    const Result<SampleSize> size = choose_shape(session, i, *info);
    if (!size.ok()) {
      return size.error();
    }
    session.tensor_inputs.push_back(i);
    sizes.push_back(*size);
  }
  const size_t asked = session.options.input_shapes.size();
  if (asked != 0 && asked != sizes.size()) {
    session.errors << "--input_shapes: the method takes " << sizes.size() << " tensor(s), found "
                   << asked << " shape(s)\n";
    return Error::InvalidArgument;
  }
  return sizes;
}

Error execute_timed(Session& session) {
  const Clock::time_point start = Clock::now();
  const Error error = session.method->execute();
  session.run_ms.push_back(milliseconds_since(start));
  return error;
}

/// Points the tensor inputs at one sample.
Error set_sample(Session& session, SampleFiles& samples, size_t sample) {
  for (size_t i = 0; i < session.tensor_inputs.size(); ++i) {
    const size_t index = session.tensor_inputs[i];
    const Result<TensorInfo> info = session.method->method_meta().input_tensor_meta(index);
    if (!info.ok()) {
      return info.error();
    }
    const Error error =
        internal::set_input_data(*session.method, *info, index, samples.data(i, sample),
                                 {session.shapes[i].data(), session.shapes[i].size()});
    if (error != Error::Ok) {
      return error;
    }
  }
  return Error::Ok;
}

void print_outputs(Session& session, size_t sample, size_t num_samples) {
  if (session.options.print_output == PrintOutput::kNone) {
    return;
  }
  const bool all = session.options.print_output == PrintOutput::kAll;
  if (!all && sample > 0) {
    return;
  }
  session.out << evalue_edge_items(all ? std::numeric_limits<long>::max() : kSummaryItems);
  if (num_samples > 1) {
    session.out << "Sample " << sample << ":\n";
  }
  for (size_t i = 0; i < session.method->outputs_size(); ++i) {
    session.out << "OutputX " << i << ": " << session.method->get_output(i) << "\n";
  }
}

bool write_outputs(Session& session, OutputFiles& files) {
  for (size_t i = 0; !files.empty() && i < session.method->outputs_size(); ++i) {
    if (!files.append(i, session.method->get_output(i), session.errors)) {
      return false;
    }
  }
  return true;
}

/// Runs every sample and hands its outputs on. Outputs are printed only after the line with the
/// timing, so with one sample, which is the documented use, they are printed by the caller.
ExitCode run_samples(Session& session, SampleFiles& samples, OutputFiles& files) {
  const size_t num_samples = samples.num_samples();
  for (size_t sample = 0; sample < num_samples; ++sample) {
    const uint32_t warmup = sample == 0 ? session.options.warmup : 0;
    for (uint32_t n = 0; n < warmup + session.options.num_executions; ++n) {
      // Inputs are set before each run: the memory plan may reuse the bytes of an input once it is
      // read.
      Error error = set_sample(session, samples, sample);
      if (error != Error::Ok) {
        return fail(session, "setting the inputs of sample " + std::to_string(sample), error);
      }
      error = n < warmup ? session.method->execute() : execute_timed(session);
      if (error != Error::Ok) {
        return fail(session, "executing method " + session.method_name, error);
      }
    }
    if (!write_outputs(session, files)) {
      return kFileFailed;
    }
    if (num_samples > 1) {
      print_outputs(session, sample, num_samples);
    }
  }
  return kSuccess;
}

/// The documented default: every element of every tensor input is one.
std::optional<SampleFiles> all_ones(Session& session, const std::vector<SampleSize>& sizes) {
  std::vector<std::vector<uint8_t>> inputs;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Result<TensorInfo> info =
        session.method->method_meta().input_tensor_meta(session.tensor_inputs[i]);
    std::vector<uint8_t> bytes(sizes[i].bound);
    if (!info.ok() || internal::fill_with_ones(*info, bytes.data()) != Error::Ok) {
      session.errors << "executor_runner: input " << session.tensor_inputs[i]
                     << " cannot be all ones; use --inputs\n";
      return std::nullopt;
    }
    inputs.push_back(std::move(bytes));
  }
  return SampleFiles::single(std::move(inputs));
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char buffer[8];
      std::snprintf(buffer, sizeof(buffer), "\\u%04x", static_cast<unsigned>(c));
      result += buffer;
    } else {
      result += c;
    }
  }
  return result;
}

size_t num_threads(const Options& options) {
  return options.threads != 0 ? options.threads : threadpool::get_threadpool()->get_thread_count();
}

void print_json(Session& session, size_t num_samples) {
  std::vector<double> sorted = session.run_ms;
  std::sort(sorted.begin(), sorted.end());
  const double total = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  session.out << "{\"model_path\": \"" << escaped(session.options.model_path)
              << "\", \"method\": \"" << escaped(session.method_name)
              << "\", \"samples\": " << num_samples << ", \"executions\": " << sorted.size()
              << ", \"warmup\": " << session.options.warmup
              << ", \"threads\": " << num_threads(session.options)
              << ", \"load_ms\": " << session.load_ms << ", \"total_ms\": " << total
              << ", \"mean_us\": " << 1000 * total / static_cast<double>(sorted.size())
              << ", \"median_us\": " << 1000 * sorted[sorted.size() / 2]
              << ", \"min_us\": " << 1000 * sorted.front()
              << ", \"planned_bytes\": " << session.planned_bytes
              << ", \"method_bytes\": " << session.method_memory->most_used_size()
              << ", \"temporary_bytes\": " << session.temporary_memory->most_used_size() << "}"
              << std::endl;
}

std::optional<OutputFiles> create_outputs(Session& session) {
  std::vector<std::string> paths = session.options.outputs;
  const size_t expected = session.method->outputs_size();
  if (!session.options.output_dir.empty()) {
    std::error_code ignored;  // fopen() reports a directory that is not there.
    std::filesystem::create_directory(session.options.output_dir, ignored);
    for (size_t i = 0; i < expected; ++i) {
      paths.push_back(session.options.output_dir + "/output_" + std::to_string(i) + ".bin");
    }
  }
  if (!paths.empty() && paths.size() != expected) {
    session.errors << "--outputs: the method has " << expected << " output(s), found "
                   << paths.size() << " file(s)\n";
    return std::nullopt;
  }
  return OutputFiles::create(paths, session.errors);
}

}  // namespace

ExitCode run(const Options& options, std::ostream& out, std::ostream& errors,
             std::unique_ptr<runtime::DataLoader> model) {
  std::optional<threadpool::NoThreadPoolGuard> alone;
  if (options.threads == 1) {
    alone.emplace();
  } else if (options.threads > 1) {
    threadpool::get_threadpool()->_unsafe_reset_threadpool(options.threads);
  }
  // Before the session, whose module uses it to the end.
  Recording recording;
  if (!recording.open(options, errors)) {
    return kFileFailed;
  }
  Session session{options, out, errors, nullptr, nullptr, nullptr, {}, nullptr, {}, {}, 0, 0, {}};
  ExitCode code = load(session, recording.take_tracer(), std::move(model));
  if (code != kSuccess) {
    return code;
  }
  const Result<std::vector<SampleSize>> sample_sizes = inspect(session);
  if (!sample_sizes.ok()) {
    return fail(session, "reading what method " + session.method_name + " takes",
                sample_sizes.error());
  }
  std::optional<SampleFiles> samples =
      options.inputs.empty() ? all_ones(session, *sample_sizes)
                             : SampleFiles::read(options.inputs, *sample_sizes, errors);
  if (!samples) {
    return kFileFailed;
  }
  ET_LOG(Info, "Inputs prepared.");
  std::optional<OutputFiles> outputs = create_outputs(session);
  if (!outputs) {
    return kFileFailed;
  }
  code = run_samples(session, *samples, *outputs);
  if (code != kSuccess) {
    return code;
  }
  if (!outputs->close(errors) || !recording.save(options, errors)) {
    return kFileFailed;
  }
  ET_LOG(Info, "Model executed successfully %zu time(s) in %f ms.", session.run_ms.size(),
         std::accumulate(session.run_ms.begin(), session.run_ms.end(), 0.0));
  ET_LOG(Info, "%zu outputs: ", session.method->outputs_size());
  const size_t num_samples = samples->num_samples();
  if (num_samples == 1) {
    print_outputs(session, 0, 1);
  }
  if (options.json) {
    print_json(session, num_samples);
  }
  return kSuccess;
}

}  // namespace executor_runner
}  // namespace extension
}  // namespace executorch
