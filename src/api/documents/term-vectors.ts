// `_termvectors`, `_mtermvectors`: the terms of a document's fields, obtained by analysing its source again, with their statistics in the
// shard.

import { jsonFloat } from '../../common/json/json-float.ts';
import { parseJsonBytes } from '../../common/json/json-parse.ts';
import type { MutableJsonObject } from '../../common/json/json-value.ts';
import { getOwn, setOwn } from '../../common/json/own-property.ts';
import { canMove, checkTurn, inTurn, type Mobility, STAYS, TooHeavy } from '../../common/turns/turn.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError, validationFailedError } from '../../errors/catalog.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import { stringsIn } from '../../search/evaluate/source-values.ts';
import { classicIdf, type FieldVector, hasVector, vectorOf } from '../../search/evaluate/term-vectors.ts';
import { compareBytes, termOfText } from '../../search/index-query/term.ts';
import { pauses } from '../../search/run/steps.ts';
import { ShardStatistics } from '../../search/shard/statistics.ts';
import type { EngineContext, StoredDocument } from '../core/context.ts';
import type { IndexState } from '../core/index-state.ts';
import { type GetRequest, loadDocument } from './get-document.ts';

/** Larger documents and values are analysed in a lane: kernels do not check the time. */
const LARGE_TEXT = 64 << 10;

/** Selects the terms of a field that are frequent in the document and rare in the shard. */
export interface VectorFilter {
  readonly maxNumTerms: number;
  readonly minTermFreq: number;
  readonly maxTermFreq: number;
  readonly minDocFreq: number;
  readonly maxDocFreq: number;
  readonly minWordLength: number;
  /** 0: no limit. */
  readonly maxWordLength: number;
}

export interface TermVectorsRequest extends Pick<GetRequest, 'index' | 'routing' | 'realtime' | 'version'> {
  /** null if `doc` is the document. */
  readonly id: string | null;
  readonly doc: MutableJsonObject | null;
  /** Names and patterns. null selects the fields that store term vectors, or all fields of `doc`. */
  readonly fields: readonly string[] | null;
  readonly positions: boolean;
  readonly offsets: boolean;
  readonly payloads: boolean;
  readonly termStatistics: boolean;
  readonly fieldStatistics: boolean;
  readonly perFieldAnalyzer: Readonly<Record<string, string>>;
  readonly filter: VectorFilter | null;
}

/** `{ _index, _id, _version, found, took, term_vectors }`. @throws ApiError index_not_found_exception and the other errors of a get */
export async function termVectors(ctx: EngineContext, request: TermVectorsRequest, mobility: Mobility): Promise<MutableJsonObject> {
  const started = performance.now();
  if (request.id === null && request.doc === null) throw validationFailedError(['id or doc is missing']);
  const get: GetRequest = {
    ...request,
    id: request.id ?? '',
    refresh: false,
    source: { enabled: true, includes: [], excludes: [] },
    storedFields: [],
    mobility,
  };
  const { index, document } = await loadDocument(ctx, get);
  const found = request.doc !== null || document !== null;
  const json: MutableJsonObject = { _index: index.meta.name };
  if (request.id !== null) json['_id'] = request.id;
  json['_version'] = document?.version ?? 0;
  json['found'] = found;
  json['took'] = Math.floor(performance.now() - started);
  if (!found) return json;
  if (mobility !== STAYS && (document?.source?.length ?? 0) > LARGE_TEXT) throw new TooHeavy();
  json['term_vectors'] = inTurn(mobility, () => vectorsOf(ctx, index, request, sourceOf(request, document)));
  json['took'] = Math.floor(performance.now() - started);
  return json;
}

function sourceOf({ doc }: TermVectorsRequest, document: StoredDocument | null): MutableJsonObject {
  if (doc !== null) return doc;
  return document?.source ? (parseJsonBytes(document.source) as MutableJsonObject) : {};
}

function vectorsOf(ctx: EngineContext, index: IndexState, request: TermVectorsRequest, source: MutableJsonObject): MutableJsonObject {
  const shard = request.id === null ? 0 : index.routing.shardOf(request.id, request.routing);
  const snapshot = ctx.acquire(index, shard);
  try {
    const statistics = new ShardStatistics(snapshot.segments);
    const json: MutableJsonObject = {};
    for (const type of fieldsOf(index, request)) {
      checkTurn();
      const analyzer = getOwn(request.perFieldAnalyzer, type.name) ?? null;
      if (analyzer !== null && !index.analysis.hasAnalyzer(analyzer)) throw illegalArgumentError(`failed to find analyzer [${analyzer}]`);
      const texts = stringsIn(index.mapping, type.name, source);
      if (canMove() && texts.reduce((chars, { length }) => chars + length, 0) > LARGE_TEXT) throw new TooHeavy();
      const vector = vectorOf(index.analysis, type, texts, analyzer);
      if (vector.size === 0) continue;
      json[type.name] = {
        ...(request.fieldStatistics ? { field_statistics: fieldStatistics(type, statistics) } : {}),
        terms: termsOf(type, vector, { ...request, ...shownParts(type, request) }, statistics),
      };
    }
    return json;
  } finally {
    snapshot.release();
  }
}

function fieldsOf({ mapping }: IndexState, { fields, doc }: TermVectorsRequest): FieldType[] {
  const patterns = fields ?? ['*'];
  const storesVector = ({ params }: FieldType): boolean => params['term_vector'] !== undefined && params['term_vector'] !== 'no';
  const types = patterns
    .flatMap((name) => (name.includes('*') ? mapping.matchFields(name) : [name]))
    .flatMap((name) => mapping.field(name) ?? [])
    .filter((type) => hasVector(type) && (fields !== null || doc !== null || storesVector(type)));
  return [...new Set(types)].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The requested parts that the field can show: those its mapping stores, or positions and offsets if it is analysed for this request only. */
function shownParts(
  { name, params, spec }: FieldType,
  request: TermVectorsRequest,
): Pick<TermVectorsRequest, 'positions' | 'offsets' | 'payloads'> {
  const stored = params['term_vector'] as string | undefined;
  const isStored = stored !== undefined && stored !== 'no' && request.doc === null && !Object.hasOwn(request.perFieldAnalyzer, name);
  const has = (part: string): boolean => spec.analyzer !== null && (isStored ? stored.includes(part) : part !== 'payloads');
  return {
    positions: request.positions && has('positions'),
    offsets: request.offsets && has('offsets'),
    payloads: request.payloads && has('payloads'),
  };
}

function fieldStatistics({ spec }: FieldType, { segments }: ShardStatistics): MutableJsonObject {
  let docs = 0;
  let sumDocFreq = 0;
  let sumTermFreq = 0;
  for (const segment of segments) {
    const postings = segment.postings(spec.name);
    if (!postings) continue;
    docs += postings.docCount;
    sumDocFreq += postings.sumDocFreq;
    sumTermFreq += postings.hasFreqs ? postings.sumTotalTermFreq : postings.sumDocFreq;
  }
  return { sum_doc_freq: sumDocFreq, doc_count: docs, sum_ttf: sumTermFreq };
}

function termsOf(type: FieldType, vector: FieldVector, request: TermVectorsRequest, statistics: ShardStatistics): MutableJsonObject {
  const scores = request.filter && bestTerms(type, vector, request.filter, statistics);
  const terms = [...vector]
    .filter(([term]) => !scores || scores.has(term))
    .map(([term, tokens]) => ({ term, tokens, bytes: Buffer.from(term) }))
    .sort((a, b) => compareBytes(a.bytes, b.bytes));
  const json: MutableJsonObject = {};
  for (const { term, tokens } of terms) {
    const entry: MutableJsonObject = {};
    if (request.termStatistics) {
      const { docFreq, totalTermFreq } = statistics.term(termOfText(type.spec.name, term));
      if (docFreq > 0) Object.assign(entry, { doc_freq: docFreq, ttf: totalTermFreq });
    }
    entry['term_freq'] = tokens.length;
    if (request.positions || request.offsets || request.payloads) {
      entry['tokens'] = tokens.map(({ position, startOffset, endOffset, payload }) => ({
        ...(request.positions ? { position } : {}),
        ...(request.offsets ? { start_offset: startOffset, end_offset: endOffset } : {}),
        ...(request.payloads && payload ? { payload: Buffer.from(payload).toString('base64') } : {}),
      }));
    }
    if (scores) entry['score'] = jsonFloat(scores.get(term) ?? 0);
    setOwn(json, term, entry);
  }
  return json;
}

/** The terms that pass a filter, with their scores. */
function bestTerms(type: FieldType, vector: FieldVector, filter: VectorFilter, statistics: ShardStatistics): Map<string, number> {
  const docCount = statistics.field(type.spec.name)?.docCount ?? 0;
  const scored: Array<[string, number]> = [];
  for (const [term, tokens] of vector) {
    const freq = tokens.length;
    if (freq < filter.minTermFreq || freq > filter.maxTermFreq) continue;
    if (term.length < filter.minWordLength || (filter.maxWordLength > 0 && term.length > filter.maxWordLength)) continue;
    const docFreq = statistics.docFreq(termOfText(type.spec.name, term));
    if (docFreq < filter.minDocFreq || docFreq > filter.maxDocFreq || docFreq === 0) continue;
    scored.push([term, Math.fround(freq * classicIdf(docFreq, docCount))]);
  }
  return new Map(scored.sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1)).slice(0, filter.maxNumTerms));
}

/** `{ docs }` with a response or an `error` for each request. */
export async function multiTermVectors(
  ctx: EngineContext,
  requests: readonly TermVectorsRequest[],
  mobility: Mobility,
): Promise<{ docs: unknown[] }> {
  const docs: unknown[] = [];
  const pause = pauses(mobility);
  for (const request of requests) {
    await pause();
    try {
      docs.push(await termVectors(ctx, request, mobility));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      docs.push({ _index: request.index, _id: request.id, error });
    }
  }
  return { docs };
}
