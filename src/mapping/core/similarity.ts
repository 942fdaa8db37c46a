// Similarities of fields: the built-in ones, and those defined by `index.similarity.NAME`.
import { mapperParsingError } from '../../errors/catalog.ts';
import { isModelType, parseSimilarityModel, type SimilarityModel } from './similarity-model.ts';

/** Parameters of BM25. */
export interface Bm25 {
  readonly k1: number;
  readonly b: number;
}

export type SimilarityKind = 'BM25' | 'LegacyBM25' | 'boolean' | SimilarityModel['type'];

export interface Similarity {
  readonly kind: SimilarityKind;
  readonly bm25: Bm25;
  /** Set if the field is scored neither by BM25 nor by `boolean`. */
  readonly model: SimilarityModel | null;
}

export const DEFAULT_BM25: Bm25 = { k1: 1.2, b: 0.75 };
const BUILT_IN_SIMILARITIES: readonly string[] = ['BM25', 'LegacyBM25', 'boolean'];

function builtIn(kind: SimilarityKind, bm25: Bm25 = DEFAULT_BM25): Similarity {
  return { kind, bm25, model: null };
}

/**
 * @param settings  flat, valid index settings
 * @param name      similarity of the field; undefined for the index's default
 * @throws ApiError mapper_parsing_exception: unknown similarity
 */
export function similarityOf(settings: Readonly<Record<string, unknown>>, name: string | undefined, field: string): Similarity {
  const prefix = `index.similarity.${name ?? 'default'}.`;
  const own = new Map<string, string>();
  for (const [key, value] of Object.entries(settings)) {
    if (key.startsWith(prefix) && value !== undefined && value !== null) own.set(key.slice(prefix.length), String(value));
  }
  const type = own.get('type');
  if (type !== undefined) {
    if (isModelType(type)) return { kind: type, bm25: DEFAULT_BM25, model: parseSimilarityModel(type, own) };
    return builtIn(type as SimilarityKind, { k1: Number(own.get('k1') ?? DEFAULT_BM25.k1), b: Number(own.get('b') ?? DEFAULT_BM25.b) });
  }
  if (name === undefined) return builtIn('BM25');
  if (BUILT_IN_SIMILARITIES.includes(name)) return builtIn(name as SimilarityKind);
  const reason = `Unknown Similarity type [${name}] for field [${field}]`;
  throw mapperParsingError(`Failed to parse mapping [_doc]: ${reason}`, mapperParsingError(reason));
}
