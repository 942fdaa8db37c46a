// CPU nanoseconds per run of scripts over documents in memory: compiled scripts, the same formula written by hand, and, with --old, the interpreter of an
// older checkout. Each result is checked before it is timed.
//   npm run bench:scripts [-- --docs 20000 --rounds 15 --old PATH]      PATH: a checkout that still has the interpreter
// Output: one JSON object per line. The median of the rounds is reported.
import { parseArgs } from 'node:util';
import type { DocContextName } from '../../src/scripting/contexts.ts';
import { compileDocScript, type DocMap, type ScriptDocument } from '../../src/scripting/doc-script.ts';
import { Double, type Value } from '../../src/scripting/java/values.ts';
import { type DocValues, docValues } from '../../src/scripting/library/doc-values.ts';
import { type ScriptField, scriptField } from '../../src/scripting/library/field-values.ts';
import { doubleOf } from '../../src/scripting/numeric-value.ts';

const { values: options } = parseArgs({
  options: { docs: { type: 'string', default: '50000' }, rounds: { type: 'string', default: '15' }, old: { type: 'string' } },
});
const DOCS = Number(options.docs);
const ROUNDS = Number(options.rounds);

const price = Float64Array.from({ length: DOCS }, (_, i) => ((i * 7919) % 10_007) / 7);
const count = Float64Array.from({ length: DOCS }, (_, i) => (i * 104_729) % 1000);
const names = Array.from({ length: DOCS }, (_, i) => `name ${i % 97}`);

interface Case {
  readonly name: string;
  readonly context: DocContextName;
  readonly source: string;
  readonly params: Record<string, number>;
  /** The same by hand, as a number. */
  readonly kernel: (docId: number) => number;
}

const CASES: readonly Case[] = [
  {
    name: 'arithmetic on doubles',
    context: 'score',
    source: "doc['price'].value * 1.5 + Math.log(2 + doc['price'].value)",
    params: {},
    kernel: (i) => price[i] * 1.5 + Math.log(2 + price[i]),
  },
  {
    name: 'long and parameter',
    context: 'score',
    source: "doc['count'].value * params.factor + _score",
    params: { factor: 3 },
    kernel: (i) => count[i] * 3 + 1,
  },
  {
    name: 'condition',
    context: 'number_sort',
    source: "if (doc['count'].value > 500) { return doc['price'].value; } return doc['count'].value / 2.0;",
    params: {},
    kernel: (i) => (count[i] > 500 ? price[i] : count[i] / 2),
  },
  {
    name: 'loop',
    context: 'score',
    source: "double s = 0; for (int i = 0; i < 20; i++) { s += i * doc['price'].value; } return s;",
    params: {},
    kernel: (i) => {
      let sum = 0;
      for (let k = 0; k < 20; k++) sum += k * price[i];
      return sum;
    },
  },
  {
    name: 'string',
    context: 'field',
    source: "doc['name'].value.substring(5).length()",
    params: {},
    kernel: (i) => names[i].slice(5).length,
  },
];

const [PRICE, COUNT, NAME] = [docValues('doubles', []), docValues('longs', []), docValues('strings', [])];
const FIELDS: Readonly<Record<string, (i: number) => DocValues>> = {
  price: (i) => PRICE.show([price[i]], (raw) => new Double(Number(raw))),
  count: (i) => COUNT.show([count[i]], BigInt),
  name: (i) => NAME.show([i], (raw) => names[Number(raw)]),
};

class MemoryDocument implements ScriptDocument, DocMap {
  readonly doc = this;
  docId = 0;
  has(field: string): boolean {
    return field in FIELDS;
  }
  values(field: string): DocValues {
    return FIELDS[field](this.docId);
  }
  field(name: string): ScriptField {
    return scriptField(name, name === 'price' ? 'doubles' : name === 'count' ? 'longs' : 'strings', this.values(name));
  }
  source(): Map<Value, Value> {
    return new Map();
  }
}

/** Median nanoseconds per document. */
function timed(run: (docId: number) => number): number {
  const rounds: number[] = [];
  let sink = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.cpuUsage();
    for (let docId = 0; docId < DOCS; docId++) sink += run(docId);
    const { user, system } = process.cpuUsage(start);
    rounds.push(((user + system) * 1000) / DOCS);
  }
  if (Number.isNaN(sink)) throw new Error('a result is not a number');
  return rounds.sort((a, b) => a - b)[ROUNDS >> 1];
}

function compiled({ context, source, params }: Case): (docId: number) => number {
  const script = compileDocScript({ lang: 'painless', source, id: null, params }, { stored: () => null, context });
  const document = new MemoryDocument();
  const input = { score: 1 };
  return (docId) => {
    document.docId = docId;
    return doubleOf(script.run(document, input)) ?? Number.NaN;
  };
}

/** The interpreter of an older checkout, which has its own classes of values. */
async function interpreted(path: string, { source, params }: Case): Promise<(docId: number) => number> {
  const { compileScript } = await import(`${path}/src/scripting/painless.ts`);
  const { Double: OldDouble } = await import(`${path}/src/scripting/syntax-tree.ts`);
  const { DocValues: OldValues } = await import(`${path}/src/scripting/doc-script.ts`);
  const { doubleOf: oldDouble } = await import(`${path}/src/scripting/dates.ts`);
  const value = { kind: 'value' };
  const script = compileScript(source, { doc: value, params: value, _score: value });
  const of = (field: string, i: number) =>
    new OldValues([field === 'price' ? new OldDouble(price[i]) : field === 'count' ? BigInt(count[i]) : names[i]]);
  let docId = 0;
  const doc = { fields: {}, get: (field: string) => of(field, docId) };
  const variables = { doc, params: new Map(Object.entries(params)), _score: new OldDouble(1) };
  return (i) => {
    docId = i;
    return oldDouble(script.run(variables)) ?? Number.NaN;
  };
}

for (const item of CASES) {
  const run = compiled(item);
  for (let docId = 0; docId < 1000; docId++)
    if (run(docId) !== item.kernel(docId))
      throw new Error(`${item.name}: ${run(docId)} is not ${item.kernel(docId)} for document ${docId}`);
  const result: Record<string, unknown> = { case: item.name, compiledNs: timed(run), byHandNs: timed(item.kernel) };
  if (options.old) result['interpretedNs'] = timed(await interpreted(options.old, item));
  console.log(JSON.stringify(result, (_key, value) => (typeof value === 'number' ? Math.round(value * 10) / 10 : value)));
}
