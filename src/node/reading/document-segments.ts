// Indexes the documents of a percolate query in this thread: an open buffer turns them into the image of a segment, which searches lay out in
// their scratch. Nothing of them reaches a shard.

import { OpenBuffer } from '../../arena/open-buffer.ts';
import { openSegment } from '../../arena/segment-reader.ts';
import type { JsonObject } from '../../common/json/json-value.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import type { DocumentIndexer, DocumentSegment } from '../../search/shard/document-segment.ts';
import { registryOf } from '../metadata/stored-queries.ts';

/** Id of the documents in error messages, as in Elasticsearch. */
const ID = '_temp_id';
/** 1 GiB; only the part that documents need is ever touched. */
const PAGES = 16_384;
const MAX_BYTES = 128 * 1024 * 1024;
/** A document may add fields several times, since a new object shows its own new fields only afterwards. */
const MAX_MAPPING_CHANGES = 32;

/** Analyzers of an index, as the open buffer uses them. */
type BufferAnalysis = Parameters<OpenBuffer['useMapping']>[2];

export function makeDocumentIndexer(module: WebAssembly.Module): DocumentIndexer {
  let buffer: OpenBuffer | null = null;
  let segments = 0;
  return (given, analysis, sources) => {
    buffer ??= new OpenBuffer(module, MAX_BYTES, PAGES);
    try {
      const { mapping, image } = writeImage(buffer, given, registryOf(analysis), sources);
      // Ids below zero are not those of segments of shards.
      return documentSegment(mapping, sources, image, () => --segments);
    } catch (error) {
      if (error instanceof RangeError) throw illegalArgumentError('the documents are too large to be percolated');
      throw error;
    } finally {
      buffer.reset();
    }
  };
}

function writeImage(
  buffer: OpenBuffer,
  given: MappingSnapshot,
  analysis: BufferAnalysis,
  sources: readonly JsonObject[],
): { mapping: MappingSnapshot; image: Uint8Array } {
  let mapping = given;
  sources.forEach((source, slot) => {
    mapping = withFieldsOf(buffer, mapping, analysis, source);
    buffer.add({ id: slot === 0 ? ID : `${ID}${slot}`, seqNo: slot, version: 1, primaryTerm: 1 });
  });
  return { mapping, image: new Uint8Array(buffer.flush()) };
}

/** Encodes a document. Fields that it adds are known to this request only. */
function withFieldsOf(buffer: OpenBuffer, given: MappingSnapshot, analysis: BufferAnalysis, source: JsonObject): MappingSnapshot {
  let mapping = given;
  for (let changes = 0; changes <= MAX_MAPPING_CHANGES; changes++) {
    buffer.useMapping('percolated documents', mapping.fields, analysis);
    const outcome = mapping.parseDocument(ID, source, buffer.encoder, null);
    if (outcome.kind === 'parsed') return mapping;
    buffer.encoder.reset();
    mapping = mapping.merge(outcome.update.mappings, 'dynamic');
  }
  throw illegalArgumentError('a percolated document keeps adding fields to the mapping');
}

function documentSegment(
  mapping: MappingSnapshot,
  sources: readonly JsonObject[],
  image: Uint8Array,
  nextId: () => number,
): DocumentSegment {
  return {
    mapping,
    sources,
    open({ kernels }, action) {
      return kernels.scoped(() => {
        const bytes = image.length + SLACK_BYTES;
        if (bytes * 2 > kernels.free) throw noRoomError(bytes, kernels.free);
        const ptr = kernels.reserve(bytes, SLACK_BYTES);
        kernels.u8.set(image, ptr);
        return action(openSegment(kernels, ptr, image.length, { id: nextId(), file: 'percolated documents', verify: false }));
      });
    },
  };
}

/** Alignment of an image, and room for wide loads at its end. */
const SLACK_BYTES = 64;

function noRoomError(bytes: number, free: number): ApiError {
  return new ApiError(
    'circuit_breaking_exception',
    429,
    `percolated documents need [${bytes}] bytes of scratch memory, of which [${free}] are free`,
    {
      details: { bytes_wanted: bytes, bytes_limit: free, durability: 'TRANSIENT' },
    },
  );
}
