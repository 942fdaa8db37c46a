// Scores how much more frequent a term is in a subset than in the whole index. Formulas of Elasticsearch's significance heuristics.

import { isObject } from '../../../common/json/json-value.ts';
import { CONTEXTS } from '../../../scripting/contexts.ts';
import type { Value } from '../../../scripting/java/values.ts';
import { compileScript } from '../../../scripting/painless.ts';
import { toScript } from '../../../scripting/update-script.ts';
import { illegalArgumentError } from '../../errors.ts';
import { Params } from '../../params.ts';

/** Numbers of documents with the term and of all documents, in the subset and in the background, which contains the subset. */
export interface TermCounts {
  readonly subsetFreq: number;
  readonly subsetSize: number;
  readonly supersetFreq: number;
  readonly supersetSize: number;
}

export type Heuristic = (counts: TermCounts) => number;

const jlh: Heuristic = ({ subsetFreq, subsetSize, supersetFreq, supersetSize }) => {
  if (subsetSize === 0 || supersetSize === 0) return 0;
  const inSubset = subsetFreq / subsetSize;
  const overall = Math.max(supersetFreq, 1) / supersetSize;
  return inSubset > overall ? (inSubset - overall) * (inSubset / overall) : 0;
};

const percentage: Heuristic = ({ subsetFreq, supersetFreq }) => (supersetFreq === 0 ? 0 : subsetFreq / supersetFreq);

const NO_SUPERSET =
  ', does your background filter not include all documents in the bucket? If so and it is intentional, set "background_is_superset": false';

/** @throws ApiError illegal_argument_exception: the background, which must contain the subset, has fewer documents with or without the term */
function checkSuperset({ subsetFreq, subsetSize, supersetFreq, supersetSize }: TermCounts): void {
  if (subsetFreq > supersetFreq) throw illegalArgumentError(`subsetFreq > supersetFreq${NO_SUPERSET}`);
  if (subsetSize > supersetSize) throw illegalArgumentError(`subsetSize > supersetSize${NO_SUPERSET}`);
  if (supersetFreq - subsetFreq > supersetSize - subsetSize)
    throw illegalArgumentError(`supersetFreq - subsetFreq > supersetSize - subsetSize${NO_SUPERSET}`);
}

/** Contingency table of term and subset; the background either contains the subset or excludes it. */
function table(counts: TermCounts, isSuperset: boolean) {
  if (isSuperset) checkSuperset(counts);
  const { subsetFreq, subsetSize, supersetFreq, supersetSize } = counts;
  const otherFreq = isSuperset ? supersetFreq - subsetFreq : supersetFreq;
  const otherSize = isSuperset ? supersetSize - subsetSize : supersetSize;
  const n11 = subsetFreq;
  const n01 = subsetSize - subsetFreq;
  const n10 = otherFreq;
  const n00 = otherSize - otherFreq;
  return { n11, n01, n10, n00, n1_: n11 + n10, n0_: n01 + n00, n_1: n11 + n01, n_0: n10 + n00, n: n11 + n01 + n10 + n00 };
}

function mutualInformation(includeNegatives: boolean, isSuperset: boolean): Heuristic {
  const term = (xy: number, x: number, y: number, n: number) => {
    const numerator = Math.abs(n * xy);
    const factor = Math.abs(xy / n);
    return numerator < 1e-7 && factor < 1e-7 ? 0 : factor * Math.log(numerator / Math.abs(x * y));
  };
  return (counts) => {
    const t = table(counts, isSuperset);
    const score =
      (term(t.n00, t.n0_, t.n_0, t.n) + term(t.n01, t.n0_, t.n_1, t.n) + term(t.n10, t.n1_, t.n_0, t.n) + term(t.n11, t.n1_, t.n_1, t.n)) /
      Math.LN2;
    if (Number.isNaN(score) || (!includeNegatives && t.n11 / t.n_1 < t.n10 / t.n_0)) return -Infinity;
    return score;
  };
}

function chiSquare(includeNegatives: boolean, isSuperset: boolean): Heuristic {
  return (counts) => {
    const t = table(counts, isSuperset);
    if (!includeNegatives && t.n11 / t.n_1 < t.n10 / t.n_0) return -Infinity;
    return (t.n * (t.n11 * t.n00 - t.n01 * t.n10) ** 2) / (t.n_1 * t.n1_ * t.n0_ * t.n_0);
  };
}

function googleDistance(isSuperset: boolean): Heuristic {
  return (counts) => {
    const t = table(counts, isSuperset);
    if (t.n11 === 0) return 0;
    const [fx, fy] = [Math.log(t.n1_), Math.log(t.n_1)];
    return Math.exp(-(Math.max(fx, fy) - Math.log(t.n11)) / (Math.log(t.n) - Math.min(fx, fy)));
  };
}

function scripted(body: unknown): Heuristic {
  const p = new Params('script_heuristic', body);
  const script = p.take('script');
  p.done();
  const source = isObject(script) ? script.source : script;
  if (typeof source !== 'string') throw illegalArgumentError('script required');
  const constants = isObject(script) && isObject(script.params) ? script.params : {};
  const compiled = compileScript(source, CONTEXTS.script_heuristic);
  // Counts are longs in Java.
  return ({ subsetFreq, subsetSize, supersetFreq, supersetSize }) => {
    const params = toScript(constants) as Map<Value, Value>;
    params.set('_subset_freq', BigInt(subsetFreq));
    params.set('_subset_size', BigInt(subsetSize));
    params.set('_superset_freq', BigInt(supersetFreq));
    params.set('_superset_size', BigInt(supersetSize));
    return Number(compiled.run({ params }));
  };
}

const NAMES = ['jlh', 'mutual_information', 'chi_square', 'gnd', 'percentage', 'script_heuristic'] as const;
type HeuristicName = (typeof NAMES)[number];

function isHeuristic(name: string): name is HeuristicName {
  return (NAMES as readonly string[]).includes(name);
}

/** The heuristic named in a body, the last of several, by default JLH. */
export function parseHeuristic(p: Params): Heuristic {
  const named = p.keys().filter(isHeuristic);
  return named.map((name) => readHeuristic(name, p.take(name))).at(-1) ?? jlh;
}

function readHeuristic(name: HeuristicName, body: unknown): Heuristic {
  if (name === 'script_heuristic') return scripted(body);
  const inner = new Params(name, body);
  const includeNegatives = inner.bool('include_negatives') ?? false;
  const isSuperset = inner.bool('background_is_superset') ?? true;
  inner.done();
  switch (name) {
    case 'mutual_information':
      return mutualInformation(includeNegatives, isSuperset);
    case 'chi_square':
      return chiSquare(includeNegatives, isSuperset);
    case 'gnd':
      return googleDistance(isSuperset);
    case 'percentage':
      return percentage;
    default:
      return jlh;
  }
}
