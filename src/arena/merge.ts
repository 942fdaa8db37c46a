// Merges segments into one: documents in the order of the inputs without deleted ones, everything in WASM. The host finds the sections.
// With an index sort the result is then rewritten in that order.
import { elementBytes, MAGNITUDE_BYTES, MIN_GRAPH_VECTORS, type VectorGraphSpec } from '../common/encoding/vector-format.ts';
import { type BisectField, type BisectPlan, bisectDocuments, planBisection } from '../wasm/bisect.ts';
import { columnKindOf } from '../wasm/buffer.ts';
import { bitsetBytes, bitsetCount, bitsetCountAnd } from '../wasm/codec.ts';
import { ColumnKind, FIELDS_HEADER_BYTES, FieldRecord, NO_FIELD, SectionKind } from '../wasm/generated/buffer.ts';
import { FIELD_DOCS, FIELD_NORMS, FIELD_PATH } from '../wasm/generated/codec.ts';
import { Column } from '../wasm/generated/docvalues.ts';
import { TermsHeader } from '../wasm/generated/terms.ts';
import { createMemory, Kernels, PAGE_BYTES, staticBytes } from '../wasm/kernels.ts';
import { MergeWriter, reorderAreaBytes, type TermsSource } from '../wasm/merge.ts';
import { getU32, setU32 } from '../wasm/records.ts';
import { buildGraph, graphNodes, graphScratchBytes, isGraphLike, planGraph } from '../wasm/vector-graph.ts';
import { type ImageField, type ImagePlaces, readImage } from './segment-image.ts';

/** A segment image that is not in memory. */
export interface ImageFile {
  readonly length: number;
  readInto(target: Uint8Array): void;
}

export interface MergeInput {
  /** All checksums of a file are verified. */
  readonly image: Uint8Array | ImageFile;
  /** Bits of live documents (u64 words), null: all live. */
  readonly liveDocs: Uint8Array | null;
  /** File name in errors. */
  readonly file: string;
}

export interface MergeOutput {
  /** The new segment: a view of the merge's private memory. Empty if no document is live. */
  readonly image: Uint8Array;
  /** Per input: new doc id of each old one, 2^32 - 1 if it was dropped. */
  readonly docMaps: readonly Uint32Array[];
}

/** One sort key of the documents in a segment. */
export interface DocumentOrder {
  /** Name of a column. */
  readonly field: string;
  readonly descending: boolean;
  /** Whether the greatest of several values counts; otherwise the least does. */
  readonly greatest: boolean;
  readonly missingFirst: boolean;
}

interface Input {
  readonly places: ImagePlaces;
  readonly liveDocs: number;
  readonly live: number;
  readonly roots: number;
  docMap: number;
}

interface MergedField {
  readonly name: string;
  readonly flags: number;
  /** One entry per input that has the field. */
  readonly parts: { input: Input; place: ImageField }[];
}

const ALIGN = 64;
const SCRATCH_BYTES = 64 * 1024;
/** A graph that keeps a smaller share of its documents is rebuilt. */
const MIN_KEPT = 0.7;
/** Documents that are fewer keep their order. */
const MIN_REORDERED = 1024;

export interface MergeOptions {
  /** Size of the private memory in pages of 64 KiB, 4 GiB by default: inputs, output (twice in another order) and half of the output again must fit. */
  readonly pages?: number;
  /** Memory to work in instead of a new one; its content is overwritten. */
  readonly memory?: WebAssembly.Memory;
  /** Graphs to build over vectors. */
  readonly vectors?: readonly VectorGraphSpec[];
  /** Order of the documents; empty: that of the inputs. Sorted segments have no nested documents. */
  readonly sort?: readonly DocumentOrder[];
  /** Puts similar documents next to each other, unless there is a sort, they are nested or few, or the memory is too small. */
  readonly reorder?: boolean;
}

/**
 * Merges in slices: each `next()` of the generator works for some ten milliseconds. The inputs are copied into a memory of the merge,
 * so they may be dropped, and nothing is visible before the end.
 * @throws RangeError the memory is too small @throws ApiError corrupt_index_exception an input is not a segment
 */
export function* mergeSlices(
  module: WebAssembly.Module,
  inputs: readonly MergeInput[],
  { pages = 65536, memory = createMemory(pages), sort = [], vectors = [], reorder = false }: MergeOptions = {},
): Generator<void, MergeOutput> {
  const start = staticBytes(module);
  const end = memory.buffer.byteLength - PAGE_BYTES; // a page of slack: sums of addresses near the end do not wrap at 4 GiB
  const k = new Kernels(module, memory, start, SCRATCH_BYTES);
  let cur = start + SCRATCH_BYTES;
  const place = (bytes: Uint8Array | ImageFile): number => {
    const ptr = cur;
    cur = Math.ceil((ptr + bytes.length + ALIGN) / ALIGN) * ALIGN;
    if (cur > end) throw new RangeError('the memory of the merge is too small');
    if (bytes instanceof Uint8Array) k.u8.set(bytes, ptr);
    else bytes.readInto(k.u8.subarray(ptr, ptr + bytes.length));
    return ptr;
  };
  const opened: Input[] = [];
  for (const { image, liveDocs, file } of inputs) {
    const places = readImage(k, place(image), image.length, { file, verify: !(image instanceof Uint8Array) });
    const bits = liveDocs === null ? 0 : place(liveDocs);
    const live = bits === 0 ? places.maxDoc : bitsetCount(k, bits, places.maxDoc);
    const liveRoots = bits === 0 ? places.rootDocs : live;
    const roots = bits !== 0 && places.rootDocsPtr !== 0 ? bitsetCountAnd(k, bits, places.rootDocsPtr, places.maxDoc) : liveRoots;
    opened.push({ places, liveDocs: bits, live, roots, docMap: 0 });
    yield;
  }
  if (sort.length > 0) return yield* mergeInOrder(k, opened, inputs[0].image.length, { cur, end, sort, vectors });
  if (reorder && isWorthReordering(opened)) {
    try {
      return yield* mergeInOrder(k, opened, inputs[0].image.length, { cur, end, vectors, bisects: true });
    } catch (error) {
      // A merge that has room for the documents in their own order is still due.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return yield* new SegmentMerge(k, opened, { vectors }).run(cur, end);
}

interface OrderedMerge extends LayoutOptions {
  /** Free memory. */
  readonly cur: number;
  readonly end: number;
}

/** Merges in the order of the inputs, and rewrites the result in another. @param firstBytes  size of the first input */
function* mergeInOrder(
  k: Kernels,
  inputs: readonly Input[],
  firstBytes: number,
  { cur, end, ...layout }: OrderedMerge,
): Generator<void, MergeOutput> {
  // A single segment without deletions need not be merged first.
  const isWhole = inputs.length === 1 && inputs[0].liveDocs === 0;
  const merged = isWhole
    ? { image: k.u8.subarray(inputs[0].places.ptr, inputs[0].places.ptr + firstBytes), docMaps: null }
    : yield* new SegmentMerge(k, inputs).run(cur, end);
  if (merged.image.length === 0) return merged as MergeOutput;
  const { byteOffset: ptr, length } = merged.image;
  const places = readImage(k, ptr, length, { file: 'merged', verify: false });
  const whole = { places, liveDocs: 0, live: places.maxDoc, roots: places.rootDocs, docMap: 0 };
  const from = isWhole ? cur : Math.ceil((ptr + length + ALIGN) / ALIGN) * ALIGN;
  const ordered = yield* new SegmentMerge(k, [whole], layout).run(from, end);
  const [to] = ordered.docMaps;
  const docMaps = merged.docMaps?.map((map) => map.map((docId) => (docId === NO_FIELD ? docId : to[docId]))) ?? ordered.docMaps;
  return { image: ordered.image, docMaps };
}

function isWorthReordering(inputs: readonly Input[]): boolean {
  const live = sum(inputs, (input) => input.live);
  return live >= MIN_REORDERED && live === sum(inputs, ({ roots }) => roots);
}

/** `mergeSlices` in one go. */
export function mergeSegments(module: WebAssembly.Module, inputs: readonly MergeInput[], options?: MergeOptions): MergeOutput {
  const slices = mergeSlices(module, inputs, options);
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}

/** What is done besides appending segment after segment. */
interface LayoutOptions extends Pick<MergeOptions, 'sort' | 'vectors'> {
  /** Similar documents of the only input become neighbours. */
  readonly bisects?: boolean;
}

class SegmentMerge {
  readonly #k: Kernels;
  readonly #inputs: readonly Input[];
  readonly #fields: MergedField[];
  #paths: string[];
  #writer!: MergeWriter;
  /** Order in which the only input is rewritten. */
  readonly #sort: readonly DocumentOrder[];
  /** Terms by which the only input's documents are put in order. */
  readonly #bisection: BisectPlan | null;
  /** By column. */
  readonly #vectors: ReadonlyMap<string, VectorGraphSpec>;
  /** u32[maxDoc]: the input's document of each new one; 0 if they keep their order. */
  #order = 0;

  constructor(k: Kernels, inputs: readonly Input[], { sort = [], vectors = [], bisects = false }: LayoutOptions = {}) {
    this.#k = k;
    this.#inputs = inputs;
    this.#sort = sort;
    this.#vectors = new Map(vectors.map((spec) => [spec.field, spec]));
    const fields = new Map<string, MergedField>();
    for (const input of inputs) {
      for (const place of input.places.fields.values()) {
        const field = fields.get(place.name);
        if (field) field.parts.push({ input, place });
        else fields.set(place.name, { name: place.name, flags: place.flags, parts: [{ input, place }] });
      }
    }
    this.#fields = [...fields.values()];
    this.#bisection = bisects ? planBisection(k, this.#fieldsWithPostings(), inputs[0].places.maxDoc) : null;
    this.#paths = [...new Set(inputs.flatMap(({ places }) => [...places.nested.keys()]))];
  }

  *run(at: number, end: number): Generator<void, MergeOutput> {
    const maxDoc = sum(this.#inputs, ({ live }) => live);
    const rootDocs = sum(this.#inputs, ({ roots }) => roots);
    if (maxDoc === 0) {
      return { image: new Uint8Array(0), docMaps: this.#inputs.map(({ places }) => new Uint32Array(places.maxDoc).fill(NO_FIELD)) };
    }
    if (rootDocs === maxDoc) this.#paths = [];
    const fields = this.#fields.length + this.#paths.length;
    this.#writer = new MergeWriter(this.#k, at, end, this.#scratchBytes(maxDoc), fields, maxDoc, rootDocs);
    if (this.#bisection !== null) yield* this.#bisectDocs(this.#inputs[0], this.#bisection);
    else if (this.#sort.length > 0) this.#sortDocs(this.#inputs[0], maxDoc);
    else this.#mapDocs();
    this.#writeFields();
    for (let ord = 0; ord < this.#fields.length; ord++) {
      const field = this.#fields[ord];
      yield* this.#writer.scoped(() => this.#mergeField(field, ord));
      yield;
    }
    if (rootDocs < maxDoc) this.#mergeNested();
    this.#mergeIds();
    const docMaps = this.#inputs.map(({ docMap, places }) => this.#k.copyOutU32(docMap, places.maxDoc));
    return { image: this.#writer.finish(), docMaps };
  }

  /** Scratch for the most demanding field, and for what lasts to the end. */
  #scratchBytes(maxDoc: number): number {
    const k = this.#k;
    let most = 0;
    for (const { name, parts } of this.#fields) {
      const spec = this.#vectors.get(name);
      if (spec) most = Math.max(most, graphScratchBytes(spec, maxDoc));
      const withTerms = parts.filter(({ place }) => place.terms !== 0);
      const terms = sum(withTerms, ({ place }) => getU32(k, place.terms, TermsHeader.termCount));
      const longest = Math.max(0, ...withTerms.map(({ place }) => getU32(k, place.terms, TermsHeader.longestTerm)));
      const values = sum(parts, ({ place }) => (place.column === 0 ? 0 : getU32(k, place.column, Column.valueCount)));
      const area = this.#reorders && withTerms.length > 0 ? reorderAreaBytes(k, maxDoc, withTerms[0].place.terms) : 0;
      const inverted = k.exports.mergeTermsBytes(parts.length, longest) + k.exports.termsSideBytes(terms) + terms * 8 + area;
      most = Math.max(most, inverted + values * 12 + parts.length * 64 + bitsetBytes(maxDoc) + 1024);
    }
    const sorting = this.#reorders ? maxDoc * (8 + 8 * this.#sort.length) + 256 : 0;
    // The order is known, and its memory released, before the first field is merged.
    most = Math.max(most, this.#bisection?.bytes ?? 0);
    return most + sum(this.#inputs, ({ places }) => places.maxDoc * 4 + 64) + sorting + 1024;
  }

  get #reorders(): boolean {
    return this.#sort.length > 0 || this.#bisection !== null;
  }

  #mapDocs(): void {
    let next = 0;
    for (const input of this.#inputs) {
      input.docMap = this.#writer.allocate(input.places.maxDoc * 4);
      next = this.#k.exports.mergeDocMap(input.docMap, input.places.maxDoc, input.liveDocs, next) >>> 0;
    }
  }

  /** Those by which documents can be compared. */
  #fieldsWithPostings(): BisectField[] {
    return this.#fields.flatMap(({ parts: [{ place }] }) => {
      const flags = place.terms === 0 ? 0 : getU32(this.#k, place.terms, TermsHeader.flags) | (place.norms === 0 ? 0 : FIELD_NORMS);
      return flags & FIELD_DOCS ? [{ terms: place.terms, flags }] : [];
    });
  }

  /** Computes an order of the input's documents in which similar ones are neighbours, and the new number of each. */
  *#bisectDocs(input: Input, plan: BisectPlan): Generator<void> {
    input.docMap = this.#writer.allocate(plan.maxDoc * 4);
    this.#order = this.#writer.allocate(plan.maxDoc * 4);
    const places = { order: this.#order, docMap: input.docMap };
    yield* this.#writer.scoped(() => bisectDocuments(this.#k, plan, (bytes, zero) => this.#writer.allocate(bytes, zero), places));
  }

  /** Computes the order of the input's documents by the sort, and the new number of each. */
  #sortDocs(input: Input, maxDoc: number): void {
    const { exports } = this.#k;
    const width = this.#sort.length;
    input.docMap = this.#writer.allocate(maxDoc * 4);
    this.#order = this.#writer.allocate(maxDoc * 4);
    const spare = this.#writer.allocate(maxDoc * 4);
    const keys = this.#writer.allocate(maxDoc * 8 * width);
    this.#sort.forEach(({ field, descending, greatest, missingFirst }, i) => {
      const column = input.places.fields.get(field)?.column ?? 0;
      exports.reorderKeys(column, maxDoc, keys + i * 8, width * 8, Number(descending), Number(greatest), Number(missingFirst));
    });
    exports.reorderSort(keys, width, maxDoc, this.#order, input.docMap, spare);
  }

  #writeFields(): void {
    const records = [
      ...this.#fields.map(({ name, flags }) => ({ name: Buffer.from(name), flags })),
      ...this.#paths.map((path) => ({ name: Buffer.from(path), flags: FIELD_PATH })),
    ].map((record) => ({ ...record, bytes: FieldRecord.sizeof + ((record.name.length + 7) & ~7) }));
    const bytes = FIELDS_HEADER_BYTES + sum(records, (record) => record.bytes);
    const start = this.#writer.room(bytes);
    const k = this.#k;
    k.u8.fill(0, start, start + bytes);
    k.view.setUint32(start, records.length, true);
    let at = start + FIELDS_HEADER_BYTES;
    for (const record of records) {
      setU32(k, at, FieldRecord.bytes, record.bytes);
      setU32(k, at, FieldRecord.flags, record.flags);
      setU32(k, at, FieldRecord.nameLength, record.name.length);
      k.u8.set(record.name, at + FieldRecord.sizeof);
      at += record.bytes;
    }
    this.#writer.section(SectionKind.FIELDS, NO_FIELD, bytes);
  }

  *#mergeField({ name, flags, parts }: MergedField, ord: number): Generator<void> {
    const kind = columnKindOf(flags);
    const norms = this.#mergeNorms(parts, ord);
    const ordMaps = new Map<Input, number>();
    const withTerms = parts.filter(({ place }) => place.terms !== 0);
    if (withTerms.length > 0) {
      const isOrdinals = kind === ColumnKind.ORDINALS;
      const sources = withTerms.map(({ input, place }): TermsSource => {
        const terms = getU32(this.#k, place.terms, TermsHeader.termCount);
        const hasPostings = (getU32(this.#k, place.terms, TermsHeader.flags) & FIELD_DOCS) !== 0;
        const ordMap = isOrdinals ? this.#writer.allocate(terms * 4) : 0;
        const docFreqs = hasPostings ? 0 : this.#writer.allocate(terms * 4, true);
        if (docFreqs !== 0 && place.column !== 0) this.#k.exports.mergeCountOrds(place.column, input.docMap, docFreqs);
        ordMaps.set(input, ordMap);
        return { terms: place.terms, norms: place.norms, positions: place.positions, docMap: input.docMap, ordMap, docFreqs };
      });
      const dropped = parts.some(({ input }) => input.live < input.places.maxDoc);
      yield* this.#writer.terms(sources, ord, norms, dropped, this.#order !== 0);
    }
    if (kind === ColumnKind.BINARY) yield* this.#mergeBinary(name, parts, ord);
    else if (kind !== ColumnKind.NONE) this.#mergeColumn(parts, ord, kind, ordMaps);
  }

  /** Address of the new norms, 0 if no document has the field. */
  #mergeNorms(parts: MergedField['parts'], ord: number): number {
    const withNorms = parts.filter(({ place }) => place.norms !== 0);
    if (withNorms.length === 0) return 0;
    const { maxDoc } = this.#writer;
    const ptr = this.#writer.room(maxDoc);
    this.#k.u8.fill(0, ptr, ptr + maxDoc);
    const count = sum(withNorms, ({ input, place }) => this.#k.exports.mergeNorms(place.norms, input.places.maxDoc, input.docMap, ptr));
    if (count === 0) return 0;
    this.#writer.section(SectionKind.NORMS, ord, maxDoc);
    return ptr;
  }

  #mergeColumn(parts: MergedField['parts'], ord: number, kind: number, ordMaps: Map<Input, number>): void {
    const withColumn = parts.filter(({ place }) => place.column !== 0);
    const values = sum(withColumn, ({ place }) => getU32(this.#k, place.column, Column.valueCount));
    if (values === 0) return;
    const docsPtr = this.#writer.allocate(values * 4);
    const valuesPtr = this.#writer.allocate(values * 8);
    let count = 0;
    for (const { input, place } of withColumn) {
      if (this.#order !== 0) count = this.#k.exports.reorderCollect(place.column, this.#order, docsPtr, valuesPtr) >>> 0;
      else count = this.#k.exports.mergeCollect(place.column, input.docMap, ordMaps.get(input) ?? 0, docsPtr, valuesPtr, count) >>> 0;
    }
    this.#writer.column(ord, kind, docsPtr, valuesPtr, count);
  }

  *#mergeBinary(name: string, parts: MergedField['parts'], ord: number): Generator<void> {
    if (!parts.some(({ place }) => place.binary !== 0)) return;
    const { maxDoc } = this.#writer;
    const offsets = this.#writer.room(0);
    let used = this.#order === 0 ? 0 : this.#writer.reorderedBinary(parts[0].place.binary, this.#order);
    for (const input of this.#order === 0 ? this.#inputs : []) {
      const from = parts.find((part) => part.input === input)?.place.binary ?? 0;
      used = this.#writer.binary(from, input.places.maxDoc, input.docMap, used);
    }
    this.#writer.section(SectionKind.BINARY, ord, (maxDoc + 1) * 4 + used);
    const spec = this.#vectors.get(name);
    if (spec) yield* this.#buildGraph(spec, parts, ord, { offsets, used });
  }

  /** Builds the graph over the vectors of a field. It starts from that of the input with the most vectors, whose links stay. */
  *#buildGraph(
    spec: VectorGraphSpec,
    parts: MergedField['parts'],
    ord: number,
    { offsets, used }: { readonly offsets: number; readonly used: number },
  ): Generator<void> {
    const k = this.#k;
    const nodes = used / (elementBytes(spec.element, spec.dims) + MAGNITUDE_BYTES);
    if (nodes < MIN_GRAPH_VECTORS || !Number.isInteger(nodes)) return;
    const { maxDoc } = this.#writer;
    const plan = planGraph(k, spec, nodes, offsets, maxDoc);
    const at = this.#writer.room(plan.bytes);
    const [largest] = parts
      .filter(({ input, place }) => place.graph !== 0 && isGraphLike(k, place.graph, spec) && input.live > MIN_KEPT * input.places.maxDoc)
      .sort((a, b) => graphNodes(k, b.place.graph) - graphNodes(k, a.place.graph));
    const adopted = largest ? { graph: largest.place.graph, docMap: largest.input.docMap } : null;
    const allocate = (bytes: number, zero?: boolean) => this.#writer.allocate(bytes, zero);
    yield* buildGraph(k, plan, { at, offsets, maxDoc, adopted, allocate });
    this.#writer.section(SectionKind.VECTORS, ord, plan.bytes);
  }

  /** Bitsets of root documents and of each nested path. */
  #mergeNested(): void {
    const bytes = bitsetBytes(this.#writer.maxDoc);
    const write = (ord: number, bitsOf: (input: Input) => number | null): void => {
      const ptr = this.#writer.room(bytes);
      this.#k.u8.fill(0, ptr, ptr + bytes);
      for (const input of this.#inputs) {
        const from = bitsOf(input);
        if (from !== null) this.#k.exports.mergeBits(from, input.places.maxDoc, input.docMap, ptr);
      }
      this.#writer.section(SectionKind.NESTED, ord, bytes);
    };
    write(NO_FIELD, ({ places }) => places.rootDocsPtr);
    this.#paths.forEach((path, i) => {
      write(this.#fields.length + i, ({ places }) => places.nested.get(path) ?? null);
    });
  }

  #mergeIds(): void {
    this.#k.scoped(() => {
      const scratch = this.#k.reserve(8);
      const idBytes = sum(this.#inputs, ({ places, docMap }) => this.#k.exports.mergeIdBytes(places.ids, places.maxDoc, docMap, scratch));
      const bytes = this.#writer.openIds(idBytes);
      for (const { places, docMap } of this.#inputs) {
        if (this.#order !== 0) this.#writer.reorderedIds(places.ids, this.#order, scratch);
        else this.#writer.ids(places.ids, places.maxDoc, docMap, scratch);
      }
      this.#writer.section(SectionKind.IDS, NO_FIELD, bytes);
    });
  }
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
