// The natives of NativeModule.java, called against as much of a Java virtual machine as they use.

#include <string>
#include <utility>
#include <vector>

#include <executorch/extension/android/jni/fake_jvm.h>
#include <executorch/extension/android/jni/native_module.h>
#include <executorch/extension/testing_util/tiny_program.h>
#include <executorch/tests/fuzz/choices.h>
#include <executorch/tests/fuzz/fuzz_target.h>
#include <executorch/tests/fuzz/scratch_file.h>

namespace {

using executorch::extension::jni::testing::FakeJvm;
using executorch::extension::testing::TinyProgram;
using executorch::fuzz::Choices;

constexpr jint kTensor = 5;
constexpr jlong kFloat = 6;

class Session {
 public:
  explicit Session(Choices& choices) : choices_(choices) {}
  ~Session() {
    for (const jlong module : modules_) {
      Java_org_pytorch_executorch_NativeModule_destroy(env(), nullptr, module);
    }
  }

  void step() {
    switch (choices_.below(10)) {
      case 0:
      case 1:
        load();
        break;
      case 2:
        (void)Java_org_pytorch_executorch_NativeModule_methodNames(env(), nullptr, module());
        break;
      case 3:
        Java_org_pytorch_executorch_NativeModule_loadMethod(env(), nullptr, module(), method());
        break;
      case 4:
        (void)Java_org_pytorch_executorch_NativeModule_backendNames(env(), nullptr);
        (void)Java_org_pytorch_executorch_NativeModule_operatorNames(env(), nullptr);
        break;
      case 5:
        (void)Java_org_pytorch_executorch_NativeModule_methodBackends(env(), nullptr, module(),
                                                                      method());
        break;
      case 6:
        (void)Java_org_pytorch_executorch_NativeModule_logLines(env(), nullptr);
        break;
      default:
        execute();
    }
    (void)jvm_.take_exception();
  }

 private:
  JNIEnv* env() { return jvm_.env(); }
  jlong module() {
    return modules_.empty() || choices_.one_in(16) ? 0 : modules_[choices_.below(modules_.size())];
  }
  jstring method() {
    if (choices_.one_in(20)) {
      return nullptr;
    }
    return jvm_.string(choices_.of<const char16_t*>(
        {u"forward", u"forward", u"forward", u"absent", u"", u"\xd800", u"\xdc00\xd83d\xde00"}));
  }

  void load() {
    static executorch::fuzz::ScratchFile scratch;
    TinyProgram tiny;
    tiny.dynamic = choices_.one_in(2);
    const std::vector<uint8_t> bytes = tiny.build();
    const std::string& path = scratch.write(
        bytes.data(), choices_.one_in(8) ? choices_.below(bytes.size()) : bytes.size());
    std::vector<jobject> data_paths;
    for (uint64_t n = choices_.one_in(8) ? choices_.below(3) : 0; n > 0; --n) {
      data_paths.push_back(choices_.one_in(2) ? nullptr : jvm_.string(u"/nonexistent.ptd"));
    }
    const jlong module = Java_org_pytorch_executorch_NativeModule_load(
        env(), nullptr,
        choices_.one_in(16) ? nullptr : jvm_.string(std::u16string(path.begin(), path.end())),
        choices_.one_in(16) ? nullptr : jvm_.array(std::move(data_paths)),
        static_cast<jint>(choices_.one_in(8) ? choices_.between(-2, 6) : choices_.between(0, 1)));
    if (module != 0) {
      modules_.push_back(module);
    }
  }

  jobject data() {
    switch (choices_.below(12)) {
      case 0:
        return nullptr;
      case 1:
        return jvm_.buffer(nullptr, -1);
      case 2:
        return jvm_.buffer(input_, static_cast<jlong>(choices_.below(24)));
      default:
        return jvm_.buffer(input_, sizeof(input_));
    }
  }

  /// The rank and sizes of a tensor.
  void add_shape(std::vector<jlong>& numbers) {
    if (!choices_.one_in(6)) {
      numbers.insert(numbers.end(), {2, 2, 3});
      return;
    }
    const uint64_t rank = choices_.below(20);
    numbers.push_back(choices_.one_in(8) ? choices_.of<jlong>({-1, 100, INT64_MAX, INT64_MIN})
                                         : static_cast<jlong>(rank));
    for (uint64_t n = 0; n < rank; ++n) {
      numbers.push_back(choices_.of<jlong>({0, 1, 2, 3, -1, INT32_MAX, INT64_MAX, INT64_MIN, 6}));
    }
  }

  void execute() {
    std::vector<jlong> numbers;
    std::vector<jobject> objects = {nullptr};
    for (uint64_t n = choices_.one_in(8) ? choices_.below(4) : 2; n > 0; --n) {
      const jlong kind = choices_.one_in(8) ? static_cast<jlong>(choices_.between(-1, 9)) : kTensor;
      numbers.push_back(kind);
      numbers.push_back(choices_.one_in(8) ? choices_.of<jlong>({0, -1, 7, INT64_MAX, 99})
                                           : kFloat);
      if (kind == kTensor || choices_.one_in(16)) {
        add_shape(numbers);
      }
      objects.push_back(data());
    }
    if (!numbers.empty() && choices_.one_in(16)) {
      numbers.pop_back();
    }
    objects[0] = choices_.one_in(24) ? nullptr : jvm_.longs(std::move(numbers));
    if (choices_.one_in(16)) {
      objects.pop_back();
    }
    FakeJvm::Object* const result = FakeJvm::of(Java_org_pytorch_executorch_NativeModule_execute(
        env(), nullptr, module(), method(),
        choices_.one_in(24) ? nullptr : jvm_.array(std::move(objects))));
    if (result != nullptr && result->items.size() > 1) {
      const FakeJvm::Object* const buffer = result->items[1];
      for (jlong i = 0; buffer != nullptr && i < buffer->capacity; ++i) {
        total_ += static_cast<const uint8_t*>(buffer->address)[i];
      }
    }
  }

  Choices& choices_;
  FakeJvm jvm_;
  std::vector<jlong> modules_;
  alignas(16) float input_[6] = {1, 2, 3, 4, 5, 6};
  volatile size_t total_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Choices choices(data, size);
  Session session(choices);
  for (uint64_t steps = 2 + choices.below(12); steps > 0; --steps) {
    session.step();
  }
  return 0;
}
