// Column programs against the compiled script: the same results, or the same error, for every document of segments whose columns have every layout.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compileColumnProgram } from '../../src/scripting/columns/column-program.ts';
import { openRestNode, type RestNode } from '../support/rest-node.ts';
import { Rng } from '../support/rng.ts';

/** Documents of each of the two segments. */
const DOCS = 150;
const SCRIPTS = 120;
let node: RestNode;

beforeAll(async () => {
  node = await openRestNode();
  const properties = {
    tiny: { type: 'byte' },
    int: { type: 'integer' },
    long: { type: 'long' },
    all: { type: 'long' },
    rare: { type: 'integer' },
    many: { type: 'long' },
    same: { type: 'integer' },
    double: { type: 'double' },
    float: { type: 'float' },
    half: { type: 'half_float' },
    doubles: { type: 'double' },
    scaled: { type: 'scaled_float', scaling_factor: 100 },
    flag: { type: 'boolean' },
    never: { type: 'long' },
  };
  await node.ok('PUT /columns', { settings: { number_of_shards: 1, refresh_interval: -1 }, mappings: { properties } });
  const rng = new Rng(7);
  const longs = ['9223372036854775807', '-9223372036854775808', '0', '-1', '4294967296', '9007199254740993'];
  for (let part = 0; part < 2; part++) {
    const lines: string[] = [];
    for (let i = 0; i < DOCS; i++) {
      const doc: Record<string, unknown> = { all: rng.int(-50, 50), same: 7, flag: rng.int(0, 1) === 1 };
      if (rng.int(0, 9) > 0) doc['tiny'] = rng.int(-128, 127);
      if (rng.int(0, 9) > 0) doc['int'] = rng.pick([rng.int(-2147483648, 2147483647), 0, 2147483647, -2147483648]);
      if (rng.int(0, 99) === 0) doc['rare'] = rng.int(-9, 9);
      if (rng.int(0, 3) > 0) doc['many'] = Array.from({ length: rng.int(1, 3) }, () => rng.int(-9, 9));
      if (rng.int(0, 9) > 0) doc['double'] = rng.pick([rng.int(-1000, 1000) / 8, 1e300, -0.1, 0]);
      if (rng.int(0, 9) > 0) doc['float'] = rng.int(-1000, 1000) / 16;
      doc['half'] = rng.int(-64, 64) / 4;
      if (rng.int(0, 1) === 0) doc['doubles'] = [rng.int(-9, 9) / 2, rng.int(-9, 9) / 2];
      if (rng.int(0, 9) > 0) doc['scaled'] = rng.int(-10_000, 10_000) / 100;
      const long = rng.pick(longs);
      lines.push('{"index":{}}', `${JSON.stringify(doc).slice(0, -1)},"long":${long}}`);
    }
    await node.exchange('POST /columns/_bulk?refresh=true', {
      headers: { 'content-type': 'application/x-ndjson' },
      body: `${lines.join('\n')}\n`,
    });
  }
});

afterAll(() => node.close());

const LONGS = ['tiny', 'int', 'long', 'all', 'rare', 'many', 'same', 'never'];
const DOUBLES = ['double', 'float', 'half', 'doubles', 'scaled'];

/** Numbers of any type, and conditions, by the grammar that programs have. */
class Generator {
  readonly #rng: Rng;
  constructor(rng: Rng) {
    this.#rng = rng;
  }

  script(returns: 'double' | 'boolean'): string {
    const rng = this.#rng;
    if (returns === 'boolean') return `return ${this.condition(3)};`;
    switch (rng.int(0, 4)) {
      case 0:
        return `double x = ${this.number(2)}; if (${this.condition(2)}) { x += ${this.number(2)}; } else { return ${this.number(1)}; } return x * 2;`;
      case 1:
        return `long s = 0; for (int i = 0; i < ${rng.pick(['5', '2000', "doc['all'].value"])}; i++) { s += i * ${this.field(LONGS)}; if (s > 99) { break; } } return s;`;
      case 2:
        return `int n = 3; n ${rng.pick(['+=', '-=', '*=', '/='])} ${this.number(2)}; n++; return n;`;
      default:
        return `return ${this.number(4)};`;
    }
  }

  field(names: readonly string[]): string {
    return `doc['${this.#rng.pick(names)}'].value`;
  }

  number(depth: number): string {
    const rng = this.#rng;
    const of = (): string => this.number(depth - 1);
    if (depth <= 0)
      return rng.pick([
        () => this.field(LONGS),
        () => this.field(DOUBLES),
        () => rng.pick(['2', '-3', '7L', '0.5', '1e10', '2147483647', 'params.i', 'params.d', 'params.l']),
      ])();
    return rng.pick([
      () => `(${of()} ${rng.pick(['+', '-', '*', '/', '%'])} ${of()})`,
      () => `(${of()} ${rng.pick(['+', '-', '*'])} ${of()})`,
      () => `(${this.field(LONGS)} ${rng.pick(['&', '|', '^', '<<', '>>', '>>>'])} ${rng.int(-3, 70)})`,
      () => `(${rng.pick(['int', 'long', 'double', 'float'])})(${of()})`,
      () => `Math.${rng.pick(['abs', 'sqrt', 'log', 'floor', 'ceil', 'signum', 'cbrt'])}(${of()})`,
      () => `Math.${rng.pick(['max', 'min', 'pow', 'hypot'])}(${of()}, ${of()})`,
      () => `(${this.condition(depth - 1)} ? ${of()} : ${of()})`,
      () => `-(${of()})`,
      () => `doc['${rng.pick([...LONGS, ...DOUBLES])}'].size()`,
    ])();
  }

  condition(depth: number): string {
    const rng = this.#rng;
    if (depth <= 0) return rng.pick(["doc['flag'].value", "doc['rare'].empty", "doc['many'].isEmpty()", 'true']);
    return rng.pick([
      () => `${this.number(depth - 1)} ${rng.pick(['<', '<=', '>', '>=', '==', '!='])} ${this.number(depth - 1)}`,
      () => `(${this.condition(depth - 1)} ${rng.pick(['&&', '||'])} ${this.condition(depth - 1)})`,
      () => `!(${this.condition(depth - 1)})`,
    ])();
  }
}

const PARAMS = { i: 3, d: 2.5, l: 4294967296 };

/** A list makes a script one that programs cannot run. */
const compiledOnly = (source: string): string => `def list = []; ${source}`;

/** The part of a response that must be equal: without sources and times. */
function comparable(text: string): unknown {
  return JSON.parse(text, (key, value) => (['took', 'script', 'script_stack', 'position', '_score'].includes(key) ? undefined : value));
}

const isSupported = (source: string, returns: 'double' | 'boolean'): boolean =>
  compileColumnProgram({
    source,
    returns,
    hasScore: false,
    form: (name) => ({ shown: name === 'flag' ? 'boolean' : DOUBLES.includes(name) ? 'double' : 'long', scale: 1, layout: null }),
    hasField: () => true,
    paramType: (name) => (name === 'i' ? 'int' : name === 'd' ? 'double' : 'long'),
    functions: {},
  }) !== null;

test('results and errors of sorts, filters, aggregations and scores are those of the compiled script', async () => {
  const generator = new Generator(new Rng(11));
  const bodies = (source: string, i: number): object => {
    const script = { source, params: PARAMS };
    switch (i % 4) {
      case 0:
        return { size: 300, _source: false, sort: [{ _script: { type: 'number', script } }, { _doc: 'asc' }] };
      case 1:
        return { size: 300, _source: false, sort: '_doc', query: { script: { script } } };
      case 2:
        return { size: 0, aggs: { x: { stats: { script } } } };
      default:
        return { size: 300, _source: false, query: { script_score: { query: { match_all: {} }, script } } };
    }
  };
  let supported = 0;
  let succeeded = 0;
  for (let i = 0; i < SCRIPTS; i++) {
    const returns = i % 4 === 1 ? 'boolean' : 'double';
    const source = generator.script(returns);
    if (isSupported(source, returns)) supported++;
    const plain = await node.send('POST /columns/_search', bodies(source, i));
    const compiled = await node.send('POST /columns/_search', bodies(compiledOnly(source), i));
    if (plain.status === 200) succeeded++;
    expect(comparable(plain.text), source).toEqual(comparable(compiled.text));
  }
  expect(supported).toBeGreaterThan(SCRIPTS / 2);
  expect(succeeded).toBeGreaterThan(SCRIPTS / 8);
});
