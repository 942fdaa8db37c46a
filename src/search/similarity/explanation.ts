// Explanations of scores: a tree of values with the words that Lucene uses for them.

import { jsonDouble } from '../../common/json/json-float.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import { shortestFloat } from '../../common/text/float32.ts';

export interface Explanation {
  readonly value: number;
  readonly description: string;
  readonly details: readonly Explanation[];
  /** True for a whole number, which is shown as an integer. */
  readonly isCount?: boolean;
}

/** An explanation as part of a response. */
export function explanationJson({ value, description, details, isCount }: Explanation): JsonObject {
  return { value: isCount ? value : jsonDouble(value), description, details: details.map(explanationJson) };
}

/** An explanation whose value is a float32. */
export function leaf(value: number, description: string, details: readonly Explanation[] = []): Explanation {
  return { value: shortestFloat(Math.fround(value)), description, details };
}

export function count(value: number, description: string): Explanation {
  return { value, description, details: [], isCount: true };
}

/** An explanation as text, as errors contain it: two spaces for each level. */
export function explanationText(explanation: Explanation, depth = 0): string {
  const { value, description, details, isCount } = explanation;
  const shown = isCount || !Number.isInteger(value) ? String(value) : value.toFixed(1);
  return `${'  '.repeat(depth)}${shown} = ${description}\n${details.map((detail) => explanationText(detail, depth + 1)).join('')}`;
}
