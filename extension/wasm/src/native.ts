/** What the WebAssembly module exports; see native/calls.h. Pointers and sizes are numbers. */
export interface Calls {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  et_last_message(): number;
  et_error_name(error: number): number;
  et_module_load(program: number, size: number, weights: number, weightsSize: number, out: number): number;
  et_module_destroy(module: number): void;
  et_module_num_methods(module: number): number;
  et_module_method_name(module: number, index: number): number;
  et_module_method(module: number, name: number, out: number): number;
  et_meta_count(module: number, name: number, count: number, out: number): number;
  et_meta_backend(module: number, name: number, index: number, out: number): number;
  et_meta_planned_bytes(module: number, name: number, index: number, out: number): number;
  et_meta_value(module: number, name: number, outputs: number, index: number, out: number, planned: number): number;
  et_method_execute(method: number, inputs: number, numInputs: number, outputs: number, numOutputs: number): number;
  et_num_operators(): number;
  et_operator_name(index: number): number;
  et_allocate(size: number): number;
  et_free(memory: number): void;
}

/** What the runtime refused: its number and name of the error, and the reason in words. */
export class ExecuTorchError extends Error {
  constructor(
    /** With the numbers of the runtime's `Error`. */
    readonly code: number,
    readonly codeName: string,
    reason: string,
    options?: ErrorOptions,
  ) {
    super(`${codeName}: ${reason}`, options);
    this.name = "ExecuTorchError";
  }
}

const INTERNAL = 1;
const MEMORY_ALLOCATION_FAILED = 0x21;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** One instance of the runtime: its memory, and calls into it. */
export class Native {
  #bytes: Uint8Array;
  #view: DataView;
  #stopped: unknown;
  #scratch = 0;
  #scratchSize = 0;

  constructor(readonly calls: Calls) {
    this.#bytes = new Uint8Array(calls.memory.buffer);
    this.#view = new DataView(calls.memory.buffer);
  }

  #refresh(): void {
    // Memory that grows moves.
    if (this.#bytes.buffer !== this.calls.memory.buffer) {
      this.#bytes = new Uint8Array(this.calls.memory.buffer);
      this.#view = new DataView(this.calls.memory.buffer);
    }
  }

  get bytes(): Uint8Array {
    this.#refresh();
    return this.#bytes;
  }

  get view(): DataView {
    this.#refresh();
    return this.#view;
  }

  /** Zero-terminated text. */
  text(pointer: number): string {
    const { bytes } = this;
    return decoder.decode(bytes.subarray(pointer, bytes.indexOf(0, pointer)));
  }

  /** Runs something that calls; when the runtime stops for good, says so from then on. */
  run<T>(body: () => T): T {
    if (this.#stopped !== undefined) {
      throw new ExecuTorchError(INTERNAL, "Internal", "the runtime stopped in an earlier call: load it anew", {
        cause: this.#stopped,
      });
    }
    try {
      return body();
    } catch (error) {
      if (!(error instanceof WebAssembly.RuntimeError || error instanceof Stopped)) {
        throw error;
      }
      this.#stopped = error;
      throw new ExecuTorchError(INTERNAL, "Internal", `the runtime stopped (${error.message}): load it anew`, {
        cause: error,
      });
    }
  }

  /** Throws if a call did not answer 0. */
  check(error: number, what: string): void {
    if (error !== 0) {
      const reason = this.text(this.calls.et_last_message());
      throw new ExecuTorchError(error, this.text(this.calls.et_error_name(error)), `${what}${reason ? `: ${reason}` : ""}`);
    }
  }

  allocate(size: number): number {
    const pointer = this.calls.et_allocate(Math.max(size, 1));
    if (pointer === 0) {
      throw new ExecuTorchError(MEMORY_ALLOCATION_FAILED, "MemoryAllocationFailed", `no ${size} bytes of memory`);
    }
    return pointer;
  }

  free(pointer: number): void {
    if (this.#stopped === undefined) {
      this.calls.et_free(pointer);
    }
  }

  /** A copy of some bytes in the runtime's memory. */
  copy(bytes: Uint8Array): number {
    const pointer = this.allocate(bytes.length);
    this.bytes.set(bytes, pointer);
    return pointer;
  }

  /** Memory for what one call passes, which is written over by the next one. */
  scratch(size: number): number {
    if (size > this.#scratchSize) {
      const grown = this.allocate(size);
      this.free(this.#scratch);
      this.#scratch = grown;
      this.#scratchSize = size;
    }
    return this.#scratch;
  }

  /** Calls with a zero-terminated text, a place for a result behind it, and says what lies there. */
  withText<T>(text: string, resultBytes: number, body: (text: number, result: number) => T): T {
    const encoded = encoder.encode(text);
    const result = this.scratch(resultBytes + encoded.length + 1);
    const pointer = result + resultBytes;
    this.bytes.set(encoded, pointer);
    this.bytes[pointer + encoded.length] = 0;
    return body(pointer, result);
  }
}

/** The runtime asked for the process to end. */
class Stopped extends Error {}

const BAD_DESCRIPTOR = 8;
const NOT_SUPPORTED = 52;

/** The few calls of WASI that the runtime makes: a clock, and text for the log. There are no files. */
export function systemCalls(memory: () => DataView, log: (line: string) => void): Record<string, Function> {
  const pending = ["", "", ""];
  return {
    clock_time_get(clock: number, _precision: bigint, out: number): number {
      const milliseconds = clock === 0 ? Date.now() : performance.now();
      memory().setBigUint64(out, BigInt(Math.round(milliseconds * 1e6)), true);
      return 0;
    },
    environ_sizes_get(count: number, size: number): number {
      memory().setUint32(count, 0, true);
      memory().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    fd_close: () => BAD_DESCRIPTOR,
    fd_write(descriptor: number, vectors: number, count: number, out: number): number {
      if (descriptor !== 1 && descriptor !== 2) {
        return BAD_DESCRIPTOR;
      }
      const view = memory();
      let written = 0;
      let text = pending[descriptor]!;
      for (let i = 0; i < count; i++) {
        const size = view.getUint32(vectors + 8 * i + 4, true);
        text += decoder.decode(new Uint8Array(view.buffer, view.getUint32(vectors + 8 * i, true), size));
        written += size;
      }
      const lines = text.split("\n");
      pending[descriptor] = lines.pop()!;
      lines.forEach(log);
      view.setUint32(out, written, true);
      return 0;
    },
    proc_exit(status: number): never {
      throw new Stopped(`exit status ${status}`);
    },
  };
}

/** Everything that a module asks of WASI; what is not served says so to the C library. */
export function importsOf(module: WebAssembly.Module, calls: Record<string, Function>): WebAssembly.Imports {
  const imports: Record<string, Record<string, Function>> = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    (imports[from] ??= {})[name] = calls[name] ?? (() => NOT_SUPPORTED);
  }
  return imports as WebAssembly.Imports;
}
