#include <cstdio>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include <executorch/extension/executor_runner/options.h>
#include <executorch/extension/executor_runner/runner.h>
#include <executorch/extension/testing_util/temp_file.h>
#include <executorch/extension/testing_util/tiny_program.h>

namespace executorch {
namespace extension {
namespace executor_runner {
namespace {

using extension::testing::TempFile;
using extension::testing::TinyProgram;
using extension::testing::unused_path;

std::vector<uint8_t> bytes_of(const std::vector<float>& values) {
  const auto* raw = reinterpret_cast<const uint8_t*>(values.data());
  return std::vector<uint8_t>(raw, raw + values.size() * sizeof(float));
}

std::vector<float> read_floats(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::vector<float> values(bytes.size() / sizeof(float));
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(values.data()));
  return values;
}

/// Runs the command line and keeps what it printed.
struct Outcome {
  explicit Outcome(std::vector<std::string> arguments) {
    std::vector<const char*> argv = {"executor_runner"};
    for (const std::string& argument : arguments) {
      argv.push_back(argument.c_str());
    }
    std::ostringstream out_stream;
    std::ostringstream error_stream;
    const auto options = parse_options(static_cast<int>(argv.size()), argv.data(), error_stream);
    code = options ? run(*options, out_stream, error_stream) : kWrongFlags;
    out = out_stream.str();
    errors = error_stream.str();
  }

  bool says(const std::string& text) const { return errors.find(text) != std::string::npos; }
  bool prints(const std::string& text) const { return out.find(text) != std::string::npos; }

  int code;
  std::string out;
  std::string errors;
};

class RunnerTest : public ::testing::Test {
 protected:
  RunnerTest() : program_(TinyProgram().build()) {}
  std::string model() const { return "--model_path=" + program_.path(); }

  TempFile program_;
};

TEST_F(RunnerTest, InputsAreOnesUnlessSaidOtherwise) {
  const Outcome outcome({model()});
  EXPECT_EQ(outcome.code, kSuccess);
  EXPECT_EQ(outcome.out, "OutputX 0: tensor(sizes=[2, 3], [2., 2., 2., 2., 2., 2.])\n");
  EXPECT_EQ(outcome.errors, "");
}

TEST_F(RunnerTest, AllOutputsAreWholeAndASummaryIsNot) {
  TinyProgram program;
  program.sizes = {5, 5};
  const TempFile file(program.build());
  EXPECT_EQ(Outcome({"--model_path", file.path(), "--print_output=all"}).out,
            "OutputX 0: tensor(sizes=[5, 5], [\n"
            "  2., 2., 2., 2., 2., 2., 2., 2., 2., 2., \n"
            "  2., 2., 2., 2., 2., 2., 2., 2., 2., 2., \n"
            "  2., 2., 2., 2., 2., \n"
            "])\n");
  EXPECT_TRUE(Outcome({"--model_path", file.path()}).prints("  ...,\n"));
}

TEST_F(RunnerTest, OneFileHoldsManySamples) {
  const TempFile a(bytes_of({1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 50, 60, 0, 0, 0, 0, 0, 0}));
  const TempFile b(bytes_of({1, 1, 1, 1, 1, 1}));  // One sample for all three.
  const std::string output = unused_path();
  const Outcome outcome({model(), "--inputs", a.path() + "," + b.path(), "--outputs", output,
                         "--num_executions=2", "--warmup=1", "--print_output=all", "--json"});
  ASSERT_EQ(outcome.code, kSuccess) << outcome.errors;
  EXPECT_EQ(read_floats(output),
            (std::vector<float>{2, 3, 4, 5, 6, 7, 11, 21, 31, 41, 51, 61, 1, 1, 1, 1, 1, 1}));
  EXPECT_TRUE(outcome.prints(
      "Sample 1:\nOutputX 0: tensor(sizes=[2, 3], [11., 21., 31., 41., 51., 61.])\n"));
  EXPECT_TRUE(outcome.prints("\"samples\": 3, \"executions\": 6, \"warmup\": 1"));
  EXPECT_TRUE(outcome.prints("\"planned_bytes\": 96"));
  EXPECT_TRUE(outcome.prints("\"method_bytes\": "));
  EXPECT_TRUE(outcome.prints("\"temporary_bytes\": 0}")) << outcome.out;
  std::remove(output.c_str());
}

TEST_F(RunnerTest, OutputsGoToADirectoryUnderFixedNames) {
  const std::string directory = unused_path();
  const Outcome outcome({model(), "--output_dir=" + directory, "--print_output=none"});
  ASSERT_EQ(outcome.code, kSuccess) << outcome.errors;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(read_floats(directory + "/output_0.bin"), std::vector<float>(6, 2.0f));
  std::remove((directory + "/output_0.bin").c_str());
  ::rmdir(directory.c_str());
}

TEST_F(RunnerTest, EveryLoadModeAndVerificationRuns) {
  for (const char* mode : {"file", "mmap", "mmap_mlock", "mmap_mlock_ignore_errors"}) {
    for (const char* verification : {"minimal", "internal_consistency"}) {
      EXPECT_EQ(Outcome({model(), "--load_mode", mode, "--verification", verification}).code,
                kSuccess);
    }
  }
}

TEST_F(RunnerTest, ThreadsAreChosen) {
  for (const char* threads : {"1", "3"}) {
    const Outcome outcome({model(), "--threads", threads, "--json"});
    EXPECT_EQ(outcome.code, kSuccess);
    EXPECT_TRUE(outcome.prints(std::string("\"threads\": ") + threads)) << outcome.out;
  }
  EXPECT_TRUE(Outcome({model(), "--cpu_threads=2", "--json"}).prints("\"threads\": 2"));
  EXPECT_EQ(Outcome({model(), "--threads=many"}).code, kWrongFlags);
}

TEST_F(RunnerTest, ExternalDataIsLoaded) {
  TinyProgram program;
  program.second = TinyProgram::Second::kExternal;
  const TempFile file(program.build());
  const TempFile data(program.build_data());
  const Outcome outcome({"--model_path", file.path(), "--data_path", data.path()});
  EXPECT_EQ(outcome.code, kSuccess);
  EXPECT_TRUE(outcome.prints("[11., 21., 31., 41., 51., 61.]"));
  EXPECT_EQ(Outcome({"--model_path", file.path()}).code, kProgramFailed);
}

TEST_F(RunnerTest, MethodsAreChosenByName) {
  TinyProgram program;
  program.methods = {"encode", "decode"};
  const TempFile file(program.build());
  EXPECT_EQ(Outcome({"--model_path", file.path(), "--method_name", "decode"}).code, kSuccess);
  const Outcome outcome({"--model_path", file.path()});
  EXPECT_EQ(outcome.code, kProgramFailed);
  EXPECT_TRUE(outcome.says("has no method forward; its methods are: decode encode"));
  program.methods = {"encode"};
  const TempFile single(program.build());
  EXPECT_EQ(Outcome({"--model_path", single.path()}).code, kSuccess)
      << "the only method needs no name";
}

TEST_F(RunnerTest, ProgramsThatCannotRunSayWhy) {
  const std::string missing = unused_path();
  const Outcome absent({"--model_path", missing});
  EXPECT_EQ(absent.code, kProgramFailed);
  EXPECT_TRUE(absent.says("loading " + missing + " failed with error 0x22 (Error::AccessFailed)"));

  const TempFile foreign(std::vector<uint8_t>(1000, 'x'));
  EXPECT_TRUE(Outcome({"--model_path", foreign.path()}).says("0x23 (Error::InvalidProgram)"));
  std::vector<uint8_t> bytes = TinyProgram().build();
  bytes.resize(bytes.size() - 50);
  const TempFile truncated(bytes);
  EXPECT_EQ(Outcome({"--model_path", truncated.path()}).code, kProgramFailed);

  TinyProgram program;
  program.operator_name = "tiny::missing";
  const TempFile missing_operator(program.build());
  EXPECT_TRUE(
      Outcome({"--model_path", missing_operator.path()}).says("0x14 (Error::OperatorMissing)"));
}

TEST_F(RunnerTest, InputFilesThatDoNotFitSayWhy) {
  const TempFile a(bytes_of({1, 2, 3, 4, 5, 6}));
  const TempFile two(bytes_of(std::vector<float>(12)));
  const TempFile three(bytes_of(std::vector<float>(18)));
  const TempFile odd(bytes_of({1, 2, 3, 4, 5}));
  const Outcome count({model(), "--inputs", a.path()});
  EXPECT_EQ(count.code, kFileFailed);
  EXPECT_TRUE(count.says("takes 2 tensor(s), found 1 file(s)"));
  const Outcome size({model(), "--inputs", a.path() + "," + odd.path()});
  EXPECT_EQ(size.code, kFileFailed);
  EXPECT_TRUE(size.says("has 20 bytes, expected a multiple of the 24 bytes of input 1"));
  const Outcome samples({model(), "--inputs", two.path() + "," + three.path()});
  EXPECT_EQ(samples.code, kFileFailed);
  EXPECT_TRUE(samples.says("has 3 samples, files before it 2"));
  const Outcome absent({model(), "--inputs", a.path() + "," + unused_path()});
  EXPECT_EQ(absent.code, kFileFailed);
  EXPECT_TRUE(absent.says("cannot read"));
}

TEST_F(RunnerTest, InputsBelowTheirBoundAreTakenAtTheirSize) {
  TinyProgram program;
  program.dynamic = true;
  const TempFile file(program.build());
  const std::string dynamic = "--model_path=" + file.path();
  EXPECT_EQ(Outcome({dynamic, "--input_shapes=1x3,1x3"}).out,
            "OutputX 0: tensor(sizes=[1, 3], [2., 2., 2.])\n");
  EXPECT_EQ(Outcome({dynamic, "--input_shapes=,"}).out,
            "OutputX 0: tensor(sizes=[2, 3], [2., 2., 2., 2., 2., 2.])\n");
  // A file has the bytes of the shape, of several samples, or of the bound.
  const TempFile small(bytes_of({1, 2, 3}));
  const TempFile large(bytes_of({10, 20, 30, 40, 50, 60}));
  const TempFile three(bytes_of({0, 0, 0, 1, 1, 1, 2, 2, 2}));
  EXPECT_TRUE(
      Outcome({dynamic, "--input_shapes=1x3,1x3", "--inputs", small.path() + "," + large.path()})
          .prints("OutputX 0: tensor(sizes=[1, 3], [11., 22., 33.])\n"));
  EXPECT_TRUE(Outcome({dynamic, "--input_shapes=1x3,1x3", "--print_output=all", "--inputs",
                       small.path() + "," + three.path()})
                  .prints("Sample 2:\nOutputX 0: tensor(sizes=[1, 3], [3., 4., 5.])\n"));
}

TEST_F(RunnerTest, ShapesThatDoNotFitSayWhy) {
  TinyProgram program;
  program.dynamic = true;
  const TempFile file(program.build());
  const auto said = [&](const std::string& shapes, const std::string& reason) {
    const Outcome outcome({"--model_path", file.path(), "--input_shapes", shapes});
    EXPECT_NE(outcome.code, kSuccess);
    EXPECT_TRUE(outcome.says(reason)) << shapes << ": " << outcome.errors;
  };
  said("1x3", "takes 2 tensor(s), found 1 shape(s)");
  said("1x3,1x3x1", "input 1 has 2 dimensions, found 3");
  said("3x3,1x3", "dimension 0 of input 0 is at most 2, found 3");
  for (const char* wrong : {"1x,1x3", "x3,1x3", "1x-3,1x3", "1x3,a", "1 3,1x3", "99999999999,1"}) {
    said(wrong, "--input_shapes takes SHAPE[,SHAPE...], found");
  }
}

TEST_F(RunnerTest, OutputFilesThatDoNotFitSayWhy) {
  EXPECT_TRUE(Outcome({model(), "--outputs", "a,b"}).says("has 1 output(s), found 2 file(s)"));
  const Outcome outcome({model(), "--outputs", "/nonexistent/directory/out.bin"});
  EXPECT_EQ(outcome.code, kFileFailed);
  EXPECT_TRUE(outcome.says("cannot write /nonexistent/directory/out.bin"));
}

TEST_F(RunnerTest, WrongFlagsSayWhatIsExpected) {
  EXPECT_TRUE(Outcome({"--nonsense"}).says("unknown flag --nonsense"));
  EXPECT_TRUE(Outcome({"model.pte"}).says("unexpected argument 'model.pte'"));
  EXPECT_TRUE(Outcome({"--model_path"}).says("--model_path takes a value: FILE"));
  EXPECT_TRUE(Outcome({"--num_executions=0"}).says("--num_executions takes N, found '0'"));
  EXPECT_TRUE(Outcome({"--warmup=-1"}).says("found '-1'"));
  EXPECT_TRUE(Outcome({"--print_output=loud"}).says("takes all|summary|none, found 'loud'"));
  EXPECT_TRUE(Outcome({"--json=maybe"}).says("takes true or false"));
  EXPECT_TRUE(Outcome({"--outputs=a", "--output_dir=b"}).says("exclude each other"));
  EXPECT_EQ(Outcome({"--nonsense"}).code, kWrongFlags);
}

TEST(OptionsTest, FlagsTakeAllUsualForms) {
  const char* argv[] = {"executor_runner", "-model_path", "a.pte", "--json=false",
                        "--inputs=x,y",    "--warmup",    "3"};
  std::ostringstream errors;
  const auto options = parse_options(7, argv, errors);
  ASSERT_TRUE(options.has_value());
  EXPECT_EQ(options->model_path, "a.pte");
  EXPECT_FALSE(options->json);
  EXPECT_EQ(options->inputs, (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(options->warmup, 3u);
}

TEST(OptionsTest, HelpNamesEveryFlag) {
  std::ostringstream help;
  print_help(help);
  for (const char* flag :
       {"--model_path", "--data_path", "--method_name", "--inputs", "--outputs", "--input_shapes",
        "--output_dir", "--num_executions", "--warmup", "--print_output", "--load_mode",
        "--etdump_path", "--single_file", "--json"}) {
    EXPECT_NE(help.str().find(flag), std::string::npos) << flag;
  }
}

TEST_F(RunnerTest, ARecordingHasEventsAndValues) {
  const std::string events = unused_path();
  const std::string values = unused_path();
  const Outcome outcome({model(), "--etdump_path", events, "--debug_output_path", values});
  EXPECT_EQ(outcome.code, kSuccess) << outcome.errors;
  std::ifstream file(events, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  // A size, the offset of the root, and the identifier of the schema.
  ASSERT_GT(bytes.size(), 12u);
  EXPECT_EQ(bytes.substr(8, 4), "ED00");
  EXPECT_NE(bytes.find("OPERATOR_CALL"), std::string::npos);
  const std::vector<float> logged = read_floats(values);
  ASSERT_GE(logged.size(), 6u);
  EXPECT_EQ(logged[0], 2);
  ::unlink(events.c_str());
  ::unlink(values.c_str());
}

TEST_F(RunnerTest, ARecordingThatCannotBeWrittenIsAFileFailure) {
  const Outcome outcome({model(), "--etdump_path", "/nonexistent/run.etdp"});
  EXPECT_EQ(outcome.code, kFileFailed);
  EXPECT_TRUE(outcome.says("--etdump_path: cannot write /nonexistent/run.etdp"));
  EXPECT_EQ(Outcome({model(), "--debug_output_path", "values.bin"}).code, kWrongFlags);
}

}  // namespace
}  // namespace executor_runner
}  // namespace extension
}  // namespace executorch
