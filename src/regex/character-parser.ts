// The part of Java's regular expression syntax that denotes single characters: escapes, properties, bracketed classes. parser.ts parses the rest.
import { checkTurn } from '../common/turns/turn.ts';
import { ApiError } from '../errors/api-error.ts';
import { foldLiteral, foldRange } from './case-fold.ts';
import { CodePointSet, codePointAt } from './code-point-set.ts';
import { DIGIT, HORIZONTAL_SPACE, LINE_TERMINATORS, propertySet, SPACE, unicodeClass, VERTICAL_SPACE, WORD } from './properties.ts';
import { unquote } from './quotes.ts';
import { FLAG } from './syntax.ts';

/** Maximum nesting of groups and classes. */
const MAX_DEPTH = 500;
/** A part that is slow, such as a property without case, takes 50 µs. */
const STEPS_PER_CHECK_MASK = 63;

/** A position in a pattern with its flags, and readers of the characters there. */
export abstract class CharacterParser {
  protected at = 0;
  #depth = 0;
  #steps = 0;
  /** Letters without case by code point; below 0 if only ASCII counts. */
  readonly #folded = new Map<number, CodePointSet>();

  protected readonly pattern: string;

  readonly #source: string;

  /** @param source the original pattern, for errors */
  constructor(
    source: string,
    protected flags: number,
  ) {
    this.#source = source;
    this.pattern = flags & FLAG.LITERAL ? source : unquote(source);
  }

  /** Reads a construct that may contain others of its kind. @throws ApiError: too many levels */
  protected nested<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw this.unsupportedError(`more than ${MAX_DEPTH} levels`);
    const result = read();
    this.#depth--;
    return result;
  }

  protected has(flag: number): boolean {
    return (this.flags & flag) !== 0;
  }

  protected error(text: string, index: number): ApiError {
    let reason = text;
    if (index >= 0) {
      // Java counts code points here.
      const place = [...this.pattern.slice(0, index)].length + Math.max(0, index - this.pattern.length);
      reason += ` near index ${place}\n${this.#source}`;
      if (place < this.#source.length) reason += `\n${' '.repeat(place)}^`;
    } else reason += `\n${this.#source}`;
    return new ApiError('pattern_syntax_exception', 400, reason);
  }

  protected unsupportedError(what: string): ApiError {
    return new ApiError(
      'illegal_argument_exception',
      400,
      `regular expressions run in linear time here and cannot have ${what}: [${this.#source}]`,
    );
  }

  protected peek(): string {
    if (this.has(FLAG.COMMENTS)) this.skipComments();
    return this.pattern[this.at] ?? '';
  }

  protected skipComments(): void {
    for (;;) {
      const char = this.pattern[this.at];
      if (char === '#') while (this.at < this.pattern.length && !LINE_TERMINATORS.has(this.pattern.charCodeAt(this.at))) this.at++;
      else if (char !== undefined && SPACE.has(char.charCodeAt(0))) this.at++;
      else return;
    }
  }

  protected dot(): CodePointSet {
    if (this.has(FLAG.DOTALL)) return CodePointSet.ALL;
    return (this.has(FLAG.UNIX_LINES) ? CodePointSet.of([10, 10]) : LINE_TERMINATORS).negate();
  }

  /** Applies case-insensitivity to letters and ranges, if the flags ask for it. */
  protected cased(set: CodePointSet): CodePointSet {
    if (!this.has(FLAG.CASE_INSENSITIVE)) return set;
    const unicode = this.has(FLAG.UNICODE_CASE) || this.has(FLAG.UNICODE_CHARACTER_CLASS);
    const [first, last] = set.ranges;
    if (set.ranges.length !== 2 || first !== last) return foldRange(set, unicode);
    const key = unicode ? first : -1 - first;
    const known = this.#folded.get(key);
    if (known) return known;
    const folded = foldLiteral(first, unicode);
    this.#folded.set(key, folded);
    return folded;
  }

  /** To be called for each part of the pattern. @throws TooHeavy */
  protected step(): void {
    if ((++this.#steps & STEPS_PER_CHECK_MASK) === 0) checkTurn();
  }

  /** An escape that denotes characters; `one` is true for a literal. */
  protected escapeSet(): { set: CodePointSet; one: boolean } {
    const start = this.at;
    const char = this.pattern[start + 1];
    if (char === undefined) throw this.error('Unescaped trailing backslash', this.pattern.length);
    this.at += 2;
    const unicode = this.has(FLAG.UNICODE_CHARACTER_CLASS);
    const of = (set: CodePointSet, negate: boolean) => ({ set: negate ? set.negate() : set, one: false });
    const one = (cp: number) => ({ set: CodePointSet.single(cp), one: true });
    switch (char) {
      case 'd':
      case 'D':
        return of(unicode ? unicodeClass('d') : DIGIT, char === 'D');
      case 'w':
      case 'W':
        return of(unicode ? unicodeClass('w') : WORD, char === 'W');
      case 's':
      case 'S':
        return of(unicode ? unicodeClass('s') : SPACE, char === 'S');
      case 'h':
      case 'H':
        return of(HORIZONTAL_SPACE, char === 'H');
      case 'v':
      case 'V':
        return of(VERTICAL_SPACE, char === 'V');
      case 'p':
      case 'P':
        return of(this.property(), char === 'P');
      case 't':
        return one(9);
      case 'n':
        return one(10);
      case 'r':
        return one(13);
      case 'f':
        return one(12);
      case 'a':
        return one(7);
      case 'e':
        return one(27);
      case 'c':
        return one(this.pattern.charCodeAt(this.at++) ^ 64);
      case '0': {
        const match = /^([0-3][0-7]{0,2}|[0-7]{1,2})/.exec(this.pattern.slice(this.at));
        if (!match) throw this.error('Illegal octal escape sequence', this.at);
        this.at += match[0].length;
        return one(Number.parseInt(match[0], 8));
      }
      case 'x':
        return one(this.hexEscape());
      case 'u':
        return one(this.unicodeEscape());
      default: {
        if (/[A-Za-z0-9]/.test(char)) throw this.error('Illegal/unsupported escape sequence', start + 1);
        const cp = codePointAt(this.pattern, start + 1);
        this.at = start + 1 + (cp > 0xffff ? 2 : 1);
        return one(cp);
      }
    }
  }

  protected hexEscape(): number {
    const match = /^(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]+)\})/.exec(this.pattern.slice(this.at));
    const cp = match ? Number.parseInt(match[1] ?? match[2], 16) : Number.NaN;
    if (!match || cp > 0x10ffff) throw this.error('Illegal hexadecimal escape sequence', this.at);
    this.at += match[0].length;
    return cp;
  }

  protected unicodeEscape(): number {
    const unit = (): number => {
      const match = /^[0-9a-fA-F]{4}/.exec(this.pattern.slice(this.at));
      if (!match) throw this.error('Illegal Unicode escape sequence', this.at);
      this.at += 4;
      return Number.parseInt(match[0], 16);
    };
    const high = unit();
    if (high >= 0xd800 && high < 0xdc00 && /^\\u[dD][c-fC-F]/.test(this.pattern.slice(this.at))) {
      this.at += 2;
      return 0x10000 + ((high - 0xd800) << 10) + (unit() - 0xdc00);
    }
    return high;
  }

  protected property(): CodePointSet {
    let name = this.pattern[this.at] ?? '';
    if (name === '{') {
      const close = this.pattern.indexOf('}', this.at);
      if (close < 0) throw this.error('Unclosed character family', this.pattern.length - 1);
      name = this.pattern.slice(this.at + 1, close);
      if (name === '') throw this.error('Empty character family', this.at);
      this.at = close + 1;
    } else this.at++;
    const isCased = this.has(FLAG.CASE_INSENSITIVE);
    const set = propertySet(name, this.has(FLAG.UNICODE_CHARACTER_CLASS), isCased);
    if (!set) {
      if (name.startsWith('In')) throw this.error(`Unknown character block name {${name.slice(2)}}`, this.at - 1);
      if (name.startsWith('Is') || name.includes('='))
        throw this.error(`Unknown character property name {${name.replace(/^Is/, '')}}`, this.at - 1);
      throw this.error(`Unknown character property name {${name}}`, this.at - 1);
    }
    return set;
  }

  // --- character classes; `at` is after the opening bracket

  protected characterClass(): CodePointSet {
    let negate = false;
    if (this.pattern[this.at] === '^') {
      negate = true;
      this.at++;
    }
    let sets: CodePointSet[] = [];
    let pendingAnd: CodePointSet | null = null;
    let first = true;
    for (;;) {
      this.step();
      const char = this.peek();
      if (char === '') throw this.error('Unclosed character class', this.pattern.length - 1);
      if (char === ']' && !first) {
        this.at++;
        break;
      }
      if (char === '[') {
        this.at++;
        sets.push(this.nested(() => this.characterClass()));
      } else if (char === '&' && this.pattern[this.at + 1] === '&') {
        this.at += 2;
        // A class that starts with && is what follows it.
        const set = CodePointSet.unionOf(sets);
        if (!first) pendingAnd = pendingAnd ? (set.isEmpty ? pendingAnd : pendingAnd.intersect(set)) : set;
        sets = [];
        first = false;
        continue;
      } else sets.push(this.classRange());
      first = false;
    }
    let set = CodePointSet.unionOf(sets);
    if (pendingAnd) set = set.isEmpty ? pendingAnd : pendingAnd.intersect(set);
    return negate ? set.negate() : set;
  }

  protected classRange(): CodePointSet {
    const low = this.classAtom();
    if (!low.one) return low.set;
    const from = low.set.ranges[0];
    if (this.peek() === '-') {
      const next = this.pattern[this.at + 1];
      if (next !== undefined && next !== ']' && next !== '[') {
        this.at++;
        this.peek();
        const high = this.classAtom();
        if (!high.one)
          return this.cased(low.set)
            .union(CodePointSet.of([45, 45]))
            .union(high.set);
        const to = high.set.ranges[0];
        if (to < from) throw this.error('Illegal character range', this.at - 1);
        return this.cased(CodePointSet.of([from, to]));
      }
    }
    return this.cased(low.set);
  }

  protected classAtom(): { set: CodePointSet; one: boolean } {
    if (this.pattern[this.at] === '\\') {
      if (/[bBAzZGRXk]/.test(this.pattern[this.at + 1] ?? '')) throw this.error('Illegal/unsupported escape sequence', this.at + 1);
      return this.escapeSet();
    }
    const cp = this.pattern.codePointAt(this.at);
    if (cp === undefined) throw this.error('Unclosed character class', this.pattern.length - 1);
    this.at += cp > 0xffff ? 2 : 1;
    return { set: CodePointSet.single(cp), one: true };
  }
}
