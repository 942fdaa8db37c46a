// Random numbers of function_score and of score scripts: hashes that depend on a seed, the shard and a value of the document.
// Source: RandomScoreFunction and ScoreScriptUtils of Elasticsearch 7.10 (Apache-2.0).
import { decodeGeoPoint } from '../../common/encoding/geo-encoding.ts';
import { mix32, murmur3x86, stringHash } from '../../common/encoding/java-hashes.ts';
import { javaDouble } from '../../common/text/java-text.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { FieldType } from '../../mapping/core/field-type.ts';
import { noFielddataError } from '../../mapping/core/fielddata-errors.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { ScoreFunction } from '../../query/scores/score-function.ts';
import type { DocFunction } from '../index-query/index-query.ts';
import { requireIdFielddata } from '../shard/limits.ts';
import { fieldOf, type RewriteContext } from '../shard/rewrite-context.ts';
import { runtimeRaw } from './runtime-field.ts';
import { SegmentDocument } from './script-doc.ts';

/** Where documents are: the same seed has other numbers in another shard. */
interface Place {
  readonly index: string;
  readonly shard: number;
}

const utf8 = new TextEncoder();

export function saltedSeed(seed: number, { index, shard }: Place): number {
  return mix32(seed ^ ((stringHash(index) << 10) | shard));
}

/** A number from 0 to below 1. @param seed  from `saltedSeed` */
export function randomOf(bytes: Uint8Array, seed: number): number {
  return fractionOf(murmur3x86(bytes, seed));
}

const fractionOf = (hash: number): number => (hash & 0x00ffffff) / 2 ** 24;

/** @throws ApiError: the field is not mapped, or its values cannot be read by document */
export function randomScore(spec: Extract<ScoreFunction, { kind: 'random' }>, context: RewriteContext): DocFunction {
  const seed = spec.seed ?? Math.trunc(context.nowMs) % 2 ** 31;
  return Object.assign(randomValue(spec, context), { describe: () => [`random score function (seed: ${seed}, field: ${spec.field})`] });
}

function randomValue(spec: Extract<ScoreFunction, { kind: 'random' }>, context: RewriteContext): DocFunction {
  if (spec.seed === null) {
    // Every request has its own numbers. All pages of a scroll share one time, and therefore one order.
    const seed = saltedSeed(Number(BigInt.asIntN(32, BigInt(Math.trunc(context.nowMs)))), context);
    return (segment, docId) => fractionOf(mix32(seed ^ segment.seqNo(segment.rootOf(docId))));
  }
  const seed = saltedSeed(spec.seed, context);
  const name = spec.field ?? '_id';
  if (name === '_index') return () => randomOf(utf8.encode(context.index), seed);
  const bytesOf = firstValue(name, context);
  return (segment, docId) => {
    const bytes = bytesOf(segment, docId);
    return bytes === null ? fractionOf(seed) : randomOf(bytes, seed);
  };
}

/** Reads the first value of a field as fielddata has it: the term, or the number as text. */
function firstValue(name: string, context: RewriteContext): (segment: SegmentReader, docId: number) => Uint8Array | null {
  const type = fieldOf(context, name);
  if (!type)
    throw illegalArgumentError(
      `Field [${name}] is not mapped on [[${context.index}/_na_]] and cannot be used as a source of random numbers.`,
    );
  if (name === '_id') requireIdFielddata(context.limits);
  if (!type.isAggregatable && type.family !== 'binary') throw noFielddataError(type);
  const { name: column } = type.spec;
  const textOf = numberText(type);
  if (type.runtime) {
    return (segment, docId) => {
      const [value] = runtimeRaw(type, new SegmentDocument(context, segment, docId));
      return value === undefined ? null : value instanceof Uint8Array ? value : utf8.encode(textOf(value));
    };
  }
  return (segment, docId) => {
    if (type.spec.column === 'binary') return segment.binary(column, docId);
    if (!segment.column(column)) return null;
    const [value] = segment.values(column, docId);
    if (value === undefined) return null;
    return type.spec.column === 'ordinals' ? segment.termOf(column, Number(value)) : utf8.encode(textOf(value));
  };
}

/** A number as fielddata shows it: dates as milliseconds, booleans as 1 and 0, points as their coordinates. */
function numberText(type: FieldType): (raw: bigint | number | Uint8Array) => string {
  switch (type.family) {
    case 'date': {
      const perMs = type.typeName === 'date_nanos' ? 1e6 : 1;
      return (raw) => String(Math.floor(Number(raw) / perMs));
    }
    case 'geo_point':
      return (raw) => {
        const { lat, lon } = decodeGeoPoint(raw as bigint);
        return `${javaDouble(lat)}, ${javaDouble(lon)}`;
      };
    case 'numeric':
      if (type.unsigned) return (raw) => String(BigInt(raw as bigint) + (1n << 63n));
      if (type.spec.column === 'f64' || type.scale !== 1) return (raw) => javaDouble(Number(raw) * type.scale);
      return String;
    default:
      return String;
  }
}
