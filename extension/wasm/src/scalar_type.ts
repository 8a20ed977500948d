/** Element types of tensors, by the runtime's numbers. */
export const ScalarType = {
  Byte: 0,
  Char: 1,
  Short: 2,
  Int: 3,
  Long: 4,
  Half: 5,
  Float: 6,
  Double: 7,
  Bool: 11,
  BFloat16: 15,
  UInt16: 27,
  UInt32: 28,
  UInt64: 29,
} as const;
export type ScalarType = (typeof ScalarType)[keyof typeof ScalarType];

/** What a value is, by the runtime's numbers. `Other` is a list, which can be seen but not read here. */
export const Tag = { None: 0, Tensor: 1, String: 2, Double: 3, Int: 4, Bool: 5, Other: 6 } as const;
export type Tag = (typeof Tag)[keyof typeof Tag];

/** The elements of a tensor. Half and BFloat16 are their 16 bits, Bool is a byte that is 0 or 1. */
export type TensorData =
  | Uint8Array
  | Int8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array;

/** What an element is given as. Long and UInt64 take both kinds of numbers; they are read as bigint. */
export type Element = number | bigint | boolean;

type ArrayType = { new (length: number): TensorData; new (buffer: ArrayBufferLike): TensorData };

/** How one element type is kept, and how its elements look outside. */
export interface ElementType {
  readonly name: string;
  readonly array: ArrayType;
  readonly bytes: number;
  readonly encode: (value: Element) => number | bigint;
  readonly decode: (stored: number | bigint) => Element;
}

const floatBits = new Float32Array(1);
const wordBits = new Uint32Array(floatBits.buffer);

/** The nearest number of 16 bits, ties to even, as the upper half of a float's bits. */
function toBFloat16(value: number): number {
  floatBits[0] = value;
  const bits = wordBits[0]!;
  if (Number.isNaN(value)) {
    return 0x7fc0 | ((bits >>> 16) & 0x8000);
  }
  return ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16) & 0xffff;
}

function fromBFloat16(bits: number): number {
  wordBits[0] = bits << 16;
  return floatBits[0]!;
}

/** The nearest half, ties to even: of the number itself, not of the float that is nearest to it. */
function toHalf(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const size = Math.abs(value);
  if (Number.isNaN(size)) {
    return 0x7e00;
  }
  if (size >= 65520) {
    return sign | 0x7c00;
  }
  // The distance between neighbours is a power of two: 2^-24 for the denormal ones.
  const exponent = size < 2 ** -14 ? -14 : Math.floor(Math.log2(size));
  const step = 2 ** ((2 ** exponent > size ? Math.max(exponent - 1, -14) : exponent) - 10);
  const steps = roundToEven(size / step);
  // Rounding up to the next power of two carries into the exponent by itself.
  const biased = Math.log2(step) + 24;
  return sign | (biased * 1024 + steps);
}

function roundToEven(value: number): number {
  const below = Math.floor(value);
  const rest = value - below;
  return rest > 0.5 || (rest === 0.5 && below % 2 === 1) ? below + 1 : below;
}

function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) {
    return fraction ? NaN : sign * Infinity;
  }
  return sign * (exponent ? (1024 + fraction) * 2 ** (exponent - 25) : fraction * 2 ** -24);
}

const plain = { encode: (value: Element) => Number(value), decode: (stored: number | bigint) => stored };
const big = { encode: (value: Element) => BigInt(value), decode: (stored: number | bigint) => stored };

function row(name: string, array: ArrayType, code: Pick<ElementType, "encode" | "decode">): ElementType {
  return { name, array, bytes: new array(1).byteLength, ...code };
}

const ELEMENT_TYPES: ReadonlyMap<number, ElementType> = new Map([
  [ScalarType.Byte, row("Byte", Uint8Array, plain)],
  [ScalarType.Char, row("Char", Int8Array, plain)],
  [ScalarType.Short, row("Short", Int16Array, plain)],
  [ScalarType.Int, row("Int", Int32Array, plain)],
  [ScalarType.Long, row("Long", BigInt64Array, big)],
  [
    ScalarType.Half,
    row("Half", Uint16Array, { encode: (value) => toHalf(Number(value)), decode: (bits) => fromHalf(Number(bits)) }),
  ],
  [ScalarType.Float, row("Float", Float32Array, plain)],
  [ScalarType.Double, row("Double", Float64Array, plain)],
  [ScalarType.Bool, row("Bool", Uint8Array, { encode: (value) => (value ? 1 : 0), decode: (bits) => bits !== 0 })],
  [
    ScalarType.BFloat16,
    row("BFloat16", Uint16Array, {
      encode: (value) => toBFloat16(Number(value)),
      decode: (bits) => fromBFloat16(Number(bits)),
    }),
  ],
  [ScalarType.UInt16, row("UInt16", Uint16Array, plain)],
  [ScalarType.UInt32, row("UInt32", Uint32Array, plain)],
  [ScalarType.UInt64, row("UInt64", BigUint64Array, big)],
]);

/** The row of a type. Throws for what is none. */
export function elementType(type: number): ElementType {
  const found = ELEMENT_TYPES.get(type);
  if (found === undefined) {
    throw new TypeError(`${type} is no element type that JavaScript can hold; see ScalarType for those that are`);
  }
  return found;
}

/** The type of elements that lie in a typed array, Float for any other list. */
export function typeOfElements(values: unknown): ScalarType {
  if (values instanceof Uint8Array || values instanceof Uint8ClampedArray) return ScalarType.Byte;
  if (values instanceof Int8Array) return ScalarType.Char;
  if (values instanceof Int16Array) return ScalarType.Short;
  if (values instanceof Uint16Array) return ScalarType.UInt16;
  if (values instanceof Int32Array) return ScalarType.Int;
  if (values instanceof Uint32Array) return ScalarType.UInt32;
  if (values instanceof BigInt64Array) return ScalarType.Long;
  if (values instanceof BigUint64Array) return ScalarType.UInt64;
  if (values instanceof Float64Array) return ScalarType.Double;
  return ScalarType.Float;
}
