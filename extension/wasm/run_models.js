// What a package makes of the rows of models_for_tests.py, for Node and pages: lists of numbers for each output.
import loadExecuTorch, { ScalarType, Tensor } from "executorch-wasm";

const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

export async function run(models) {
  const et = await loadExecuTorch();
  const results = {};
  for (const [name, { program, inputs }] of Object.entries(models)) {
    const module = et.Module.load(bytesOf(program));
    const given = inputs.map(({ sizes, long, values }) =>
      Tensor.fromArray(sizes, values, long ? ScalarType.Long : ScalarType.Float),
    );
    results[name] = module.forward(given).map((tensor) => tensor.toArray().map(Number));
    module.dispose();
  }
  return results;
}
