// Doing something again, but not too often: however many times it is asked for, at most once a while and never twice at once.

export type Paced = { ask: () => void; stop: () => void };

/** `work` runs soon after the first `ask`, and again `every` milliseconds later if it was asked for meanwhile. */
export function paced(work: () => Promise<void>, every: () => number): Paced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isBusy = false;
  let isWanted = false;
  let isStopped = false;

  async function run(): Promise<void> {
    isBusy = true;
    isWanted = false;
    try {
      await work();
    } finally {
      timer = setTimeout(() => {
        isBusy = false;
        if (isWanted && !isStopped) void run();
      }, every());
    }
  }
  return {
    ask: () => {
      isWanted = true;
      if (!isBusy && !isStopped) void run();
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
