// Validates `index.similarity.NAME.*`. Similarities that would have no effect on scores are rejected.
import { javaDouble } from '../../common/text/java-text.ts';
import { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import { checkKnown, isModelType, parseSimilarityModel, type SimilaritySettings } from '../../mapping/core/similarity-model.ts';

type Flat = Readonly<Record<string, string | readonly string[] | null>>;

const PREFIX = 'index.similarity.';
/** Reserved names of definitions: those of the types. */
const RESERVED: ReadonlySet<string> = new Set(['BM25', 'boolean', 'DFR', 'DFI', 'IB', 'LMDirichlet', 'LMJelinekMercer', 'scripted']);

/** @throws ApiError illegal_argument_exception, settings_exception */
export function checkSimilarities(settings: Flat): void {
  const groups = new Map<string, Map<string, string>>();
  for (const [key, value] of Object.entries(settings)) {
    if (!key.startsWith(PREFIX) || value === null) continue;
    const [name, ...rest] = key.slice(PREFIX.length).split('.');
    const group = groups.get(name) ?? new Map<string, string>();
    group.set(rest.join('.'), String(value));
    groups.set(name, group);
  }
  for (const [name, group] of groups) checkSimilarity(name, group);
}

function checkSimilarity(name: string, settings: SimilaritySettings): void {
  if (RESERVED.has(name)) throw illegalArgumentError(`illegal value for [${PREFIX}${name}] cannot redefine built-in similarity`);
  const type = settings.get('type');
  if (type === undefined) throw illegalArgumentError(`Similarity [${name}] must have an associated type`);
  if (isModelType(type)) {
    parseSimilarityModel(type, settings);
    if (settings.get('discount_overlaps') === 'false') throw overlapsError(name);
    return;
  }
  if (type === 'boolean') checkKnown(type, settings, []);
  else if (type === 'BM25' || type === 'LegacyBM25') checkBm25(name, type, settings);
  else throw illegalArgumentError(`Unknown Similarity type [${type}] for [${name}]`);
}

function checkBm25(name: string, type: string, settings: SimilaritySettings): void {
  checkKnown(type, settings, ['k1', 'b', 'discount_overlaps']);
  for (const param of ['k1', 'b']) {
    const text = settings.get(param);
    if (text === undefined) continue;
    const value = Number(text);
    if (Number.isNaN(value)) throw new ApiError('number_format_exception', 400, `For input string: "${text}"`);
    if (param === 'b' && !(value >= 0 && value <= 1))
      throw illegalArgumentError(`illegal b value: ${javaDouble(value)}, must be between 0 and 1`);
    if (param === 'k1' && !(value >= 0 && Number.isFinite(value)))
      throw illegalArgumentError(`illegal k1 value: ${javaDouble(value)}, must be a non-negative finite value`);
  }
  const overlaps = settings.get('discount_overlaps');
  if (overlaps === 'false') throw overlapsError(name);
  if (overlaps !== undefined && overlaps !== 'true')
    throw illegalArgumentError(`Failed to parse value [${overlaps}] as only [true] or [false] are allowed.`);
}

function overlapsError(name: string): ApiError {
  return illegalArgumentError(`Similarity [${name}]: [discount_overlaps: false] is not supported`);
}
