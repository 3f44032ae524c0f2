// What a memory is found by beside its meaning: the words of the index, and the questions it answers.
import { useState } from "preact/hooks";
import type { Schema } from "../../api/types";
import { href } from "../../app/router";
import { Note, Rest, Section } from "./section";

const TERMS = 80;
const MANY = 400; // so many are folded away at first
const QUESTIONS = 20;
const SOURCES: Record<string, string> = { llm: "by the language model", template: "from a statement" };

export function Terms({ terms }: { terms: readonly string[] }) {
  const [shown, show] = useState(TERMS);
  return (
    <Section title="Terms" size={terms.length} isOpen={terms.length <= MANY}>
      <Note>
        {terms.length ? "The stems of its words, by which it is found word for word." : "No terms are recorded."}
      </Note>
      <p class="terms">
        {terms.slice(0, shown).map((each, at) => (
          <bdi key={at} class="chip">
            {each}
          </bdi>
        ))}
      </p>
      <Rest of="terms" left={terms.length - shown} show={() => show(shown + TERMS * 10)} />
    </Section>
  );
}

type QuestionsGiven = { questions: readonly Schema<"QuestionReply">[]; dataset: string };

export function Questions({ questions, dataset }: QuestionsGiven) {
  const [shown, show] = useState(QUESTIONS);
  return (
    <Section title="Questions it answers" size={questions.length}>
      <Note>
        {questions.length
          ? "Thought up when it was read, so that a question finds it that shares no word with it."
          : "None were thought up."}
      </Note>
      <ul class="questions">
        {questions.slice(0, shown).map(({ text, source }, at) => (
          <li key={at}>
            <a href={href("/recall", { cue: text, dataset })} title="Recall by this question">
              <span class="said">{text}</span>
            </a>{" "}
            <span class="quiet">{SOURCES[source] ?? source}</span>
          </li>
        ))}
      </ul>
      <Rest of="questions" left={questions.length - shown} show={() => show(shown + QUESTIONS * 5)} />
    </Section>
  );
}
