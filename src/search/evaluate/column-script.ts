// Scripts of plain arithmetic over the columns of a segment: many documents in one run of WebAssembly, with the results of the compiled script.
import { BoundedMap } from '../../common/bounded-map.ts';
import { checkWork } from '../../common/turns/turn.ts';
import type { MappingSnapshot } from '../../mapping/core/mapping-snapshot.ts';
import { kernelColumn, runColumnKernel } from '../../plan/column-kernel.ts';
import type { SegmentReader } from '../../plan/segment-reader.ts';
import type { ColumnForm } from '../../scripting/columns/column-field.ts';
import { type ColumnProgram, compileColumnProgram } from '../../scripting/columns/column-program.ts';
import type { PlainType } from '../../scripting/columns/numeric-types.ts';
import type { ArithmeticScript } from '../../scripting/doc-script.ts';
import { Double, type Value } from '../../scripting/java/values.ts';

/** With fewer documents the compiled script is ready sooner. */
const MIN_DOCS = 128;

const programs = new BoundedMap<string, ColumnProgram | 'unsupported'>(200);

/** Documents of a segment, and how to compute one without a program. */
export interface ColumnTask {
  readonly segment: SegmentReader;
  readonly docs: Uint32Array;
  /** Parallel to the documents; null if there are none. */
  readonly scores: Float32Array | null;
  /** Computes a document with the compiled script. @param done  results of the documents before it */
  fallback(index: number, done: Float64Array): number;
}

/**
 * Results parallel to the documents, booleans as 0 and 1; null if the script is not one of plain arithmetic, or the documents are few.
 * @throws what `fallback` throws
 */
export function computeColumn(script: ArithmeticScript | null, mapping: MappingSnapshot, task: ColumnTask): Float64Array | null {
  if (script === null || task.docs.length < MIN_DOCS) return null;
  const { segment, docs, scores } = task;
  const program = programOf(script, mapping, segment, scores !== null);
  if (program === null) return null;
  let done: Float64Array = EMPTY;
  return runColumnKernel(segment.kernels, {
    module: program.module,
    imports: program.imports as ReadonlyArray<(...args: number[]) => number>,
    columns: program.fields.map((name) => segment.column(mapping.field(name)?.spec.name ?? name)),
    params: program.params.map((name) => script.params.get(name) as number | bigint).map(plainNumber),
    docs,
    scores: program.usesScore ? scores : null,
    start: (out) => {
      done = out;
    },
    fallback: (index) => task.fallback(index, done.subarray(0, index)),
    check: checkWork,
  });
}

const EMPTY = new Float64Array(0);

/** A parameter in the form that programs accept. */
function plainNumber(value: Value): number | bigint {
  return typeof value === 'bigint' || typeof value === 'number' ? value : (value as { readonly value: number }).value;
}

function programOf(script: ArithmeticScript, mapping: MappingSnapshot, segment: SegmentReader, hasScore: boolean): ColumnProgram | null {
  const forms = new Map<string, ColumnForm | null>();
  const form = (name: string): ColumnForm | null => {
    let known = forms.get(name);
    if (known === undefined) forms.set(name, (known = formOf(mapping, name, segment)));
    return known;
  };
  const key = JSON.stringify([
    script.source,
    script.context,
    hasScore,
    script.fields.map((name) => [name, form(name), mapping.field(name) !== null]),
    script.numbers.map((name) => paramType(script.params.get(name))),
  ]);
  let program = programs.get(key);
  if (program === undefined) {
    const { source, returns, functions } = script;
    const hasField = (name: string): boolean => mapping.field(name) !== null;
    const typeOfParam = (name: string): PlainType | null => paramType(script.params.get(name));
    program = compileColumnProgram({ source, returns, hasScore, form, hasField, paramType: typeOfParam, functions }) ?? 'unsupported';
    programs.set(key, program);
  }
  return program === 'unsupported' ? null : program;
}

/** null: programs cannot read the field. */
function formOf(mapping: MappingSnapshot, name: string, segment: SegmentReader): ColumnForm | null {
  const type = mapping.field(name);
  if (!type || type.runtime || !type.isAggregatable || type.unsigned) return null;
  if (type.family !== 'numeric' && type.family !== 'boolean') return null;
  const column = segment.column(type.spec.name);
  const layout = column && kernelColumn(segment.kernels, column);
  if (column && !layout) return null;
  if (type.family === 'boolean') return { shown: 'boolean', scale: 1, layout };
  const isDouble = type.spec.column === 'f64' || type.scale !== 1;
  return { shown: isDouble ? 'double' : 'long', scale: type.scale, layout };
}

function paramType(value: Value): PlainType | null {
  if (typeof value === 'number') return 'int';
  if (typeof value === 'bigint') return 'long';
  return value instanceof Double ? 'double' : null;
}
