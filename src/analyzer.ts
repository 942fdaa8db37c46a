// `gannet/analyzer`: text analysis alone, in browsers and, through analyzer-node.ts, in Node. The same chains as in the service, from the same
// JSON. Nothing here or below may use what Node alone has.
import { instantiate } from '@assemblyscript/loader';
import { AnalysisRegistry, type AnalysisSettings } from './analysis/analysis-registry.ts';
import { analyzeText } from './analysis/analyze/analyze-api.ts';
import type { AnalyzedToken, Analyzer } from './analysis/analyzer.ts';
import { type ConfigFiles, type FileTexts, filesOfTexts } from './analysis/config-files.ts';
import { type HighlightOptions, highlight } from './analysis/highlight.ts';
import { loadWords, wordLanguages } from './analysis/languages/words.ts';
import { ANALYZERS } from './analysis/registry.ts';
import { TokenCursor } from './analysis/tokens/token-cursor.ts';
import { illegalArgument } from './errors/catalog.ts';
import { AnalysisHost, analysisMemory } from './wasm/analysis.ts';
import type { AnalyzerExports } from './wasm/generated/exports.ts';
import { hostCalls } from './wasm/host-calls.ts';

export type { AnalysisSettings } from './analysis/analysis-registry.ts';
export type { AnalyzedToken } from './analysis/analyzer.ts';
export type { ConfigFiles, FileTexts } from './analysis/config-files.ts';
export type { HighlightOptions } from './analysis/highlight.ts';
export type { HunspellSource } from './analysis/hunspell/dictionary.ts';
export type { TokenCursor } from './analysis/tokens/token-cursor.ts';
export { ApiError } from './errors/api-error.ts';

/** What the kernels can be loaded from: bytes, a compiled module, or a response that is on its way. */
export type AnalyzerSource = Uint8Array | ArrayBuffer | WebAssembly.Module | PromiseLike<unknown>;

export interface LoadOptions {
  /** analyzer.wasm; by default the file beside this module is fetched. */
  wasm?: AnalyzerSource;
  /** Custom analyzers, as under `settings` of an index: `{ analysis: { analyzer: ..., filter: ... } }`. */
  settings?: AnalysisSettings;
  /** Files that definitions name (`synonyms_path`, the dictionaries of `hunspell`...): their texts by path, or something that reads them. */
  files?: FileTexts | ConfigFiles;
  /**
   * Languages whose stop words and dictionaries a browser loads, by the names of their analyzers, and `kstem`; by default all. In Node they are
   * at hand and read when they are used.
   */
  languages?: readonly string[];
}

/** Analyzers by name: the built-in ones and those of the settings. Belongs to one thread; calls do not overlap. */
export class TextAnalysis {
  readonly #host: AnalysisHost;
  readonly #files: ConfigFiles | null;
  readonly #registry: AnalysisRegistry;
  /** The analyzer that was asked for last: most texts go through the same one as the text before, and a short one feels the search for its name. */
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

  /** Texts for what the settings have and nobody reads. */
  get warnings(): readonly string[] {
    return this.#registry.warnings;
  }

  /** Another set of analyzers over the same kernels. @throws ApiError: what the service answers to bad settings */
  define(settings: AnalysisSettings): TextAnalysis {
    return new TextAnalysis(this.#host, this.#files, settings);
  }

  /** Tokens of a text. @throws ApiError illegal_argument_exception: no such analyzer */
  analyze(text: string, analyzer = 'standard'): AnalyzedToken[] {
    return this.#registry.analyze(analyzer, text);
  }

  /**
   * Calls `visit` for each token without making an object for it: the cursor is one and the same, and what it tells is valid during the call.
   * @returns how many tokens there were
   */
  forEachToken(text: string, visit: (token: TokenCursor) => void, analyzer = 'standard'): number {
    return new TokenCursor(this.#host).run(this.#named(analyzer), text, visit);
  }

  /**
   * The tokens one after the other: `while (tokens.next()) use(tokens.startOffset)`. One cursor for all of them, which ends when the next text is
   * analysed.
   */
  tokens(text: string, analyzer = 'standard'): TokenCursor {
    return new TokenCursor(this.#host).start(this.#named(analyzer), text);
  }

  #named(name: string): Analyzer {
    if (this.#last?.name !== name) this.#last = { name, analyzer: this.#registry.analyzer(name) };
    return this.#last.analyzer;
  }

  /** The text as one token through a normalizer of the settings, or `lowercase`. */
  normalize(text: string, normalizer = 'lowercase'): string {
    return this.#registry.normalize(normalizer, text);
  }

  /** Fragments of the text in which tokens of the query are marked. */
  highlight(text: string, query: string, options: HighlightOptions = {}): string[] {
    const analyzer: Analyzer = this.#registry.analyzer(options.analyzer ?? 'standard');
    return highlight(analyzer, text, query, options);
  }

  /** The `_analyze` request of the service: body in, answer out. @throws ApiError */
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
  // The loader's types know no functions of one's own.
  const env: Record<string, unknown> = { memory, ...hostCalls(memory) };
  const module = await instantiate(source as Parameters<typeof instantiate>[0], { env });
  // The module and the interface are built from the same sources, which no type can express.
  const exports = module.instance.exports as unknown as AnalyzerExports;
  exports._start();
  await words;
  return new TextAnalysis(new AnalysisHost({ exports, memory }), filesOf(options.files), options.settings ?? {});
}

/** @throws ApiError illegal_argument_exception: `languages` cannot contain this name */
export function checkLanguages(languages: readonly string[]): void {
  const unknown = languages.find((language) => !wordLanguages().includes(language));
  if (unknown !== undefined) throw illegalArgument(`unknown language [${unknown}], there are [${[...wordLanguages()].sort().join(', ')}]`);
}

function filesOf(files: LoadOptions['files']): ConfigFiles | null {
  if (!files) return null;
  return typeof files.read === 'function' ? (files as ConfigFiles) : filesOfTexts(files as FileTexts);
}

/** @throws Error: it is not there. Servers of single pages answer with their page then. */
async function fetchBeside(): Promise<unknown> {
  const { fetch } = globalThis as unknown as { fetch(url: URL): Promise<FetchedFile> };
  const url = new URL('../build/analyzer.wasm', import.meta.url);
  const response = await fetch(url);
  if (!response.ok || response.headers.get('content-type')?.startsWith('text/html')) {
    throw new Error(`there is no analyzer.wasm at ${url}: give its address, as in loadAnalyzer({ wasm: fetch(address) })`);
  }
  return response;
}

/** What is used of the browser's Response. */
interface FetchedFile {
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null };
}
