"""Cases 24 to 28 of the field, on a real stack over HTTP: another's secret, exact names, every script, and what is no question."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bench import inside
from bench.registry import Bar, Bench, Figures, measures
from bench.stack import Upload, Visitor, in_words, running, wait_until

SECRET = "The vault behind the canary-zebra mural opens with 7741."
CODES = (
    ("K7303", "The inlet is blocked. Clean the filter."),
    ("K7304", "The motor is too hot. Wait ten minutes."),
    ("K7305", "The tank is empty. Fill it."),
    ("createCheckoutSession", "Starts a payment and returns its address."),
    ("createCustomerSession", "Starts a visit to the account page."),
    ("INV-2026-00417", "Paid by Northwind on the third of May."),
    ("INV-2026-00418", "Paid by Southwind on the ninth of June."),
    ("/etc/footnote/limits.conf", "Holds how often a member may ask."),
    ("/etc/footnote/roles.conf", "Holds who may do what."),
    ("7.0.9", "Mends the upload of empty files."),
    ("7.0.10", "Mends the search for half-width kana."),
    ("7.0.1", "Mends the sign-in page."),
)
LANGUAGES = {
    "ja.txt": "東京の図書館は月曜日に休館します。本は二週間借りることができます。",
    "zh.txt": "公司的年假为十五天,员工需要提前两周申请。",
    "ko.txt": "사무실의 출입 카드는 경비실에서 재발급받을 수 있습니다.",
    "th.txt": "พนักงานสามารถลาป่วยได้สามสิบวันต่อปีโดยได้รับค่าจ้าง",
    "ar.txt": "يجب على الموظفين تسليم تقرير السفر خلال أسبوع من العودة.",
    "kana.txt": "コンピューターの修理はサポートデスクに依頼してください。",
    "accents.txt": "Die Ärztekammer prüft die Café-Rechnung für das Dîner in Zürich.",
    "en.txt": "Employees may take thirty days of parental leave after the birth of a child.",
}
FOUND = {
    "図書館 休館": "月曜日",
    "年假": "十五天",
    "출입 카드": "경비실",
    "ลาป่วย": "สามสิบวัน",
    "تقرير السفر": "أسبوع",
    "ｺﾝﾋﾟｭｰﾀｰの修理": "サポートデスク",
    "Arztekammer cafe": "Zürich",
    "ÄRZTEKAMMER DINER": "Zürich",
    "how much time off do new parents get": "parental leave",
}
NO_QUESTION = {
    "": 422,
    " \n\t ": 422,
    "🙂🙃🎉": 422,
    "what is the of": 422,
    "x" * 50_000: 422,
    '"unbalanced quotes about the K7304': 200,
    '""': 422,
    "SELECT * FROM documents_document; --": 200,
    "a\x00b filter": 200,
    "\u202e\u2066filter": 200,
}


@dataclass(frozen=True, slots=True)
class Found:
    """A case that failed is one line of words."""

    case: int
    words: str


@measures(Bar("cases_24_to_28_failed", "=", 0), is_long=True)
def cases(bench: Bench) -> Figures:
    """Four dozen searches and questions of a member, and one of a stranger, in their own browsers."""
    state = bench.state / "cases"
    shutil.rmtree(state, ignore_errors=True)
    with running(state) as stack:
        stranger = inside.call(stack.state, "bench.inside_cases:stranger", secret=SECRET)
        member = Visitor(stack)
        put(member, corpus())
        failed = [*names(member), *scripts(member), *nothing(member), *secrets(member, stranger)]
    for found in failed:
        bench.note(f"case {found.case}: {found.words}")
    return {"cases_24_to_28_failed": len(failed)}


def corpus() -> list[Upload]:
    return [
        *(Upload(f"reference-{at}.txt", f"{name}. {says}".encode()) for at, (name, says) in enumerate(CODES)),
        *(Upload(name, text.encode()) for name, text in LANGUAGES.items()),
        *(
            Upload(f"filler-{number}.txt", f"Note {number}: the meeting about room {number} was moved.".encode())
            for number in range(40)
        ),
    ]


def put(member: Visitor, files: Sequence[Upload]) -> None:
    """Upload and wait until the last of them is found."""
    place = re.search(r'<option value="([a-z0-9]{18})"', member.http.get("/library/").text)
    member.upload(files, collection=place[1] if place else "")
    wait_until(lambda: "room 39" in " ".join(hits(member, "meeting room 39")), 120, "everything is found", every_s=1)


def hits(member: Visitor, text: str) -> list[str]:
    """The results of a search as words, best first."""
    page = member.post("/search/", {"q": text}).text
    return [in_words(hit) for hit in re.findall(r'(?s)<li class="hit".*?</details>', page)]


def names(member: Visitor) -> Iterator[Found]:
    """26: the exact passage first, as a bare name, in a sentence, and in quotation marks; and answered from it."""
    for name, says in CODES:
        for asked in (name, f"what about {name} please", f'"{name}"'):
            first = next(iter(hits(member, asked)), "nothing")
            if says not in first:
                yield Found(26, f"{asked}: {first[:80]}")


def scripts(member: Visitor) -> Iterator[Found]:
    """27: words of every script find their text; so do other forms of the same letters."""
    for asked, says in FOUND.items():
        first = next(iter(hits(member, asked)), "nothing")
        if says not in first:
            yield Found(27, f"{asked}: {first[:80]}")


def nothing(member: Visitor) -> Iterator[Found]:
    """28: what is no question is answered in words and bounded, by search and by Ask."""
    for asked, status in NO_QUESTION.items():
        answer = member.post("/search/", {"q": asked})
        if answer.status_code != status:
            yield Found(28, f"search for {asked[:20]!r} gave {answer.status_code}")
        asking = member.post("/", {"question": asked})
        if asking.status_code >= 500:
            yield Found(28, f"asking {asked[:20]!r} gave {asking.status_code}")
    if hits(member, "K7304 nobodyssuchword"):
        return
    yield Found(28, "an unknown word hid what the known one finds")


def secrets(member: Visitor, stranger: dict[str, str]) -> Iterator[Found]:
    """24: another workspace's secret is as if it did not exist, however it is asked for."""
    ways: dict[str, Callable[[], str]] = {
        "search": lambda: member.post("/search/", {"q": "vault canary-zebra mural 7741"}).text,
        "a filter by document": lambda: member.post("/search/", {"q": "vault", "document": stranger["document"]}).text,
        "a filter by collection": lambda: (
            member.post("/search/", {"q": "vault", "collection": stranger["collection"]}).text
        ),
        "a filter by tag": lambda: member.post("/search/", {"q": "vault", "tag": stranger["tag"]}).text,
        "the facets": lambda: member.http.get("/search/").text,
        "the document": lambda: member.http.get(f"/documents/{stranger['document']}/").text,
        "its original": lambda: member.http.get(f"/documents/{stranger['document']}/original/").text,
        "the answer": lambda: (
            member.http.get(member.post("/", {"question": "What opens the vault?"}).headers["location"]).text
        ),
        "history": lambda: member.http.get("/history/").text,
    }
    for way, look in ways.items():
        page = look().replace("vault canary-zebra mural 7741", "")
        if any(word in page for word in ("7741", "zebra", stranger["tag"] if way == "the facets" else "7741")):
            yield Found(24, f"{way} showed it")
    absent = member.http.get("/documents/zzzzzzzzzzzzzzzzzz/")
    theirs = member.http.get(f"/documents/{stranger['document']}/")
    if (absent.status_code, len(absent.text)) != (theirs.status_code, len(theirs.text)):
        yield Found(24, f"theirs gave {theirs.status_code}, one that never was {absent.status_code}")
