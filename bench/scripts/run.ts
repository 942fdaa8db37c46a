// CPU nanoseconds per run of scripts over documents in memory: compiled scripts, column programs where the script is one of plain arithmetic, the same
// formula written by hand, and, with --old, the interpreter of an older checkout. Each result is checked before it is timed.
//   npm run bench:scripts [-- --docs 20000 --rounds 15 --old PATH]      PATH: a checkout that still has the interpreter
// Output: one JSON object per line. The median of the rounds is reported.
import { parseArgs } from 'node:util';
import { present } from '../../src/common/present.ts';
import { kernelColumn, runColumnKernel } from '../../src/plan/column-kernel.ts';
import type { SegmentColumn } from '../../src/plan/segment.ts';
import { temporaryColumn } from '../../src/plan/temporary-column.ts';
import { compileColumnProgram } from '../../src/scripting/columns/column-program.ts';
import type { DocContextName } from '../../src/scripting/contexts.ts';
import { compileDocScript, type DocMap, type ScriptDocument } from '../../src/scripting/doc-script.ts';
import { Double, type Value } from '../../src/scripting/java/values.ts';
import { type DocValues, docValues } from '../../src/scripting/library/documents/doc-values.ts';
import { type ScriptField, scriptField } from '../../src/scripting/library/documents/field-values.ts';
import { doubleOf } from '../../src/scripting/numeric-value.ts';
import { compileEngine, createMemory, Kernels } from '../../src/wasm/kernels.ts';

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
  /** The formula written by hand; returns a number. */
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

const kernels = new Kernels(compileEngine(), createMemory(4096), 16 * 2 ** 20, 128 * 2 ** 20);
const columnOf = (kind: 'f64' | 'i64', values: Float64Array): SegmentColumn =>
  present(temporaryColumn(kernels, { kind, maxDoc: DOCS, byDoc: new Map(Array.from(values, (value, i) => [i, [value]])) }));
const COLUMNS = { price: columnOf('f64', price), count: columnOf('i64', count) };
const FORMS = {
  price: { shown: 'double', scale: 1, layout: kernelColumn(kernels, COLUMNS.price) },
  count: { shown: 'long', scale: 1, layout: kernelColumn(kernels, COLUMNS.count) },
} as const;

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

/** Median nanoseconds per document of the column program, null if the script is not one; the results are checked. */
function columnNs({ context, source, params, kernel }: Case): number | null {
  const program = compileColumnProgram({
    source,
    returns: 'double',
    hasScore: context === 'score',
    form: (name) => (name in COLUMNS ? FORMS[name as keyof typeof FORMS] : null),
    hasField: () => true,
    paramType: () => 'int',
    functions: {},
  });
  if (program === null) return null;
  const task = {
    module: program.module,
    imports: program.imports as ReadonlyArray<(...args: number[]) => number>,
    columns: program.fields.map((name) => COLUMNS[name as keyof typeof COLUMNS]),
    params: program.params.map((name) => params[name]),
    docs: Uint32Array.from({ length: DOCS }, (_, i) => i),
    scores: program.usesScore ? new Float32Array(DOCS).fill(1) : null,
    start: () => {},
    fallback: (): number => {
      throw new Error('the program gave a document up');
    },
    check: () => {},
  };
  const run = (): Float64Array => runColumnKernel(kernels, task);
  run().forEach((value, i) => {
    if (value !== kernel(i)) throw new Error(`${value} is not ${kernel(i)} for document ${i}`);
  });
  const rounds = Array.from({ length: ROUNDS * 4 }, () => {
    const start = performance.now();
    run();
    return ((performance.now() - start) * 1e6) / DOCS;
  });
  return rounds.sort((a, b) => a - b)[rounds.length >> 1];
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
  const byHandNs = timed(item.kernel);
  const result: Record<string, unknown> = { case: item.name, compiledNs: timed(run), columnNs: columnNs(item), byHandNs };
  if (typeof result['columnNs'] === 'number') result['columnByHand'] = result['columnNs'] / byHandNs;
  if (options.old) result['interpretedNs'] = timed(await interpreted(options.old, item));
  console.log(JSON.stringify(result, (_key, value) => (typeof value === 'number' ? Math.round(value * 10) / 10 : value)));
}
