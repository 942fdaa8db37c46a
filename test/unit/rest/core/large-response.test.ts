// Large responses that are rendered in slices: the same bytes as those of small ones.
import { gunzipSync } from 'node:zlib';
import { unpack } from 'msgpackr';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { decodeCbor } from '../../../../src/common/json/cbor.ts';
import { parseFilterPath } from '../../../../src/common/json/filter-path.ts';
import { JsonPrinter, prettyJson, writeJson } from '../../../../src/common/json/json-write.ts';
import { mediaTypeOfFormat } from '../../../../src/common/json/media-type.ts';
import { RawJson } from '../../../../src/common/json/raw-json.ts';
import type { HttpReply } from '../../../../src/http/listener.ts';
import { compressPieces, isLargeValue, renderInSlices, sendInPieces } from '../../../../src/rest/core/large-response.ts';
import { type RenderOptions, renderBody } from '../../../../src/rest/core/response.ts';

const ITEM = { _id: 'a"b\\c', score: 1.5, none: null, gone: undefined, list: [], empty: {}, ok: true, raw: new RawJson('{"x":[1,"é𝄞"]}') };
const LONG = `${'x'.repeat(65_535)}𝄞"\\\n${'é'.repeat(300_000)}`;
const BODY = {
  took: 3,
  items: Array.from({ length: 20_000 }, (_, i) => ({ index: { ...ITEM, i } })),
  hits: { [`key "${LONG.slice(0, 5)}`]: LONG, source: new RawJson(JSON.stringify({ [LONG]: [LONG] })), absent: undefined },
};

function options(format: string, isPretty = false, filterPath = ''): RenderOptions {
  const type = mediaTypeOfFormat(format);
  if (!type) throw new Error(format);
  return { type, isPretty, filter: filterPath === '' ? null : parseFilterPath(filterPath) };
}

async function sliced(body: unknown, how: RenderOptions): Promise<Buffer> {
  return Buffer.concat(await renderInSlices(body, how));
}

test('only large values are rendered in slices', () => {
  expect(isLargeValue(BODY)).toBe(true);
  expect(isLargeValue({ items: BODY.items.slice(0, 100) })).toBe(false);
  expect(isLargeValue('x'.repeat(10_000_000))).toBe(true);
});

test.each([
  ['as compact JSON', options('json')],
  ['as pretty JSON', options('json', true)],
  ['with a filter', options('json', false, 'items.*.raw.x,hits')],
  ['without what a filter excludes', options('json', true, '-items.*.raw,-hits.source')],
  ['with a filter that leaves nothing', options('json', false, 'nothing')],
])('a body %s has the same bytes', async (_, how) => {
  expect((await sliced(BODY, how)).equals(Buffer.from(renderBody(BODY, how)))).toBe(true);
});

test('binary formats and YAML contain the same values', async () => {
  const plain = JSON.parse(writeJson(BODY));
  expect(decodeCbor(await sliced(BODY, options('cbor')))).toEqual(plain);
  expect(unpack(await sliced(BODY, options('msgpack')))).toEqual(plain);
  const small = { items: BODY.items.slice(0, 3), text: LONG.slice(0, 70_000) };
  const yaml = (await sliced(small, options('yaml'))).toString();
  expect(yaml.startsWith('---\n')).toBe(true);
  expect(parse(yaml)).toEqual(JSON.parse(writeJson(small)));
});

test('JSON is printed alike wherever its pieces are divided', () => {
  const text = writeJson({ a: ['\\"', '{"', { b: {} }, [], [[]], 'x\\\\'], c: ITEM });
  for (let at = 0; at <= text.length; at++) {
    const printer = new JsonPrinter();
    expect(`${printer.push(text.slice(0, at))}${printer.push(text.slice(at))}\n`).toBe(prettyJson(text));
  }
});

test('pieces are sent as the client takes them, and compressed as one body', async () => {
  const pieces = [Buffer.alloc(600_000, 'a'), Buffer.alloc(10, 'b')];
  const written: Buffer[] = [];
  let waits = 0;
  let length: number | undefined;
  let hasEnded = false;
  const reply: HttpReply = {
    aborted: false,
    sent: false,
    send: () => undefined,
    onAbort: () => undefined,
    stream: (_status, _headers, bytes) => {
      length = bytes;
      return {
        write: (chunk) => written.push(Buffer.from(chunk as Uint8Array)) % 2 === 0,
        drained: async () => {
          waits++;
        },
        end: () => {
          hasEnded = true;
        },
      };
    },
  };
  await sendInPieces(reply, 200, {}, pieces);
  expect(Buffer.concat(written).equals(Buffer.concat(pieces))).toBe(true);
  expect([length, hasEnded, waits > 0]).toEqual([600_010, true, true]);
  expect(gunzipSync(Buffer.concat(await compressPieces(pieces))).equals(Buffer.concat(pieces))).toBe(true);
});
