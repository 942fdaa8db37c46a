// word_delimiter and word_delimiter_graph: parts of words, their concatenations, and the word itself.
import { unescapeRule } from '../char-filters/mapping.ts';
import type { BuildContext, ComponentEntry, FilterFactory, TokenFilter } from '../component.ts';
import type { Token } from '../token-stream.ts';
import { readLines, runtimeError, wordList } from '../word-lists.ts';
import { filterEntry } from './simple.ts';
import {
  ALPHA,
  ALPHANUM,
  DELIMITER,
  DIGIT,
  LOWER,
  type SplitOptions,
  splitWord,
  type TypeTable,
  UPPER,
  type WordPart,
} from './word-parts.ts';

interface DelimiterOptions extends SplitOptions {
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

/** Parts and concatenations of one word as arcs between positions, in order of their place. */
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

function graphFilter(options: DelimiterOptions, adjustOffsets: boolean): TokenFilter {
  return {
    kind: 'host',
    apply(stream) {
      const tokens: Token[] = [];
      let carry = 0;
      let lastStart = 0;
      for (const token of stream.tokens) {
        if (options.ignoreKeywords && token.keyword) {
          tokens.push(token);
          continue;
        }
        const { term } = token;
        carry += token.posInc;
        const { parts, isSingle } = splitWord(term, options);
        if ((parts.length && parts[0].start === 0 && parts[0].end === term.length) || options.protectedWords.has(term)) {
          tokens.push({ ...token, posInc: carry });
          carry = 0;
          continue;
        }
        if (!parts.length) {
          if (options.preserveOriginal) {
            // The increment is the token's own here, whatever was carried.
            tokens.push(token);
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
          tokens.push({
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
      return { ...stream, tokens };
    },
  };
}

// --- flat

/** The older filter: no graph, so concatenations stand at the place of their last part. */
class FlatDelimiter {
  private carry = 0;
  private first = true;
  private readonly out: Token[] = [];

  constructor(private readonly options: DelimiterOptions) {}

  run(tokens: readonly Token[]): Token[] {
    for (const token of tokens) this.token(token);
    return this.out;
  }

  private emit(token: Token): void {
    this.out.push(token);
    this.first = false;
  }

  private token(token: Token): void {
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

  private word(token: Token, parts: readonly WordPart[], isSingle: boolean): void {
    const { options } = this;
    const { term } = token;
    const aligned = token.endOffset - token.startOffset === term.length;
    const buffered: Token[] = [];
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
    const made = (text: string, start: number, end: number, posInc: number, single = false): Token => {
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

// --- parameters

const TYPE_NAMES: Readonly<Record<string, number>> = { LOWER, UPPER, ALPHA, DIGIT, ALPHANUM, SUBWORD_DELIM: DELIMITER };

function typeTable(context: BuildContext): TypeTable {
  const path = context.settings.get('type_table_path');
  const lines = path !== undefined ? readLines(context, path, 'type_table_path') : (context.settings.list('type_table') ?? []);
  const table = new Map<number, number>();
  lines.forEach((line, i) => {
    const fail = (what: string) => runtimeError(`Line [${i + 1}]: Invalid mapping rule: [${line}]. ${what}`);
    const match = /^([\s\S]*)\s*=>\s*([\s\S]*)\s*$/.exec(line);
    if (!match) throw runtimeError(`Line [${i + 1}]: Invalid mapping rule : [${line}]`);
    const from = unescapeRule(match[1].trim());
    const type = TYPE_NAMES[match[2].trim()];
    if (from.length !== 1) throw fail('Only a single character is allowed.');
    if (type === undefined) throw fail('Illegal type.');
    table.set(from.charCodeAt(0), type);
  });
  return table;
}

function delimiterOptions(context: BuildContext): DelimiterOptions {
  const { settings } = context;
  const words = wordList(context, 'protected_words') ?? [];
  return {
    types: typeTable(context),
    wordParts: settings.bool('generate_word_parts', true),
    numberParts: settings.bool('generate_number_parts', true),
    catenateWords: settings.bool('catenate_words', false),
    catenateNumbers: settings.bool('catenate_numbers', false),
    catenateAll: settings.bool('catenate_all', false),
    splitOnCaseChange: settings.bool('split_on_case_change', true),
    preserveOriginal: settings.bool('preserve_original', false),
    splitOnNumerics: settings.bool('split_on_numerics', true),
    stemEnglishPossessive: settings.bool('stem_english_possessive', true),
    ignoreKeywords: settings.bool('ignore_keywords', false),
    protectedWords: new Set(words),
  };
}

const PARAMS = [
  'generate_word_parts: bool = true',
  'generate_number_parts: bool = true',
  'catenate_words: bool = false',
  'catenate_numbers: bool = false',
  'catenate_all: bool = false',
  'split_on_case_change: bool = true',
  'preserve_original: bool = false',
  'split_on_numerics: bool = true',
  'stem_english_possessive: bool = true',
  'ignore_keywords: bool = false',
  'protected_words: list',
  'protected_words_path: string',
  'type_table: list',
  'type_table_path: string',
];

export const WORD_DELIMITER_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  filterEntry(
    'word_delimiter',
    PARAMS,
    (context) => {
      const options = delimiterOptions(context);
      return { kind: 'host', apply: (stream) => ({ ...stream, tokens: new FlatDelimiter(options).run(stream.tokens) }) };
    },
    { inSynonymRules: 'refused' },
  ),
  filterEntry(
    'word_delimiter_graph',
    [...PARAMS, 'adjust_offsets: bool = true'],
    (context) => graphFilter(delimiterOptions(context), context.settings.bool('adjust_offsets', true)),
    { inSynonymRules: 'refused' },
  ),
];
