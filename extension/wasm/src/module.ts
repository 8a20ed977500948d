import { ExecuTorchError, type Native } from "./native.js";
import { ScalarType, Tag, elementType } from "./scalar_type.js";
import { Tensor } from "./tensor.js";

/** What a method takes and gives: integers of outputs are bigint, lists come as undefined. */
export type EValue = Tensor | number | bigint | boolean | string | null;

/** A tensor among a method's inputs or outputs. */
export interface TensorInfo {
  /** Upper bounds where a size is dynamic. */
  readonly sizes: readonly number[];
  readonly dimOrder: readonly number[];
  readonly scalarType: ScalarType;
  readonly isMemoryPlanned: boolean;
  readonly nbytes: number;
}

export interface MethodMetadata {
  readonly name: string;
  readonly inputTags: readonly Tag[];
  /** Null where an input is no tensor. */
  readonly inputTensorMeta: readonly (TensorInfo | null)[];
  readonly outputTags: readonly Tag[];
  readonly outputTensorMeta: readonly (TensorInfo | null)[];
  readonly memoryPlannedBufferSizes: readonly number[];
  /** Those that parts of the method were lowered to. */
  readonly backends: readonly string[];
  readonly numInstructions: number;
}

/** Bytes of an `executorch_value`, and where its parts are; native/calls.cc holds the compiler to it. */
const VALUE = { bytes: 32, kind: 0, as: 8, textSize: 12 } as const;
const TENSOR = { data: 8, sizes: 12, dimOrder: 16, rank: 20, nbytes: 24, dtype: 28 } as const;

/** Kinds of the C interface, and the runtime's tags of them. */
const KIND = { None: 0, Int: 1, Double: 2, Bool: 3, String: 4, Tensor: 5 } as const;
const TAGS: readonly Tag[] = [Tag.None, Tag.Int, Tag.Double, Tag.Bool, Tag.String, Tag.Tensor, Tag.Other];

const COUNT = { inputs: 0, outputs: 1, backends: 2, instructions: 3, plannedBuffers: 4 } as const;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const roundUp = (size: number): number => (size + 15) & ~15;

/** Bytes that an input needs besides its `executorch_value`; text is encoded once. */
function extent(value: EValue, text: Uint8Array | undefined): number {
  if (value instanceof Tensor) {
    return roundUp(value.bytes.length) + roundUp(5 * value.sizes.length);
  }
  return text === undefined ? 0 : roundUp(text.length);
}

function wrongInput(method: string, index: number, expected: Tag, found: EValue): TypeError {
  const name = Object.entries(Tag).find(([, tag]) => tag === expected)![0];
  const what = found instanceof Tensor ? "a Tensor" : typeof found === "object" ? "null" : `a ${typeof found}`;
  return new TypeError(`${method}: input ${index} is of kind ${name}, found ${what}`);
}

interface LoadedMethod {
  readonly name: string;
  readonly pointer: number;
  readonly inputTags: readonly Tag[];
  readonly numOutputs: number;
}

/** What has to be freed when a module goes. */
interface Holdings {
  readonly native: Native;
  readonly module: number;
  readonly memory: readonly number[];
}

function release({ native, module, memory }: Holdings): void {
  native.run(() => native.calls.et_module_destroy(module));
  memory.forEach((pointer) => native.free(pointer));
}

/** For modules that nobody deletes. */
const forgotten = new FinalizationRegistry<Holdings>((holdings) => {
  try {
    release(holdings);
  } catch {
    // The runtime stopped: its memory goes as a whole.
  }
});

/** A program and its methods. Calls run to their end before they return; outputs are the caller's. */
export class Module {
  #holdings: Holdings | null;
  readonly #methods = new Map<string, LoadedMethod>();

  /** @internal */
  constructor(native: Native, program: BufferSource, weights?: BufferSource) {
    const memory: number[] = [];
    try {
      this.#holdings = native.run(() => {
        const place = (source: BufferSource): [number, number] => {
          const bytes = ArrayBuffer.isView(source)
            ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
            : new Uint8Array(source);
          memory.push(native.copy(bytes));
          return [memory.at(-1)!, bytes.length];
        };
        const programPlace = place(program);
        const weightsPlace: [number, number] = weights === undefined ? [0, 0] : place(weights);
        const out = native.scratch(4);
        native.check(native.calls.et_module_load(...programPlace, ...weightsPlace, out), "Loading the program");
        return { native, module: native.view.getUint32(out, true), memory };
      });
    } catch (error) {
      memory.forEach((pointer) => native.free(pointer));
      throw error;
    }
    forgotten.register(this, this.#holdings, this);
  }

  get #held(): Holdings {
    if (this.#holdings === null) {
      throw new Error("This module was deleted");
    }
    return this.#holdings;
  }

  getMethods(): string[] {
    const { native, module } = this.#held;
    const { calls } = native;
    return native.run(() =>
      Array.from({ length: calls.et_module_num_methods(module) }, (_, i) =>
        native.text(calls.et_module_method_name(module, i)),
      ),
    );
  }

  /** Loads a method, which executing it does as well. Loading twice does nothing. */
  loadMethod(name: string): void {
    this.#loaded(name);
  }

  /** What the program says of a method, which is not loaded for that. */
  getMethodMetadata(name: string): MethodMetadata {
    const { native } = this.#held;
    return native.run(() => {
      const inputs = this.#values(name, 0);
      const outputs = this.#values(name, 1);
      const { module } = this.#held;
      const list = <T>(count: number, one: (index: number) => T): T[] =>
        Array.from({ length: this.#count(name, count) }, (_, i) => one(i));
      return {
        name,
        inputTags: inputs.map(([tag]) => tag),
        inputTensorMeta: inputs.map(([, info]) => info),
        outputTags: outputs.map(([tag]) => tag),
        outputTensorMeta: outputs.map(([, info]) => info),
        memoryPlannedBufferSizes: list(COUNT.plannedBuffers, (i) =>
          native.withText(name, 4, (text, out) => {
            native.check(native.calls.et_meta_planned_bytes(module, text, i, out), name);
            return native.view.getUint32(out, true);
          }),
        ),
        backends: list(COUNT.backends, (i) =>
          native.withText(name, 4, (text, out) => {
            native.check(native.calls.et_meta_backend(module, text, i, out), name);
            return native.text(native.view.getUint32(out, true));
          }),
        ),
        numInstructions: this.#count(name, COUNT.instructions),
      };
    });
  }

  /** Runs a method. A single input needs no list. */
  execute(name: string, inputs: EValue | readonly EValue[] = []): EValue[] {
    const { native } = this.#held;
    const method = this.#loaded(name);
    const values = Array.isArray(inputs) ? (inputs as readonly EValue[]) : [inputs as EValue];
    if (values.length !== method.inputTags.length) {
      throw new RangeError(`${name} takes ${method.inputTags.length} inputs, found ${values.length}`);
    }
    return native.run(() => {
      const results = this.#write(method, values);
      const { numOutputs, pointer } = method;
      const base = results - values.length * VALUE.bytes;
      native.check(native.calls.et_method_execute(pointer, base, values.length, results, numOutputs), name);
      const outputs: EValue[] = new Array(numOutputs);
      for (let i = 0; i < numOutputs; i++) {
        outputs[i] = readValue(native, results + i * VALUE.bytes);
      }
      return outputs;
    });
  }

  forward(inputs: EValue | readonly EValue[] = []): EValue[] {
    return this.execute("forward", inputs);
  }

  /** Frees the program and its methods. */
  delete(): void {
    if (this.#holdings !== null) {
      forgotten.unregister(this);
      const holdings = this.#holdings;
      this.#holdings = null;
      this.#methods.clear();
      release(holdings);
    }
  }

  dispose(): void {
    this.delete();
  }

  [Symbol.dispose](): void {
    this.delete();
  }

  #count(name: string, count: number): number {
    const { native, module } = this.#held;
    return native.withText(name, 4, (text, out) => {
      native.check(native.calls.et_meta_count(module, text, count, out), `Method ${name}`);
      return native.view.getUint32(out, true);
    });
  }

  #values(name: string, outputs: 0 | 1): [Tag, TensorInfo | null][] {
    const { native, module } = this.#held;
    return Array.from({ length: this.#count(name, outputs ? COUNT.outputs : COUNT.inputs) }, (_, i) =>
      native.withText(name, VALUE.bytes + 8, (text, out) => {
        const planned = out + VALUE.bytes;
        native.check(native.calls.et_meta_value(module, text, outputs, i, out, planned), name);
        const { view } = native;
        const tag = TAGS[view.getInt32(out, true)]!;
        if (tag !== Tag.Tensor) {
          return [tag, null];
        }
        const info: TensorInfo = {
          ...readShape(native, out),
          isMemoryPlanned: view.getInt32(planned, true) !== 0,
          nbytes: view.getUint32(out + TENSOR.nbytes, true),
        };
        return [tag, info];
      }),
    );
  }

  #loaded(name: string): LoadedMethod {
    const known = this.#methods.get(name);
    if (known !== undefined) {
      return known;
    }
    const { native, module } = this.#held;
    return native.run(() => {
      const pointer = native.withText(name, 4, (text, out) => {
        native.check(native.calls.et_module_method(module, text, out), `Loading method ${name}`);
        return native.view.getUint32(out, true);
      });
      const inputTags = this.#values(name, 0).map(([tag]) => tag);
      const loaded = { name, pointer, inputTags, numOutputs: this.#count(name, COUNT.outputs) };
      this.#methods.set(name, loaded);
      return loaded;
    });
  }

  /** Writes the inputs of a call; returns where its outputs go, which is behind their values. */
  #write(method: LoadedMethod, values: readonly EValue[]): number {
    const { native } = this.#held;
    const texts: (Uint8Array | undefined)[] = [];
    const structs = (values.length + method.numOutputs) * VALUE.bytes;
    let size = structs;
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      texts.push(typeof value === "string" ? encoder.encode(value) : undefined);
      size += extent(value, texts[i]);
    }
    const base = native.scratch(size);
    let free = base + structs;
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      const expected = method.inputTags[i]!;
      if (!writeValue(native, base + i * VALUE.bytes, free, value, expected, texts[i])) {
        throw wrongInput(method.name, i, expected, value);
      }
      free += extent(value, texts[i]);
    }
    return base + values.length * VALUE.bytes;
  }
}

/** Writes one value, what it points to at `free`. False where the method expects another kind. */
function writeValue(
  native: Native,
  at: number,
  free: number,
  value: EValue,
  expected: Tag,
  text: Uint8Array | undefined,
): boolean {
  if (value instanceof Tensor) {
    writeTensor(native, at, free, value);
    return expected === Tag.Tensor;
  }
  const { view, bytes } = native;
  const kind = (number: number): boolean => {
    view.setInt32(at + VALUE.kind, number, true);
    return true;
  };
  if (text !== undefined) {
    bytes.set(text, free);
    view.setUint32(at + VALUE.as, free, true);
    view.setUint32(at + VALUE.textSize, text.length, true);
    return kind(KIND.String) && expected === Tag.String;
  }
  if (value === null || value === undefined) {
    return kind(KIND.None) && expected === Tag.None;
  }
  if (expected === Tag.Bool && typeof value === "boolean") {
    view.setUint8(at + VALUE.as, value ? 1 : 0);
    return kind(KIND.Bool);
  }
  if (expected === Tag.Double && typeof value === "number") {
    view.setFloat64(at + VALUE.as, value, true);
    return kind(KIND.Double);
  }
  if (expected === Tag.Int && (typeof value === "bigint" || Number.isSafeInteger(value))) {
    view.setBigInt64(at + VALUE.as, BigInt(value as number | bigint), true);
    return kind(KIND.Int);
  }
  return false;
}

function writeTensor(native: Native, at: number, free: number, tensor: Tensor): void {
  const { view, bytes } = native;
  const { bytes: elements, sizes, dimOrder } = tensor;
  const shape = free + roundUp(elements.length);
  const order = shape + 4 * sizes.length;
  bytes.set(elements, free);
  for (let i = 0; i < sizes.length; i++) {
    view.setInt32(shape + 4 * i, sizes[i]!, true);
    view.setUint8(order + i, dimOrder[i]!);
  }
  view.setInt32(at + VALUE.kind, KIND.Tensor, true);
  view.setUint32(at + TENSOR.data, free, true);
  view.setUint32(at + TENSOR.sizes, shape, true);
  view.setUint32(at + TENSOR.dimOrder, order, true);
  view.setUint32(at + TENSOR.rank, sizes.length, true);
  view.setUint32(at + TENSOR.nbytes, elements.length, true);
  view.setInt32(at + TENSOR.dtype, tensor.scalarType, true);
}

function readShape(native: Native, at: number): Pick<TensorInfo, "sizes" | "dimOrder" | "scalarType"> {
  const { view } = native;
  const rank = view.getUint32(at + TENSOR.rank, true);
  const shape = view.getUint32(at + TENSOR.sizes, true);
  const order = view.getUint32(at + TENSOR.dimOrder, true);
  const sizes: number[] = [];
  const dimOrder: number[] = [];
  for (let i = 0; i < rank; i++) {
    sizes.push(view.getInt32(shape + 4 * i, true));
    dimOrder.push(view.getUint8(order + i));
  }
  return { sizes, dimOrder, scalarType: view.getInt32(at + TENSOR.dtype, true) as ScalarType };
}

function readTensor(native: Native, at: number): Tensor {
  const { sizes, dimOrder, scalarType } = readShape(native, at);
  const { view } = native;
  const start = view.getUint32(at + TENSOR.data, true);
  const elements = view.buffer.slice(start, start + view.getUint32(at + TENSOR.nbytes, true));
  return Tensor.own(new (elementType(scalarType).array)(elements), sizes, dimOrder, scalarType);
}

function readValue(native: Native, at: number): EValue {
  const { view, bytes } = native;
  const kind = view.getInt32(at + VALUE.kind, true);
  switch (kind) {
    case KIND.None:
      return null;
    case KIND.Int:
      return view.getBigInt64(at + VALUE.as, true);
    case KIND.Double:
      return view.getFloat64(at + VALUE.as, true);
    case KIND.Bool:
      return view.getUint8(at + VALUE.as) !== 0;
    case KIND.String: {
      const start = view.getUint32(at + VALUE.as, true);
      return decoder.decode(bytes.subarray(start, start + view.getUint32(at + VALUE.textSize, true)));
    }
    case KIND.Tensor:
      return readTensor(native, at);
    default:
      throw new ExecuTorchError(0x10, "NotSupported", "an output is a list, which cannot be read here");
  }
}
