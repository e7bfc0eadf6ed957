/** Which suggestions fit what was typed after "@", in which order (U3). */

import type { Category, Suggestion } from "./types";

export const MOST_OPTIONS = 50;
const MOST_SETS_AMONG_OTHERS = 12;

/** ``icon`` is a name in the one family of icons that the page has. */
export const SECTIONS: readonly { category: Category; icon: string; title: string }[] = [
  { category: "action", icon: "bolt", title: "Actions" },
  { category: "set", icon: "folder", title: "Sets" },
  { category: "document", icon: "description", title: "Documents" },
  { category: "web", icon: "public", title: "Web Search" },
];

/** A suggestion, and the alias it was found by where the label does not show why. */
export interface Match {
  suggestion: Suggestion;
  alias: string;
}

export interface Section {
  category: Category;
  icon: string;
  title: string;
  options: Match[];
}

export interface Matches {
  sections: Section[];
  /** Matching suggestions that are not shown because the list is full. */
  hidden: number;
}

interface Entry {
  suggestion: Suggestion;
  label: Name;
  aliases: Name[];
}

/** A label or another name, as it is searched. */
interface Name {
  shown: string;
  text: string;
  words: string[];
}

function nameOf(shown: string): Name {
  const text = normalised(shown);
  return { shown, text, words: words(text) };
}

/** Lower case, no accents, one space between words: "Résumé  A" and "resume a" are the same. */
export function normalised(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}+/gu, "").toLocaleLowerCase("en").replace(/\s+/gu, " ").trim();
}

function words(text: string): string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
}

/** "v2024" finds "Rulebook (2024)" as well as "Policy v2024". */
function startsWith(word: string, part: string): boolean {
  return word.startsWith(part) || (/^v\d/.test(part) && word.startsWith(part.slice(1)));
}

function everyPartBegins(wanted: Name, found: string[]): boolean {
  return wanted.words.length > 0 && wanted.words.every((part) => found.some((word) => startsWith(word, part)));
}

/**
 * 0 is the best fit; null is none. A whole name first, whichever it is; then what begins with the query, or has a word that
 * does; an alias counts after the title, and the two together after each.
 */
function rank({ label, aliases }: Entry, wanted: Name): number | null {
  const { text } = wanted;
  if (label.text === text || aliases.some((alias) => alias.text === text)) return 0;
  if (label.text.startsWith(text)) return 1;
  if (label.text.includes(` ${text}`)) return 2;
  if (aliases.some((alias) => alias.text.startsWith(text))) return 3;
  if (everyPartBegins(wanted, label.words)) return 4;
  if (everyPartBegins(wanted, [...label.words, ...aliases.flatMap((alias) => alias.words)])) return 5;
  // "@websearch" finds "Web Search".
  if (label.words.join("").startsWith(text)) return 6;
  return text.length > 1 && label.text.includes(text) ? 7 : null;
}

/** The alias that what was typed stands for, unless the title says it already. */
function meantAlias({ label, aliases }: Entry, wanted: Name): string {
  if (wanted.text === "" || label.text.includes(wanted.text) || everyPartBegins(wanted, label.words)) return "";
  const fits = (alias: Name) => alias.text.startsWith(wanted.text) || wanted.words.some((part) => alias.words.some((word) => startsWith(word, part)));
  return aliases.find(fits)?.shown ?? "";
}

export class SuggestionIndex {
  private readonly entries: Entry[];
  private readonly byName = new Map<string, Set<Suggestion>>();
  private readonly byTag = new Map<string, Suggestion>();

  constructor(suggestions: readonly Suggestion[]) {
    this.entries = suggestions.map((suggestion) => ({
      suggestion,
      label: nameOf(suggestion.label),
      aliases: suggestion.aliases.map(nameOf).filter((alias) => alias.text !== ""),
    }));
    for (const { suggestion, label, aliases } of this.entries) {
      for (const { text } of [label, ...aliases]) this.byName.set(text, (this.byName.get(text) ?? new Set()).add(suggestion));
      this.byTag.set(`${suggestion.category}:${suggestion.id}`, suggestion);
    }
  }

  find(category: string, id: string): Suggestion | undefined {
    return this.byTag.get(`${category}:${id}`);
  }

  /** The one suggestion called exactly this, by its label or an alias; none if several are. */
  named(name: string): Suggestion | undefined {
    const [found, ...others] = this.byName.get(normalised(name)) ?? [];
    return others.length === 0 ? found : undefined;
  }

  /** Labels and aliases in the spelling people see, longest first. */
  names(): string[] {
    const all = this.entries.flatMap(({ label, aliases }) => [label.shown, ...aliases.map((alias) => alias.shown)]);
    return all.sort((one, other) => other.length - one.length);
  }

  hasMatch(query: string): boolean {
    const wanted = nameOf(query);
    return wanted.text === "" || this.entries.some((entry) => rank(entry, wanted) !== null);
  }

  matches(query: string): Matches {
    const wanted = nameOf(query);
    const ranked = this.entries
      .map((entry, position) => ({ entry, position, rank: wanted.text === "" ? 0 : rank(entry, wanted) }))
      .filter((found): found is typeof found & { rank: number } => found.rank !== null)
      .sort((one, other) => one.rank - other.rank || one.position - other.position)
      .map(({ entry }) => ({ suggestion: entry.suggestion, alias: meantAlias(entry, wanted) }));
    return divided(ranked);
  }
}

/** At most {@link MOST_OPTIONS}: actions and web search always, some sets, and the rest for documents. */
function divided(ranked: Match[]): Matches {
  const of = (category: Category) => ranked.filter(({ suggestion }) => suggestion.category === category);
  const documents = of("document");
  const sets = of("set").slice(0, documents.length > 0 ? MOST_SETS_AMONG_OTHERS : MOST_OPTIONS);
  const fixed = of("action").length + of("web").length;
  const shown: Record<Category, Match[]> = {
    action: of("action"),
    set: sets,
    document: documents.slice(0, Math.max(0, MOST_OPTIONS - fixed - sets.length)),
    web: of("web"),
  };
  const sections = SECTIONS.map((section) => ({ ...section, options: shown[section.category] }));
  const count = sections.reduce((sum, section) => sum + section.options.length, 0);
  return { sections: sections.filter((section) => section.options.length > 0), hidden: ranked.length - count };
}
