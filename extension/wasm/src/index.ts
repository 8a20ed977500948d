import { Module } from "./module.js";
import { type Calls, Native, importsOf, systemCalls } from "./native.js";
import { ScalarType, Tag } from "./scalar_type.js";
import { Tensor } from "./tensor.js";

export { type EValue, type MethodMetadata, Module, type TensorInfo } from "./module.js";
export { ExecuTorchError } from "./native.js";
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

/** The bytes behind an address. Node's `fetch` has no files. */
async function read(address: URL | string): Promise<BufferSource> {
  const url = new URL(address, import.meta.url);
  if (url.protocol === "file:") {
    const files: { readFile(path: URL): Promise<Uint8Array<ArrayBuffer>> } = await import("node:fs/promises" as string);
    return files.readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) {
    throw new Error(`${url}: ${response.status} ${response.statusText}`);
  }
  return response.arrayBuffer();
}

async function compiled(wasm: NonNullable<Options["wasm"]>): Promise<WebAssembly.Module> {
  if (wasm instanceof WebAssembly.Module) {
    return wasm;
  }
  return WebAssembly.compile(typeof wasm === "string" || wasm instanceof URL ? await read(wasm) : wasm);
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
