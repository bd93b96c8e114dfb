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
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    const isReaders = name === "open" && old.nodeName === "DETAILS";
    if (!fresh.hasAttribute(name) && !isReaders) old.removeAttribute(name);
  }
  morphChildren(old, fresh);
}

function morphChildren(old, fresh) {
  const byId = new Map([...old.children].filter((child) => child.id).map((child) => [child.id, child]));
  let place = old.firstChild;
  for (const wanted of [...fresh.childNodes]) {
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
    document.addEventListener("visibilitychange", () => this.ask());
    this.listen();
  }

  listen() {
    const events = new EventSource(this.root.dataset.events);
    events.addEventListener("changed", (event) => {
      say("");
      for (const name of JSON.parse(event.data).parts) this.changed.add(name);
      this.ask();
    });
    events.addEventListener("error", () => {
      say("The server does not answer. The crawl goes on without it; this page tries again.");
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

  async ask() {
    const names = [...this.changed].filter((name) => this.inSight.has(name) && this.parts.has(name));
    if (!names.length || this.isAsking || document.hidden) return;
    this.isAsking = true;
    for (const name of names) this.changed.delete(name);
    try {
      const answer = await fetch(`${this.root.dataset.parts}?names=${names.join(",")}`);
      const found = await answer.json();
      if (answer.ok) for (const name of names) put(this.parts.get(name), found[name]);
      else say(found.detail);
    } catch {
      for (const name of names) this.changed.add(name); // when the server is back
    }
    this.isAsking = false;
    setTimeout(() => this.ask(), 50); // what has changed meanwhile
  }
}

// Asks for a list again now and then, where no events tell of changes.
function poll(element) {
  setInterval(async () => {
    if (document.hidden) return;
    try {
      const answer = await fetch(element.dataset.poll);
      if (answer.ok) put(element, await answer.text());
      say("");
    } catch {
      say("The server does not answer; this page tries again.");
    }
  }, 1000);
}

for (const root of document.querySelectorAll("[data-events]")) new Follower(root);
for (const element of document.querySelectorAll("[data-poll]")) poll(element);
