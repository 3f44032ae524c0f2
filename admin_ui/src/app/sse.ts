// Server-sent events as text: what a line means and when an event is whole. Without a connection.
// Our own, since a reader made for browsers' events tells nothing of one without data, and that is what a heartbeat is: it
// carries the place to go on from.

export type Frame = { type: string; data: string };

/** Takes pieces of a stream in as they come. `id` is that of the last whole event: where to go on after a lost connection. */
export class Frames {
  id: string | null = null;
  /** What the server asks to wait before connecting again, milliseconds. */
  retry = 1000;
  private rest = "";
  private next: { id: string | null; type: string; data: string[] } = { id: null, type: "", data: [] };

  /** Returns the events that the piece completes. */
  take(piece: string): Frame[] {
    const lines = (this.rest + piece).split("\n");
    this.rest = lines.pop() ?? "";
    return lines.map((line) => this.line(line.replace(/\r$/, ""))).filter((each): each is Frame => each !== null);
  }

  /** Forgets what is not whole: the connection is lost, and it comes again. */
  cut(): void {
    this.rest = "";
    this.next = { id: null, type: "", data: [] };
  }

  private line(line: string): Frame | null {
    if (!line) return this.complete();
    const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line) ?? ["", "", "", ""];
    if (name === "id" && /^\d+$/.test(value ?? "")) this.next.id = value ?? null;
    else if (name === "event") this.next.type = value ?? "";
    else if (name === "data") this.next.data.push(value ?? "");
    else if (name === "retry" && /^\d+$/.test(value ?? "")) this.retry = Number(value);
    return null;
  }

  private complete(): Frame | null {
    const { id, type, data } = this.next;
    this.next = { id: null, type: "", data: [] };
    if (id !== null) this.id = id; // a heartbeat has one too: what was passed over is not looked at again
    return data.length ? { type, data: data.join("\n") } : null;
  }
}
