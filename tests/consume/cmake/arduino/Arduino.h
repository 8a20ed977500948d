/// What a sketch expects of every board, for this machine: text goes to standard output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

struct SerialPort {
  void begin(unsigned long) {}
  void print(const char* text) { std::fputs(text, stdout); }
  void print(int number) { std::printf("%d", number); }
  void println(int number) { std::printf("%d\n", number); }
};

inline SerialPort Serial;

inline void delay(unsigned long) {}
