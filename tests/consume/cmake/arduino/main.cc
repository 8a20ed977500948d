/// Runs a sketch as a board does, for as many rounds as the command line says.
#include <cstdlib>

#include <Arduino.h>

#include SKETCH

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  setup();
  for (int round = 0; round < rounds; ++round) {
    loop();
  }
  return 0;
}
