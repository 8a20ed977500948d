import { ExecuTorchError } from "./native.js";
import type { EValue } from "./module.js";
import { ScalarType, type TensorData } from "./scalar_type.js";
import { Tensor } from "./tensor.js";

/** What a worker is started with. */
export interface Start {
  readonly wasm: WebAssembly.Module;
  readonly program: Uint8Array;
  readonly weights: Uint8Array | undefined;
}

/** A call of a worker, and its answer. */
export interface Call {
  readonly method: string;
  readonly inputs: readonly Packed[];
}

export type Answer = { readonly outputs: readonly Packed[] } | { readonly error: Failure };

/** An error as a message: one of the runtime's keeps its number. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code: number | undefined;
  readonly codeName: string | undefined;
}

interface PackedTensor {
  readonly data: TensorData;
  readonly sizes: readonly number[];
  readonly dimOrder: readonly number[];
  readonly type: ScalarType;
}

/** A value as a message: all but tensors are themselves. */
export type Packed = Exclude<EValue, Tensor> | PackedTensor;

export function pack(value: EValue): Packed {
  if (!(value instanceof Tensor)) {
    return value;
  }
  return { data: value.data, sizes: value.sizes, dimOrder: value.dimOrder, type: value.scalarType };
}

export function unpack(value: Packed): EValue {
  if (typeof value !== "object" || value === null) {
    return value;
  }
  return Tensor.own(value.data, value.sizes, value.dimOrder, value.type);
}

export function failureOf(error: unknown): Failure {
  const { name, message } = error instanceof Error ? error : new Error(`${error}`);
  const own = error instanceof ExecuTorchError ? error : undefined;
  return { name, message, code: own?.code, codeName: own?.codeName };
}

export function errorOf({ name, message, code, codeName }: Failure): Error {
  if (code !== undefined && codeName !== undefined) {
    return new ExecuTorchError(code, codeName, message.slice(codeName.length + 2));
  }
  const kinds: Record<string, ErrorConstructor> = { RangeError, TypeError };
  return new (kinds[name] ?? Error)(message);
}
