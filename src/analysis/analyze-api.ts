import { ApiError } from '../errors/api-error.ts';
import { illegalArgument } from '../errors/catalog.ts';
import type { AnalysisEnvironment, AnalysisRegistry, CustomChain } from './analysis-registry.ts';
import { type Analyzer, Analyzer as AnalyzerClass, filterEnvironment } from './analyzer.ts';
import { CharFilterChain } from './char-filters/apply.ts';
import type { FilterFactory, TokenFilter } from './component.ts';
import { HOST_TERM_FLAGS, HOST_TERM_OP } from './host-terms.ts';
import { valuePositions } from './json-positions.ts';
import { STEMMER } from './languages/stemmers.ts';
import { DEFINED_ONLY } from './registry.ts';
import type { SettingTree, SettingValue } from './settings.ts';
import { STAGE } from './stage-ids.ts';
import { type Token, type TokenStream, TooManyTokens } from './token-stream.ts';
import { encodeWtf8 } from './wtf8.ts';

/** Where `_analyze` is asked: at an index with its registry, or at the root. */
export interface AnalyzeTarget {
  /** Null at the root. */
  readonly index: string | null;
  readonly registry: AnalysisRegistry;
  /** Names of the index analyzers of a field: undefined for a field that is unknown or not analysed as text. */
  analyzerOfField?(field: string): { analyzer?: string; normalizer?: string } | undefined;
  /** index.analyze.max_token_count */
  readonly maxTokenCount?: number;
  /** Takes texts for the `Warning` header: what the request's components have and nobody reads. */
  warn?(text: string): void;
}

const DEFAULT_MAX_TOKENS = 10_000;

type Part = string | SettingTree;

interface AnalyzeRequest {
  text: string[];
  analyzer: string | null;
  field: string | null;
  normalizer: string | null;
  tokenizer: Part | null;
  filters: Part[];
  charFilters: Part[];
  explain: boolean;
  attributes: Set<string>;
}

/**
 * The `_analyze` operation.
 * @param body    request body as it came; positions of errors are read from it
 * @param target  registry of the index or the global one (`AnalysisRegistry.global`)
 * @returns the response body: `{ tokens }`, or `{ detail }` with `explain`
 * @throws ApiError as the service answers
 */
export function analyzeText(body: string, target: AnalyzeTarget): Record<string, unknown> {
  const request = parseRequest(body);
  validate(request, target);
  const limit = { left: target.maxTokenCount ?? DEFAULT_MAX_TOKENS, max: target.maxTokenCount ?? DEFAULT_MAX_TOKENS };
  const { result: chosen, warnings } = target.registry.withWarnings(() => choose(request, target));
  for (const warning of warnings) target.warn?.(warning);
  if (request.explain) return { detail: explain(request, chosen, limit) };
  return { tokens: collect(request.text, chosen.analyzer, (text) => chosen.analyzer.stream(text), limit).map(apiToken) };
}

interface Chosen {
  analyzer: Analyzer;
  /** Factories of a chain that the request or the index describes, for `explain`; null for other analyzers. */
  custom: CustomChain | null;
}

function choose(request: AnalyzeRequest, target: AnalyzeTarget): Chosen {
  const { registry } = target;
  if (request.normalizer !== null) {
    const normalizer = registry.findNormalizer(request.normalizer);
    if (!normalizer) throw illegalArgument(`failed to find normalizer under [${request.normalizer}]`);
    return { analyzer: normalizer, custom: registry.customChain(normalizer) ?? null };
  }
  if (request.analyzer !== null) {
    const analyzer = registry.findAnalyzer(request.analyzer);
    if (!analyzer) throw illegalArgument(`failed to find ${target.index === null ? 'global ' : ''}analyzer [${request.analyzer}]`);
    return { analyzer, custom: registry.customChain(analyzer) ?? null };
  }
  if (request.tokenizer !== null || request.filters.length || request.charFilters.length) return fromParts(request, target);
  if (request.field !== null) {
    if (target.index === null) throw illegalArgument('analysis based on a specific field requires an index');
    const names = target.analyzerOfField?.(request.field);
    const normalizer = names?.normalizer === undefined ? undefined : registry.findNormalizer(names.normalizer);
    const analyzer = normalizer ?? registry.analyzer(names?.normalizer === undefined ? (names?.analyzer ?? 'default') : 'keyword');
    return { analyzer, custom: registry.customChain(analyzer) ?? null };
  }
  const analyzer = registry.analyzer('default');
  return { analyzer, custom: registry.customChain(analyzer) ?? null };
}

/** A chain from a tokenizer and filters of the request, or a normalizer from filters alone. */
function fromParts(request: AnalyzeRequest, target: AnalyzeTarget): Chosen {
  const { registry } = target;
  const notFound = (kind: string) => (type: string) => illegalArgument(`failed to find global ${kind} under [${type}]`);
  const find = <F>(
    kind: 'char_filter' | 'tokenizer' | 'filter',
    part: Part,
    named: (name: string) => F | undefined,
    build: (name: string, tree: SettingTree, unknown: (type: string) => ApiError) => F,
  ): F => {
    if (typeof part !== 'string') {
      if (part.type === undefined)
        throw illegalArgument(`Missing [type] setting for anonymous ${kind}: ${JSON.stringify(stringLeaves(part))}`);
      return build(`__anonymous__${part.type}`, part, notFound(kind));
    }
    if (target.index === null && kind !== 'tokenizer' && DEFINED_ONLY[kind].has(part)) {
      throw illegalArgument("Analysis settings required - can't instantiate analysis factory");
    }
    const found = named(part);
    if (!found) throw target.index === null ? notFound(kind)(part) : illegalArgument(`failed to find ${kind} under [${part}]`);
    return found;
  };
  const charFilters = request.charFilters.map((part) =>
    find(
      'char_filter',
      part,
      (n) => registry.charFilterNamed(n),
      (n, t, u) => registry.charFilterFrom(n, t, u),
    ),
  );
  const tokenizer =
    request.tokenizer === null
      ? null
      : find(
          'tokenizer',
          request.tokenizer,
          (n) => registry.tokenizerNamed(n),
          (n, t, u) => registry.tokenizerFrom(n, t, u),
        );
  const findFilter = (part: Part): FilterFactory =>
    find(
      'filter',
      part,
      (n) => (target.index === null ? registry.filterNamed(n) : registry.filterAtIndex(n)),
      (n, t, u) => registry.filterFrom(n, t, u),
    );
  const filters = request.filters.map(findFilter);
  const custom = { charFilters, tokenizer, filters };
  if (tokenizer) return { analyzer: registry.assemble('', charFilters, tokenizer, filters, { filterNamed: findFilter }), custom };
  for (const factory of filters) {
    if (!factory.normalizing) throw illegalArgument(`Custom normalizer may not use filter [${factory.name}]`);
  }
  return { analyzer: registry.customNormalizer('', charFilters, filters), custom };
}

// --- running

interface PlacedToken extends Token {
  position: number;
}

/** Tokens of several texts one behind the other: positions with the analyzer's gap, offsets with a gap of one. */
function collect(
  texts: readonly string[],
  analyzer: Analyzer,
  stream: (text: string) => TokenStream,
  limit: { left: number; max: number },
): PlacedToken[] {
  const out: PlacedToken[] = [];
  let position = -1;
  let offset = 0;
  for (const text of texts) {
    const result = boundedBy(limit, () => stream(text));
    for (const token of result.tokens) {
      if (--limit.left < 0) throw tooManyTokens(limit.max);
      position += token.posInc;
      out.push({ ...token, startOffset: token.startOffset + offset, endOffset: token.endOffset + offset, position });
    }
    position += result.endPosInc + analyzer.positionIncrementGap;
    offset += result.endOffset + analyzer.offsetGap;
  }
  return out;
}

/** More tokens than a list holds are more than the request may have, mostly. */
function boundedBy(limit: { max: number }, run: () => TokenStream): TokenStream {
  try {
    return run();
  } catch (error) {
    if (error instanceof TooManyTokens && limit.max <= DEFAULT_MAX_TOKENS * 100) throw tooManyTokens(limit.max);
    throw error;
  }
}

const MARKING_STAGES: ReadonlySet<number> = new Set([
  STAGE.STEM,
  STAGE.STEMMER_OVERRIDE,
  STAGE.KEYWORD_MARKER,
  STAGE.KEYWORD_REPEAT,
  STAGE.TRAILING_STOP,
  STAGE.WORD_DELIMITER,
]);

function usesKeywordMark(filter: TokenFilter): boolean {
  if (filter.kind === 'host') return false;
  return filter.stages.some(({ id, config }) => MARKING_STAGES.has(id) && (id !== STAGE.STEM || usesMarkInRewrite(config)));
}

/** @param config of the stem stage: all of its operations but these look at the mark */
function usesMarkInRewrite(config: Uint8Array): boolean {
  const view = new DataView(config.buffer, config.byteOffset);
  const op = view.getUint32(0, true);
  if (op === HOST_TERM_OP) return view.getUint32(12, true) === HOST_TERM_FLAGS.mark;
  return op !== STEMMER.ENGLISH_POSSESSIVE;
}

function tooManyTokens(max: number): ApiError {
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
    const hasMark = filters.some(usesKeywordMark);
    return tokens.map((token) => explainedToken(token, request.attributes, hasMark));
  };
  const { analyzer, custom } = chosen;
  if (!custom) {
    const tokens = collect(request.text, analyzer, (text) => analyzer.stream(text), limit);
    return { custom_analyzer: false, analyzer: { name: analyzer.name, tokens: detailed(tokens, analyzer.parts.filters) } };
  }
  const { parts } = analyzer;
  const kernels = (analyzer as unknown as { host: AnalysisEnvironment['host'] }).host;
  const detail: Record<string, unknown> = { custom_analyzer: true };
  detail.charfilters = custom.charFilters.map((factory, i) => ({
    name: factory.name,
    filtered_text: request.text.map((text) => new CharFilterChain(parts.charFilters.slice(0, i + 1), kernels).apply(text).text),
  }));
  const host = filterEnvironment(kernels);
  const bare = new AnalyzerClass('', { ...parts, filters: [] }, kernels);
  detail.tokenizer = {
    name: custom.tokenizer?.name ?? 'keyword',
    tokens: detailed(
      collect(request.text, analyzer, (text) => bare.stream(text), { ...limit }),
      [],
    ),
  };
  detail.tokenfilters = custom.filters.map((factory, i) => {
    const filters = parts.filters.slice(0, i + 1);
    const tokens = collect(request.text, analyzer, (text) => host.run(filters, bare.stream(text)), { ...limit });
    return { name: factory.name, tokens: detailed(tokens, filters) };
  });
  return detail;
}

/** @param hasMark  the stream knows keywords: Lucene's has that attribute only where a filter asks for it */
function explainedToken(token: PlacedToken, attributes: Set<string>, hasMark: boolean): Record<string, unknown> {
  const extra: Record<string, unknown> = {
    bytes: `[${[...encodeWtf8(token.term)].map((byte) => byte.toString(16)).join(' ')}]`,
    ...(hasMark ? { keyword: token.keyword } : {}),
    positionLength: token.posLen,
    termFrequency: token.termFreq,
    ...(token.payload ? { payload: `[${[...token.payload].map((byte) => byte.toString(16)).join(' ')}]` } : {}),
  };
  const shown = Object.entries(extra).filter(([name]) => !attributes.size || attributes.has(name.toLowerCase()));
  return { ...apiToken({ ...token, posLen: 1 }), ...Object.fromEntries(shown) };
}

// --- the request

function parseRequest(body: string): AnalyzeRequest {
  const request: AnalyzeRequest = {
    text: [],
    analyzer: null,
    field: null,
    normalizer: null,
    tokenizer: null,
    filters: [],
    charFilters: [],
    explain: false,
    attributes: new Set(),
  };
  const tree = JSON.parse(body) as Record<string, SettingValue>;
  for (const [key, value] of Object.entries(tree)) parseField(request, key, value, body);
  return request;
}

function parseField(request: AnalyzeRequest, key: string, value: SettingValue, body: string): void {
  const wrongType = (): ApiError => xContent(body, [key], `${key} doesn't support values of type: ${eventName(value)}`);
  switch (key) {
    case 'text':
      if (typeof value === 'string') request.text = [value];
      else if (Array.isArray(value)) request.text = value.map((item, i) => textItem(item, i, body));
      else throw wrongType();
      return;
    case 'analyzer':
    case 'field':
    case 'normalizer':
      if (typeof value !== 'string') throw wrongType();
      request[key] = value;
      return;
    case 'tokenizer':
      if (typeof value !== 'string' && !isObject(value)) throw wrongType();
      request.tokenizer = value as Part;
      return;
    case 'filter':
    case 'char_filter': {
      // One definition may stand without its list, one name may not.
      const items = isObject(value) ? [value] : value;
      if (!Array.isArray(items)) throw wrongType();
      const parts = items.map((item, i) => {
        if (typeof item !== 'string' && !isObject(item)) throw wrongItem(body, key, i, item);
        return item as Part;
      });
      if (key === 'filter') request.filters = parts;
      else request.charFilters = parts;
      return;
    }
    case 'explain':
      if (typeof value !== 'boolean' && value !== 'true' && value !== 'false') throw wrongType();
      request.explain = String(value) === 'true';
      return;
    case 'attributes':
      request.attributes = new Set((Array.isArray(value) ? value : [value]).map((name) => String(name).toLowerCase()));
      return;
    default: {
      const at = valuePositions(body, [key]).key;
      throw new ApiError('x_content_parse_exception', 400, `[${at.line}:${at.col}] [analyze_request] unknown field [${key}]`);
    }
  }
}

function textItem(item: SettingValue, index: number, body: string): string {
  if (item !== null && typeof item !== 'object') return String(item);
  const at = valuePositions(body, ['text', index]).value;
  const reason = item === null ? `Can't get text on a VALUE_NULL at ${at.line}:${at.col}` : `expected value but got [${eventName(item)}]`;
  throw xContent(body, ['text', index], 'failed to parse field [text]', new ApiError('illegal_state_exception', 500, reason));
}

function wrongItem(body: string, key: string, index: number, item: SettingValue): ApiError {
  const { line, col } = valuePositions(body, [key, index]).value;
  const reason = `[${line}:${col}] Expected [VALUE_STRING] or [START_OBJECT], got ${eventName(item)}`;
  return xContent(body, [key, index], `failed to parse field [${key}]`, new ApiError('x_content_parse_exception', 400, reason));
}

function xContent(body: string, path: (string | number)[], text: string, causedBy: ApiError | null = null): ApiError {
  const { line, col } = valuePositions(body, path).value;
  return new ApiError('x_content_parse_exception', 400, `[${line}:${col}] [analyze_request] ${text}`, { causedBy });
}

function eventName(value: SettingValue): string {
  if (value === null) return 'VALUE_NULL';
  if (Array.isArray(value)) return 'START_ARRAY';
  return { string: 'VALUE_STRING', number: 'VALUE_NUMBER', boolean: 'VALUE_BOOLEAN' }[typeof value as string] ?? 'START_OBJECT';
}

function isObject(value: SettingValue): boolean {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

function stringLeaves(tree: SettingTree): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(tree).map(([key, value]) => [key, value !== null && typeof value === 'object' ? value : String(value)]),
  );
}

function validate(request: AnalyzeRequest, target: AnalyzeTarget): void {
  const problems: string[] = [];
  const parts = request.tokenizer !== null || request.filters.length > 0 || request.charFilters.length > 0;
  if (!request.text.length) problems.push('text is missing');
  if (target.index === null && request.normalizer !== null) problems.push('index is required if normalizer is specified');
  if (request.normalizer !== null && (request.tokenizer !== null || request.analyzer !== null)) {
    problems.push('tokenizer/analyze should be null if normalizer is specified');
  }
  if (request.analyzer !== null && parts) problems.push('cannot define extra components on a named analyzer');
  if (request.normalizer !== null && parts) problems.push('cannot define extra components on a named normalizer');
  if (!problems.length) return;
  const reason = `Validation Failed: ${problems.map((problem, i) => `${i + 1}: ${problem};`).join('')}`;
  throw new ApiError('action_request_validation_exception', 400, reason);
}
