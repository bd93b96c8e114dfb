(() => {
  const found = document.getElementById("found"), chooser = found && found.querySelector(".choose");
  if (!chooser) return;
  const items = [...found.querySelectorAll("ol.results > li")], first = found.querySelector("ol.results");
  const rest = found.querySelector("details.more"), count = chooser.querySelector("output");
  const words = chooser.querySelector("input"), order = chooser.querySelector("select");
  const key = { relevance: (item) => -item.dataset.relevance, step: (item) => -item.dataset.step, depth: (item) => +item.dataset.depth };
  const show = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const by = key[order.value];
    const host = (one, other) => (one.dataset.host < other.dataset.host ? -1 : +(one.dataset.host > other.dataset.host));
    items.sort((one, other) => (by ? by(one) - by(other) : host(one, other)) || one.dataset.step - other.dataset.step);
    let shown = 0;
    for (const item of items) {
      const parts = [...item.querySelectorAll("h3, .address, .snippet")];
      const text = parts.map((part) => part.textContent).join(" ").toLowerCase();
      item.hidden = !wanted.every((word) => text.includes(word));
      shown += !item.hidden;
      first.append(item);
    }
    if (rest) rest.hidden = true;
    count.textContent = `${shown} of ${items.length} shown`;
  };
  chooser.hidden = false;
  chooser.addEventListener("input", show);
})();
