// Limits on the lists of a search body whose entries cost work for every hit. Far above what clients send; Elasticsearch has no limits of its own
// for these. Counted before the entries are parsed.
import { illegalArgumentError } from '../../errors/catalog.ts';

const MOST: Readonly<Record<string, number>> = {
  sort: 256,
  search_after: 256,
  fields: 5000,
  docvalue_fields: 5000,
  stored_fields: 5000,
  script_fields: 5000,
  highlight: 1000,
  rescore: 100,
  suggest: 1000,
  inner_hits: 100,
  indices_boost: 5000,
};

/** @param value  a list, or an object with an entry for each member @throws ApiError illegal_argument_exception */
export function checkListLimit(name: string, value: unknown): void {
  const most = Object.hasOwn(MOST, name) ? MOST[name] : Number.POSITIVE_INFINITY;
  if (typeof value !== 'object' || value === null) return;
  const count = Array.isArray(value) ? value.length : Object.keys(value).length;
  if (count > most) throw illegalArgumentError(`[${name}] may have at most [${most}] entries, got [${count}]`);
}
