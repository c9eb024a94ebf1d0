// The search page by keyboard: / to the field, j and k among the results (Enter opens, as links do).
"use strict";
{
  const links = () => [...document.querySelectorAll("[data-hit]")];
  const step = (by) => {
    const all = links();
    if (!all.length) return;
    const at = all.indexOf(document.activeElement);
    const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by))];
    next.focus();
    next.closest("li").scrollIntoView({ block: "nearest" });
  };
  window.footnote.keys = (key) => ({ "/": () => document.querySelector("[data-search]")?.focus(), "j": () => step(1), "k": () => step(-1) })[key];

  // what is ticked narrows at once, when there is something to search for
  document.addEventListener("change", (event) => {
    const form = event.target.closest(".search-form");
    if (form && event.target.closest(".narrow-by") && form.elements.q.value.trim()) form.requestSubmit();
  });

  // what was found is said once, and the focus stays where it was
  document.addEventListener("htmx:afterSettle", () => {
    const title = document.getElementById("found-title");
    if (title) window.footnote.say(title.textContent);
  });
}
