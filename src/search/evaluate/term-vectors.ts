// The terms of a document's text fields, analyzed again from its source: term vectors return them, more_like_this counts them.
import type { FieldType } from '../../mapping/core/field-type.ts';
import type { QueryAnalysis } from '../index-query/query-analysis.ts';

export interface VectorToken {
  readonly position: number;
  readonly startOffset: number;
  readonly endOffset: number;
  readonly payload?: Uint8Array;
}

/** Tokens of each term of a field. */
export type FieldVector = ReadonlyMap<string, readonly VectorToken[]>;

const decoder = new TextDecoder();
/** Added between the values of a field. */
const OFFSET_GAP = 1;

/** Whether the terms of a field can be recomputed from the source. */
export function hasVector(type: FieldType): boolean {
  return (
    (type.family === 'text' || type.family === 'keyword') && !type.name.startsWith('_') && !type.runtime && type.typeName !== 'version'
  );
}

/**
 * The terms of a field's values, in the order in which they first occur.
 * @param analyzer  replaces the field's own
 */
export function vectorOf(analysis: QueryAnalysis, type: FieldType, texts: readonly string[], analyzer: string | null = null): FieldVector {
  const terms = new Map<string, VectorToken[]>();
  const used = analyzer ?? type.spec.analyzer;
  let positionBase = 0;
  let offsetBase = 0;
  for (const text of texts) {
    const tokens: readonly (VectorToken & { readonly term: string })[] =
      used === null
        ? [{ term: decoder.decode(type.termBytes(text)), position: 0, startOffset: 0, endOffset: text.length }]
        : analysis.analyze(used, text);
    let last = -1;
    for (const { term, position, startOffset, endOffset, payload } of tokens) {
      const token = {
        position: positionBase + position,
        startOffset: offsetBase + startOffset,
        endOffset: offsetBase + endOffset,
        payload,
      };
      const list = terms.get(term);
      if (list) list.push(token);
      else terms.set(term, [token]);
      last = position;
    }
    positionBase += last + 1 + (used === null ? 0 : type.spec.positionIncrementGap);
    offsetBase += text.length + OFFSET_GAP;
  }
  return terms;
}

/** Inverse document frequency of Lucene's classic similarity. */
export function classicIdf(docFreq: number, docCount: number): number {
  return Math.fround(Math.log((docCount + 1) / (docFreq + 1)) + 1);
}
