// An invitation's code stands behind the # of its link, which no browser sends and no server logs. It is put into the form here.
(() => {
  const form = document.querySelector("form[data-first]");
  const code = window.location.hash.slice(1);
  if (!form || !code.startsWith("fni_")) return;
  window.history.replaceState(null, "", window.location.pathname);
  form.elements.code.value = code;
  form.requestSubmit();
})();
