/**
 * The component Streamlit mounts. It is tiny because Streamlit sends a component's script again whenever its data
 * changes; the editor itself comes once, with a loader component whose message never changes.
 */

import { slot } from "./slot";
import type { StreamlitComponent } from "./types";

const PATIENCE_MS = 20_000;

function tooLate(): Promise<never> {
  const problem = new Error("The message field could not be loaded. Please reload the page.");
  return new Promise((_, reject) => setTimeout(() => reject(problem), PATIENCE_MS));
}

export default async function mount(component: StreamlitComponent): Promise<() => void> {
  const mountComposer = await Promise.race([slot().ready, tooLate()]);
  return mountComposer(component);
}
