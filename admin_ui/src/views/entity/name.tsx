// A name in a list: a long one is cut there, and whole where it is pointed at.

const LONGEST = 80; // characters

export function Name({ of, most = LONGEST }: { of: string; most?: number }) {
  const short = cut(of, most);
  return (
    <bdi class="said" title={short === of ? undefined : of}>
      {short}
    </bdi>
  );
}

/** The begin of a text, where it is longer than so many characters. */
export function cut(text: string, most: number): string {
  const signs = [...text];
  return signs.length > most ? `${signs.slice(0, most).join("")}…` : text;
}
