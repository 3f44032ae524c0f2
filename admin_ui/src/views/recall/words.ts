// What the lanes, measures and steps of a recall are, in words. One that is not known here is shown by its own name.
import { AROUND } from "./trace";

/** By the names that lanes and measures share. */
export const MEANS: Record<string, string> = {
  semantic: "is nearest in meaning",
  lexical: "holds the words of the cue",
  questions: "answers a question that is near to the cue",
  graph: "carries a statement about what the cue names",
  time: "is of the time that the cue names",
  tokens: "meets the cue word by word, here or in the turn beside it",
  speaker: "was said by whom the cue names",
  human: "was said by the human side, which the cue asks for (I, my)",
  asks: "is a question itself, so it ranks lower",
  [AROUND]: "is lent by the turns before and after it and by the best of its session",
};

/** What the score of a lane is. */
export const SCORES: Record<string, string> = {
  semantic: "cosine of the vectors, at most 1",
  lexical: "BM25, open upwards",
  questions: "cosine with its nearest question, at most 1",
  graph: "how well a statement meets the cue, 0 where only the name is met",
  time: "cosine of the vectors, at most 1",
};

export const NAMES: Record<string, string> = { [AROUND]: "turns around" };

export const STEPS: Record<string, string> = {
  embed: "turns the cue into vectors",
  read: "reads words, names and times in the cue",
  narrow: "applies dataset, time and filters",
  gather: "joins the candidates of the lanes and the turns beside them",
  measure: "measures each candidate",
  tokens: "compares word by word",
  fuse: "adds the measures up and orders",
  hits: "reads the memories",
};
