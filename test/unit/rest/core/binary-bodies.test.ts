// Bodies in SMILE, CBOR and MessagePack: searches, and the documents of `_bulk` and `_msearch` one after another.
import { Packr } from 'msgpackr';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeCbor } from '../../../../src/common/json/cbor.ts';
import { decodeSmile } from '../../../../src/common/json/smile-reader.ts';
import { encodeSmile } from '../../../../src/common/json/smile-writer.ts';
import { openRestNode, type RestNode } from '../../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

const packr = new Packr({ useRecords: false });
const END = Buffer.of(0xff);
const LINES = [{ index: { _index: 'binary', _id: '1' } }, { n: 1 }, { delete: { _index: 'binary', _id: '2' } }];

const FORMATS: ReadonlyArray<readonly [name: string, type: string, body: Buffer]> = [
  ['SMILE', 'application/smile', Buffer.concat(LINES.flatMap((line) => [encodeSmile(line), END]))],
  ['CBOR', 'application/cbor', Buffer.concat(LINES.map(encodeCbor))],
  ['CBOR with 0xff between values', 'application/cbor', Buffer.concat(LINES.flatMap((line) => [encodeCbor(line), END]))],
  ['CBOR in byte strings', 'application/cbor', Buffer.concat(LINES.map((line) => withLength(0x58, encodeCbor(line))))],
  ['MessagePack', 'application/msgpack', Buffer.concat(LINES.map((line) => packr.pack(line)))],
  ['MessagePack in byte strings', 'application/msgpack', Buffer.concat(LINES.map((line) => withLength(0xc4, packr.pack(line))))],
];

function withLength(head: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.of(head, bytes.length), bytes]);
}

test.each(FORMATS)('_bulk in %s', async (_name, type, body) => {
  const headers = { 'content-type': type, accept: 'application/json' };
  const answer = await node.exchange('POST /_bulk?refresh=true', { headers, body });
  const { errors, items } = answer.json;
  expect(errors).toBe(false);
  expect(items.map((item: object) => Object.keys(item)[0])).toEqual(['index', 'delete']);
});

test('_search and _msearch in SMILE are answered in SMILE', async () => {
  const headers = { 'content-type': 'application/smile' };
  const body = { query: { match_all: {} } };
  const one = await node.exchange('POST /binary/_search', { headers, body: encodeSmile(body) });
  expect(one.headers['content-type']).toBe('application/smile');
  expect(decodeSmile(one.bytes)).toMatchObject({ hits: { hits: [{ _id: '1', _source: { n: 1 } }] } });
  const lines = Buffer.concat([encodeSmile({ index: 'binary' }), END, encodeSmile(body), END]);
  const several = await node.exchange('POST /_msearch', { headers, body: lines });
  expect(decodeSmile(several.bytes)).toMatchObject({ responses: [{ status: 200, hits: { total: { value: 1 } } }] });
});

test('bytes that are not SMILE are refused', async () => {
  const answer = await node.exchange('POST /binary/_search', { headers: { 'content-type': 'application/smile' }, body: Buffer.from('{}') });
  expect(answer.status).toBe(400);
});
