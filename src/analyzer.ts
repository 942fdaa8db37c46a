// `gannet/analyzer`: text analysis alone, in browsers and, through analyzer-node.ts, in Node. It builds the same chains as the service from the same
// JSON. Neither this file nor anything it imports may use Node's own modules.
import { instantiate } from '@assemblyscript/loader';
import { AnalysisRegistry } from './analysis/analysis-registry.ts';
import { analyzeText } from './analysis/analyze/analyze-api.ts';
import type { Analyzer } from './analysis/analyzer.ts';
import type { AnalysisSettings } from './analysis/component-table.ts';
import { type ConfigFiles, type FileTexts, filesOfTexts } from './analysis/config-files.ts';
import { type HighlightOptions, highlight } from './analysis/highlight.ts';
import { loadWords, wordLanguages } from './analysis/languages/words.ts';
import { ANALYZERS } from './analysis/registry.ts';
import type { AnalyzedToken } from './analysis/tokens/analyzed-token.ts';
import { TokenCursor } from './analysis/tokens/token-cursor.ts';
import { illegalArgumentError } from './errors/catalog.ts';
import { AnalysisHost, analysisMemory } from './wasm/analysis.ts';
import type { AnalyzerExports } from './wasm/generated/exports.ts';
import { hostCalls } from './wasm/host-calls.ts';

export type { AnalysisSettings } from './analysis/component-table.ts';
export type { ConfigFiles, FileTexts } from './analysis/config-files.ts';
export type { HighlightOptions } from './analysis/highlight.ts';
export type { HunspellSource } from './analysis/hunspell/dictionary.ts';
export type { AnalyzedToken } from './analysis/tokens/analyzed-token.ts';
export type { TokenCursor } from './analysis/tokens/token-cursor.ts';
export { ApiError } from './errors/api-error.ts';

/** Where the kernels are loaded from: bytes, a compiled module, or the promise of a response. */
export type AnalyzerSource = Uint8Array | ArrayBuffer | WebAssembly.Module | PromiseLike<unknown>;

export interface LoadOptions {
  /** analyzer.wasm; by default the file next to this module is fetched. */
  wasm?: AnalyzerSource;
  /** Custom analyzers, as in the `settings` of an index: `{ analysis: { analyzer: ..., filter: ... } }`. */
  settings?: AnalysisSettings;
  /** Files that definitions name (`synonyms_path`, the dictionaries of `hunspell`...): contents by path, or an object that reads them. */
  files?: FileTexts | ConfigFiles;
  /**
   * Languages whose stop words and dictionaries a browser loads: names of analyzers, and `kstem`; all by default. In Node all languages are available
   * and read on first use.
   */
  languages?: readonly string[];
}

/** Analyzers by name: the built-in ones and those of the settings. Belongs to one thread; calls must not overlap. */
export class TextAnalysis {
  readonly #host: AnalysisHost;
  readonly #files: ConfigFiles | null;
  readonly #registry: AnalysisRegistry;
  /** The analyzer used last. Most strings use the same one as the string before, and for short strings the look-up by name is noticeable. */
  #last: { name: string; analyzer: Analyzer } | null = null;

  constructor(host: AnalysisHost, files: ConfigFiles | null, settings: AnalysisSettings) {
    this.#host = host;
    this.#files = files;
    this.#registry = AnalysisRegistry.build({ host, files }, settings);
  }

  /** Names of all analyzers: those of the settings, then the built-in ones. */
  get analyzers(): string[] {
    return [...new Set([...this.#registry.definedAnalyzers(), ...ANALYZERS.keys()])];
  }

  /** Messages about parts of the settings that are ignored. */
  get warnings(): readonly string[] {
    return this.#registry.warnings;
  }

  /** Another set of analyzers that shares the kernels. @throws ApiError: invalid settings, as the service reports them */
  define(settings: AnalysisSettings): TextAnalysis {
    return new TextAnalysis(this.#host, this.#files, settings);
  }

  /** Tokens of a text. @throws ApiError illegal_argument_exception: no such analyzer */
  analyze(text: string, analyzer = 'standard'): AnalyzedToken[] {
    return this.#registry.analyze(analyzer, text);
  }

  /**
   * Calls `visit` for each token without creating an object for it: all calls share one cursor, which is only valid during the call.
   * @returns the number of tokens
   */
  forEachToken(text: string, visit: (token: TokenCursor) => void, analyzer = 'standard'): number {
    return new TokenCursor(this.#host).run(this.#named(analyzer), text, visit);
  }

  /**
   * Iterates over the tokens: `while (tokens.next()) use(tokens.startOffset)`. The cursor is shared by all tokens, and lost when another text is
   * analyzed.
   */
  tokens(text: string, analyzer = 'standard'): TokenCursor {
    return new TokenCursor(this.#host).start(this.#named(analyzer), text);
  }

  #named(name: string): Analyzer {
    if (this.#last?.name !== name) this.#last = { name, analyzer: this.#registry.analyzer(name) };
    return this.#last.analyzer;
  }

  /** Normalizes the text to one token by a normalizer of the settings, or `lowercase`. */
  normalize(text: string, normalizer = 'lowercase'): string {
    return this.#registry.normalize(normalizer, text);
  }

  /** Fragments of the text in which tokens of the query are marked. */
  highlight(text: string, query: string, options: HighlightOptions = {}): string[] {
    const analyzer: Analyzer = this.#registry.analyzer(options.analyzer ?? 'standard');
    return highlight(analyzer, text, query, options);
  }

  /** The `_analyze` request of the service: takes its body and returns its response. @throws ApiError */
  request(body: Record<string, unknown>): Record<string, unknown> {
    return analyzeText(JSON.stringify(body), { index: 'settings', registry: this.#registry });
  }
}

/** Loads the kernels and builds the analyzers. @throws ApiError: bad settings, an unknown language */
export async function loadAnalyzer(options: LoadOptions = {}): Promise<TextAnalysis> {
  checkLanguages(options.languages ?? []);
  const words = loadWords(options.languages ?? null);
  const memory = analysisMemory();
  const source = options.wasm ?? fetchBeside();
  // The loader's types do not include functions supplied by the host.
  const env: Record<string, unknown> = { memory, ...hostCalls(memory) };
  const module = await instantiate(source as Parameters<typeof instantiate>[0], { env });
  // biome-ignore lint/plugin: the module and the interface are built from the same sources, which no type can express
  const exports = module.instance.exports as unknown as AnalyzerExports;
  exports._start();
  await words;
  return new TextAnalysis(new AnalysisHost({ exports, memory }), filesOf(options.files), options.settings ?? {});
}

/** @throws ApiError illegal_argument_exception: `languages` cannot contain this name */
export function checkLanguages(languages: readonly string[]): void {
  const unknown = languages.find((language) => !wordLanguages().includes(language));
  if (unknown !== undefined)
    throw illegalArgumentError(`unknown language [${unknown}], there are [${[...wordLanguages()].sort().join(', ')}]`);
}

function filesOf(files: LoadOptions['files']): ConfigFiles | null {
  if (!files) return null;
  return typeof files.read === 'function' ? (files as ConfigFiles) : filesOfTexts(files as FileTexts);
}

/** @throws Error: the file does not exist. Servers of single-page applications respond with their page then. */
async function fetchBeside(): Promise<unknown> {
  const { fetch } = globalThis as { fetch(url: URL): Promise<FetchedFile> };
  const url = new URL('../build/analyzer.wasm', import.meta.url);
  const response = await fetch(url);
  if (!response.ok || response.headers.get('content-type')?.startsWith('text/html')) {
    throw new Error(`there is no analyzer.wasm at ${url}: give its address, as in loadAnalyzer({ wasm: fetch(address) })`);
  }
  return response;
}

/** The part of the browser's Response that is used. */
interface FetchedFile {
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null };
}
