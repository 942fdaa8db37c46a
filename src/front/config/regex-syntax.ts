// Parser of Perl-compatible regular expressions: string -> tree. Subjects are latin1, one character is one byte (PCRE without UTF mode).
// Recursion, conditions, callouts and verbs are refused by name.
import { present } from '../../common/present.ts';

export type RegexNode =
  | { type: 'set'; set: Uint8Array; literal?: string }
  | { type: 'seq'; items: RegexNode[] }
  | { type: 'alt'; items: RegexNode[] }
  | { type: 'repeat'; item: RegexNode; min: number; max: number; mode: 'greedy' | 'lazy' | 'possessive' }
  | { type: 'group'; item: RegexNode; index: number }
  | { type: 'atomic'; item: RegexNode }
  | { type: 'look'; item: RegexNode; ahead: boolean; negative: boolean }
  | { type: 'assert'; kind: 'start' | 'end' | 'word' | 'notWord' | 'lineStart' | 'lineEnd' | 'absEnd' | 'absStart' }
  | { type: 'backref'; index: number; ignoreCase: boolean };

export interface ParsedRegex {
  root: RegexNode;
  groupCount: number;
  names: Map<string, number>;
}

interface Flags {
  i: boolean;
  s: boolean;
  m: boolean;
  x: boolean;
}

class RegexSyntaxError extends Error {}

const setOf = (test: (c: number) => boolean): Uint8Array => Uint8Array.from({ length: 256 }, (_, c) => (test(c) ? 1 : 0));
const isDigit = (c: number) => c >= 48 && c <= 57;
const isAlpha = (c: number) => (c >= 65 && c <= 90) || (c >= 97 && c <= 122);
export const isWordByte = (c: number) => isDigit(c) || isAlpha(c) || c === 95;
const isSpace = (c: number) => c === 32 || (c >= 9 && c <= 13);

const CLASSES: Record<string, (c: number) => boolean> = {
  d: isDigit,
  w: isWordByte,
  s: isSpace,
  h: (c) => c === 9 || c === 32 || c === 160,
  v: (c) => (c >= 10 && c <= 13) || c === 133,
  N: (c) => c !== 10,
};
const POSIX: Record<string, (c: number) => boolean> = {
  alpha: isAlpha,
  digit: isDigit,
  alnum: (c) => isAlpha(c) || isDigit(c),
  upper: (c) => c >= 65 && c <= 90,
  lower: (c) => c >= 97 && c <= 122,
  space: isSpace,
  blank: (c) => c === 32 || c === 9,
  punct: (c) => c > 32 && c < 127 && !isAlpha(c) && !isDigit(c),
  xdigit: (c) => isDigit(c) || ((c | 32) >= 97 && (c | 32) <= 102),
  word: isWordByte,
  print: (c) => c >= 32 && c < 127,
  graph: (c) => c > 32 && c < 127,
  cntrl: (c) => c < 32 || c === 127,
  ascii: (c) => c < 128,
};

const swapCase = (c: number): number => (isAlpha(c) ? c ^ 32 : c);
const MAX_REPEAT = 65535;

/** @throws RegexSyntaxError */
export function parseRegex(source: string, ignoreCase: boolean): ParsedRegex {
  return new Parser(source, { i: ignoreCase, s: false, m: false, x: false }).parse();
}

class Parser {
  #pos = 0;
  #groups = 0;
  readonly #names = new Map<string, number>();
  readonly #nameRefs: { node: { index: number }; name: string }[] = [];

  readonly #src: string;
  #flags: Flags;

  constructor(src: string, flags: Flags) {
    this.#src = src;
    this.#flags = flags;
  }

  parse(): ParsedRegex {
    const root = this.#alternatives();
    if (this.#pos < this.#src.length) this.#fail('unmatched closing parenthesis');
    for (const { node, name } of this.#nameRefs) {
      const index = this.#names.get(name);
      if (index === undefined) this.#fail(`reference to non-existent subpattern "${name}"`);
      node.index = index;
    }
    return { root, groupCount: this.#groups, names: this.#names };
  }

  #fail(message: string): never {
    const rest = this.#src.slice(this.#pos);
    throw new RegexSyntaxError(`${message} in "${this.#src}"${rest === '' ? '' : ` at "${rest}"`}`);
  }

  #eat(token: string): boolean {
    if (!this.#src.startsWith(token, this.#pos)) return false;
    this.#pos += token.length;
    return true;
  }

  #alternatives(): RegexNode {
    const items = [this.#sequence()];
    while (this.#eat('|')) items.push(this.#sequence());
    return items.length === 1 ? items[0] : { type: 'alt', items };
  }

  #sequence(): RegexNode {
    const items: RegexNode[] = [];
    while (this.#pos < this.#src.length && this.#src[this.#pos] !== '|' && this.#src[this.#pos] !== ')') {
      if (this.#flags.x) {
        if (/\s/.test(this.#src[this.#pos])) {
          this.#pos++;
          continue;
        }
        if (this.#src[this.#pos] === '#') {
          const eol = this.#src.indexOf('\n', this.#pos);
          this.#pos = eol < 0 ? this.#src.length : eol + 1;
          continue;
        }
      }
      const atom = this.#atom();
      if (atom) items.push(...(Array.isArray(atom) ? atom : [this.#repeated(atom)]));
    }
    return items.length === 1 ? items[0] : { type: 'seq', items };
  }

  #repeated(item: RegexNode): RegexNode {
    for (;;) {
      let min: number;
      let max: number;
      const brace = /^\{(\d+)(,(\d*))?\}/.exec(this.#src.slice(this.#pos, this.#pos + 16));
      if (this.#eat('*')) [min, max] = [0, Infinity];
      else if (this.#eat('+')) [min, max] = [1, Infinity];
      else if (this.#eat('?')) [min, max] = [0, 1];
      else if (brace) {
        this.#pos += brace[0].length;
        min = Number(brace[1]);
        max = brace[2] === undefined ? min : brace[3] === '' ? Infinity : Number(brace[3]);
        if (min > MAX_REPEAT || (max !== Infinity && max > MAX_REPEAT) || max < min) this.#fail('numbers out of order in {} quantifier');
      } else return item;
      const mode = this.#eat('?') ? 'lazy' : this.#eat('+') ? 'possessive' : 'greedy';
      item = { type: 'repeat', item, min, max, mode };
    }
  }

  #char(c: number): RegexNode {
    const set = new Uint8Array(256);
    set[c & 255] = 1;
    if (this.#flags.i) set[swapCase(c & 255)] = 1;
    return { type: 'set', set, literal: String.fromCharCode(c & 255) };
  }

  #atom(): RegexNode | RegexNode[] | null {
    const c = this.#src[this.#pos++];
    switch (c) {
      case '.':
        return { type: 'set', set: setOf(this.#flags.s ? () => true : (b) => b !== 10) };
      case '^':
        return { type: 'assert', kind: this.#flags.m ? 'lineStart' : 'start' };
      case '$':
        return { type: 'assert', kind: this.#flags.m ? 'lineEnd' : 'end' };
      case '[':
        return this.#charClass();
      case '(':
        return this.#group();
      case '\\':
        return this.#escape();
      case '*':
      case '+':
      case '?':
        this.#pos--;
        return this.#fail('quantifier does not follow a repeatable item');
      default:
        return this.#char(c.charCodeAt(0));
    }
  }

  #group(): RegexNode | null {
    const outer = { ...this.#flags };
    const close = (node: RegexNode): RegexNode => {
      if (!this.#eat(')')) this.#fail('missing closing parenthesis');
      this.#flags = outer;
      return node;
    };
    if (!this.#eat('?')) {
      if (this.#src[this.#pos] === '*') this.#fail('verbs are not supported');
      const index = ++this.#groups;
      return close({ type: 'group', item: this.#alternatives(), index });
    }
    if (this.#eat('#')) {
      const end = this.#src.indexOf(')', this.#pos);
      if (end < 0) this.#fail('missing ) after (?# comment');
      this.#pos = end + 1;
      return null;
    }
    if (this.#eat(':')) return close(this.#alternatives());
    if (this.#eat('>')) return close({ type: 'atomic', item: this.#alternatives() });
    if (this.#eat('=')) return close({ type: 'look', ahead: true, negative: false, item: this.#alternatives() });
    if (this.#eat('!')) return close({ type: 'look', ahead: true, negative: true, item: this.#alternatives() });
    if (this.#eat('<=')) return close({ type: 'look', ahead: false, negative: false, item: this.#alternatives() });
    if (this.#eat('<!')) return close({ type: 'look', ahead: false, negative: true, item: this.#alternatives() });
    const rest = this.#src.slice(this.#pos);
    const backref = /^P=(\w+)\)/.exec(rest);
    if (backref) {
      this.#pos += backref[0].length;
      return this.#nameRef(backref[1]);
    }
    const named = /^(?:P?<(\w+)>|'(\w+)')/.exec(rest);
    if (named) {
      this.#pos += named[0].length;
      const index = ++this.#groups;
      const name = named[1] ?? named[2];
      if (/^\d/.test(name)) this.#fail('subpattern name must start with a non-digit');
      if (this.#names.has(name)) this.#fail('two named subpatterns have the same name');
      this.#names.set(name, index);
      return close({ type: 'group', item: this.#alternatives(), index });
    }
    const flags = /^([imsx]*)(?:-([imsx]*))?([:)])/.exec(rest);
    if (!flags) this.#fail('unsupported group (recursion, condition or callout)');
    this.#pos += flags[0].length;
    for (const f of flags[1]) this.#flags[f as keyof Flags] = true;
    for (const f of flags[2] ?? '') this.#flags[f as keyof Flags] = false;
    if (flags[3] === ')') return null; // holds until the end of the enclosing group, which restores its own flags
    return close(this.#alternatives());
  }

  #nameRef(name: string): RegexNode {
    const node = { type: 'backref' as const, index: 0, ignoreCase: this.#flags.i };
    this.#nameRefs.push({ node, name });
    return node;
  }

  #escape(): RegexNode | RegexNode[] | null {
    if (this.#pos >= this.#src.length) this.#fail('\\ at end of pattern');
    const c = this.#src[this.#pos];
    const asserts = { b: 'word', B: 'notWord', A: 'absStart', z: 'absEnd', Z: 'end', G: 'absStart' } as const;
    if (c in asserts) {
      this.#pos++;
      return { type: 'assert', kind: asserts[c as keyof typeof asserts] };
    }
    if (this.#eat('Q')) {
      const end = this.#src.indexOf('\\E', this.#pos);
      const literal = this.#src.slice(this.#pos, end < 0 ? undefined : end);
      this.#pos = end < 0 ? this.#src.length : end + 2;
      const items = [...literal].map((ch) => this.#char(ch.charCodeAt(0)));
      const last = items.pop();
      return (last && [...items, this.#repeated(last)]) ?? null;
    }
    if (this.#eat('E')) return null;
    const named = /^k(?:<(\w+)>|\{(\w+)\}|'(\w+)')/.exec(this.#src.slice(this.#pos));
    if (named) {
      this.#pos += named[0].length;
      return this.#nameRef(named[1] ?? named[2] ?? named[3]);
    }
    const number = /^(?:([1-9]\d*)|g(?:(\d+)|\{(-?\d+)\}))/.exec(this.#src.slice(this.#pos));
    if (number && (number[1] === undefined || number[1].length === 1 || Number(number[1]) <= this.#groups)) {
      this.#pos += number[0].length;
      const n = Number(number[1] ?? number[2] ?? number[3]);
      return { type: 'backref', index: n < 0 ? this.#groups + 1 + n : n, ignoreCase: this.#flags.i };
    }
    if (this.#eat('K') || this.#eat('R') || this.#eat('X') || this.#eat('C')) {
      this.#fail(`\\${this.#src[this.#pos - 1]} is not supported`);
    }
    const cls = this.#classEscape();
    if (typeof cls === 'number') return this.#char(cls);
    return { type: 'set', set: cls };
  }

  /** The part after a backslash: a byte value, or the set of `\d` and the like. */
  #classEscape(): number | Uint8Array {
    const c = this.#src[this.#pos++];
    const lower = c.toLowerCase();
    if ((lower in CLASSES && c !== 'n') || c === 'N') {
      const test = CLASSES[c === 'N' ? 'N' : lower];
      return setOf(c === lower || c === 'N' ? test : (b) => !test(b));
    }
    if (lower === 'p') return this.#property(c === 'P');
    const simple: Record<string, number> = { n: 10, r: 13, t: 9, f: 12, a: 7, e: 27, 0: 0 };
    if (c === 'x') {
      const hex = present(/^(?:\{([0-9A-Fa-f]{1,2})\}|([0-9A-Fa-f]{0,2}))/.exec(this.#src.slice(this.#pos, this.#pos + 4)));
      this.#pos += hex[0].length;
      return Number.parseInt(hex[1] ?? (hex[2] || '0'), 16);
    }
    if (c in simple) return simple[c];
    if (/[A-Za-z]/.test(c)) this.#fail(`unrecognized character follows \\`);
    return c.charCodeAt(0);
  }

  /** `\p{N}`, `\pL`, `\p{^L}`: Unicode properties of the first 256 characters. */
  #property(negated: boolean): Uint8Array {
    const m = /^(?:\{(\^?)([A-Za-z_&]+)\}|([A-Za-z]))/.exec(this.#src.slice(this.#pos));
    if (!m) this.#fail('malformed \\P or \\p sequence');
    this.#pos += m[0].length;
    let test: RegExp;
    try {
      test = new RegExp(`^\\p{${m[2] ?? m[3]}}$`, 'u');
    } catch {
      return this.#fail('unknown property after \\P or \\p');
    }
    return setOf((b) => test.test(String.fromCharCode(b)) !== (negated !== (m[1] === '^')));
  }

  #charClass(): RegexNode {
    const negative = this.#eat('^');
    const set = new Uint8Array(256);
    let first = true;
    for (;;) {
      if (this.#pos >= this.#src.length) this.#fail('missing terminating ] for character class');
      if (!first && this.#eat(']')) break;
      first = false;
      const posix = /^\[:(\^?)(\w+):\]/.exec(this.#src.slice(this.#pos, this.#pos + 16));
      if (posix) {
        const test = POSIX[posix[2]];
        if (!test) this.#fail('unknown POSIX class name');
        this.#pos += posix[0].length;
        for (let b = 0; b < 256; b++) if (test(b) !== (posix[1] === '^')) set[b] = 1;
        continue;
      }
      const low = this.#classItem();
      if (typeof low !== 'number') {
        for (let b = 0; b < 256; b++) set[b] |= low[b];
        continue;
      }
      let high = low;
      if (this.#src[this.#pos] === '-' && this.#src[this.#pos + 1] !== ']' && this.#pos + 1 < this.#src.length) {
        this.#pos++;
        const end = this.#classItem();
        if (typeof end !== 'number') {
          set[45] = 1;
          for (let b = 0; b < 256; b++) set[b] |= end[b];
        } else {
          high = end;
          if (high < low) this.#fail('range out of order in character class');
        }
      }
      for (let b = low; b <= high; b++) set[b] = 1;
    }
    if (this.#flags.i) for (let b = 0; b < 256; b++) if (set[b]) set[swapCase(b)] = 1;
    return { type: 'set', set: negative ? set.map((v) => 1 - v) : set };
  }

  #classItem(): number | Uint8Array {
    if (!this.#eat('\\')) return this.#src.charCodeAt(this.#pos++) & 255;
    if (this.#pos >= this.#src.length) this.#fail('\\ at end of pattern');
    if (this.#eat('b')) return 8;
    return this.#classEscape();
  }
}
