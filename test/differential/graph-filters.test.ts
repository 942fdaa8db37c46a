import { expect, test } from 'vitest';
import { chainBlob, type KernelStage } from '../../src/analysis/blob.ts';
import { synonymProgram } from '../../src/analysis/filters/synonym-program.ts';
import { SynonymMapBuilder } from '../../src/analysis/filters/synonym-rules.ts';
import { STAGE } from '../../src/analysis/stage-ids.ts';
import { encodeTokens, runChain, type Token, type TokenStream } from '../../src/analysis/token-stream.ts';
import { flattened } from '../reference/flatten-graph.ts';
import { flatSynonyms, graphSynonyms, type SynonymRule } from '../reference/synonyms.ts';
import type { PlainToken } from '../reference/token-filters.ts';
import { eachAnalysisBuild } from '../support/analysis-builds.ts';
import { forSeeds, type Rng } from '../support/rng.ts';
import { plainOf, randomGraph, randomWords, tokensOf } from '../support/token-lists.ts';

const EMPTY = new Uint8Array(0);

eachAnalysisBuild((host, build) => {
  const through = (stages: readonly KernelStage[], tokens: readonly PlainToken[]): TokenStream =>
    runChain(
      host,
      { blob: chainBlob([{ id: STAGE.REPLAY, config: EMPTY }, ...stages]) },
      encodeTokens({ tokens: tokensOf(tokens), endOffset: 9999, endPosInc: 0 }),
    );
  const bare = (tokens: readonly Token[]): PlainToken[] => tokens.map(plainOf);

  for (const graph of [true, false]) {
    test(`${build}: ${graph ? 'synonym_graph' : 'synonym'} equals its twin, across batches`, () => {
      forSeeds(120, (rng) => {
        const rules = randomRules(rng);
        const tokens = randomWords(rng, WORDS);
        const builder = new SynonymMapBuilder();
        for (const { input, output, keepOriginal } of rules) builder.add(input, output, keepOriginal);
        const kernel = { id: STAGE.SYNONYM, config: synonymProgram(builder.build(), graph) };
        const twin = graph ? graphSynonyms : flatSynonyms;
        expect(bare(through([kernel], tokens).tokens)).toEqual(twin(rules, tokens));
      });
    });
  }

  test(`${build}: flatten_graph equals its twin, across batches, holes and long ways`, () => {
    forSeeds(150, (rng) => {
      const tokens = randomGraph(rng, WORDS);
      expect(bare(through([{ id: STAGE.FLATTEN, config: EMPTY }], tokens).tokens)).toEqual(flattened(tokens));
    });
  });
});

const WORDS = ['a', 'b', 'c', 'é', '日本', 'longer-word'];

function randomRules(rng: Rng): SynonymRule[] {
  const phrase = (): string[] => Array.from({ length: rng.int(1, 4) }, () => rng.pick(WORDS));
  return Array.from({ length: rng.int(1, 6) }, () => ({ input: phrase(), output: phrase(), keepOriginal: rng.bool() }));
}
