import { type Element, ScalarType, type TensorData, elementType, typeOfElements } from "./scalar_type.js";

/** The runtime's limit. */
const MOST_DIMENSIONS = 16;

function countOf(sizes: readonly number[]): number {
  if (sizes.length > MOST_DIMENSIONS) {
    throw new RangeError(`A tensor has at most ${MOST_DIMENSIONS} dimensions, found ${sizes.length}`);
  }
  let count = 1;
  for (const size of sizes) {
    if (!Number.isInteger(size) || size < 0 || size > 0x7fffffff) {
      throw new RangeError(`Sizes are whole numbers from 0 to 2147483647, found [${sizes.join(", ")}]`);
    }
    count *= size;
  }
  if (count > 0xffffffff) {
    throw new RangeError(`A tensor of sizes [${sizes.join(", ")}] does not fit into 4 GiB`);
  }
  return count;
}

function isPermutation(order: readonly number[], rank: number): boolean {
  return order.length === rank && [...order].sort((a, b) => a - b).every((dimension, i) => dimension === i);
}

/** Elements between neighbours along each dimension, where the dimensions lie densely in this order. */
function denseStrides(sizes: readonly number[], order: readonly number[]): number[] {
  const strides: number[] = new Array(sizes.length);
  let step = 1;
  for (const dimension of [...order].reverse()) {
    strides[dimension] = step;
    step *= Math.max(sizes[dimension]!, 1);
  }
  return strides;
}

/** The order in which dimensions lie, outermost first. Strides may say the same, and nothing else. */
function orderOf(sizes: readonly number[], dimOrder: readonly number[], strides: readonly number[]): number[] {
  const natural = sizes.map((_, i) => i);
  let order = dimOrder.length > 0 ? [...dimOrder] : natural;
  if (dimOrder.length === 0 && strides.length > 0) {
    order = natural.sort((a, b) => strides[b]! - strides[a]! || a - b);
  }
  if (!isPermutation(order, sizes.length)) {
    throw new RangeError(`A dim order names each of the ${sizes.length} dimensions once, found [${order.join(", ")}]`);
  }
  if (strides.length > 0) {
    const dense = denseStrides(sizes, order);
    if (strides.length !== sizes.length || strides.some((stride, i) => sizes[i]! > 1 && stride !== dense[i])) {
      throw new RangeError(
        `Elements lie densely: with this dim order the strides are [${dense.join(", ")}], found [${strides.join(", ")}]`,
      );
    }
  }
  return order;
}

/**
 * Elements of one type in a dense order. They are JavaScript's own memory: calls copy them in and out, so a
 * tensor stays what it is when a method runs again or its module is gone, and needs no `delete`.
 */
export class Tensor {
  #data: TensorData | null;
  #bytes: Uint8Array | null = null;
  readonly #sizes: readonly number[];
  readonly #dimOrder: readonly number[];
  readonly #type: ScalarType;

  private constructor(data: TensorData, sizes: readonly number[], dimOrder: readonly number[], type: ScalarType) {
    this.#data = data;
    this.#sizes = sizes;
    this.#dimOrder = dimOrder;
    this.#type = type;
  }

  /** A tensor of elements and shape that nobody else keeps. @internal */
  static own(data: TensorData, sizes: readonly number[], dimOrder: readonly number[], type: ScalarType): Tensor {
    return new Tensor(data, sizes, dimOrder, type);
  }

  static full(sizes: readonly number[], value: Element, type: ScalarType = ScalarType.Float): Tensor {
    const row = elementType(type);
    const data = new row.array(countOf(sizes));
    (data as { fill(value: number | bigint): unknown }).fill(row.encode(value));
    return new Tensor(data, [...sizes], orderOf(sizes, [], []), type);
  }

  static zeros(sizes: readonly number[], type: ScalarType = ScalarType.Float): Tensor {
    return Tensor.full(sizes, 0, type);
  }

  static ones(sizes: readonly number[], type: ScalarType = ScalarType.Float): Tensor {
    return Tensor.full(sizes, 1, type);
  }

  /**
   * A tensor of the elements of a list, which is copied.
   *
   * @param sizes of the dimensions; their product is the number of elements.
   * @param values numbers, or a typed array.
   * @param type of the elements: by default that of a typed array, Float for others. The elements of a
   *   Uint16Array are taken as bits for Half and BFloat16.
   * @param dimOrder the dimensions in the order in which the elements lie, outermost first.
   * @param strides may say the same as `dimOrder`.
   */
  static fromArray(
    sizes: readonly number[],
    values: ArrayLike<Element> | TensorData,
    type: ScalarType = typeOfElements(values),
    dimOrder: readonly number[] = [],
    strides: readonly number[] = [],
  ): Tensor {
    const row = elementType(type);
    const count = countOf(sizes);
    if (values.length !== count) {
      throw new RangeError(`Sizes [${sizes.join(", ")}] have ${count} elements, found ${values.length}`);
    }
    const order = orderOf(sizes, dimOrder, strides);
    const data = new row.array(count);
    if (values instanceof row.array && type !== ScalarType.Bool) {
      (data as { set(from: ArrayLike<unknown>): void }).set(values);
    } else {
      for (let i = 0; i < count; i++) {
        data[i] = row.encode(values[i]!);
      }
    }
    return new Tensor(data, [...sizes], order, type);
  }

  /** The same of what can be iterated over. */
  static fromIter(
    sizes: readonly number[],
    values: Iterable<Element>,
    type: ScalarType = ScalarType.Float,
    dimOrder: readonly number[] = [],
    strides: readonly number[] = [],
  ): Tensor {
    return Tensor.fromArray(sizes, Array.from(values), type, dimOrder, strides);
  }

  /** The elements, in the order in which they lie; writing here changes the tensor. */
  get data(): TensorData {
    if (this.#data === null) {
      throw new Error("This tensor was deleted");
    }
    return this.#data;
  }

  /** The same memory as bytes. @internal */
  get bytes(): Uint8Array {
    const { data } = this;
    return (this.#bytes ??= new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }

  get sizes(): readonly number[] {
    return this.#sizes;
  }

  get dimOrder(): readonly number[] {
    return this.#dimOrder;
  }

  get strides(): readonly number[] {
    return denseStrides(this.#sizes, this.#dimOrder);
  }

  get scalarType(): ScalarType {
    return this.#type;
  }

  /** The elements as numbers, bigint for Long and UInt64, and boolean for Bool. */
  toArray(): Element[] {
    const { decode } = elementType(this.#type);
    return Array.from(this.data as ArrayLike<number | bigint>, decode);
  }

  /** Lets go of the elements. */
  delete(): void {
    this.#data = null;
    this.#bytes = null;
  }

  dispose(): void {
    this.delete();
  }

  [Symbol.dispose](): void {
    this.delete();
  }
}
