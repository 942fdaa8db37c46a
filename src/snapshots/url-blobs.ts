// Blobs below a URL, read only: repositories of type `url`. `file:` reads a folder in path.repo; `http:` and `https:` read files that
// another server publishes, for instance the folder of an fs repository, if the setting `repositories.url.allowed_urls` permits the
// address.
import { matchesPattern } from '../common/text/wildcard.ts';
import type { BlobStore, ListedBlob } from './blob-store.ts';
import { repositoryError } from './repository-errors.ts';
import type { RepositoryConfig } from './snapshot-types.ts';

/** A response is abandoned if nothing of it arrives for this long. */
const IDLE_MS = 30_000;
/** Largest blob that is read as a whole: lists, manifests and blobs of documents, of which one may exceed http.max_content_length. */
const MAX_READ_BYTES = 2 ** 30;

export class UrlBlobs implements BlobStore {
  readonly location: string;
  readonly canList = false;

  constructor(url: URL) {
    this.location = url.href.endsWith('/') ? url.href : `${url.href}/`;
  }

  async read(name: string): Promise<Buffer | null> {
    const { response, parts } = await this.#get(name);
    if (response.status === 404) return null;
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const part of parts) {
      bytes += part.length;
      if (bytes > MAX_READ_BYTES) throw new Error(`[${name}] is larger than ${MAX_READ_BYTES} bytes`);
      chunks.push(part);
    }
    return Buffer.concat(chunks);
  }

  async *stream(name: string): AsyncIterable<Uint8Array> {
    const { response, parts } = await this.#get(name);
    if (response.status === 404) throw new Error(`[${name}] is missing`);
    yield* parts;
  }

  async #get(name: string): Promise<{ response: Response; parts: AsyncIterable<Uint8Array> }> {
    const controller = new AbortController();
    let timer = setTimeout(() => controller.abort(), IDLE_MS);
    // A redirect could lead to an address that is not allowed.
    const response = await fetch(this.location + name, { signal: controller.signal, redirect: 'error' }).catch((error) => {
      clearTimeout(timer);
      throw error;
    });
    if (!response.ok) {
      clearTimeout(timer);
      await response.body?.cancel();
      if (response.status !== 404) throw new Error(`GET ${this.location}${name}: status ${response.status}`);
    }
    const body = response.ok ? response.body : null;
    const parts = async function* (): AsyncGenerator<Uint8Array> {
      try {
        for await (const part of body ?? []) {
          clearTimeout(timer);
          timer = setTimeout(() => controller.abort(), IDLE_MS);
          yield part;
        }
      } finally {
        clearTimeout(timer);
      }
    };
    return { response, parts: parts() };
  }

  putHashed(): never {
    throw readOnlyError();
  }

  create(): never {
    throw readOnlyError();
  }

  replace(): never {
    throw readOnlyError();
  }

  list(): AsyncIterable<ListedBlob> {
    throw new Error('a repository of type url cannot be listed');
  }

  remove(): never {
    throw readOnlyError();
  }

  close(): void {}
}

function readOnlyError(): Error {
  return new Error('a repository of type url is read only');
}

/** @throws ApiError repository_exception: not a URL, or one that is not allowed */
export function checkedUrl({ name, settings }: RepositoryConfig, allowed: readonly string[]): URL {
  const { url: text } = settings;
  if (text === undefined || text === '') throw repositoryError(name, 'missing url');
  if (!URL.canParse(text)) throw repositoryError(name, `[${text}] is not a URL`);
  const url = new URL(text);
  if (!['http:', 'https:', 'file:'].includes(url.protocol))
    throw repositoryError(name, `unsupported url protocol [${url.protocol.slice(0, -1)}] from URL [${text}]`);
  if (url.protocol === 'file:') return url;
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw repositoryError(name, 'the url must not contain credentials, a query or a fragment');
  if (!allowed.some((pattern) => isAllowed(pattern, url)))
    throw repositoryError(
      name,
      `file url [${text}] doesn't match any of the locations specified by path.repo or repositories.url.allowed_urls`,
    );
  return url;
}

/** A pattern's `*` stands for any characters of one part: the host, or the path; it never reaches from one into the other. */
function isAllowed(pattern: string, url: URL): boolean {
  const match = /^(https?):\/\/([^/]+)(\/.*)?$/i.exec(pattern);
  if (!match) return false;
  const [, scheme, host, path = '/*'] = match;
  return `${scheme.toLowerCase()}:` === url.protocol && matchesPattern(host.toLowerCase(), url.host) && matchesPattern(path, url.pathname);
}
