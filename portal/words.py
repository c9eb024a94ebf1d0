"""Every failure a person can meet, in words: what happened, whether anything is lost, what to do next."""

from __future__ import annotations

from dataclasses import dataclass

from portal.words_outside import OUTSIDE


@dataclass(frozen=True, slots=True)
class Words:
    """What a page or an API says for one code."""

    title: str
    advice: str
    status: int = 422


WORDS: dict[str, Words] = {
    **{code: Words(*said) for code, said in OUTSIDE.items()},
    "portal.wrong_password": Words(
        "This e-mail and password do not match an account.", "Check both and try again. Nothing was changed.", 422
    ),
    "portal.collection_name": Words("A collection needs a name.", "Go back and give it one; nothing was changed."),
    "portal.old_password": Words("The present password is another one.", "Nothing was changed."),
    "portal.weak_password": Words("This password is too easy to guess.", "Take a longer one. Nothing was changed."),
    "portal.email": Words("This is not an e-mail address.", "Correct it; nothing was made."),
    "portal.account_exists": Words(
        "This e-mail has an account already.", "Sign in with it, then open the invitation again: it is still good."
    ),
    "portal.invitation_over": Words(
        "This invitation is not good, or no more.",
        "It may have been used, withdrawn or be over, or you are a member already. Ask who invited you for another one.",
    ),
    "portal.no_membership": Words(
        "You are signed in, but no workspace has you as a member.",
        "Ask the owner of your workspace to add or reactivate you, then reload this page. Your documents are kept.",
        403,
    ),
    "portal.not_found": Words(
        "There is nothing here that you can open.",
        "The link may be old, or the thing was removed or is not shared with you.",
        404,
    ),
    "portal.read_only": Words(
        "You can read this collection but not change it.",
        "Ask its owner for the right to edit, or use My documents.",
        403,
    ),
    "portal.rate_limited": Words("That was a lot at once.", "Nothing was lost, and what you typed is still here.", 429),
    "portal.no_key": Words(
        "This needs an API key.", "Send it as: Authorization: Bearer fn_… A key is made with manage.py make_key.", 401
    ),
    "portal.key_scope": Words(
        "This key does not have the scope that this needs.", "Make a key with that scope, or use another one.", 403
    ),
    "portal.key_scopes": Words("A key needs at least one scope, and known ones only.", "No key was made."),
    "portal.invalid": Words(
        "Something in the request is not as it should be.", "Correct what is named and send it again.", 422
    ),
    "portal.malformed": Words(
        "The request could not be read.", "Nothing was changed. Send what its content type says.", 400
    ),
    "portal.method": Words("This address does not take that method.", "The schema names those that it takes.", 405),
    "portal.not_acceptable": Words("This answer is not made in the form that was asked for.", "Ask for JSON.", 406),
    "portal.media_type": Words(
        "This address does not read that content type.", "The schema names those it reads.", 415
    ),
    "portal.too_large": Words(
        "The request is larger than this address takes (1 MB).", "Nothing was done. Send less at once.", 413
    ),
    "portal.foreign_origin": Words(
        "The request comes from a page of another site.",
        "Let the program call by itself, or name its site in CSRF_TRUSTED_ORIGINS.",
        403,
    ),
    "portal.failed": Words(
        "Something went wrong on our side.", "The fault has been logged. Try again in a moment.", 500
    ),
    "portal.conflict": Words("That is taken already.", "Nothing was changed. Use another name.", 409),
    "portal.not_empty": Words(
        "The collection still holds documents, or the history of some.", "Nothing was deleted. Empty it first.", 409
    ),
    "portal.changed_meanwhile": Words(
        "It has changed since you read it.", "Nothing was changed. Read it again, then decide anew.", 412
    ),
    "portal.key_malformed": Words("An Idempotency-Key has 1 to 255 characters.", "Nothing was done.", 400),
    "portal.key_reused": Words(
        "This Idempotency-Key came with another request before.",
        "Nothing was done. Use a new key for a new request.",
        422,
    ),
    "portal.key_in_use": Words(
        "The first request with this Idempotency-Key is still being worked on.",
        "Nothing was done twice. Send it again in a second.",
        409,
    ),
    "portal.key_over": Words(
        "This key was revoked, has ended or was replaced already.", "Nothing was changed. Make a new one.", 409
    ),
    "portal.key_collections": Words("None of these collections is one that you see.", "No key was made."),
    "portal.key_name": Words("A key needs a name that says what it is for.", "No key was made."),
    "portal.people_only": Words(
        "Owners do this, signed in, on a page.", "A program's key can read it and not change it.", 403
    ),
    "portal.owner_only": Words("The owners of a workspace see and do this.", "Ask one of them.", 403),
    "portal.key_narrow": Words(
        "This key is for certain collections, so it cannot make another.", "Use a key without that limit.", 403
    ),
    "portal.database_down": Words(
        "The database does not answer.",
        "Nothing was changed. Try again in a minute; if it stays, ask whoever runs this Footnote to look at /ops/ready.",
        503,
    ),
    "portal.disk_full": Words(
        "There is no room left to store this file.",
        "It was not stored; everything already here is safe. Ask whoever runs this Footnote to free space, then upload it again.",
        507,
    ),
    "documents.empty": Words("The file is empty.", "Nothing was stored. Check the file and upload it again."),
    "documents.no_file": Words("No file was chosen.", "Choose one or more files, then upload."),
    "documents.too_large": Words(
        "The file is larger than this Footnote accepts.",
        "Nothing was stored. Split it, or ask for a higher limit (MAX_UPLOAD_MB).",
        413,
    ),
    "documents.archive_path": Words(
        "Its name in the archive leads out of the archive.",
        "It was not stored; the other files were. Pack it by its plain name.",
    ),
    "documents.archive_link": Words(
        "It is a link to another file, and no file.",
        "It was not stored; the other files were. Pack the file that it leads to.",
    ),
    "documents.archive_twice": Words(
        "A file of this name stands in the archive twice.",
        "The first one was taken. Give the other one a name of its own.",
    ),
    "documents.archive_empty": Words(
        "The archive holds no files.", "Nothing was stored. Pack the files again and upload them."
    ),
    "documents.manifest_mismatch": Words(
        "The file's content is not what the manifest says.",
        "It was not stored. Make the manifest and the folder anew, together.",
    ),
    "documents.manifest_missing": Words(
        "The manifest lists this file, and it is neither in the folder nor here already.",
        "Nothing was changed for it. Add the file.",
    ),
    "documents.sync_empty": Words(
        "There is no file to bring into step.",
        "Nothing was deleted. Check the path; to delete all documents, do so in the Library.",
    ),
    "documents.bad_address": Words(
        "This is no web address that can be opened.",
        "Nothing was stored. Write it as https://docs.example.org/guide/, or leave it empty.",
    ),
    "documents.unsupported": Words(
        "Footnote cannot read this kind of file.",
        "Nothing was stored. It reads documents, spreadsheets, slides, mail, data, code and plain text.",
        415,
    ),
    "documents.mislabelled": Words(
        "The file's content is not what its name says.",
        "Nothing was stored. Give it its right ending and upload it again.",
        415,
    ),
    "documents.no_text": Words(
        "No text was found in this file.",
        "It is stored, but nothing in it can be searched. If its pages are pictures, upload a version with a text layer.",
    ),
    "documents.password": Words(
        "The file is locked with a password.", "It is stored but unread. Upload a version without the password."
    ),
    "documents.broken": Words(
        "The file is damaged and could not be read.",
        "It is stored but unread. Open and save it again in its program, then replace it here.",
    ),
    "documents.too_slow": Words(
        "Reading this file took too long and was stopped.",
        "It is stored but unread. Split it into smaller files, or try again.",
    ),
    "documents.too_much_memory": Words(
        "Reading this file needed too much memory and was stopped.",
        "It is stored but unread. Split it into smaller files.",
    ),
    "documents.too_much_text": Words(
        "There is more text in this file than Footnote reads from one file.",
        "It is stored but unread. Split it into smaller files.",
    ),
    "documents.reader_crashed": Words(
        "The reader stopped unexpectedly on this file.",
        "It is stored but unread; other files are not affected. Try again, or save it in another format.",
    ),
    "documents.reader_failed": Words(
        "The file could not be read.", "It is stored but unread. Try again, or save it in another format."
    ),
    "documents.worker_lost": Words(
        "The worker that read this file was lost three times, so it was stopped.",
        "The file is stored. Try again; if it stops again, the file itself is the likely cause.",
    ),
    "documents.ingest_failed": Words(
        "Something went wrong on our side while this file was made searchable, three times in a row.",
        "The file is stored, and what was read of it before is still searchable. Try again; if it stays, whoever runs this "
        "Footnote finds the fault in the log.",
    ),
    "documents.tried_again": Words(
        "Something went wrong on our side.", "Nothing is lost, and it goes on by itself in a moment.", 503
    ),
    "documents.blob_missing": Words(
        "The stored file can no longer be found.",
        "Upload it again; what was read from it before is still searchable.",
        410,
    ),
    "documents.embedder_down": Words(
        "The embedding process does not answer, so search by meaning is not ready for this file.",
        "It is searchable by words already. The rest goes on by itself when the process is back.",
    ),
    "documents.embedder_refused": Words(
        "The embedding provider refuses this Footnote, so search by meaning is not ready for this file.",
        "It is searchable by words already. Whoever runs this Footnote must correct the provider's key or model.",
    ),
    "documents.embedder_wrong_size": Words(
        "The embedding process gives vectors of another size than its model has, so search by meaning is not ready for this file.",
        "It is searchable by words already, and nothing wrong was stored. Whoever runs this Footnote must correct EMBEDDER_URL "
        "or EMBEDDER_MODEL.",
    ),
    "documents.passages_refused": Words(
        "The embedding provider will not take some passages of this file, so these are found by their words alone.",
        "All others are found by meaning too. They are sent again every hour.",
    ),
    "documents.no_model": Words(
        "No embedding model is set up, so this file is found by its words and not by meaning.",
        "Nothing is missing from it.",
    ),
    "documents.no_worker": Words(
        "It has waited for over a minute, and no worker is running.",
        "The file is stored and reading starts by itself when a worker is back. "
        "Ask whoever runs this Footnote to look at /status/.",
        503,
    ),
    "documents.infected": Words(
        "The virus scanner found something in this file.",
        "The file was removed and nothing was read from it. Clean it, or ask whoever runs this Footnote when it is a false alarm, "
        "then upload it again.",
    ),
    "documents.scan_too_large": Words(
        "The file is larger than the virus scanner looks through, so it was not read.",
        "Split it, or ask whoever runs this Footnote to raise StreamMaxLength of clamd; then try again.",
        413,
    ),
    "documents.scanner_down": Words(
        "The virus scanner does not answer, and no file is read that it has not looked through.",
        "The file is stored and goes on by itself when the scanner is back. Ask whoever runs this Footnote to look at /status/.",
        503,
    ),
    "documents.scanner_refuses": Words(
        "The virus scanner does not answer, and this Footnote reads no file meanwhile.",
        "The file is stored. Try again when the scanner is back; /status/ says when.",
        503,
    ),
    "documents.not_scanned": Words(
        "The virus scanner has not passed this file, so it is not given out.",
        "It is to be had when it has been read. Whoever uploaded it has it still.",
        409,
    ),
    "documents.version_answers": Words(
        "This version is the one that answers, or the newest, so it does not go alone.",
        "Nothing was changed. Upload its successor first, or purge the whole document.",
        409,
    ),
    "documents.name_taken": Words(
        "A document of this name is in that collection already.",
        "Nothing was changed. Delete or rename the other one first, or upload this one there as its new version.",
        409,
    ),
    "documents.bad_tags": Words(
        "These tags cannot be kept.",
        "Nothing was changed. There are at most 20 of at most 40 characters, each with a letter or digit and none with a comma.",
        422,
    ),
    "documents.queue_full": Words(
        "So many of this workspace's files wait to be read that no more are taken for a moment.",
        "Nothing was stored. Those that wait go on by themselves; send this one again later.",
        429,
    ),
    "documents.text_only": Words(
        "This collection keeps the text alone, so the file cannot be read again.",
        "What was read of it stays searchable. Upload the file again as a new version.",
        409,
    ),
    "documents.cancelled": Words("Reading was cancelled.", "The file is stored. Try again whenever you like."),
    "answers.source_purged": Words(
        "What stood here was written from a source that has been purged.", "Ask again for an answer from what is left."
    ),
    "answers.question_empty": Words("There is no question yet.", "Type one, then ask."),
    "answers.question_too_long": Words(
        "The question is too long.", "Shorten it to 4,000 characters; what you typed is kept here."
    ),
    "answers.question_without_words": Words("There are no words in this question.", "Put it in words, then ask."),
    "answers.question_only_stop_words": Words(
        "Every word of this question is one that stands in every text.", "Name the thing you look for, then ask."
    ),
    "answers.blocked": Words(
        "This was not asked: it reads like an instruction to the system.", "Put it as a question about your documents."
    ),
    "answers.nothing_found": Words("None of the searched passages shares a word or a meaning with this question.", ""),
    "answers.score_too_low": Words("The nearest passages share words with this question, but are not about it.", ""),
    "answers.not_answered_there": Words(
        "The nearest passages speak of this, but none of their sentences answers it.",
        "Read them below, or ask for one thing by the words that they use.",
    ),
    "answers.identifier_missing": Words("No passage holds the exact name or code that this question asks for.", ""),
    "answers.passages_disagree": Words(
        "The passages do not agree on a number or a date.", "Each is shown with its day; look which one holds."
    ),
    "answers.too_few_terms": Words("No passage holds enough of what this question names.", ""),
    "answers.writer_found_nothing": Words("The passages that were found do not answer this question.", ""),
    "answers.no_model": Words("No model is set up.", "The answer is quoted from the passages instead."),
    "answers.model_down": Words(
        "No model could write this answer just now.", "It is quoted from the passages instead. Ask again later."
    ),
    "answers.model_capped": Words("The model wrote more than is allowed.", "What is shown was cut at its end."),
    "answers.stopped": Words(
        "This answer was stopped.", "What was written until then is shown. Ask again for all of it."
    ),
    "answers.cleared": Words(
        "This question was cleared while it was being answered.",
        "Nothing of it was kept. Ask again if you need it.",
        410,
    ),
    "answers.interrupted": Words(
        "This answer was interrupted: the process that wrote it is gone.",
        "What was written until then is shown. Ask again for all of it.",
        503,
    ),
    "answers.budget_cheaper": Words(
        "Most of this month's model budget is spent.", "A cheaper model wrote this answer."
    ),
    "answers.budget_spent": Words(
        "This month's model budget is spent.", "Answers are quoted from the passages until the next month begins."
    ),
    "answers.too_busy": Words(
        "Too many answers are being written at once.", "Nothing was lost. Try again in a few seconds.", 429
    ),
    "answers.no_such_model": Words(
        "There is no such model for this key.", "GET /v1/models lists those there are.", 404
    ),
    "answers.unsupported_parameter": Words("This is not offered here.", "Leave the named parameter out.", 400),
    "answers.embedder_down": Words(
        "No vectors can be made right now.", "Nothing is wrong with the request. Send it again in a minute.", 503
    ),
    "answers.provider_url": Words(
        "This is no address of a model.", "It must be https://…, with no user, query or fragment. Nothing was saved."
    ),
    "answers.provider_unknown": Words("This host has no address.", "Correct it. Nothing was saved."),
    "answers.provider_private": Words(
        "This host leads to a private network.",
        "Only the operator may name such a host (MODEL_PRIVATE_HOSTS). Nothing was saved.",
    ),
    "answers.no_previous": Words(
        "The question before this one is gone.", "Nothing was asked. Send it again: it is then a question of its own."
    ),
    "answers.no_collection": Words("No collection is chosen.", "Choose at least one to search in."),
    "evaluation.read_only": Words(
        "Golden sets and runs are made by owners and editors.",
        "You can look at them. Ask the owner of the workspace for the right to edit.",
        403,
    ),
    "evaluation.key_taken": Words(
        "A question with this id is in the set already and not visible to you.", "Nothing was saved. Use another id."
    ),
    "evaluation.name_taken": Words("A golden set of this name exists already.", "Nothing was made. Use another name."),
    "evaluation.malformed": Words(
        "This could not be read as golden questions.", "Nothing was saved. Correct it and try again."
    ),
    "evaluation.no_questions": Words(
        "This set has no reviewed question to ask.", "Add questions, or approve its drafts, then start the run again."
    ),
    "evaluation.no_collection": Words(
        "There is no collection that this run could search.",
        "Choose at least one that you see.",
    ),
    "evaluation.configuration": Words(
        "This is no configuration.", "Use name=value pairs such as k=8,words=off; the page of the set names all."
    ),
    "evaluation.needs_index": Words(
        "This configuration needs a candidate index.",
        "The operator tries it with `manage.py shadow --set … --config …`, which makes the index and removes it.",
    ),
    "evaluation.index_busy": Words(
        "Another candidate index of this workspace is in use.",
        "Wait until it is done, or remove one that was left behind with `manage.py shadow --clean`.",
        409,
    ),
    "evaluation.index_unfilled": Words(
        "The candidate index could not be filled.", "Nothing was compared. See that the embedding process answers."
    ),
    "evaluation.index_gone": Words(
        "The run stopped because the candidate index that it searched is gone.",
        "What was measured is kept. Start `manage.py shadow` again.",
    ),
    "evaluation.quote_elsewhere": Words(
        "These words do not stand in the chosen passage.",
        "Select them in the passage, or name the document that holds them.",
    ),
    "evaluation.evaluator_gone": Words(
        "The run stopped because its evaluator is no longer a member.",
        "What was measured is kept. Start it again yourself.",
    ),
    "evaluation.worker_lost": Words(
        "The worker was lost three times on the same question, so the run was stopped.",
        "What was measured is kept. Start another run; if it stops again, look at the worker's log.",
    ),
    "evaluation.scope_changed": Words(
        "The run stopped because its evaluator no longer sees every collection that it searches.",
        "What was measured is kept. Start another run.",
    ),
    "retrieval.embedder_down": Words(
        "Search by meaning is not available right now.",
        "The answer was looked for by words alone. Ask again later for both.",
        503,
    ),
    "retrieval.empty": Words("There is nothing to search for yet.", "Type some words, then search."),
    "retrieval.too_long": Words(
        "This is longer than a search can be (4,000 characters).", "Nothing was searched. Keep the words that matter."
    ),
    "retrieval.no_words": Words("There are no words in this search.", "Put it in words, then search."),
    "retrieval.only_stop_words": Words(
        "These words stand in nearly every text.",
        "Add one that tells what it is about, or put them in quotation marks to find them as they stand.",
    ),
    "retrieval.bad_filter": Words(
        "A filter has a value that it does not know.", "Nothing was searched. Correct what is named."
    ),
    "retrieval.no_collection": Words("No collection that you can open is chosen.", "Choose one, or search all."),
    "retrieval.phrase_not_found": Words(
        "No passage holds these words as they stand.", "Leave out the quotation marks to find them in any order."
    ),
    "retrieval.filters_leave_nothing": Words(
        "Nothing that you can open fits both the words and the filters.", "Take a filter away, or use other words."
    ),
    "retrieval.nothing_found": Words("No passage shares a word or a meaning with this search.", "Try other words."),
    "retrieval.unbalanced_quotes": Words(
        "A quotation mark has no partner and was read as nothing.", "Close it to find its words as they stand."
    ),
    "retrieval.too_many_earlier": Words(
        "More earlier versions were valid on that day than one search reads.",
        "Narrow it to a collection or a document.",
    ),
    "retrieval.reranker_down": Words(
        "The reranker does not answer.", "The passages stand in the order of words and meaning together.", 503
    ),
    "retrieval.reranker_missing": Words(
        "The reranker is switched on, but its model or its package is not there.",
        "The passages stand in the order of words and meaning together. See docs/retrieval.md.",
        503,
    ),
}

UNKNOWN = Words(
    "Something went wrong on our side.", "Nothing you entered was changed. Try again; the fault has been logged.", 500
)
