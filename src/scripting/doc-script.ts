// Scripts that read documents of an index: scores, filters, fields, sort values, inputs of aggregations.
import './library/doc-values.ts';
import './library/time.ts';
import { present } from '../common/present.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { DOC_CONTEXTS, type DocContextName } from './contexts.ts';
import { compileExpression } from './expression.ts';
import type { ScriptBudget } from './java/budget.ts';
import { defineClass, type Implementation } from './java/class-info.ts';
import { ScriptFault, unsupportedOperation } from './java/faults.ts';
import type { ScriptMap, Value } from './java/values.ts';
import type { DocValues } from './library/doc-values.ts';
import { doubleOf } from './numeric-value.ts';
import { type CompiledScript, compileScript, type ScriptContext } from './painless.ts';
import { resolveScript, type ScriptSpec, type StoredScript } from './script-spec.ts';
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

/** Values of a run other than the document, as far as the context has them. */
export interface ScriptInput {
  readonly score?: number;
  readonly value?: Value;
  readonly state?: ScriptMap;
  /** What the run may use; a default one if absent. */
  readonly budget?: ScriptBudget;
}

export interface DocScript {
  /** True if the script reads the score of the document. */
  readonly needsScore: boolean;
  /** @returns a plain number in contexts that return double @throws ApiError script_exception */
  run(document: ScriptDocument, input?: ScriptInput): Value;
}

export interface DocScriptContext {
  readonly stored: (id: string) => StoredScript | null;
  readonly context: DocContextName;
  /** Functions that the context adds to the language, by signature; `document` is that of the run. */
  readonly functions?: (document: () => ScriptDocument) => Readonly<Record<string, Implementation>>;
  /** Parameters that the context adds. */
  readonly params?: Readonly<Record<string, unknown>>;
}

/** @throws ApiError script_exception, illegal_argument_exception (unknown language), resource_not_found_exception */
export function compileDocScript(spec: ScriptSpec, context: DocScriptContext): DocScript {
  const { lang, source } = resolveScript(spec, context.stored);
  const given = { ...context.params, ...spec.params };
  if (lang === 'expression') return expressionScript(source, given);
  if (lang !== 'painless') throw illegalArgumentError(`script_lang not supported [${lang}]`);
  let current: ScriptDocument | null = null;
  const document = (): ScriptDocument => present(current);
  const base: ScriptContext = DOC_CONTEXTS[context.context];
  const compiled: CompiledScript = compileScript(source, context.functions ? { ...base, functions: context.functions(document) } : base);
  const params = new Params(document);
  for (const [name, value] of Object.entries(given)) params.set(name, toScript(value));
  const values: Record<string, Value> = { doc: new DocLookup(document), params, _score: 0, _value: null, state: null };
  return {
    needsScore: compiled.usedVariables.has('_score'),
    run(at, input) {
      const outer = current;
      current = at;
      values['_score'] = input?.score ?? 0;
      values['_value'] = input?.value ?? null;
      values['state'] = input?.state ?? null;
      try {
        return compiled.run(values, input?.budget);
      } finally {
        current = outer;
      }
    },
  };
}

function expressionScript(source: string, params: Readonly<Record<string, unknown>>): DocScript {
  const formula = compileExpression(source, params);
  return {
    needsScore: source.includes('_score'),
    run({ doc }, { score, value } = {}) {
      const values = (field: string) => doc.values(field).map((item) => doubleOf(item) ?? 0);
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
class Params extends Map<Value, Value> {
  readonly #document: () => ScriptDocument;

  constructor(document: () => ScriptDocument) {
    super();
    this.#document = document;
  }

  override get(name: Value): Value {
    return name === '_source' ? this.#document().source() : super.get(name);
  }
}

/** `doc`. */
class DocLookup extends Map<Value, Value> {
  readonly #document: () => ScriptDocument;

  constructor(document: () => ScriptDocument) {
    super();
    this.#document = document;
  }

  override get(field: Value): Value {
    return this.#document().doc.values(String(field));
  }

  override has(field: Value): boolean {
    return this.#document().doc.has(String(field));
  }
}

defineClass('org.elasticsearch.search.lookup.LeafDocLookup', ['java.util.Map'], {
  of: DocLookup,
  members: { 'def put(def,def)': unsupportedOperation, 'int size()': unsupportedOperation, 'Set keySet()': unsupportedOperation },
});
