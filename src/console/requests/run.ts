// Runs a request of a sheet. Browsers send no body with GET: such a request is sent as POST if the API accepts it, otherwise with
// `?source=`.
import { loadCatalog } from '../catalog.ts';
import { type Answer, send } from '../service.ts';
import { type Body, readBody, type SheetRequest } from './sheet.ts';
import { apiOfPath } from './suggestions.ts';

/** A request that was sent, and its response. */
export interface Run {
  readonly request: SheetRequest;
  readonly body: Body;
  /** null if the service cannot be reached. */
  readonly answer: Answer | null;
  /** Why there is no response. */
  readonly failure: string | null;
  readonly at: number;
}

export async function runRequest(sheet: string, request: SheetRequest, signal: AbortSignal): Promise<Run> {
  const body = readBody(sheet, request.bodyFrom, Math.max(request.to, request.bodyFrom));
  const done = (answer: Answer | null, failure: string | null): Run => ({ request, body, answer, failure, at: Date.now() });
  try {
    const { method, path, text } = await sendable(request, body);
    return done(await send(method, path, text, { signal, contentType: body.isNdjson ? 'application/x-ndjson' : 'application/json' }), null);
  } catch (error) {
    return done(null, signal.aborted ? 'The request was stopped.' : `The service does not respond: ${(error as Error).message}`);
  }
}

async function sendable(
  { method, path }: SheetRequest,
  { text, isNdjson }: Body,
): Promise<{ method: string; path: string; text?: string }> {
  if (text === '') return { method, path };
  // The last line of NDJSON must end with a line feed, too.
  const sent = isNdjson && !text.endsWith('\n') ? `${text}\n` : text;
  if (method !== 'GET' && method !== 'HEAD') return { method, path, text: sent };
  const catalog = await loadCatalog();
  if (method === 'GET' && apiOfPath(catalog, 'POST', path)?.name === apiOfPath(catalog, 'GET', path)?.name)
    return { method: 'POST', path, text: sent };
  const type = isNdjson ? 'application/x-ndjson' : 'application/json';
  return {
    method,
    path: `${path}${path.includes('?') ? '&' : '?'}source=${encodeURIComponent(sent)}&source_content_type=${encodeURIComponent(type)}`,
  };
}
