// The lenient syntax of simple_query_string: + | - "phrase"~N word~N prefix* ( ), each enabled by a flag. Never fails: input that
// is not valid syntax is ignored. Source: behaviour of org.apache.lucene.queryparser.simple.SimpleQueryParser (Apache Lucene), written anew.

export const SIMPLE_FLAGS: Readonly<Record<string, number>> = {
  AND: 1,
  NOT: 2,
  OR: 4,
  PREFIX: 8,
  PHRASE: 16,
  PRECEDENCE: 32,
  ESCAPE: 64,
  WHITESPACE: 128,
  FUZZY: 256,
  NEAR: 512,
  SLOP: 512,
  ALL: -1,
  NONE: 0,
};

export type SimpleSyntaxNode =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'prefix'; readonly text: string }
  | { readonly kind: 'fuzzy'; readonly text: string; readonly edits: number }
  | { readonly kind: 'phrase'; readonly text: string; readonly slop: number }
  /** Everything that the inner node does not match. */
  | { readonly kind: 'not'; readonly inner: SimpleSyntaxNode }
  | { readonly kind: 'group'; readonly operator: 'and' | 'or'; readonly clauses: readonly SimpleSyntaxNode[] }
  | { readonly kind: 'all' };

const MAX_DEPTH = 100;
const MAX_EDITS = 2;

interface State {
  at: number;
  readonly end: number;
  top: SimpleSyntaxNode | null;
  /** Clauses of the group in `top`, extended as they are parsed. */
  clauses: SimpleSyntaxNode[];
  current: 'and' | 'or' | null;
  previous: 'and' | 'or' | null;
  negations: number;
}

/** @returns null if nothing is left to search for */
export function parseSimpleSyntax(text: string, flags: number, defaultOperator: 'and' | 'or'): SimpleSyntaxNode | null {
  if (text.trim() === '*') return { kind: 'all' };
  return new SimpleParser(text, flags, defaultOperator).parse(0, text.length, 0);
}

class SimpleParser {
  readonly #text: string;
  readonly #flags: number;
  readonly #defaultOperator: 'and' | 'or';

  constructor(text: string, flags: number, defaultOperator: 'and' | 'or') {
    this.#text = text;
    this.#flags = flags;
    this.#defaultOperator = defaultOperator;
  }

  #has(flag: keyof typeof SIMPLE_FLAGS): boolean {
    return (this.#flags & SIMPLE_FLAGS[flag]) !== 0;
  }

  parse(from: number, end: number, depth: number): SimpleSyntaxNode | null {
    const state: State = { at: from, end, top: null, clauses: [], current: null, previous: null, negations: 0 };
    while (state.at < end) {
      const char = this.#text[state.at];
      if (char === '(' && this.#has('PRECEDENCE')) this.#group(state, depth);
      else if (char === ')' && this.#has('PRECEDENCE')) state.at++;
      else if (char === '"' && this.#has('PHRASE')) this.#phrase(state);
      else if ((char === '+' && this.#has('AND')) || (char === '|' && this.#has('OR'))) {
        if (state.current === null && state.top !== null) state.current = char === '+' ? 'and' : 'or';
        state.at++;
      } else if (char === '-' && this.#has('NOT')) {
        state.negations++;
        state.at++;
        continue;
      } else if (/[ \t\n\r]/.test(char) && this.#has('WHITESPACE')) state.at++;
      else this.#word(state);
      state.negations = 0;
    }
    return state.top;
  }

  #group(state: State, depth: number): void {
    const start = ++state.at;
    let open = 1;
    let at = start;
    for (; at < state.end; at++) {
      const char = this.#text[at];
      if (char === '\\' && this.#has('ESCAPE')) at++;
      else if (char === '(') open++;
      else if (char === ')' && --open === 0) break;
    }
    if (at >= state.end || depth >= MAX_DEPTH) {
      state.at = start;
    } else if (at === start) {
      state.current = null;
      state.at = at + 1;
    } else {
      this.#add(state, this.parse(start, at, depth + 1));
      state.at = at + 1;
    }
  }

  #phrase(state: State): void {
    const start = ++state.at;
    let phrase = '';
    let at = start;
    for (; at < state.end; at++) {
      const char = this.#text[at];
      if (char === '\\' && this.#has('ESCAPE')) {
        if (++at < state.end) phrase += this.#text[at];
        continue;
      }
      if (char === '"') break;
      phrase += char;
    }
    if (at >= state.end) {
      state.at = start;
      return;
    }
    if (at === start) {
      state.current = null;
      state.at = at + 1;
      return;
    }
    state.at = at;
    let slop = 0;
    if (at + 1 < state.end && this.#text[at + 1] === '~' && this.#has('NEAR')) {
      state.at++;
      if (at + 2 < state.end) slop = this.#number(state);
    }
    this.#add(state, { kind: 'phrase', text: phrase, slop });
    state.at++;
  }

  #word(state: State): void {
    let word = '';
    let isPrefix = false;
    let isFuzzy = false;
    while (state.at < state.end) {
      const char = this.#text[state.at];
      if (char === '\\' && this.#has('ESCAPE')) {
        isPrefix = false;
        state.at++;
        if (state.at < state.end) word += this.#text[state.at++];
        continue;
      }
      if (this.#ends(char)) break;
      if (word !== '' && char === '~' && this.#has('FUZZY')) {
        isFuzzy = true;
        break;
      }
      isPrefix = word !== '' && char === '*' && this.#has('PREFIX');
      word += char;
      state.at++;
    }
    if (word === '') {
      // An operator whose flag is off never gets here; this only guards against an endless loop.
      if (state.at < state.end && !isFuzzy) state.at++;
      return;
    }
    if (isFuzzy) {
      const edits = Math.min(this.#number(state), MAX_EDITS);
      this.#add(state, edits === 0 ? { kind: 'word', text: word } : { kind: 'fuzzy', text: word, edits });
    } else if (isPrefix) this.#add(state, { kind: 'prefix', text: word.slice(0, -1) });
    else this.#add(state, { kind: 'word', text: word });
  }

  #ends(char: string): boolean {
    return (
      (char === '"' && this.#has('PHRASE')) ||
      (char === '|' && this.#has('OR')) ||
      (char === '+' && this.#has('AND')) ||
      ((char === '(' || char === ')') && this.#has('PRECEDENCE')) ||
      (/[ \t\n\r]/.test(char) && this.#has('WHITESPACE'))
    );
  }

  /** The number after a tilde: 2 if it is missing, 0 if it is not a number. */
  #number(state: State): number {
    let digits = '';
    state.at++;
    while (state.at < state.end && !this.#ends(this.#text[state.at])) digits += this.#text[state.at++];
    if (digits === '') return 2;
    return /^[+]?\d+$/.test(digits) ? Number(digits) : 0;
  }

  #add(state: State, node: SimpleSyntaxNode | null): void {
    if (!node) return;
    const branch: SimpleSyntaxNode = state.negations % 2 === 1 ? { kind: 'not', inner: node } : node;
    if (state.top === null) {
      state.top = branch;
    } else {
      const operator = state.current ?? this.#defaultOperator;
      if (state.previous !== operator) {
        state.clauses = [state.top];
        state.top = { kind: 'group', operator, clauses: state.clauses };
      }
      state.clauses.push(branch);
      state.previous = operator;
    }
    state.current = null;
  }
}
