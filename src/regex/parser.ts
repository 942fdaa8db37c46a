// Parses Java's regular expression syntax (java.util.regex.Pattern of JDK 25) and reports errors with its messages.
import { maxOf } from '../common/large-lists.ts';
import { CharacterParser } from './character-parser.ts';
import { CodePointSet, codePointAt } from './code-point-set.ts';
import { MAX_INSTRUCTIONS, programTooLargeError } from './program.ts';
import { VERTICAL_SPACE } from './properties.ts';
import { FLAG, type Node } from './syntax.ts';

interface ParsedPattern {
  node: Node;
  groupCount: number;
  groupNames: ReadonlyMap<string, number>;
}

const MAX_REPEAT = 0x7fffffff;

/** @throws ApiError pattern_syntax_exception; illegal_argument_exception for constructs that do not run in linear time (back references) */
export function parseJavaRegex(pattern: string, flags: number): ParsedPattern {
  return new Parser(pattern, flags).parse();
}

class Parser extends CharacterParser {
  #groupCount = 0;
  readonly #names = new Map<string, number>();
  #lookDepth = 0;
  #atoms = 0;

  parse(): ParsedPattern {
    if (this.has(FLAG.CANON_EQ)) throw this.unsupportedError('the flag CANON_EQ');
    let node: Node;
    if (this.has(FLAG.LITERAL)) {
      node = { kind: 'seq', parts: Array.from(this.pattern, (char) => this.#counted(this.#literal(codePointAt(char, 0)))) };
    } else {
      node = this.#alternation();
      if (this.at < this.pattern.length) {
        if (this.peek() === ')') throw this.error("Unmatched closing ')'", this.at - 1);
        throw this.error('Unexpected internal error', this.at);
      }
    }
    return { node, groupCount: this.#groupCount, groupNames: this.#names };
  }

  #alternation(): Node {
    const parts = [this.#sequence()];
    while (this.peek() === '|') {
      this.at++;
      parts.push(this.#sequence());
    }
    return parts.length === 1 ? parts[0] : { kind: 'alt', parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    for (;;) {
      const char = this.peek();
      if (char === '' || char === '|' || char === ')') break;
      const atom = this.#atom(char);
      if (atom) parts.push(this.#quantified(this.#counted(atom)));
    }
    return parts.length === 1 ? parts[0] : { kind: 'seq', parts };
  }

  /** @throws ApiError illegal_argument_exception: more parts than a program may have instructions */
  #counted(atom: Node): Node {
    this.step();
    if (++this.#atoms > MAX_INSTRUCTIONS) throw programTooLargeError();
    return atom;
  }

  /** Null for an inline flag, which matches nothing by itself. */
  #atom(char: string): Node | null {
    switch (char) {
      case '(':
        return this.#group();
      case '[':
        this.at++;
        return { kind: 'set', set: this.characterClass() };
      case '\\':
        return this.#escape();
      case '^':
        this.at++;
        if (!this.has(FLAG.MULTILINE)) return { kind: 'assert', what: 'begin' };
        return { kind: 'assert', what: this.has(FLAG.UNIX_LINES) ? 'unix-line-begin' : 'line-begin' };
      case '$':
        this.at++;
        if (this.has(FLAG.MULTILINE)) return { kind: 'assert', what: this.has(FLAG.UNIX_LINES) ? 'unix-line-end' : 'line-end' };
        return { kind: 'assert', what: this.has(FLAG.UNIX_LINES) ? 'end-before-newline' : 'end-before-terminator' };
      case '.':
        this.at++;
        return { kind: 'set', set: this.dot() };
      case '*':
      case '+':
      case '?':
        throw this.error(`Dangling meta character '${char}'`, this.at);
      case '{':
        // An empty node, which is then repeated.
        return { kind: 'seq', parts: [] };
      default: {
        const cp = codePointAt(this.pattern, this.at);
        this.at += cp > 0xffff ? 2 : 1;
        return this.#literal(cp);
      }
    }
  }

  #literal(cp: number): Node {
    return { kind: 'set', set: this.cased(CodePointSet.single(cp)) };
  }

  #quantified(part: Node): Node {
    let node = part;
    for (;;) {
      const char = this.peek();
      let min: number;
      let max: number;
      if (char === '*') [min, max] = [0, MAX_REPEAT];
      else if (char === '+') [min, max] = [1, MAX_REPEAT];
      else if (char === '?') [min, max] = [0, 1];
      else if (char === '{') [min, max] = this.#bounds();
      else return node;
      if (char !== '{') this.at++;
      const suffix = this.pattern[this.at];
      const mode = suffix === '?' ? 'lazy' : suffix === '+' ? 'possessive' : 'greedy';
      if (mode !== 'greedy') this.at++;
      node = { kind: 'repeat', part: node, min, max, mode };
      // Java accepts one quantifier; another one dangles.
      const next = this.peek();
      if (next === '*' || next === '+' || next === '?') throw this.error(`Dangling meta character '${next}'`, this.at);
      if (next !== '{') return node;
    }
  }

  /** `{n}`, `{n,}`, `{n,m}`. */
  #bounds(): [number, number] {
    const open = this.at;
    const match = /^\{(\d+)(,(\d*))?/.exec(this.pattern.slice(open));
    if (!match) throw this.error('Illegal repetition', open + 1);
    this.at += match[0].length;
    const min = Number(match[1]);
    const max = match[2] === undefined ? min : match[3] === '' ? MAX_REPEAT : Number(match[3]);
    if (this.pattern[this.at] !== '}') throw this.error('Unclosed counted closure', this.at);
    if (min > MAX_REPEAT || max > MAX_REPEAT) throw this.error('Illegal repetition range', this.at);
    if (max < min) throw this.error('Illegal repetition range', this.at);
    this.at++;
    return [min, max];
  }

  #group(): Node | null {
    const saved = this.flags;
    this.at++;
    let make: (part: Node) => Node;
    if (this.pattern[this.at] === '?') {
      this.at++;
      const kind = this.pattern[this.at++] ?? '';
      switch (kind) {
        case ':':
          make = (part) => part;
          break;
        case '>':
          make = (part) => ({ kind: 'atomic', part });
          break;
        case '=':
        case '!':
          this.#lookDepth++;
          make = (part) => ({ kind: 'look', part, behind: false, negative: kind === '!' });
          break;
        case '<': {
          const next = this.pattern[this.at] ?? '';
          if (next === '=' || next === '!') {
            this.at++;
            this.#lookDepth++;
            make = (part) => {
              if (maxLength(part) > 2 * MAX_REPEAT - 2)
                throw this.error('Look-behind group does not have an obvious maximum length', this.at - 2);
              return { kind: 'look', part, behind: true, negative: next === '!' };
            };
          } else make = this.#capturing(this.#groupName());
          break;
        }
        default:
          this.at--;
          if (!this.#inlineFlags()) return null;
          make = (part) => part;
      }
      const look = kind === '=' || kind === '!' || (kind === '<' && /[=!]/.test(this.pattern[this.at - 1]));
      const node = make(this.#closeGroup());
      if (look) this.#lookDepth--;
      this.flags = saved;
      return node;
    }
    make = this.#capturing(null);
    const node = make(this.#closeGroup());
    this.flags = saved;
    return node;
  }

  #closeGroup(): Node {
    const part = this.nested(() => this.#alternation());
    if (this.peek() !== ')') throw this.error('Unclosed group', this.pattern.length);
    this.at++;
    return part;
  }

  #capturing(name: string | null): (part: Node) => Node {
    if (this.#lookDepth) throw this.unsupportedError('a capturing group inside a lookaround');
    const index = ++this.#groupCount;
    if (name !== null) {
      if (this.#names.has(name)) throw this.error(`Named capturing group <${name}> is already defined`, this.at - 1);
      this.#names.set(name, index);
    }
    return (part) => ({ kind: 'group', index, part });
  }

  #groupName(): string {
    const start = this.at;
    if (!/[A-Za-z]/.test(this.pattern[start] ?? '')) throw this.error('capturing group name does not start with a Latin letter', this.at);
    while (/[A-Za-z0-9]/.test(this.pattern[this.at] ?? '')) this.at++;
    if (this.pattern[this.at] !== '>') throw this.error("named capturing group is missing trailing '>'", this.at);
    return this.pattern.slice(start, this.at++);
  }

  /** `(?i-s)` and `(?i:...)`; true if a group follows. */
  #inlineFlags(): boolean {
    const letters: Readonly<Record<string, number>> = {
      i: FLAG.CASE_INSENSITIVE,
      m: FLAG.MULTILINE,
      s: FLAG.DOTALL,
      d: FLAG.UNIX_LINES,
      u: FLAG.UNICODE_CASE,
      x: FLAG.COMMENTS,
      U: FLAG.UNICODE_CHARACTER_CLASS | FLAG.UNICODE_CASE,
    };
    let on = true;
    for (;;) {
      const char = this.pattern[this.at++];
      if (char === undefined) throw this.error('Unknown inline modifier', this.at - 1);
      if (char === ')') return false;
      if (char === ':') return true;
      if (char === '-' && on) on = false;
      else if (Object.hasOwn(letters, char)) this.flags = on ? this.flags | letters[char] : this.flags & ~letters[char];
      else throw this.error('Unknown inline modifier', this.at - 1);
    }
  }

  // --- escapes

  #escape(): Node {
    const start = this.at;
    const char = this.pattern[start + 1];
    switch (char) {
      case 'b':
      case 'B':
        if (this.pattern[start + 2] === '{') throw this.unsupportedError(`\\b{...}`);
        this.at += 2;
        return { kind: 'assert', what: char === 'b' ? 'word' : 'not-word' };
      case 'A':
        this.at += 2;
        return { kind: 'assert', what: 'begin' };
      case 'z':
        this.at += 2;
        return { kind: 'assert', what: 'end' };
      case 'Z':
        this.at += 2;
        return { kind: 'assert', what: this.has(FLAG.UNIX_LINES) ? 'end-before-newline' : 'end-before-terminator' };
      case 'G':
        this.at += 2;
        return { kind: 'assert', what: 'last-match' };
      case 'R': {
        this.at += 2;
        const crlf: Node = { kind: 'seq', parts: [this.#single(13), this.#single(10)] };
        return { kind: 'alt', parts: [crlf, { kind: 'set', set: VERTICAL_SPACE }] };
      }
      case 'X':
      case 'N':
        throw this.unsupportedError(`\\${char}`);
      case 'k':
        throw this.unsupportedError('back references');
      default:
        if (char !== undefined && char >= '1' && char <= '9') throw this.unsupportedError('back references');
    }
    const set = this.escapeSet();
    return { kind: 'set', set: set.one ? this.cased(set.set) : set.set };
  }

  #single(cp: number): Node {
    return { kind: 'set', set: CodePointSet.single(cp) };
  }
}

/** Maximum length in code points. As in Java, an unbounded repetition of one class counts as bounded. */
function maxLength(node: Node): number {
  switch (node.kind) {
    case 'set':
      return 1;
    case 'seq':
      return node.parts.reduce((sum, part) => sum + maxLength(part), 0);
    case 'alt':
      return maxOf(node.parts.map(maxLength));
    case 'repeat': {
      const inner = maxLength(node.part);
      if (inner === 0) return 0;
      if (node.part.kind === 'set' && node.max === MAX_REPEAT) return MAX_REPEAT;
      return node.max === MAX_REPEAT ? Number.POSITIVE_INFINITY : inner * node.max;
    }
    case 'group':
    case 'atomic':
      return maxLength(node.part);
    default:
      return 0;
  }
}
