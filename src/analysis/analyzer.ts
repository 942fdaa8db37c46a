import { type AnalysisHost, type ChainProgram, endsBeforeStart } from '../wasm/analysis.ts';
import { chainBlob, joinConfigs, type KernelStage, words } from './blob.ts';
import { CharFilterChain } from './char-filters/apply.ts';
import type { CharFilter, FilterEnvironment, TokenFilter, Tokenizer } from './component.ts';
import { STAGE } from './stage-ids.ts';
import { encodeTokens, runChain, type TokenStream } from './tokens/token-stream.ts';
import { encodeWtf8, StringInput } from './tokens/wtf8.ts';

/** A token as the API and queries see it. */
export interface AnalyzedToken {
  readonly term: string;
  readonly startOffset: number;
  readonly endOffset: number;
  readonly type: string;
  /** Absolute position, from 0. */
  readonly position: number;
  readonly positionLength: number;
  /** Bytes that a filter (delimited_payload) has given the token, if any. */
  readonly payload?: Uint8Array;
}

type Step = { kind: 'kernel'; program: ChainProgram } | { kind: 'host'; filter: Extract<TokenFilter, { kind: 'host' }> };

/** Runs filters over streams on the host, kernels in the analysis memory. */
class FilterRunner implements FilterEnvironment {
  private readonly plain = new WeakMap<readonly TokenFilter[], Step[]>();
  private readonly stepped = new WeakMap<readonly TokenFilter[], Step[]>();

  constructor(readonly host: AnalysisHost) {}

  run(filters: readonly TokenFilter[], stream: TokenStream): TokenStream {
    // Tokens that say where the text ends behind them go to a limit further on.
    const isStepped = stream.tokens.length > 0 && stream.tokens[0].stopOffset >= 0;
    const compiled = isStepped ? this.stepped : this.plain;
    let steps = compiled.get(filters);
    if (!steps) {
      steps = compileSteps(filters, isStepped ? filters.length : 0);
      compiled.set(filters, steps);
    }
    return this.runSteps(steps, stream);
  }

  runSteps(steps: readonly Step[], stream: TokenStream): TokenStream {
    for (const step of steps) {
      if (step.kind === 'host') stream = checkOffsets(step.filter.apply(stream, this));
      else {
        const payloads: Uint8Array[] = [];
        const input = encodeTokens(stream, step.program.isStepped, payloads);
        stream = checkOffsets(runChain(this.host, step.program, input, payloads));
      }
    }
    return stream;
  }
}

/** @throws ApiError illegal_argument_exception: a filter joined tokens that another one had put out of order */
function checkOffsets(stream: TokenStream): TokenStream {
  for (const { startOffset, endOffset } of stream.tokens) {
    if (endOffset < startOffset) throw endsBeforeStart(startOffset, endOffset);
  }
  return stream;
}

/** @param stepped how many of the filters run stepped, see `limited` */
function compileSteps(filters: readonly TokenFilter[], stepped = 0): Step[] {
  const steps: Step[] = [];
  let stages: KernelStage[] = [];
  let isStepped = false;
  const flush = (): void => {
    if (stages.length) steps.push({ kind: 'kernel', program: program([REPLAY_STAGE, ...mergeRewrites(stages)], isStepped) });
    stages = [];
    isStepped = false;
  };
  for (const [i, filter] of filters.entries()) {
    if (filter.kind === 'kernel') {
      stages.push(...filter.stages);
      isStepped ||= i < stepped;
    } else {
      flush();
      steps.push({ kind: 'host', filter });
    }
  }
  flush();
  return steps;
}

function program(stages: readonly KernelStage[], isStepped: boolean): ChainProgram {
  return { blob: chainBlob(stages, isStepped), isStepped, payloadStage: stages.findLastIndex(givesPayloads) };
}

/** How many filters there are up to the last one that stops reading before the end: it must know how far those before it have read. */
function limited(filters: readonly TokenFilter[]): number {
  return 1 + filters.findLastIndex(mayStop);
}

/** Whether a filter may stop reading before the end: a limit, or one with a limit inside. */
export function mayStop(filter: TokenFilter): boolean {
  if (filter.kind === 'host') return false;
  return filter.stages.some(({ id, config, stops }) => stops ?? (id === STAGE.LIMIT && config[CONSUME_ALL] === 0));
}

/** Whether a stage gives tokens payloads, or takes them away: mode 0 of the delimited stage (filters/payload.ts). */
export function givesPayloads({ id, config }: KernelStage): boolean {
  return id === STAGE.DELIMITED && config[4] === 0;
}

/** Byte of the limit stage's config that says whether it reads on. */
const CONSUME_ALL = 4;

const REPLAY_STAGE: KernelStage = { id: STAGE.REPLAY, config: new Uint8Array(0) };
/** Chain that hands a prepared token stream to the inverter as it is. */
const REPLAY_BLOB = chainBlob([REPLAY_STAGE]);
const REPLAY_PROGRAM: ChainProgram = { blob: REPLAY_BLOB };

/** Config of the stem stage, see languages/stemmers.ts. */
const ENGLISH_POSSESSIVE = 1;

const runners = new WeakMap<AnalysisHost, FilterRunner>();

export function filterEnvironment(host: AnalysisHost): FilterEnvironment {
  let runner = runners.get(host);
  if (!runner) {
    runner = new FilterRunner(host);
    runners.set(host, runner);
  }
  return runner;
}

export interface AnalyzerParts {
  readonly charFilters: readonly CharFilter[];
  readonly tokenizer: Tokenizer;
  readonly filters: readonly TokenFilter[];
  readonly positionIncrementGap: number;
  readonly offsetGap?: number;
}

/**
 * Character filters, a tokenizer and token filters under a name. Kernel stages run in WASM; a chain without anything else
 * (`isKernelChain`) can be handed to an indexer as bytes and runs there without coming back.
 */
export class Analyzer {
  readonly positionIncrementGap: number;
  readonly offsetGap: number;
  private readonly first: ChainProgram | null;
  private readonly steps: Step[];
  /** Kernel stages at the end of a chain that the host begins; null if the host ends it, too. */
  private readonly last: ChainProgram | null;
  private readonly runner: FilterRunner;
  /** Character filters that the host runs: all of them, unless they and the tokenizer are kernels. */
  private readonly charFilters: CharFilterChain | null;
  /** True when the whole chain runs in kernels. */
  readonly isKernelChain: boolean;
  /** The chain of `kernelBlob` for runs in this analyzer's host. */
  readonly cursorProgram: ChainProgram;

  constructor(
    readonly name: string,
    readonly parts: AnalyzerParts,
    private readonly host: AnalysisHost,
  ) {
    this.positionIncrementGap = parts.positionIncrementGap;
    this.offsetGap = parts.offsetGap ?? 1;
    this.runner = filterEnvironment(host) as FilterRunner;
    let leading = 0;
    const stepped = limited(parts.filters);
    const textStages = parts.charFilters.flatMap((filter) => (filter.kind === 'kernel' ? [filter.stage] : []));
    const isFilteredByHost = textStages.length < parts.charFilters.length || (textStages.length > 0 && parts.tokenizer.kind === 'host');
    this.charFilters = isFilteredByHost ? new CharFilterChain(parts.charFilters, host) : null;
    if (parts.tokenizer.kind === 'kernel') {
      // Offsets are corrected behind the tokenizer, so behind character filters of the host the first program ends there.
      if (!isFilteredByHost) while (parts.filters[leading]?.kind === 'kernel') leading++;
      const stages = parts.filters.slice(0, leading).flatMap((filter) => (filter.kind === 'kernel' ? filter.stages : []));
      const before = isFilteredByHost ? [] : textStages;
      this.first = program([...before, ...fuse([parts.tokenizer.stage, ...stages])], stepped > 0);
    } else {
      this.first = null;
    }
    this.steps = compileSteps(parts.filters.slice(leading), stepped - leading);
    const lastStep = this.steps.at(-1);
    this.last = lastStep?.kind === 'kernel' ? lastStep.program : null;
    this.isKernelChain = this.first !== null && !this.steps.length && !this.charFilters;
    this.cursorProgram = this.isKernelChain ? this.first! : (this.last ?? REPLAY_PROGRAM);
  }

  /** Blob for chainInit (assembly/analysis/chain.ts) in any memory; what `kernelInput` returns is the text to give it. */
  get kernelBlob(): Uint8Array {
    return this.cursorProgram.blob;
  }

  /** Bytes that the chain of `kernelBlob` reads: the text itself, or the tokens of the part that the host runs. */
  kernelInput(text: string): Uint8Array {
    if (this.isKernelChain) return encodeWtf8(text);
    return encodeTokens(this.streamThrough(this.last ? this.steps.slice(0, -1) : this.steps, text), this.last?.isStepped);
  }

  /** Tokens of a text with relative positions. @throws ApiError: what a filter refuses (a bad payload) */
  stream(text: string): TokenStream {
    return this.streamThrough(this.steps, text);
  }

  private streamThrough(steps: readonly Step[], text: string): TokenStream {
    if (!this.charFilters) return this.runner.runSteps(steps, this.tokenize(text));
    const filtered = this.charFilters.apply(text);
    const stream = this.tokenize(filtered.text);
    for (const token of stream.tokens) {
      token.startOffset = filtered.correct(token.startOffset);
      token.endOffset = filtered.correct(token.endOffset);
      if (token.stopOffset >= 0) token.stopOffset = filtered.correct(token.stopOffset);
    }
    stream.endOffset = filtered.correct(stream.endOffset);
    return this.runner.runSteps(steps, stream);
  }

  analyze(text: string): AnalyzedToken[] {
    let position = -1;
    return this.stream(text).tokens.map((token) => ({
      term: token.term,
      startOffset: token.startOffset,
      endOffset: token.endOffset,
      type: token.type,
      position: (position += token.posInc),
      positionLength: token.posLen,
      ...(token.payload === null ? {} : { payload: token.payload }),
    }));
  }

  private tokenize(text: string): TokenStream {
    if (this.first) return checkOffsets(runChain(this.host, this.first, new StringInput(text)));
    return (this.parts.tokenizer as Extract<Tokenizer, { kind: 'host' }>).tokenize(text);
  }
}

/** Stages as they run: what changes terms alone in one cached stage, and lower-casing in tokenizers that do it on the way. */
export function fuse(stages: readonly KernelStage[]): KernelStage[] {
  return mergeRewrites(bigramsFromText(lowerInTokenizer(stages)));
}

/** Operations of the stem stage (assembly/analysis/filters/rewrite/stem.ts) that do what a stage does, and whether they have its config behind them. */
const REWRITE_OPS: Readonly<Record<number, { op: number; data: boolean }>> = {
  [STAGE.STEM]: { op: 0, data: false },
  [STAGE.NORMALIZE]: { op: 0x100, data: false },
  [STAGE.CASE]: { op: 0x200, data: false },
  [STAGE.STOP]: { op: 0x300, data: true },
  [STAGE.ELISION]: { op: 0x400, data: true },
  [STAGE.APOSTROPHE]: { op: 0x500, data: false },
  [STAGE.KEYWORD_MARKER]: { op: 0x600, data: true },
  [STAGE.STEMMER_OVERRIDE]: { op: 0x700, data: true },
};

/** What filters in a row do to a term alone becomes one stage, which remembers what it made of a term. */
export function mergeRewrites(stages: readonly KernelStage[]): KernelStage[] {
  const out: KernelStage[] = [];
  let run: KernelStage[] = [];
  const flush = (): void => {
    // A list alone is as quick as what is remembered.
    if (run.length > 1) out.push({ id: STAGE.STEM, config: joinConfigs(run.map(operation)) });
    else out.push(...run);
    run = [];
  };
  for (const stage of stages) {
    if (stage.id in REWRITE_OPS) run.push(stage);
    else {
      flush();
      out.push(stage);
    }
  }
  flush();
  return out;
}

function operation({ id, config }: KernelStage): Uint8Array {
  const { op, data } = REWRITE_OPS[id];
  if (data) return words([op, (config.length + 3) & ~3], joinConfigs([config, new Uint8Array(-config.length & 3)]));
  // A stemmer, variant or operation, and what it brings with it.
  return config.length ? words([op + config[0] + (config[1] << 8)], config.subarray(4)) : words([op]);
}

/** Flags of the standard tokenizer and of bigrams. */
const LOWER_TERMS = 1;
const STOP_BEFORE_CJK = 4;
const ALL_SCRIPTS = 15;
const STRAIGHT = 32;
const ASCII_WORDS = 64;
/** Longer words of ASCII go through the tokenizer. */
const SHORT_WORD = 16;

/**
 * Bigrams of all scripts behind the standard tokenizer read ideographs and kana themselves, if what stands between changes none of them, and short
 * words of ASCII if it only puts them in lower case.
 */
function bigramsFromText(stages: readonly KernelStage[]): readonly KernelStage[] {
  const at = stages.findIndex(({ id }) => id === STAGE.CJK_BIGRAM);
  const isWidth = ({ id, config }: KernelStage): boolean => id === STAGE.NORMALIZE && config[0] === CJK_WIDTH;
  if (at < 0 || stages[0].id !== STAGE.STANDARD || stages[at].config[0] !== ALL_SCRIPTS) return stages;
  const between = stages.slice(1, at);
  if (!between.every((stage) => stage.id === STAGE.CASE || isWidth(stage))) return stages;
  const config = new DataView(stages[0].config.buffer, stages[0].config.byteOffset);
  const maxLength = config.getUint32(0, true);
  const flags = config.getUint32(4, true);
  const isWords = (flags & LOWER_TERMS) !== 0 && between.every(isWidth) && maxLength >= SHORT_WORD;
  const tokenizer = { id: STAGE.STANDARD, config: words([maxLength, flags | STOP_BEFORE_CJK]) };
  const bigrams = { id: STAGE.CJK_BIGRAM, config: words([ALL_SCRIPTS | STRAIGHT | (isWords ? ASCII_WORDS : 0)]) };
  return [tokenizer, ...between, bigrams, ...stages.slice(at + 1)];
}

/** Variants of the normalize and case stages. */
const CJK_WIDTH = 11;
const LOWER = 0;

/** Whether lower-casing may as well come before what a stage does. */
function isAnyCase({ id, config }: KernelStage): boolean {
  // A possessive is one in either case; those who ignore the case of articles find them in lower case, too, and lower-casing makes no apostrophe;
  // letters of full width have case as others have.
  if (id === STAGE.STEM) return config.length === 4 && config[0] === ENGLISH_POSSESSIVE;
  return id === STAGE.ELISION ? config[0] === 1 : id === STAGE.NORMALIZE && config[0] === CJK_WIDTH;
}

function lowerInTokenizer(stages: readonly KernelStage[]): KernelStage[] {
  if (stages.length > 2 && isAnyCase(stages[1]) && stages[2].id === STAGE.CASE && stages[2].config[0] === LOWER) {
    stages = [stages[0], stages[2], stages[1], ...stages.slice(3)];
  }
  const [tokenizer, next] = stages;
  if (next?.id !== STAGE.CASE || next.config[0] !== LOWER) return [...stages];
  const config = new DataView(tokenizer.config.buffer, tokenizer.config.byteOffset);
  if (tokenizer.id === STAGE.STANDARD) {
    return [{ id: STAGE.STANDARD, config: words([config.getUint32(0, true), config.getUint32(4, true) | 1]) }, ...stages.slice(2)];
  }
  if (tokenizer.id === STAGE.CHAR_CLASS && config.getUint32(4, true) === 0) {
    return [{ id: STAGE.CHAR_CLASS, config: words([config.getUint32(0, true), 1, 0, 0]) }, ...stages.slice(2)];
  }
  return [...stages];
}
