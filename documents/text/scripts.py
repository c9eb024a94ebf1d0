"""Character ranges of the world's scripts, as bodies of regular-expression classes."""

from __future__ import annotations

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3005\u3007\U00020000-\U0003134f"
KANA = "\u3041-\u3096\u3099\u309a\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = "\uac00-\ud7a3\u1100-\u11ff\u3131-\u318e\ua960-\ua97c\ud7b0-\ud7fb"
THAI = "\u0e01-\u0e3a\u0e40-\u0e4e"
LAO = "\u0e81-\u0ecd\u0edc-\u0edf"
KHMER = "\u1780-\u17d3\u17dc\u17dd"
BURMESE = "\u1000-\u103f\u1050-\u109d"
CYRILLIC = "\u0400-\u0481\u048a-\u052f"
ARABIC = (
    "\u0620-\u063f\u0641-\u064a\u066e-\u06d3\u06d5\u06fa-\u06ff\u0750-\u077f\u08a0-\u08c9\ufb50-\ufdff\ufe70-\ufefc"
)

# Scripts without spaces between words (Korean has them, but its particles cling): analysed as character bigrams.
CHINESE_JAPANESE = HAN + KANA
SOUTHEAST_ASIAN = THAI + LAO + KHMER + BURMESE
UNSPACED = CHINESE_JAPANESE + HANGUL + SOUTHEAST_ASIAN

# Combining marks belong to their word, yet Python's \w leaves them out. Indic blocks whole but for the dandas.
MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0711\u0730-\u074a\u07a6-\u07b0\u08ca-\u08ff"
    "\u0900-\u0963\u0966-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ece"
    "\u0f00-\u0f0a\u0f0c-\u0fbc\u102b-\u103e\u1056-\u1059\u135d-\u135f\u17b4-\u17d3\u1a55-\u1a7f\u1ab0-\u1aff\u1b00-\u1b44"
    "\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f"
)
