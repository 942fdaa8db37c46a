// `index.mode: time_series`: its internal fields, and the fields that decide the shard of a document. Part of each start, so it imports nothing;
// bounds and checks are in time-bounds.ts.

type Settings = Readonly<Record<string, unknown>>;

/** Column with the identity of the series of each document. */
export const TSID = '_tsid';
/** Column with the dimensions of the series of each document as JSON. */
export const DIMENSIONS = '_tsid._dimensions';
export const TIMESTAMP = '@timestamp';
export const ROUTING_PATH = 'index.routing_path';

export function isTimeSeries(settings: Settings): boolean {
  return String(settings['index.mode'] ?? '').toLowerCase() === 'time_series';
}

/** Patterns of the fields that decide the shard of a document. */
export function routingPathOf(settings: Settings): readonly string[] {
  const value = settings[ROUTING_PATH];
  if (value === undefined || value === null) return [];
  return (Array.isArray(value) ? value.map(String) : String(value).split(',')).map((path) => path.trim()).filter((path) => path !== '');
}
