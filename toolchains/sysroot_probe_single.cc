// As sysroot_probe.cc, where there are neither threads nor exceptions.
#include <iostream>

int main() {
  std::cout << "probe\n";
  return 0;
}
