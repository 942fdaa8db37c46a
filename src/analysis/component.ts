// Interfaces of character filters, tokenizers, token filters and analyzers, and of the factories that build them from settings.
import type { Dialect } from '../compat/dialect.ts';
import type { AnalysisHost } from '../wasm/analysis.ts';
import type { KernelStage } from './blob.ts';
import type { ConfigFiles } from './config-files.ts';
import type { Settings } from './settings.ts';
import type { TokenStream } from './tokens/token-stream.ts';

/** Text between character filters; `correct` maps an offset in `text` to one in the original. */
export interface FilteredText {
  readonly text: string;
  correct(offset: number): number;
}

/** A character filter is a kernel stage or a function of the whole text. */
export type CharFilter =
  | { readonly kind: 'kernel'; readonly stage: KernelStage }
  | { readonly kind: 'host'; apply(input: FilteredText): FilteredText };

/** A tokenizer is a kernel stage or a function of the whole text. */
export type Tokenizer = { readonly kind: 'kernel'; readonly stage: KernelStage } | HostTokenizer;

export interface HostTokenizer {
  readonly kind: 'host';
  tokenize(text: string): TokenStream;
}

/** A token filter is one or more kernel stages, or a function of the whole stream. */
export type TokenFilter = { readonly kind: 'kernel'; readonly stages: readonly KernelStage[] } | HostFilter;

export interface HostFilter {
  readonly kind: 'host';
  apply(stream: TokenStream, env: FilterEnvironment): TokenStream;
}

export interface FilterEnvironment {
  /** Runs other filters over a stream, in order. */
  run(filters: readonly TokenFilter[], stream: TokenStream): TokenStream;
}

/** Index settings that limit components. */
export interface AnalysisLimits {
  readonly maxNgramDiff: number;
  readonly maxShingleDiff: number;
}

/** The context in which a factory reads its parameters. */
export interface BuildContext {
  /** Name in the settings, or the type of a component in a request. */
  readonly name: string;
  readonly type: string;
  /** True if a chain names the component without defining it; a few components have other defaults then. */
  readonly isBuiltIn: boolean;
  readonly settings: Settings;
  readonly limits: AnalysisLimits;
  readonly files: ConfigFiles | null;
  readonly dialect: Dialect;
  /** Rules of a synonyms set, null if there is none. Absent if there are no sets. */
  readonly synonymSet?: (name: string) => readonly string[] | null;
  /** Adds a message to the `Warning` header. */
  warn(text: string): void;
}

export interface CharFilterFactory {
  readonly name: string;
  readonly normalizing: boolean;
  create(): CharFilter;
}

export interface TokenizerFactory {
  readonly name: string;
  create(): Tokenizer;
}

/** The chain that contains a filter, while an analyzer is assembled. */
export interface ChainContext {
  readonly host: AnalysisHost;
  readonly tokenizer: TokenizerFactory;
  readonly charFilters: readonly CharFilterFactory[];
  readonly previous: readonly FilterFactory[];
  /** Names of the filters that contain this one, outermost first. */
  readonly around: readonly string[];
  /** Number of filters in the chain that are inside others. */
  readonly nested: { count: number };
  filterNamed(name: string): FilterFactory | undefined;
  analyzerNamed(name: string): { stream(text: string): TokenStream } | undefined;
}

export interface FilterFactory {
  readonly name: string;
  /** True if the filter may be used in a normalizer. */
  readonly normalizing: boolean;
  /** Treatment of the filter in the chain that analyzes the rules of a later synonym filter: used, skipped, or an error. */
  readonly inSynonymRules: 'used' | 'skipped' | 'refused';
  /** True if its file may change (`updateable`). Then only search analyzers, which can be reloaded, may use it. */
  readonly isUpdateable?: boolean;
  /** @throws ApiError: reported as "Failed to build analyzers" when index settings are read */
  create(chain: ChainContext): TokenFilter;
}

export interface ComponentEntry<F> {
  readonly type: string;
  /** Parameter names with kind and default, as `name: kind = default`. */
  readonly params: readonly string[];
  readonly build: (context: BuildContext) => F;
}

/** Components of an analyzer, assembled. */
export interface AnalyzerParts {
  readonly charFilters: readonly CharFilter[];
  readonly tokenizer: Tokenizer;
  readonly filters: readonly TokenFilter[];
  readonly positionIncrementGap: number;
  readonly offsetGap?: number;
}

export type AnalyzerEntry = ComponentEntry<() => Omit<AnalyzerParts, 'positionIncrementGap'>>;

export function kernelFilter(id: number, config: Uint8Array): TokenFilter {
  return { kind: 'kernel', stages: [{ id, config }] };
}
