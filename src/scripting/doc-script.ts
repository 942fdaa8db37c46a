// Scripts that read documents of an index: scores, filters, fields, sort values, inputs of aggregations.
import './library/documents/doc-values.ts';
import './library/time.ts';
import { BoundedMap } from '../common/bounded-map.ts';
import { present } from '../common/present.ts';
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';
import { namesIn } from './columns/column-program.ts';
import type { ContextFunction } from './compile/unit.ts';
import { DOC_CONTEXTS, type DocContextName } from './contexts.ts';
import { compileExpression } from './expression.ts';
import { Dissect } from './extraction/dissect.ts';
import { Grok } from './extraction/grok.ts';
import type { ScriptBudget } from './java/budget.ts';
import { defineClass, type Implementation } from './java/class-info.ts';
import { ScriptFault, unsupportedOperation } from './java/faults.ts';
import type { ScriptMap, Value } from './java/values.ts';
import type { DocValues } from './library/documents/doc-values.ts';
import type { ScriptField } from './library/documents/field-values.ts';
import { doubleOf } from './numeric-value.ts';
import { type CompiledScript, compileScript, type ScriptContext } from './painless.ts';
import { resolveContext } from './script-context.ts';
import { resolveScript, type ScriptSpec, type StoredScript } from './script-spec.ts';
import { toScript } from './update-script.ts';

/** The interface of a document for scripts. */
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
  /** Values for `field()`: an empty field if there is none of this name. @throws ScriptFault: scripts cannot read the field */
  field(name: string): ScriptField;
}

/** Inputs of a run other than the document; which ones depends on the context. */
export interface ScriptInput {
  readonly score?: number;
  readonly value?: Value;
  readonly state?: ScriptMap;
  /** Budget of the run; a default one if absent. */
  readonly budget?: ScriptBudget;
}

/** A script that column programs may be able to run. */
export interface ArithmeticScript {
  readonly source: string;
  readonly context: DocContextName;
  readonly returns: 'double' | 'boolean';
  /** By name. */
  readonly params: ReadonlyMap<Value, Value>;
  /** Fields that the script reads. */
  readonly fields: readonly string[];
  /** Parameters that it reads. */
  readonly numbers: readonly string[];
  /** Functions of the context by name and number of parameters: `saturation/2`. */
  readonly functions: Readonly<Record<string, ContextFunction>>;
}

export interface DocScript {
  /** null: other contexts, other languages. */
  readonly arithmetic: ArithmeticScript | null;
  /** True if the script reads the score of the document. */
  readonly needsScore: boolean;
  /** @returns a plain number in contexts that return double @throws ApiError script_exception */
  run(document: ScriptDocument, input?: ScriptInput): Value;
}

export interface DocScriptContext {
  readonly stored: (id: string) => StoredScript | null;
  readonly context: DocContextName;
  /** Functions that the context adds to the language, by signature; scripts are cached by this object. */
  readonly functions?: Readonly<Record<string, Implementation>>;
  /** Parameters that the context adds. */
  readonly params?: Readonly<Record<string, unknown>>;
}

let current: ScriptDocument | null = null;

/** The document of the script that runs. */
export function currentDocument(): ScriptDocument {
  return present(current);
}

/** Functions of all contexts with a document. */
const FIELD_FUNCTIONS: Readonly<Record<string, Implementation>> = {
  'def field(String)': (name: string) => currentDocument().doc.field(name),
  'def $(String,def)': (name: string, other: Value) => currentDocument().doc.field(name).valueAt(0, other),
};

/** Finds named parts of strings: the result of grok() and dissect(). */
class Extractor {
  readonly #match: (text: string) => Map<string, unknown> | null;
  constructor(match: (text: string) => Map<string, unknown> | null) {
    this.#match = match;
  }
  /** A map of the parts, null if the text does not match. */
  extract(text: string): Value {
    const found = this.#match(text);
    return found && toScript(Object.fromEntries(found));
  }
}
defineClass('org.elasticsearch.script.field.NamedGroupExtractor', ['java.lang.Object'], {
  of: Extractor,
  javaName: 'org.elasticsearch.grok.NamedGroupExtractor',
  members: { 'Map extract(String)': (self: Extractor, text: string) => self.extract(text) },
});

/** Patterns that scripts have used. */
const extractors = new BoundedMap<string, Extractor>(100);

function extractor(kind: 'grok' | 'dissect', pattern: string, separator = ''): Extractor {
  const key = `${kind} ${separator} ${pattern}`;
  let known = extractors.get(key);
  if (!known) {
    const matcher = kind === 'grok' ? new Grok(pattern, {}) : new Dissect(pattern, separator);
    extractors.set(key, (known = new Extractor((text) => matcher.match(text))));
  }
  return known;
}

/** Functions of runtime fields besides emit. */
export const EXTRACTION_FUNCTIONS: Readonly<Record<string, Implementation>> = {
  'org.elasticsearch.script.field.NamedGroupExtractor grok(String)': (pattern: string) => extractor('grok', pattern),
  'org.elasticsearch.script.field.NamedGroupExtractor dissect(String)': (pattern: string) => extractor('dissect', pattern),
  'org.elasticsearch.script.field.NamedGroupExtractor dissect(String,String)': (pattern: string, separator: string) =>
    extractor('dissect', pattern, separator),
};

const NO_FUNCTIONS: Readonly<Record<string, Implementation>> = {};
const contexts = new WeakMap<object, Map<DocContextName, ScriptContext>>();

/** The context with its functions: the same object for the same functions, as scripts are cached by it. */
function contextWith(name: DocContextName, functions: Readonly<Record<string, Implementation>>): ScriptContext {
  let known = contexts.get(functions);
  if (!known) contexts.set(functions, (known = new Map()));
  let context = known.get(name);
  if (!context) known.set(name, (context = { ...DOC_CONTEXTS[name], functions: { ...FIELD_FUNCTIONS, ...functions } }));
  return context;
}

/** @throws ApiError script_exception, illegal_argument_exception (unknown language), resource_not_found_exception */
export function compileDocScript(spec: ScriptSpec, context: DocScriptContext): DocScript {
  const { lang, source } = resolveScript(spec, context.stored);
  const given = { ...context.params, ...spec.params };
  if (lang === 'expression') return expressionScript(source, given);
  if (lang !== 'painless') throw illegalArgumentError(`script_lang not supported [${lang}]`);
  const compiled: CompiledScript = compileScript(source, contextWith(context.context, context.functions ?? NO_FUNCTIONS));
  const params = new Params();
  for (const [name, value] of Object.entries(given)) params.set(name, toScript(value));
  let arithmetic: ArithmeticScript | null | undefined;
  const values: Record<string, Value> = { doc: DOC, params, _score: 0, _value: null, state: null };
  return {
    needsScore: compiled.usedVariables.has('_score'),
    get arithmetic() {
      if (arithmetic === undefined) arithmetic = arithmeticOf(source, context, params);
      return arithmetic;
    },
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

/** Contexts that column programs support, and their result types. */
const COLUMN_CONTEXTS: Readonly<Partial<Record<DocContextName, 'double' | 'boolean'>>> = {
  score: 'double',
  number_sort: 'double',
  filter: 'boolean',
  aggs: 'double',
};

const functionsOf = new WeakMap<ScriptContext, ArithmeticScript['functions']>();

function arithmeticOf(
  source: string,
  { context: name, functions = NO_FUNCTIONS }: DocScriptContext,
  params: ReadonlyMap<Value, Value>,
): ArithmeticScript | null {
  const returns = COLUMN_CONTEXTS[name];
  if (returns === undefined) return null;
  const context = contextWith(name, functions);
  let known = functionsOf.get(context);
  if (!known) {
    known = Object.fromEntries(resolveContext(context).functions.map((item) => [`${item.name}/${item.params.length}`, item]));
    functionsOf.set(context, known);
  }
  const { fields, params: numbers } = namesIn(source);
  return { source, context: name, returns, params, fields, numbers, functions: known };
}

function expressionScript(source: string, params: Readonly<Record<string, unknown>>): DocScript {
  const formula = compileExpression(source, params);
  return {
    arithmetic: null,
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
  override get(name: Value): Value {
    return name === '_source' ? currentDocument().source() : super.get(name);
  }
}

/** `doc`. */
class DocLookup extends Map<Value, Value> {
  override get(field: Value): Value {
    return currentDocument().doc.values(String(field));
  }

  override has(field: Value): boolean {
    return currentDocument().doc.has(String(field));
  }
}
const DOC = new DocLookup();

defineClass('org.elasticsearch.search.lookup.LeafDocLookup', ['java.util.Map'], {
  of: DocLookup,
  members: { 'def put(def,def)': unsupportedOperation, 'int size()': unsupportedOperation, 'Set keySet()': unsupportedOperation },
});
