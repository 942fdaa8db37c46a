// Analyzers and normalizers of an index: chains assembled from the components of component-table.ts.
import { canMove, isLane, TooHeavy } from '../common/turns/turn.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { Analyzer } from './analyzer.ts';
import type { ChainContext, CharFilterFactory, FilterFactory, TokenFilter, TokenizerFactory } from './component.ts';
import { type AnalysisEnvironment, type AnalysisSettings, ComponentTable } from './component-table.ts';
import { LazyMap } from './lazy-map.ts';
import { KEYWORD_TOKENIZER, normalizingParts, onlyTerm } from './normalizing.ts';
import { ANALYZERS, buildComponent } from './registry.ts';
import { deriveAnalyzer, parseDerivedName } from './search-as-you-type.ts';
import { definitionsOf, Settings, type SettingTree } from './settings.ts';
import type { AnalyzedToken } from './tokens/analyzed-token.ts';

/** Longer texts take most of a turn: 50,000 characters take 25 to 60 ms. */
const LONG_TEXT_CHARS = 32 << 10;

/** Char filters or token filters of one analyzer: each takes memory, and a pass over every text. */
const MAX_CHAIN = 1000;

/** Components of a custom analyzer. */
export interface CustomChain {
  readonly charFilters: readonly CharFilterFactory[];
  readonly tokenizer: TokenizerFactory | null;
  readonly filters: readonly FilterFactory[];
}

const DEFAULT_POSITION_GAP = 100;

/**
 * Analyzers and normalizers of an index by name, and the built-in ones. Built from settings alone, so that all threads get the same chains from the
 * same settings. Immutable afterwards, except that built-in components are created on first use.
 */
export class AnalysisRegistry {
  /** Char filters, tokenizers and token filters of the index, and the built-in ones. */
  readonly components: ComponentTable;
  readonly #analyzers = new LazyMap<Analyzer>();
  readonly #normalizers = new LazyMap<Analyzer>();
  /** Analyzers that the settings define, with the names of their token filters. */
  readonly #defined = new Map<string, readonly string[]>();
  readonly #normalizingChains = new Map<string, Analyzer>();
  readonly #chains = new WeakMap<Analyzer, CustomChain>();

  readonly #env: AnalysisEnvironment;
  /** Position gap of built-in analyzers: 100 for fields, 0 for `_analyze` without an index. */
  readonly #builtInGap: number;

  private constructor(env: AnalysisEnvironment, settings: AnalysisSettings, builtInGap: number) {
    this.#env = env;
    this.#builtInGap = builtInGap;
    this.components = new ComponentTable(env, settings);
  }

  /**
   * @throws ApiError illegal_argument_exception and others, as the service reports when an index is created with invalid settings; errors of
   * assembling analyzers are collected under "Failed to build analyzers"
   */
  static build(env: AnalysisEnvironment, settings: AnalysisSettings): AnalysisRegistry {
    const registry = AnalysisRegistry.restore(env, settings);
    registry.components.buildDefined();
    const analysis = settings.analysis ?? {};
    registry.#buildAnalyzers(definitionsOf(analysis, 'analyzer'));
    registry.#checkNames([...registry.#defined.keys()]);
    for (const name of registry.#normalizers.names()) registry.#normalizers.get(name);
    return registry;
  }

  /** As `build`, for settings that were checked before. Analyzers are built on first use, which throws what `build` does if files have changed since. */
  static restore(env: AnalysisEnvironment, settings: AnalysisSettings): AnalysisRegistry {
    const registry = new AnalysisRegistry(env, settings, DEFAULT_POSITION_GAP);
    const analysis = settings.analysis ?? {};
    registry.components.define(analysis);
    for (const [name, tree] of definitionsOf(analysis, 'analyzer')) {
      registry.#analyzers.define(name, () => registry.#analyzerCreator(name, tree)());
      registry.#defined.set(name, new Settings(tree).list('filter') ?? []);
    }
    for (const [name, tree] of definitionsOf(analysis, 'normalizer')) {
      registry.#normalizers.define(name, () => registry.#normalizerFrom(name, new Settings(tree)));
    }
    return registry;
  }

  /** @throws ApiError illegal_argument_exception: a reserved analyzer name */
  #checkNames(names: readonly string[]): void {
    if (names.includes('default_index')) {
      throw illegalArgumentError(
        'setting [index.analysis.analyzer.default_index] is not supported anymore, use [index.analysis.analyzer.default] instead',
      );
    }
    const updateable = this.updateableFilters('default');
    if (updateable.length) throw notInModeError('default', updateable, 'all');
    const bad = names.find((name) => name.startsWith('_'));
    if (bad !== undefined) throw illegalArgumentError(`analyzer name must not start with '_'. got "${bad}"`);
  }

  /** The registry for `_analyze` without an index: built-in components only. */
  static global(env: AnalysisEnvironment): AnalysisRegistry {
    return new AnalysisRegistry(env, {}, 0);
  }

  /** @throws ApiError illegal_argument_exception: no such analyzer */
  analyzer(name: string): Analyzer {
    const analyzer = this.findAnalyzer(name);
    if (!analyzer) throw illegalArgumentError(`failed to find analyzer [${name}]`);
    return analyzer;
  }

  findAnalyzer(name: string): Analyzer | undefined {
    const analyzer = this.#analyzers.get(name);
    const entry = ANALYZERS.get(name);
    if (analyzer !== undefined || entry === undefined) return analyzer ?? this.#derivedAnalyzer(name);
    const parts = buildComponent(entry, { ...this.components.context(name, name, {}), isBuiltIn: true })();
    return this.#keep(name, new Analyzer(name, { ...parts, positionIncrementGap: this.#builtInGap }, this.#env.host));
  }

  #keep(name: string, analyzer: Analyzer): Analyzer {
    this.#analyzers.define(name, () => analyzer);
    return analyzer;
  }

  #derivedAnalyzer(name: string): Analyzer | undefined {
    const derived = parseDerivedName(name);
    const base = derived && this.findAnalyzer(derived.base);
    if (!base) return undefined;
    return this.#keep(name, deriveAnalyzer(base, derived.size, derived.isPrefix, this.#env.host));
  }

  /** Messages about ignored parts of the definitions that have been built. */
  get warnings(): readonly string[] {
    return this.components.warnings;
  }

  /** Messages about ignored parts of all definitions. Builds them; outside of lanes only if they are small. */
  allWarnings(): readonly string[] {
    if (isLane() || this.components.areSmall) {
      this.components.buildDefined();
      for (const name of this.#defined.keys()) this.#analyzers.get(name);
    }
    return this.warnings;
  }

  /** Names of the analyzers defined in the settings. */
  definedAnalyzers(): readonly string[] {
    return [...this.#defined.keys()];
  }

  /** Components of a custom analyzer or normalizer; undefined for others. */
  customChain(analyzer: Analyzer): CustomChain | undefined {
    return this.#chains.get(analyzer);
  }

  /** Filters of an analyzer whose files may change, so that only searches may use it. */
  updateableFilters(analyzer: string): readonly string[] {
    return this.components.updateableOf(this.#defined.get(analyzer) ?? []);
  }

  /** Names of the analyzers with such filters. */
  updateableAnalyzers(): readonly string[] {
    return this.definedAnalyzers().filter((name) => this.updateableFilters(name).length > 0);
  }

  shingleSize(analyzer: string): number | null {
    return this.components.shingleSize(this.#defined.get(analyzer) ?? []);
  }

  hasAnalyzer(name: string): boolean {
    if (this.#analyzers.has(name) || ANALYZERS.has(name)) return true;
    const derived = parseDerivedName(name);
    return derived !== null && this.hasAnalyzer(derived.base);
  }

  findNormalizer(name: string): Analyzer | undefined {
    if (name === 'lowercase' && !this.#normalizers.has(name)) this.#normalizers.define(name, () => this.#lowercaseNormalizer(name));
    return this.#normalizers.get(name);
  }

  /** The analyzer of a keyword field in `_analyze`: its normalizer, or one that keeps the text unchanged. */
  keywordAnalyzer(normalizer: string | null): Analyzer {
    const found = normalizer === null ? undefined : this.findNormalizer(normalizer);
    return found ?? this.assemble('_keyword', [], KEYWORD_TOKENIZER, [], { gap: 0 });
  }

  hasNormalizer(name: string): boolean {
    return name === 'lowercase' || this.#normalizers.has(name);
  }

  /** @throws ApiError no such analyzer; TooHeavy: a long text on a thread with a listener */
  analyze(analyzer: string, text: string): AnalyzedToken[] {
    if (text.length > LONG_TEXT_CHARS && canMove()) throw new TooHeavy();
    return this.analyzer(analyzer).analyze(text);
  }

  /** @throws ApiError illegal_argument_exception: no such normalizer, or it does not produce exactly one token */
  normalize(normalizer: string, text: string): string {
    const found = this.findNormalizer(normalizer);
    if (!found) throw illegalArgumentError(`failed to find normalizer [${normalizer}]`);
    return onlyTerm(found, text);
  }

  /** Applies the filters of the analyzer that a normalizer may have; for wildcards, prefixes and fuzzy terms. */
  normalizeTerm(analyzer: string, text: string): string {
    let chain = this.#normalizingChains.get(analyzer);
    if (!chain) {
      const found = this.analyzer(analyzer);
      const { parts } = found;
      const custom = this.#chains.get(found);
      chain = custom
        ? this.customNormalizer(
            analyzer,
            custom.charFilters.filter((factory) => factory.normalizing),
            custom.filters.filter((factory) => factory.normalizing),
          )
        : new Analyzer(analyzer, normalizingParts(parts), this.#env.host);
      this.#normalizingChains.set(analyzer, chain);
    }
    return onlyTerm(chain, text);
  }

  #buildAnalyzers(group: [string, SettingTree][]): void {
    // Types and parameters are checked first; errors of assembling are collected afterwards.
    const pending = group.map(([name, tree]) => ({ name, settings: new Settings(tree), create: this.#analyzerCreator(name, tree) }));
    const suppressed: Record<string, unknown>[] = [];
    const failed: string[] = [];
    for (const { name, create } of pending) {
      try {
        this.#keep(name, create());
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        failed.push(name);
        suppressed.push({ type: error.type, reason: `[${name}] ${error.reason}`, caused_by: causeOf(error) });
      }
    }
    if (failed.length) {
      const reason = `Failed to build analyzers: [${failed.join(', ')}]`;
      throw new ApiError('illegal_argument_exception', 400, reason, {
        details: { suppressed },
        rootCauses: [illegalArgumentError(reason)],
      });
    }
  }

  #analyzerCreator(name: string, tree: SettingTree): () => Analyzer {
    const settings = new Settings(tree);
    const type = settings.get('type');
    if (type === undefined && !settings.has('tokenizer')) {
      throw illegalArgumentError(`analyzer [${name}] must specify either an analyzer type, or a tokenizer`);
    }
    if (type === undefined || type === 'custom') return () => this.#customFrom(name, settings);
    const entry = ANALYZERS.get(type);
    if (!entry || type === 'classic') throw illegalArgumentError(`Unknown analyzer type [${type}] for [${name}]`);
    const create = buildComponent(entry, this.components.context(name, type, tree));
    return () => new Analyzer(name, { ...create(), positionIncrementGap: DEFAULT_POSITION_GAP }, this.#env.host);
  }

  #customFrom(name: string, settings: Settings): Analyzer {
    const prefix = `Custom Analyzer [${name}]`;
    const tokenizerName = settings.get('tokenizer');
    if (tokenizerName === undefined) throw illegalArgumentError(`${prefix} must be configured with a tokenizer`);
    const tokenizer = this.components.tokenizerNamed(tokenizerName);
    if (!tokenizer) throw illegalArgumentError(`${prefix} failed to find tokenizer under name [${tokenizerName}]`);
    const charFilters = this.#factories(
      settings.list('char_filter'),
      (n) => this.components.usableCharFilter(n),
      `${prefix} failed to find char_filter under name`,
    );
    const filters = this.#factories(
      settings.list('filter'),
      (n) => this.components.usableFilter(n),
      `${prefix} failed to find filter under name`,
    );
    const gap = settings.int('position_increment_gap', DEFAULT_POSITION_GAP);
    const offsetGap = settings.int('offset_gap', -1);
    const analyzer = this.assemble(name, charFilters, tokenizer, filters, { gap, offsetGap: offsetGap < 0 ? 1 : offsetGap });
    this.#chains.set(analyzer, { charFilters, tokenizer, filters });
    return analyzer;
  }

  #factories<F>(names: string[] | undefined, find: (name: string) => F | undefined, missing: string): F[] {
    if (names && names.length > MAX_CHAIN)
      throw illegalArgumentError(`an analyzer may have at most [${MAX_CHAIN}] components of a kind, got [${names.length}]`);
    return (names ?? []).map((name) => {
      const factory = find(name);
      if (!factory) throw illegalArgumentError(`${missing} [${name}]`);
      return factory;
    });
  }

  /**
   * Assembles a chain. Each filter can see the components before it.
   * @param filterNamed finds filters that are inside others
   */
  assemble(
    name: string,
    charFilters: readonly CharFilterFactory[],
    tokenizer: TokenizerFactory,
    filters: readonly FilterFactory[],
    { gap = DEFAULT_POSITION_GAP, offsetGap = 1, filterNamed = (wanted: string) => this.components.usableFilter(wanted) } = {},
  ): Analyzer {
    const nested = { count: 0 };
    const madeTokenizer = tokenizer.create();
    const built: TokenFilter[] = [];
    filters.forEach((factory, i) => {
      const chain: ChainContext = {
        host: this.#env.host,
        tokenizer,
        charFilters,
        previous: filters.slice(0, i),
        filterNamed,
        around: [],
        nested,
        analyzerNamed: (wanted) => (this.#isDefinedAfter(wanted, name) ? undefined : this.findAnalyzer(wanted)),
      };
      built.push(factory.create(chain));
    });
    const parts = {
      charFilters: charFilters.map((factory) => factory.create()),
      tokenizer: madeTokenizer,
      filters: built,
      positionIncrementGap: gap,
      offsetGap,
    };
    return new Analyzer(name, parts, this.#env.host);
  }

  /** Analyzers see those that the settings define before them, so that none contains itself. */
  #isDefinedAfter(wanted: string, name: string): boolean {
    if (!this.#defined.has(name)) return false;
    const names = this.definedAnalyzers();
    const base = this.#defined.has(wanted) ? wanted : (parseDerivedName(wanted)?.base ?? wanted);
    return names.indexOf(base) >= names.indexOf(name);
  }

  #normalizerFrom(name: string, settings: Settings): Analyzer {
    const type = settings.get('type', 'custom');
    if (type === 'lowercase') return this.#lowercaseNormalizer(name);
    if (type !== 'custom') throw illegalArgumentError(`Unknown normalizer type [${type}] for [${name}]`);
    if (settings.get('tokenizer') !== undefined) throw illegalArgumentError(`Custom normalizer [${name}] cannot configure a tokenizer`);
    const charFilters = this.#factories(
      settings.list('char_filter'),
      (n) => this.components.usableCharFilter(n),
      `Custom normalizer [${name}] failed to find char_filter under name`,
    );
    for (const factory of charFilters) {
      if (!factory.normalizing) throw illegalArgumentError(`Custom normalizer [${name}] may not use char filter [${factory.name}]`);
    }
    const filters = this.#factories(
      settings.list('filter'),
      (n) => this.components.usableFilter(n),
      `Custom Analyzer [${name}] failed to find filter under name`,
    );
    for (const factory of filters) {
      if (!factory.normalizing) throw illegalArgumentError(`Custom normalizer [${name}] may not use filter [${factory.name}]`);
    }
    const normalizer = this.customNormalizer(name, charFilters, filters, 0);
    this.#chains.set(normalizer, { charFilters, tokenizer: null, filters });
    return normalizer;
  }

  /** The built-in normalizer, even if the index defines a filter of the same name. */
  #lowercaseNormalizer(name: string): Analyzer {
    return this.assemble(name, [], KEYWORD_TOKENIZER, [this.components.filterFrom(name, { type: 'lowercase' })], { gap: 0 });
  }

  /** @param gap position gap between several strings: 0 for those of an index */
  customNormalizer(name: string, charFilters: readonly CharFilterFactory[], filters: readonly FilterFactory[], gap = DEFAULT_POSITION_GAP) {
    return this.assemble(name, charFilters, KEYWORD_TOKENIZER, filters, { gap });
  }
}

/** An error in the form of the cause of another one, with its own cause. */
function causeOf({ type, reason, causedBy }: ApiError): Record<string, unknown> {
  return { type, reason, ...(causedBy ? { caused_by: causeOf(causedBy) } : {}) };
}

/** A search-only analyzer is used for indexing. */
export function notInModeError(analyzer: string, filters: readonly string[], mode: 'all' | 'index time'): ApiError {
  const reason = `analyzer [${analyzer}] contains filters [${filters.join(', ')}] that are not allowed to run in ${mode} mode.`;
  return new ApiError('mapper_exception', 400, reason);
}
