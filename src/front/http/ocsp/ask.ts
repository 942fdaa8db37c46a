// Queries an OCSP responder over plain HTTP (RFC 6960 appendix A): one GET per certificate, with the request in the path.
import { connect } from 'node:net';
import type { NameService } from '../model/resolver.ts';
import type { Responder } from '../tls/ocsp-responder.ts';
import { resolverFor } from '../upstream/peers/resolver.ts';
import { HttpResponseParser } from '../upstream/protocol/http-response.ts';
import { OcspError } from './ocsp-error.ts';

const TIMEOUT_MS = 60_000;
const MAX_HEADER = 8192;
const MAX_RESPONSE = 256 * 1024;

/**
 * Sends a request. Host names from certificates are resolved by `names`: the system's resolver would block on untrusted names.
 * @returns the response in DER @throws OcspError
 */
export async function askResponder(responder: Responder, request: Buffer, names: NameService): Promise<Buffer> {
  const host = await addressOf(responder, names);
  const path = `${responder.path}/${encodeURIComponent(request.toString('base64'))}`;
  const name = responder.host.includes(':') ? `[${responder.host}]` : responder.host;
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: responder.port });
    const parts: Buffer[] = [];
    let bytes = 0;
    let problem = '';
    const timer = setTimeout(() => fail('OCSP responder timed out'), TIMEOUT_MS);
    const fail = (message: string): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(new OcspError(message));
    };
    const done = (): void => {
      if (problem) {
        fail(problem);
        return;
      }
      clearTimeout(timer);
      socket.destroy();
      resolve(Buffer.concat(parts));
    };
    const parser = new HttpResponseParser(
      {
        head: (head) => {
          const type = head.fields.find((f) => f.lname === 'content-type')?.value ?? '';
          if (head.status !== 200) problem = `OCSP responder sent status ${head.status}`;
          else if (type.toLowerCase() !== 'application/ocsp-response')
            problem = `OCSP responder sent invalid "Content-Type" header: "${type}"`;
        },
        body: (data) => {
          bytes += data.length;
          if (bytes > MAX_RESPONSE) problem ||= 'OCSP responder sent too large a response';
          else parts.push(Buffer.from(data));
        },
        trailers: () => {},
        complete: done,
      },
      false,
      MAX_HEADER,
    );
    socket.on('connect', () => socket.write(`GET ${path} HTTP/1.0\r\nHost: ${name}\r\n\r\n`));
    socket.on('error', (error) => fail(`OCSP responder failed: ${error.message}`));
    socket.on('data', (data) => {
      try {
        parser.feed(data);
      } catch (error) {
        fail(`OCSP responder sent an invalid response: ${(error as Error).message}`);
        return;
      }
      if (problem) fail(problem);
    });
    socket.on('end', () => (parser.end() ? done() : fail('OCSP responder prematurely closed connection')));
  });
}

async function addressOf(responder: Responder, { resolver, resolver_timeout }: NameService): Promise<string> {
  const { host } = responder;
  if (responder.configured || /^[\d.]+$/.test(host) || host.includes(':')) return host;
  if (!resolver) throw new OcspError(`no resolver defined to resolve ${host}`);
  try {
    return (await resolverFor(resolver).resolve(host, resolver_timeout)).addresses[0];
  } catch (error) {
    throw new OcspError((error as Error).message);
  }
}
