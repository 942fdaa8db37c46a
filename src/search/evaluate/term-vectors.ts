// Terms of a document's texts: analysed anew from its source, as term vectors show them and more_like_this counts them.
import type { JsonObject } from '../../common/json-value.ts';
import type { FieldType } from '../../mapping/field-type.ts';
import type { MappingSnapshot } from '../../mapping/mapping-snapshot.ts';
import { valuesAt } from '../fetch/fields.ts';
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
/** Between two texts of a field. */
const OFFSET_GAP = 1;

/** Fields whose terms a document's texts have. */
export function hasVector(type: FieldType): boolean {
  return (type.family === 'text' || type.family === 'keyword') && !type.name.startsWith('_') && !type.runtime;
}

/** Texts of a field in a source; of a multi-field its parent's. */
export function textsOf(mapping: MappingSnapshot, name: string, source: JsonObject): string[] {
  let path = name;
  let values = valuesAt(source, path.split('.'));
  while (values.length === 0 && path.includes('.')) {
    path = path.slice(0, path.lastIndexOf('.'));
    const parent = mapping.field(path);
    if (!parent || parent.family === 'object' || parent.family === 'nested') break;
    values = valuesAt(source, path.split('.'));
  }
  return values
    .flat(Number.POSITIVE_INFINITY)
    .filter((value) => value !== null && typeof value !== 'object')
    .map(String);
}

/** @param analyzer  in place of the field's own */
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

/** Weight of a document frequency in the classic similarity of Lucene. */
export function classicIdf(docFreq: number, docCount: number): number {
  return Math.fround(Math.log((docCount + 1) / (docFreq + 1)) + 1);
}
