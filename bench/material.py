"""What the benches store: generated sentences, and vectors as real ones lie.

A few thousand sentences are embedded with the real model, once (kept in bench/results); any number of further vectors
are mixtures of neighbours among them with a little noise, so that they cluster as embeddings do.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindlog.models.embedder import Embedder, EmbedKind, TextEmbedding
from mindlog.models.load import load_default

KEPT = Path(__file__).with_name("results")
BASE = 3000
NOISE = 0.25  # length of the noise beside a vector of length 1: cosine 0.97 to the mixture

PEOPLE = [
    "Ana",
    "Bo",
    "Cy",
    "Dee",
    "Eli",
    "Fay",
    "Gus",
    "Hana",
    "Ivo",
    "Jo",
    "Kai",
    "Lea",
    "Max",
    "Nia",
    "Otto",
    "Pia",
    "Quin",
    "Rae",
    "Sol",
    "Tia",
]
VERBS = [
    "bought",
    "repaired",
    "painted",
    "lost",
    "found",
    "sold",
    "borrowed",
    "photographed",
    "planted",
    "described",
    "cleaned",
    "ordered",
]
QUALITIES = [
    "blue",
    "old",
    "broken",
    "tiny",
    "heavy",
    "wooden",
    "expensive",
    "quiet",
    "strange",
    "Italian",
    "frozen",
    "wet",
    "golden",
    "paper",
]
THINGS = [
    "bicycle",
    "guitar",
    "kettle",
    "garden",
    "map",
    "boat",
    "camera",
    "novel",
    "lamp",
    "cake",
    "telescope",
    "jacket",
    "piano",
    "drone",
    "violin",
    "server",
]
PLACES = [
    "Lisbon",
    "Oslo",
    "Kyoto",
    "Lima",
    "Accra",
    "Porto",
    "Delhi",
    "Quito",
    "Turin",
    "Hobart",
    "Riga",
    "Cusco",
    "the",
    "harbour",
    "the",
    "library",
]
REASONS = [
    "because the rent went up again",
    "after a long argument with the neighbours",
    "for the birthday of a colleague",
    "although nobody had asked for it",
    "so that the children could learn to swim",
    "while the trains were on strike",
    "to settle a bet about the weather",
    "before the doctor called with the results",
]


def sentences(count: int, seed: int = 7) -> list[str]:
    """Distinct sentences of 16 to 24 tokens."""
    pick = random.Random(seed).choice
    made: dict[str, None] = {}
    while len(made) < count:
        when = f"on day {len(made)}"
        made[
            f"{pick(PEOPLE)} {pick(VERBS)} the {pick(QUALITIES)} {pick(THINGS)} in {pick(PLACES)} {when} {pick(REASONS)}."
        ] = None
    return list(made)


def chatter(count: int, seed: int = 17) -> list[str]:
    """Distinct texts of a dozen words whose frequencies fall as in real talk: a common one in every eighth text, most rare."""
    rng = np.random.default_rng(seed)
    vocabulary = _vocabulary()
    drawn = rng.choice(len(vocabulary), size=(count, 12), p=_frequencies(len(vocabulary)))
    return [f"{' '.join(vocabulary[word] for word in row)} {number:x}" for number, row in enumerate(drawn)]


def questions(texts: Sequence[str], count: int, seed: int = 19) -> list[str]:
    """Distinct cues of five words: two from one of the texts, three as they come."""
    rng = np.random.default_rng(seed)
    vocabulary = _vocabulary()
    others = rng.choice(len(vocabulary), size=(count, 3), p=_frequencies(len(vocabulary)))
    asked = (texts[row].split()[:2] for row in rng.integers(len(texts), size=count))
    return [
        f"{' '.join([*two, *(vocabulary[word] for word in three)])}?" for two, three in zip(asked, others, strict=True)
    ]


def _vocabulary() -> list[str]:
    """30 000 words that can be said, each as long as the next."""
    onsets, vowels = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "s", "t", "v", "z"], ["a", "e", "i", "o", "u"]
    syllables = [onset + vowel for onset in onsets for vowel in vowels]
    triples = [a + b + c for a in syllables for b in syllables for c in syllables]
    random.Random(5).shuffle(triples)
    return triples[:30_000]


def _frequencies(count: int) -> NDArray[np.float64]:
    weights = 1 / (np.arange(count) + 10.0)
    return weights / weights.sum()


class Material:
    """Vectors and token states of the base sentences, and mixtures of them by number."""

    def __init__(self, vectors: NDArray[np.float32], states: Sequence[NDArray[np.int8]], embedder: Embedder) -> None:
        self.base = vectors
        self.states = states
        self.fingerprint = embedder.fingerprint
        self.name = embedder.name
        self.dimensions = embedder.dimensions

    def vectors(self, count: int, seed: int = 11) -> NDArray[np.float32]:
        """(count, d) unit vectors; the same seed gives the same ones."""
        rng = np.random.default_rng(seed)
        made = np.empty((count, self.dimensions), np.float32)
        for at in range(0, count, 10_000):
            made[at : at + 10_000] = self._mixtures(rng, min(10_000, count - at))
        return made

    def _mixtures(self, rng: np.random.Generator, count: int) -> NDArray[np.float32]:
        first = rng.integers(len(self.base), size=count)
        # The other parent is a near one: halfway between two unrelated texts lies no text.
        candidates = rng.integers(len(self.base), size=(count, 16))
        closeness = np.einsum("nd,nkd->nk", self.base[first], self.base[candidates])
        second = candidates[np.arange(count), closeness.argmax(1)]
        weight = rng.uniform(0.3, 1.0, size=(count, 1)).astype(np.float32)
        mixed = weight * self.base[first] + (1 - weight) * self.base[second]
        mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
        noise = rng.standard_normal(mixed.shape, np.float32) * (NOISE / np.sqrt(self.dimensions))
        mixed += noise
        return mixed / np.linalg.norm(mixed, axis=1, keepdims=True)


async def load_material(base: int = BASE) -> Material:
    """Embed the base sentences, or read them from an earlier run."""
    embedder = load_default()
    try:
        kept = KEPT / f"base-{embedder.fingerprint[:12]}-{base}.npz"
        if not kept.exists():
            KEPT.mkdir(exist_ok=True)
            embeddings = await embedder.embed(sentences(base, seed=1))
            states = [e.states if e.states is not None else np.zeros((0, 1), np.int8) for e in embeddings]
            lengths = np.array([len(each) for each in states])
            vectors = np.stack([e.vectors[0] for e in embeddings])
            np.savez(kept, vectors=vectors, states=np.concatenate(states), lengths=lengths)
        with np.load(kept) as file:
            ends = np.cumsum(file["lengths"])[:-1]
            return Material(file["vectors"], np.split(file["states"], ends), embedder)
    finally:
        await embedder.aclose()


class PreparedEmbedder:
    """An embedder that costs nothing: gives each text the vector prepared for it, with the token states of a sentence.

    Stands for the real model (same name and fingerprint), where the bench is about everything but the model.
    """

    def __init__(self, material: Material, texts: Sequence[str], vectors: NDArray[np.float32]) -> None:
        self._material = material
        self._rows = {text: row for row, text in enumerate(texts)}
        self._vectors = vectors
        self.name = material.name
        self.dimensions = material.dimensions
        self.fingerprint = material.fingerprint

    async def embed(self, texts: Sequence[str], kind: EmbedKind = "document") -> list[TextEmbedding]:
        """Look the texts up."""
        return [self._one(text) for text in texts]

    def _one(self, text: str) -> TextEmbedding:
        row = self._rows[text]
        return TextEmbedding(
            vectors=self._vectors[row : row + 1],
            windows=((0, len(text)),),
            states=self._material.states[row % len(self._material.states)],
        )

    async def aclose(self) -> None:
        """Nothing to release."""
