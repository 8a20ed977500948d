#pragma once

#include <cstdarg>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <jni.h>

namespace executorch {
namespace extension {
namespace jni {
namespace testing {

/// As much of a Java virtual machine as the natives use: enough to run them where there is none.
class FakeJvm {
 public:
  /// Whatever Java would have on its heap; only what belongs to its type is filled in.
  struct Object {
    std::string type;
    std::u16string text;
    std::vector<jlong> longs;
    std::vector<Object*> items;
    void* address = nullptr;
    jlong capacity = -1;
    jint code = 0;
  };

  FakeJvm();
  FakeJvm(const FakeJvm&) = delete;
  FakeJvm& operator=(const FakeJvm&) = delete;

  JNIEnv* env() { return &environment_.env; }

  Object* make(std::string type);
  jstring string(std::u16string text);
  jlongArray longs(std::vector<jlong> values);
  jobjectArray array(std::vector<jobject> items);
  jobject buffer(void* address, jlong capacity);

  /// The exception that is pending, which this clears; null if there is none.
  Object* take_exception();

  static Object* of(jobject object) { return reinterpret_cast<Object*>(object); }
  static jobject handle(Object* object) { return reinterpret_cast<jobject>(object); }

 private:
  using Table = std::remove_const_t<std::remove_pointer_t<decltype(JNIEnv::functions)>>;
  struct Environment {
    JNIEnv env;
    FakeJvm* jvm;
  };

  static FakeJvm& from(JNIEnv* env) { return *reinterpret_cast<Environment*>(env)->jvm; }
  void fill_strings_and_exceptions();
  void fill_arrays_and_buffers();

  Table table_{};
  Environment environment_{};
  std::vector<std::unique_ptr<Object>> heap_;
  Object* pending_ = nullptr;
};

}  // namespace testing
}  // namespace jni
}  // namespace extension
}  // namespace executorch
