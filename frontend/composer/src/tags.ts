/** Tags in the text: TipTap's Mention extension with our attributes, pills and rule for where a tag begins. */

import { Mention } from "@tiptap/extension-mention";
import type { ResolvedPos } from "@tiptap/pm/model";
import type { SuggestionOptions } from "@tiptap/suggestion";

import { element, icon, paint } from "./accent";
import type { Suggestion } from "./types";

const LONGEST_QUERY = 120;

export interface FoundTag {
  range: { from: number; to: number };
  query: string;
  text: string;
}

/**
 * The tag being typed before the caret. It begins at an "@" that ends no word (an e-mail address is no tag) and goes on
 * across spaces as long as something is called like that.
 */
export function findTag($position: ResolvedPos, hasMatch: (query: string) => boolean): FoundTag | null {
  const before = $position.nodeBefore;
  const text = before?.isText ? (before.text ?? "") : "";
  const at = text.lastIndexOf("@");
  if (at < 0 || (at > 0 && /[\p{L}\p{N}_]/u.test(text[at - 1] ?? ""))) return null;
  const query = text.slice(at + 1);
  if (query.length > LONGEST_QUERY || /^\s|\s\s$/u.test(query)) return null;
  if (/\s/u.test(query) && !hasMatch(query)) return null;
  return { range: { from: $position.pos - query.length - 1, to: $position.pos }, query, text: text.slice(at) };
}

function pill(category: string, label: string, colour: string): HTMLElement {
  const dom = element("span", "ppc-pill");
  dom.dataset.category = category;
  dom.contentEditable = "false";
  const name = element("bdi", "ppc-pill-label", label);
  paint(dom, colour);
  dom.append(icon(category), name);
  return dom;
}

/** ``colourOf`` is asked when a pill is drawn, so that the stored tag holds id, label and category only. */
export function tags(suggestion: Omit<SuggestionOptions<Suggestion>, "editor">, colourOf: (category: string, id: string) => string) {
  return Mention.extend({
    addAttributes() {
      return {
        id: { default: null, parseHTML: (dom) => dom.getAttribute("data-id") },
        label: { default: null, parseHTML: (dom) => dom.getAttribute("data-label") },
        category: { default: null, parseHTML: (dom) => dom.getAttribute("data-category") },
      };
    },
    renderHTML({ node }) {
      const { id, label, category } = node.attrs;
      return ["span", { "data-type": "mention", "data-id": id, "data-label": label, "data-category": category }, `@${label}`];
    },
    renderText({ node }) {
      return `@${String(node.attrs.label)}`;
    },
    addNodeView() {
      return ({ node }) => {
        const category = String(node.attrs.category);
        return { dom: pill(category, String(node.attrs.label), colourOf(category, String(node.attrs.id))) };
      };
    },
  }).configure({ deleteTriggerWithBackspace: true, suggestion });
}
