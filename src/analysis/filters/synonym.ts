// synonym and synonym_graph: the host parses and analyzes the rules, once per chain; a kernel matches the words of the input.
import type { SlicedWork } from '../../common/turns/sliced-work.ts';
import { checkTurn, TooHeavy } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { StageId } from '../../wasm/generated/analysis.ts';
import { Analyzer } from '../analyzer.ts';
import {
  type BuildContext,
  type ChainContext,
  type ComponentEntry,
  type FilterFactory,
  kernelFilter,
  type TokenFilter,
} from '../component.ts';
import { readText } from '../languages/word-lists.ts';
import type { TokenStream } from '../tokens/token-stream.ts';
import { synonymProgram } from './synonym-program.ts';
import {
  type Phrase,
  type PhraseAnalyzer,
  parseSolrRules,
  parseWordNetRules,
  type SynonymMap,
  SynonymMapBuilder,
} from './synonym-rules.ts';

function synonymFilter(map: SynonymMap, graph: boolean): TokenFilter {
  return map.isEmpty ? { kind: 'kernel', stages: [] } : kernelFilter(StageId.SYNONYM, synonymProgram(map, graph));
}

// --- rules

/** The chain that analyzes rules: the tokenizer and the filters before this one, except those that are skipped in rules. */
function ruleAnalyzer(context: BuildContext, chain: ChainContext): { stream(text: string): TokenStream } {
  const named = context.settings.get('synonym_analyzer');
  if (named !== undefined) {
    const analyzer = chain.analyzerNamed(named);
    if (analyzer) return analyzer;
    context.warn(`[${context.name}] knows no analyzer [${named}] and reads its rules by the chain before it`);
  }
  const filters: TokenFilter[] = [];
  chain.previous.forEach((factory, i) => {
    if (factory.inSynonymRules === 'refused') throw illegalArgumentError(`Token filter [${factory.name}] cannot be used to parse synonyms`);
    if (factory.inSynonymRules === 'used') filters.push(factory.create({ ...chain, previous: chain.previous.slice(0, i) }));
  });
  const parts = {
    charFilters: chain.charFilters.map((factory) => factory.create()),
    tokenizer: chain.tokenizer.create(),
    filters,
    positionIncrementGap: 0,
  };
  return new Analyzer('synonym_rules', parts, chain.host);
}

/** @param lenient omits invalid sides instead of refusing them */
function phraseAnalyzer(analyzer: { stream(text: string): TokenStream }, lenient: boolean): PhraseAnalyzer {
  return (text): Phrase | null => {
    const { tokens } = analyzer.stream(text);
    const bad = !tokens.length || tokens.some((token) => token.term === '' || token.posInc !== 1);
    if (!bad) return tokens.map((token) => token.term);
    if (lenient) return null;
    throw illegalArgumentError(`term: ${text} was completely eliminated by analyzer or its tokens do not follow each other`);
  };
}

interface Options {
  readonly expand: boolean;
  /** True to omit invalid rules. */
  readonly isLenient: boolean;
}

/** Rules of the set, of the file, or of the definition itself. */
function rulesOf(context: BuildContext): readonly string[] {
  const { settings } = context;
  const set = settings.get('synonyms_set');
  if (set !== undefined) {
    const rules = context.synonymSet?.(set) ?? null;
    if (rules === null) throw illegalArgumentError(`synonyms set [${set}] not found`);
    return rules;
  }
  const path = settings.get('synonyms_path');
  const lines = path !== undefined ? readText(context, path, 'synonyms_path_path').split(/\r\n|\n|\r/) : settings.list('synonyms');
  if (!lines) throw illegalArgumentError('synonym requires either `synonyms` or `synonyms_path` to be configured');
  return lines;
}

function* mapSteps(context: BuildContext, chain: ChainContext, { expand, isLenient }: Options): SlicedWork<SynonymMap> {
  const { settings } = context;
  const lines = rulesOf(context);
  const analyze = phraseAnalyzer(ruleAnalyzer(context, chain), isLenient);
  const builder = new SynonymMapBuilder();
  try {
    const parse = settings.get('format', '').toLowerCase() === 'wordnet' ? parseWordNetRules : parseSolrRules;
    yield* parse(lines, expand, analyze, builder);
  } catch (error) {
    if (error instanceof ApiError) throw illegalArgumentError('Failed to build synonyms');
    throw error;
  }
  return builder.build();
}

/** The map of one chain. Building it can take seconds; if a thread with a listener abandons it, the next call continues where it stopped. */
class MapInProgress {
  readonly #chain: ChainContext;
  readonly #steps: SlicedWork<SynonymMap>;

  constructor(chain: ChainContext, steps: SlicedWork<SynonymMap>) {
    this.#chain = chain;
    this.#steps = steps;
  }

  isOf({ tokenizer, charFilters, previous }: ChainContext): boolean {
    const own = this.#chain;
    return tokenizer === own.tokenizer && isSameList(charFilters, own.charFilters) && isSameList(previous, own.previous);
  }

  /** To be called again after TooHeavy. @throws ApiError; TooHeavy */
  finish(): SynonymMap {
    for (;;) {
      checkTurn();
      const step = this.#steps.next();
      if (step.done) return step.value;
    }
  }
}

function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, i) => item === b[i]);
}

function synonymEntry(type: string, graph: boolean): ComponentEntry<FilterFactory> {
  return {
    type,
    params: [
      'synonyms: list',
      'synonyms_path: string',
      'synonyms_set: string',
      'expand: bool = true',
      'lenient: bool = false',
      'format: string = solr',
      'updateable: bool = false',
      'synonym_analyzer: string',
    ],
    build: (context) => {
      const { settings } = context;
      const isUpdateable = settings.bool('updateable', false);
      // A set can be changed to rules that the analyzer refuses, which must not make the index unusable.
      const isLenient = settings.bool('lenient', isUpdateable && settings.get('synonyms_set') !== undefined);
      const options = { expand: settings.bool('expand', true), isLenient };
      let started: MapInProgress | null = null;
      const mapOf = (chain: ChainContext): SynonymMap => {
        if (!started?.isOf(chain)) started = new MapInProgress(chain, mapSteps(context, chain, options));
        try {
          const map = started.finish();
          started = null;
          return map;
        } catch (error) {
          if (!(error instanceof TooHeavy)) started = null;
          throw error;
        }
      };
      return {
        name: context.name,
        normalizing: false,
        inSynonymRules: graph ? 'used' : 'skipped',
        isUpdateable,
        create: (chain) => synonymFilter(mapOf(chain), graph),
      };
    },
  };
}

export const SYNONYM_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  synonymEntry('synonym', false),
  synonymEntry('synonym_graph', true),
];
