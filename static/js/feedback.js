// "The right passage is here": words selected inside a passage fill the form's field and choose that passage.
(() => {
  const quote = document.getElementById("quote");
  if (!quote) return;
  document.addEventListener("selectionchange", () => {
    const selection = document.getSelection();
    const text = selection ? selection.toString().trim() : "";
    const passage = text && selection.anchorNode && selection.anchorNode.parentElement.closest("[data-passage]");
    if (!passage || !passage.contains(selection.focusNode)) return;
    quote.value = text.slice(0, 1000);
    passage.querySelector("input").checked = true;
  });
})();
