// Many different terms at one position, and in one text: each costs the same. If each were compared with all before it, these tests would take
// minutes and exceed vitest's limit.
import { expect, test } from 'vitest';
import { chainBlob, words } from '../../../src/analysis/blob.ts';
import { encodeTokens, makeToken, runChain } from '../../../src/analysis/tokens/token-stream.ts';
import { AnalysisHost } from '../../../src/wasm/analysis.ts';
import { StageId } from '../../../src/wasm/generated/analysis.ts';
import { analyzerModule } from '../../support/analysis-server.ts';

const host = new AnalysisHost(analyzerModule());
const COUNT = 400_000;

test.each([
  ['remove_duplicates', 1],
  ['unique', 0],
])('%s over 400,000 terms at one position, twice', (_, onlyOnSamePosition) => {
  const terms = Array.from({ length: COUNT * 2 }, (_, i) => makeToken(`t${i % COUNT}`, 0, 1, 'word', i ? 0 : 1));
  const input = encodeTokens({ tokens: terms, endOffset: 1, endPosInc: 0 });
  const stages = [
    { id: StageId.REPLAY, config: words([]) },
    { id: StageId.UNIQUE, config: words([onlyOnSamePosition]) },
  ];
  const { tokens } = runChain(host, { blob: chainBlob(stages) }, input);
  expect(tokens.length).toBe(COUNT);
  expect(tokens.every(({ term }, i) => term === `t${i}`)).toBe(true);
});
