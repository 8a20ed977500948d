// Linked once per target so that Zig builds every library a C++ program of ours may need: the
// standard library with streams, threads and exceptions.
#include <iostream>
#include <stdexcept>
#include <thread>

int main() {
  std::thread thread([] { std::cout << "probe\n"; });
  thread.join();
  try {
    throw std::runtime_error("unwound");
  } catch (const std::exception& error) {
    std::cout << error.what() << "\n";
  }
  return 0;
}
