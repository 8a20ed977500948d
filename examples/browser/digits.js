// What the page knows of the runtime: eight by eight shares of ink in, ten probabilities out.
import loadExecuTorch, { Tensor } from "executorch-wasm";

/** Pixels of a side of what the network was trained with, and how finely each of them is counted. */
export const SIDE = 8;
const FINE = 4;

export class DigitClassifier {
  #module;

  constructor(module) {
    this.#module = module;
  }

  static async load(address) {
    const et = await loadExecuTorch();
    return new DigitClassifier(await et.Module.fetch(address));
  }

  /** Ten scores of 64 shares of ink, row by row from the top: 0 is paper, 1 is ink. */
  scores(ink) {
    const [scores] = this.#module.forward(Tensor.fromArray([1, 1, SIDE, SIDE], ink));
    return scores.data;
  }

  dispose() {
    this.#module.dispose();
  }
}

/** Scores as probabilities. */
export function softmax(scores) {
  const largest = Math.max(...scores);
  const powers = Array.from(scores, (score) => Math.exp(score - largest));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / sum);
}

/** The smallest rectangle with all ink of a picture in it; null where there is none. */
function extent({ data, width, height }) {
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      if (data[4 * (y * width + x) + 3] > 127) {
        left = Math.min(left, x);
        right = Math.max(right, x);
        top = Math.min(top, y);
        bottom = Math.max(bottom, y);
      }
    }
  }
  return right < 0 ? null : { left, top, width: right - left + 1, height: bottom - top + 1 };
}

/** A drawing as the images that the network was trained with: as high as there is room, in the middle, counted in blocks. */
export function inkOf(canvas) {
  const found = extent(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height));
  if (found === null) {
    return null;
  }
  const side = SIDE * FINE;
  const scaled = new OffscreenCanvas(side, side).getContext("2d");
  scaled.imageSmoothingQuality = "high";
  const scale = side / Math.max(found.width, found.height);
  const [width, height] = [found.width * scale, found.height * scale];
  scaled.drawImage(
    canvas, found.left, found.top, found.width, found.height,
    (side - width) / 2, (side - height) / 2, width, height,
  );
  const { data } = scaled.getImageData(0, 0, side, side);
  const ink = new Float32Array(SIDE * SIDE);
  for (let i = 0; i < side * side; i++) {
    const pixel = Math.floor(i / side / FINE) * SIDE + Math.floor((i % side) / FINE);
    ink[pixel] += data[4 * i + 3] / 255 / FINE ** 2;
  }
  return ink;
}
