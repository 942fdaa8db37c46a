// Reads the elements of Lucene's regular expression syntax that denote characters and numbers. lucene-pattern.ts (longest matches in a text) and
// lucene-automaton.ts (whole terms, with complement and intersection) parse the operators, each to its own form of an expression.
// Positions in errors count UTF-16 units, as in Lucene. Source: org.apache.lucene.util.automaton.RegExp (Apache Lucene).
import { illegalArgumentError } from '../errors/catalog.ts';
import { CodePointSet } from './code-point-set.ts';
import { DIGIT, WORD } from './properties.ts';

/** Unlike Java's, without vertical tab and form feed. */
const SPACE = CodePointSet.of([9, 10], [13, 13], [32, 32]);
const PREDEFINED: Readonly<Record<string, CodePointSet>> = {
  d: DIGIT,
  D: DIGIT.negate(),
  s: SPACE,
  S: SPACE.negate(),
  w: WORD,
  W: WORD.negate(),
};
const MAX_NESTING = 200;

/** @typeParam Node  form of a parsed expression */
export abstract class LuceneReader<Node> {
  protected at = 0;
  #nesting = 0;
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  protected get hasMore(): boolean {
    return this.at < this.#source.length;
  }

  /** An expression without `|` around it. */
  protected abstract intersection(): Node;
  /** One or more expressions, any of which may match. */
  protected abstract alternatives(parts: Node[]): Node;

  /** The whole expression. @throws ApiError illegal_argument_exception: something follows it */
  protected whole(): Node {
    const node = this.union();
    if (this.hasMore) throw illegalArgumentError(`end-of-string expected at position ${this.at}`);
    return node;
  }

  protected union(): Node {
    return this.nested(() => {
      const parts = [this.intersection()];
      while (this.match('|')) parts.push(this.intersection());
      return this.alternatives(parts);
    });
  }

  /** An expression in parentheses, after the opening one; null if they are empty. */
  protected group(): Node | null {
    if (this.match(')')) return null;
    const node = this.union();
    if (!this.match(')')) throw illegalArgumentError(`expected ')' at position ${this.at}`);
    return node;
  }

  /** Whether the next character is one of `chars`. */
  protected peek(chars: string): boolean {
    return this.hasMore && chars.includes(this.#source[this.at]);
  }

  /** Consumes the next character if it is `char`. */
  protected match(char: string): boolean {
    if (this.#source[this.at] !== char) return false;
    this.at++;
    return true;
  }

  /** Consumes a code point. @throws ApiError illegal_argument_exception: the end of the expression */
  protected next(): number {
    const cp = this.#source.codePointAt(this.at);
    if (cp === undefined) throw illegalArgumentError('unexpected end-of-string');
    this.at += cp > 0xffff ? 2 : 1;
    return cp;
  }

  /** Reads a construct that may contain others of its kind. @throws ApiError illegal_argument_exception: too many levels */
  protected nested<T>(read: () => T): T {
    if (++this.#nesting > MAX_NESTING) throw illegalArgumentError(`regular expression is nested deeper than ${MAX_NESTING}`);
    const result = read();
    this.#nesting--;
    return result;
  }

  protected integer(): number {
    const match = /^\d+/.exec(this.#source.slice(this.at));
    if (!match) throw illegalArgumentError(`integer expected at position ${this.at}`);
    this.at += match[0].length;
    return Number(match[0]);
  }

  /** `{n}`, `{n,}` and `{n,m}` after the opening brace; an open end is infinite. */
  protected repetition(): { min: number; max: number } {
    const min = this.integer();
    let max = min;
    if (this.match(',')) max = this.peek('0123456789') ? this.integer() : Number.POSITIVE_INFINITY;
    if (!this.match('}')) throw illegalArgumentError(`expected '}' at position ${this.at}`);
    if (min > max) throw illegalArgumentError(`invalid repetition range(out of order): ${min}..${max}`);
    return { min, max };
  }

  /** A literal character, possibly escaped. */
  protected character(): number {
    this.match('\\');
    return this.next();
  }

  /** `\d` and the like; null if there is none. */
  protected predefined(): CodePointSet | null {
    if (this.#source[this.at] !== '\\') return null;
    const set = PREDEFINED[this.#source[this.at + 1] ?? ''];
    if (!set) return null;
    this.at += 2;
    return set;
  }

  /** Code points that match a range of a class. */
  protected rangeSet(from: number, to: number, _isNegated: boolean): CodePointSet {
    return CodePointSet.of([from, to]);
  }

  /** A class in brackets, after the opening one. */
  protected characterClass(): CodePointSet {
    const isNegated = this.match('^');
    const sets: CodePointSet[] = [];
    do {
      const predefined = this.predefined();
      if (predefined) {
        sets.push(predefined);
        continue;
      }
      const from = this.character();
      const to = this.isRange() ? this.character() : from;
      if (from > to) throw illegalArgumentError(`invalid range: from (${from}) cannot be > to (${to})`);
      sets.push(this.rangeSet(from, to, isNegated));
    } while (this.hasMore && !this.peek(']'));
    if (!this.match(']')) throw illegalArgumentError(`expected ']' at position ${this.at}`);
    const set = sets.reduce((union, part) => union.union(part), CodePointSet.EMPTY);
    return isNegated ? set.negate() : set;
  }

  /** Consumes the dash of a range in a class. */
  protected isRange(): boolean {
    return this.match('-');
  }

  /** Whether the character after the next one is `char`. */
  protected isFollowedBy(char: string): boolean {
    return this.#source[this.at + 1] === char;
  }

  /** The string in quotation marks, after the opening one. */
  protected quoted(): string {
    return this.#until('"');
  }

  /** The bounds of `<n-m>`, after the opening bracket, in the order in which they are written. */
  protected interval(): [string, string] {
    const body = this.#until('>');
    const bounds = /^(\d+)-(\d+)$/.exec(body);
    if (!bounds)
      throw illegalArgumentError(body.includes('-') ? `interval syntax error at position ${this.at - 1}` : `'${body}' not found`);
    return [bounds[1], bounds[2]];
  }

  #until(close: string): string {
    const end = this.#source.indexOf(close, this.at);
    if (end < 0) throw illegalArgumentError(`expected '${close}' at position ${this.#source.length}`);
    const body = this.#source.slice(this.at, end);
    this.at = end + 1;
    return body;
  }
}
