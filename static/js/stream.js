// An answer on its way: stages and text from its stream, the stop button, a word when the page closes; then the kept answer.
"use strict";
{
  const answer = document.querySelector("[data-stream]");
  const written = document.getElementById("written");
  const stage = document.getElementById("stage");
  const words = Object.fromEntries([...document.querySelectorAll("[data-stage]")].map((item) => [item.dataset.stage, item.textContent]));
  const token = document.querySelector("[name=csrfmiddlewaretoken]").value;
  let isDone = false;
  let failures = 0;
  let said = "";

  // the text of the last load is replayed by the stream
  written.textContent = "";
  const source = new EventSource(answer.dataset.stream);

  const finish = () => {
    if (isDone) return;
    isDone = true;
    source.close();
    location.replace(location.pathname);
  };

  source.addEventListener("stage", (event) => {
    const next = words[JSON.parse(event.data).name] ?? "";
    if (!next || next === said) return;
    said = next;
    stage.textContent = `${next} …`;
    window.footnote.say(next);
  });
  source.addEventListener("token", (event) => {
    failures = 0;
    written.append(JSON.parse(event.data).text);
  });
  source.addEventListener("void", () => { written.textContent = ""; });
  source.addEventListener("meta", () => {
    window.footnote.say("Answer complete.");
    finish();
  });
  // the browser connects again by itself, and the stream goes on where it was; a refusal is for good
  source.addEventListener("error", () => {
    failures += 1;
    if (source.readyState === EventSource.CLOSED || failures > 5) finish();
  });

  const tell = (field) => {
    const form = new FormData();
    form.append("csrfmiddlewaretoken", token);
    if (field) form.append(field, "1");
    navigator.sendBeacon(answer.dataset.stop, form);
  };
  const stop = () => {
    stage.textContent = "Stopping …";
    tell("");
  };
  document.querySelector("[data-stop-button]").addEventListener("click", (event) => {
    event.preventDefault();
    stop();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !event.isComposing && !isDone) stop();
  });
  addEventListener("pagehide", () => { if (!isDone) tell("leaving"); });
}
