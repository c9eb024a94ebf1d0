"""Words that tell a follow-up from a question that stands alone, for languages that are written with spaces."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LEADS: Final = (
    r"(?:ok(?:ay)?,? )?(?:and |but |so |then )?(?:what|how) about (?:the case of )?",
    r"(?:ok(?:ay)?,? )?(?:and|but|or) (?:what |how )?(?:if )?(?:about )?(?:then )?",
    r"(?:und |aber )?(?:was ist mit|wie (?:ist|steht|sieht) es (?:bei|mit)|wie ist das (?:bei|mit)) ",
    r"(?:und|aber|oder) (?:was ist mit )?",
    r"(?:et )?(?:qu'en est-il (?:de la |de l'|du |des |de |d')|pour ce qui est de )",
    r"(?:et|mais|ou) ",
    r"[¿]?(?:y|e|pero|o) (?:qué (?:pasa con|tal|hay de) |que (?:pasa con|tal) )?",
    r"[¿]?(?:qué (?:pasa con|hay de)|que pasa con) ",
    r"(?:e|ed|ma|o) (?:che (?:ne è|mi dici) (?:di |del |della |dei |delle )|per quanto riguarda )?",
    r"(?:e|mas|ou) (?:quanto (?:a|ao|à|aos|às) |(?:o que|que) (?:dizer )?(?:de|do|da|dos|das) )?",
    r"(?:en|maar|of) (?:hoe (?:zit|staat) het met |wat (?:met|over) )?",
    r"(?:а|и|но) (?:(?:что|как) (?:насч[её]т|с|у|об?) )?",
    r"(?:وماذا عن |ماذا عن |و(?=(?:في|عن|ال)))",
)
"""What a follow-up begins with; the longest that fits is taken off."""

OPENERS: Final = _words(
    "what which who whom whose when where why how is are was were do does did can could should would will has have had may"
    " must if was welche welcher welches wer wen wem wann wo wohin woher warum wieso wie ist sind kann können muss darf"
    " soll sollte gibt hat haben wird werden wurde que qu'est-ce quel quelle quels quelles qui quand où pourquoi comment"
    " combien est-ce peut peut-on faut-il y-a-t-il qué cuál cuáles quién quiénes cuándo dónde cómo cuánto cuánta cuántos"
    " cuántas puede puedo hay es está son che cosa quale quali chi quando dove perché come quanto quanta quanti quante può"
    " posso c'è qual quais quem onde como porque quantos quantas pode wat welke wie wanneer waar waarom hoe kan mag moet is"
    " что какой какая какие кто когда где почему как сколько можно нужно ما ماذا من متى أين لماذا كيف كم هل"
)
"""A text that begins with one of these is a whole question."""

PREPOSITIONS: Final = _words(
    "in on at for with without of from to by under over during since until before after between inside outside via per as"
    " für mit ohne von aus zu bei nach vor seit bis unter über während im am zum zur beim vom auf an"
    " pour avec sans de du des dans sur sous en à au aux chez par depuis avant après pendant"
    " para con sin del desde hasta sobre ante durante según por a al"
    " di del della dei delle da dal in nel nella su sul per tra fra"
    " do da dos das em no na nos nas ao à sem com"
    " voor met zonder van uit naar bij op sinds tot"
    " в во на для с со без от из до после при о об у к по"
    " في من إلى على عن مع بدون"
)
ARTICLES: Final = _words(
    "the a an my our your its their der die das den dem ein eine einen einem einer mein meine unser unsere"
    " le la les un une mon ma mes nos el los las una unos unas mi mis il lo gli i o os as um uma de het een"
)
AUXILIARIES: Final = _words(
    "is are was were do does did can could should would will has have had may must ist sind war kann muss darf soll hat haben"
    " wird est sont était es son era puede hay è sono può é são pode kan mag moet"
)
JOINS: Final = _words("of in for on from von für im der des de du di del della dos das van")
"""What ties a noun to the one before it."""

ASKERS: Final = _words("i you we one ich man wir sie on je nous yo se io eu")
PRONOUNS: Final[dict[str, frozenset[str]]] = {
    "en": _words("it its they them their theirs he him his she her"),
    "de": _words("er sie es ihn ihm ihnen"),
    "fr": _words("il elle ils elles cela ça celui-ci celle-ci"),
    "es": _words("ella ello ellos ellas eso esto él"),
    "it": _words("esso essa essi esse ciò"),
    "pt": _words("ele ela eles elas isso isto"),
    "nl": _words("hij zij ze hem dat dit"),
}
"""Words that stand for something said before; articles of the same form are left out."""

OWNERS: Final = _words("its their theirs his")
PERSONS: Final = _words("he him his she her er él hij")
GERMAN_WITH: Final = {
    "damit": "mit",
    "dafür": "für",
    "davon": "von",
    "darauf": "auf",
    "daran": "an",
    "dabei": "bei",
    "dazu": "zu",
    "darüber": "über",
    "dagegen": "gegen",
    "danach": "nach",
}
DUMMY_IT: Final = (
    r"\bit (?:is )?(?:possible|necessary|allowed|required|enough|true|safe|better|ok|okay|worth|recommended|legal|mandatory)\b"
    r" (?:to|that|for)|\bit takes? (?:\w+ )?to\b|\b(?:rains?|snows?)\b|\bwhat time is it\b"
)
POINTING: Final = _words(
    "is was does do did can could will would should about of for with from to at by on in why how if when and after before"
)
"""Words before a `this` or `that` that stands for something and does not join two clauses."""

FIRST_WORDS: Final = {
    "fr": _words("comment combien quel quelle quels quelles pourquoi où quand est-ce peut-on faut-il"),
    "es": _words("cómo cuánto cuánta cuántos cuántas cuál cuáles qué quién dónde cuándo puedo hay"),
    "it": _words("qual quale quali cosa dove perché quanto quanta quanti quante come posso"),
    "pt": _words("onde quem quanto quais qual como posso"),
    "nl": _words("hoe waar wie wanneer waarom welke hoeveel"),
    "de": _words("wie wer wann wo warum welche welcher welches wieviel darf kann muss"),
}
"""The language of a text that is too short to tell otherwise; the first that fits."""

MORE: Final = _words("more details detail example examples further elaborate continue go on mehr weiter plus más")

VERBS_AT_END: Final = _words(
    "mean means last lasts end ends start starts begin begins work works use uses cost costs need needs open close happen"
    " happens apply expire expires take takes look looks come comes go goes run runs get gets have cover covers include"
    " includes bedeutet bedeuten gilt gelten kostet dauert endet beginnt heisst heißt"
    " used made built written sent paid kept held found born done given sold set read needed"
)
