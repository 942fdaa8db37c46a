// What the reduction of aggregations reads of segments, as data: a node that reduces the results of segments of another node reads from what that node
// has sent along, and asks it for the rest.
//   node with the segments   reduces its own results over RecordedReads ─► everything that this has read
//   node that was asked      reduces all results over KnownReads; what these miss is asked for, and the reduction is repeated
import type { JsonObject } from '../../common/json/json-value.ts';
import type { AggResult } from '../../plan/agg-plan.ts';
import type { SegmentColumn, TermState } from '../../plan/segment.ts';
import type { AggSpec, Bindings, DistantHits, SegmentScope } from '../types.ts';

/** Kinds of reads with their results. */
export interface ReadResults {
  column: SegmentColumn | null;
  term: Uint8Array;
  values: ReadonlyArray<bigint | number>;
  binary: Uint8Array | null;
  docFreq: number;
  lookup: TermState | null;
  seek: number;
  seqNo: number;
  root: number;
  liveDocs: Uint32Array;
  rootDocs: Uint32Array;
  children: AggResult[];
  hits: DistantHits;
}
export type ReadKind = keyof ReadResults;

/** A type, not an interface: it is a part of a request to another node. */
export type Read<Kind extends ReadKind = ReadKind> = {
  readonly kind: Kind;
  /** A field, or the place of a spec in its tree; empty where there is none. */
  readonly name: string;
  /** Document, ordinal, or bytes of a term as a string of chars 0-255. */
  readonly of: number | string;
  /** Of `children` and `hits`. */
  readonly docs?: Uint32Array;
  readonly scores?: Float32Array | null;
  /** Of `hits`. */
  readonly top?: TopHitsRequest;
};

/** A type: it is a part of a request to another node. */
export type TopHitsRequest = { readonly body: JsonObject; readonly nestedPath: string | null };

/** Selects and fetches hits in a segment of this node. */
export type ReadHits = (scope: SegmentScope, read: Read) => DistantHits;

/** Results of reads, by kind and name, then by what they are of. */
export type ReadTable = Map<string, Map<number | string, ReadResults[ReadKind]>>;

export interface SegmentReads {
  read<Kind extends ReadKind>(read: Read<Kind>): ReadResults[Kind];
}

const keyOf = ({ kind, name }: Read): string => `${kind} ${name}`;

/** Result of a read while it is not known: nothing, as far as there is nothing of the kind. */
const UNKNOWN: { readonly [Kind in ReadKind]: (read: Read) => ReadResults[Kind] } = {
  column: () => null,
  term: ({ of }) => Buffer.from(`\0${of}`),
  values: () => [],
  binary: () => null,
  docFreq: () => 0,
  lookup: () => null,
  seek: () => 0,
  seqNo: () => 0,
  root: ({ of }) => Number(of),
  liveDocs: () => new Uint32Array(0),
  rootDocs: () => new Uint32Array(0),
  children: () => [],
  hits: () => ({ total: 0, hits: [] }),
};

/** Reads of what another node has sent. A reduction during which something was missed has no meaning. */
export class KnownReads implements SegmentReads {
  readonly #table: ReadTable;
  #missed = new Map<string, Read>();

  constructor(table: ReadTable) {
    this.#table = table;
  }

  read<Kind extends ReadKind>(read: Read<Kind>): ReadResults[Kind] {
    const known = this.#table.get(keyOf(read))?.get(read.of);
    if (known !== undefined) return known as ReadResults[Kind];
    this.#missed.set(`${keyOf(read)} ${read.of}`, read);
    return UNKNOWN[read.kind](read);
  }

  /** What was read in vain since the last call. */
  takeMissed(): Read[] {
    const missed = [...this.#missed.values()];
    this.#missed = new Map();
    return missed;
  }

  add(read: Read, result: ReadResults[ReadKind]): void {
    addTo(this.#table, read, result);
  }
}

function addTo(table: ReadTable, read: Read, result: ReadResults[ReadKind]): void {
  const key = keyOf(read);
  const known = table.get(key);
  if (known) known.set(read.of, result);
  else table.set(key, new Map([[read.of, result]]));
}

/** Reads of a segment of this node, which are noted for another node. */
export class RecordedReads implements SegmentReads {
  readonly table: ReadTable = new Map();
  readonly #scope: SegmentScope;
  readonly #bindings: Bindings;
  readonly #specs: readonly AggSpec[];
  readonly #readHits: ReadHits;
  readonly #count: () => void;

  /** @param specs  all of the tree @param count  called for each read that is noted; may throw */
  constructor(scope: SegmentScope, bindings: Bindings, specs: readonly AggSpec[], readHits: ReadHits, count: () => void) {
    this.#scope = scope;
    this.#bindings = bindings;
    this.#specs = specs;
    this.#readHits = readHits;
    this.#count = count;
  }

  read<Kind extends ReadKind>(read: Read<Kind>): ReadResults[Kind] {
    const known = this.table.get(keyOf(read))?.get(read.of);
    if (known !== undefined) return known as ReadResults[Kind];
    this.#count();
    const result = readSegment(read, this.#scope, this.#bindings, this.#specs, this.#readHits);
    addTo(this.table, read, result);
    return result as ReadResults[Kind];
  }
}

const bytesOf = (text: number | string): Uint8Array => Buffer.from(String(text), 'latin1');

/** @param specs  all of the tree */
export function readSegment(
  read: Read,
  scope: SegmentScope,
  bindings: Bindings,
  specs: readonly AggSpec[],
  readHits: ReadHits,
): ReadResults[ReadKind] {
  const { segment } = scope;
  const { name, of } = read;
  switch (read.kind) {
    case 'column': {
      const column = segment.column(name);
      return column && { ...column, ptr: 0 };
    }
    case 'term':
      return segment.termOf(name, Number(of));
    case 'values':
      return segment.values(name, Number(of));
    case 'binary': {
      const bytes = segment.binary(name, Number(of));
      return bytes && new Uint8Array(bytes);
    }
    case 'docFreq':
      return segment.docFreqOf(name, bytesOf(of));
    case 'lookup':
      return segment.lookupTerm(name, bytesOf(of));
    case 'seek':
      return segment.seekOrd(name, bytesOf(of));
    case 'seqNo':
      return segment.seqNo(Number(of));
    case 'root':
      return segment.rootOf(Number(of));
    case 'liveDocs':
      return scope.liveDocs();
    case 'rootDocs':
      return scope.rootDocs();
    case 'hits':
      return readHits(scope, read);
    case 'children':
      return scope.collectChildren(specs[Number(name)], bindings, read.docs ?? new Uint32Array(0), read.scores ?? null);
  }
}

/** All specs of a tree, parents first. */
export function specsOf({ children }: { readonly children: readonly AggSpec[] }): AggSpec[] {
  return children.flatMap((spec) => [spec, ...specsOf(spec)]);
}
