#include <algorithm>
#include <utility>

#include <executorch/extension/android/jni/fake_jvm.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch {
namespace extension {
namespace jni {
namespace testing {

namespace {

/// Java throws ArrayIndexOutOfBoundsException; the natives are not to ask for that.
void check_region(const std::vector<jlong>& items, jsize start, jsize count) {
  ET_CHECK(start >= 0 && count >= 0 && static_cast<size_t>(start + count) <= items.size());
}

}  // namespace

FakeJvm::FakeJvm() {
  fill_strings_and_exceptions();
  fill_arrays_and_buffers();
  environment_.env.functions = &table_;
  environment_.jvm = this;
}

FakeJvm::Object* FakeJvm::make(std::string type) {
  heap_.push_back(std::make_unique<Object>());
  heap_.back()->type = std::move(type);
  return heap_.back().get();
}

jstring FakeJvm::string(std::u16string text) {
  Object* object = make("string");
  object->text = std::move(text);
  return static_cast<jstring>(handle(object));
}

jlongArray FakeJvm::longs(std::vector<jlong> values) {
  Object* object = make("long[]");
  object->longs = std::move(values);
  return static_cast<jlongArray>(handle(object));
}

jobjectArray FakeJvm::array(std::vector<jobject> items) {
  Object* object = make("array");
  for (jobject item : items) {
    object->items.push_back(of(item));
  }
  return static_cast<jobjectArray>(handle(object));
}

jobject FakeJvm::buffer(void* address, jlong capacity) {
  Object* object = make("java/nio/ByteBuffer");
  object->address = address;
  object->capacity = capacity;
  return handle(object);
}

FakeJvm::Object* FakeJvm::take_exception() { return std::exchange(pending_, nullptr); }

void FakeJvm::fill_strings_and_exceptions() {
  table_.GetStringLength = [](JNIEnv*, jstring text) {
    return static_cast<jsize>(of(text)->text.size());
  };
  table_.GetStringRegion = [](JNIEnv*, jstring text, jsize start, jsize count, jchar* to) {
    std::copy_n(of(text)->text.begin() + start, count, to);
  };
  table_.NewString = [](JNIEnv* env, const jchar* data, jsize size) {
    return from(env).string(std::u16string(data, data + size));
  };
  table_.ExceptionCheck = [](JNIEnv* env) {
    return static_cast<jboolean>(from(env).pending_ != nullptr ? JNI_TRUE : JNI_FALSE);
  };
  table_.FindClass = [](JNIEnv* env, const char* name) {
    return static_cast<jclass>(handle(from(env).make(name)));
  };
  // Kept for as long as the process lives, and so longer than this heap.
  table_.NewGlobalRef = [](JNIEnv*, jobject object) {
    static auto* kept = new std::vector<std::unique_ptr<Object>>();
    kept->push_back(std::make_unique<Object>(*of(object)));
    return handle(kept->back().get());
  };
  table_.IsInstanceOf = [](JNIEnv*, jobject object, jclass type) {
    return static_cast<jboolean>(of(object)->type == of(type)->type ? JNI_TRUE : JNI_FALSE);
  };
  table_.GetMethodID = [](JNIEnv*, jclass type, const char*, const char*) {
    return reinterpret_cast<jmethodID>(of(type));
  };
  // Only exceptions are made like this.
  table_.NewObjectV = [](JNIEnv* env, jclass type, jmethodID, va_list arguments) {
    Object* object = from(env).make(of(type)->type);
    object->code = va_arg(arguments, jint);
    object->text = of(va_arg(arguments, jobject))->text;
    return handle(object);
  };
  table_.Throw = [](JNIEnv* env, jthrowable exception) -> jint {
    ET_CHECK(from(env).pending_ == nullptr);
    from(env).pending_ = of(exception);
    return 0;
  };
}

void FakeJvm::fill_arrays_and_buffers() {
  table_.GetArrayLength = [](JNIEnv*, jarray array) {
    const Object* object = of(array);
    return static_cast<jsize>(object->longs.size() + object->items.size());
  };
  table_.GetLongArrayRegion = [](JNIEnv*, jlongArray array, jsize start, jsize count, jlong* to) {
    const std::vector<jlong>& items = of(array)->longs;
    check_region(items, start, count);
    std::copy_n(items.begin() + start, count, to);
  };
  table_.SetLongArrayRegion = [](JNIEnv*, jlongArray array, jsize start, jsize count,
                                 const jlong* values) {
    std::vector<jlong>& items = of(array)->longs;
    check_region(items, start, count);
    std::copy_n(values, count, items.begin() + start);
  };
  table_.NewLongArray = [](JNIEnv* env, jsize size) {
    return from(env).longs(std::vector<jlong>(static_cast<size_t>(size)));
  };
  table_.NewObjectArray = [](JNIEnv* env, jsize size, jclass, jobject) {
    return from(env).array(std::vector<jobject>(static_cast<size_t>(size)));
  };
  table_.GetObjectArrayElement = [](JNIEnv*, jobjectArray array, jsize index) {
    return handle(of(array)->items.at(static_cast<size_t>(index)));
  };
  table_.SetObjectArrayElement = [](JNIEnv*, jobjectArray array, jsize index, jobject value) {
    of(array)->items.at(static_cast<size_t>(index)) = of(value);
  };
  table_.NewDirectByteBuffer = [](JNIEnv* env, void* address, jlong capacity) {
    return from(env).buffer(address, capacity);
  };
  table_.GetDirectBufferAddress = [](JNIEnv*, jobject buffer) { return of(buffer)->address; };
  table_.GetDirectBufferCapacity = [](JNIEnv*, jobject buffer) { return of(buffer)->capacity; };
  table_.DeleteLocalRef = [](JNIEnv*, jobject) {};
}

}  // namespace testing
}  // namespace jni
}  // namespace extension
}  // namespace executorch
