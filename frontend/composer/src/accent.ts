/** The colour of an option or pill: a named accent or a set's own colour, nothing else (D2, D3). */

import { SECTIONS } from "./matching";

const NAMED = new Set(["gold", "green"]);

export function paint(element: HTMLElement, colour: string): void {
  element.classList.remove("ppc-gold", "ppc-green");
  element.style.removeProperty("--ppc-own");
  if (NAMED.has(colour)) element.classList.add(`ppc-${colour}`);
  else if (/^#[0-9a-f]{6}$/i.test(colour)) element.style.setProperty("--ppc-own", colour);
}

/** The sign of a category; the style sheet draws it, so that it is no text of what it stands in. */
export function icon(category: string): HTMLElement {
  const mark = element("span", "ppc-icon");
  mark.dataset.icon = SECTIONS.find((section) => section.category === category)?.icon ?? "";
  mark.setAttribute("aria-hidden", "true");
  return mark;
}

/** An element with text in it. Text only ever enters the page through ``textContent``: titles come from anybody. */
export function element<K extends keyof HTMLElementTagNameMap>(tag: K, className: string, text = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  made.className = className;
  if (text) made.textContent = text;
  return made;
}
