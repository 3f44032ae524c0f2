// The names of a drawing and the words of its relations, where they do not lie on each other.
import { around, Room } from "./labels";
import type { Spot } from "./layout";
import { curve, type Ink, nearOnes, type Pen, type Picture, RING, sizeOf, touches } from "./picture";
import type { Edge, Scene } from "./scene";

const LINE = 14; // pixels that a name is high
const LONGEST = 28; // characters of a name
const FEW = 40; // relations that all have their words

/** The names of those that matter most come first; a name or words that would lie on others are left out. */
export function letter(pen: Pen, ink: Ink, picture: Picture): void {
  const near = nearOnes(picture);
  const { scene, spots } = picture;
  const room = new Room();
  const ways = waysOf(picture);
  spots.forEach(({ x, y }, at) => {
    const size = sizeOf(at);
    room.take({ left: x - size, top: y - size, width: 2 * size, height: 2 * size });
  });
  const edges = scene.edges.filter((each) => touches(each, near));
  const first = new Set([...near, 0, ...edges.flatMap((each) => [each.from, each.to])]);
  const rest = picture.isMoving ? [] : byDegree(scene).filter((at) => !first.has(at));
  for (const at of [...first, ...rest])
    name(pen, ink, picture, room, { at, way: ways[at], isSure: near.has(at) || at === 0 });
  if (picture.isMoving) return;
  const others = scene.edges.length <= FEW ? scene.edges.filter((each) => !touches(each, near)) : [];
  for (const edge of [...edges.slice(0, FEW), ...others]) words(pen, ink, picture, room, edge);
}

const byDegree = ({ nodes }: Scene): number[] =>
  nodes.map((_, at) => at).sort((a, b) => (nodes[b]?.degree ?? 0) - (nodes[a]?.degree ?? 0));

type Place = { at: number; way: Spot | undefined; isSure: boolean };

function name(pen: Pen, ink: Ink, picture: Picture, room: Room, { at, way, isSure }: Place): void {
  const { x, y } = picture.spots[at] as Spot;
  if (x < 0 || y < 0 || x > pen.canvas.clientWidth || y > pen.canvas.clientHeight) return;
  const text = cut(picture.scene.nodes[at]?.name ?? "");
  const size = sizeOf(at) + (at === picture.chosen || at === picture.pointed ? RING : 0);
  const places = around(x, y, size, widthOf(pen, text), LINE, way);
  const box = room.first(places) ?? (isSure ? places[0] : null);
  if (box) write(pen, text, box.left, box.top + LINE / 2, ink("--ink"), ink("--sheet"));
}

/** For every entity the way in which the fewest of its relations go: there they do not run through its name. */
function waysOf({ scene, spots }: Picture): Spot[] {
  const ways = spots.map(() => ({ x: 0, y: 0.01 }));
  for (const { from, to } of scene.edges) {
    const [a, b, way, back] = [spots[from], spots[to], ways[from], ways[to]] as [Spot, Spot, Spot, Spot];
    const far = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const [x, y] = [(b.x - a.x) / far, (b.y - a.y) / far];
    way.x -= x;
    way.y -= y;
    back.x += x;
    back.y += y;
  }
  return ways;
}

function words(pen: Pen, ink: Ink, picture: Picture, room: Room, edge: Edge): void {
  const { middle } = curve(picture, edge);
  const text = cut(edge.words);
  const width = widthOf(pen, text);
  const box = room.first(
    [0, -LINE, LINE].map((off) => ({
      left: middle.x - width / 2,
      top: middle.y + off - LINE / 2,
      width,
      height: LINE,
    })),
  );
  if (box) write(pen, text, box.left, box.top + LINE / 2, ink("--quiet"), ink("--sheet"));
}

/** With the colour of the ground around it, so that lines do not run through the letters. */
function write(pen: Pen, text: string, x: number, y: number, colour: string, ground: string): void {
  pen.strokeStyle = ground;
  pen.lineWidth = 4;
  pen.strokeText(text, x, y);
  pen.fillStyle = colour;
  pen.fillText(text, x, y);
}

const WIDTHS = new Map<string, number>();

/** Measuring is slow, and the same names are drawn again and again. */
function widthOf(pen: Pen, text: string): number {
  let width = WIDTHS.get(text);
  if (width === undefined) {
    if (WIDTHS.size > 5000) WIDTHS.clear();
    WIDTHS.set(text, (width = pen.measureText(text).width));
  }
  return width;
}

/** Isolated, so that marks in it do not turn what is around. */
const cut = (text: string): string => {
  const signs = [...text];
  return `\u2068${signs.length > LONGEST ? `${signs.slice(0, LONGEST).join("")}…` : text}\u2069`;
};
