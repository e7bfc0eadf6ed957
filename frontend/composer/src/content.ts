/** Reading and completing the editor's JSON. */

import type { JSONContent } from "@tiptap/core";

import type { SuggestionIndex } from "./matching";

export const EMPTY: JSONContent = { type: "doc", content: [{ type: "paragraph" }] };

/** Plain text as a document: a line is a paragraph. */
export function fromText(text: string): JSONContent {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  return { type: "doc", content: lines.map((line) => ({ type: "paragraph", ...(line ? { content: [{ type: "text", text: line }] } : {}) })) };
}

/** The different documents tagged in it. */
export function taggedDocuments(node: JSONContent, found: Set<string> = new Set()): Set<string> {
  if (node.type === "mention" && node.attrs?.category === "document") found.add(String(node.attrs.id));
  for (const child of node.content ?? []) taggedDocuments(child, found);
  return found;
}

/** The same content with every "@Title" or "@Alias" that was typed out, and names exactly one suggestion, as a tag. */
export function linked(node: JSONContent, index: SuggestionIndex): JSONContent {
  if (!node.content) return node;
  const names = index.names();
  const content = node.content.flatMap((child) =>
    child.type === "text" ? linkedText(child, index, names) : [linked(child, index)],
  );
  return { ...node, content };
}

function linkedText(node: JSONContent, index: SuggestionIndex, names: string[]): JSONContent[] {
  const text = node.text ?? "";
  const pieces: JSONContent[] = [];
  let done = 0;
  for (let at = text.indexOf("@"); at >= 0; at = text.indexOf("@", at + 1)) {
    if (at < done || (at > 0 && /[\p{L}\p{N}_]/u.test(text[at - 1] ?? ""))) continue;
    const name = names.find((candidate) => startsWithName(text.slice(at + 1), candidate));
    const suggestion = name === undefined ? undefined : index.named(name);
    if (name === undefined || suggestion === undefined) continue;
    if (at > done) pieces.push({ type: "text", text: text.slice(done, at) });
    pieces.push(mention(suggestion));
    done = at + 1 + name.length;
  }
  if (done < text.length) pieces.push({ type: "text", text: text.slice(done) });
  return pieces;
}

function startsWithName(text: string, name: string): boolean {
  if (name === "" || text.slice(0, name.length).toLocaleLowerCase("en") !== name.toLocaleLowerCase("en")) return false;
  return !/^[\p{L}\p{N}_]/u.test(text.slice(name.length));
}

export function mention(suggestion: { id: string; label: string; category: string }): JSONContent {
  return { type: "mention", attrs: { id: suggestion.id, label: suggestion.label, category: suggestion.category } };
}
