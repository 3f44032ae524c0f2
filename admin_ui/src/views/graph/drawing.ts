// Draws a graph on a canvas in the colours of the page.
import type { Link, Spot } from "./layout";

export type Node = { name: string; kind: string };
export type Edge = { link: Link; words: string; isCurrent: boolean };
export type Scene = { nodes: readonly Node[]; edges: readonly Edge[]; spots: readonly Spot[]; chosen: number };
export type View = { scale: number; x: number; y: number };

const LABELS = 60; // with more, only the chosen and its neighbours have names
const LONGEST = 28;
const EDGE = 60; // pixels around the whole

/** The view that shows every spot. */
export function fitting(spots: readonly Spot[], width: number, height: number): View {
  const [xs, ys] = [spots.map((each) => each.x), spots.map((each) => each.y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = Math.min(1.6, (width - 2 * EDGE) / (right - left || 1), (height - 2 * EDGE) / (bottom - top || 1));
  return { scale, x: width / 2 - ((left + right) / 2) * scale, y: height / 2 - ((top + bottom) / 2) * scale };
}

export function draw(canvas: HTMLCanvasElement, scene: Scene, view: View): void {
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const ratio = devicePixelRatio || 1;
  canvas.width = canvas.clientWidth * ratio;
  canvas.height = canvas.clientHeight * ratio;
  pen.scale(ratio, ratio);
  const colours = getComputedStyle(canvas);
  const colour = (name: string): string => colours.getPropertyValue(name);
  const places = scene.spots.map(({ x, y }) => ({ x: x * view.scale + view.x, y: y * view.scale + view.y }));
  pen.font = "12px system-ui, sans-serif";
  pen.textAlign = "center";
  const near = new Set([0, scene.chosen]);
  for (const {
    link: [a, b],
    words,
    isCurrent,
  } of scene.edges) {
    const [from, to] = [places[a] as Spot, places[b] as Spot];
    const isNear = a === scene.chosen || b === scene.chosen;
    if (isNear) near.add(a).add(b);
    pen.strokeStyle = colour(isNear ? "--accent" : "--edge");
    pen.setLineDash(isCurrent ? [] : [4, 4]);
    pen.beginPath();
    pen.moveTo(from.x, from.y);
    pen.lineTo(to.x, to.y);
    pen.stroke();
    pen.fillStyle = colour("--quiet");
    if (isNear && scene.edges.length <= LABELS) pen.fillText(cut(words), (from.x + to.x) / 2, (from.y + to.y) / 2 - 4);
  }
  pen.setLineDash([]);
  scene.nodes.forEach(({ name, kind }, at) => {
    const { x, y } = places[at] as Spot;
    pen.fillStyle = colour(at === scene.chosen ? "--accent" : "--sheet");
    pen.strokeStyle = colour("--accent");
    pen.lineWidth = at === 0 ? 3 : 1.5;
    shape(pen, kind, x, y, at === 0 ? 8 : 6);
    pen.fillStyle = colour("--ink");
    if (scene.nodes.length <= LABELS || near.has(at)) pen.fillText(cut(name), x, y + 20);
  });
}

/** People are circles, organizations squares, everything else a diamond. */
function shape(pen: CanvasRenderingContext2D, kind: string, x: number, y: number, size: number): void {
  pen.beginPath();
  if (kind === "person") pen.arc(x, y, size, 0, 2 * Math.PI);
  else if (kind === "organization") pen.rect(x - size, y - size, 2 * size, 2 * size);
  else
    [
      [0, -1.2],
      [1.2, 0],
      [0, 1.2],
      [-1.2, 0],
    ].forEach(([right = 0, down = 0]) => {
      pen.lineTo(x + right * size, y + down * size);
    });
  pen.closePath();
  pen.fill();
  pen.stroke();
}

/** Isolated, so that marks in it do not turn what is around. */
const cut = (text: string): string => `\u2068${text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text}\u2069`;
