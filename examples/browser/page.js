// The page: what is drawn with a mouse, a pen or a finger, and what the network makes of it.
import { DigitClassifier, SIDE, inkOf, softmax } from "./digits.js";

const element = (id) => document.getElementById(id);
const drawing = element("drawing");
const pen = drawing.getContext("2d", { willReadFrequently: true });
pen.lineCap = pen.lineJoin = "round";
// As thick as the pens of the images that the network was trained with, on a digit that fills the canvas.
pen.lineWidth = 36;

const bars = Array.from({ length: 10 }, (_, digit) => {
  const row = element("scores").appendChild(document.createElement("li"));
  row.append(`${digit}`, document.createElement("span"));
  return row.lastChild;
});

function show(ink) {
  const seen = element("seen").getContext("2d");
  const picture = seen.createImageData(SIDE, SIDE);
  ink.forEach((share, i) => (picture.data[4 * i + 3] = 255 * share));
  seen.putImageData(picture, 0, 0);
}

function answer(classifier) {
  const ink = inkOf(drawing);
  if (ink === null) {
    return;
  }
  const start = performance.now();
  const scores = classifier.scores(ink);
  const milliseconds = performance.now() - start;
  const shares = softmax(scores);
  show(ink);
  shares.forEach((share, digit) => (bars[digit].style.width = `${200 * share}px`));
  element("answer").textContent = `${shares.indexOf(Math.max(...shares))}`;
  element("state").textContent = `${milliseconds.toFixed(2)} ms in this page`;
}

function clear() {
  pen.clearRect(0, 0, drawing.width, drawing.height);
  element("seen").getContext("2d").clearRect(0, 0, SIDE, SIDE);
  bars.forEach((bar) => (bar.style.width = "0"));
  element("answer").textContent = "\u00a0";
}

const classifier = await DigitClassifier.load(new URL("digits.pte", document.baseURI));
element("clear").addEventListener("click", clear);
drawing.addEventListener("pointerdown", ({ offsetX, offsetY }) => {
  pen.beginPath();
  pen.moveTo(offsetX, offsetY);
});
drawing.addEventListener("pointermove", ({ buttons, offsetX, offsetY }) => {
  if (buttons & 1) {
    pen.lineTo(offsetX, offsetY);
    pen.stroke();
  }
});
drawing.addEventListener("pointerup", () => answer(classifier));
element("state").textContent = "Ready";
document.body.dataset.ready = "yes";
