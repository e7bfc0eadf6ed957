/** Where the loader leaves the editor for the mounting script, whichever of the two runs first. */

import type { Mount } from "./types";

export interface Slot {
  ready: Promise<Mount>;
  resolve: (mount: Mount) => void;
}

export function slot(): Slot {
  const shared = globalThis as { __policypalComposer?: Slot };
  if (!shared.__policypalComposer) {
    let resolve: (mount: Mount) => void = () => undefined;
    const ready = new Promise<Mount>((done) => (resolve = done));
    shared.__policypalComposer = { ready, resolve };
  }
  return shared.__policypalComposer;
}
