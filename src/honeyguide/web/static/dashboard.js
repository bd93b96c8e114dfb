// Keeps a page up to date: asks for the parts that have changed and puts them in without flicker.
"use strict";

const connection = document.getElementById("connection");

function say(text) {
  if (connection && connection.textContent !== text) connection.textContent = text;
}

// Makes `old` like `fresh` by changing only what differs, so that focus, selection, scrolling and opened details stay.
function morph(old, fresh) {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName) {
    old.replaceWith(fresh);
    return;
  }
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  if (old.hasAttribute("data-keep")) return; // what the reader is doing here is not ours to change
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value && !isReaders(old, name)) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !isReaders(old, name)) old.removeAttribute(name);
  }
  morphChildren(old, fresh);
}

// Whether an attribute says what the reader has done: opened, zoomed or held something.
function isReaders(element, name) {
  if (name === "open") return element.nodeName === "DETAILS";
  if (!element.hasAttribute("data-zoom")) return false;
  if (name === "viewBox") return element.getAttribute(name) !== element.dataset.zoom;
  return name === "class" || name === "style";
}

function morphChildren(old, fresh) {
  const byId = new Map([...old.children].filter((child) => child.id).map((child) => [child.id, child]));
  let place = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
    // A parser drops the blanks before the first element. An element that is moved loses its focus, so they go.
    while (wanted.nodeType === Node.ELEMENT_NODE && place?.nodeType === Node.TEXT_NODE) {
      const next = place.nextSibling;
      place.remove();
      place = next;
    }
    const known = wanted.id ? byId.get(wanted.id) : null;
    if (known && known !== place) {
      old.insertBefore(known, place);
      place = known;
    } else if (place && place.id && place.id !== wanted.id) {
      old.insertBefore(wanted, place);
      continue;
    }
    if (!place) {
      old.append(wanted);
      continue;
    }
    const next = place.nextSibling;
    morph(place, wanted);
    place = next;
  }
  while (place) {
    const next = place.nextSibling;
    place.remove();
    place = next;
  }
}

const shownHtml = new WeakMap();

function put(element, html) {
  if (shownHtml.get(element) === html) return;
  shownHtml.set(element, html);
  const fresh = document.createElement(element.nodeName);
  // Parsed, never run: the page's policy forbids scripts that are not ours.
  fresh.append(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  morphChildren(element, fresh);
}

// Returns the pages that the forms of a part are about.
function addresses(part) {
  return new Set([...part.querySelectorAll("input[name=url]")].map((input) => input.value));
}

// Follows the events of a run: parts that are in sight are asked for together, one request at a time.
class Follower {
  constructor(root) {
    this.root = root;
    this.parts = new Map([...root.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
    this.inSight = new Set();
    this.changed = new Set();
    this.isAsking = false;
    const sight = new IntersectionObserver((entries) => this.see(entries), { rootMargin: "300px" });
    for (const part of this.parts.values()) sight.observe(part);
    // A browser has few connections to one server: a page that nobody sees keeps none.
    document.addEventListener("visibilitychange", () => (document.hidden ? this.events?.close() : this.listen()));
    this.listen();
  }

  listen() {
    if (document.hidden) return;
    this.events?.close();
    const events = new EventSource(this.root.dataset.events);
    this.events = events;
    events.addEventListener("changed", (event) => {
      for (const name of JSON.parse(event.data).parts) this.changed.add(name);
      this.ask();
    });
    events.addEventListener("error", () => {
      for (const name of this.parts.keys()) this.changed.add(name); // asking again tells what is wrong
      this.ask();
      if (events.readyState === EventSource.CLOSED) setTimeout(() => this.listen(), 2000);
    });
  }

  see(entries) {
    for (const entry of entries) {
      if (entry.isIntersecting) this.inSight.add(entry.target.dataset.part);
      else this.inSight.delete(entry.target.dataset.part);
    }
    this.ask();
  }

  show(name, html) {
    const part = this.parts.get(name);
    const before = addresses(part);
    put(part, html);
    if (name !== "given") return;
    // Somebody else has answered the question that is shown here.
    const asked = document.querySelector("#question form:not([aria-busy=true]) input[name=url]")?.value;
    if (asked && !before.has(asked) && addresses(part).has(asked)) load(document.getElementById("question"));
  }

  isWanted(name) {
    const part = this.parts.get(name);
    return part && (this.inSight.has(name) || "always" in part.dataset);
  }

  async ask() {
    const names = [...this.changed].filter((name) => this.isWanted(name));
    if (!names.length || this.isAsking || document.hidden) return;
    this.isAsking = true;
    let pause_ms = 50;
    for (const name of names) this.changed.delete(name);
    try {
      const answer = await fetch(`${this.root.dataset.parts}?names=${names.join(",")}`);
      const found = await answer.json();
      if (answer.ok) for (const name of names) this.show(name, found[name]);
      say(answer.ok ? "" : found.detail);
    } catch {
      for (const name of names) this.changed.add(name); // for when the server is back
      say("The server does not answer. The crawl goes on without it; this page tries again.");
      pause_ms = 2000;
    }
    this.isAsking = false;
    setTimeout(() => this.ask(), pause_ms); // what has changed meanwhile
  }
}

// Tells a screen reader now and then how the crawl stands: every change would be too much.
function speak() {
  const spoken = document.getElementById("spoken");
  const words = document.querySelector("[data-spoken]")?.dataset.spoken;
  if (spoken && words && spoken.textContent !== words) spoken.textContent = words;
}
setInterval(speak, 20000);

// Asks for a list again now and then, where no events tell of changes.
async function poll(element) {
  try {
    const answer = document.hidden ? null : await fetch(element.dataset.poll);
    if (answer?.ok) put(element, await answer.text());
    say("");
  } catch {
    say("The server does not answer; this page tries again.");
  }
  setTimeout(() => poll(element), 1000);
}

// A drawing that can be zoomed and moved: with wheel or fingers, with buttons, or with + - 0 and the arrow keys.
// Nothing is kept but the drawing's viewBox, so a new version of it keeps its place.
const zoom = {
  box(svg) {
    return { whole: svg.dataset.zoom.split(" ").map(Number), now: svg.getAttribute("viewBox").split(" ").map(Number) };
  },

  set(svg, [left, top, width, height]) {
    const [, , fullWidth, fullHeight] = this.box(svg).whole;
    const x = Math.min(Math.max(left, 0), fullWidth - width);
    const y = Math.min(Math.max(top, 0), fullHeight - height);
    svg.style.setProperty("--zoom", fullWidth / width); // letters stay as large as they are
    svg.classList.toggle("zoomed", width < fullWidth);
    svg.classList.toggle("near", fullWidth / width > 1.9);
    svg.setAttribute("viewBox", [x, y, width, height].map((each) => Math.round(each * 10) / 10).join(" "));
  },

  // Makes everything `factor` times as large; the point at shares x and y of the drawing stays where it is.
  by(svg, factor, x = 0.5, y = 0.5) {
    const { whole, now } = this.box(svg);
    const width = Math.min(Math.max(now[2] / factor, whole[2] / 12), whole[2]);
    const height = (width * whole[3]) / whole[2];
    this.set(svg, [now[0] + (now[2] - width) * x, now[1] + (now[3] - height) * y, width, height]);
  },

  // Moves what is seen by shares of the drawing.
  move(svg, x, y) {
    const [left, top, width, height] = this.box(svg).now;
    this.set(svg, [left + x * width, top + y * height, width, height]);
  },

  key(svg, key) {
    const acts = {
      "+": () => this.by(svg, 1.4),
      "=": () => this.by(svg, 1.4),
      "-": () => this.by(svg, 1 / 1.4),
      0: () => this.by(svg, 0),
      ArrowLeft: () => this.move(svg, -0.1, 0),
      ArrowRight: () => this.move(svg, 0.1, 0),
      ArrowUp: () => this.move(svg, 0, -0.1),
      ArrowDown: () => this.move(svg, 0, 0.1),
    };
    acts[key]?.();
    return key in acts;
  },
};

function zoomed(event) {
  return event.target.closest?.("svg[data-zoom]");
}

document.addEventListener("keydown", (event) => {
  const svg = zoomed(event);
  if (svg && !event.ctrlKey && !event.metaKey && zoom.key(svg, event.key)) event.preventDefault();
});
document.addEventListener(
  "wheel",
  (event) => {
    const svg = zoomed(event);
    if (!svg || !(event.ctrlKey || document.activeElement === svg)) return; // else the page scrolls
    const place = svg.getBoundingClientRect();
    zoom.by(svg, Math.exp(-event.deltaY / 300), (event.clientX - place.x) / place.width, (event.clientY - place.y) / place.height);
    event.preventDefault();
  },
  { passive: false },
);
document.addEventListener("click", (event) => {
  const button = event.target.closest?.("button[data-zoom-key]");
  if (!button) return;
  for (const svg of button.closest("section").querySelectorAll("svg[data-zoom]")) zoom.key(svg, button.dataset.zoomKey);
});

const fingers = new Map(); // where each pointer is, by its number
let hasMoved = false;
document.addEventListener("pointerdown", (event) => {
  const svg = zoomed(event);
  if (!svg) return;
  fingers.set(event.pointerId, { svg, x: event.clientX, y: event.clientY });
  hasMoved = false;
});
document.addEventListener("pointermove", (event) => {
  const finger = fingers.get(event.pointerId);
  if (!finger) return;
  const { svg } = finger;
  const place = svg.getBoundingClientRect();
  const [x, y] = [event.clientX - finger.x, event.clientY - finger.y];
  if (!hasMoved && Math.hypot(x, y) < 4) return; // a click is seldom quite still
  hasMoved = true;
  svg.classList.add("held");
  const other = [...fingers.entries()].find(([id, each]) => id !== event.pointerId && each.svg === svg)?.[1];
  if (other) {
    const before = Math.hypot(finger.x - other.x, finger.y - other.y);
    const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
    zoom.by(svg, after / before, (other.x - place.x) / place.width, (other.y - place.y) / place.height);
  } else zoom.move(svg, -x / place.width, -y / place.height);
  finger.x = event.clientX;
  finger.y = event.clientY;
});
for (const kind of ["pointerup", "pointercancel"]) {
  document.addEventListener(kind, (event) => {
    fingers.get(event.pointerId)?.svg.classList.remove("held");
    fingers.delete(event.pointerId);
  });
}
document.addEventListener("dragstart", (event) => zoomed(event) && event.preventDefault());
document.addEventListener(
  "click",
  (event) => {
    if (hasMoved && zoomed(event)) event.preventDefault(); // moved, not clicked
  },
  true,
);

const TOO_SOON = "The last answer is still on its way; press again in a moment.";

// Sends the fields of a form as JSON, with the button that was pressed, and puts in what comes back.
async function post(form, fields) {
  const status = form.querySelector("[role=status]");
  if (form.getAttribute("aria-busy") === "true") {
    status.textContent = TOO_SOON;
    return;
  }
  form.setAttribute("aria-busy", "true");
  const tell = (text, isProblem) => {
    status.textContent = text;
    status.classList.toggle("problem", isProblem);
  };
  tell("Taking it in…", false);
  try {
    const answer = await fetch(form.dataset.post, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRF-Token": csrf() },
      body: JSON.stringify(fields),
    });
    const text = await answer.text();
    const found = answer.headers.get("Content-Type").startsWith("application/json") ? JSON.parse(text) : { detail: text };
    if (!answer.ok) {
      tell(found.detail, true);
    } else if (found.confirm) {
      tell("", false);
      form.removeAttribute("aria-busy");
      if (await confirmed(found.confirm)) return post(form, { ...fields, pages: found.pages });
    } else {
      const swapped = Object.entries(found.swap || {}).map(([id, html]) => [document.getElementById(id), html]);
      tell(swapped.some(([element]) => element && element.contains(form)) ? "" : found.message, false);
      for (const [element, html] of swapped) if (element) put(element, html);
      const undo = form.querySelector("button[value=undo][data-later]");
      if (undo) undo.hidden = fields.answer === "undo";
      if (found.go) location.assign(found.go);
    }
  } catch {
    tell("The server does not answer; try again.", true);
  }
  form.removeAttribute("aria-busy");
}

function csrf() {
  return document.querySelector("meta[name=csrf]").content;
}

// Asks the reader to confirm; Escape says no.
function confirmed(question) {
  const dialog = document.createElement("dialog");
  const text = document.createElement("p");
  text.textContent = question;
  const form = document.createElement("form");
  form.method = "dialog";
  for (const [value, name] of [["", "Cancel"], ["yes", "Go ahead"]]) {
    const button = document.createElement("button");
    button.value = value;
    button.textContent = name;
    form.append(button);
  }
  dialog.append(text, form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.dataset.post) return;
  event.preventDefault();
  const pressed = event.submitter;
  const fields = Object.fromEntries(new FormData(form));
  if (pressed && pressed.name) fields[pressed.name] = pressed.value;
  post(form, fields);
});

// A key presses the button that names it, unless the reader is typing.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || document.querySelector("dialog[open]")) return;
  if (event.target.closest("input:not([type=hidden]), textarea, select")) return;
  const button = document.querySelector(`button[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!button) return;
  event.preventDefault();
  const busy = document.querySelector("form.answer[aria-busy=true] [role=status]");
  if (busy) busy.textContent = TOO_SOON; // the list of answers and the question are about to change
  else button.click();
});

// Asks for what takes a while when the page is there.
async function load(element) {
  try {
    const answer = await fetch(element.dataset.load, { headers: { Accept: "application/json" } });
    if (answer.ok) put(element, await answer.text());
    else element.textContent = (await answer.json()).detail;
  } catch {
    element.textContent = "The server does not answer; load the page again.";
  }
}

for (const root of document.querySelectorAll("[data-events]")) new Follower(root);
for (const element of document.querySelectorAll("[data-poll]")) poll(element);
for (const element of document.querySelectorAll("[data-load]")) load(element);
