import { expect, test } from 'vitest';
import { checkSimilarities } from '../../../../src/metadata/settings/similarity-settings.ts';

const similarity = (params: Record<string, string>) =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [`index.similarity.x.${name}`, value]));

test.each([
  [{ type: 'nothing' }, 'Unknown Similarity type [nothing] for [x]'],
  [{ b: '0.5' }, 'Similarity [x] must have an associated type'],
  [{ type: 'BM25', b: '5' }, 'illegal b value: 5.0, must be between 0 and 1'],
  [{ type: 'BM25', k1: '-1' }, 'illegal k1 value: -1.0, must be a non-negative finite value'],
  [{ type: 'BM25', z: '1' }, 'Unknown settings for similarity of type [BM25]: [z]'],
  [{ type: 'boolean', k1: '1.2' }, 'Unknown settings for similarity of type [boolean]: [k1]'],
  [{ type: 'DFR', basic_model: 'x' }, 'Unsupported BasicModel [x], expected one of [if, in, g, ine]'],
  [{ type: 'DFR', basic_model: 'be' }, "Basic model [be] isn't supported anymore, please use another model."],
  [{ type: 'DFR', basic_model: 'g', after_effect: 'no' }, "After effect [no] isn't supported anymore, please use another effect."],
  [{ type: 'DFR', basic_model: 'g', after_effect: 'b' }, 'Unsupported Normalization [null]'],
  [
    { type: 'DFI', independence_measure: 'x' },
    'Unsupported IndependenceMeasure [x], expected one of [standardized, saturated, chisquared]',
  ],
  [{ type: 'IB', distribution: 'll' }, 'Unsupported Lambda [null]'],
  [{ type: 'LMDirichlet', mu: '-1' }, 'illegal mu value: -1.0, must be a non-negative finite value'],
  [{ type: 'LMDirichlet', mu: 'x' }, 'Failed to parse float setting [mu] with value [x]'],
  [{ type: 'LMJelinekMercer', lambda: '2' }, 'lambda must be in the range (0 .. 1]'],
  [{ type: 'LMJelinekMercer', a: '2', b: '1' }, 'Unknown settings for similarity of type [LMJelinekMercer]: [a, b]'],
  [{ type: 'scripted' }, 'must specify either [source] for an inline script or [id] for a stored script'],
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
