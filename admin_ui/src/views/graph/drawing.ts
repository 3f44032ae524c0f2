// Draws a graph on a canvas in the colours of the page: relations, then marks, then the names that fit.
import { markOf } from "./kinds";
import type { Spot } from "./layout";
import { letter } from "./lettering";
import { curve, type Ink, nearOnes, type Pen, type Picture, RING, sizeOf, touches } from "./picture";
import type { Edge } from "./scene";

const FONT = "12px system-ui, sans-serif";
const MANY = 80; // relations of one entity that would be a blot

export function draw(canvas: HTMLCanvasElement, picture: Picture): void {
  const pen = canvas.getContext("2d");
  if (!pen) return;
  const ratio = devicePixelRatio || 1;
  canvas.width = Math.round(canvas.clientWidth * ratio);
  canvas.height = Math.round(canvas.clientHeight * ratio);
  pen.scale(ratio, ratio);
  pen.font = FONT;
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  const ink = inkOf(canvas);
  lines(pen, ink, picture);
  marks(pen, ink, picture);
  letter(pen, ink, picture);
}

/** Every colour is looked up once a drawing. */
function inkOf(canvas: HTMLCanvasElement): Ink {
  const style = getComputedStyle(canvas);
  const known = new Map<string, string>();
  return (name) => {
    const colour = known.get(name) ?? style.getPropertyValue(name);
    known.set(name, colour);
    return colour;
  };
}

// -- relations
/** Those of the entities looked at lie over the others. */
function lines(pen: Pen, ink: Ink, picture: Picture): void {
  const near = nearOnes(picture);
  const looked = picture.scene.edges.filter((each) => touches(each, near));
  for (const edge of picture.scene.edges) if (!touches(edge, near)) line(pen, ink, picture, edge, false);
  if (looked.length > MANY) pen.globalAlpha = 0.4;
  for (const edge of looked) line(pen, ink, picture, edge, true);
  pen.globalAlpha = 1;
}

function line(pen: Pen, ink: Ink, picture: Picture, edge: Edge, isNear: boolean): void {
  const { pull } = curve(picture, edge);
  const [from, to] = [picture.spots[edge.from] as Spot, picture.spots[edge.to] as Spot];
  pen.strokeStyle = pen.fillStyle = ink(isNear ? "--accent" : "--edge");
  pen.lineWidth = isNear ? 1.75 : 1;
  pen.setLineDash(edge.holds ? [] : [5, 4]);
  pen.beginPath();
  pen.moveTo(from.x, from.y);
  pen.quadraticCurveTo(pull.x, pull.y, to.x, to.y);
  pen.stroke();
  pen.setLineDash([]);
  arrow(pen, pull, to, sizeOf(edge.to) + 3);
}

/** Its tip stays so many pixels off the middle of the mark that it points at. */
function arrow(pen: Pen, from: Spot, to: Spot, off: number): void {
  const angle = Math.atan2(to.y - from.y, to.x - from.x);
  if (Math.hypot(to.y - from.y, to.x - from.x) < off + 4) return;
  const tip = { x: to.x - Math.cos(angle) * off, y: to.y - Math.sin(angle) * off };
  pen.beginPath();
  pen.moveTo(tip.x, tip.y);
  for (const turn of [-0.4, 0.4]) pen.lineTo(tip.x - 8 * Math.cos(angle + turn), tip.y - 8 * Math.sin(angle + turn));
  pen.fill();
}

// -- entities
function marks(pen: Pen, ink: Ink, { scene, spots, chosen, pointed }: Picture): void {
  scene.nodes.forEach(({ kind }, at) => {
    const { x, y } = spots[at] as Spot;
    const { points, colour } = markOf(kind);
    const size = sizeOf(at);
    pen.beginPath();
    if (points.length) for (const [right, down] of points) pen.lineTo(x + right * size, y + down * size);
    else pen.arc(x, y, size, 0, 2 * Math.PI);
    pen.closePath();
    pen.fillStyle = ink(colour);
    pen.strokeStyle = ink("--sheet");
    pen.lineWidth = 1.5;
    pen.fill();
    pen.stroke();
    if (at === chosen || at === pointed) ring(pen, ink, x, y, size + RING);
  });
}

function ring(pen: Pen, ink: Ink, x: number, y: number, size: number): void {
  pen.beginPath();
  pen.arc(x, y, size, 0, 2 * Math.PI);
  pen.strokeStyle = ink("--accent");
  pen.lineWidth = 2.5;
  pen.stroke();
}
