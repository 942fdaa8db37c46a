// A segment without the documents that are hidden from a caller: they count as deleted, for every plan, lookup and count.
import type { Nearest, NearestRequest } from '../../plan/nearest-vectors.ts';
import { COUNT_ALL, type CollectPlan, type PlanNode, type SegmentHits } from '../../plan/query-plan.ts';
import type { SegmentColumn, SegmentPostings, TermFilter, TermRange, TermState, WalkedTerm } from '../../plan/segment.ts';
import type { SegmentReader, SegmentRunOptions } from '../../plan/segment-reader.ts';
import { SegmentView } from './segment-view.ts';

/** Ids of these segments, which must differ from those of all others, since caches distinguish segments by them. */
let nextId = 2 ** 40;

export class VisibleSegment extends SegmentView {
  readonly #id = nextId++;
  readonly #numDocs: number;
  readonly #numRootDocs: number;
  /** Bitset over [0, maxDoc) in blocks of 64 bytes, with the nested children of visible documents; null if all are visible. */
  readonly #visible: Uint8Array | null;
  readonly #hiddenField: string | null;

  /** @param hiddenField  an internal field without postings and column for this caller; null for none */
  constructor(base: SegmentReader, visible: Uint8Array | null, hiddenField: string | null) {
    super(base);
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
    this.#numDocs = docs;
    this.#numRootDocs = roots;
  }

  override get id(): number {
    return this.#id;
  }
  override get numDocs(): number {
    return this.#numDocs;
  }
  override get numRootDocs(): number {
    return this.#numRootDocs;
  }

  override isLive(docId: number): boolean {
    return isVisible(this.#visible, docId) && this.base.isLive(docId);
  }

  override docOfId(id: string): number {
    const docId = this.base.docOfId(id);
    return docId >= 0 && isVisible(this.#visible, docId) ? docId : -1;
  }

  override execute(plan: PlanNode, collect: CollectPlan, options: SegmentRunOptions): SegmentHits {
    return this.base.execute(plan, collect, this.#visible === null ? options : { ...options, visible: this.#visible });
  }

  override nearest(request: NearestRequest): Nearest {
    return this.base.nearest(this.#visible === null ? request : { ...request, visible: this.#visible });
  }

  override column(field: string): SegmentColumn | null {
    return field === this.#hiddenField ? null : this.base.column(field);
  }
  override postings(field: string): SegmentPostings | null {
    return field === this.#hiddenField ? null : this.base.postings(field);
  }
  override lookupTerm(field: string, term: Uint8Array): TermState | null {
    return field === this.#hiddenField ? null : this.base.lookupTerm(field, term);
  }
  override docFreqOf(field: string, bytes: Uint8Array): number {
    const term = this.lookupTerm(field, bytes);
    const postings = this.postings(field);
    if (term === null || postings === null) return 0;
    if (this.#visible === null) return term.docFreq;
    return this.execute({ op: 'term', postings, term, scorer: null }, COUNT_ALL, { withNested: true }).total;
  }
  override walkTerms(field: string, range: TermRange, limit: number, filter?: TermFilter): WalkedTerm[] {
    return field === this.#hiddenField ? [] : this.base.walkTerms(field, range, limit, filter);
  }
}

function isVisible(bits: Uint8Array | null, docId: number): boolean {
  return bits === null || ((bits[docId >>> 3] >>> (docId & 7)) & 1) === 1;
}
