// Views that are loaded when they are first opened.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../api/client";
import { Loading, Trouble } from "../parts/states";

export type ViewProps = { id: string };
type Module = { default: ComponentType<ViewProps> };

/** A component that fetches itself. What was fetched once is there at once the next time. */
export function lazy(load: () => Promise<Module>): ComponentType<ViewProps> {
  let View: ComponentType<ViewProps> | null = null;
  return function Lazy(props: ViewProps) {
    const [isFailed, fail] = useState(false);
    const [, show] = useState(0);
    useEffect(() => {
      if (View || isFailed) return;
      let isGone = false;
      load().then(
        (module) => {
          View = module.default;
          if (!isGone) show(1);
        },
        () => !isGone && fail(true),
      );
      return () => void (isGone = true);
    }, [isFailed]);
    if (View) return <View {...props} />;
    if (!isFailed) return <Loading />;
    // A browser does not fetch a module again that it failed to fetch: only the whole page anew does.
    return (
      <Trouble
        problem={new Problem(0, "unreachable", "This view could not be loaded.")}
        again={() => location.reload()}
      />
    );
  };
}
