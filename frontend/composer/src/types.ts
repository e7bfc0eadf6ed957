/** What Python and the browser tell each other. Mirrors policypal/ui/widgets/tiptap_composer.py. */

import type { JSONContent } from "@tiptap/core";

export type Category = "action" | "set" | "document" | "web";

export interface Suggestion {
  id: string;
  label: string;
  category: Category;
  /** One line under the label, such as a version or how many documents a set holds. */
  detail: string;
  /** Other names it is found by; the one that fits what was typed is shown. */
  aliases: string[];
  /** "gold" (regulatory), "green" (company), "#RRGGBB" (a set's colour) or empty. */
  colour: string;
}

export interface ComposerData {
  /** The widget's key in Python; what was typed is kept under it while the page is open. */
  key: string;
  label: string;
  placeholder: string;
  disabled: boolean;
  /** Something is being worked on: the button that sends is one that stops. */
  stoppable: boolean;
  suggestions: Suggestion[];
  maxDocuments: number;
  maxCharacters: number;
  sendKey: "enter" | "mod+enter";
  fileTypes: string[];
  maxFiles: number;
  maxFileBytes: number;
  /** Nonces of the last submissions Python has received. */
  acknowledged: string[];
  /** Text to put into the editor once per revision; revision 0 means none. */
  draft: { revision: number; content: JSONContent };
}

export interface AttachedFile {
  name: string;
  size: number;
  base64: string;
}

export interface SubmissionPayload {
  nonce: string;
  content: JSONContent;
  files: { name: string; base64: string }[];
}

/** What Streamlit hands to a component of the second kind. */
export interface StreamlitComponent {
  data: ComposerData;
  parentElement: HTMLElement | ShadowRoot;
  setTriggerValue: (name: string, value: SubmissionPayload | true) => void;
}

export type Mount = (component: StreamlitComponent) => () => void;
