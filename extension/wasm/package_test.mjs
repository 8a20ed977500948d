// Tests of the installed package, run by Node in a project that has it. PROGRAMS is the directory of the programs.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import loadExecuTorch, { ExecuTorchError, Module, ModulePool, ScalarType, Tag, Tensor } from "executorch-wasm";

const programs = process.env.PROGRAMS;
const bytesOf = (name) => readFileSync(join(programs, name));
const logged = [];
const et = await loadExecuTorch({ log: (line) => logged.push(line) });

test("a method gives what it gives elsewhere", () => {
  const module = et.Module.load(bytesOf("add.pte"));
  const a = et.Tensor.fromArray([2, 3], [1, 2, 3, 4, 5, 6]);
  const b = et.Tensor.fromIter([2, 3], new Set([0.5, 1.5, 2.5, 3.5, 4.5, 5.5]));
  const [sum] = module.forward([a, b]);
  assert.ok(sum instanceof Tensor);
  assert.deepEqual(sum.sizes, [2, 3]);
  assert.equal(sum.scalarType, ScalarType.Float);
  assert.deepEqual(sum.data, new Float32Array([1.5, 3.5, 5.5, 7.5, 9.5, 11.5]));
  // What came out is the caller's: another run does not change it.
  module.execute("forward", [et.Tensor.zeros([2, 3]), et.Tensor.ones([2, 3])]);
  assert.equal(sum.data[0], 1.5);
  module.delete();
  assert.equal(sum.data[5], 11.5);
  assert.throws(() => module.forward([a, b]), /was deleted/);
});

test("every element type goes in and comes out", () => {
  const module = et.Module.load(bytesOf("types.pte"));
  const rows = {
    uint8: [ScalarType.Byte, [250, 1, 2, 3, 4, 5]],
    int8: [ScalarType.Char, [-60, 1, 2, 3, 4, 5]],
    int16: [ScalarType.Short, [-1000, 1, 2, 3, 4, 5]],
    int32: [ScalarType.Int, [-100000, 1, 2, 3, 4, 5]],
    int64: [ScalarType.Long, [-(2n ** 53n) - 1n, 1n, 2n, 3n, 4n, 5n]],
    half: [ScalarType.Half, [0.25, -1, 2, 3, 4, 1000]],
    float: [ScalarType.Float, [0.25, -1, 2, 3, 4, 2 ** 23]],
    double: [ScalarType.Double, [0.1, -1, 2, 3, 4, 1e300]],
    bfloat16: [ScalarType.BFloat16, [0.25, -1, 2, 3, 4, 64]],
  };
  assert.deepEqual(new Set(module.getMethods()), new Set([...Object.keys(rows), "bool"]));
  for (const [method, [type, values]] of Object.entries(rows)) {
    const [sum] = module.execute(method, [Tensor.fromArray([2, 3], values, type), Tensor.ones([2, 3], type)]);
    assert.equal(sum.scalarType, type, method);
    const one = typeof values[0] === "bigint" ? 1n : 1;
    assert.deepEqual(sum.toArray(), values.map((value) => value + one), method);
  }
  const truths = Tensor.fromArray([2, 3], [true, false, true, false, 7, 0], ScalarType.Bool);
  assert.deepEqual(module.execute("bool", truths)[0].toArray(), [false, true, false, true, false, true]);
});

test("sizes follow the inputs, and an integer comes out as one", () => {
  const module = et.Module.load(bytesOf("dynamic.pte"));
  for (const rows of [1, 8, 3]) {
    const [doubled, count] = module.forward(Tensor.full([rows, 3], 1.5));
    assert.deepEqual(doubled.sizes, [rows, 3]);
    assert.deepEqual(doubled.toArray(), new Array(3 * rows).fill(3));
    assert.equal(count, BigInt(rows));
  }
  assert.throws(() => module.forward(Tensor.ones([9, 3])), ExecuTorchError);
});

test("metadata says what a method takes and gives", () => {
  using module = et.Module.load(bytesOf("dynamic.pte"));
  const meta = module.getMethodMetadata("forward");
  assert.equal(meta.name, "forward");
  assert.deepEqual(meta.inputTags, [Tag.Tensor]);
  assert.deepEqual(meta.outputTags, [Tag.Tensor, Tag.Int]);
  assert.deepEqual(meta.inputTensorMeta[0].sizes, [8, 3]);
  assert.deepEqual(meta.inputTensorMeta[0].dimOrder, [0, 1]);
  assert.equal(meta.inputTensorMeta[0].nbytes, 96);
  assert.equal(meta.outputTensorMeta[1], null);
  assert.deepEqual(meta.backends, []);
  assert.ok(meta.numInstructions > 0 && meta.memoryPlannedBufferSizes.length > 0);
  assert.throws(() => module.getMethodMetadata("backward"), { code: 0x12, message: /backward/ });
});

test("wrong calls say what was expected and what came", () => {
  const module = et.Module.load(bytesOf("add.pte"));
  const one = Tensor.ones([2, 3]);
  assert.throws(() => module.forward([one]), /takes 2 inputs, found 1/);
  assert.throws(() => module.forward([one, 1]), /input 1 is of kind Tensor, found a number/);
  assert.throws(() => module.forward([one, null]), /input 1 is of kind Tensor, found null/);
  assert.throws(() => module.forward([one, Tensor.ones([2, 3], ScalarType.Int)]), (error) => {
    assert.ok(error instanceof ExecuTorchError);
    assert.ok(error.code !== 0 && error.message.length > error.codeName.length + 2, error.message);
    return true;
  });
  assert.throws(() => module.execute("backward", one), ExecuTorchError);
  // And the module works as before.
  assert.deepEqual(module.forward([one, one])[0].toArray(), new Array(6).fill(2));
});

test("damaged programs are refused, each with a reason", () => {
  const good = bytesOf("add.pte");
  for (const size of [0, 4, 100, good.length >> 1]) {
    assert.throws(() => et.Module.load(good.subarray(0, size)), ExecuTorchError, `${size} bytes`);
  }
  const flipped = Uint8Array.from(good);
  flipped[5] ^= 0xff;
  assert.throws(() => et.Module.load(flipped), /no .ET12. at byte 4/);
});

test("tensors check their shape", () => {
  assert.throws(() => Tensor.fromArray([2, 2], [1, 2, 3]), /4 elements, found 3/);
  assert.throws(() => Tensor.zeros([-1]), RangeError);
  assert.throws(() => Tensor.zeros(new Array(17).fill(1)), /at most 16/);
  assert.throws(() => Tensor.fromArray([2, 2], [1, 2, 3, 4], ScalarType.Float, [0, 0]), /each of the 2 dimensions/);
  assert.throws(() => Tensor.fromArray([2, 2], [1, 2, 3, 4], ScalarType.Float, [], [4, 1]), /strides are \[2, 1\]/);
  assert.throws(() => Tensor.zeros([1], 9), /no element type/);
  const columns = Tensor.fromArray([2, 3], [1, 4, 2, 5, 3, 6], ScalarType.Float, [], [1, 2]);
  assert.deepEqual(columns.dimOrder, [1, 0]);
  assert.deepEqual(columns.strides, [1, 2]);
  assert.equal(Tensor.fromArray([1], new Int16Array([5])).scalarType, ScalarType.Short);
  assert.deepEqual(Tensor.zeros([0, 4]).toArray(), []);
  columns.dispose();
  assert.throws(() => columns.data, /was deleted/);
});

test("16-bit floats are rounded to the nearest, ties to even", () => {
  const half = (values) => [...Tensor.fromArray([values.length], values, ScalarType.Half).data];
  // 1 + 2^-11 lies in the middle; so does 2049.
  assert.deepEqual(half([1, 1 + 2 ** -11, 1 + 3 * 2 ** -11, 2049, 65504, 65519, 65520]), [
    0x3c00, 0x3c00, 0x3c02, 0x6800, 0x7bff, 0x7bff, 0x7c00,
  ]);
  assert.deepEqual(half([2 ** -24, 2 ** -25, 1.5 * 2 ** -24, 2 ** -14, -0, -Infinity]), [1, 0, 2, 0x400, 0x8000, 0xfc00]);
  const bits = Uint16Array.from({ length: 65536 }, (_, i) => i).filter((word) => (word & 0x7c00) !== 0x7c00);
  const numbers = Tensor.fromArray([bits.length], bits, ScalarType.Half).toArray();
  assert.deepEqual(half(numbers), [...bits]);
  const bfloat = Tensor.fromArray([3], [1 + 2 ** -8, 1 + 3 * 2 ** -8, NaN], ScalarType.BFloat16);
  assert.deepEqual([...bfloat.data], [0x3f80, 0x3f82, 0x7fc0]);
});

test("programs are fetched, and instances do not share anything", async () => {
  const other = await loadExecuTorch();
  const address = pathToFileURL(join(programs, "add.pte"));
  const modules = await Promise.all([other.Module.fetch(address), et.Module.fetch(address.href)]);
  for (const module of modules) {
    assert.ok(module instanceof Module);
    assert.deepEqual(module.forward([Tensor.ones([2, 3]), Tensor.ones([2, 3])])[0].toArray(), new Array(6).fill(2));
    module.dispose();
  }
  await assert.rejects(other.Module.fetch(pathToFileURL(join(programs, "missing.pte"))));
});

test("memory comes back", () => {
  const bytes = bytesOf("add.pte");
  const inputs = [Tensor.ones([2, 3]), Tensor.ones([2, 3])];
  // Big enough for a leak of one program in ten to show.
  let before = 0;
  for (let i = 0; i < 5000; i++) {
    const module = et.Module.load(bytes);
    module.forward(inputs);
    module.delete();
    if (i === 100) before = process.memoryUsage().arrayBuffers;
  }
  globalThis.gc();
  assert.ok(process.memoryUsage().arrayBuffers - before < 1 << 20, "the memory of WebAssembly has grown");
});

test("a pool is for pages, and says so", async () => {
  await assert.rejects(ModulePool.load(bytesOf("add.pte")), /needs the workers of browsers: here, use `Module`/);
});

test("operators of this build", () => {
  const operators = et.getOperators();
  assert.ok(operators.includes("aten::add.out") && operators.includes("aten::logical_not.out"));
  assert.equal(new Set(operators).size, operators.length);
});

test("a program for a backend that is not here says so", () => {
  const module = et.Module.load(bytesOf("linear_xnnpack.pte"));
  assert.deepEqual(module.getMethodMetadata("forward").backends, ["XnnpackBackend"]);
  assert.throws(() => module.forward(Tensor.ones([1, 4])), /XnnpackBackend/);
});

test("what was refused is in the error and not in the log", () => {
  assert.deepEqual(logged, []);
});
