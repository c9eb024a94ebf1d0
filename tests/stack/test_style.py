"""The figures of style, on a module that was counted by hand."""

from __future__ import annotations

from bench import style

SOURCE = """\
import os


@staticmethod
def one():
    return 1


class Two:
    async def two(self):
        try:
            return 2
        except Exception:
            raise
        except (OSError, BaseException):
            raise
        except ValueError:
            raise


def bare():
    try:
        pass
    except:
        pass
"""


def test_functions_modules_and_broad_excepts_are_counted() -> None:
    tally = style.count(SOURCE, "sample.py")

    assert sorted(tally.functions) == [2, 5, 9]
    assert tally.modules == [(25, "sample.py")]
    assert tally.broad_excepts == 3


def test_the_ninetieth_percentile_is_the_smallest_that_covers_it() -> None:
    assert style.percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 100], 0.9) == 9
    assert style.percentile([7], 0.9) == 7
    assert style.percentile([], 0.9) == 0
