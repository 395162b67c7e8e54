"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const { flags, reasons, chunk, runs, debates } = read("debates");
  const ROW = 60, SPARE = 6;
  // Must equal the table of unseen characters in the code that writes the page.
  const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;

  const byId = (id) => document.getElementById(id);
  const list = byId("list"), rows = byId("rows"), debate = byId("debate"), found = byId("found");
  const find = byId("find"), runMenu = byId("run"), boxes = [...document.querySelectorAll("#filters input[type=checkbox]")];

  // Everything that a model or a file said passes here: text nodes only, never markup.
  function put(parent, text) {
    let from = 0;
    for (const hit of text.matchAll(UNSEEN)) {
      parent.append(text.slice(from, hit.index));
      const code = `U+${hit[0].codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
      parent.append(make("span", "unseen", `[${code}]`));
      from = hit.index + hit[0].length;
    }
    parent.append(text.slice(from));
    return parent;
  }
  function make(name, css, text) {
    const element = document.createElement(name);
    if (css) element.className = css;
    if (text !== undefined) element.textContent = text;
    return element;
  }
  const said = (name, css, text) => put(make(name, css), String(text).replaceAll("\r\n", "\n"));

  // The list: only the rows in sight exist.
  let shown = debates.map((_, number) => number);
  let chosen = -1;
  const bits = Object.fromEntries(flags.map((name, place) => [name, 1 << place]));
  const haystack = debates.map(([, , id, , text]) => `${id} ${text}`.toLowerCase());

  function matching(need) {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const run = runMenu ? Number(runMenu.value) : -1;
    const kept = [];
    for (let i = 0; i < debates.length; i++) {
      const entry = debates[i];
      if ((entry[3] & need) === need && (run < 0 || entry[0] === run) && words.every((word) => haystack[i].includes(word))) kept.push(i);
    }
    return kept;
  }
  function filter() {
    shown = matching(boxes.reduce((need, box) => need | (box.checked ? bits[box.value] : 0), 0));
    found.textContent = `${shown.length} of ${debates.length} debates`;
    list.scrollTop = 0;
    rows.style.height = `${Math.max(shown.length * ROW, 1)}px`;
    choose(shown.length ? 0 : -1);
  }
  function paint() {
    const first = Math.max(0, Math.floor(list.scrollTop / ROW) - SPARE);
    const last = Math.min(shown.length, Math.ceil((list.scrollTop + list.clientHeight) / ROW) + SPARE);
    const fresh = document.createDocumentFragment();
    for (let place = first; place < last; place++) fresh.append(row(place));
    rows.replaceChildren(fresh);
  }
  function row(place) {
    const [run, , id, mask, text] = debates[shown[place]];
    const option = make("div", "row");
    option.id = `row-${place}`;
    option.setAttribute("role", "option");
    option.setAttribute("aria-posinset", place + 1);
    option.setAttribute("aria-setsize", shown.length);
    option.setAttribute("aria-selected", place === chosen);
    option.style.top = `${place * ROW}px`;
    option.dataset.place = place;
    const top = make("div", "top");
    top.append(said("bdi", "id", id), make("span", "what", label(mask)));
    option.append(top, said("div", "text", text || runs[run].name));
    return option;
  }
  function label(mask) {
    const has = (name) => mask & bits[name];
    const words = [];
    if (has("collapsed")) words.push("collapsed");
    else if (has("corrected")) words.push("corrected");
    else if (has("wrong")) words.push("wrong");
    else if (has("changed")) words.push("changed");
    if (has("unparsed")) words.push("unparsed");
    else if (!words.length && has("disagreement")) words.push("disagreement");
    return words.join(", ");
  }
  function choose(place) {
    chosen = place;
    if (place >= 0) {
      const top = place * ROW;
      if (top < list.scrollTop) list.scrollTop = top;
      else if (top + ROW > list.scrollTop + list.clientHeight) list.scrollTop = top + ROW - list.clientHeight;
    }
    paint();
    if (place >= 0) list.setAttribute("aria-activedescendant", `row-${place}`);
    else list.removeAttribute("aria-activedescendant");
    show();
  }

  // One debate.
  const chunks = new Map();
  function detail(run, place) {
    const key = `debates-${run}-${Math.floor(place / chunk)}`;
    if (!chunks.has(key)) {
      if (chunks.size > 20) chunks.clear();
      chunks.set(key, read(key));
    }
    return chunks.get(key)[place % chunk];
  }
  function show() {
    debate.replaceChildren();
    debate.scrollTop = 0;
    if (chosen < 0) {
      debate.append(make("p", "soft", "No debate matches."));
      return;
    }
    const [run, place, id] = debates[shown[chosen]];
    const { agents, name } = runs[run];
    const one = detail(run, place);
    debate.append(said("h3", "", id));
    if (runs.length > 1) debate.append(said("p", "soft", name));
    if (one.question) {
      const question = said("div", "said question", one.question);
      question.dir = "auto";
      question.tabIndex = 0;
      question.setAttribute("role", "region");
      question.setAttribute("aria-label", "Question");
      debate.append(question);
    }
    if (one.choices) {
      const choices = make("p", "soft");
      for (const [letter, text] of Object.entries(one.choices)) choices.append(said("bdi", "", `${letter}) ${text}  `));
      debate.append(choices);
    }
    if (one.replies) debate.append(said("p", "", one.target === null ? "Target: not known" : `Target: ${one.target}`));
    if (one.outcome && one.outcome.length) debate.append(said("p", "soft", one.outcome.join(" · ")));
    debate.append(answersTable(one, agents));
    if (one.replies) for (const element of replies(one, agents)) debate.append(element);
  }
  const kind = (cell, known) => (typeof cell !== "number" ? "none" : !known ? "" : cell === 0 ? "right" : "wrong");
  const sign = { right: "✓ right", wrong: "✗ wrong", none: "– none", "": "" };
  function answersTable(one, agents) {
    const known = one.replies ? one.target !== null : one.answers.some((line) => line.some((cell) => cell === 0));
    const told = new Map((one.replies || []).map((reply) => [`${reply[0]} ${reply[1]}`, reply[2]]));
    const box = make("div", "scroll"), table = make("table"), head = make("tr");
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-label", "Answers by agent and round");
    head.append(make("th", "", "agent"));
    head.firstChild.scope = "col";
    one.answers.forEach((_, round) => {
      const cell = make("th", "", `round ${round}`);
      cell.scope = "col";
      head.append(cell);
    });
    const body = make("tbody");
    agents.forEach((agent, seat) => {
      const line = make("tr"), name = said("th", "", agent);
      name.scope = "row";
      line.append(name);
      one.answers.forEach((answers, round) => {
        const value = answers[seat], css = kind(value, known);
        const answer = told.get(`${round} ${seat}`);
        const text = typeof value !== "number" ? value : answer ?? (known && value === 0 ? "target" : `answer ${value}`);
        const cell = said("td", css, css === "right" || css === "wrong" ? `${sign[css][0]} ` : "");
        if (css === "right" || css === "wrong") cell.append(make("span", "hush", `${css}: `));
        cell.append(said("bdi", "", String(text).length > 40 ? `${String(text).slice(0, 39)}…` : text));
        line.append(cell);
      });
      body.append(line);
    });
    const top = make("thead");
    top.append(head);
    table.append(top, body);
    box.append(table);
    return box;
  }
  function replies(one, agents) {
    const out = [];
    let round = -1;
    for (const [number, seat, answer, reason, parts, finish] of one.replies) {
      if (number !== round) {
        round = number;
        out.push(make("h4", "round", `Round ${round}`));
      }
      const value = one.answers[number] ? one.answers[number][seat] : "unparsed";
      const css = kind(value, one.target !== null);
      const box = make("section", `reply ${css}`), head = make("div", "head");
      head.append(said("h5", "", agents[seat] ?? `agent ${seat}`));
      if (css) head.append(make("span", "sign", css === "none" ? `– ${value}` : sign[css]));
      if (answer !== null) {
        const wrap = make("span", "", "answer ");
        wrap.append(said("bdi", "", answer));
        head.append(wrap);
      }
      const why = reason && (Object.hasOwn(reasons, reason) ? `${reason} (${reasons[reason]})` : reason);
      const notes = [why && `reason: ${why}`, finish && finish !== "stop" && `ended: ${finish}`].filter(Boolean);
      if (notes.length) head.append(said("span", "reason", notes.join(" · ")));
      box.append(head);
      if (parts) {
        const text = make("div", "said");
        text.dir = "auto";
        parts.forEach((part, place) => text.append(said(place === 1 ? "mark" : "span", "", part)));
        box.append(text);
      }
      out.push(box);
    }
    return out;
  }

  list.addEventListener("scroll", paint, { passive: true });
  addEventListener("resize", paint, { passive: true });
  list.addEventListener("click", (event) => {
    const option = event.target.closest(".row");
    if (option) choose(Number(option.dataset.place));
  });
  list.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(list.clientHeight / ROW) - 1);
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity }[event.key];
    if (step === undefined || !shown.length || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    choose(Math.min(shown.length - 1, Math.max(0, chosen + step)));
  });
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("filters").addEventListener("input", filter);
  for (const box of boxes) {
    const number = debates.reduce((sum, entry) => sum + ((entry[3] & bits[box.value]) !== 0), 0);
    box.closest("label").querySelector(".n").textContent = number;
  }
  // Printing shows the numbers behind every figure.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const one of closed) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of closed) one.open = false;
  });
  filter();
})();
