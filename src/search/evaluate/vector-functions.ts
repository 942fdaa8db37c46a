// Functions of score scripts that compare a query vector with the vector of a document, exactly.

import type { Vector } from '../../common/encoding/vector-format.ts';
import { checkByte } from '../../mapping/types/dense-vector.ts';
import { parseBase16 } from '../../mapping/values/base16.ts';
import type { ScriptDocument } from '../../scripting/doc-script.ts';
import type { Implementation } from '../../scripting/java/class-info.ts';
import { ScriptFault } from '../../scripting/java/faults.ts';
import type { Value } from '../../scripting/java/values.ts';
import { VectorValues } from '../../scripting/library/documents/doc-values.ts';
import { doubleOf } from '../../scripting/numeric-value.ts';

/** A pair of vectors of the same length and kind of elements. */
interface Pair {
  readonly query: Vector;
  readonly stored: Vector;
  readonly magnitude: number;
  /** Vectors of bits have eight in a byte. */
  readonly isBits: boolean;
}

/** cosineSimilarity(vector, field) and similar functions, by signature. @param document  that of the run */
export function vectorFunctions(document: () => ScriptDocument): Readonly<Record<string, Implementation>> {
  const queries = new QueryVectors();
  const compare =
    (name: string, measure: (pair: Pair) => number): Implementation =>
    (given: Value, field: string) => {
      const values = document().doc.values(field);
      if (!(values instanceof VectorValues)) throw illegal(`Field [${field}] is not a vector field: [${name}] needs a dense_vector`);
      const stored = values.present();
      return measure({ query: queries.of(given, values), stored, magnitude: values.magnitude, isBits: values.isBits });
    };
  return {
    'double cosineSimilarity(def,String)': compare('cosineSimilarity', (pair) => {
      refuseBits(pair, 'cosineSimilarity');
      return dot(pair) / (Math.sqrt(dot({ ...pair, stored: pair.query })) * pair.magnitude);
    }),
    'double dotProduct(def,String)': compare('dotProduct', (pair) => {
      refuseBits(pair, 'dotProduct');
      return dot(pair);
    }),
    'double l1norm(def,String)': compare('l1norm', (pair) => (pair.isBits ? differentBits(pair) : l1(pair))),
    'double l2norm(def,String)': compare('l2norm', (pair) => Math.sqrt(pair.isBits ? differentBits(pair) : squaredL2(pair))),
    'double hamming(def,String)': compare('hamming', (pair) => {
      if (pair.stored instanceof Float32Array) throw unsupported('hamming distance is only supported for byte or bit vectors');
      return differentBits(pair);
    }),
  };
}

/** The query vectors of a script, converted once. */
class QueryVectors {
  readonly #known = new WeakMap<object, Vector>();

  /** @throws ScriptFault: a vector of another length, or with elements that the field cannot have */
  of(given: Value, { vector, isBits }: VectorValues): Vector {
    const isFloat = vector instanceof Float32Array;
    const known = typeof given === 'object' && given !== null ? this.#known.get(given) : undefined;
    const query = known !== undefined && known instanceof Float32Array === isFloat ? known : converted(given, isFloat);
    if (query.length !== vector?.length) {
      const perItem = isBits ? 8 : 1;
      throw illegal(
        `The query vector has a different number of dimensions [${query.length * perItem}] than the document vectors [${(vector?.length ?? 0) * perItem}].`,
      );
    }
    if (typeof given === 'object' && given !== null) this.#known.set(given, query);
    return query;
  }
}

function converted(given: Value, isFloat: boolean): Vector {
  if (typeof given === 'string') {
    if (isFloat) throw unsupported('hexadecimal vectors are only supported for byte or bit vectors');
    return new Int8Array(parseBase16(given));
  }
  if (!Array.isArray(given) && !ArrayBuffer.isView(given)) throw illegal('a query vector must be a list of numbers');
  const numbers = Array.from(given as ArrayLike<Value>, (item) => doubleOf(item) ?? Number.NaN);
  if (numbers.some(Number.isNaN)) throw illegal('a query vector must be a list of numbers');
  if (isFloat) return Float32Array.from(numbers);
  numbers.forEach((number, dim) => {
    checkByte(number, dim, 'byte');
  });
  return Int8Array.from(numbers);
}

function dot({ query, stored }: Pair): number {
  let sum = 0;
  for (let i = 0; i < query.length; i++) sum += query[i] * stored[i];
  return sum;
}

function l1({ query, stored }: Pair): number {
  let sum = 0;
  for (let i = 0; i < query.length; i++) sum += Math.abs(query[i] - stored[i]);
  return sum;
}

function squaredL2({ query, stored }: Pair): number {
  let sum = 0;
  for (let i = 0; i < query.length; i++) sum += (query[i] - stored[i]) ** 2;
  return sum;
}

function differentBits({ query, stored }: Pair): number {
  let count = 0;
  for (let i = 0; i < query.length; i++) for (let rest = (query[i] ^ stored[i]) & 0xff; rest !== 0; rest &= rest - 1) count++;
  return count;
}

function refuseBits({ isBits }: Pair, name: string): void {
  if (isBits) throw unsupported(`${name} is not supported for bit vectors`);
}

const illegal = (reason: string): ScriptFault => new ScriptFault('illegal_argument_exception', reason);
const unsupported = (reason: string): ScriptFault => new ScriptFault('unsupported_operation_exception', reason);
