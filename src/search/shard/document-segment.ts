// Documents of a request as a segment in memory, on which queries can run. The node provides the function that indexes them, since only it may
// use the writer of segments.
import type { JsonObject } from '../../common/json/json-value.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { QueryAnalysis } from '../index-query/query-analysis.ts';

export interface DocumentSegment {
  /** The mapping of the index with the fields that the documents add. */
  readonly mapping: MappingSnapshot;
  readonly sources: readonly JsonObject[];
  /**
   * Runs an action on the documents as a segment, whose root documents are in the order of the sources. The segment is valid within the action.
   * @param beside  a segment of the arena in whose scratch the documents are laid out
   * @throws ApiError circuit_breaking_exception: the scratch is too small
   */
  open<T>(beside: SegmentReader, action: (segment: SegmentReader) => T): T;
}

/** @throws ApiError: a document does not fit the mapping */
export type DocumentIndexer = (mapping: MappingSnapshot, analysis: QueryAnalysis, sources: readonly JsonObject[]) => DocumentSegment;

let indexer: DocumentIndexer | null = null;

export function provideDocumentIndexer(index: DocumentIndexer): void {
  indexer = index;
}

const known = new WeakMap<readonly JsonObject[], WeakMap<MappingSnapshot, DocumentSegment>>();

/** The documents as a segment; made once for a list of sources and a mapping. @throws ApiError as DocumentIndexer */
export function segmentOfDocuments(mapping: MappingSnapshot, analysis: QueryAnalysis, sources: readonly JsonObject[]): DocumentSegment {
  if (!indexer) throw new Error('no indexer of documents has been provided');
  let byMapping = known.get(sources);
  if (!byMapping) known.set(sources, (byMapping = new WeakMap()));
  let segment = byMapping.get(mapping);
  if (!segment) byMapping.set(mapping, (segment = indexer(mapping, analysis, sources)));
  return segment;
}
