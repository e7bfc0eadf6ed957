/** The message composer: TipTap with "@" tags, attachments, and delivery to Python (U3). */

import { Editor } from "@tiptap/core";
import { Document } from "@tiptap/extension-document";
import { HardBreak } from "@tiptap/extension-hard-break";
import { Paragraph } from "@tiptap/extension-paragraph";
import { Text } from "@tiptap/extension-text";
import { UndoRedo } from "@tiptap/extensions/undo-redo";
import { Fragment, Slice } from "@tiptap/pm/model";
import type { EditorView } from "@tiptap/pm/view";
import type { SuggestionProps } from "@tiptap/suggestion";

import { Attachments } from "./attachments";
import "./composer.css";
import { EMPTY, fromText, linked, mention, taggedDocuments } from "./content";
import { newNonce } from "./delivery";
import { Dropdown } from "./dropdown";
import { memoryOf, type Memory } from "./memory";
import { SuggestionIndex } from "./matching";
import { findTag, tags } from "./tags";
import type { ComposerData, Mount, StreamlitComponent, SubmissionPayload, Suggestion } from "./types";
import { asSend, parts, type Parts } from "./view";

let instances = 0;

class Composer {
  private readonly id = `ppc-${++instances}`;
  private readonly memory: Memory;
  private readonly attachments: Attachments;
  private readonly parts: Parts;
  private readonly dropdown: Dropdown;
  private readonly editor: Editor;
  private index: SuggestionIndex;
  private tag: SuggestionProps<Suggestion> | null = null;
  private notice = "";

  constructor(private component: StreamlitComponent) {
    const { data, parentElement } = component;
    this.memory = memoryOf(data.key);
    this.index = new SuggestionIndex(data.suggestions);
    this.attachments = new Attachments(data, () => this.changed(), (message) => this.tell(message));
    this.parts = parts(this.attachments.chips, this.attachments.button);
    this.dropdown = new Dropdown(`${this.id}-list`, this.parts.box, {
      chosen: (suggestion) => this.tag?.command(suggestion),
      refused: () => this.tell(this.limitMessage()),
      activated: (option) => this.describeActive(option),
    });
    this.parts.root.append(this.dropdown.node);
    parentElement.append(this.parts.root);
    this.editor = this.newEditor();
    this.attachments.replace(this.memory.files);
    this.parts.send.addEventListener("mousedown", (event) => event.preventDefault());
    this.parts.send.addEventListener("click", () => (this.data.stoppable ? this.stop() : this.submit()));
    this.memory.focused = true; // whoever opens a conversation writes next (U2b)
    this.update(component);
    if (!component.data.disabled) this.focusAgain();
  }

  /** New data from Python: everything but the text follows it; the text only when a draft of a new revision came. */
  update(component: StreamlitComponent): void {
    const suggestionsChanged = component.data.suggestions !== this.component.data.suggestions;
    this.component = component;
    const { data } = component;
    if (suggestionsChanged) this.index = new SuggestionIndex(data.suggestions);
    this.attachments.configure(data);
    this.memory.outbox.connect(
      (payload) => this.component.setTriggerValue("submit", payload),
      (payload) => this.putBack(payload),
    );
    this.memory.outbox.acknowledge(data.acknowledged);
    this.takeDraft(data);
    this.setDisabled(data.disabled);
    this.describe();
    if (this.tag) this.suggest(this.tag, true);
    this.refresh();
  }

  destroy(): void {
    this.memory.outbox.disconnect();
    this.dropdown.hide();
    this.editor.destroy();
    this.parts.root.remove();
  }

  private get data(): ComposerData {
    return this.component.data;
  }

  private newEditor(): Editor {
    return new Editor({
      element: this.parts.editor,
      extensions: [Document, Paragraph, Text, HardBreak, UndoRedo, this.tagExtension()],
      content: this.memory.content,
      injectCSS: false,
      enableInputRules: false,
      enablePasteRules: false,
      editorProps: {
        handleKeyDown: (_view, event) => this.key(event),
        handlePaste: (view, event) => this.take(view, event.clipboardData),
        handleDrop: (view, event, _slice, moved) => !moved && this.drop(view, event),
      },
      onUpdate: () => this.changed(),
      onSelectionUpdate: ({ editor }) => {
        const { from, to } = editor.state.selection;
        this.memory.selection = { from, to };
      },
      onFocus: () => (this.memory.focused = true),
      onBlur: () => this.left(),
    });
  }

  /** The caret went elsewhere, or the field was taken off the page or disabled: then it will want the caret back. */
  private left(): void {
    this.dropdown.hide();
    window.setTimeout(() => {
      if (this.parts.root.isConnected && !this.data.disabled) this.memory.focused = this.editor.isFocused;
    });
  }

  /** Not where a finger points: there the keyboard would cover half of the answer. */
  private focusAgain(): void {
    const { activeElement: active, body } = document;
    // a link or a button of the navigation has done its work when a conversation is open
    const elsewhere = active !== null && active !== body && !active.matches('[data-testid="stSidebar"] :is(a, button)');
    const byFinger = window.matchMedia("(pointer: coarse)").matches;
    if (!this.memory.focused || elsewhere || byFinger) return;
    this.editor.chain().setTextSelection(this.memory.selection).focus(null, { scrollIntoView: false }).run();
  }

  private tagExtension() {
    return tags(
      {
        char: "@",
        allowSpaces: true,
        findSuggestionMatch: ({ $position }) => findTag($position, (query) => this.index.hasMatch(query)),
        command: ({ editor, range, props }) => {
          const spaced = /^\s/u.test(editor.state.doc.textBetween(range.to, Math.min(range.to + 1, editor.state.doc.content.size)));
          const content = [mention(props), ...(spaced ? [] : [{ type: "text", text: " " }])];
          editor.chain().focus().insertContentAt(range, content).run();
        },
        render: () => ({
          onStart: (props) => this.suggest(props),
          onUpdate: (props) => this.suggest(props),
          onKeyDown: ({ event }) => this.dropdown.key(event),
          onExit: () => {
            this.tag = null;
            this.dropdown.hide();
          },
        }),
      },
      (category, id) => this.index.find(category, id)?.colour ?? "",
    );
  }

  private suggest(props: SuggestionProps<Suggestion>, keepActive = false): void {
    this.tag = props;
    const matches = this.index.matches(props.query);
    const tagged = taggedDocuments(this.editor.getJSON());
    const full = tagged.size >= this.data.maxDocuments;
    this.dropdown.show(matches, ({ category, id }) => category !== "document" || !full || tagged.has(id), keepActive);
    const count = this.dropdown.count + matches.hidden;
    this.parts.announcer.textContent = this.dropdown.isOpen ? `${count} ${count === 1 ? "suggestion" : "suggestions"}` : "";
  }

  private key(event: KeyboardEvent): boolean {
    if (event.key !== "Enter" || event.isComposing || event.keyCode === 229) return false; // 229: an input method is at work
    if (event.ctrlKey || event.metaKey) return this.submit();
    if (event.shiftKey || event.altKey || this.dropdown.isOpen || this.data.sendKey !== "enter") return false;
    return event.repeat || this.submit();
  }

  /** Plain text and files only; formatting and foreign markup stay outside. */
  private take(view: EditorView, transfer: DataTransfer | null, at?: number): boolean {
    const text = transfer?.getData("text/plain") ?? "";
    if (!text && transfer?.files.length) {
      if (!this.data.disabled) void this.attachments.add([...transfer.files]);
      return true;
    }
    const { schema, tr } = view.state;
    const paragraphs = (fromText(text).content ?? []).map((json) => schema.nodeFromJSON(json));
    const slice = new Slice(Fragment.fromArray(paragraphs), 1, 1);
    view.dispatch((at === undefined ? tr.replaceSelection(slice) : tr.replaceRange(at, at, slice)).scrollIntoView());
    return true;
  }

  private drop(view: EditorView, event: DragEvent): boolean {
    return this.take(view, event.dataTransfer, view.posAtCoords({ left: event.clientX, top: event.clientY })?.pos);
  }

  /** Always true: the key that asked for it is used up whether or not there was something to send. */
  private submit(): boolean {
    const { data } = this;
    if (data.disabled || this.isEmpty()) return true;
    const content = linked(this.editor.getJSON(), this.index);
    if (taggedDocuments(content).size > data.maxDocuments) this.editor.commands.setContent(content);
    if (this.problem()) {
      this.refresh();
      return true;
    }
    const files = this.attachments.current.map(({ name, base64 }) => ({ name, base64 }));
    this.clear();
    this.memory.outbox.post({ nonce: newNonce(), content, files });
    return true;
  }

  private stop(): void {
    this.component.setTriggerValue("stop", true);
  }

  private clear(): void {
    this.editor.chain().setContent(EMPTY).setMeta("addToHistory", false).run();
    this.attachments.replace([]);
    this.changed();
  }

  /** A message that could not be delivered comes back, unless something new was typed meanwhile. */
  private putBack(payload: SubmissionPayload): void {
    if (this.isEmpty()) {
      this.editor.commands.setContent(payload.content);
      this.attachments.replace(payload.files.map((file) => ({ ...file, size: Math.floor((file.base64.length * 3) / 4) })));
    }
    this.tell("The message was not delivered. Please send it again.");
  }

  private takeDraft(data: ComposerData): void {
    if (data.draft.revision <= this.memory.draftRevision) return;
    this.memory.draftRevision = data.draft.revision;
    this.editor.commands.setContent(data.draft.content);
    this.changed();
  }

  private setDisabled(disabled: boolean): void {
    if (disabled === !this.editor.isEditable) return;
    this.editor.setEditable(!disabled, false);
    if (disabled) this.dropdown.hide();
    else this.focusAgain();
  }

  private isEmpty(): boolean {
    return this.text().trim() === "";
  }

  private text(): string {
    return this.editor.getText({ blockSeparator: "\n" });
  }

  private changed(): void {
    this.memory.content = this.editor.getJSON();
    this.memory.files = this.attachments.current;
    this.notice = "";
    this.refresh();
  }

  private tell(message: string): void {
    this.notice = message;
    this.refresh();
  }

  private limitMessage(): string {
    return `Max ${this.data.maxDocuments} documents per query. Remove one to tag another.`;
  }

  private problem(): string {
    const { maxDocuments, maxCharacters } = this.data;
    const count = taggedDocuments(this.editor.getJSON()).size;
    if (count > maxDocuments) return `Max ${maxDocuments} documents per query; ${count} are tagged. Remove ${count - maxDocuments}.`;
    const over = this.text().length - maxCharacters;
    return over > 0 ? `The message is ${over} characters too long.` : "";
  }

  private statusText(): string {
    const count = taggedDocuments(this.editor.getJSON()).size;
    if (count === 0) return "";
    const { maxDocuments } = this.data;
    return count === maxDocuments ? `${count} of ${maxDocuments} documents: the limit is reached` : `${count} of ${maxDocuments} documents`;
  }

  /** Everything that follows from the text. */
  private refresh(): void {
    const { root, box, send, status } = this.parts;
    const problem = this.problem();
    const message = problem || this.notice || this.statusText();
    if (status.textContent !== message) status.textContent = message;
    status.classList.toggle("ppc-warning", Boolean(problem || this.notice));
    box.classList.toggle("ppc-empty", this.text() === "" && this.editor.isEmpty);
    root.classList.toggle("ppc-disabled", this.data.disabled);
    asSend(send, this.data.stoppable);
    send.disabled = !this.data.stoppable && (this.data.disabled || this.isEmpty() || Boolean(problem));
    this.attachments.button.disabled = this.data.disabled;
    this.attachments.chips.inert = this.data.disabled;
  }

  /** What a screen reader is told about the field: a combobox that opens a listbox. */
  private describe(): void {
    const { label, placeholder, disabled } = this.data;
    this.parts.editor.dataset.placeholder = placeholder;
    const described: Record<string, string> = {
      role: "combobox", "aria-label": label, "aria-description": placeholder, "aria-autocomplete": "list",
      "aria-haspopup": "listbox", "aria-controls": this.dropdown.node.id, "aria-disabled": String(disabled),
      "aria-expanded": String(this.dropdown.isOpen), spellcheck: "true", enterkeyhint: this.data.sendKey === "enter" ? "send" : "enter",
    }; // prettier-ignore
    for (const [name, value] of Object.entries(described)) this.editor.view.dom.setAttribute(name, value);
  }

  private describeActive(option: string | null): void {
    const { dom } = this.editor.view;
    dom.setAttribute("aria-expanded", String(option !== null));
    if (option === null) dom.removeAttribute("aria-activedescendant");
    else dom.setAttribute("aria-activedescendant", option);
  }
}

const mounted = new WeakMap<StreamlitComponent["parentElement"], { composer: Composer; calls: number }>();

/** Streamlit calls this for every change of data, and calls what it returned when the component leaves the page. */
const mountComposer: Mount = (component) => {
  const { parentElement } = component;
  const known = mounted.get(parentElement);
  if (known) known.composer.update(component);
  const current = known ?? { composer: new Composer(component), calls: 0 };
  mounted.set(parentElement, current);
  const call = ++current.calls;
  return () => {
    // An outdated call is cleaned up too; the composer goes only with the latest one.
    if (current.calls !== call || mounted.get(parentElement) !== current) return;
    mounted.delete(parentElement);
    current.composer.destroy();
  };
};

export default mountComposer;
