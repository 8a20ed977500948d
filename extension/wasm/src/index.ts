import { compiled, read } from "./loading.js";
import { Module } from "./module.js";
import { type Calls, Native, importsOf, systemCalls } from "./native.js";
import { ScalarType, Tag } from "./scalar_type.js";
import { Tensor } from "./tensor.js";

export { type EValue, type MethodMetadata, Module, type TensorInfo } from "./module.js";
export { ExecuTorchError } from "./native.js";
export { ModulePool, type PoolOptions } from "./pool.js";
export { type Element, ScalarType, Tag, type TensorData } from "./scalar_type.js";
export { Tensor } from "./tensor.js";

export interface Options {
  /** The WebAssembly module: where it is, its bytes, or itself. By default the file beside this one. */
  readonly wasm?: URL | string | BufferSource | WebAssembly.Module;
  /** Takes what the runtime logs, line by line; `console.error` by default. */
  readonly log?: (line: string) => void;
}

export interface ModuleFactory {
  /** A program out of a `.pte` file, with the weights of a `.ptd` file where it was exported with them. */
  load(program: BufferSource, weights?: BufferSource): Module;
  /** The same of files that are fetched, or read where the address is of a file and there are files. */
  fetch(program: URL | string, weights?: URL | string): Promise<Module>;
}

/** One instance of the runtime, with memory of its own. */
export interface ExecuTorch {
  readonly Module: ModuleFactory;
  readonly Tensor: typeof Tensor;
  readonly ScalarType: typeof ScalarType;
  readonly Tag: typeof Tag;
  /** The operators that this build has kernels for, each overload by name. */
  getOperators(): string[];
}

/** Starts the runtime. As often as you like: instances share nothing but the compiled module, if it is passed. */
export async function loadExecuTorch(options: Options = {}): Promise<ExecuTorch> {
  const module = await compiled(options.wasm ?? new URL("./executorch.wasm", import.meta.url));
  let calls: Calls | undefined;
  const memory = (): DataView => new DataView(calls!.memory.buffer);
  const imports = importsOf(module, systemCalls(memory, options.log ?? ((line) => console.error(line))));
  calls = (await WebAssembly.instantiate(module, imports)).exports as unknown as Calls;
  const native = new Native(calls);
  native.run(() => native.calls._initialize());
  return {
    Module: {
      load: (program, weights) => new Module(native, program, weights),
      fetch: async (program, weights) =>
        new Module(native, await read(program), weights === undefined ? undefined : await read(weights)),
    },
    Tensor,
    ScalarType,
    Tag,
    getOperators: () =>
      native.run(() =>
        Array.from({ length: native.calls.et_num_operators() }, (_, i) =>
          native.text(native.calls.et_operator_name(i)),
        ),
      ),
  };
}

export default loadExecuTorch;
