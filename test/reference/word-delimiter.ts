// Word delimiter filters over lists of tokens and strings: the parts of a word, then the tokens made of them.
import type { PlainToken } from './token-filters.ts';
import { ALPHA, DIGIT, type SplitOptions, splitWord, type WordPart } from './word-parts.ts';

export interface DelimiterOptions extends SplitOptions {
  readonly wordParts: boolean;
  readonly numberParts: boolean;
  readonly catenateWords: boolean;
  readonly catenateNumbers: boolean;
  readonly catenateAll: boolean;
  readonly preserveOriginal: boolean;
  readonly ignoreKeywords: boolean;
  readonly protectedWords: ReadonlySet<string>;
}

const shouldGenerate = (options: DelimiterOptions, type: number): boolean =>
  (options.wordParts && (type & ALPHA) !== 0) || (options.numberParts && (type & DIGIT) !== 0);
const shouldConcatenate = (options: DelimiterOptions, type: number): boolean =>
  (options.catenateWords && (type & ALPHA) !== 0) || (options.catenateNumbers && (type & DIGIT) !== 0);

/** A run of parts that is being joined. */
class Run {
  text = '';
  count = 0;
  constructor(
    readonly type: number,
    readonly start: number,
    readonly startPos: number,
    public end = 0,
  ) {}

  add(term: string, part: WordPart): void {
    this.text += term.slice(part.start, part.end);
    this.end = part.end;
    this.count++;
  }
}

// --- graph

interface Arc {
  term: string;
  startPos: number;
  endPos: number;
  start: number;
  end: number;
}

/** Parts and concatenations of one word as arcs between positions, in order of position. */
function graphArcs(term: string, parts: readonly WordPart[], isSingle: boolean, options: DelimiterOptions): Arc[] {
  const arcs: Arc[] = [];
  let pos = 0;
  let lastCount = 0;
  const add = (text: string, startPos: number, endPos: number, start: number, end: number): void => {
    arcs.push({ term: text, startPos, endPos, start, end });
  };
  if (isSingle) {
    add(term.slice(parts[0].start, parts[0].end), pos, pos + 1, parts[0].start, parts[0].end);
    pos++;
  } else {
    let run: Run | null = null;
    let all: Run | null = null;
    const flush = (): void => {
      if (!run) return;
      if (pos === run.startPos) pos++;
      lastCount = run.count;
      if (run.count !== 1 || !shouldGenerate(options, run.type)) add(run.text, run.startPos, pos, run.start, run.end);
      run = null;
    };
    for (const part of parts) {
      if (run && !((run as Run).type & part.type)) flush();
      if (shouldConcatenate(options, part.type)) (run ??= new Run(part.type, part.start, pos)).add(term, part);
      if (options.catenateAll) (all ??= new Run(part.type, part.start, pos)).add(term, part);
      if (shouldGenerate(options, part.type)) {
        add(term.slice(part.start, part.end), pos, pos + 1, part.start, part.end);
        pos++;
      }
    }
    flush();
    if (all && all.count > lastCount) {
      if (pos === all.startPos) pos++;
      add(all.text, all.startPos, pos, all.start, all.end);
    }
  }
  arcs.sort((a, b) => a.start - b.start || b.end - a.end);
  if (options.preserveOriginal) arcs.unshift({ term, startPos: 0, endPos: Math.max(pos, 1), start: 0, end: term.length });
  return arcs;
}

export function graphDelimited(tokens: readonly PlainToken[], options: DelimiterOptions, adjustOffsets: boolean): PlainToken[] {
  const out: PlainToken[] = [];
  let carry = 0;
  let lastStart = 0;
  for (const token of tokens) {
    if (options.ignoreKeywords && token.keyword) {
      out.push(token);
      continue;
    }
    const { term } = token;
    carry += token.posInc;
    const { parts, isSingle } = splitWord(term, options);
    if ((parts.length && parts[0].start === 0 && parts[0].end === term.length) || options.protectedWords.has(term)) {
      out.push({ ...token, posInc: carry });
      carry = 0;
      continue;
    }
    if (!parts.length) {
      if (options.preserveOriginal) {
        // The increment is the token's own here, without the carry.
        out.push(token);
        carry = 0;
      }
      continue;
    }
    const adjust = adjustOffsets && token.endOffset - token.startOffset === term.length;
    let pos = 0;
    for (const arc of graphArcs(term, parts, isSingle, options)) {
      const start = Math.max(adjust ? token.startOffset + arc.start : token.startOffset, lastStart);
      const end = Math.max(adjust ? token.startOffset + arc.end : token.endOffset, lastStart);
      lastStart = start;
      out.push({
        ...token,
        term: arc.term,
        startOffset: start,
        endOffset: end,
        posInc: carry + arc.startPos - pos,
        posLen: arc.endPos - arc.startPos,
      });
      carry = 0;
      pos = arc.startPos;
    }
  }
  return out;
}

// --- flat

/** The older filter, without a graph: concatenations are at the position of their last part. */
class FlatDelimiter {
  private carry = 0;
  private first = true;
  private out: PlainToken[] = [];

  constructor(private readonly options: DelimiterOptions) {}

  run(tokens: readonly PlainToken[]): PlainToken[] {
    for (const token of tokens) this.token(token);
    return this.out;
  }

  private emit(token: PlainToken): void {
    this.out.push(token);
    this.first = false;
  }

  private token(token: PlainToken): void {
    const { options } = this;
    if (options.ignoreKeywords && token.keyword) {
      this.out.push(token);
      return;
    }
    this.carry += token.posInc;
    const { term } = token;
    const { parts, isSingle } = splitWord(term, options);
    if ((parts.length && parts[0].start === 0 && parts[0].end === term.length) || options.protectedWords.has(term)) {
      this.emit({ ...token, posInc: this.carry });
      this.carry = 0;
      return;
    }
    if (!parts.length && !options.preserveOriginal) {
      if (token.posInc === 1 && !this.first) this.carry--;
      return;
    }
    if (options.preserveOriginal) {
      this.emit({ ...token, posInc: this.carry });
      this.carry = 0;
    }
    this.word(token, parts, isSingle);
  }

  private word(token: PlainToken, parts: readonly WordPart[], isSingle: boolean): void {
    const { options } = this;
    const { term } = token;
    const aligned = token.endOffset - token.startOffset === term.length;
    const buffered: PlainToken[] = [];
    let hasOutput = false;
    let afterOriginal = !options.preserveOriginal;
    let lastCount = 0;
    const position = (inject: boolean): number => {
      const posInc = this.carry;
      if (hasOutput) {
        this.carry = 0;
        return inject ? 0 : Math.max(1, posInc);
      }
      hasOutput = true;
      if (!afterOriginal) {
        afterOriginal = true;
        return 0;
      }
      this.carry = 0;
      return Math.max(1, posInc);
    };
    const made = (text: string, start: number, end: number, posInc: number, single = false): PlainToken => {
      const inside = token.startOffset + start;
      const offsets = aligned
        ? { startOffset: inside, endOffset: token.startOffset + end }
        : { startOffset: single && inside <= token.endOffset ? inside : token.startOffset, endOffset: token.endOffset };
      return { ...token, ...offsets, term: text, posInc, posLen: 1, keyword: false };
    };
    if (isSingle) {
      const [part] = parts;
      this.emit(made(term.slice(part.start, part.end), part.start, part.end, position(false), true));
      return;
    }
    let run: Run | null = null;
    let all: Run | null = null;
    const write = (joined: Run): void => {
      buffered.push(made(joined.text, joined.start, joined.end, position(true)));
    };
    const flush = (): void => {
      if (!run) return;
      lastCount = run.count;
      if (run.count !== 1 || !shouldGenerate(options, run.type)) write(run);
      run = null;
    };
    for (const part of parts) {
      if (run && !((run as Run).type & part.type)) {
        flush();
        hasOutput = false;
      }
      if (shouldConcatenate(options, part.type)) (run ??= new Run(part.type, part.start, 0)).add(term, part);
      if (options.catenateAll) (all ??= new Run(part.type, part.start, 0)).add(term, part);
      if (shouldGenerate(options, part.type)) buffered.push(made(term.slice(part.start, part.end), part.start, part.end, position(false)));
    }
    flush();
    if (all && all.count > lastCount) write(all);
    buffered.sort((a, b) => a.startOffset - b.startOffset || b.posInc - a.posInc);
    for (const part of buffered) this.emit(this.first && part.posInc === 0 ? { ...part, posInc: 1 } : part);
  }
}

export function flatDelimited(tokens: readonly PlainToken[], options: DelimiterOptions): PlainToken[] {
  return new FlatDelimiter(options).run(tokens);
}
