"""Words for what happens with addresses of others: (title, advice) or (title, advice, status), as portal.words.Words."""

from __future__ import annotations

OUTSIDE: dict[str, tuple[str, str] | tuple[str, str, int]] = {
    "portal.url_malformed": (
        "This is no web address that can be called.",
        "Write it as https://docs.example.org/guide/, with the host by name or in plain digits. Nothing was sent there.",
    ),
    "portal.url_credentials": (
        "The address holds a user name or password.",
        "Leave them out of it. Nothing was sent there.",
    ),
    "portal.url_port": (
        "The address names a port that is not called.",
        "Use 80 or 443; whoever runs this Footnote can open another one (OUTGOING_HOSTS).",
    ),
    "portal.url_private": (
        "This address leads to a private network.",
        "Nothing was sent there. Whoever runs this Footnote can open a host of their own (OUTGOING_HOSTS).",
    ),
    "portal.url_plain": (
        "This address is not encrypted.",
        "Use https://. Only hosts that the operator lists may go without it.",
    ),
    "portal.url_unknown_host": ("This host has no address.", "Check its spelling, then try again."),
    "portal.url_unreachable": (
        "The server could not be reached, or broke off.",
        "Open the address in a browser; try again later.",
    ),
    "portal.url_slow": ("The server took too long.", "It was given up. Try again later."),
    "portal.url_certificate": (
        "The server's certificate does not fit its name, or is not trusted.",
        "Nothing was read from it or sent to it.",
    ),
    "portal.url_redirects": ("The address leads on and on.", "Use the address where it ends."),
    "portal.url_downgrade": (
        "The server leads from an encrypted address to one that is not.",
        "It was not followed. Use the address itself.",
    ),
    "portal.url_too_large": (
        "There is more behind this address than Footnote takes from one.",
        "Nothing of it was stored.",
        413,
    ),
    "portal.url_encoding": (
        "The server sent the file packed in a way that cannot be read.",
        "Download it and upload the file.",
    ),
    "portal.url_status": (
        "The server refused the request.",
        "Open the address in a browser without signing in: that is what is seen here.",
    ),
    "portal.hook_name": ("The webhook has no name.", "Say what it is for. Nothing was made."),
    "portal.hook_events": (
        "A webhook listens to at least one event, and to known ones.",
        "Choose some. Nothing was saved.",
    ),
    "portal.hook_many": ("The workspace has as many webhooks as it may.", "Delete one that is not used.", 409),
    "portal.hook_narrow": (
        "This key is for certain collections, and a webhook hears of more.",
        "Use a key without that limit.",
        403,
    ),
    "portal.hook_of_another": (
        "This webhook was made by another owner.",
        "It hears of what its maker sees, so only the maker changes it. You can delete it.",
        403,
    ),
    "portal.hook_off": ("The webhook was off.", "Switch it on, then send it again.", 409),
    "portal.hook_stopped": ("It was switched off by its maker.", ""),
    "portal.hook_refused": ("The receiver did not take it.", "It is sent again until a receiver answers with 2xx."),
    "portal.hook_gone": (
        "Its receiver answered that it is gone for good (410), so it was switched off.",
        "Correct the address, switch it on, and send again what was given up.",
    ),
    "portal.hook_failing": (
        "Its receiver took nothing for three days, so it was switched off.",
        "Mend the receiver, send a test, switch it on, and send again what was given up.",
    ),
    "portal.hook_unheard": (
        "Its maker no longer sees what it tells of, or is no longer an owner.",
        "It was not sent.",
    ),
    "documents.imports_full": (
        "So many web addresses of this workspace wait to be fetched that no more are taken for a moment.",
        "Nothing was stored. Those that wait go on by themselves; send this one again later.",
        429,
    ),
    "documents.import_lost": (
        "The worker that fetched this address was lost several times, so it was stopped.",
        "Nothing was stored. Try again; if it stops again, download the file and upload it.",
    ),
    "documents.importer_gone": (
        "Who asked for this address is no longer a member.",
        "Nothing was stored. Import it yourself.",
    ),
    "documents.sync_incomplete": (
        "Not every file of the manifest is here yet.",
        "Nothing was deleted. Send what is missing, or name it as refused, then settle again.",
        409,
    ),
}
