// Groups messages that differ only in their variable parts. Each message is a list of weighted tokens; a category keeps the tokens that all of its
// messages have in common, in order, and takes a message whose common tokens weigh enough.
import { checkTurn } from '../../common/turns/turn.ts';

/** Number of tokens of a message that are compared. */
const MAX_TOKENS = 100;

/** Names of days, months and time zones, which do not characterize a message. */
const STOP_WORDS = new Set(
  (
    'Monday Tuesday Wednesday Thursday Friday Saturday Sunday Mon Tue Wed Thu Fri Sat Sun January February March April May June July August ' +
    'September October November December Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec GMT UTC'
  ).split(' '),
);

/** A URL, a path, or a word with dots, hyphens and underscores inside. */
const TOKEN = /[A-Za-z][A-Za-z0-9+.-]{0,20}:\/\/[^\s"'<>]+|(?:[A-Za-z]:)?(?:[/\\][\w.-]+){2,}|[\p{L}\p{N}_][\p{L}\p{N}_.-]*/gu;
const HEX = /^(?:0x)?[0-9a-fA-F]+$/;
const STARTS_WITH_DIGIT = /^\p{N}/u;
const LETTERS = /^\p{L}+$/u;

/** The first line with letters, as words; numbers and hexadecimal numbers are left out. */
export function messageTokens(text: string): string[] {
  const line = text.split(/\r\n|\n|\r/).find((part) => /\p{L}/u.test(part)) ?? '';
  const tokens: string[] = [];
  for (const [match] of line.matchAll(TOKEN)) {
    const token = match.replace(/[.,:;_-]+$/, '');
    if (token === '' || STARTS_WITH_DIGIT.test(token) || STOP_WORDS.has(token)) continue;
    if (token.length > 1 && HEX.test(token) && /\d/.test(token)) continue;
    tokens.push(token);
    if (tokens.length === MAX_TOKENS) break;
  }
  return tokens;
}

/** Plain words are more typical of a kind of message than identifiers. */
function weightOf(token: string): number {
  return LETTERS.test(token) ? 3 : 1;
}

function total(tokens: readonly string[]): number {
  return tokens.reduce((sum, token) => sum + weightOf(token), 0);
}

export class Category {
  /** Tokens that all messages have in common, in order. */
  tokens: readonly string[];
  /** Length of the longest message. */
  longest = 0;
  /** Weight of the first message. */
  readonly weight: number;

  constructor(tokens: readonly string[]) {
    this.tokens = tokens;
    this.weight = total(tokens);
  }
}

/** Assigns messages to categories, in the order in which they arrive. */
export class Categories {
  readonly all: Category[] = [];
  /** Share of the weight, 0 to 1, that a message must have in common with its category. */
  readonly #threshold: number;
  readonly #byTokens = new Map<string, Category>();
  readonly #byToken = new Map<string, Set<Category>>();
  /** Called for each new category. */
  readonly #onNew: () => void;

  constructor(threshold: number, onNew: () => void) {
    this.#threshold = threshold;
    this.#onNew = onNew;
  }

  /** null for a message without tokens. */
  of(tokens: readonly string[], length: number): Category | null {
    if (tokens.length === 0) return null;
    const key = tokens.join('\0');
    let category = this.#byTokens.get(key);
    if (!category) {
      checkTurn();
      category = this.#nearest(tokens) ?? this.#create(tokens);
      this.#byTokens.set(key, category);
    }
    category.longest = Math.max(category.longest, length);
    return category;
  }

  #nearest(tokens: readonly string[]): Category | null {
    const weight = total(tokens);
    let best: { category: Category; common: string[]; similarity: number } | null = null;
    const seen = new Set<Category>();
    for (const token of tokens) {
      for (const category of this.#byToken.get(token) ?? []) {
        if (seen.has(category)) continue;
        seen.add(category);
        const heavier = Math.max(weight, category.weight);
        if (Math.min(weight, category.weight) < this.#threshold * heavier) continue;
        const common = commonTokens(category.tokens, tokens);
        const similarity = total(common) / heavier;
        if (similarity >= this.#threshold && (best === null || similarity > best.similarity)) best = { category, common, similarity };
      }
    }
    if (best === null) return null;
    const { category, common } = best;
    const kept = new Set(common);
    for (const token of category.tokens) if (!kept.has(token)) this.#byToken.get(token)?.delete(category);
    category.tokens = common;
    return category;
  }

  #create(tokens: readonly string[]): Category {
    this.#onNew();
    const category = new Category(tokens);
    this.all.push(category);
    for (const token of tokens) {
      const list = this.#byToken.get(token);
      if (list) list.add(category);
      else this.#byToken.set(token, new Set([category]));
    }
    return category;
  }
}

/** The heaviest common subsequence. */
export function commonTokens(a: readonly string[], b: readonly string[]): string[] {
  const width = b.length + 1;
  const best = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      const skip = Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
      best[i * width + j] = a[i] === b[j] ? Math.max(skip, best[(i + 1) * width + j + 1] + weightOf(a[i])) : skip;
    }
  }
  const common: string[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j] && best[i * width + j] === best[(i + 1) * width + j + 1] + weightOf(a[i])) {
      common.push(a[i]);
      i++;
      j++;
    } else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) i++;
    else j++;
  }
  return common;
}

/** A Java regular expression that matches the messages of a category. */
export function categoryRegex(tokens: readonly string[]): string {
  const words = tokens.map((token) => token.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`));
  return `.*?${words.join('.+?')}.*?`;
}
