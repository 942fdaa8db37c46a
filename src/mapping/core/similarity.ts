// Similarities of fields: the built-in ones, and those defined by `index.similarity.NAME` (boolean; BM25 and LegacyBM25 with their own k1 and b).
import { mapperParsingError } from '../../errors/catalog.ts';

/** Parameters of BM25. */
export interface Bm25 {
  readonly k1: number;
  readonly b: number;
}

export type SimilarityKind = 'BM25' | 'LegacyBM25' | 'boolean';

export interface Similarity {
  readonly kind: SimilarityKind;
  readonly bm25: Bm25;
}

export const DEFAULT_BM25: Bm25 = { k1: 1.2, b: 0.75 };
const BUILT_IN: readonly string[] = ['BM25', 'LegacyBM25', 'boolean'] satisfies SimilarityKind[];

/**
 * @param settings  flat, valid index settings
 * @param name      similarity of the field; undefined for the index's default
 * @throws ApiError mapper_parsing_exception: unknown similarity
 */
export function similarityOf(settings: Readonly<Record<string, unknown>>, name: string | undefined, field: string): Similarity {
  const wanted = name ?? 'default';
  const setting = (param: string): string | undefined => {
    const value = settings[`index.similarity.${wanted}.${param}`];
    return value === undefined || value === null ? undefined : String(value);
  };
  const type = setting('type');
  if (type !== undefined) {
    const bm25 = { k1: Number(setting('k1') ?? DEFAULT_BM25.k1), b: Number(setting('b') ?? DEFAULT_BM25.b) };
    return { kind: type as SimilarityKind, bm25 };
  }
  if (name === undefined) return { kind: 'BM25', bm25: DEFAULT_BM25 };
  if (BUILT_IN.includes(name)) return { kind: name as SimilarityKind, bm25: DEFAULT_BM25 };
  const reason = `Unknown Similarity type [${name}] for field [${field}]`;
  throw mapperParsingError(`Failed to parse mapping [_doc]: ${reason}`, mapperParsingError(reason));
}
