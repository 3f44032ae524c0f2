"""Tells the language of a text by its script and, among the languages of one script, by their commonest words.

Small tables of general knowledge; "und" where they do not decide. Knows no model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from mindlog.knowledge.wordlist import wordlist

__all__ = ["UNKNOWN", "language_of"]

UNKNOWN = "und"
"""The code of a language that is not known."""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_FEWEST_WORDS = 2  # common words that have to be seen
_LEAST_SHARE = 0.08  # of all words; running text of a language has 30 to 50 in a hundred
_LEAD = 1.25  # over the second

# Blocks of characters that one language alone (of those told apart here) is written in, or that its words then decide.
_SCRIPTS = {
    "kana": re.compile(r"[\u3040-\u30ff\uff66-\uff9f]"),
    "han": re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"),
    "hangul": re.compile(r"[\u1100-\u11ff\uac00-\ud7af]"),
    "thai": re.compile(r"[\u0e00-\u0e7f]"),
    "hebrew": re.compile(r"[\u0590-\u05ff]"),
    "arabic": re.compile(r"[\u0600-\u06ff\u0750-\u077f]"),
    "devanagari": re.compile(r"[\u0900-\u097f]"),
    "greek": re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]"),
    "cyrillic": re.compile(r"[\u0400-\u04ff]"),
    "latin": re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]"),
}
_WEIGHT = {"kana": 3, "han": 3, "hangul": 3}  # a character of these says as much as three letters
_ALONE = {"kana": "ja", "han": "zh", "hangul": "ko", "thai": "th", "hebrew": "he", "greek": "el"}

_WORDS: Mapping[str, Mapping[str, frozenset[str]]] = {
    "latin": {
        "en": wordlist(
            "the of and to in is that it was for on with as be at by this have from or had not are but his they she he you we"
            " which were been has would their will there what when who so if my your its than then i'm it's don't an"
        ),
        "de": wordlist(
            "der die und das den von zu mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie"
            " nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis ich wir"
        ),
        "fr": wordlist(
            "le la les de des du et en un une est que qui dans pour pas sur au aux par il elle ce se ne plus avec son sa ses nous"
            " vous ils je cette mais ou où été être sont comme leur c'est d'un qu'il n'est j'ai très"
        ),
        "es": wordlist(
            "el la los las de que y en un una es del se por con no para su al lo como más pero sus le ya o fue este sí porque esta"
            " entre cuando muy sin sobre también me hasta hay donde quien desde todo nos mi está son"
        ),
        "pt": wordlist(
            "o a os as de que e do da em um uma para com não no na por mais dos das se como mas foi ao ele ela seu sua ou quando"
            " muito nos já eu também pelo pela até isso está são você minha meu num numa às"
        ),
        "it": wordlist(
            "il la lo gli le di che e in un una è per non con si da del della dei delle al alla ma come più sono nel nella anche"
            " suo sua dal ha ho questo questa se io mi ci era essere stato quando molto perché dell'anno dopo"
        ),
        "nl": wordlist(
            "de het een van en in is dat op te zijn met voor niet aan er om ook als bij door naar uit maar nog wel hij zij ze ik"
            " je we was werd wordt heeft had hebben deze dit over kan geen meer of zo dan toen"
        ),
        "sv": wordlist(
            "och i att det som en på är av för med till den har de inte om ett han hon men var jag sig från vi så kan man när år"
            " också efter under eller nu vid mot skulle där vara blev över"
        ),
        "da": wordlist(
            "og i at det som en på er af for med til den har de ikke om et han hun men var jeg sig fra vi så kan man når også efter"
            " eller nu ved mod skulle der være blev over blive havde"
        ),
        "nb": wordlist(
            "og i å det som en på er av for med til den har de ikke om et han hun men var jeg seg fra vi så kan man når også etter"
            " eller nå ved mot skulle der være ble over bli hadde"
        ),
        "pl": wordlist(
            "i w na z się nie do to że jest o jak po ale od za przez co tym dla czy tak jego jej był była było są może już tylko"
            " przed który która które także lub ten ta te mnie był bardzo"
        ),
        "cs": wordlist(
            "a se v na je že s z do o i to jako pro za by ale po tak jsem si byl bylo byla podle které který která jsou nebo když"
            " už jen při od však také být ve ke má své"
        ),
        "tr": wordlist(
            "ve bir bu da de için ile çok olarak daha gibi kadar sonra olan en ne ama var o değil ben ki her mi mı şey veya ise"
            " oldu onun bunu diye göre ancak olduğu tarafından"
        ),
        "fi": wordlist(
            "ja on ei että se oli hän ovat mutta myös kun niin joka tai kuin ole jos vain minä sen nyt hänen mitä oli olen ovat"
            " sekä jälkeen mukaan siitä tämä kanssa olla"
        ),
        "ro": wordlist(
            "și de în la a cu pe nu din care este un o mai că pentru să ce se au fost lui dar prin sau după era sunt am sa cele ca"
            " fi lor această acest"
        ),
        "hu": wordlist(
            "a az és hogy nem is egy ez meg de volt csak már van el mint ha még vagy azt ki kell aki lehet minden után sem pedig nagyon"
        ),
        "id": wordlist(
            "yang dan di itu dengan untuk tidak ini dari dalam akan pada juga saya ke karena tersebut bisa ada mereka lebih kata"
            " tahun sudah atau saat oleh menjadi orang sebagai telah adalah"
        ),
        "vi": wordlist(
            "và của là có được cho không trong một người những với các để này đã khi ra đến về như tôi đó từ ở cũng nhưng rất"
        ),
    },
    "cyrillic": {
        "ru": wordlist(
            "и в не на что с он я как это по но она к из у за то от о так же был его для бы мы все было вы только ещё еще уже или"
            " была её когда ее если были"
        ),
        "uk": wordlist(
            "і в не на що з він я як це та але вона до із у за від про так був його для ми все було ви тільки ще вже або була її"
            " коли якщо були є також"
        ),
        "bg": wordlist(
            "и в не на че се от за да с е си като но то той тя по са ще беше към до или при това го бе след само този аз има"
        ),
    },
    "arabic": {
        "ar": wordlist(
            "في من على إلى أن عن هذا هذه التي الذي مع كان لا ما هو هي ذلك بعد كل أو قد لم بين عند ثم كانت قال و"
        ),
        "fa": wordlist(
            "و در به از که این را با است برای آن یک خود تا کرد بر هم نیز شد بود شده می ها ای هر ما من او اما"
        ),
        "ur": wordlist("کے کی میں ہے اور سے کا کو اس پر کہ نے ہیں یہ تھا ایک بھی کر وہ تھے ہو تو نہیں جو اپنے کیا گیا"),
    },
    "devanagari": {
        "hi": wordlist("के में की है और से का को पर यह ने हैं कि एक भी कर वह था थे हो तो नहीं जो अपने किया गया लिए इस थी"),
        "mr": wordlist("आणि आहे या च्या मध्ये हे ते व तो ती होते होता नाही एक त्या केले करून आहेत म्हणून साठी पण होती मी"),
    },
}


def language_of(text: str) -> str:
    """Return the ISO 639 code of the language most of a text is in, "und" if that is not plain."""
    script = _script(text)
    if script in _ALONE:
        return _ALONE[script]
    return _by_words(text, _WORDS[script]) if script else UNKNOWN


def _script(text: str) -> str:
    """Return the script that most of the text is in, empty if it has no letters; kana among the Han make Japanese."""
    counts = {name: _WEIGHT.get(name, 1) * sum(1 for _ in shape.finditer(text)) for name, shape in _SCRIPTS.items()}
    if 20 * counts["kana"] >= counts["han"] and counts["kana"] > 3:
        counts["kana"] += counts["han"]
    best = max(counts, key=counts.__getitem__)
    return best if counts[best] else ""


def _by_words(text: str, tables: Mapping[str, frozenset[str]]) -> str:
    seen = Counter(match.group().lower().replace("’", "'") for match in _WORD.finditer(text))
    shared = Counter(word for words in tables.values() for word in words)
    found = {code: sum(seen[word] / shared[word] for word in words if word in seen) for code, words in tables.items()}
    (best, most), (_, second) = sorted(found.items(), key=lambda item: -item[1])[:2]
    hits = sum(seen[word] for word in tables[best])
    enough = hits >= _FEWEST_WORDS and hits >= _LEAST_SHARE * seen.total()
    return best if enough and most >= _LEAD * second else UNKNOWN
