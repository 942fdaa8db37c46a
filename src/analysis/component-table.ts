// Char filters, tokenizers and token filters by name: those that an index defines, and the built-in ones, which are created on first use.
import { canMove, TooHeavy } from '../common/turns/turn.ts';
import { DEFAULT_DIALECT, type Dialect } from '../compat/dialect.ts';
import type { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import type { AnalysisHost } from '../wasm/analysis.ts';
import type { AnalysisLimits, BuildContext, CharFilterFactory, FilterFactory, TokenizerFactory } from './component.ts';
import type { ConfigFiles } from './config-files.ts';
import { LazyMap } from './lazy-map.ts';
import {
  buildComponent,
  CHAR_FILTERS,
  charFilterEntryNamed,
  DEFINED_ONLY,
  filterEntryNamed,
  filterEntryOf,
  tokenizerEntryOf,
} from './registry.ts';
import { definitionsOf, Settings, type SettingTree, type SettingValue } from './settings.ts';

/** Resources shared by all indices of a thread. */
export interface AnalysisEnvironment {
  readonly host: AnalysisHost;
  /** Reads the files that definitions name; null refuses them. */
  readonly files: ConfigFiles | null;
  /** Rules of a synonyms set by its name, null if there is none. Absent if there are no sets. */
  readonly synonymSet?: (name: string) => readonly string[] | null;
  /** Elasticsearch 8 if absent. */
  readonly dialect?: Dialect;
}

/** Index settings of analysis: the `analysis` tree and limits, without the prefix `index.`. */
export interface AnalysisSettings {
  readonly analysis?: SettingTree;
  readonly max_ngram_diff?: SettingValue;
  readonly max_shingle_diff?: SettingValue;
}

/** Filters that a chain may name but that cannot be the type of a definition. */
const BUILT_IN_ONLY = new Set(['type_as_payload', 'keyword_repeat']);
/** Limits warnings, of which a request can cause any number. */
const MAX_WARNINGS = 100;

export class ComponentTable {
  /** Messages about ignored parts of the definitions. */
  readonly warnings: string[] = [];
  /** Receives the warnings of the component being built: `warnings`, or the list of one request. */
  #notes = this.warnings;
  readonly #charFilters = new LazyMap<CharFilterFactory>();
  readonly #tokenizers = new LazyMap<TokenizerFactory>();
  readonly #filters = new LazyMap<FilterFactory>();
  readonly #definedFilters = new Set<string>();
  /** Filters whose definition says `updateable`. */
  readonly #updateableFilters = new Set<string>();
  /** Words in the longest shingle of each filter that is defined with that type. */
  readonly #shingleSizes = new Map<string, number>();
  /** Items of all lists of the definitions. */
  #definedItems = 0;
  readonly #limits: AnalysisLimits;
  readonly #env: AnalysisEnvironment;
  readonly #dialect: Dialect;

  constructor(env: AnalysisEnvironment, settings: AnalysisSettings) {
    this.#env = env;
    this.#dialect = env.dialect ?? DEFAULT_DIALECT;
    const numbers = new Settings(settings as SettingTree);
    this.#limits = { maxNgramDiff: numbers.int('max_ngram_diff', 1), maxShingleDiff: numbers.int('max_shingle_diff', 3) };
  }

  /** Adds the components of an `analysis` tree, which are built on first use. */
  define(analysis: SettingTree): void {
    const group = (name: string) => definitionsOf(analysis, name);
    for (const kind of ['char_filter', 'tokenizer', 'filter']) for (const [, tree] of group(kind)) this.#definedItems += itemsOf(tree);
    for (const [name, tree] of group('char_filter')) this.#charFilters.define(name, () => this.charFilterFrom(name, tree));
    for (const [name, tree] of group('tokenizer')) this.#tokenizers.define(name, () => this.tokenizerFrom(name, tree));
    for (const [name, tree] of group('filter')) {
      this.#filters.define(name, () => this.filterFrom(name, tree));
      this.#definedFilters.add(name);
      const type = tree['type'];
      if (type === 'shingle') this.#shingleSizes.set(name, new Settings(tree).int('max_shingle_size', 2));
      if ('updateable' in tree && this.filterNamed(name)?.isUpdateable) this.#updateableFilters.add(name);
    }
  }

  /** Whether all definitions are built in a few milliseconds. */
  get areSmall(): boolean {
    return this.#definedItems <= SMALL_ITEMS;
  }

  /** Builds what `define` has added. @throws ApiError as the service reports for invalid settings */
  buildDefined(): void {
    for (const group of [this.#charFilters, this.#tokenizers, this.#filters]) for (const name of group.names()) group.get(name);
  }

  /** The filters among `names` whose files may change. */
  updateableOf(filters: readonly string[]): readonly string[] {
    return filters.filter((name) => this.#updateableFilters.has(name));
  }

  /** Runs a function that builds the components of one request, and collects its warnings separately. */
  withWarnings<T>(build: () => T): { result: T; warnings: readonly string[] } {
    const outer = this.#notes;
    const warnings: string[] = [];
    this.#notes = warnings;
    try {
      return { result: build(), warnings };
    } finally {
      this.#notes = outer;
    }
  }

  /** Words in the longest shingle of the first of these filters that is defined as `shingle`; null if none is. */
  shingleSize(filters: readonly string[]): number | null {
    const name = filters.find((filter) => this.#shingleSizes.has(filter));
    return name === undefined ? null : (this.#shingleSizes.get(name) ?? null);
  }

  // --- by name, from this table or built in; undefined if there is none

  charFilterNamed(name: string): CharFilterFactory | undefined {
    return this.#named(this.#charFilters, name, () => charFilterEntryNamed(name, this.#dialect));
  }

  tokenizerNamed(name: string): TokenizerFactory | undefined {
    return this.#named(this.#tokenizers, name, () => tokenizerEntryOf(name, this.#dialect));
  }

  filterNamed(name: string): FilterFactory | undefined {
    return this.#named(this.#filters, name, () => filterEntryNamed(name, this.#dialect));
  }

  /** Resolves a filter name in `_analyze` at an index: a filter of the index, or else one of that type without parameters. */
  filterAtIndex(name: string): FilterFactory | undefined {
    if (this.#definedFilters.has(name) || BUILT_IN_ONLY.has(name) || !filterEntryNamed(name, this.#dialect)) return this.filterNamed(name);
    return this.filterFrom(name, { type: name });
  }

  /** Resolves a name in a chain of the settings. */
  usableCharFilter(name: string): CharFilterFactory | undefined {
    return this.#charFilters.has(name) || !DEFINED_ONLY.char_filter.has(name) ? this.charFilterNamed(name) : undefined;
  }

  /** Resolves a name in a chain of the settings. */
  usableFilter(name: string): FilterFactory | undefined {
    return this.#definedFilters.has(name) || !DEFINED_ONLY.filter.has(name) ? this.filterNamed(name) : undefined;
  }

  #named<F>(
    own: LazyMap<F>,
    name: string,
    entryOf: () => { params: readonly string[]; type: string; build(context: BuildContext): F } | undefined,
  ) {
    const found = own.get(name);
    if (found) return found;
    const entry = entryOf();
    if (!entry) return undefined;
    const built = buildComponent(entry, { ...this.context(name, entry.type, {}), isBuiltIn: true });
    own.define(name, () => built);
    return built;
  }

  // --- from definitions

  charFilterFrom(name: string, tree: SettingTree, unknown = unknownType('char_filter', name)): CharFilterFactory {
    const type = new Settings(tree).get('type', '');
    const entry = CHAR_FILTERS.get(type);
    if (!entry) throw unknown(type);
    checkSize(type, tree);
    return buildComponent(entry, this.context(name, type, tree));
  }

  tokenizerFrom(name: string, tree: SettingTree, unknown = unknownType('tokenizer', name)): TokenizerFactory {
    const type = new Settings(tree).get('type', '');
    const entry = tokenizerEntryOf(type, this.#dialect);
    if (!entry) throw unknown(type);
    return buildComponent(entry, this.context(name, type, tree));
  }

  filterFrom(name: string, tree: SettingTree, unknown = unknownType('filter', name)): FilterFactory {
    const type = new Settings(tree).get('type', '');
    const entry = filterEntryOf(type, this.#dialect);
    if (!entry || BUILT_IN_ONLY.has(type)) throw unknown(type);
    checkSize(type, tree);
    return buildComponent(entry, this.context(name, type, tree));
  }

  /** The context for building a component of this index; `isBuiltIn` is false. */
  context(name: string, type: string, tree: SettingTree): BuildContext {
    const warn = (text: string): void => {
      if (this.#notes.length < MAX_WARNINGS && !this.#notes.includes(text)) this.#notes.push(text);
    };
    const { files, synonymSet } = this.#env;
    return {
      name,
      type,
      isBuiltIn: false,
      settings: new Settings(tree),
      limits: this.#limits,
      files,
      synonymSet,
      dialect: this.#dialect,
      warn,
    };
  }
}

const SMALL_ITEMS = 500;

/** Size of definitions: their components and the items of their lists. */
function itemsOf(tree: SettingTree): number {
  return Object.values(tree).reduce<number>((items, value) => items + (Array.isArray(value) ? value.length : 0), 1);
}

/** Longer lists take most of a turn. */
const LONG_LIST = 5000;
/** Rules of synonyms are not read before a chain is assembled, and in steps. */
const READ_IN_STEPS = new Set(['synonym', 'synonym_graph']);

/** @throws TooHeavy: a component with long lists on a thread with a listener */
function checkSize(type: string, tree: SettingTree): void {
  if (READ_IN_STEPS.has(type) || !canMove()) return;
  if (Object.values(tree).some((value) => Array.isArray(value) && value.length > LONG_LIST)) throw new TooHeavy();
}

function unknownType(kind: string, name: string): (type: string) => ApiError {
  return (type) =>
    type === ''
      ? illegalArgumentError(`${kind} [${name}] must specify either an analyzer type, or a tokenizer`)
      : illegalArgumentError(`Unknown ${kind} type [${type}] for [${name}]`);
}
