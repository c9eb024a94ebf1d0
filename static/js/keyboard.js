// Single-key shortcuts. They can be switched off on the help page; the choice stays in this browser.
"use strict";
{
  const SETTING = "footnote:shortcuts";
  const read = () => { try { return localStorage.getItem(SETTING) !== "off"; } catch { return true; } };
  const write = (on) => { try { localStorage.setItem(SETTING, on ? "on" : "off"); } catch { /* forbidden: on until the page is left */ } };
  let isOn = read();
  let afterG = 0;

  const isTyping = (target) => target.closest("textarea, select, [contenteditable], input:not([type=checkbox]):not([type=radio])");
  const link = (name) => document.querySelector(`[data-key="${name}"]`);

  const focusAsk = () => {
    const field = document.querySelector("[data-draft]");
    if (field) field.focus();
    else link("ask")?.click();
  };
  const focusUpload = () => {
    const field = document.getElementById("files");
    if (field) { field.focus(); field.scrollIntoView({ block: "center" }); }
    else location.href = `${link("library").href}#upload`;
  };

  const keys = {
    "/": focusAsk,
    "u": focusUpload,
    "?": () => link("help")?.click(),
    "g": () => { afterG = Date.now(); },
    "s": () => { if (Date.now() - afterG < 1500) link("search")?.click(); },
    "l": () => { if (Date.now() - afterG < 1500) link("library")?.click(); },
  };

  document.addEventListener("keydown", (event) => {
    if (!isOn || event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isTyping(event.target)) return;
    const act = window.footnote.keys?.(event.key) || keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  const toggle = document.getElementById("shortcuts");
  if (toggle) {
    toggle.checked = isOn;
    toggle.addEventListener("change", () => {
      isOn = toggle.checked;
      write(isOn);
      window.footnote.say(isOn ? "Shortcuts are on." : "Shortcuts are off.");
    });
  }
}
