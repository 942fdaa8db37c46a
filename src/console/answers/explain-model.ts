// Score explanations (`_explain`, `"explain": true`) as readable sums and products. Independent of the page's components.
import { numberText } from '../format.ts';

/** An explanation as the service sends it. */
export interface Explanation {
  readonly value: number;
  readonly description: string;
  readonly details?: readonly Explanation[];
}

/** How the values of the parts combine. */
export type Joint = '+' | '×' | 'max' | null;

export interface ScorePart {
  readonly label: string;
  readonly value: number;
  readonly joint: Joint;
  readonly parts: readonly ScorePart[];
  /** A sentence, or empty. */
  readonly note: string;
}

const WEIGHT = /^weight\((.*?)(?: in \d+)?\)(?: \[[^\]]*\])?, result of:$/s;
const SCORE = /^score\(.*\), (?:computed as (.*) from:|product of:)$/s;
const COMPUTED = /^(.*?), computed (?:as|from) (.*?)(?: from)?:$/s;
const REQUIRED = 'match on required clause, product of:';

/** Simplifies an explanation: a sum or weight with one part becomes that part, and nested sums are flattened. */
export function scoreParts(explanation: Explanation): ScorePart {
  const { value, description, details = [] } = explanation;
  if (description === REQUIRED) {
    const matched = details.map((detail) => detail.description).filter((text) => text !== '# clause');
    return { label: matched.join(' ') || 'filter', value, joint: null, parts: [], note: 'Must match, but adds nothing to the score.' };
  }
  const weight = WEIGHT.exec(description);
  if (weight && details.length === 1) return { ...scoreParts(details[0]), label: weight[1] };
  const computed = COMPUTED.exec(description);
  if (computed?.[1] === 'idf') return leafOf('idf', value, rarityText(details) ?? computed[2]);
  if (computed?.[1] === 'tf') return leafOf('tf', value, frequencyText(details) ?? computed[2]);
  const joint = jointOf(description);
  if (joint === '+' && details.length === 1 && details[0].value === value) return scoreParts(details[0]);
  const made = details.map(scoreParts);
  const parts = joint === '+' ? made.flatMap((part) => (part.joint === '+' ? part.parts : [part])) : made;
  return { label: labelOf(description), value, joint, parts, note: joint === null && computed ? computed[2] : '' };
}

const leafOf = (label: string, value: number, note: string): ScorePart => ({ label, value, joint: null, parts: [], note });

function jointOf(description: string): Joint {
  if (/^max (?:of|plus)/.test(description)) return 'max';
  if (/(?:^|, )sum of:?$/.test(description)) return '+';
  if (/(?:^|, )product of:?$/.test(description)) return '×';
  const formula = SCORE.exec(description)?.[1];
  return formula !== undefined && /^[\w ]+(?:\* [\w ]+)+$/.test(formula) ? '×' : null;
}

function labelOf(description: string): string {
  if (SCORE.test(description)) return 'score';
  const name = COMPUTED.exec(description)?.[1] ?? description;
  return name.replace(/(?:, )?(?:sum|product|max) of:?$/, (found) => found.replace(/^, |of:?$/g, '').trim()).replace(/:$/, '');
}

const named = (details: readonly Explanation[], name: string): number | null =>
  details.find(({ description }) => description === name || description.startsWith(`${name}, `))?.value ?? null;

function rarityText(details: readonly Explanation[]): string | null {
  const [docFreq, docCount] = [named(details, 'n'), named(details, 'N')];
  if (docFreq === null || docCount === null) return null;
  return `Rarity: ${numberText(docFreq)} of ${numberText(docCount)} documents contain it.`;
}

function frequencyText(details: readonly Explanation[]): string | null {
  const [freq, length, mean] = [named(details, 'freq'), named(details, 'dl'), named(details, 'avgdl')];
  if (freq === null) return null;
  const often = `${numberText(freq)} ${freq === 1 ? 'time' : 'times'}`;
  if (length === null || mean === null) return `It occurs ${often}.`;
  return `It occurs ${often} among ${numberText(length)} terms of the field; the mean length is ${mean.toFixed(1)}.`;
}

/** `5.95`, `0.379`: three significant digits at least. */
export const scoreText = (value: number): string =>
  Math.abs(value) >= 100 || Number.isInteger(value) ? numberText(Math.round(value * 10) / 10) : value.toPrecision(3);

/** The score in one line: `5.95 = name:san 3.2 + name:francisco 2.75`, `1.2 = name:san: boost 2.2 × idf 1.1 × tf 0.5`. */
export function sumText({ label, value, joint, parts }: ScorePart): string {
  const scoring = joint === '+' ? parts.filter((part) => part.value !== 0) : parts;
  if (scoring.length === 0) return `${scoreText(value)} = ${label}`;
  const [before, between, after] = joint === 'max' ? ['max(', ', ', ')'] : [joint === '+' ? '' : `${label}: `, ` ${joint ?? 'and'} `, ''];
  return `${scoreText(value)} = ${before}${scoring.map((part) => `${part.label} ${scoreText(part.value)}`).join(between)}${after}`;
}
