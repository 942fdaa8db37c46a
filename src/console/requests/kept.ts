// The sheet and the history of the requests page, kept in browser storage.
import { isString, keptCell } from '../cell.ts';

const FIRST_SHEET = `# Ctrl-Enter runs the request at the cursor, Ctrl-Space shows what may follow,
# Alt-Up and Alt-Down go to other requests; Esc, then Tab, leaves the editor.
GET /

GET _cat/indices?v

GET _search
{
  "query": {
    "match_all": {}
  }
}
`;

export const sheetText = keptCell('sheet', FIRST_SHEET, isString);

export interface HistoryEntry {
  readonly method: string;
  readonly path: string;
  /** As in the sheet. */
  readonly body: string;
  readonly at: number;
  /** 0 without a response. */
  readonly status: number;
  readonly ms: number;
}

const MAX_ENTRIES = 200;
const MAX_BODY_CHARS = 20_000;

const isHistory = (value: unknown): value is readonly HistoryEntry[] =>
  Array.isArray(value) &&
  value.every((entry) => typeof entry?.method === 'string' && typeof entry.path === 'string' && typeof entry.body === 'string');

export const runHistory = keptCell<readonly HistoryEntry[]>('history', [], isHistory);

/** Adds a request to the front of the history; a repeated request is listed once. */
export function remember(entry: HistoryEntry): void {
  if (entry.body.length > MAX_BODY_CHARS) return;
  const others = runHistory.value.filter(({ method, path, body }) => method !== entry.method || path !== entry.path || body !== entry.body);
  runHistory.set([entry, ...others].slice(0, MAX_ENTRIES));
}
