/** Files attached to a message: chosen, dropped or pasted; read in the browser and sent with the message (U3). */

import { element } from "./accent";
import type { AttachedFile } from "./types";

export interface AttachmentRules {
  fileTypes: string[];
  maxFiles: number;
  maxFileBytes: number;
}

export class Attachments {
  readonly chips = element("div", "ppc-files");
  readonly button = element("button", "ppc-attach");
  private readonly input = element("input", "ppc-file-input");
  private files: AttachedFile[] = [];

  constructor(
    private rules: AttachmentRules,
    private readonly changed: () => void,
    private readonly told: (message: string) => void,
  ) {
    this.button.type = "button";
    this.button.title = "Attach a draft";
    this.button.setAttribute("aria-label", "Attach a draft");
    this.button.append(paperclip(), this.input);
    this.button.addEventListener("click", () => this.input.click());
    this.input.type = "file";
    this.input.hidden = true;
    this.input.tabIndex = -1;
    this.input.addEventListener("click", (event) => event.stopPropagation());
    this.input.addEventListener("change", () => {
      void this.add([...(this.input.files ?? [])]);
      this.input.value = "";
    });
    this.configure(rules);
  }

  configure(rules: AttachmentRules): void {
    this.rules = rules;
    this.input.accept = rules.fileTypes.map((type) => `.${type}`).join(",");
    this.input.multiple = rules.maxFiles > 1;
    this.button.hidden = rules.maxFiles === 0;
  }

  get current(): AttachedFile[] {
    return [...this.files];
  }

  replace(files: AttachedFile[]): void {
    this.files = [...files];
    this.render();
  }

  async add(chosen: File[]): Promise<void> {
    const problems: string[] = [];
    for (const file of chosen) {
      const problem = this.problem(file);
      if (problem) problems.push(problem);
      else await this.read(file).catch(() => problems.push(`“${file.name}” could not be read.`));
    }
    this.render();
    this.changed();
    if (problems.length > 0) this.told(problems.join(" "));
  }

  private async read(file: File): Promise<void> {
    this.files.push({ name: file.name, size: file.size, base64: await base64(file) });
  }

  private problem(file: File): string {
    const { fileTypes, maxFiles, maxFileBytes } = this.rules;
    const type = file.name.split(".").pop()?.toLowerCase() ?? "";
    if (this.files.length >= maxFiles) {
      return maxFiles === 1 ? "Only one file can be attached. Remove it to attach another." : `At most ${maxFiles} files can be attached.`;
    }
    if (!fileTypes.includes(type)) return `“${file.name}” cannot be attached. Possible: ${fileTypes.join(", ")}.`;
    if (file.size > maxFileBytes) return `“${file.name}” is larger than ${size(maxFileBytes)}.`;
    return file.size === 0 ? `“${file.name}” is empty.` : "";
  }

  private render(): void {
    this.chips.replaceChildren(...this.files.map((file) => this.chip(file)));
    this.chips.hidden = this.files.length === 0;
  }

  private chip(file: AttachedFile): HTMLElement {
    const chip = element("span", "ppc-file");
    const name = element("span", "ppc-file-name", file.name);
    name.dir = "auto";
    const remove = element("button", "ppc-file-remove", "×");
    remove.type = "button";
    remove.setAttribute("aria-label", `Remove ${file.name}`);
    remove.addEventListener("click", () => {
      this.files = this.files.filter((other) => other !== file);
      this.render();
      this.changed();
    });
    chip.append(name, element("span", "ppc-file-size", size(file.size)), remove);
    return chip;
  }
}

function size(bytes: number): string {
  return bytes >= 1_000_000 ? `${Math.round(bytes / 100_000) / 10} MB` : `${Math.max(1, Math.round(bytes / 1000))} kB`;
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).split(",", 2)[1] ?? "");
    reader.onerror = () => reject(reader.error ?? new Error("unreadable"));
    reader.readAsDataURL(file);
  });
}

function paperclip(): SVGSVGElement {
  return drawing("M8 12.5l6.2-6.2a3 3 0 0 1 4.3 4.3l-8 8a5 5 0 0 1-7.1-7.1l7.6-7.6");
}

/** A 24 × 24 line drawing that takes the colour of the text. */
export function drawing(path: string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}
