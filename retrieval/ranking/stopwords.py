"""Words that carry no topic, per language, and words of courtesy.

Short lists on purpose: a wrong entry hides a question.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from documents.text.analyse import analyse


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS: Final[dict[str, frozenset[str]]] = {
    "en": _words(
        "a about above after again against all also am an and any anyone anything are as at be because been"
        " before being below between both but by can could did do does doing done down during each else ever"
        " every few for from further get gets got had has have having he her here hers him his how i if in"
        " into is it its itself just let like may me many might mine more most much must my need of off on"
        " once one only or other our out over own per please shall she should so some someone something such"
        " tell than that the their theirs them then there these they thing things this those through to too"
        " under until up upon us use using very want was way we were what whats when where whether which while"
        " who whom whose why will with within without would you your yours don't doesn't i'm it's what's isn't"
        " can't there's how's where's who's explain show give know happen happens mean means work works"
    ),
    "de": _words(
        "aber alle als also am an auch auf aus bei bin bis da damit dann das dass dem den denn der des die"
        " dies diese dieser dieses doch du ein eine einem einen einer eines er es für hat habe haben ich ihr"
        " im in ist ja kann kannst können man mein mich mir mit muss nach nicht noch nun nur ob oder seine"
        " sein sich sie sind so über um und uns unser vom von vor wann war waren warum was welche welchem"
        " welchen welcher welches wenn wer werden wie wieviel wir wird wo wurde wurden zu zum zur viele gibt"
        " bitte"
    ),
    "fr": _words(
        "a au aux avec ce ces cet cette comment d' dans de des du elle en est et être il ils j' je l' la le"
        " les leur lui ma mais me mes mon n' ne nos notre nous on ou où par pas pour pourquoi qu' quand que"
        " quel quelle quelles quels qui quoi s' sa sans se ses si son sont sur ta te tes ton tu un une vos"
        " votre vous combien c'est qu'est d l j n s c"
    ),
    "es": _words(
        "a al algo como con cual cuál cuales cuáles cuando cuándo cuanto cuánto cuantos cuántos de del donde"
        " dónde el ella ellos en entre era es esa ese eso esta está están este esto fue ha hay la las le les"
        " lo los me mi mis muy más no nos o para pero por porque puede puedo que qué quien quién quiénes se"
        " ser si sí sin sobre son su sus también te tu tus un una uno y ya cómo"
    ),
    "it": _words(
        "a ai al alla che chi ci come con cosa da dal dalla dei del della delle di dove e è gli ha ho i il in"
        " io la le lo ma mi nel nella non o per perché più può qual quale quali quando quanti quanto se si"
        " sono su sul un una uno"
    ),
    "pt": _words(
        "a ao as com como da das de do dos e é ela ele em entre era essa esse esta está este eu foi há isso"
        " isto já mais mas me meu minha na não nas no nos o onde os ou para pela pelo por porque posso qual"
        " quais quando quantos que quem se sem ser seu sua são também te um uma você"
    ),
    "nl": _words(
        "aan al als bij dan dat de deze die dit door een en er ga geen had heb hebben heeft het hij hoe"
        " hoeveel ik in is je kan kun maar me met mijn moet na naar niet nog nu of om onder ons ook op over te"
        " tot uit van voor waar waarom wanneer was wat we wel welke wie wij wordt zal ze zich zij zijn zo"
    ),
    "ru": _words(
        "а без бы был была были было быть в вам вас во вот все всё вы где да для до его ее её если есть еще"
        " ещё же за и из или им их к как какая какие какой каком кем когда ко кто куда ли мне можно мы на над"
        " не нет ни но о об он она они оно от по под почему при с сколько со так там то того тоже только у уже"
        " чего чем что чтобы эта эти это этот я"
    ),
    "ar": _words(
        "من ما ماذا متى أين كيف لماذا هل كم في على إلى عن هو هي هذا هذه التي الذي مع أن إن كان كانت لا أو و ثم قد أي"
    ),
}

COURTESY: Final[frozenset[str]] = _words(
    "hello hi hey hiya greetings howdy thanks thank thx ty cheers ok okay great nice cool perfect good"
    " morning afternoon evening night bye goodbye welcome there everyone much very lot so many you well"
    " done awesome wonderful hallo moin servus danke vielen dank tschüss guten tag morgen abend bonjour"
    " salut merci beaucoup bonsoir revoir hola gracias muchas adiós buenos días buenas tardes ciao grazie"
    " buongiorno obrigado obrigada olá bedankt dag привет здравствуйте спасибо пока شكرا مرحبا السلام"
    " عليكم 你好 您好 谢谢 謝謝 再见 こんにちは ありがとう ありがとうございます おはよう"
    " 안녕 안녕하세요 감사합니다 고마워 สวัสดี ขอบคุณ"
)
"""A text made only of these words is small talk, unless it holds only words that are stop words too."""

CJK_QUESTION_WORDS: Final[tuple[str, ...]] = (
    "是什么时候", "什么时候", "是什么", "为什么", "怎么样", "什么", "怎么", "如何", "多少", "哪里",
    "哪个", "哪些", "哪年", "是谁", "谁", "吗", "呢", "請問", "请问", "為什麼", "什麼", "怎麼",
    "ですか", "ますか", "でしょうか", "何ですか", "なぜ", "どうして", "どのように", "どこ", "いつ",
    "だれ", "誰", "何", "どれ", "どう", "とは", "무엇입니까", "무엇", "어떻게", "언제", "어디", "누구",
    "왜", "입니까", "인가요", "อะไร", "อย่างไร", "เมื่อไหร่", "ที่ไหน", "ทำไม", "ใคร", "กี่",
)  # fmt: skip


@lru_cache(maxsize=32)
def stop_terms(language: str) -> frozenset[str]:
    """The stop words of one language as the analyser gives them, English for a language that has no list."""
    words = STOP_WORDS.get(language[:2], STOP_WORDS["en"])
    return frozenset(term for word in words for term in analyse(word, language=language))
