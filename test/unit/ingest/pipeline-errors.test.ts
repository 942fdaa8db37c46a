// Errors of pipelines: those of all processors of a definition, and the causes of failures.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openRestNode, type RestNode } from '../../support/rest-node.ts';

let node: RestNode;
beforeAll(async () => {
  node = await openRestNode();
});
afterAll(() => node.close());

const failureOf = async (processor: object, source: object) => {
  const body = { pipeline: { processors: [processor] }, docs: [{ _source: source }] };
  return (await node.ok('POST /_ingest/pipeline/_simulate', body)).docs[0].error;
};

test('the error of the first processor lists those of the others', async () => {
  const processors = [{ set: { field: 'a' } }, { lowercase: { field: 'a' } }, { gsub: { field: 'a' } }, { nothing: {} }];
  const { status, json } = await node.send('PUT /_ingest/pipeline/p', { processors });
  expect(status).toBe(400);
  const wanted = {
    type: 'parse_exception',
    reason: '[value] required property is missing',
    property_name: 'value',
    processor_type: 'set',
    suppressed: [
      { type: 'parse_exception', reason: '[pattern] required property is missing', property_name: 'pattern', processor_type: 'gsub' },
      { type: 'parse_exception', reason: 'No processor type exists with name [nothing]', processor_type: 'nothing' },
    ],
  };
  expect(json.error).toEqual({ root_cause: [wanted], ...wanted });
  expect((await node.send('PUT /_ingest/pipeline/p', { processors: [processors[0]] })).json.error.suppressed).toBeUndefined();
});

test('foreach has exactly one processor', async () => {
  const processors = [{ foreach: { field: 'a', processor: {} } }];
  expect((await node.send('PUT /_ingest/pipeline/p', { processors })).json.error).toMatchObject({
    reason: '[processor] Must specify exactly one processor type',
    property_name: 'processor',
    processor_type: 'foreach',
  });
});

test.each([
  ['integer', 'x', 'For input string: "x"'],
  ['integer', '', 'For input string: ""'],
  ['integer', '99999999999', 'For input string: "99999999999"'],
  ['integer', '0xFFFFFFFFFF', 'For input string: "FFFFFFFFFF" under radix 16'],
  ['double', 'x', 'For input string: "x"'],
  ['double', '', 'empty String'],
])('convert to %s of %j says what is no number', async (type, value, reason) => {
  expect(await failureOf({ convert: { field: 'a', type } }, { a: value })).toMatchObject({
    reason: `unable to convert [${value}] to ${type}`,
    caused_by: { type: 'number_format_exception', reason },
  });
});

test('objects cannot be sorted', async () => {
  expect((await failureOf({ sort: { field: 'a' } }, { a: [{ b: 1 }, { c: 2 }] })).reason).toContain(
    'class java.util.HashMap cannot be cast to class java.lang.Comparable (java.util.HashMap and java.lang.Comparable are in module',
  );
});
