// Validates `index.similarity.NAME.*`. Similarities that would have no effect on scores are rejected.
import { ApiError } from '../errors/api-error.ts';
import { illegalArgumentError } from '../errors/catalog.ts';

type Flat = Readonly<Record<string, string | readonly string[] | null>>;

const PREFIX = 'index.similarity.';
/** Similarities of Elasticsearch that are not supported, or not with parameters. */
const OTHER_TYPES = new Set(['DFR', 'DFI', 'IB', 'LMDirichlet', 'LMJelinekMercer', 'scripted']);
const BM25_PARAMS: ReadonlySet<string> = new Set(['k1', 'b']);

/** @throws ApiError illegal_argument_exception */
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

function checkSimilarity(name: string, params: ReadonlyMap<string, string>): void {
  const type = params.get('type');
  if (type === undefined) throw illegalArgumentError(`Similarity [${name}] must have an associated type`);
  if (OTHER_TYPES.has(type)) throw illegalArgumentError(`Similarity type [${type}] of [${name}] is not supported`);
  if (type !== 'BM25' && type !== 'LegacyBM25' && type !== 'boolean')
    throw illegalArgumentError(`Unknown Similarity type [${type}] for [${name}]`);
  for (const [param, text] of params) {
    if (param === 'type' || param === 'discount_overlaps') continue;
    if (type === 'boolean' || !BM25_PARAMS.has(param))
      throw illegalArgumentError(`Unknown settings for similarity of type [${type}]: [${param}]`);
    const value = Number(text);
    if (Number.isNaN(value)) throw new ApiError('number_format_exception', 400, `For input string: "${text}"`);
    const shown = Number.isInteger(value) ? value.toFixed(1) : String(value);
    if (param === 'b' && !(value >= 0 && value <= 1)) throw illegalArgumentError(`illegal b value: ${shown}, must be between 0 and 1`);
    if (param === 'k1' && !(value >= 0 && Number.isFinite(value)))
      throw illegalArgumentError(`illegal k1 value: ${shown}, must be a non-negative finite value`);
  }
  if (params.get('discount_overlaps') === 'false')
    throw illegalArgumentError(`Similarity [${name}]: [discount_overlaps: false] is not supported`);
}
