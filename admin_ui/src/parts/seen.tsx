// What is loaded only once it is scrolled into view: a row's own small question to the server.
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

const AHEAD = "200px";

/** `children` are made when the place they stand at is about to be seen; until then it is a dash. */
export function Seen({ children }: { children: () => ComponentChildren }) {
  const box = useRef<HTMLSpanElement>(null);
  const [isSeen, see] = useState(typeof IntersectionObserver === "undefined");
  useEffect(() => {
    if (isSeen || !box.current) return;
    const watching = new IntersectionObserver((all) => all.some((each) => each.isIntersecting) && see(true), {
      rootMargin: AHEAD,
    });
    watching.observe(box.current);
    return () => watching.disconnect();
  }, [isSeen]);
  return isSeen ? children() : <span ref={box}>–</span>;
}
