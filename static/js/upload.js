// Many files, one request each to the form's own address, with progress; the server's words come back per file.
"use strict";
{
  const form = document.querySelector("[data-drop]");
  const AT_ONCE = 2;

  if (form) {
    const input = form.querySelector("[type=file]");
    const section = document.getElementById("upload-results");
    const list = section.querySelector("[data-results]");
    const tally = section.querySelector("[data-tally]");
    const overall = section.querySelector("[data-overall]");
    const waiting = [];
    let running = 0;
    let lastRefresh = 0;

    const rowFor = (file) => {
      const row = document.createElement("li");
      row.className = "result";
      row.innerHTML = '<span class="grow file-name"></span><progress max="100" value="0"></progress><span class="state reading"></span><span class="result-detail"></span>';
      row.querySelector(".file-name").textContent = file.name;
      row.querySelector("progress").setAttribute("aria-label", `Sending ${file.name}`);
      row.querySelector(".state").textContent = "Waiting";
      list.insertBefore(row, list.querySelector(".accepted"));
      return row;
    };

    // what needs a look stands first, then what is on the way, then what was taken
    const place = (row) => { if (row.dataset.kind === "accepted") list.append(row); else list.prepend(row); };

    const finish = (row, kind, label, detail, retry) => {
      row.dataset.kind = kind;
      row.querySelector("progress")?.remove();
      const state = row.querySelector(".state");
      state.className = "state warn";
      state.textContent = label;
      const words = row.querySelector(".result-detail");
      words.textContent = `${detail} `;
      place(row);
      if (!retry) return;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "link small";
      button.textContent = "Send again";
      button.addEventListener("click", () => { row.remove(); retry(); });
      words.append(button);
    };

    const showTally = () => {
      const rows = [...list.children];
      const count = (kind) => rows.filter((row) => row.dataset.kind === kind).length;
      const open = rows.filter((row) => !row.dataset.kind).length;
      const parts = [[open, "on the way"], [count("accepted"), "taken"], [count("duplicate"), "already here"], [count("left-out"), "left out"], [count("refused"), "not taken"], [count("failed"), "not sent"]];
      tally.textContent = parts.filter(([number]) => number).map(([number, words]) => `${number} ${words}`).join(", ");
      overall.hidden = !open;
      overall.max = rows.length;
      overall.value = rows.length - open;
      if (!open && rows.length) window.footnote.say(tally.textContent);
    };

    const refreshList = (isLast) => {
      if (!isLast && Date.now() - lastRefresh < 3000) return;
      lastRefresh = Date.now();
      for (const id of ["document-list", "library-summary"]) refreshPart(id);
    };

    // A part that is being fetched is replaced, and with it whatever waits in line for it: ask again when it has come.
    const refreshPart = (id) => {
      const part = document.getElementById(id);
      if (!part || !window.htmx) return;
      if (part.classList.contains("htmx-request")) { setTimeout(refreshPart, 150, id); return; }
      window.htmx.trigger(part, "refresh");
    };

    const readAnswer = (xhr, row, again) => {
      const away = xhr.getResponseHeader("HX-Redirect");
      if (away) { location.assign(away); return; }
      const page = new DOMParser().parseFromString(xhr.responseText, "text/html");
      const results = [...page.querySelectorAll("#upload-results li")];  // of an archive: one for each file in it
      if (results.length) { row.remove(); for (const result of results) place(document.adoptNode(result)); return; }
      const problem = page.querySelector("#problem h1, #files-error");
      const words = problem ? problem.textContent.trim() : `The server answered ${xhr.status}.`;
      finish(row, "failed", "Not sent", `${words} Nothing of it was stored.`, again);
    };

    const send = (job) => {
      const { file, path, row, collection } = job;
      const again = () => { add([{ file, path }], collection); };
      const data = new FormData(form);
      data.delete("file");
      data.set("collection", collection);
      data.append("file", file, file.name);
      data.append("path", path);
      const xhr = new XMLHttpRequest();
      const state = row.querySelector(".state");
      const bar = row.querySelector("progress");
      const done = () => { running -= 1; showTally(); refreshList(!running && !waiting.length); next(); };
      running += 1;
      state.textContent = "Sending";
      xhr.upload.addEventListener("progress", (event) => { if (event.lengthComputable) bar.value = (100 * event.loaded) / event.total; });
      xhr.upload.addEventListener("load", () => { state.textContent = "Checking"; });
      xhr.addEventListener("load", () => {
        const wait = Number(xhr.getResponseHeader("Retry-After"));
        if (xhr.status === 429 && wait) {
          state.textContent = `Waiting ${wait} s`;
          setTimeout(() => { running -= 1; waiting.unshift(job); next(); }, wait * 1000);
          return;
        }
        readAnswer(xhr, row, again);
        done();
      });
      xhr.addEventListener("error", () => { finish(row, "failed", "Not sent", "The connection broke. Send it again: a file that did arrive is recognised.", again); done(); });
      xhr.open("POST", form.action);
      xhr.setRequestHeader("HX-Request", "true");
      xhr.send(data);
    };

    const next = () => { while (running < AT_ONCE && waiting.length) send(waiting.shift()); };

    // A file of a dropped folder is told from its namesakes by its path in that folder.
    const add = (files, collection = form.elements.collection.value) => {
      const limit = Number(form.dataset.maxBytes);
      for (const { file, path } of files) {
        const row = rowFor(file);
        if (file.size > limit) finish(row, "refused", "Not taken", `The file is larger than ${form.dataset.maxLabel}. It was not sent.`);
        else waiting.push({ file, path, row, collection });
      }
      showTally();
      next();
    };

    const chosen = (files) => [...files].map((file) => ({ file, path: file.webkitRelativePath || file.name }));

    // ---- folders: entries must be asked for before the drop event ends
    const filesUnder = async (entry) => {
      if (entry.isFile) return [{ file: await new Promise((resolve, reject) => entry.file(resolve, reject)), path: entry.fullPath }];
      const reader = entry.createReader();
      const found = [];
      for (;;) {
        const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        if (!some.length) return found;
        for (const child of some) found.push(...await filesUnder(child));
      }
    };

    form.addEventListener("dragover", (event) => { event.preventDefault(); form.classList.add("over"); });
    form.addEventListener("dragleave", (event) => { if (!form.contains(event.relatedTarget)) form.classList.remove("over"); });
    form.addEventListener("drop", async (event) => {
      event.preventDefault();
      form.classList.remove("over");
      const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
      const loose = chosen(event.dataTransfer.files);
      if (!entries.some((entry) => entry.isDirectory)) { add(loose); return; }
      for (const entry of entries) {
        try { add(await filesUnder(entry)); } catch { window.footnote.warn("A folder could not be read.", `Nothing of ${entry.name} was sent.`); }
      }
    });
    input.addEventListener("change", () => { add(chosen(input.files)); input.value = ""; });
    form.addEventListener("submit", (event) => { event.preventDefault(); });
    addEventListener("beforeunload", (event) => { if (running || waiting.length) event.preventDefault(); });
  }
}
