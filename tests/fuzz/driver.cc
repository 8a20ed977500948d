// Runs a fuzz target without libFuzzer: replays files, then damages them by numbered, seeded
// mutations. The flags are explained by --help.

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <executorch/tests/fuzz/flatbuffer_fields.h>
#include <executorch/tests/fuzz/fuzz_target.h>
#include <executorch/tests/fuzz/mutator.h>

namespace executorch {
namespace fuzz {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kHelp =
    "fuzz driver: DRIVER [flags] FILE|DIRECTORY...\n"
    "  --runs=N         mutations after the replay (default 20000)\n"
    "  --seed=S         of the mutations (default 1)\n"
    "  --first=I        number of the first mutation: with --runs=1 repeats a failure\n"
    "  --seconds=T      stop after this time, 0 for never (default 0)\n"
    "  --timeout=T      seconds of the processor that one file may take (default 20); ten times "
    "that of the clock\n"
    "  --dict=FILE      tokens to insert, in libFuzzer's format\n"
    "  --schema=FILE    compiled flatbuffer schema (.bfbs), whose fields are damaged\n"
    "  --everywhere     damage data segments as well\n"
    "  --calls          the target takes calls, not files: start from random bytes\n"
    "  --fork           go on after a crash, in another process, and count\n"
    "  --artifacts=DIR  write files that crash or hang there\n"
    "  --write=DIR      only write the mutated files\n"
    "Ends with one line of JSON: executions, ok, errors, changed (ran without an error, but gave\n"
    "other results than the undamaged file), crashes, hangs. Fails on a crash or a hang.\n";

struct Flags {
  uint64_t runs = 20000;
  uint64_t seed = 1;
  uint64_t first = 0;
  uint64_t seconds = 0;
  uint64_t timeout = 20;
  std::string dictionary;
  std::string schema;
  std::string artifacts;
  std::string write;
  bool everywhere = false;
  bool calls = false;
  bool fork = false;
  std::vector<std::string> paths;
};

struct Seed {
  std::string name;
  Bytes bytes;
  bool ok = false;
  uint64_t digest = 0;
};

/// Shared with the child of --fork, so that it is known how far a dead child came.
struct Progress {
  uint64_t next = 0;  // The mutation being run.
  uint64_t executions = 0;
  uint64_t ok = 0;
  uint64_t errors = 0;
  uint64_t changed = 0;
  uint64_t crashes = 0;
  uint64_t hangs = 0;
};

constexpr size_t kCallBytes = 96;

Progress* progress = nullptr;
uint64_t seed_of_run = 0;

bool parse_number(const std::string& text, uint64_t& value) {
  char* end = nullptr;
  value = std::strtoull(text.c_str(), &end, 10);
  return !text.empty() && *end == '\0';
}

std::optional<Flags> parse_flags(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
    bool ok = true;
    if (name == "--runs") {
      ok = parse_number(value, flags.runs);
    } else if (name == "--seed") {
      ok = parse_number(value, flags.seed);
    } else if (name == "--first") {
      ok = parse_number(value, flags.first);
    } else if (name == "--seconds") {
      ok = parse_number(value, flags.seconds);
    } else if (name == "--timeout") {
      ok = parse_number(value, flags.timeout) && flags.timeout > 0;
    } else if (name == "--dict") {
      flags.dictionary = value;
    } else if (name == "--schema") {
      flags.schema = value;
    } else if (name == "--artifacts") {
      flags.artifacts = value;
    } else if (name == "--write") {
      flags.write = value;
    } else if (argument == "--everywhere") {
      flags.everywhere = true;
    } else if (argument == "--calls") {
      flags.calls = true;
    } else if (argument == "--fork") {
      flags.fork = true;
    } else if (argument[0] == '-') {
      ok = false;
    } else {
      flags.paths.push_back(argument);
    }
    if (!ok) {
      std::fprintf(stderr, "driver: what is %s?\n%s", argv[i], kHelp);
      return std::nullopt;
    }
  }
  return flags;
}

std::optional<Bytes> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "driver: cannot read %s\n", path.c_str());
    return std::nullopt;
  }
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

void write_file(const std::string& directory, const std::string& name, const Bytes& bytes) {
  std::filesystem::create_directories(directory);
  std::ofstream file(directory + "/" + name, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

bool read_seeds(const Flags& flags, std::vector<Seed>& seeds) {
  if (flags.calls) {
    seeds.push_back({"bad_calls", Bytes(kCallBytes)});
    return true;
  }
  std::vector<std::string> paths;
  for (const std::string& path : flags.paths) {
    if (std::filesystem::is_directory(path)) {
      for (const auto& entry : std::filesystem::directory_iterator(path)) {
        paths.push_back(entry.path().string());
      }
    } else {
      paths.push_back(path);
    }
  }
  // A directory's order is the file system's; mutations must not depend on it.
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths) {
    std::optional<Bytes> bytes = read_file(path);
    if (!bytes) {
      return false;
    }
    seeds.push_back({std::filesystem::path(path).filename().string(), std::move(*bytes)});
  }
  if (seeds.empty()) {
    std::fprintf(stderr, "driver: no files to start from\n%s", kHelp);
  }
  return !seeds.empty();
}

/// What is running is told by number: enough to repeat it, even if nothing else works any more.
void on_alarm(int) {
  char text[160];
  const int length =
      std::snprintf(text, sizeof(text),
                    "driver: HANG; repeat with --seed=%" PRIu64 " --first=%" PRIu64 " --runs=1\n",
                    seed_of_run, progress->next);
  (void)!write(STDERR_FILENO, text, static_cast<size_t>(length));
  _exit(75);
}

void on_death() {
  std::fprintf(stderr,
               "driver: CRASH; repeat with --seed=%" PRIu64 " --first=%" PRIu64 " --runs=1\n",
               seed_of_run, progress->next);
}

void on_signal(int signal) {
  on_death();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

Bytes input_of(const Flags& flags, const Seed& seed, const Mutator& mutator, uint64_t index) {
  return flags.calls ? mutator.random_bytes(index, kCallBytes)
                     : mutator.mutate(index, seed.bytes, flags.everywhere);
}

/// Ends the process if `seconds` of the processor are used up from now on, which others on the
/// machine do not count into; a target that waits uses none, and has ten times as many of the
/// clock. None: no limit.
void limit_time(uint64_t seconds) {
  itimerval limit{};
  limit.it_value.tv_sec = static_cast<time_t>(seconds);
  setitimer(ITIMER_PROF, &limit, nullptr);
  alarm(static_cast<unsigned>(10 * seconds));
}

bool execute(const Bytes& bytes, uint64_t* digest, uint64_t timeout) {
  limit_time(timeout);
  bool ok = true;
  if (FuzzTargetResult != nullptr) {
    ok = FuzzTargetResult(bytes.data(), bytes.size(), digest);
  } else {
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
  }
  limit_time(0);
  return ok;
}

void run_mutations(const Flags& flags, const std::vector<Seed>& seeds, const Mutator& mutator,
                   uint64_t end, Clock::time_point deadline) {
  while (progress->next < end && (flags.seconds == 0 || Clock::now() < deadline)) {
    const Seed& seed = seeds[mutator.choose(progress->next, seeds.size())];
    const Bytes bytes = input_of(flags, seed, mutator, progress->next);
    uint64_t digest = 0;
    const bool ok = execute(bytes, &digest, flags.timeout);
    ++progress->executions;
    progress->ok += ok;
    progress->errors += !ok;
    progress->changed += ok && (seed.ok || flags.calls) && digest != seed.digest;
    ++progress->next;
  }
}

/// The same in child processes, each of which ends at the first crash.
void run_forked(const Flags& flags, const std::vector<Seed>& seeds, const Mutator& mutator,
                Clock::time_point deadline) {
  const uint64_t end = flags.first + flags.runs;
  while (progress->next < end && (flags.seconds == 0 || Clock::now() < deadline)) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      run_mutations(flags, seeds, mutator, end, deadline);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      continue;
    }
    const bool hang = WIFEXITED(status) && WEXITSTATUS(status) == 75;
    progress->hangs += hang;
    progress->crashes += !hang;
    ++progress->executions;
    if (!flags.artifacts.empty()) {
      const Seed& seed = seeds[mutator.choose(progress->next, seeds.size())];
      write_file(flags.artifacts,
                 (hang ? "hang-" : "crash-") + std::to_string(progress->next) + "-" + seed.name,
                 input_of(flags, seed, mutator, progress->next));
    }
    ++progress->next;
  }
}

bool replay(const Flags& flags, std::vector<Seed>& seeds) {
  for (Seed& seed : seeds) {
    seed.ok = execute(seed.bytes, &seed.digest, flags.timeout);
    // Files that once failed need not run; whole ones must, or mutating them proves nothing.
    if (!seed.ok && seed.name.rfind("bad_", 0) != 0) {
      std::fprintf(stderr, "driver: %s does not run\n", seed.name.c_str());
      return false;
    }
  }
  return true;
}

/// With the dictionary and the schema that the flags name.
std::optional<Mutator> make_mutator(const Flags& flags) {
  std::vector<Bytes> dictionary;
  if (!flags.dictionary.empty()) {
    const std::optional<Bytes> text = read_file(flags.dictionary);
    if (!text) {
      return std::nullopt;
    }
    dictionary = parse_dictionary(std::string(text->begin(), text->end()));
  }
  std::shared_ptr<const FlatbufferFields> fields;
  if (!flags.schema.empty()) {
    std::optional<Bytes> schema = read_file(flags.schema);
    if (!schema) {
      return std::nullopt;
    }
    fields = std::make_shared<const FlatbufferFields>(std::move(*schema));
    if (!fields->ok()) {
      std::fprintf(stderr, "driver: %s is no compiled schema\n", flags.schema.c_str());
      return std::nullopt;
    }
  }
  return Mutator(flags.seed, std::move(dictionary), std::move(fields));
}

int run(const Flags& flags) {
  std::vector<Seed> seeds;
  if (!read_seeds(flags, seeds)) {
    return 2;
  }
  const std::optional<Mutator> made = make_mutator(flags);
  if (!made) {
    return 2;
  }
  const Mutator& mutator = *made;
  if (!flags.write.empty()) {
    for (uint64_t i = flags.first; i < flags.first + flags.runs; ++i) {
      const Seed& seed = seeds[mutator.choose(i, seeds.size())];
      write_file(flags.write, std::to_string(i) + "-" + seed.name,
                 input_of(flags, seed, mutator, i));
    }
    return 0;
  }
  const Clock::time_point deadline = Clock::now() + std::chrono::seconds(flags.seconds);
  if (!flags.calls && !replay(flags, seeds)) {
    return 1;
  }
  progress->next = flags.first;
  if (flags.fork) {
    run_forked(flags, seeds, mutator, deadline);
  } else {
    run_mutations(flags, seeds, mutator, flags.first + flags.runs, deadline);
  }
  std::printf("{\"seeds\": %zu, \"executions\": %" PRIu64 ", \"ok\": %" PRIu64
              ", \"errors\": %" PRIu64 ", \"changed\": %" PRIu64 ", \"crashes\": %" PRIu64
              ", \"hangs\": %" PRIu64 "}\n",
              seeds.size(), progress->executions, progress->ok, progress->errors, progress->changed,
              progress->crashes, progress->hangs);
  return progress->crashes + progress->hangs == 0 ? 0 : 1;
}

}  // namespace
}  // namespace fuzz
}  // namespace executorch

// The sanitizers' runtimes call back before they end the process; other builds get a signal.
extern "C" void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

int main(int argc, char** argv) {
  namespace fuzz = executorch::fuzz;
  const std::optional<fuzz::Flags> flags = fuzz::parse_flags(argc, argv);
  if (!flags) {
    return 2;
  }
  void* shared = mmap(nullptr, sizeof(fuzz::Progress), PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) {
    std::perror("driver: mmap");
    return 2;
  }
  fuzz::progress = new (shared) fuzz::Progress();
  fuzz::seed_of_run = flags->seed;
  std::signal(SIGALRM, fuzz::on_alarm);
  std::signal(SIGPROF, fuzz::on_alarm);
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(fuzz::on_death);
  } else {
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) {
      std::signal(signal, fuzz::on_signal);
    }
  }
  return fuzz::run(*flags);
}
