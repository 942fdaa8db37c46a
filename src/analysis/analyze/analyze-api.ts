import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { HostTermData, HostTermFlag, OperationHead, RewriteOp, StageId, Stemmer } from '../../wasm/generated/analysis.ts';
import type { AnalysisRegistry, CustomChain } from '../analysis-registry.ts';
import { Analyzer } from '../analyzer.ts';
import { CharFilterChain } from '../char-filters/apply.ts';
import type { FilterFactory, TokenFilter } from '../component.ts';
import { KEYWORD_AWARE_NORMALIZATIONS } from '../filters/kernel-filters.ts';
import { DEFINED_ONLY } from '../registry.ts';
import { Settings, type SettingTree } from '../settings.ts';
import { type Token, type TokenStream, TooManyTokens } from '../tokens/token-stream.ts';
import { type AnalyzeRequest, type Part, readAnalyzeRequest } from './analyze-request.ts';

/** The target of `_analyze`: an index with its registry, or the built-in components. */
export interface AnalyzeTarget {
  /** Null without an index. */
  readonly index: string | null;
  readonly registry: AnalysisRegistry;
  /** The analysis of a field at index time; undefined for an unknown field. @throws ApiError: the field is not analyzed */
  analyzerOfField?(field: string): FieldAnalysis | undefined;
  /** Setting index.analyze.max_token_count. */
  readonly maxTokenCount?: number;
  /** Adds a message to the `Warning` header: ignored parameters of the request's components. */
  warn?(text: string): void;
}

/** Name of a text field's analyzer with the field's own position gap, or of a keyword field's normalizer, null if it has none. */
export type FieldAnalysis = { readonly analyzer: string; readonly gap?: number } | { readonly normalizer: string | null };

const DEFAULT_MAX_TOKENS = 10_000;

/** As `analyzeRequest`. @param body  request body as received, for the positions in errors */
export function analyzeText(body: string, target: AnalyzeTarget): Record<string, unknown> {
  return analyzeRequest(readAnalyzeRequest(body, target.index !== null), target);
}

/**
 * The `_analyze` operation.
 * @param target  registry of the index or the global one (`AnalysisRegistry.global`)
 * @returns the response body: `{ tokens }`, or `{ detail }` with `explain`
 * @throws ApiError as the service reports
 */
export function analyzeRequest(request: AnalyzeRequest, target: AnalyzeTarget): Record<string, unknown> {
  const limit = { left: target.maxTokenCount ?? DEFAULT_MAX_TOKENS, max: target.maxTokenCount ?? DEFAULT_MAX_TOKENS };
  const { result: chosen, warnings } = target.registry.components.withWarnings(() => choose(request, target));
  for (const warning of warnings) target.warn?.(warning);
  if (request.explain) return { detail: explain(request, chosen, limit) };
  const gap = chosen.gap ?? chosen.analyzer.positionIncrementGap;
  return { tokens: collect(request.text, chosen.analyzer, gap, (text) => chosen.analyzer.stream(text), limit).map(apiToken) };
}

interface Chosen {
  analyzer: Analyzer;
  /** Factories of a chain that the request or the index defines, for `explain`; null for other analyzers. */
  custom: CustomChain | null;
  /** Position gap between strings, if it differs from the analyzer's. */
  gap?: number;
  /** The gap in `explain`: Elasticsearch uses the innermost analyzer's there, and chains of a request have none. */
  explainGap?: number;
}

function choose(request: AnalyzeRequest, target: AnalyzeTarget): Chosen {
  const { registry } = target;
  if (request.normalizer !== null) {
    const normalizer = registry.findNormalizer(request.normalizer);
    if (!normalizer) throw illegalArgumentError(`failed to find normalizer under [${request.normalizer}]`);
    return { analyzer: normalizer, custom: registry.customChain(normalizer) ?? null };
  }
  if (request.analyzer !== null) {
    const analyzer = registry.findAnalyzer(request.analyzer);
    if (!analyzer) throw illegalArgumentError(`failed to find ${target.index === null ? 'global ' : ''}analyzer [${request.analyzer}]`);
    return { analyzer, custom: registry.customChain(analyzer) ?? null };
  }
  if (request.tokenizer !== null || request.filters.length || request.charFilters.length) return fromParts(request, target);
  if (request.field !== null) {
    if (target.index === null) throw illegalArgumentError('analysis based on a specific field requires an index');
    const names = target.analyzerOfField?.(request.field) ?? { analyzer: 'default' };
    const isText = 'analyzer' in names;
    const analyzer = isText ? registry.analyzer(names.analyzer) : registry.keywordAnalyzer(names.normalizer);
    const custom = registry.customChain(analyzer) ?? null;
    const gap = isText ? names.gap : undefined;
    return { analyzer, custom, gap, explainGap: custom ? undefined : gap };
  }
  const analyzer = registry.analyzer(target.index === null ? 'standard' : 'default');
  return { analyzer, custom: registry.customChain(analyzer) ?? null };
}

/** Assembles a chain from a tokenizer and filters of the request, or a normalizer from filters alone. */
function fromParts(request: AnalyzeRequest, target: AnalyzeTarget): Chosen {
  const { registry } = target;
  const notFound = (kind: string) => (type: string) => illegalArgumentError(`failed to find global ${kind} under [${type}]`);
  const find = <F>(
    kind: 'char_filter' | 'tokenizer' | 'filter',
    part: Part,
    named: (name: string) => F | undefined,
    build: (name: string, tree: SettingTree, unknown: (type: string) => ApiError) => F,
  ): F => {
    if (typeof part !== 'string') {
      const settings = new Settings(part);
      const type = settings.get('type');
      if (type === undefined) throw illegalArgumentError(`Missing [type] setting for anonymous ${kind}: ${settings.text()}`);
      return build(`__anonymous__${type}`, part, notFound(kind));
    }
    if (target.index === null && kind !== 'tokenizer' && DEFINED_ONLY[kind].has(part)) {
      throw illegalArgumentError("Analysis settings required - can't instantiate analysis factory");
    }
    const found = named(part);
    if (!found) throw target.index === null ? notFound(kind)(part) : illegalArgumentError(`failed to find ${kind} under [${part}]`);
    return found;
  };
  const tokenizer =
    request.tokenizer === null
      ? null
      : find(
          'tokenizer',
          request.tokenizer,
          (n) => registry.components.tokenizerNamed(n),
          (n, t, u) => registry.components.tokenizerFrom(n, t, u),
        );
  const charFilters = request.charFilters.map((part) =>
    find(
      'char_filter',
      part,
      (n) => registry.components.charFilterNamed(n),
      (n, t, u) => registry.components.charFilterFrom(n, t, u),
    ),
  );
  const findFilter = (part: Part): FilterFactory =>
    find(
      'filter',
      part,
      (n) => (target.index === null ? registry.components.filterNamed(n) : registry.components.filterAtIndex(n)),
      (n, t, u) => registry.components.filterFrom(n, t, u),
    );
  const filters = request.filters.map((part) => {
    const factory = findFilter(part);
    if (!tokenizer && !factory.normalizing) throw illegalArgumentError(`Custom normalizer may not use filter [${factory.name}]`);
    return factory;
  });
  const custom = { charFilters, tokenizer, filters };
  if (tokenizer) {
    return { analyzer: registry.assemble('', charFilters, tokenizer, filters, { filterNamed: findFilter }), custom, explainGap: 0 };
  }
  return { analyzer: registry.customNormalizer('', charFilters, filters), custom, explainGap: 0 };
}

// --- running

interface PlacedToken extends Token {
  position: number;
}

/** Concatenates the tokens of several strings, with the position gap and the analyzer's offset gap between them. */
function collect(
  texts: readonly string[],
  { offsetGap }: Analyzer,
  gap: number,
  stream: (text: string) => TokenStream,
  limit: { left: number; max: number },
): PlacedToken[] {
  const out: PlacedToken[] = [];
  let position = -1;
  let offset = 0;
  for (const text of texts) {
    const result = boundedBy(limit, () => stream(text));
    for (const token of result.tokens) {
      if (--limit.left < 0) throw tooManyTokensError(limit.max);
      position += token.posInc;
      out.push({ ...token, startOffset: token.startOffset + offset, endOffset: token.endOffset + offset, position });
    }
    position += result.endPosInc + gap;
    offset += result.endOffset + offsetGap;
  }
  return out;
}

/** Reports a text with more tokens than a list may hold as exceeding the limit of the request, which is usually lower. */
function boundedBy(limit: { max: number }, run: () => TokenStream): TokenStream {
  try {
    return run();
  } catch (error) {
    if (error instanceof TooManyTokens && limit.max <= DEFAULT_MAX_TOKENS * 100) throw tooManyTokensError(limit.max);
    throw error;
  }
}

const MARKING_STAGES: ReadonlySet<number> = new Set([
  StageId.STEM,
  StageId.STEMMER_OVERRIDE,
  StageId.KEYWORD_MARKER,
  StageId.KEYWORD_REPEAT,
  StageId.TRAILING_STOP,
  StageId.TRUNCATE,
  StageId.WORD_DELIMITER,
]);

function usesKeywordMark(filter: TokenFilter): boolean {
  if (filter.kind === 'host') return false;
  return filter.stages.some(({ id, config }) => {
    if (id === StageId.NORMALIZE) return KEYWORD_AWARE_NORMALIZATIONS.has(config[0]);
    return MARKING_STAGES.has(id) && (id !== StageId.STEM || usesMarkInRewrite(config));
  });
}

/** @param config config of the stem stage, all of whose operations read the keyword flag except these */
function usesMarkInRewrite(config: Uint8Array): boolean {
  const view = new DataView(config.buffer, config.byteOffset);
  const op = view.getUint32(OperationHead.op, true);
  if (op === RewriteOp.HOST_TERM) return view.getUint32(OperationHead.sizeof + HostTermData.flags, true) === HostTermFlag.MARK;
  return op !== Stemmer.ENGLISH_POSSESSIVE;
}

function tooManyTokensError(max: number): ApiError {
  return new ApiError(
    'illegal_state_exception',
    500,
    `The number of tokens produced by calling _analyze has exceeded the allowed maximum of [${max}]. ` +
      'This limit can be set by changing the [index.analyze.max_token_count] index level setting.',
  );
}

function apiToken(token: PlacedToken): Record<string, unknown> {
  return {
    token: token.term,
    start_offset: token.startOffset,
    end_offset: token.endOffset,
    type: token.type,
    position: token.position,
    ...(token.posLen > 1 ? { positionLength: token.posLen } : {}),
  };
}

function explain(request: AnalyzeRequest, chosen: Chosen, limit: { left: number; max: number }): Record<string, unknown> {
  const detailed = (tokens: PlacedToken[], filters: readonly TokenFilter[]): Record<string, unknown>[] => {
    const shown = { keyword: filters.some(usesKeywordMark), payload: tokens.some((token) => token.payload !== null) };
    return tokens.map((token) => explainedToken(token, request.attributes, shown));
  };
  const { analyzer, custom, explainGap: gap = analyzer.positionIncrementGap } = chosen;
  if (!custom) {
    const tokens = collect(request.text, analyzer, gap, (text) => analyzer.stream(text), limit);
    return { custom_analyzer: false, analyzer: { name: analyzer.name, tokens: detailed(tokens, analyzer.parts.filters) } };
  }
  const { parts } = analyzer;
  const kernels = analyzer.host;
  const detail: Record<string, unknown> = { custom_analyzer: true };
  detail.charfilters = custom.charFilters.map((factory, i) => ({
    name: factory.name,
    filtered_text: request.text.map((text) => new CharFilterChain(parts.charFilters.slice(0, i + 1), kernels).apply(text).text),
  }));
  const bare = new Analyzer('', { ...parts, filters: [] }, kernels);
  detail.tokenizer = {
    name: custom.tokenizer?.name ?? 'keyword',
    tokens: detailed(
      collect(request.text, analyzer, gap, (text) => bare.stream(text), { ...limit }),
      [],
    ),
  };
  detail.tokenfilters = custom.filters.map((factory, i) => {
    const filters = parts.filters.slice(0, i + 1);
    const step = new Analyzer('', { ...parts, filters }, kernels);
    const tokens = collect(request.text, analyzer, gap, (text) => step.stream(text), { ...limit });
    return { name: factory.name, tokens: detailed(tokens, filters) };
  });
  return detail;
}

function hexBytes(bytes: Uint8Array): string {
  return `[${[...bytes].map((byte) => byte.toString(16)).join(' ')}]`;
}

/** @param has optional attributes of the stream: Lucene's streams have them only if a filter reads or writes them */
function explainedToken(token: PlacedToken, attributes: Set<string>, has: { keyword: boolean; payload: boolean }): Record<string, unknown> {
  const extra: Record<string, unknown> = {
    // UTF-8 replaces a lone surrogate by a question mark.
    bytes: hexBytes(new TextEncoder().encode(token.term)),
    ...(has.keyword ? { keyword: token.keyword } : {}),
    positionLength: token.posLen,
    termFrequency: token.termFreq,
    ...(has.payload ? { payload: token.payload && hexBytes(token.payload) } : {}),
  };
  const shown = Object.entries(extra).filter(([name]) => !attributes.size || attributes.has(name.toLowerCase()));
  return { ...apiToken(token), ...Object.fromEntries(shown) };
}
