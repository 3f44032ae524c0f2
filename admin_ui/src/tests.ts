// What every component test begins with.
import { options } from "preact";

// Effects run soon after a drawing and never by a timer, which could fire when the test's window is gone.
options.requestAnimationFrame = (run) => queueMicrotask(run);
