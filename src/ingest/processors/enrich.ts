// The enrich processor: adds fields of documents in other indices, as a policy has collected them.
import type { ApiError } from '../../errors/api-error.ts';
import { illegalArgumentError } from '../../errors/catalog.ts';
import type { ProcessorFactory } from './processor.ts';

const MAX_MATCHES = 128;
const RELATIONS = ['INTERSECTS', 'DISJOINT', 'WITHIN', 'CONTAINS'];

export function notExecutedError(policy: string): ApiError {
  return illegalArgumentError(`no enrich index exists for policy with name [${policy}]`);
}

export const enrichProcessor: ProcessorFactory = (config) => {
  const policy = config.text('policy_name');
  const field = config.template('field');
  const target = config.template('target_field');
  const ignoreMissing = config.boolean('ignore_missing');
  const overrides = config.boolean('override', true);
  const maxMatches = Number(config.textOrNumber('max_matches') ?? 1);
  if (!Number.isInteger(maxMatches) || maxMatches < 1 || maxMatches > MAX_MATCHES)
    throw config.error('max_matches', `should be between 1 and ${MAX_MATCHES}`);
  const relation = config.text('shape_relation', 'INTERSECTS').toUpperCase();
  if (!RELATIONS.includes(relation))
    throw config.error('shape_relation', `unknown relation [${relation}], use one of [${RELATIONS.join(', ')}]`);
  return (document) => {
    const path = document.render(field);
    if (ignoreMissing && !document.has(path)) return;
    const value = document.get(path);
    if (value === null) {
      if (ignoreMissing) return;
      throw illegalArgumentError(`field [${path}] is null, cannot be used for enrichment`);
    }
    const place = document.render(target);
    if (!overrides && document.has(place) && document.get(place) !== null) return;
    const matches = document.env.enrich(policy, value, { maxMatches, relation });
    if (matches === null) throw notExecutedError(policy);
    if (matches.length > 0) document.set(place, maxMatches === 1 ? matches[0] : matches);
  };
};
