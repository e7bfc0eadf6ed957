/** The list of suggestions: an ARIA listbox with a group per section, above the editor. Focus stays in the editor. */

import { element, icon, paint } from "./accent";
import type { Match, Matches } from "./matching";
import type { Suggestion } from "./types";

const GAP = 6;
const TALLEST = 380;
const WIDEST = 440;
const LEAST_ROOM_ABOVE = 160;

interface Option {
  suggestion: Suggestion;
  node: HTMLElement;
  usable: boolean;
}

export interface DropdownEvents {
  chosen: (suggestion: Suggestion) => void;
  /** A document that would be one too many. */
  refused: () => void;
  /** The active option's element id, or null when the list is closed. */
  activated: (id: string | null) => void;
}

export class Dropdown {
  readonly node: HTMLElement;
  private options: Option[] = [];
  private active = -1;
  private shown = false;
  private readonly place = () => this.position();

  constructor(
    private readonly id: string,
    private readonly anchor: HTMLElement,
    private readonly events: DropdownEvents,
  ) {
    this.node = element("div", "ppc-list");
    this.node.id = id;
    this.node.setAttribute("role", "listbox");
    this.node.setAttribute("aria-label", "Suggestions");
    this.node.setAttribute("popover", "manual"); // the top layer: no container on the page can cut it off
    this.node.addEventListener("mousedown", (event) => event.preventDefault()); // the caret stays where it is
    this.node.hidden = true;
  }

  get isOpen(): boolean {
    return this.shown;
  }

  get count(): number {
    return this.options.length;
  }

  /** ``keepActive``: the suggestions changed under an open list. Typing starts again at the first option. */
  show(matches: Matches, isUsable: (suggestion: Suggestion) => boolean, keepActive = false): void {
    const before = this.options[this.active]?.suggestion;
    this.options = [];
    this.node.replaceChildren(...this.sections(matches, isUsable), ...this.more(matches.hidden));
    if (this.options.length === 0) return this.hide();
    this.open();
    const same = this.options.findIndex(
      ({ suggestion }) => suggestion.id === before?.id && suggestion.category === before.category,
    );
    this.activate(keepActive && same >= 0 ? same : this.firstUsable());
    this.position();
  }

  hide(): void {
    if (!this.shown) return;
    this.shown = false;
    this.node.hidden = true;
    if (this.node.matches(":popover-open")) this.node.hidePopover();
    window.removeEventListener("resize", this.place);
    window.removeEventListener("scroll", this.place, true);
    this.active = -1;
    this.events.activated(null);
  }

  /** Keys that belong to an open list. Returns whether the key was used. */
  key(event: KeyboardEvent): boolean {
    if (!this.shown || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return false;
    switch (event.key) {
      case "ArrowDown":
        this.activate((this.active + 1) % this.options.length);
        return true;
      case "ArrowUp":
        this.activate((this.active - 1 + this.options.length) % this.options.length);
        return true;
      case "PageDown":
      case "PageUp": {
        const step = event.key === "PageDown" ? 8 : -8;
        this.activate(Math.min(this.options.length - 1, Math.max(0, this.active + step)));
        return true;
      }
      case "Enter":
      case "Tab":
        if (event.shiftKey) return false;
        this.choose(this.active);
        return true;
      default:
        return false;
    }
  }

  private sections(matches: Matches, isUsable: (suggestion: Suggestion) => boolean): HTMLElement[] {
    return matches.sections.map((section) => {
      const group = element("div", "ppc-group");
      const title = element("div", "ppc-group-title");
      title.append(icon(section.category), section.title);
      title.id = `${this.id}-${section.category}`;
      group.setAttribute("role", "group");
      group.setAttribute("aria-labelledby", title.id);
      group.append(title, ...section.options.map((match) => this.option(match, isUsable(match.suggestion))));
      return group;
    });
  }

  private option({ suggestion, alias }: Match, usable: boolean): HTMLElement {
    const position = this.options.length;
    const node = element("div", "ppc-option");
    node.id = `${this.id}-${position}`;
    node.setAttribute("role", "option");
    node.setAttribute("aria-selected", "false");
    if (!usable) node.setAttribute("aria-disabled", "true");
    paint(node, suggestion.colour);
    const label = element("span", "ppc-option-label", suggestion.label);
    label.dir = "auto";
    node.append(label);
    const about = [alias, suggestion.detail].filter(Boolean).join(" · ");
    if (about) {
      const detail = element("span", "ppc-option-detail", about);
      detail.dir = "auto";
      node.append(detail);
    }
    node.addEventListener("mousemove", () => this.activate(position, false));
    node.addEventListener("click", () => this.choose(position));
    this.options.push({ suggestion, node, usable });
    return node;
  }

  private more(hidden: number): HTMLElement[] {
    if (hidden <= 0) return [];
    const note = element("div", "ppc-more", `${hidden} more. Keep typing to narrow the list.`);
    note.setAttribute("role", "presentation");
    return [note];
  }

  private firstUsable(): number {
    return Math.max(0, this.options.findIndex((option) => option.usable));
  }

  private activate(position: number, scroll = true): void {
    if (position === this.active && this.options[position]?.node.getAttribute("aria-selected") === "true") return;
    this.options[this.active]?.node.setAttribute("aria-selected", "false");
    this.active = position;
    const option = this.options[position];
    if (!option) return;
    option.node.setAttribute("aria-selected", "true");
    if (scroll) this.reveal(option.node);
    this.events.activated(option.node.id);
  }

  /** Scrolls the list only; ``scrollIntoView`` would move the page too. */
  private reveal(node: HTMLElement): void {
    const top = node.offsetTop - (this.active === 0 ? 40 : 4);
    const bottom = node.offsetTop + node.offsetHeight + 4;
    if (top < this.node.scrollTop) this.node.scrollTop = top;
    else if (bottom > this.node.scrollTop + this.node.clientHeight) this.node.scrollTop = bottom - this.node.clientHeight;
  }

  private choose(position: number): void {
    const option = this.options[position];
    if (!option) return;
    if (option.usable) this.events.chosen(option.suggestion);
    else this.events.refused();
  }

  private open(): void {
    if (this.shown) return;
    this.shown = true;
    this.node.hidden = false;
    this.node.scrollTop = 0;
    if (typeof this.node.showPopover === "function" && this.node.isConnected) this.node.showPopover();
    window.addEventListener("resize", this.place);
    window.addEventListener("scroll", this.place, true);
  }

  /** Upwards, because the editor is at the bottom of the page; downwards only where there is no room above. */
  private position(): void {
    const box = this.anchor.getBoundingClientRect();
    const screenWidth = document.documentElement.clientWidth;
    const up = box.top >= LEAST_ROOM_ABOVE || box.top >= window.innerHeight - box.bottom;
    const room = (up ? box.top : window.innerHeight - box.bottom) - 2 * GAP;
    const width = Math.min(box.width, WIDEST, screenWidth - 2 * GAP);
    this.node.style.width = `${width}px`;
    this.node.style.maxHeight = `${Math.max(80, Math.min(TALLEST, room))}px`;
    this.node.style.left = `${Math.max(GAP, Math.min(box.left, screenWidth - width - GAP))}px`;
    this.node.style.top = up ? `${Math.max(GAP, box.top - this.node.offsetHeight - GAP)}px` : `${box.bottom + GAP}px`;
  }
}
