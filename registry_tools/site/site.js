// Search among the evaluators that the page lists already. Without this script all of them are shown.
"use strict";

const field = document.getElementById("q");

if (field) {
  const cards = [...document.querySelectorAll(".card")];
  const found = document.getElementById("found");

  const search = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const card of cards) {
      card.hidden = !words.every((word) => card.dataset.words.includes(word));
      count += card.hidden ? 0 : 1;
    }
    found.textContent = words.length ? `${count} of ${cards.length}` : "";
  };

  field.closest("[hidden]").hidden = false;
  field.value = new URLSearchParams(location.search).get("q") ?? "";
  field.addEventListener("input", search);
  search();
}
