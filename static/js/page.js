// What every page needs: words while waiting, the live region, the draft over a lost session, a countdown.
"use strict";
{
  const live = document.getElementById("live");
  const note = document.getElementById("page-note");
  const owner = document.body.dataset.owner || "";
  const draftKey = `footnote:draft:${owner}`;

  // sessionStorage throws where the browser forbids it: the page works without, the draft is then kept by the page alone
  const store = {
    get(key) { try { return sessionStorage.getItem(key); } catch { return null; } },
    set(key, value) { try { sessionStorage.setItem(key, value); } catch { /* forbidden or full */ } },
    drop(key) { try { sessionStorage.removeItem(key); } catch { /* forbidden */ } },
  };

  const say = (words) => { live.textContent = words; };

  const warn = (title, words) => {
    if (note.querySelector("#problem strong")?.textContent === title) return;
    const section = document.createElement("section");
    section.className = "problem";
    section.id = "problem";
    const heading = document.createElement("p");
    const strong = document.createElement("strong");
    strong.textContent = title;
    heading.append(strong, ` ${words}`);
    section.append(heading);
    note.replaceChildren(section);
  };

  // ---- the draft
  const draftField = () => document.querySelector("[data-draft]");

  const restoreDraft = () => {
    const answer = document.getElementById("answer");
    const draft = store.get(draftKey);
    if (!owner || !draft) return;
    if (answer && answer.dataset.question.trim() === draft.trim()) { store.drop(draftKey); return; }
    const field = draftField();
    if (field && !field.value) field.value = draft;
  };

  document.addEventListener("input", (event) => {
    if (owner && event.target.matches("[data-draft]")) store.set(draftKey, event.target.value);
  });

  document.addEventListener("submit", (event) => {
    if (!event.target.matches("[data-forget]")) return;
    try { sessionStorage.clear(); } catch { /* forbidden */ }
  });

  // ---- waiting has words
  const setBusy = (form, words) => {
    const place = form.querySelector(".busy");
    if (place) place.textContent = words;
    else if (words) say(words);
  };

  document.addEventListener("submit", (event) => {
    const words = event.target.dataset.busy;
    if (words) setBusy(event.target, `${words} …`);
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    const form = event.target.closest?.("[data-busy]");
    if (form && !event.detail.xhr?.getResponseHeader("HX-Redirect")) setBusy(form, "");
  });
  addEventListener("pageshow", () => document.querySelectorAll(".busy").forEach((place) => { place.textContent = ""; }));

  // ---- Enter sends; an input method's own Enter does not
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || !event.target.matches("[data-enter]")) return;
    event.preventDefault();
    event.target.form.requestSubmit();
  });

  // ---- htmx: states are said once when they change, a form with errors gets the focus, failures have words
  const saidStates = new Map();
  const rememberStates = () => document.querySelectorAll("[data-say]").forEach((item) => saidStates.set(item.id, item.dataset.state));

  document.addEventListener("htmx:afterSettle", (event) => {
    document.querySelectorAll("[data-say]").forEach((item) => {
      const before = saidStates.get(item.id);
      if (before && before !== item.dataset.state) say(item.dataset.say);
      saidStates.set(item.id, item.dataset.state);
    });
    const wrong = event.detail.elt?.querySelector?.("[aria-invalid='true']");
    if (wrong) wrong.focus();
    startCountdown();
  });
  // a row that asks every few seconds does not repeat its failure above the page
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!event.detail.isError || !event.detail.requestConfig.elt.matches("[hx-trigger^='every']")) return;
    event.detail.shouldSwap = false;
    if (event.detail.xhr.status === 404 && event.detail.requestConfig.elt.matches("tr")) {
      say("A document of this list was removed.");
      event.detail.requestConfig.elt.remove();
      return;
    }
    warn("This page is not up to date.", "The server did not answer as expected. It is asked again by itself.");
  });
  document.addEventListener("htmx:responseError", (event) => {
    const xhr = event.detail.xhr;
    setTimeout(() => {
      if (event.detail.elt.isConnected && !document.getElementById("problem")) warn("That did not work.", `The server answered ${xhr.status}. What you typed is still here; try again in a moment.`);
    }, 50);
  });
  for (const name of ["htmx:sendError", "htmx:timeout"]) {
    document.addEventListener(name, () => warn("No connection to the server.", "What you typed is still here. Check the network and try again."));
  }

  // ---- "try again in 12 s"
  let countdown = 0;
  function startCountdown() {
    const place = document.querySelector("[data-countdown]");
    clearInterval(countdown);
    if (!place) return;
    const end = Date.now() + Number(place.dataset.countdown) * 1000;
    const tick = () => {
      const left = Math.max(0, Math.ceil((end - Date.now()) / 1000));
      place.textContent = left ? `${left} s` : "now";
      if (!left) { clearInterval(countdown); say("You can try again now."); }
    };
    tick();
    countdown = setInterval(tick, 1000);
  }

  restoreDraft();
  rememberStates();
  startCountdown();
  document.querySelector(".summary")?.focus();
  window.footnote = { say, warn };
}
