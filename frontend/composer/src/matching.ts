/** Which suggestions fit what was typed after "@", in which order (U3). */

import type { Category, Suggestion } from "./types";

export const MOST_OPTIONS = 50;
const MOST_SETS_AMONG_OTHERS = 12;

export const SECTIONS: readonly { category: Category; icon: string; title: string }[] = [
  { category: "action", icon: "⚡", title: "Actions" },
  { category: "set", icon: "📁", title: "Sets" },
  { category: "document", icon: "📄", title: "Documents" },
  { category: "web", icon: "🌐", title: "Web Search" },
];

export interface Section {
  category: Category;
  icon: string;
  title: string;
  options: Suggestion[];
}

export interface Matches {
  sections: Section[];
  /** Matching suggestions that are not shown because the list is full. */
  hidden: number;
}

interface Entry {
  suggestion: Suggestion;
  label: string;
  words: string[];
}

/** Lower case, no accents, one space between words: "Résumé  A" and "resume a" are the same. */
export function normalised(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}+/gu, "").toLocaleLowerCase("en").replace(/\s+/gu, " ").trim();
}

function words(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
}

/** 0 is the best fit; null is none. */
function rank(entry: Entry, query: string, queryWords: string[]): number | null {
  if (entry.label.startsWith(query)) return 0;
  if (entry.label.includes(` ${query}`)) return 1;
  if (queryWords.length > 0 && queryWords.every((part) => entry.words.some((word) => word.startsWith(part)))) return 2;
  // "@websearch" finds "Web Search".
  if (entry.words.join("").startsWith(query)) return 3;
  return query.length > 1 && entry.label.includes(query) ? 4 : null;
}

export class SuggestionIndex {
  private readonly entries: Entry[];
  private readonly byLabel = new Map<string, Suggestion[]>();
  private readonly byTag = new Map<string, Suggestion>();

  constructor(suggestions: readonly Suggestion[]) {
    this.entries = suggestions.map((suggestion) => {
      const label = normalised(suggestion.label);
      return { suggestion, label, words: words(label) };
    });
    for (const { suggestion, label } of this.entries) {
      this.byLabel.set(label, [...(this.byLabel.get(label) ?? []), suggestion]);
      this.byTag.set(`${suggestion.category}:${suggestion.id}`, suggestion);
    }
  }

  find(category: string, id: string): Suggestion | undefined {
    return this.byTag.get(`${category}:${id}`);
  }

  /** The one suggestion with exactly this label; none if several share it. */
  named(label: string): Suggestion | undefined {
    const found = this.byLabel.get(normalised(label)) ?? [];
    return found.length === 1 ? found[0] : undefined;
  }

  /** Labels in the spelling people see, longest first. */
  labels(): string[] {
    return this.entries.map((entry) => entry.suggestion.label).sort((one, other) => other.length - one.length);
  }

  hasMatch(query: string): boolean {
    const wanted = normalised(query);
    const parts = words(wanted);
    return wanted === "" || this.entries.some((entry) => rank(entry, wanted, parts) !== null);
  }

  matches(query: string): Matches {
    const wanted = normalised(query);
    const parts = words(wanted);
    const ranked = this.entries
      .map((entry, position) => ({ entry, position, rank: wanted === "" ? 0 : rank(entry, wanted, parts) }))
      .filter((found): found is typeof found & { rank: number } => found.rank !== null)
      .sort((one, other) => one.rank - other.rank || one.position - other.position)
      .map((found) => found.entry.suggestion);
    return divided(ranked);
  }
}

/** At most {@link MOST_OPTIONS}: actions and web search always, some sets, and the rest for documents. */
function divided(ranked: Suggestion[]): Matches {
  const of = (category: Category) => ranked.filter((suggestion) => suggestion.category === category);
  const documents = of("document");
  const sets = of("set").slice(0, documents.length > 0 ? MOST_SETS_AMONG_OTHERS : MOST_OPTIONS);
  const fixed = of("action").length + of("web").length;
  const shown: Record<Category, Suggestion[]> = {
    action: of("action"),
    set: sets,
    document: documents.slice(0, Math.max(0, MOST_OPTIONS - fixed - sets.length)),
    web: of("web"),
  };
  const sections = SECTIONS.map((section) => ({ ...section, options: shown[section.category] }));
  const count = sections.reduce((sum, section) => sum + section.options.length, 0);
  return { sections: sections.filter((section) => section.options.length > 0), hidden: ranked.length - count };
}
