// A segment of another node as the reduction of aggregations sees it.
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { SegmentColumn, TermState, WalkedTerm } from '../../plan/segment.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { AggSpec, Bindings, SegmentScope } from '../types.ts';
import type { SegmentReads } from './segment-reads.ts';

/** What is known of each segment. A type: it is a part of a reply to another node. */
export type SegmentFacts = Pick<SegmentReader, 'maxDoc' | 'numDocs' | 'numRootDocs'> & {
  /** Whether filters of an alias or a slice apply. */
  readonly isFiltered: boolean;
  /** Position of the segment in its shard. */
  readonly number: number;
};

function unsupported(): never {
  throw illegalArgumentError(
    'an aggregation of the request reads more than its own results, which is not supported over indices of several nodes: request the indices one by one, or raise [index.number_of_replicas]',
  );
}

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');

const keyOf = (docs: Uint32Array): string => latin1(new Uint8Array(docs.buffer, docs.byteOffset, docs.byteLength));

class DistantSegment implements SegmentReader {
  readonly id = -1;
  readonly maxDoc: number;
  readonly numDocs: number;
  readonly numRootDocs: number;
  readonly residentBytes = 0;
  readonly sections = [];
  readonly #reads: SegmentReads;

  constructor({ maxDoc, numDocs, numRootDocs }: SegmentFacts, reads: SegmentReads) {
    this.maxDoc = maxDoc;
    this.numDocs = numDocs;
    this.numRootDocs = numRootDocs;
    this.#reads = reads;
  }

  column(field: string): SegmentColumn | null {
    return this.#reads.read({ kind: 'column', name: field, of: '' });
  }
  termOf(field: string, ord: number): Uint8Array {
    return this.#reads.read({ kind: 'term', name: field, of: ord });
  }
  values(field: string, docId: number): ReadonlyArray<bigint | number> {
    return this.#reads.read({ kind: 'values', name: field, of: docId });
  }
  binary(field: string, docId: number): Uint8Array | null {
    return this.#reads.read({ kind: 'binary', name: field, of: docId });
  }
  docFreqOf(field: string, term: Uint8Array): number {
    return this.#reads.read({ kind: 'docFreq', name: field, of: latin1(term) });
  }
  lookupTerm(field: string, term: Uint8Array): TermState | null {
    return this.#reads.read({ kind: 'lookup', name: field, of: latin1(term) });
  }
  seekOrd(field: string, term: Uint8Array): number {
    return this.#reads.read({ kind: 'seek', name: field, of: latin1(term) });
  }
  seqNo(docId: number): number {
    return this.#reads.read({ kind: 'seqNo', name: '', of: docId });
  }
  rootOf(docId: number): number {
    return this.#reads.read({ kind: 'root', name: '', of: docId });
  }
  release(): void {}

  get kernels(): never {
    return unsupported();
  }
  get rootDocsPtr(): never {
    return unsupported();
  }
  postings(): never {
    return unsupported();
  }
  nestedDocsPtr(): never {
    return unsupported();
  }
  walkTerms(): WalkedTerm[] {
    return unsupported();
  }
  matchTerms(): never {
    return unsupported();
  }
  norm(): never {
    return unsupported();
  }
  isLive(): never {
    return unsupported();
  }
  docOfId(): never {
    return unsupported();
  }
  idOf(): never {
    return unsupported();
  }
  visitPositions(): never {
    return unsupported();
  }
  hasVectorGraph(): never {
    return unsupported();
  }
  nearest(): never {
    return unsupported();
  }
  execute(): never {
    return unsupported();
  }
  scratch(): never {
    return unsupported();
  }
  temporaryColumn(): never {
    return unsupported();
  }
}

/**
 * @param shard  position in the search
 * @param specs  all of the tree
 */
export function distantScope(facts: SegmentFacts, reads: SegmentReads, shard: number, specs: readonly AggSpec[]): SegmentScope {
  return {
    segment: new DistantSegment(facts, reads),
    shard,
    handle: { index: facts.number },
    planQuery: unsupported,
    planFilters: () => (facts.isFiltered ? { op: 'matchAll' } : null),
    // Terms are compared by their bytes.
    termHashes: () => null,
    termHash: unsupported,
    liveDocs: () => reads.read({ kind: 'liveDocs', name: '', of: '' }),
    rootDocs: () => reads.read({ kind: 'rootDocs', name: '', of: '' }),
    collectDocs: unsupported,
    distantHits: (body, docs, scores, nestedPath) =>
      reads.read({ kind: 'hits', name: JSON.stringify([nestedPath, body]), of: keyOf(docs), docs, scores, top: { body, nestedPath } }),
    collectChildren(spec: AggSpec, _bindings: Bindings, docs: Uint32Array, scores: Float32Array | null) {
      return reads.read({ kind: 'children', name: String(specs.indexOf(spec)), of: keyOf(docs), docs, scores });
    },
  };
}
