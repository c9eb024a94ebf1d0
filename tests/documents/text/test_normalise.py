from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.text.normalise import clean, clean_counted, decode, looks_binary, name_key

CHINESE = "这是一个测试文档，说明如何配置服务器的端口号。错误代码为E4304。"
JAPANESE = "これは日本語の文書です。設定ファイルを編集してください。"
KOREAN = "한국어 문서입니다. 설정 파일을 편집하십시오."
TAIWANESE = "這是一個測試文件，說明如何設定伺服器的連接埠。"
RUSSIAN = "Это документ на русском языке. Настройте сервер перед запуском."
FRENCH = "L'été à la plage, où les élèves étudient déjà. Ça coûte 5 €."


def test_clean_removes_what_a_database_or_a_reader_cannot_take() -> None:
    found = clean_counted("\ufeffa\x00b\r\nc\u202ed\ud800e\u200bf\tg\rh")

    assert found.text == "ab\ncdef\tg\nh"
    assert found.removed == 5


def test_clean_keeps_joiners_that_words_are_written_with() -> None:
    assert clean("می\u200cخواهم 👩\u200d💻") == "می\u200cخواهم 👩\u200d💻"


@given(st.text())
def test_clean_is_settled_and_encodable(text: str) -> None:
    once = clean(text)

    assert clean(once) == once
    assert "\x00" not in once
    once.encode()


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (CHINESE, "gbk"), (CHINESE, "gb18030"), (CHINESE, "utf-16-le"), (CHINESE, "utf-16-be"), (CHINESE, "utf-16"),
        (CHINESE, "utf-8-sig"), (JAPANESE, "shift_jis"), (JAPANESE, "euc_jp"), (JAPANESE, "iso2022_jp"),
        (JAPANESE, "utf-16-le"), (KOREAN, "euc_kr"), (TAIWANESE, "big5"), (RUSSIAN, "cp1251"), (RUSSIAN, "koi8_r"),
        (FRENCH, "cp1252"), (FRENCH, "utf-8"), ("plain words", "utf-16-le"), ("plain words", "utf-16-be"),
        ("", "utf-8"),
    ],
)  # fmt: skip
def test_bytes_are_read_in_their_encoding(text: str, encoding: str) -> None:
    found = decode(text.encode(encoding))

    assert (found.text, found.lossy) == (text, False)


def test_a_declared_charset_comes_before_a_guess() -> None:
    assert decode("Größe".encode("cp1250"), declared="windows-1250").text == "Größe"


def test_a_few_broken_bytes_do_not_turn_utf8_into_mojibake() -> None:
    found = decode((RUSSIAN * 3).encode()[:-2])

    assert found.lossy
    assert found.text.startswith(RUSSIAN)


@given(st.binary(max_size=400))
def test_any_bytes_decode(data: bytes) -> None:
    assert isinstance(decode(data).text, str)


def test_binary_is_told_from_text_in_any_encoding() -> None:
    assert looks_binary(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00")
    assert not any(looks_binary(text.encode("utf-16")) for text in (CHINESE, FRENCH))
    assert not looks_binary(JAPANESE.encode("shift_jis"))
    assert not looks_binary(b"")


@pytest.mark.parametrize(
    ("filename", "expected"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\docs\\a.txt", "a.txt"),
        ("Re\u0301sume\u0301.pdf", "Résumé.pdf"),
        ("x\u202efdp.exe", "xfdp.exe"),
        ("a#?% \U0001f389.md", "a#?% \U0001f389.md"),
        ("nul\x00l.md", "null.md"),
        ("...", "unnamed"),
        ("", "unnamed"),
    ],
)
def test_a_file_name_has_one_identity(filename: str, expected: str) -> None:
    assert name_key(filename) == expected
    assert name_key(unicodedata.normalize("NFD", filename)) == expected


def test_a_long_file_name_keeps_its_extension() -> None:
    found = name_key("ü" * 300 + ".markdown")

    assert len(found.encode()) <= 255
    assert found.endswith("ü.markdown")
