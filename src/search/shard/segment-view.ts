// A segment as a search sees it: everything is read from the segment itself, but for what subclasses override.
import type { Nearest, NearestRequest } from '../../plan/nearest-vectors.ts';
import type { SegmentHits } from '../../plan/query-plan.ts';
import type { SegmentColumn, SegmentPostings, TermFilter, TermPairs, TermRange, TermState, WalkedTerm } from '../../plan/segment.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { TemporaryValues } from '../../plan/temporary-column.ts';

export abstract class SegmentView implements SegmentReader {
  protected readonly base: SegmentReader;

  constructor(base: SegmentReader) {
    this.base = base;
  }

  get id(): number {
    return this.base.id;
  }
  get maxDoc(): number {
    return this.base.maxDoc;
  }
  get numDocs(): number {
    return this.base.numDocs;
  }
  get numRootDocs(): number {
    return this.base.numRootDocs;
  }
  get rootDocsPtr(): number {
    return this.base.rootDocsPtr;
  }
  get kernels(): SegmentReader['kernels'] {
    return this.base.kernels;
  }
  get residentBytes(): number {
    return this.base.residentBytes;
  }
  get sections(): SegmentReader['sections'] {
    return this.base.sections;
  }

  isLive(docId: number): boolean {
    return this.base.isLive(docId);
  }
  docOfId(id: string): number {
    return this.base.docOfId(id);
  }
  idOf(docId: number): string {
    return this.base.idOf(docId);
  }
  seqNo(docId: number): number {
    return this.base.seqNo(docId);
  }
  rootOf(docId: number): number {
    return this.base.rootOf(docId);
  }
  nestedDocsPtr(path: string): number {
    return this.base.nestedDocsPtr(path);
  }

  execute(...args: Parameters<SegmentReader['execute']>): SegmentHits {
    return this.base.execute(...args);
  }
  hasVectorGraph(field: string): boolean {
    return this.base.hasVectorGraph(field);
  }
  nearest(request: NearestRequest): Nearest {
    return this.base.nearest(request);
  }

  postings(field: string): SegmentPostings | null {
    return this.base.postings(field);
  }
  lookupTerm(field: string, term: Uint8Array): TermState | null {
    return this.base.lookupTerm(field, term);
  }
  docFreqOf(field: string, term: Uint8Array): number {
    return this.base.docFreqOf(field, term);
  }
  walkTerms(field: string, range: TermRange, limit: number, filter?: TermFilter): WalkedTerm[] {
    return this.base.walkTerms(field, range, limit, filter);
  }
  matchTerms(field: string, range: TermRange, filter: TermFilter): TermPairs {
    return this.base.matchTerms(field, range, filter);
  }
  termOf(field: string, ord: number): Uint8Array {
    return this.base.termOf(field, ord);
  }
  seekOrd(field: string, term: Uint8Array): number {
    return this.base.seekOrd(field, term);
  }
  visitPositions(...args: Parameters<SegmentReader['visitPositions']>): void {
    this.base.visitPositions(...args);
  }

  column(field: string): SegmentColumn | null {
    return this.base.column(field);
  }
  values(field: string, docId: number): ReadonlyArray<bigint | number> {
    return this.base.values(field, docId);
  }
  binary(field: string, docId: number): Uint8Array | null {
    return this.base.binary(field, docId);
  }
  norm(field: string, docId: number): number {
    return this.base.norm(field, docId);
  }

  release(): void {
    this.base.release();
  }
  scratch<T>(action: () => T): T {
    return this.base.scratch(action);
  }
  temporaryColumn(values: Omit<TemporaryValues, 'maxDoc'>): SegmentColumn | null {
    return this.base.temporaryColumn(values);
  }
}
