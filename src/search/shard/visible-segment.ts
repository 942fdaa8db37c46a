// A segment without the documents that are hidden from a caller: they count as deleted, for every plan, lookup and count.
import type { Nearest, NearestRequest } from '../../plan/nearest-vectors.ts';
import { COUNT_ALL, type CollectPlan, type PlanNode, type SegmentHits } from '../../plan/query-plan.ts';
import type { SegmentColumn, SegmentPostings, TermFilter, TermPairs, TermRange, TermState, WalkedTerm } from '../../plan/segment.ts';
import type { SegmentReader, SegmentRunOptions } from '../../plan/segment-reader.ts';
import type { TemporaryValues } from '../../plan/temporary-column.ts';

/** Ids of these segments, which must differ from those of all others, since caches distinguish segments by them. */
let nextId = 2 ** 40;

export class VisibleSegment implements SegmentReader {
  readonly id = nextId++;
  readonly numDocs: number;
  readonly numRootDocs: number;
  readonly #base: SegmentReader;
  /** Bitset over [0, maxDoc) in blocks of 64 bytes, with the nested children of visible documents; null if all are visible. */
  readonly #visible: Uint8Array | null;
  readonly #hiddenField: string | null;

  /** @param hiddenField  an internal field without postings for this caller; null for none */
  constructor(base: SegmentReader, visible: Uint8Array | null, hiddenField: string | null) {
    this.#base = base;
    this.#visible = visible;
    this.#hiddenField = hiddenField;
    let docs = 0;
    let roots = 0;
    if (visible === null) [docs, roots] = [base.numDocs, base.numRootDocs];
    else {
      for (let doc = 0; doc < base.maxDoc; doc++) {
        if (!this.isLive(doc)) continue;
        docs++;
        if (base.rootOf(doc) === doc) roots++;
      }
    }
    this.numDocs = docs;
    this.numRootDocs = roots;
  }

  get kernels(): SegmentReader['kernels'] {
    return this.#base.kernels;
  }
  get maxDoc(): number {
    return this.#base.maxDoc;
  }
  get rootDocsPtr(): number {
    return this.#base.rootDocsPtr;
  }

  isLive(docId: number): boolean {
    return isVisible(this.#visible, docId) && this.#base.isLive(docId);
  }

  docOfId(id: string): number {
    const docId = this.#base.docOfId(id);
    return docId >= 0 && isVisible(this.#visible, docId) ? docId : -1;
  }

  execute(plan: PlanNode, collect: CollectPlan, options: SegmentRunOptions): SegmentHits {
    return this.#base.execute(plan, collect, this.#visible === null ? options : { ...options, visible: this.#visible });
  }

  hasVectorGraph(field: string): boolean {
    return this.#base.hasVectorGraph(field);
  }
  nearest(request: NearestRequest): Nearest {
    return this.#base.nearest(this.#visible === null ? request : { ...request, visible: this.#visible });
  }

  postings(field: string): SegmentPostings | null {
    return field === this.#hiddenField ? null : this.#base.postings(field);
  }
  column(field: string): SegmentColumn | null {
    return this.#base.column(field);
  }
  nestedDocsPtr(path: string): number {
    return this.#base.nestedDocsPtr(path);
  }
  lookupTerm(field: string, term: Uint8Array): TermState | null {
    return field === this.#hiddenField ? null : this.#base.lookupTerm(field, term);
  }
  docFreqOf(field: string, bytes: Uint8Array): number {
    const term = this.lookupTerm(field, bytes);
    const postings = this.postings(field);
    if (term === null || postings === null) return 0;
    if (this.#visible === null) return term.docFreq;
    return this.execute({ op: 'term', postings, term, scorer: null }, COUNT_ALL, { withNested: true }).total;
  }
  walkTerms(field: string, range: TermRange, limit: number, filter?: TermFilter): WalkedTerm[] {
    return field === this.#hiddenField ? [] : this.#base.walkTerms(field, range, limit, filter);
  }
  matchTerms(field: string, range: TermRange, filter: TermFilter): TermPairs {
    return this.#base.matchTerms(field, range, filter);
  }
  termOf(field: string, ord: number): Uint8Array {
    return this.#base.termOf(field, ord);
  }
  seekOrd(field: string, term: Uint8Array): number {
    return this.#base.seekOrd(field, term);
  }
  values(field: string, docId: number): ReadonlyArray<bigint | number> {
    return this.#base.values(field, docId);
  }
  binary(field: string, docId: number): Uint8Array | null {
    return this.#base.binary(field, docId);
  }
  norm(field: string, docId: number): number {
    return this.#base.norm(field, docId);
  }
  idOf(docId: number): string {
    return this.#base.idOf(docId);
  }
  seqNo(docId: number): number {
    return this.#base.seqNo(docId);
  }
  rootOf(docId: number): number {
    return this.#base.rootOf(docId);
  }
  visitPositions(...args: Parameters<SegmentReader['visitPositions']>): void {
    this.#base.visitPositions(...args);
  }
  get residentBytes(): number {
    return this.#base.residentBytes;
  }

  get sections(): SegmentReader['sections'] {
    return this.#base.sections;
  }
  release(): void {
    this.#base.release();
  }
  scratch<T>(action: () => T): T {
    return this.#base.scratch(action);
  }
  temporaryColumn(values: Omit<TemporaryValues, 'maxDoc'>): SegmentColumn | null {
    return this.#base.temporaryColumn(values);
  }
}

function isVisible(bits: Uint8Array | null, docId: number): boolean {
  return bits === null || ((bits[docId >>> 3] >>> (docId & 7)) & 1) === 1;
}
