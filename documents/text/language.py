"""Tell the language of a text by its script and, for Latin script, by its commonest little words."""

from __future__ import annotations

import re
from collections import Counter

from documents.text.scripts import ARABIC, CYRILLIC, HAN, HANGUL, KANA, THAI

_SAMPLE = 20_000
_SCRIPTS = {
    "kana": re.compile(f"[{KANA}]"),
    "han": re.compile(f"[{HAN}]"),
    "ko": re.compile(f"[{HANGUL}]"),
    "th": re.compile(f"[{THAI}]"),
    "ar": re.compile(f"[{ARABIC}]"),
    "ru": re.compile(f"[{CYRILLIC}]"),
    "latin": re.compile("[A-Za-z\u00c0-\u024f]"),
    "other": re.compile("[\u0370-\u03ff\u0530-\u05ff\u0700-\u0dff\u0e80-\u10ff\u1200-\u139f\u1780-\u17ff]"),
}
_OTHER_CYRILLIC = re.compile("[іїєґўђјљњћџќѓѕқңғүұһәө]", re.IGNORECASE)
_PERSIAN_URDU = re.compile("[پچژگٹڈڑںےۓ]")
_WORD = re.compile(r"[^\W\d_]+")
_COMMON = {
    "en": (
        "the of and to in is that it for was on with as are be this by at from or an have not but which you were they "
        "has their been if can will we your when how what who where does do did many much why there than its all"
    ),
    "de": (
        "der die und das in den von zu ist mit sich des auf für nicht im dem ein eine als auch es an werden aus er hat "
        "dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis "
        "mehr durch man sein wurde wer welche welcher wann wo warum kann wenn ich wir"
    ),
    "fr": (
        "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec son aux ou "
        "cette ces été comme nous vous mais être leur sa fait elle on deux même quel quelle quand où comment pourquoi "
        "combien je tout votre si peut"
    ),
    "es": (
        "de la que el en y a los se del las un por con no una su para es al lo como más o pero sus le ha me si sin "
        "sobre este ya entre cuando todo esta ser son dos también fue había era muy hasta desde está qué cuál cuándo "
        "dónde cómo quién cuántos puede"
    ),
    "it": (
        "di e il la che in un a per è una del della non sono da con si i le al dei come su più gli alla anche delle "
        "nel ha lo o ma ed questo se dal nella ai essere quando stato cosa chi dove perché quanto quale dalla degli "
        "era può questa"
    ),
    "pt": (
        "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua "
        "ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo qual quem "
        "onde você são pode"
    ),
    "nl": (
        "de van een het en in is dat op te zijn met voor niet aan er om ook als dan maar bij uit door naar heeft hij "
        "wordt of nog worden over deze tot je ze wel geen al was kan dit hebben werd meer wat wie waar waarom hoe "
        "welke wanneer u"
    ),
}
# Words of languages we do not name: without them Swedish reads as German and Polish as nothing but noise.
_OTHERS = {
    "sv": "och att det som på är av för med den till inte om ett han men var jag sig från vi så kan när år hade hon",
    "da": "og at det som på er af for med den til ikke om et han men var jeg sig fra vi så kan når år havde hun",
    "pl": "i w na z do się nie że to jest o jak za po przez dla od są co tym oraz jego być który ale tego już",
    "cs": "a se v na je že o s z do i to jako za pro by ale po od jsou které jeho který však byl není nebo",
    "ro": "de și în a la cu pe nu din care se o un să este mai pentru ce sunt fi o fost dar prin",
    "tr": "ve bir bu için ile olarak da de olan en çok daha gibi ne kadar sonra var değil ise olduğu",
    "fi": "ja on ei se että oli hän joka mutta ovat kun myös niin olla sen tai kuin mukaan",
    "hu": "a az és hogy nem is egy ez volt meg csak de már azt mint van ki még el",
    "id": "yang dan di dengan untuk pada dari dalam ini itu adalah tidak ke oleh akan sebagai atau juga",
    "ca": "de la i el que a en per els un les del una amb no es al com més són però dels pel",
    "la": "et in est non ad ut cum sed qui ex quod ab esse sunt per enim",
    "vi": "của và là các có được cho trong một không với những người này đã",
}
_PROFILES: dict[str, dict[str, float]] = {}


def detect(text: str) -> str:
    """Return the ISO 639-1 code of the main language of a text, or "" when it is none of ours or too short to say.

    Known: en de fr es it pt nl ru zh ja ko ar th. Sure from about ten words on, usually right on a question.
    """
    sample = text if len(text) <= _SAMPLE else _spread(text)
    letters = {name: len(pattern.findall(sample)) for name, pattern in _SCRIPTS.items()}
    # One ideograph carries about what three letters do.
    weights = {"kana": 2, "han": 3, "ko": 2}
    total = sum(count * weights.get(name, 1) for name, count in letters.items())
    if not total:
        return ""
    ideographs = letters["kana"] * 2 + letters["han"] * 3
    if ideographs > total * 0.4:
        return "ja" if letters["kana"] > (letters["han"] + letters["kana"]) * 0.08 else "zh"
    main = max((name for name in letters if name not in ("kana", "han")), key=lambda name: letters[name])
    if main == "latin":
        return _latin(sample)
    if main == "ru" and len(_OTHER_CYRILLIC.findall(sample)) > letters["ru"] * 0.01:
        return ""
    if main == "ar" and len(_PERSIAN_URDU.findall(sample)) > letters["ar"] * 0.01:
        return ""
    return "" if main == "other" else main


def _spread(text: str) -> str:
    """Four stretches from all over a long text: front matter and licences are often in another language."""
    step, part = len(text) // 4, _SAMPLE // 4
    return "\n".join(text[start : start + part] for start in range(0, step * 4, step))


def _latin(sample: str) -> str:
    if not _PROFILES:
        _PROFILES.update(_profiles())
    words = Counter(_WORD.findall(sample.lower()))
    total = sum(words.values())
    most = 1 + total // 16  # "Los Angeles" six times in a paragraph does not make it Spanish
    scores: dict[str, float] = {}
    for word, count in words.items():
        for language, weight in _PROFILES.get(word, {}).items():
            scores[language] = scores.get(language, 0.0) + weight * min(count, most)
    if not scores:
        return ""
    best = max(scores, key=lambda language: (scores[language], language))
    second = max((score for language, score in scores.items() if language != best), default=0.0)
    if best in _OTHERS or scores[best] < second * 1.15 or scores[best] < 1.5 or scores[best] / total < 0.06:
        return ""
    return best


def _profiles() -> dict[str, dict[str, float]]:
    """Word → language → weight. A word that several languages share says less for each."""
    found: dict[str, dict[str, float]] = {}
    for language, words in {**_COMMON, **_OTHERS}.items():
        for word in words.split():
            found.setdefault(word, {})[language] = 1.0
    return {word: {language: 1.0 / len(owners) for language in owners} for word, owners in found.items()}
