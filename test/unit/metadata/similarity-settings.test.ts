import { expect, test } from 'vitest';
import { checkSimilarities } from '../../../src/metadata/similarity-settings.ts';

const similarity = (params: Record<string, string>) =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [`index.similarity.x.${name}`, value]));

test.each([
  [{ type: 'nothing' }, 'Unknown Similarity type [nothing] for [x]'],
  [{ b: '0.5' }, 'Similarity [x] must have an associated type'],
  [{ type: 'BM25', b: '5' }, 'illegal b value: 5.0, must be between 0 and 1'],
  [{ type: 'BM25', k1: '-1' }, 'illegal k1 value: -1.0, must be a non-negative finite value'],
  [{ type: 'BM25', z: '1' }, 'Unknown settings for similarity of type [BM25]: [z]'],
  [{ type: 'boolean', k1: '1.2' }, 'Unknown settings for similarity of type [boolean]: [k1]'],
  // Similarities without an effect on scores are rejected instead of ignored.
  [{ type: 'DFR' }, 'Similarity type [DFR] of [x] is not supported'],
])('%o is refused', (params, message) => {
  expect(() => checkSimilarities(similarity(params))).toThrow(message);
});

test('supported similarities are accepted', () => {
  checkSimilarities({
    ...similarity({ type: 'BM25', k1: '0.9', b: '0.4' }),
    'index.similarity.y.type': 'boolean',
    'index.refresh_interval': '1s',
  });
});
