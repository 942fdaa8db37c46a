// Scripts that read documents of an index: scores, filters, fields, sort values, inputs of aggregations.
import { present } from '../common/present.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { doubleOf } from './dates.ts';
import type { HostFunction } from './evaluator.ts';
import { compileExpression } from './expression.ts';
import { compileScript } from './painless.ts';
import type { ScriptBudget } from './script-budget.ts';
import { resolveScript, type ScriptSpec, type StoredScript } from './script-spec.ts';
import { Double, type HostObject, ScriptFault, type ScriptMap, type Value } from './syntax-tree.ts';
import { toScript } from './update-script.ts';

/** A document as scripts see it. */
export interface ScriptDocument {
  /** `doc`. */
  readonly doc: DocMap;
  /** `params._source`. */
  source(): ScriptMap;
}

/** `doc`: fields by name. */
export interface DocMap {
  has(field: string): boolean;
  /** @throws ScriptFault: no such field, or one that scripts cannot read */
  values(field: string): DocValues;
}

/** Values of a field in the document. */
export class DocValues implements HostObject {
  readonly list: readonly Value[];
  readonly fields: Readonly<Record<string, unknown>>;
  readonly #extra: Readonly<Record<string, (args: Value[]) => Value>>;

  /** @param extra  additional methods of the field's type */
  constructor(list: readonly Value[], extra: Readonly<Record<string, (args: Value[]) => Value>> = {}) {
    this.list = list;
    this.#extra = extra;
    const self = this;
    this.fields = {
      get value() {
        return self.first();
      },
      get values() {
        return [...list];
      },
      empty: list.length === 0,
      length: list.length,
    };
  }

  first(): Value {
    if (this.list.length > 0) return this.list[0];
    throw new ScriptFault(
      'illegal_state_exception',
      "A document doesn't have a value for a field! Use doc[<field>].size()==0 to check if a document is missing a field!",
    );
  }

  get(key: Value): Value {
    const index = Number(key);
    if (index === 0) return this.first();
    if (index in this.list) return this.list[index];
    throw new ScriptFault('index_out_of_bounds_exception', `index ${index} is out of bounds for length ${this.list.length}`);
  }

  items(): Value[] {
    return [...this.list];
  }

  call(name: string, args: Value[]): Value {
    if (Object.hasOwn(this.#extra, name)) return this.#extra[name](args);
    if (name === 'size' || name === 'getLength') return this.list.length;
    if (name === 'isEmpty') return this.list.length === 0;
    if (name === 'contains') return this.list.includes(args[0]);
    if (name === 'stream' || name === 'asList') return [...this.list];
    return undefined;
  }
}

/** Values of a run other than the document, as far as the context has them. */
export interface ScriptInput {
  readonly score?: number;
  readonly value?: Value;
  readonly state?: ScriptMap;
  /** What the run may use; a default one if absent. */
  readonly budget?: ScriptBudget;
}

export type ScriptVariable = '_score' | '_value' | 'state';

export interface DocScript {
  /** @throws ApiError script_exception */
  run(document: ScriptDocument, input?: ScriptInput): Value;
}

export interface DocScriptContext {
  readonly stored: (id: string) => StoredScript | null;
  /** Variables other than `doc` and `params`. */
  readonly variables: readonly ScriptVariable[];
  /** Functions that the context adds to the language. */
  readonly functions?: (document: () => ScriptDocument) => Readonly<Record<string, HostFunction>>;
  /** Parameters that the context adds. */
  readonly params?: Readonly<Record<string, unknown>>;
}

const VALUE = { kind: 'value' } as const;

/** @throws ApiError script_exception, illegal_argument_exception (unknown language), resource_not_found_exception */
export function compileDocScript(spec: ScriptSpec, context: DocScriptContext): DocScript {
  const { lang, source } = resolveScript(spec, context.stored);
  const given = { ...context.params, ...spec.params };
  if (lang === 'expression') return expressionScript(source, given);
  if (lang !== 'painless') throw illegalArgumentError(`script_lang not supported [${lang}]`);
  let current: ScriptDocument | null = null;
  const document = () => present(current);
  const names = ['doc', 'params', ...context.variables];
  const compiled = compileScript(source, Object.fromEntries(names.map((name) => [name, VALUE])), context.functions?.(document));
  const params = new Params(document);
  for (const [name, value] of Object.entries(given)) params.set(name, toScript(value));
  const doc = docObject(document);
  return {
    run(at, input = {}) {
      current = at;
      try {
        const variables = { doc, params, _score: new Double(input.score ?? 0), _value: input.value ?? null, state: input.state ?? null };
        return compiled.run(variables, input.budget);
      } finally {
        current = null;
      }
    },
  };
}

function expressionScript(source: string, params: Readonly<Record<string, unknown>>): DocScript {
  const formula = compileExpression(source, params);
  return {
    run({ doc }, { score, value } = {}) {
      const values = (field: string) => doc.values(field).list.map((item) => doubleOf(item) ?? 0);
      try {
        return formula({ values, score: score ?? 0, value: doubleOf(value ?? null) ?? Number.NaN });
      } catch (error) {
        if (!(error instanceof ScriptFault)) throw error;
        throw new ApiError('script_exception', 400, 'runtime error', {
          details: { script_stack: [], script: source, lang: 'expression' },
          causedBy: new ApiError(error.type, 400, error.message),
        });
      }
    },
  };
}

/** `params`, with the document's source under `_source`. */
class Params extends Map<string, Value> {
  readonly #document: () => ScriptDocument;

  constructor(document: () => ScriptDocument) {
    super();
    this.#document = document;
  }

  override get(name: string): Value {
    return name === '_source' ? this.#document().source() : super.get(name);
  }
}

function docObject(document: () => ScriptDocument): HostObject {
  return {
    fields: {},
    get: (key) => document().doc.values(String(key)),
    call: (name, [field]) => (name === 'containsKey' ? document().doc.has(String(field)) : undefined),
  };
}
