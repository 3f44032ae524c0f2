"""How much of the evidence a ranking finds: the fractions and hit rates at 5, 10, 20 and 50. Pure arithmetic."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mindlog.cli.conversations import Question

__all__ = ["DEPTHS", "Score", "percentile", "score"]

DEPTHS = (5, 10, 20, 50)
ALL = "ALL"


@dataclass(slots=True)
class Score:
    """Sums over questions. `frac` is the share of a question's evidence in the first k, `any` whether there is some."""

    questions: int = 0
    frac_sums: dict[int, float] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0.0))
    any_sums: dict[int, int] = field(default_factory=lambda: dict.fromkeys(DEPTHS, 0))

    def add(self, evidence: Iterable[str], ranked: Sequence[str]) -> None:
        """Count one question."""
        wanted = set(evidence)
        self.questions += 1
        for k in DEPTHS:
            found = len(wanted & set(ranked[:k]))
            self.frac_sums[k] += found / len(wanted) if wanted else 0.0
            self.any_sums[k] += found > 0

    def frac(self, k: int) -> float:
        """Mean percentage of the evidence among the first k."""
        return 100 * self.frac_sums[k] / self.questions if self.questions else 0.0

    def any(self, k: int) -> float:
        """Percentage of questions with some evidence among the first k."""
        return 100 * self.any_sums[k] / self.questions if self.questions else 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the figures, rounded to a tenth as they are printed."""
        figures = {
            f"{name}@{k}": round(of(k), 1) for k in DEPTHS for name, of in (("frac", self.frac), ("any", self.any))
        }
        return {"questions": self.questions, **figures}


def score(questions: Iterable[Question], ranked: Mapping[str, Sequence[str]]) -> dict[str, Score]:
    """Return a score for each category, by name, and last for `ALL`. A question without a ranking finds nothing."""
    scores: dict[str, Score] = defaultdict(Score)
    for question in questions:
        for name in (question.category, ALL):
            scores[name].add(question.evidence, ranked.get(question.id, ()))
    return dict(sorted(scores.items(), key=lambda each: (each[0] == ALL, each[0])))


def percentile(sorted_values: Sequence[float], percent: float) -> float:
    """Return the nearest-rank percentile of sorted values; 0 if there are none."""
    if not sorted_values:
        return 0.0
    return sorted_values[min(len(sorted_values) - 1, int(len(sorted_values) * percent / 100))]
