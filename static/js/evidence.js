// The evidence panel: chips open their source, focus goes there and comes back, hovering previews, copy with sources.
"use strict";
{
  const panel = document.getElementById("evidence");
  const target = document.querySelector(".piece.target");
  if (target && !location.hash) target.scrollIntoView({ block: "center" });

  if (panel) {
    const narrow = matchMedia("(max-width: 1099px)");
    const chips = () => [...document.querySelectorAll(".cite[data-source]")];
    const sources = () => [...panel.querySelectorAll(".source")];
    const sourceOf = (number) => document.getElementById(`source-${number}`);
    let opener = null;
    let tip = null;

    const markCurrent = (number) => {
      for (const source of sources()) source.classList.toggle("on", source.dataset.number === number);
      for (const chip of chips()) {
        if (chip.dataset.source === number) chip.setAttribute("aria-current", "true");
        else chip.removeAttribute("aria-current");
      }
    };
    const open = (from) => {
      if (from && !panel.contains(from)) opener = from;
      panel.dataset.open = "";
    };
    const close = () => {
      delete panel.dataset.open;
      if (panel.querySelector(":target") || panel.matches(":target")) history.replaceState(null, "", location.pathname + location.search);
      if (narrow.matches) markCurrent("");
    };
    const goBack = () => {
      const back = opener?.isConnected ? opener : document.getElementById("question");
      close();
      back?.focus();
    };
    const show = (number, from) => {
      const source = sourceOf(number);
      if (!source) return;
      hideTip();
      open(from);
      markCurrent(String(number));
      source.focus({ preventScroll: true });
      source.scrollIntoView({ block: narrow.matches ? "start" : "nearest" });
      source.querySelector("mark")?.scrollIntoView({ block: "nearest" });
    };

    document.addEventListener("click", (event) => {
      const chip = event.target.closest(".cite[data-source]");
      const back = event.target.closest("[data-back]");
      const toPanel = event.target.closest("[data-evidence]");
      if (!(chip || back || toPanel || event.target.closest("[data-close]"))) return;
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      if (chip) show(chip.dataset.source, chip);
      else if (back) { opener = document.getElementById(back.hash.slice(1)); goBack(); }
      else if (toPanel) { open(toPanel); panel.focus(); }
      else goBack();
    });

    document.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.isComposing) return;
      if (tip) { hideTip(); return; }
      if (panel.contains(document.activeElement) || (narrow.matches && "open" in panel.dataset)) goBack();
    });

    // a drawer that keeps lying over what has the focus would hide it
    panel.addEventListener("focusout", (event) => {
      if (narrow.matches && event.relatedTarget && !panel.contains(event.relatedTarget)) close();
    });

    const step = (by) => {
      const all = sources();
      if (!all.length) return;
      const at = all.findIndex((source) => source.classList.contains("on"));
      const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + by));
      show(all[next].dataset.number, document.activeElement);
    };
    window.footnote.keys = (key) => {
      if (/^[1-9]$/.test(key) && sourceOf(key)) return () => show(key, document.activeElement);
      return { j: () => step(1), k: () => step(-1), e: () => { open(document.activeElement); panel.focus(); } }[key];
    };

    // ---- preview: the card beside the text where there is room, a small box where there is not
    const hideTip = () => { tip?.remove(); tip = null; };
    const showTip = (chip, source) => {
      hideTip();
      tip = document.createElement("div");
      tip.className = "tip";
      tip.append(source.querySelector("h3").textContent.trim(), document.createElement("br"));
      const marked = [...source.querySelectorAll("mark")].map((mark) => mark.textContent).join(" ");
      const words = marked || (source.querySelector(".passage")?.textContent ?? "").replace(/\s+/g, " ").trim();
      tip.append(words.length > 240 ? `${words.slice(0, 240)}…` : words);
      document.body.append(tip);
      const box = chip.getBoundingClientRect();
      tip.style.left = `${Math.max(16, Math.min(box.left, innerWidth - tip.offsetWidth - 16)) + scrollX}px`;
      tip.style.top = `${box.bottom + scrollY + 4}px`;
      tip.addEventListener("mouseleave", hideTip);
    };
    for (const chip of chips()) {
      const source = sourceOf(chip.dataset.source);
      if (!source) continue;
      chip.addEventListener("pointerenter", (event) => {
        if (event.pointerType === "touch") return;
        if (narrow.matches) {
          if (!("open" in panel.dataset)) showTip(chip, source);
          return;
        }
        source.classList.add("preview");
        source.scrollIntoView({ block: "nearest" });
      });
      chip.addEventListener("pointerleave", () => {
        source.classList.remove("preview");
        setTimeout(() => { if (!tip?.matches(":hover")) hideTip(); }, 200);
      });
    }

    // ---- copy with sources
    const asText = () => {
      const answer = document.getElementById("answer");
      const quotes = [...answer.querySelectorAll(".quote")].flatMap((quote) => {
        const words = quote.querySelector("[data-quote]");
        const numbers = [...quote.querySelectorAll(".cite")].map((chip) => `[${chip.dataset.source}]`).join("");
        const text = words?.dataset.quote ?? "";
        if (!text) return [];
        return [text.includes("\n") ? `${text}\n${numbers}` : `“${text}” ${numbers}`];
      });
      const notes = sources().map((source) => {
        const title = source.querySelector("h3").textContent.trim().replace(/^\d+\s+/, "");
        const path = [...source.querySelectorAll(".path > span")].map((part) => part.textContent.trim()).join(", ");
        const url = source.querySelector("[data-open]")?.href ?? "";
        return [`[${source.dataset.number}] ${title}`, path, url].filter(Boolean).join(". ");
      });
      const prose = answer.querySelector("[data-prose]")?.dataset.prose;
      if (prose) quotes.push(prose);
      return [answer.dataset.question, ...quotes, notes.join("\n"), answer.dataset.url].join("\n\n");
    };
    document.querySelector("[data-copy]")?.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(asText());
        window.footnote.say("Copied with sources.");
        document.querySelector("[data-copy]").textContent = "Copied";
      } catch {
        window.footnote.warn("The browser did not allow copying.", "Select the text and copy it by hand.");
      }
    });

    if (panel.querySelector(":target")) markCurrent(panel.querySelector(":target").dataset.number);
  }
}
