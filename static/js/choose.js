// "Why not this passage?": words that are selected inside a passage go along with its button.
"use strict";
document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-choose]")) return;
  const selection = document.getSelection();
  const piece = event.target.closest(".piece");
  const inside = selection && piece.contains(selection.anchorNode) && piece.contains(selection.focusNode);
  event.target.elements.words.value = inside ? selection.toString().trim().slice(0, 2000) : "";
});
