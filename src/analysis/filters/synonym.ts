// synonym and synonym_graph: words and phrases replaced by others or joined by them.
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgument } from '../../errors/catalog.ts';
import { Analyzer } from '../analyzer.ts';
import type { BuildContext, ChainContext, ComponentEntry, FilterFactory, TokenFilter } from '../component.ts';
import type { Token, TokenStream } from '../token-stream.ts';
import { readText } from '../word-lists.ts';
import {
  type Phrase,
  type PhraseAnalyzer,
  parseSolrRules,
  parseWordNetRules,
  type SynonymMap,
  SynonymMapBuilder,
  type SynonymNode,
} from './synonym-rules.ts';

interface Match {
  length: number;
  node: SynonymNode;
}

/** The longest left side that begins at token `from`. */
function longestMatch(map: SynonymMap, tokens: readonly Token[], from: number): Match | null {
  let node: SynonymNode | undefined = map.root;
  let best: Match | null = null;
  for (let i = from; i < tokens.length; i++) {
    node = node.next.get(tokens[i].term);
    if (!node) break;
    if (node.outputs) best = { length: i - from + 1, node };
  }
  return best;
}

const synonymToken = (term: string, startOffset: number, endOffset: number, posInc: number, posLen: number): Token => ({
  term,
  startOffset,
  endOffset,
  posInc,
  posLen,
  type: 'SYNONYM',
  keyword: false,
  termFreq: 1,
  payload: null,
});

// --- graph

/** Nodes that the output is between; a token's place is relative to the one before. */
function graphSynonyms(map: SynonymMap, tokens: readonly Token[]): Token[] {
  const out: Token[] = [];
  let lastNode = -1;
  let nextNode = 0;
  for (let i = 0; i < tokens.length; ) {
    const match = longestMatch(map, tokens, i);
    if (!match) {
      const token = tokens[i++];
      lastNode += token.posInc;
      nextNode = lastNode + token.posLen;
      out.push(token);
      continue;
    }
    const originals = tokens.slice(i, i + match.length);
    const paths = match.node.outputs!;
    const inner = paths.reduce((sum, path) => sum + path.length - 1, match.node.keepOriginal ? match.length - 1 : 0);
    const start = nextNode;
    const end = start + inner + 1;
    const startOffset = originals[0].startOffset;
    const endOffset = originals[originals.length - 1].endOffset;
    let fresh = start;
    const arcs: { make: (posInc: number, posLen: number) => Token; from: number; to: number }[] = [];
    // First the arcs that leave the start node, then the rest of each way, the original one last.
    const rests: (() => void)[] = [];
    const way = (makers: ((posInc: number, posLen: number) => Token)[]): void => {
      const nodes = [start];
      for (let n = 1; n < makers.length; n++) nodes.push(++fresh);
      nodes.push(end);
      arcs.push({ make: makers[0], from: nodes[0], to: nodes[1] });
      rests.push(() => {
        for (let n = 1; n < makers.length; n++) arcs.push({ make: makers[n], from: nodes[n], to: nodes[n + 1] });
      });
    };
    for (const path of paths) way(path.map((word) => (posInc, posLen) => synonymToken(word, startOffset, endOffset, posInc, posLen)));
    if (match.node.keepOriginal) way(originals.map((token) => (posInc, posLen) => ({ ...token, posInc, posLen })));
    for (const rest of rests) rest();
    for (const arc of arcs) {
      out.push(arc.make(arc.from - lastNode, arc.to - arc.from));
      lastNode = arc.from;
    }
    nextNode = end;
    i += match.length;
  }
  return out;
}

// --- flat

interface PendingOutput {
  term: string;
  /** -1: the end of the token that it stands on. */
  endOffset: number;
  posLen: number;
}

/**
 * The older filter: outputs lie over the matched tokens position by position, and over those behind when there are more. A new match is looked
 * for behind the last one only.
 */
function flatSynonyms(map: SynonymMap, tokens: readonly Token[]): Token[] {
  const out: Token[] = [];
  const pending: PendingOutput[][] = [];
  const at = (i: number): PendingOutput[] => (pending[i] ??= []);
  const play = (i: number, keep: boolean): void => {
    const token = tokens[i];
    let posInc = 1;
    if (keep) {
      out.push(token);
      posInc = 0;
    }
    for (const output of at(i)) {
      out.push(
        synonymToken(output.term, token.startOffset, output.endOffset < 0 ? token.endOffset : output.endOffset, posInc, output.posLen),
      );
      posInc = 0;
    }
  };
  for (let i = 0; i < tokens.length; ) {
    const match = longestMatch(map, tokens, i);
    if (!match) {
      play(i++, true);
      continue;
    }
    const matchEnd = tokens[i + match.length - 1].endOffset;
    for (const path of match.node.outputs!) {
      path.forEach((word, k) => {
        const single = path.length === 1;
        at(i + k).push({ term: word, endOffset: single ? matchEnd : -1, posLen: single && match.node.keepOriginal ? match.length : 1 });
      });
    }
    for (let k = 0; k < match.length; k++) play(i + k, match.node.keepOriginal);
    i += match.length;
  }
  const last = tokens[tokens.length - 1];
  for (let i = tokens.length; i < pending.length; i++) {
    let posInc = 1;
    for (const output of at(i)) {
      out.push(synonymToken(output.term, last.startOffset, last.endOffset, posInc, 1));
      posInc = 0;
    }
  }
  return out;
}

function synonymFilter(map: SynonymMap, graph: boolean): TokenFilter {
  const apply = graph ? graphSynonyms : flatSynonyms;
  return { kind: 'host', apply: (stream) => (map.isEmpty ? stream : { ...stream, tokens: apply(map, stream.tokens) }) };
}

// --- rules

/** The chain that words of rules go through: the tokenizer and the filters before, but for those that cannot. */
function ruleAnalyzer(context: BuildContext, chain: ChainContext): { stream(text: string): TokenStream } {
  const named = context.settings.get('synonym_analyzer');
  if (named !== undefined) {
    const analyzer = chain.analyzerNamed(named);
    if (!analyzer) throw illegalArgument(`failed to find analyzer [${named}]`);
    return analyzer;
  }
  const filters: TokenFilter[] = [];
  chain.previous.forEach((factory, i) => {
    if (factory.inSynonymRules === 'refused') throw illegalArgument(`Token filter [${factory.name}] cannot be used to parse synonyms`);
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

/** @param lenient a side that cannot be used is left out instead of refused */
function phraseAnalyzer(analyzer: { stream(text: string): TokenStream }, lenient: boolean): PhraseAnalyzer {
  return (text): Phrase | null => {
    const { tokens } = analyzer.stream(text);
    const bad = !tokens.length || tokens.some((token) => token.term === '' || token.posInc !== 1);
    if (!bad) return tokens.map((token) => token.term);
    if (lenient) return null;
    throw illegalArgument(`term: ${text} was completely eliminated by analyzer or its tokens do not follow each other`);
  };
}

function buildMap(context: BuildContext, chain: ChainContext): SynonymMap {
  const { settings } = context;
  const path = settings.get('synonyms_path');
  const lines = path !== undefined ? readText(context, path, 'synonyms_path').split(/\r\n|\n|\r/) : settings.list('synonyms');
  if (!lines) throw illegalArgument('synonym requires either `synonyms` or `synonyms_path` to be configured');
  const analyze = phraseAnalyzer(ruleAnalyzer(context, chain), settings.bool('lenient', false));
  const builder = new SynonymMapBuilder();
  try {
    const parse = settings.get('format') === 'wordnet' ? parseWordNetRules : parseSolrRules;
    parse(lines, settings.bool('expand', true), analyze, builder);
  } catch (error) {
    if (error instanceof ApiError) throw illegalArgument('Failed to build synonyms');
    throw error;
  }
  return builder.build();
}

function synonymEntry(type: string, graph: boolean): ComponentEntry<FilterFactory> {
  return {
    type,
    params: [
      'synonyms: list',
      'synonyms_path: string',
      'expand: bool = true',
      'lenient: bool = false',
      'format: string = solr',
      'updateable: bool = false',
      'synonym_analyzer: string',
    ],
    build: (context) => ({
      name: context.name,
      normalizing: false,
      inSynonymRules: graph ? 'used' : 'skipped',
      create: (chain) => synonymFilter(buildMap(context, chain), graph),
    }),
  };
}

export const SYNONYM_FILTERS: readonly ComponentEntry<FilterFactory>[] = [
  synonymEntry('synonym', false),
  synonymEntry('synonym_graph', true),
];
