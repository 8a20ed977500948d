// A WebAssembly module that is called and never run: what starts a program is not part of it.

extern "C" {

// The linker's: constructors of static objects, with them the registration of kernels.
void __wasm_call_ctors(void);

__attribute__((export_name("_initialize"))) void initialize(void) {
  static bool is_done = false;
  if (!is_done) {
    is_done = true;
    __wasm_call_ctors();
  }
}

}  // extern "C"

// What the C library's start file refers to.
int main() { return 0; }
