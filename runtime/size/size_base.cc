/// What every C++ program on the platform has, to subtract from `size_test`: start-up code, what
/// the C++ library brings for a class with virtual functions, and the same static data, but no
/// runtime.

#include <cstdint>

extern "C" {
volatile const uint8_t* size_test_program = nullptr;
volatile uint32_t size_test_program_size = 0;
}

namespace {

class Interface {
 public:
  virtual ~Interface();
  virtual int size() const = 0;
};

Interface::~Interface() = default;

class Implementation final : public Interface {
 public:
  int size() const override { return static_cast<int>(size_test_program_size); }
};

Implementation implementation;
// Volatile, so that the compiler cannot know the class and do without its table.
Interface* volatile object = &implementation;

}  // namespace

int main() {
  // Never true; a program that deletes nothing would not have the library's operator delete.
  if (size_test_program != nullptr) {
    delete object;
  }
  return object->size();
}
