// SegmentReader over an image in an arena: addresses by name, term states by term, values of single documents.

import { checkTurn } from '../common/turns/turn.ts';
import { executePlan } from '../plan/execute.ts';
import { type NearestRequest, nearestVectors } from '../plan/nearest-vectors.ts';
import type { CollectPlan, PlanNode, SegmentHits } from '../plan/query-plan.ts';
import type { SegmentColumn, SegmentPostings, TermFilter, TermPairs, TermRange, TermState, WalkedTerm } from '../plan/segment.ts';
import type { SegmentReader, SegmentRunOptions } from '../plan/segment-reader.ts';
import { type TemporaryValues, temporaryColumn } from '../plan/temporary-column.ts';
import { findId, idOf } from '../wasm/buffer.ts';
import { bitsetBytes, bitsetCount, bitsetCountAnd, bitsetNext } from '../wasm/codec.ts';
import { columnBounds, firstValue, rawValues } from '../wasm/docvalues.ts';
import { COLUMN_MULTI, Column } from '../wasm/generated/docvalues.ts';
import { MAX_FUZZY_LENGTH, TermsHeader } from '../wasm/generated/terms.ts';
import type { Kernels } from '../wasm/kernels.ts';
import { getU32 } from '../wasm/records.ts';
import { type FoundTerm, fuzzyTerms, lookupTerm, MAX_FUZZY_EDITS, seekOrd, termOf, walkTerms } from '../wasm/terms.ts';
import type { Nearest } from '../wasm/vectors.ts';
import type { PagedImage } from './paged-image.ts';
import { PlacedColumn, PlacedPostings } from './placed-sections.ts';
import type { PinnedSections } from './section-table.ts';
import { type CheckOptions, type FieldPlace, readImage, type SegmentPlaces } from './segment-image.ts';
import { visitPositions } from './term-positions.ts';

/** Number of terms between two checks, minus one. */
const TERMS_PER_CHECK_MASK = 0xff;

const NO_TERMS = {
  ptr: 0,
  hasFreqs: false,
  hasPositions: false,
  hasOffsets: false,
  recordAt: (place: number) => place,
  positionsAt: () => 0,
  relocate: () => undefined,
  pieces: () => new Uint32Array(0),
  hasNorms: true,
  termCount: 0,
  docCount: 0,
  sumDocFreq: 0,
  sumTotalTermFreq: 0,
} as const;

const NO_VECTORS: Nearest = { docs: new Uint32Array(0), similarities: new Float32Array(0) };

interface Deletions {
  readonly liveDocsPtr: number;
  readonly numDocs: number;
  readonly numRootDocs: number;
}

export class SegmentImageReader implements SegmentReader {
  readonly id: number;
  readonly maxDoc: number;
  readonly numDocs: number;
  readonly numRootDocs: number;
  readonly liveDocsPtr: number;
  readonly rootDocsPtr: number;
  /** Kernels over the arena that contains the image. */
  readonly kernels: Kernels;
  readonly #places: SegmentPlaces;
  readonly #file: string;
  readonly #seqNo: FieldPlace | undefined;
  /** Shared by the readers of one image with different live docs. */
  readonly #columns: Map<string, SegmentColumn | null>;
  readonly #postings: Map<string, SegmentPostings | null>;
  /** The image whose sections this reader loads; null if the image is wholly in memory. */
  readonly #paged: PagedImage | null;
  readonly #pins: PinnedSections | null;

  constructor(
    kernels: Kernels,
    places: SegmentPlaces,
    options: { id: number; file: string; paged?: PagedImage | null; pins?: PinnedSections },
    deletions: Deletions = { liveDocsPtr: 0, numDocs: places.maxDoc, numRootDocs: places.rootDocs },
    shared: SegmentImageReader | null = null,
  ) {
    this.kernels = kernels;
    this.#places = places;
    this.#file = options.file;
    this.#paged = options.paged ?? null;
    this.#pins = options.pins ?? null;
    this.#seqNo = places.fields.get('_seq_no');
    this.id = options.id;
    this.maxDoc = places.maxDoc;
    this.rootDocsPtr = places.rootDocsPtr;
    this.liveDocsPtr = deletions.liveDocsPtr;
    this.numDocs = deletions.numDocs;
    this.numRootDocs = deletions.numRootDocs;
    this.#columns = shared ? shared.#columns : new Map();
    this.#postings = shared ? shared.#postings : new Map();
  }

  /**
   * The same segment with different deletions: address of a live docs bitset in the same arena, 0 for all live. `id` as for a new reader.
   */
  withLiveDocs(liveDocsPtr: number, id = this.id): SegmentImageReader {
    const { kernels: k, maxDoc, rootDocsPtr } = this;
    const options = { id, file: this.#file, paged: this.#paged };
    if (liveDocsPtr === 0) return new SegmentImageReader(k, this.#places, options, undefined, this);
    const numDocs = bitsetCount(k, liveDocsPtr, maxDoc);
    const numRootDocs = rootDocsPtr === 0 ? numDocs : bitsetCountAnd(k, liveDocsPtr, rootDocsPtr, maxDoc);
    return new SegmentImageReader(k, this.#places, options, { liveDocsPtr, numDocs, numRootDocs }, this);
  }

  /** The reader for one request: the sections that it reads stay in memory until the pins are released. */
  pinnedBy(pins: PinnedSections): SegmentImageReader {
    const paged = this.#paged;
    if (paged === null) return this;
    return new SegmentImageReader(this.kernels, paged.pinnedBy(pins), { id: this.id, file: this.#file, paged, pins }, this);
  }

  release(): void {
    this.#pins?.release();
  }

  /** Bytes of the whole segment. */
  get bytes(): number {
    return this.#places.bytes;
  }

  /** Bytes of the segment that are in memory. */
  get residentBytes(): number {
    return this.#places.residentBytes;
  }

  /** Bytes of a live docs bitset for this segment. */
  get liveDocsBytes(): number {
    return bitsetBytes(this.maxDoc);
  }

  /** Sections of the image. */
  get sections(): SegmentPlaces['sections'] {
    return this.#places.sections;
  }

  get fieldNames(): string[] {
    return [...this.#places.fields.keys()];
  }

  postings(field: string): SegmentPostings | null {
    let postings = this.#postings.get(field);
    if (postings === undefined) {
      postings = this.#readPostings(this.#places.fields.get(field));
      this.#postings.set(field, postings);
    }
    return postings;
  }

  #readPostings(place: FieldPlace | undefined): SegmentPostings | null {
    if (!place) return null;
    if (place.terms !== 0) return new PlacedPostings(this.kernels, place);
    // All values are empty: there is no dictionary, but the norms show which documents have the field.
    return place.norms === 0 ? null : { ...NO_TERMS, normsPtr: place.norms };
  }

  column(field: string): SegmentColumn | null {
    let column = this.#columns.get(field);
    if (column === undefined) {
      column = this.#readColumn(this.#places.fields.get(field));
      this.#columns.set(field, column);
    }
    return column;
  }

  #readColumn(place: FieldPlace | undefined): SegmentColumn | null {
    if (!place) return null;
    const k = this.kernels;
    const kind = place.columnKind;
    if (kind === 'binary') {
      if (place.binary === 0) return null;
      let docCount = 0;
      for (let docId = 0; docId < this.maxDoc; docId++) {
        if (k.view.getUint32(place.binary + docId * 4, true) !== k.view.getUint32(place.binary + docId * 4 + 4, true)) docCount++;
      }
      return new PlacedColumn(place, { kind, multiValued: false, docCount, valueCount: docCount, min: 0, max: 0 });
    }
    if (kind === 'none' || place.column === 0) return null;
    const { min, max } = columnBounds(k, place.column, kind === 'f64');
    return new PlacedColumn(place, {
      kind,
      multiValued: (getU32(k, place.column, Column.flags) & COLUMN_MULTI) !== 0,
      docCount: getU32(k, place.column, Column.docCount),
      valueCount: getU32(k, place.column, Column.valueCount),
      min: kind === 'ordinals' ? Number(min) : min,
      max: kind === 'ordinals' ? Number(max) : max,
    });
  }

  nestedDocsPtr(path: string): number {
    return this.#places.nested.get(path) ?? 0;
  }

  lookupTerm(field: string, term: Uint8Array): TermState | null {
    const place = this.#places.fields.get(field);
    if (!place || place.terms === 0) return null;
    const state = lookupTerm(this.kernels, place.terms, term);
    const { recordBase } = place;
    return state === null || recordBase === 0 ? state : { ...state, ptr: (state.ptr - recordBase) >>> 0 };
  }

  walkTerms(field: string, range: TermRange, limit: number, filter?: TermFilter): WalkedTerm[] {
    const found: WalkedTerm[] = [];
    if (limit <= 0) return found;
    this.#visitTerms(field, range, filter, (bytes, state) => {
      found.push({ ...state, bytes: bytes.slice() });
      return found.length < limit;
    });
    return found;
  }

  matchTerms(field: string, range: TermRange, filter: TermFilter): TermPairs {
    let pairs = new Uint32Array(64);
    let length = 0;
    this.#visitTerms(field, range, filter, (_bytes, { ptr, docFreq }) => {
      if (docFreq === 0) return true;
      if (length === pairs.length) {
        const larger = new Uint32Array(2 * length);
        larger.set(pairs);
        pairs = larger;
      }
      pairs[length++] = ptr;
      pairs[length++] = docFreq;
      return true;
    });
    return pairs.slice(0, length);
  }

  /** @param visit  returns false to stop. The bytes are valid during the call only */
  #visitTerms(
    field: string,
    range: TermRange,
    filter: TermFilter | undefined,
    visit: (bytes: Uint8Array, state: FoundTerm) => boolean,
  ): void {
    const place = this.#places.fields.get(field);
    if (!place || place.terms === 0) return;
    const k = this.kernels;
    const { recordBase } = place;
    const first = this.#ordOf(place.terms, range.from, range.includeFrom ?? true);
    const end =
      range.to === null ? getU32(k, place.terms, TermsHeader.termCount) : this.#ordOf(place.terms, range.to, !(range.includeTo ?? true));
    let visited = 0;
    const visitFiltered = (accepts: TermFilter, visitNext: typeof visit) => (bytes: Uint8Array, state: FoundTerm) => {
      if ((++visited & TERMS_PER_CHECK_MASK) === 0) checkTurn();
      return !accepts(bytes) || visitNext(bytes, state);
    };
    const visitPlaced =
      recordBase === 0 ? visit : (bytes: Uint8Array, state: FoundTerm) => visit(bytes, { ...state, ptr: (state.ptr - recordBase) >>> 0 });
    const visitKept = filter ? visitFiltered(filter, visitPlaced) : visitPlaced;
    const near = filter?.near;
    if (near && near.word.length <= MAX_FUZZY_LENGTH && near.maxEdits <= MAX_FUZZY_EDITS)
      fuzzyTerms(k, place.terms, first, end, near.word, near.maxEdits, visitKept);
    else walkTerms(k, place.terms, first, end, visitKept);
  }

  /** Ordinal of the first term >= bytes (`inclusive`) or > bytes. */
  #ordOf(termsPtr: number, bytes: Uint8Array | null, inclusive: boolean): number {
    if (bytes === null) return 0;
    if (inclusive) return seekOrd(this.kernels, termsPtr, bytes);
    const after = new Uint8Array(bytes.length + 1); // the next string in byte order
    after.set(bytes);
    return seekOrd(this.kernels, termsPtr, after);
  }

  termOf(field: string, ord: number): Uint8Array {
    return termOf(this.kernels, this.#fieldWithTerms(field), ord);
  }

  seekOrd(field: string, term: Uint8Array): number {
    const place = this.#places.fields.get(field);
    return place && place.terms !== 0 ? seekOrd(this.kernels, place.terms, term) : 0;
  }

  #fieldWithTerms(field: string): number {
    const place = this.#places.fields.get(field);
    if (!place || place.terms === 0) throw new RangeError(`field [${field}] has no terms in this segment`);
    return place.terms;
  }

  values(field: string, docId: number): ReadonlyArray<bigint | number> {
    const place = this.#places.fields.get(field);
    if (!place || place.column === 0) return [];
    const k = this.kernels;
    return k.scoped(() => {
      const { ptr, count } = rawValues(k, place.column, docId);
      const first = ptr >>> 3;
      if (place.columnKind === 'f64') return Array.from(k.f64.subarray(first, first + count));
      const values = Array.from(k.i64.subarray(first, first + count));
      return place.columnKind === 'ordinals' ? values.map(Number) : values;
    });
  }

  binary(field: string, docId: number): Uint8Array | null {
    const place = this.#places.fields.get(field);
    if (!place || place.binary === 0) return null;
    const { view } = this.kernels;
    const from = view.getUint32(place.binary + docId * 4, true);
    const to = view.getUint32(place.binary + docId * 4 + 4, true);
    return from === to ? null : this.kernels.copyOut(place.binary + (this.maxDoc + 1) * 4 + from, to - from);
  }

  norm(field: string, docId: number): number {
    const place = this.#places.fields.get(field);
    return place && place.norms !== 0 ? this.kernels.u8[place.norms + docId] : 0;
  }

  docFreqOf(field: string, term: Uint8Array): number {
    return this.lookupTerm(field, term)?.docFreq ?? 0;
  }

  isLive(docId: number): boolean {
    const { liveDocsPtr } = this;
    return liveDocsPtr === 0 || ((this.kernels.u8[liveDocsPtr + (docId >>> 3)] >>> (docId & 7)) & 1) === 1;
  }

  docOfId(id: string): number {
    return findId(this.kernels, this.#places.ids, id, this.liveDocsPtr);
  }

  /** `_id` of a document; for a nested child that of its root. */
  idOf(docId: number): string {
    return Buffer.from(idOf(this.kernels, this.#places.ids, this.rootOf(docId))).toString();
  }

  seqNo(docId: number): number {
    // Opening the segment has checked that the column exists.
    return firstValue(this.kernels, this.#seqNo?.column ?? 0, docId);
  }

  rootOf(docId: number): number {
    return this.rootDocsPtr === 0 ? docId : bitsetNext(this.kernels, this.rootDocsPtr, this.maxDoc, docId);
  }

  visitPositions(
    docs: Uint32Array,
    terms: ReadonlyMap<string, { readonly field: string; readonly state: TermState }>,
    visit: (docId: number, positionsOf: (key: string) => readonly number[]) => void,
  ): void {
    visitPositions(this.kernels, docs, terms, (field) => this.postings(field), visit);
  }

  hasVectorGraph(field: string): boolean {
    return this.#places.fields.get(field)?.hasGraph ?? false;
  }

  nearest(request: NearestRequest): Nearest {
    const place = this.#places.fields.get(request.field);
    return place && place.binary !== 0 ? nearestVectors(this.kernels, this, place, request) : NO_VECTORS;
  }

  execute(plan: PlanNode, collect: CollectPlan, options: SegmentRunOptions): SegmentHits {
    const { maxDoc, liveDocsPtr } = this;
    const scope = { maxDoc, liveDocsPtr, rootDocsPtr: options.withNested ? 0 : this.rootDocsPtr };
    return executePlan(this.kernels, scope, plan, collect, options);
  }

  scratch<T>(action: () => T): T {
    return this.kernels.scoped(action);
  }

  temporaryColumn(values: Omit<TemporaryValues, 'maxDoc'>): SegmentColumn | null {
    return temporaryColumn(this.kernels, { ...values, maxDoc: this.maxDoc });
  }
}

export interface OpenOptions extends CheckOptions {
  /** Unique during the life of the node. */
  readonly id: number;
}

/**
 * Opens the image at `ptr` (multiple of 64, in the memory of `kernels`).
 * @throws ApiError corrupt_index_exception naming file and section
 */
export function openSegment(kernels: Kernels, ptr: number, bytes: number, options: OpenOptions): SegmentImageReader {
  return new SegmentImageReader(kernels, readImage(kernels, ptr, bytes, options), options);
}

/** A reader over a paged image, for requests that started while all sections fit. */
export function openPagedSegment(image: PagedImage, options: { readonly id: number; readonly file: string }): SegmentImageReader {
  return new SegmentImageReader(image.kernels, image.settled(), { ...options, paged: image });
}
