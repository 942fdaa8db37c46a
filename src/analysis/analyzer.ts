// Analyzers: chains of character filters, a tokenizer and token filters.
import { type AnalysisHost, type ChainProgram, endsBeforeStartError } from '../wasm/analysis.ts';
import { StageId } from '../wasm/generated/analysis.ts';
import { chainBlob, type KernelStage } from './blob.ts';
import { CharFilterChain } from './char-filters/apply.ts';
import type { AnalyzerParts, FilterEnvironment, HostFilter, HostTokenizer, TokenFilter } from './component.ts';
import { fuse, givesPayloads, mergeRewrites } from './fusion.ts';
import type { AnalyzedToken } from './tokens/analyzed-token.ts';
import { encodeTokens, runChain, type TokenStream } from './tokens/token-stream.ts';
import { encodeWtf8, StringInput } from './tokens/wtf8.ts';

type Step = { kind: 'kernel'; program: ChainProgram } | { kind: 'host'; filter: HostFilter };

/** Runs filters over token streams: host filters here, kernels in the analysis memory. */
class FilterRunner implements FilterEnvironment {
  readonly #plain = new WeakMap<readonly TokenFilter[], Step[]>();
  readonly #stepped = new WeakMap<readonly TokenFilter[], Step[]>();

  constructor(readonly host: AnalysisHost) {}

  run(filters: readonly TokenFilter[], stream: TokenStream): TokenStream {
    // Keeps where the text would end after each token, which a later limit needs.
    const isStepped = stream.tokens.length > 0 && stream.tokens[0].stopOffset >= 0;
    const compiled = isStepped ? this.#stepped : this.#plain;
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

/** @throws ApiError illegal_argument_exception: a filter joined tokens that an earlier one had reordered */
function checkOffsets(stream: TokenStream): TokenStream {
  for (const { startOffset, endOffset } of stream.tokens) {
    if (endOffset < startOffset) throw endsBeforeStartError(startOffset, endOffset);
  }
  return stream;
}

/** @param stepped number of filters that run stepped, see `limited` */
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

/** Number of filters up to the last one that may stop early: it depends on how far the filters before it have read. */
function limited(filters: readonly TokenFilter[]): number {
  return 1 + filters.findLastIndex(mayStop);
}

/** Whether a filter may stop before the end of its input: a limit, or a filter that contains one. */
export function mayStop(filter: TokenFilter): boolean {
  if (filter.kind === 'host') return false;
  return filter.stages.some(({ id, config, stops }) => stops ?? (id === StageId.LIMIT && config[CONSUME_ALL] === 0));
}

/** Byte of the limit stage's config that makes it read to the end. */
const CONSUME_ALL = 4;

const REPLAY_STAGE: KernelStage = { id: StageId.REPLAY, config: new Uint8Array(0) };
/** Passes a prepared token stream to the inverter unchanged. */
const REPLAY_BLOB = chainBlob([REPLAY_STAGE]);
const REPLAY_PROGRAM: ChainProgram = { blob: REPLAY_BLOB };

const runners = new WeakMap<AnalysisHost, FilterRunner>();

/** The runner of a host, which compiles each list of filters once. */
export function filterRunner(host: AnalysisHost): FilterRunner {
  let runner = runners.get(host);
  if (!runner) {
    runner = new FilterRunner(host);
    runners.set(host, runner);
  }
  return runner;
}

/**
 * Character filters, a tokenizer and token filters under a name. Kernel stages run in WebAssembly; a chain that consists of them only
 * (`isKernelChain`) can be passed to an indexer as bytes and runs there without calls to the host.
 */
export class Analyzer {
  readonly positionIncrementGap: number;
  readonly offsetGap: number;
  /** Start of the chain: kernel stages from the tokenizer on, or a tokenizer of the host. */
  readonly #head: ChainProgram | HostTokenizer;
  readonly #steps: Step[];
  /** Kernel stages at the end of a chain that starts on the host; null if it ends on the host, too. */
  readonly #last: ChainProgram | null;
  readonly #runner: FilterRunner;
  /** Character filters if the host runs them; null if they and the tokenizer are kernels. */
  readonly #charFilters: CharFilterChain | null;
  /** True when the whole chain runs in kernels. */
  readonly isKernelChain: boolean;
  /** The chain of `kernelBlob` for runs in this analyzer's host. */
  readonly cursorProgram: ChainProgram;

  constructor(
    readonly name: string,
    readonly parts: AnalyzerParts,
    readonly host: AnalysisHost,
  ) {
    this.positionIncrementGap = parts.positionIncrementGap;
    this.offsetGap = parts.offsetGap ?? 1;
    this.#runner = filterRunner(host);
    let leading = 0;
    const stepped = limited(parts.filters);
    const textStages = parts.charFilters.flatMap((filter) => (filter.kind === 'kernel' ? [filter.stage] : []));
    const isFilteredByHost = textStages.length < parts.charFilters.length || (textStages.length > 0 && parts.tokenizer.kind === 'host');
    this.#charFilters = isFilteredByHost ? new CharFilterChain(parts.charFilters, host) : null;
    if (parts.tokenizer.kind === 'kernel') {
      // The host corrects offsets right after the tokenizer, so if it runs the character filters, the first program ends there.
      if (!isFilteredByHost) while (parts.filters[leading]?.kind === 'kernel') leading++;
      const stages = parts.filters.slice(0, leading).flatMap((filter) => (filter.kind === 'kernel' ? filter.stages : []));
      const before = isFilteredByHost ? [] : textStages;
      this.#head = program([...before, ...fuse([parts.tokenizer.stage, ...stages])], stepped > 0);
    } else {
      this.#head = parts.tokenizer;
    }
    this.#steps = compileSteps(parts.filters.slice(leading), stepped - leading);
    const lastStep = this.#steps.at(-1);
    this.#last = lastStep?.kind === 'kernel' ? lastStep.program : null;
    const kernels = 'blob' in this.#head && !this.#steps.length && !this.#charFilters ? this.#head : null;
    this.isKernelChain = kernels !== null;
    this.cursorProgram = kernels ?? this.#last ?? REPLAY_PROGRAM;
  }

  /** Blob for chainInit (assembly/analysis/run.ts) in any memory; its text is what `kernelInput` returns. */
  get kernelBlob(): Uint8Array {
    return this.cursorProgram.blob;
  }

  /** Input of the chain of `kernelBlob`: the text itself, or the tokens from the part that the host runs. */
  kernelInput(text: string): Uint8Array {
    if (this.isKernelChain) return encodeWtf8(text);
    return encodeTokens(this.#streamThrough(this.#last ? this.#steps.slice(0, -1) : this.#steps, text), this.#last?.isStepped);
  }

  /** Tokens of a text with relative positions. @throws ApiError: a filter refuses the text (a malformed payload) */
  stream(text: string): TokenStream {
    return this.#streamThrough(this.#steps, text);
  }

  #streamThrough(steps: readonly Step[], text: string): TokenStream {
    if (!this.#charFilters) return this.#runner.runSteps(steps, this.#tokenize(text));
    const filtered = this.#charFilters.apply(text);
    const stream = this.#tokenize(filtered.text);
    for (const token of stream.tokens) {
      token.startOffset = filtered.correct(token.startOffset);
      token.endOffset = filtered.correct(token.endOffset);
      if (token.stopOffset >= 0) token.stopOffset = filtered.correct(token.stopOffset);
    }
    stream.endOffset = filtered.correct(stream.endOffset);
    return this.#runner.runSteps(steps, stream);
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

  #tokenize(text: string): TokenStream {
    const head = this.#head;
    return 'blob' in head ? checkOffsets(runChain(this.host, head, new StringInput(text))) : head.tokenize(text);
  }
}
