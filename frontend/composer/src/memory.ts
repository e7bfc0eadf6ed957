/** What was typed under a key outlives the component: Streamlit may take it off the page and put it back. */

import type { JSONContent } from "@tiptap/core";

import { EMPTY } from "./content";
import { Outbox } from "./delivery";
import type { AttachedFile } from "./types";

export interface Memory {
  content: JSONContent;
  files: AttachedFile[];
  selection: { from: number; to: number };
  /** Whether the caret was in it, so that it comes back there. */
  focused: boolean;
  draftRevision: number;
  outbox: Outbox;
}

const memories = new Map<string, Memory>();

export function memoryOf(key: string): Memory {
  const known = memories.get(key);
  if (known) return known;
  const fresh: Memory = {
    content: EMPTY,
    files: [],
    selection: { from: 1, to: 1 },
    focused: false,
    draftRevision: 0,
    outbox: new Outbox(),
  };
  memories.set(key, fresh);
  return fresh;
}
