// Why the response to a search cannot be reused for a request with the same text: it depends on more than the text and the shards. The parsers
// report each reason as they find it; a search with any reason is parsed and run again every time.

export type UncacheableReason =
  /** Date math relative to the current time, or a decay function whose origin defaults to it. */
  | 'now'
  /** `random_score` without a seed. */
  | 'random_score'
  /** A script that is stored under an id and may be replaced. */
  | 'stored_script'
  /** Values are read from a document that another request may change: terms lookup, indexed shape, like a document. */
  | 'document_lookup';

export type ReportUncacheable = (reason: UncacheableReason) => void;

/** `now` as a word of its own: `now-1d/d`, `[now TO *]`, `<logs-{now/d}>`. A false match only costs a cache entry. */
const NOW = /\bnow\b/;

/** True if a query string or a date may refer to the current time. */
export function mentionsNow(value: string): boolean {
  return NOW.test(value);
}

/**
 * Reports what can be seen without knowing the part of the request: dates relative to now (which strings are dates depends on the mapping) and
 * stored scripts (which queries, sorts, aggregations, script fields and runtime fields may contain).
 * @param json  a parsed request body or a part of it
 */
export function reportUncacheableValues(json: unknown, report: ReportUncacheable): void {
  if (typeof json === 'string') {
    if (mentionsNow(json)) report('now');
    return;
  }
  if (typeof json !== 'object' || json === null) return;
  if (Array.isArray(json)) {
    for (const item of json) reportUncacheableValues(item, report);
    return;
  }
  for (const [key, value] of Object.entries(json)) {
    if (mentionsNow(key)) report('now');
    if (key.endsWith('script') && isStoredScript(value)) report('stored_script');
    reportUncacheableValues(value, report);
  }
}

function isStoredScript(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('id' in value || 'stored' in value);
}
