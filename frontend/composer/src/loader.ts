/** Brings the editor to the page once and hands it to every composer that is mounted. */

import mountComposer from "./composer";
import { slot } from "./slot";

slot().resolve(mountComposer);

/** The loader itself shows nothing. */
export default function load(): void {}
