/** The composer's elements. */

import { drawing } from "./attachments";
import { element } from "./accent";

export interface Parts {
  root: HTMLElement;
  box: HTMLElement;
  editor: HTMLElement;
  send: HTMLButtonElement;
  status: HTMLElement;
  announcer: HTMLElement;
}

/** One button in one place, so that a finger that hurries finds it: it sends, or it stops what was sent. */
export function asSend(button: HTMLButtonElement, stops = false): void {
  const label = stops ? "Stop" : "Send";
  if (button.title === label) return;
  button.title = label;
  button.setAttribute("aria-label", label);
  button.replaceChildren(drawing(stops ? "M7 7h10v10H7z" : "M12 19V5M5.5 11.5L12 5l6.5 6.5"));
  button.classList.toggle("ppc-stop", stops);
}

export function parts(chips: HTMLElement, attach: HTMLElement): Parts {
  const root = element("div", "ppc-root");
  const box = element("div", "ppc-box");
  const row = element("div", "ppc-row");
  const editor = element("div", "ppc-editor");
  const send = element("button", "ppc-send");
  const status = element("div", "ppc-status");
  const announcer = element("div", "ppc-announcer");
  send.type = "button";
  asSend(send);
  status.setAttribute("role", "status");
  announcer.setAttribute("role", "status");
  row.append(attach, editor, send);
  box.append(chips, row);
  root.append(box, status, announcer);
  return { root, box, editor, send, status, announcer };
}
