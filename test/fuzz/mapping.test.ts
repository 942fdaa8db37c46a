// Random documents, mappings and query values: each is accepted or refused with an ApiError, and an accepted document is written in order.

import { expect, test } from 'vitest';
import type { MutableJsonObject } from '../../src/common/json/json-value.ts';
import { writeJson } from '../../src/common/json/json-write.ts';
import { ApiError } from '../../src/errors/api-error.ts';
import type { MappingSnapshot } from '../../src/mapping/core/mapping-snapshot.ts';
import { provideQueryCompiler } from '../../src/mapping/core/stored-query.ts';
import { createMapping, restoreMapping } from '../../src/mapping/create-mapping.ts';
import { MAPPER_TYPES } from '../../src/mapping/types/registry.ts';
import { RecordingSink } from '../support/recording-sink.ts';
import { forSeeds, type Rng } from '../support/rng.ts';
import { simpleAnalysis } from '../support/simple-analysis.ts';

const TYPES = [...MAPPER_TYPES.keys()];
const NEEDED: Record<string, MutableJsonObject> = {
  scaled_float: { scaling_factor: 10 },
  token_count: { analyzer: 'standard' },
  join: { relations: { a: ['b', 'c'], b: 'd' } },
};
const TEXTS = [
  '',
  ' ',
  'x',
  '1',
  '-1.5',
  '1e400',
  'NaN',
  'true',
  'now/d',
  'now||',
  '2024-02-30',
  '2024-02-29',
  '2024-02-29||+1M/d',
  '10.0.0.1',
  '10.0.0.0/33',
  '::1',
  '1,2',
  '91,0',
  'POINT (1 2)',
  'POINT (',
  'u09',
  'ü🙂',
  '\ud800',
  'R2Fu',
  'a',
  'x'.repeat(40_000),
];
const KEYS = [
  'f',
  'g',
  'a.b',
  '.',
  '',
  'a..b',
  '_id',
  '__proto__',
  'constructor',
  'lat',
  'lon',
  'type',
  'coordinates',
  'gte',
  'lt',
  'name',
  'parent',
  'input',
  'weight',
  'properties',
  'x y',
];

function randomValue(rng: Rng, depth: number): unknown {
  switch (rng.int(0, depth > 3 ? 6 : 9)) {
    case 0:
      return null;
    case 1:
      return rng.bool();
    case 2:
      return rng.pick([0, -0, 1, -1, 127, 128, 3.5, 1e20, -1e308, 5e-324, 2 ** 53, 65_520]);
    case 3:
      return rng.pick([2n ** 63n, -(2n ** 63n), 2n ** 64n - 1n, 2n ** 64n, 9_007_199_254_740_993n]);
    case 4:
    case 5:
    case 6:
      return rng.pick(TEXTS);
    case 7:
      return Array.from({ length: rng.int(0, 3) }, () => randomValue(rng, depth + 1));
    default:
      return randomObject(rng, depth + 1, KEYS);
  }
}

function randomObject(rng: Rng, depth: number, keys: readonly string[]): MutableJsonObject {
  const object: MutableJsonObject = {};
  for (let i = rng.int(0, 4); i > 0; i--) {
    Object.defineProperty(object, rng.pick(keys), { value: randomValue(rng, depth), enumerable: true, configurable: true, writable: true });
  }
  return object;
}

/** The result of a call, or null if it is refused. Anything but an ApiError fails the test. */
function attempt<T>(run: () => T): T | null {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError) return null;
    throw error;
  }
}

const fieldOf = (type: string, rng: Rng): MutableJsonObject => {
  const params = Object.keys(MAPPER_TYPES.get(type)!.params);
  const body: MutableJsonObject = { type, ...NEEDED[type] };
  if (rng.bool(0.3)) body[rng.pick(params)] = rng.pick([true, false, 5, 'x', 'docs', null, {}]);
  return body;
};

function randomMapping(rng: Rng): MappingSnapshot | null {
  const properties: MutableJsonObject = {
    n: { type: 'nested', properties: { f: { type: rng.pick(TYPES.filter((type) => type !== 'join')) } } },
    o: { properties: {} },
  };
  for (const name of ['f', 'g', 'a']) {
    const type = rng.pick(TYPES);
    properties[name] = name === 'f' && rng.bool(0.2) ? { ...fieldOf(type, rng), copy_to: ['g', 'new.copy'] } : fieldOf(type, rng);
  }
  return attempt(() => createMapping({ dynamic: rng.pick([true, false, 'strict']), properties }, simpleAnalysis, {}));
}

test('accepts or refuses random documents', () => {
  provideQueryCompiler((query) => ({ json: Buffer.from(writeJson(query)), terms: null }));
  let taken = 0;
  forSeeds(3000, (rng) => {
    let mapping = randomMapping(rng);
    for (let i = 0; mapping !== null && i < 4; i++) {
      const source = randomObject(rng, 0, [...KEYS, 'f', 'g', 'a', 'n', 'o']);
      for (let round = 0; round < 4; round++) {
        const current: MappingSnapshot = mapping;
        const sink = new RecordingSink(() => current.fields);
        const outcome = attempt(() => current.parseDocument('1', source, sink, rng.bool() ? 'r' : null));
        if (outcome === null) break;
        if (outcome.kind === 'parsed') {
          expect(sink.documents.at(-1)?.path).toBe(null);
          taken++;
          break;
        }
        expect(sink.documents).toEqual([]);
        const merged: MappingSnapshot = current.merge(outcome.update.mappings, 'dynamic');
        expect(merged.fields.slice(0, current.fields.length).map(({ name }) => name)).toEqual(current.fields.map(({ name }) => name));
        expect(restoreMapping(merged.toJson(), simpleAnalysis, {}).toJson()).toEqual(merged.toJson());
        mapping = merged;
      }
    }
  });
  expect(taken).toBeGreaterThan(500);
});

test('accepts or refuses random mappings', () => {
  const keys = [
    'properties',
    'dynamic',
    'type',
    'fields',
    'f',
    'a.b',
    'enabled',
    'copy_to',
    'path',
    'dynamic_templates',
    'mapping',
    'match',
    '_source',
    '_routing',
    '_meta',
    'format',
    'null_value',
    'meta',
  ];
  const value = (rng: Rng, depth: number): unknown => {
    if (depth < 5 && rng.bool(0.6)) {
      const object: MutableJsonObject = {};
      for (let i = rng.int(0, 3); i > 0; i--) object[rng.pick(keys)] = value(rng, depth + 1);
      return rng.bool(0.1) ? [object] : object;
    }
    return rng.pick([...TYPES, 'object', 'nested', 'alias', 'strict', true, false, null, 3, 'f', '*', 'yyyy']);
  };
  forSeeds(5000, (rng) => {
    const body: MutableJsonObject = { properties: value(rng, 0) };
    if (rng.bool()) body[rng.pick(keys)] = value(rng, 1);
    const mapping = attempt(() => createMapping(body, simpleAnalysis, {}));
    if (mapping) attempt(() => mapping.merge({ properties: value(rng, 0) } as MutableJsonObject, 'put'));
  });
});

test('accepts or refuses random query values', () => {
  forSeeds(4000, (rng) => {
    const type = rng.pick(TYPES);
    const mapping = attempt(() => createMapping({ properties: { f: fieldOf(type, rng) } }, simpleAnalysis, {}));
    const field = mapping?.field(rng.bool(0.9) ? 'f' : 'f.a.b');
    if (!field) return;
    const value = randomValue(rng, 3);
    attempt(() => field.termBytes(value));
    attempt(() => field.exactValue(value));
    const bounds = attempt(() =>
      field.rangeBounds({
        from: randomValue(rng, 3),
        to: randomValue(rng, 3),
        includeFrom: rng.bool(),
        includeTo: rng.bool(),
        format: rng.pick([null, null, 'yyyy', 'epoch_second', 'nonsense']),
        timeZone: rng.pick([null, '+01:00', 'Europe/Berlin', 'Mars']),
        nowMs: 1_709_208_000_000,
      }),
    );
    if (bounds && bounds.kind !== 'bytes' && !bounds.empty) expect(bounds.min <= bounds.max).toBe(true);
    const format = attempt(() =>
      field.format(rng.pick([null, 'yyyy', '0.0', '#,##0.#', '0.0E0', ';;']), rng.pick([null, 'Z', 'Asia/Tokyo'])),
    );
    if (!format) return;
    attempt(() => format.keyAsString(rng.pick([0, -1.5, 1e21, 1_709_208_000_000])));
    attempt(() => format.parse(rng.pick(TEXTS), rng.bool(), 1_709_208_000_000));
  });
});
