// A small S3 server in this process for tests of repositories of type s3: one bucket in memory, pages of three entries, and faults on request. It
// checks the signed hash of each body, as real servers do, but no signatures.
import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const PAGE = 3;

/** What to do instead of answering a request: a status, or `cut`: half of the body, then a broken connection. */
export type Fault = number | 'cut' | null;

export class S3Server {
  readonly objects = new Map<string, Buffer>();
  readonly uploads = new Map<string, { key: string; parts: Map<number, Buffer> }>();
  /** `METHOD key?query` of each request. */
  readonly requests: string[] = [];
  /** Consulted for each request. */
  fault: (request: string) => Fault = () => null;
  /** False: If-None-Match is not implemented (status 501). */
  knowsConditions = true;
  readonly #server: Server;
  readonly #bucket: string;

  private constructor(bucket: string) {
    this.#bucket = bucket;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error) => response.destroy(error));
    });
  }

  static async start(bucket: string): Promise<S3Server> {
    const server = new S3Server(bucket);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://host');
    const [, bucket, ...rest] = decodeURIComponent(url.pathname).split('/');
    const key = rest.join('/');
    const query = url.searchParams;
    query.delete('x-id');
    const name = `${request.method} ${key}${query.size > 0 ? `?${query}` : ''}`;
    this.requests.push(name);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const fault = this.fault(name);
    if (typeof fault === 'number') return sendError(response, fault, fault === 503 ? 'SlowDown' : 'Fault');
    const signed = request.headers['x-amz-content-sha256'];
    if (body.length > 0 && signed !== createHash('sha256').update(body).digest('hex'))
      return sendError(response, 400, 'XAmzContentSHA256Mismatch');
    if (bucket !== this.#bucket) return sendError(response, 404, 'NoSuchBucket');
    if (key === '') return this.#bucketRequest(request.method ?? '', query, body, response);
    if (query.has('uploads') || query.has('uploadId')) return this.#uploadRequest(request.method ?? '', key, query, body, response);
    return this.#objectRequest(request, key, body, response, fault === 'cut');
  }

  #bucketRequest(method: string, query: URLSearchParams, body: Buffer, response: ServerResponse): void {
    if (method === 'POST' && query.has('delete')) {
      for (const [, key] of body.toString().matchAll(/<Key>([^<]*)<\/Key>/g)) this.objects.delete(key);
      return sendXml(response, '<DeleteResult/>');
    }
    const prefix = query.get('prefix') ?? '';
    if (query.has('uploads')) {
      const open = [...this.uploads].filter(([, { key }]) => key.startsWith(prefix)).sort();
      const start = open.findIndex(([id]) => id > (query.get('upload-id-marker') ?? ''));
      const page = start < 0 ? [] : open.slice(start, start + PAGE);
      const isLast = start < 0 || start + PAGE >= open.length;
      const items = page.map(([id, { key }]) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId></Upload>`).join('');
      const next = isLast
        ? ''
        : `<NextKeyMarker>${page.at(-1)?.[1].key}</NextKeyMarker><NextUploadIdMarker>${page.at(-1)?.[0]}</NextUploadIdMarker>`;
      const result = `<IsTruncated>${!isLast}</IsTruncated>${items}${next}`;
      return sendXml(response, `<ListMultipartUploadsResult>${result}</ListMultipartUploadsResult>`);
    }
    const delimiter = query.get('delimiter');
    const keys = [...this.objects.keys()]
      .filter((key) => key.startsWith(prefix) && (delimiter === null || !key.slice(prefix.length).includes(delimiter)))
      .sort()
      .filter((key) => key > (query.get('continuation-token') ?? ''));
    const page = keys.slice(0, PAGE);
    const isLast = page.length === keys.length;
    const items = page.map((key) => `<Contents><Key>${key}</Key><Size>${this.objects.get(key)?.length}</Size></Contents>`).join('');
    const next = isLast ? '' : `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>`;
    sendXml(response, `<ListBucketResult><IsTruncated>${!isLast}</IsTruncated>${items}${next}</ListBucketResult>`);
  }

  #uploadRequest(method: string, key: string, query: URLSearchParams, body: Buffer, response: ServerResponse): void {
    if (method === 'POST' && query.has('uploads')) {
      const id = randomUUID();
      this.uploads.set(id, { key, parts: new Map() });
      return sendXml(response, `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
    }
    const id = query.get('uploadId') ?? '';
    const upload = this.uploads.get(id);
    if (upload === undefined) return sendError(response, 404, 'NoSuchUpload');
    if (method === 'PUT') {
      upload.parts.set(Number(query.get('partNumber')), body);
      response.setHeader('ETag', tagOf(body));
      response.end();
      return;
    }
    this.uploads.delete(id);
    if (method === 'DELETE') {
      response.statusCode = 204;
      response.end();
      return;
    }
    const named = [...body.toString().matchAll(/<ETag>(?:&quot;|")?(\w+)[^<]*<\/ETag><PartNumber>(\d+)<|<PartNumber>(\d+)<\/PartNumber>/g)];
    const parts = named.map((match) => upload.parts.get(Number(match[2] ?? match[3])) ?? Buffer.alloc(0));
    this.objects.set(key, Buffer.concat(parts));
    sendXml(response, '<CompleteMultipartUploadResult/>');
  }

  #objectRequest(request: IncomingMessage, key: string, body: Buffer, response: ServerResponse, isCut: boolean): void {
    const object = this.objects.get(key);
    if (request.method === 'PUT') {
      const condition = request.headers['if-none-match'];
      if (condition !== undefined && !this.knowsConditions) return sendError(response, 501, 'NotImplemented');
      if (condition === '*' && object !== undefined) return sendError(response, 412, 'PreconditionFailed');
      this.objects.set(key, body);
      response.setHeader('ETag', tagOf(body));
      response.end();
      return;
    }
    if (request.method === 'DELETE') {
      this.objects.delete(key);
      response.statusCode = 204;
      response.end();
      return;
    }
    if (object === undefined) return sendError(response, 404, 'NoSuchKey');
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const sent = object.subarray(start);
    response.writeHead(start > 0 ? 206 : 200, { 'Content-Length': sent.length, ETag: tagOf(object) });
    if (request.method === 'HEAD') response.end();
    else if (isCut) response.write(sent.subarray(0, sent.length >> 1), () => response.destroy());
    else response.end(sent);
  }
}

function tagOf(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`;
}

function sendXml(response: ServerResponse, xml: string): void {
  response.setHeader('Content-Type', 'application/xml');
  response.end(`<?xml version="1.0" encoding="UTF-8"?>\n${xml}`);
}

function sendError(response: ServerResponse, status: number, code: string): void {
  response.statusCode = status;
  sendXml(response, `<Error><Code>${code}</Code><Message>${code} of the test</Message></Error>`);
}
