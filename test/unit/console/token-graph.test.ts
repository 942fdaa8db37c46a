// The layout of token graphs, on tokens of the analyzer itself.
import { beforeAll, describe, expect, test } from 'vitest';
import type { TextAnalysis } from '../../../src/analyzer.ts';
import { loadAnalyzer } from '../../../src/analyzer-node.ts';
import { type Chain, isExplained, stagesOf, type Token } from '../../../src/console/analysis/chain.ts';
import { arrowText, branchingPart, type TokenGraph, tokenGraph } from '../../../src/console/analysis/token-graph.ts';

let analysis: TextAnalysis;
beforeAll(async () => {
  analysis = await loadAnalyzer();
});

function tokensOf(text: string, filter: Chain['filter'], tokenizer = 'whitespace'): readonly Token[] {
  const chain: Chain = { char_filter: [], tokenizer, filter };
  const answer = analysis.request({ ...chain, text, explain: true });
  return isExplained(answer) ? (stagesOf(answer, chain).at(-1)?.tokens ?? []) : [];
}

function graphOf(tokens: readonly Token[]): TokenGraph {
  const graph = tokenGraph(tokens);
  if (graph === null) throw new Error('no graph');
  return graph;
}

describe('a chain of tokens', () => {
  test('has no part that branches', () => {
    expect(branchingPart(tokensOf('one two three', []))).toEqual([]);
    expect(branchingPart([])).toEqual([]);
    expect(tokenGraph([])).toBeNull();
  });

  test('with a gap that a stop filter left has no arrow over it', () => {
    const { arrows, positions } = graphOf(tokensOf('one the two', ['stop']));
    expect(positions).toEqual([0, 1, 2, 3]);
    expect(arrows.map(arrowText)).toEqual(['one from 0 to 1', 'two from 2 to 3']);
  });
});

describe('a graph', () => {
  test('of synonyms of several words has an arrow over their positions', () => {
    const tokens = tokensOf('in ny today', [{ type: 'synonym_graph', synonyms: ['ny, new york'] }]);
    expect(branchingPart(tokens)).toEqual(tokens);
    const { arrows, positions, rows } = graphOf(tokens);
    expect(positions).toEqual([0, 1, 2, 3, 4]);
    expect(arrows.map(arrowText).sort()).toEqual([
      'in from 0 to 1',
      'new from 1 to 2',
      'ny from 1 to 3',
      'today from 3 to 4',
      'york from 2 to 3',
    ]);
    expect(rows).toBe(2);
    expect(arrows.filter(({ row }) => row === 1).map(arrowText)).toEqual(['ny from 1 to 3']);
  });

  test('of word_delimiter_graph has the whole word over its parts', () => {
    const { arrows } = graphOf(tokensOf('a Wi-Fi-PowerShot', [{ type: 'word_delimiter_graph', preserve_original: true }]));
    const whole = arrows.find(({ token }) => token.token === 'Wi-Fi-PowerShot');
    expect(whole && arrowText(whole)).toBe('Wi-Fi-PowerShot from 1 to 5');
    expect(whole?.row).toBe(1);
  });

  test('of alternatives at one position has a row for each', () => {
    const { arrows, rows } = graphOf(tokensOf('fast', [{ type: 'synonym_graph', synonyms: ['fast, quick, rapid'] }]));
    expect(arrows.map(({ row }) => row).sort()).toEqual([0, 1, 2]);
    expect(rows).toBe(3);
  });

  test('never overlaps arrows of a row, and has room for each term', () => {
    const synonyms = ['usa, united states of america, us', 'new york, ny, big apple', 'sea biscuit, seabiscuit, horse of the century'];
    for (const text of ['usa new york sea biscuit', 'seabiscuit in ny', 'united states of america us big apple', 'new york york new']) {
      const { arrows, gaps } = graphOf(tokensOf(text, [{ type: 'synonym_graph', synonyms }]));
      for (const [i, a] of arrows.entries()) {
        for (const b of arrows.slice(i + 1)) expect(a.row === b.row && a.from < b.to && b.from < a.to).toBe(false);
        expect(gaps.slice(a.from, a.to).reduce((sum, gap) => sum + gap, 0)).toBeGreaterThanOrEqual(a.token.token.length);
        expect(a.row === 0 && a.to - a.from > 1).toBe(false);
      }
    }
  });

  test('is cut down to the part that branches, with its neighbours', () => {
    const part = branchingPart(tokensOf('a b c ny d e f', [{ type: 'synonym_graph', synonyms: ['ny, new york'] }]));
    expect(part.map(({ token }) => token).sort()).toEqual(['c', 'd', 'new', 'ny', 'york']);
    const alternatives = branchingPart(tokensOf('a b fast c d', [{ type: 'synonym_graph', synonyms: ['fast, quick'] }]));
    expect(alternatives.map(({ token }) => token).sort()).toEqual(['b', 'c', 'fast', 'quick']);
  });

  test('of very many tokens is not drawn', () => {
    expect(tokenGraph(tokensOf('a '.repeat(500), [{ type: 'synonym_graph', synonyms: ['a, b'] }]))).toBeNull();
  });
});
