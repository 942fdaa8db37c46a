// What tokenizers, filters and analyzers are made of, and what their factories are told.
import type { AnalysisHost } from '../wasm/analysis.ts';
import type { KernelStage } from './blob.ts';
import type { ConfigFiles } from './config-files.ts';
import type { Settings } from './settings.ts';
import type { TokenStream } from './tokens/token-stream.ts';

/** Text on its way through character filters; `correct` maps an offset in `text` to one in the original. */
export interface FilteredText {
  readonly text: string;
  correct(offset: number): number;
}

/** A character filter is a kernel stage or a function of the whole text. */
export type CharFilter =
  | { readonly kind: 'kernel'; readonly stage: KernelStage }
  | { readonly kind: 'host'; apply(input: FilteredText): FilteredText };

/** A tokenizer is a kernel stage or a function of the whole text. */
export type Tokenizer =
  | { readonly kind: 'kernel'; readonly stage: KernelStage }
  | { readonly kind: 'host'; tokenize(text: string): TokenStream };

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

/** Index settings that bound components. */
export interface AnalysisLimits {
  readonly maxNgramDiff: number;
  readonly maxShingleDiff: number;
}

/** What a factory knows when it reads its parameters. */
export interface BuildContext {
  /** Name in the settings, or the type for a component of a request. */
  readonly name: string;
  readonly type: string;
  /** Named in a chain without a definition of its own; a few components have other defaults then. */
  readonly isBuiltIn: boolean;
  readonly settings: Settings;
  readonly limits: AnalysisLimits;
  readonly files: ConfigFiles | null;
  /** Collects texts for the `Warning` header. */
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

/** The chain around a filter while an analyzer is assembled. */
export interface ChainContext {
  readonly host: AnalysisHost;
  readonly tokenizer: TokenizerFactory;
  readonly charFilters: readonly CharFilterFactory[];
  readonly previous: readonly FilterFactory[];
  /** Names of the filters that this one stands in. */
  readonly around: readonly string[];
  /** Filters of the chain that stand in others. */
  readonly nested: { count: number };
  filterNamed(name: string): FilterFactory | undefined;
  analyzerNamed(name: string): { stream(text: string): TokenStream } | undefined;
}

export interface FilterFactory {
  readonly name: string;
  /** May stand in a normalizer. */
  readonly normalizing: boolean;
  /** In the chain that analyses the rules of a synonym filter behind it: used, left out, or an error. */
  readonly inSynonymRules: 'used' | 'skipped' | 'refused';
  /** It may change (`updateable`), so it may stand in search analyzers only, which are read anew on demand. */
  readonly isUpdateable?: boolean;
  /** @throws ApiError: reported as "Failed to build analyzers" when index settings are read */
  create(chain: ChainContext): TokenFilter;
}

/** A parameter of a component: for documentation, warnings about unknown ones, and `gannet analyze --help`. */
export type ParameterKind = 'int' | 'bool' | 'string' | 'char' | 'list' | 'script';

export interface ComponentEntry<F> {
  readonly type: string;
  /** Parameter names with kind and default, as `name: kind = default`. */
  readonly params: readonly string[];
  readonly build: (context: BuildContext) => F;
}

export function kernelFilter(id: number, config: Uint8Array): TokenFilter {
  return { kind: 'kernel', stages: [{ id, config }] };
}
