// Maps URIs to paths of files. Paths are latin1 strings, which `fsPath` converts for node:fs.
import path from 'node:path';
import type { Request } from '../model/types.ts';

/** Document root of a request (`$document_root`). */
export function documentRoot(r: Request): string {
  const root = r.loc.docRoot;
  if (!root) return path.join(r.http.paths.prefix, 'html');
  if (root.value.constant !== null) return root.value.constant;
  const text = root.value.eval(r);
  return text.startsWith('/') ? text : path.join(r.http.paths.prefix, text);
}

/** Path of the request's URI, or of `uri` in the same location. */
export function mapUri(r: Request, uri = r.uri): string {
  const root = documentRoot(r);
  const alias = r.loc.docRoot?.alias;
  if (!alias) return root + uri;
  if (alias.nameLength < 0) return r.addUriToAlias ? root + uri : root;
  return root + uri.slice(alias.nameLength);
}
