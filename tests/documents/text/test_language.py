from __future__ import annotations

import pytest

from documents.text.language import detect


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat is on the table and does not want to come down.", "en"),
        ("Die Katze liegt auf dem Tisch und will nicht herunterkommen.", "de"),
        ("Le chat est sur la table et il ne veut pas descendre.", "fr"),
        ("El gato está sobre la mesa y no quiere bajar porque tiene miedo.", "es"),
        ("Il gatto è sul tavolo e non vuole scendere perché ha paura.", "it"),
        ("O gato está em cima da mesa e não quer descer porque tem medo.", "pt"),
        ("De kat ligt op de tafel en wil niet naar beneden.", "nl"),
        ("Кошка лежит на столе и не хочет спускаться.", "ru"),
        ("猫在桌子上，不想下来。", "zh"),
        ("猫はテーブルの上にいて、降りたがらない。", "ja"),
        ("고양이가 탁자 위에 있고 내려오지 않는다.", "ko"),
        ("القطة على الطاولة ولا تريد النزول.", "ar"),
        ("แมวอยู่บนโต๊ะและไม่ยอมลงมา", "th"),
        ("Katten ligger på bordet och vill inte komma ner.", ""),
        ("Кіт лежить на столі й не хоче злазити, бо боїться її.", ""),
        ("x = foo(bar)\nimport os", ""),
        ("12 345", ""),
        ("", ""),
    ],
)
def test_the_language_of_a_sentence(text: str, expected: str) -> None:
    assert detect(text) == expected
