// Models with many kernels, in the package that has all of them. MODELS is the file of models_for_tests.py.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import loadExecuTorch, { ScalarType, Tensor } from "executorch-wasm";

const et = await loadExecuTorch();
const tensorOf = ({ sizes, long, values }) =>
  Tensor.fromArray(sizes, values, long ? ScalarType.Long : ScalarType.Float);

for (const [name, { program, inputs, outputs, backends, tolerance }] of Object.entries(JSON.parse(readFileSync(process.env.MODELS)))) {
  test(name, () => {
    const module = et.Module.load(Buffer.from(program, "base64"));
    assert.deepEqual([...new Set(module.getMethodMetadata("forward").backends)], backends);
    const found = module.forward(inputs.map(tensorOf));
    assert.equal(found.length, outputs.length);
    found.forEach((tensor, i) => {
      const expected = outputs[i];
      assert.deepEqual(tensor.sizes, expected.sizes);
      tensor.toArray().forEach((value, k) => {
        // Sums in another order than PyTorch's; integers are equal.
        const allowed = expected.long ? 0 : tolerance * (1 + Math.abs(expected.values[k]));
        assert.ok(Math.abs(Number(value) - expected.values[k]) <= allowed, `${i}, ${k}: ${value} ${expected.values[k]}`);
      });
    });
    module.delete();
  });
}

test("kernels of all three libraries", () => {
  const operators = et.getOperators();
  assert.ok(operators.includes("quantized_decomposed::quantize_per_tensor.out"));
  assert.ok(operators.length > 300, `${operators.length}`);
});
