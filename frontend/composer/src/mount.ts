/**
 * The component Streamlit mounts. It is tiny because Streamlit sends a component's script again whenever its data
 * changes; the editor itself comes once, with a loader component whose message never changes.
 */

import type { Mount, StreamlitComponent } from "./types";

const PATIENCE_MS = 15_000;

interface Slot {
  ready: Promise<Mount>;
  resolve: (mount: Mount) => void;
}

/** Where the editor's module puts itself; shared by both scripts, whichever runs first. */
function slot(): Slot {
  const shared = globalThis as { __policypalComposer?: Slot };
  if (!shared.__policypalComposer) {
    let resolve: (mount: Mount) => void = () => undefined;
    const ready = new Promise<Mount>((done) => (resolve = done));
    shared.__policypalComposer = { ready, resolve };
  }
  return shared.__policypalComposer;
}

function tooLate(): Promise<never> {
  return new Promise((_, reject) =>
    setTimeout(() => reject(new Error("The message field could not be loaded. Please reload the page.")), PATIENCE_MS),
  );
}

export default async function mount(component: StreamlitComponent): Promise<() => void> {
  const mountComposer = await Promise.race([slot().ready, tooLate()]);
  return mountComposer(component);
}
