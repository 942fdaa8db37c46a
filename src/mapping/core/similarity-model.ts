// Similarities that score terms by a formula other than BM25's: their settings in `index.similarity.NAME`, validated and with defaults.
// src/search/similarity computes them. Source: SimilarityProviders of Elasticsearch 7.10 and OpenSearch, org.apache.lucene.search.similarities.
import { javaDouble } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';

const BASIC_MODELS = ['if', 'in', 'g', 'ine'] as const;
const LEGACY_BASIC_MODELS: readonly string[] = ['be', 'd', 'p'];
const AFTER_EFFECTS = ['l', 'b'] as const;
const INDEPENDENCE_MEASURES = ['standardized', 'saturated', 'chisquared'] as const;

/** How a term's frequency is normalized by the length of the field; `parameter` is c, mu or z. */
export interface Normalization {
  readonly kind: 'no' | 'h1' | 'h2' | 'h3' | 'z';
  readonly parameter: number;
}

/** A script of a scripted similarity. */
export interface SimilarityScript {
  readonly lang: string;
  readonly source: string;
  readonly params: Readonly<Record<string, string>>;
}

/** A similarity other than BM25 and boolean, with its parameters. */
export type SimilarityModel =
  | {
      readonly type: 'DFR';
      readonly basicModel: (typeof BASIC_MODELS)[number];
      readonly afterEffect: (typeof AFTER_EFFECTS)[number];
      readonly normalization: Normalization;
    }
  | { readonly type: 'DFI'; readonly measure: (typeof INDEPENDENCE_MEASURES)[number] }
  | {
      readonly type: 'IB';
      readonly distribution: 'll' | 'spl';
      readonly lambda: 'df' | 'ttf';
      readonly normalization: Normalization;
    }
  | { readonly type: 'LMDirichlet'; readonly mu: number }
  | { readonly type: 'LMJelinekMercer'; readonly lambda: number }
  | { readonly type: 'scripted'; readonly script: SimilarityScript; readonly weightScript: SimilarityScript | null };

/** Settings of one similarity, without their common prefix. */
export type SimilaritySettings = ReadonlyMap<string, string>;

const NORMALIZATION_SETTINGS = ['normalization', 'normalization.h1.c', 'normalization.h2.c', 'normalization.h3.c', 'normalization.z.z'];

const PARSERS: Readonly<Record<SimilarityModel['type'], (settings: SimilaritySettings) => SimilarityModel>> = {
  DFR(settings) {
    checkKnown('DFR', settings, ['basic_model', 'after_effect', ...NORMALIZATION_SETTINGS]);
    const model = settings.get('basic_model');
    if (model !== undefined && LEGACY_BASIC_MODELS.includes(model))
      throw illegalArgumentError(`Basic model [${model}] isn't supported anymore, please use another model.`);
    const basicModel = oneOf(BASIC_MODELS, model, 'BasicModel', true);
    const effect = settings.get('after_effect');
    if (effect === 'no') throw illegalArgumentError(`After effect [${effect}] isn't supported anymore, please use another effect.`);
    const afterEffect = oneOf(AFTER_EFFECTS, effect, 'AfterEffect', true);
    return { type: 'DFR', basicModel, afterEffect, normalization: parseNormalization(settings) };
  },
  DFI(settings) {
    checkKnown('DFI', settings, ['independence_measure']);
    return { type: 'DFI', measure: oneOf(INDEPENDENCE_MEASURES, settings.get('independence_measure'), 'IndependenceMeasure', true) };
  },
  IB(settings) {
    checkKnown('IB', settings, ['distribution', 'lambda', ...NORMALIZATION_SETTINGS]);
    const distribution = oneOf(['ll', 'spl'] as const, settings.get('distribution'), 'Distribution', false);
    const lambda = oneOf(['df', 'ttf'] as const, settings.get('lambda'), 'Lambda', false);
    return { type: 'IB', distribution, lambda, normalization: parseNormalization(settings) };
  },
  LMDirichlet(settings) {
    checkKnown('LMDirichlet', settings, ['mu']);
    return { type: 'LMDirichlet', mu: nonNegative(floatSetting(settings, 'mu', 2000), 'mu') };
  },
  LMJelinekMercer(settings) {
    checkKnown('LMJelinekMercer', settings, ['lambda']);
    const lambda = floatSetting(settings, 'lambda', 0.1);
    if (!(lambda > 0 && lambda <= 1)) throw illegalArgumentError('lambda must be in the range (0 .. 1]');
    return { type: 'LMJelinekMercer', lambda };
  },
  scripted(settings) {
    const script = scriptSetting(settings, 'script');
    if (script === null) throw illegalArgumentError('must specify either [source] for an inline script or [id] for a stored script');
    return { type: 'scripted', script, weightScript: scriptSetting(settings, 'weight_script') };
  },
};

export function isModelType(type: string): type is SimilarityModel['type'] {
  return Object.hasOwn(PARSERS, type);
}

/** @throws ApiError illegal_argument_exception, settings_exception (not a number) */
export function parseSimilarityModel(type: SimilarityModel['type'], settings: SimilaritySettings): SimilarityModel {
  return PARSERS[type](settings);
}

/** @throws ApiError illegal_argument_exception: a setting that the type does not have */
export function checkKnown(type: string, settings: SimilaritySettings, known: readonly string[]): void {
  const unknown = [...settings.keys()].filter((name) => name !== 'type' && !known.includes(name));
  if (unknown.length > 0) throw illegalArgumentError(`Unknown settings for similarity of type [${type}]: [${unknown.join(', ')}]`);
}

function oneOf<T extends string>(values: readonly T[], value: string | undefined, what: string, listsValues: boolean): T {
  const found = values.find((known) => known === value);
  if (found !== undefined) return found;
  throw illegalArgumentError(`Unsupported ${what} [${value ?? null}]${listsValues ? `, expected one of [${values.join(', ')}]` : ''}`);
}

/** A float32. @throws ApiError settings_exception */
function floatSetting(settings: SimilaritySettings, name: string, fallback: number): number {
  const text = settings.get(name);
  if (text === undefined) return Math.fround(fallback);
  const value = Number(text);
  if (text.trim() !== '' && !Number.isNaN(value)) return Math.fround(value);
  throw new ApiError('settings_exception', 500, `Failed to parse float setting [${name}] with value [${text}]`, {
    causedBy: new ApiError('number_format_exception', 400, `For input string: "${text}"`),
  });
}

function nonNegative(value: number, name: string): number {
  if (value >= 0 && Number.isFinite(value)) return value;
  throw illegalArgumentError(`illegal ${name} value: ${javaDouble(value)}, must be a non-negative finite value`);
}

function parseNormalization(settings: SimilaritySettings): Normalization {
  const kind = settings.get('normalization');
  switch (kind) {
    case 'no':
      return { kind, parameter: 0 };
    case 'h1':
    case 'h2':
      return { kind, parameter: nonNegative(floatSetting(settings, `normalization.${kind}.c`, 1), 'c') };
    case 'h3':
      return { kind, parameter: nonNegative(floatSetting(settings, 'normalization.h3.c', 800), 'mu') };
    case 'z': {
      const parameter = floatSetting(settings, 'normalization.z.z', 0.3);
      if (!(parameter > 0 && parameter < 0.5))
        throw illegalArgumentError(`illegal z value: ${settings.get('normalization.z.z')}, must be in the range (0 .. 0.5)`);
      return { kind, parameter };
    }
    default:
      throw illegalArgumentError(`Unsupported Normalization [${kind ?? null}]`);
  }
}

/** The script under a prefix, null if there is none. @throws ApiError illegal_argument_exception */
function scriptSetting(settings: SimilaritySettings, prefix: string): SimilarityScript | null {
  const source = settings.get(`${prefix}.source`);
  if (settings.has(`${prefix}.id`)) throw illegalArgumentError(`stored scripts are not supported in similarities: [${prefix}.id]`);
  if (source === undefined) return null;
  const lang = settings.get(`${prefix}.lang`) ?? 'painless';
  if (lang !== 'painless') throw illegalArgumentError(`script_lang not supported [${lang}]`);
  const start = `${prefix}.params.`;
  const params = [...settings].filter(([name]) => name.startsWith(start)).map(([name, value]) => [name.slice(start.length), value]);
  return { lang, source, params: Object.fromEntries(params) };
}
