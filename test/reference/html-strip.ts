// HTML strip, slow and obvious: the longest match is found by trying every end.
import { addMove, type Filtered, type Move } from './char-filters.ts';

const INLINE = new Set(
  'a b i q s u abbr acronym basefont bdo big cite code dfn em font img input kbd label samp select small span strike strong sub sup textarea tt var'.split(
    ' ',
  ),
);

const QUOTED = `(?:'(?:\\\\'|[^'])*'|"(?:\\\\"|[^"])*")`;
const NAME_SOURCE = '[:_\\p{ID_Start}][\\-.:_\\p{ID_Continue}]*';
const SPACE = '[ \\t\\n\\r\\u000b\\f\\u0085\\u2028\\u2029]';
const SSI = `<!--#(?:[^'"]|${QUOTED})*-->`;
const CONTENT = `(?:[^<>]|${SSI}|${SPACE}+${NAME_SOURCE}${SPACE}*=${SPACE}*${QUOTED})*`;
const TAIL_SOURCE = `(?:=${SPACE}*)?${CONTENT}${SPACE}*/?>`;

const matcher = (source: string): RegExp => new RegExp(`^(?:${source})$`, 'isu');
const [TAIL, NAME, BR, SCRIPT, STYLE, INSTRUCTION] = [
  TAIL_SOURCE,
  NAME_SOURCE,
  `${SPACE}*br${TAIL_SOURCE}`,
  `${SPACE}*script(?:${CONTENT})?${SPACE}*>`,
  `${SPACE}*style(?:${CONTENT})?${SPACE}*>`,
  '\\?[^>]*[/?]>',
].map(matcher);

/** End of the longest match at `from`, -1 for none. */
function longest(expression: RegExp, text: string, from: number): number {
  for (let end = text.length; end > from; end--) if (expression.test(text.slice(from, end))) return end;
  return -1;
}

/** The longest entity name at `at`, empty if there is none. */
function entityNameAt(text: string, at: number, entities: ReadonlyMap<string, string>): string {
  const names = [...entities.keys()].filter((name) => text.startsWith(name, at));
  return names.reduce((best, name) => (name.length > best.length ? name : best), '');
}

class Stripper {
  private out = '';
  private at = 0;
  private diff = 0;
  private readonly moves: Move[] = [];

  constructor(
    private readonly text: string,
    private readonly escaped: ReadonlySet<string>,
    private readonly entities: ReadonlyMap<string, string>,
  ) {}

  run(): Filtered {
    const { text } = this;
    while (this.at < text.length) {
      const next = this.nextMark();
      this.out += text.slice(this.at, next);
      this.at = next;
      if (next === text.length) break;
      if (text[next] === '&') this.reference();
      else this.bracket();
    }
    return { text: this.out, moves: this.moves };
  }

  private nextMark(): number {
    for (let at = this.at; at < this.text.length; at++) if (this.text[at] === '<' || this.text[at] === '&') return at;
    return this.text.length;
  }

  /** Removes [at, end) from the output, or replaces it by `replacement`, and continues at `end`. */
  private replace(end: number, replacement = ''): void {
    this.out += replacement;
    this.diff += end - this.at - replacement.length;
    addMove(this.moves, this.out.length, this.diff);
    this.at = end;
  }

  private keep(end: number): void {
    this.out += this.text.slice(this.at, end);
    this.at = end;
  }

  // --- references

  private reference(): void {
    const { text, at } = this;
    if (text[at + 1] === '#') {
      this.numericReference();
      return;
    }
    const name = entityNameAt(text, at + 1, this.entities);
    const end = at + 1 + name.length;
    if (name && (text[end] === ';' || end === text.length)) this.replace(Math.min(end + 1, text.length), this.entities.get(name)!);
    else this.keep(name ? end : at + 1);
  }

  private numericReference(): void {
    const { text, at } = this;
    const pair = /&#(?:x(d[89ab][0-9a-f]{2})|(5[56]\d{3}));&#(?:x(d[c-f][0-9a-f]{2})|(5[67]\d{3}));/iy;
    pair.lastIndex = at;
    const surrogates = pair.exec(text);
    if (surrogates) {
      const high = surrogates[1] ? Number.parseInt(surrogates[1], 16) : Number(surrogates[2]);
      const low = surrogates[3] ? Number.parseInt(surrogates[3], 16) : Number(surrogates[4]);
      if (high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
        this.replace(at + surrogates[0].length, String.fromCharCode(high, low));
        return;
      }
    }
    const single = /&#(?:x([0-9a-f]+)|([0-9]+))/iy;
    single.lastIndex = at;
    const match = single.exec(text);
    if (!match) {
      this.keep(at + 2);
      return;
    }
    const end = at + match[0].length;
    const digits = match[1] ?? match[2];
    const cp = match[1] ? Number.parseInt(digits, 16) : Number(digits);
    const short = match[1] ? digits.length <= 5 || digits.length + 1 <= 6 : digits.length <= 7;
    if (short && cp <= 0x10ffff && (text[end] === ';' || end === text.length)) {
      const char = cp >= 0xd800 && cp < 0xe000 ? '\ufffd' : String.fromCodePoint(cp);
      this.replace(Math.min(end + 1, text.length), char);
    } else this.keep(end);
  }

  // --- <...>

  private bracket(): void {
    const { text, at } = this;
    const next = text[at + 1];
    if (next === '!') this.declaration();
    else if (next === '/') this.endTag();
    else if (next === '?' && longest(INSTRUCTION, text, at + 1) > 0) this.replace(longest(INSTRUCTION, text, at + 1));
    else this.startTag();
  }

  private startTag(): void {
    const { text, at } = this;
    const spaces = this.skipSpace(at + 1);
    const nameEnd = longest(NAME, text, spaces);
    // The longest match of the special tags and of the plain name wins.
    const br = longest(BR, text, at + 1);
    const script = longest(SCRIPT, text, at + 1);
    const style = longest(STYLE, text, at + 1);
    const special = Math.max(br, script, style);
    if (special > Math.max(nameEnd, spaces === at + 1 ? -1 : spaces)) {
      if (special === script) this.element('script', script);
      else if (special === style) this.element('style', style);
      else if (this.escaped.has('br')) this.keep(br);
      else this.replace(br, '\n');
      return;
    }
    if (nameEnd < 0) {
      this.keep(Math.max(spaces, at + 1));
      return;
    }
    const name = this.tagName(spaces, nameEnd);
    const end = nameEnd === text.length ? -1 : longest(TAIL, text, nameEnd);
    this.finishTag(name, nameEnd, end);
  }

  private endTag(): void {
    const { text, at } = this;
    const spaces = this.skipSpace(at + 2);
    const br = /br[ \t\n\r\v\f\u0085\u2028\u2029]*>/iy;
    br.lastIndex = spaces;
    const match = br.exec(text);
    if (match) {
      if (this.escaped.has('br')) this.keep(spaces + match[0].length);
      else this.replace(spaces + match[0].length, '\n');
      return;
    }
    const nameEnd = longest(NAME, text, spaces);
    if (nameEnd < 0) {
      this.keep(spaces);
      return;
    }
    const close = this.skipSpace(nameEnd);
    this.finishTag(this.tagName(spaces, nameEnd), nameEnd, nameEnd === text.length ? -1 : text[close] === '>' ? close + 1 : -1);
  }

  private tagName(from: number, to: number): string {
    return this.text.slice(from, to).toLowerCase();
  }

  /** @param end end of the tag; -1 if it is malformed: then the part up to `nameEnd` is text, or dropped at the end of the text */
  private finishTag(name: string, nameEnd: number, end: number): void {
    const included = this.escaped.has(name) && name !== 'br' && name !== 'script' && name !== 'style';
    if (end > 0) {
      if (included) this.keep(end);
      else this.replace(end, INLINE.has(name) ? '' : '\n');
    } else if (nameEnd === this.text.length && !included) this.replace(nameEnd);
    else this.keep(nameEnd);
  }

  private skipSpace(from: number): number {
    let at = from;
    while (at < this.text.length && /[ \t\n\r\v\f\u0085\u2028\u2029]/.test(this.text[at])) at++;
    return at;
  }

  private declaration(): void {
    const { text, at } = this;
    if (text.startsWith('--', at + 2)) {
      this.comment();
      return;
    }
    if (text.startsWith('[CDATA[', at + 2)) {
      this.replace(at + 9);
      const end = text.indexOf(']]>', this.at);
      this.keep(end < 0 ? text.length : end);
      if (end >= 0) this.replace(end + 3);
      return;
    }
    const end = text.indexOf('>', at);
    if (end < 0) this.keep(text.length);
    else this.replace(end + 1);
  }

  private comment(): void {
    const end = this.commentEnd(this.at + 4, false);
    this.replace(end < 0 ? this.text.length : end);
  }

  /** End of `-->`, skipping server-side includes and, in scripts and styles, strings; -1 if there is none. */
  private commentEnd(from: number, strings: boolean): number {
    const { text } = this;
    let at = from;
    let inInclude = false;
    while (at < text.length) {
      if (text.startsWith('-->', at)) {
        at += 3;
        if (!inInclude) return at;
        inInclude = false;
      } else if (!inInclude && text.startsWith('<!--#', at)) {
        inInclude = true;
        at += 5;
      } else if ((inInclude || strings) && (text[at] === "'" || text[at] === '"')) at = this.stringEnd(at);
      else at++;
    }
    return -1;
  }

  private stringEnd(from: number): number {
    const { text } = this;
    let at = from + 1;
    while (at < text.length && text[at] !== text[from]) at += text[at] === '\\' ? 2 : 1;
    return at + 1;
  }

  /** A script or style element: drops its content, and its tags unless they are escaped. */
  private element(name: string, contentStart: number): void {
    const { text } = this;
    const escaped = this.escaped.has(name);
    if (escaped) this.keep(contentStart);
    let at = contentStart;
    const close = new RegExp(`</[ \\t\\n\\r\\v\\f\\u0085\\u2028\\u2029]*${name}[ \\t\\n\\r\\v\\f\\u0085\\u2028\\u2029]*>`, 'iy');
    while (at < text.length) {
      if (text.startsWith('<!--', at)) {
        const end = this.commentEnd(at + 4, true);
        at = end < 0 ? text.length : end;
        continue;
      }
      close.lastIndex = at;
      const match = text[at] === '<' ? close.exec(text) : null;
      if (match) {
        if (escaped) {
          this.replace(at);
          this.keep(at + match[0].length);
        } else this.replace(at + match[0].length, '\n');
        return;
      }
      at++;
    }
    this.replace(text.length);
  }
}

/** @param escapedTags lower case */
export function stripped(text: string, escapedTags: readonly string[], entities: ReadonlyMap<string, string>): Filtered {
  return new Stripper(text, new Set(escapedTags), entities).run();
}
