// Headers of W3C Trace Context. Expected values follow the recommendation's rules for receivers.
import { expect, test } from 'vitest';
import { checkedTracestate, formatTraceparent, parseTraceparent } from '../../../../src/common/tracing/trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test('a traceparent names a trace, a span and whether it is sampled', () => {
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: true });
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-00`)?.isSampled).toBe(false);
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-02`)?.isSampled).toBe(false);
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-ff`)?.isSampled).toBe(true);
});

test('later versions may have further parts, version 00 may not', () => {
  expect(parseTraceparent(`cc-${TRACE}-${SPAN}-01-what-the-future-brings`)?.traceId).toBe(TRACE);
  expect(parseTraceparent(`cc-${TRACE}-${SPAN}-01`)?.traceId).toBe(TRACE);
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-01-more`)).toBeNull();
  expect(parseTraceparent(`cc-${TRACE}-${SPAN}-01.more`)).toBeNull();
});

test.each([
  undefined,
  '',
  `ff-${TRACE}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE.slice(1)}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-1`,
  ` 00-${TRACE}-${SPAN}-01`,
  `cc-${TRACE}-${SPAN}-01-${'x'.repeat(1000)}`,
])('a malformed traceparent is ignored: %s', (header) => {
  expect(parseTraceparent(header)).toBeNull();
});

test('a context is written as it is read', () => {
  for (const header of [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-00`]) {
    const context = parseTraceparent(header);
    expect(context && formatTraceparent(context)).toBe(header);
  }
});

test('a tracestate is passed on unless it is too long or not printable', () => {
  expect(checkedTracestate('congo=t61rcWkgMzE,rojo=00f067aa0ba902b7')).toBe('congo=t61rcWkgMzE,rojo=00f067aa0ba902b7');
  expect(checkedTracestate('a=\u0007')).toBeUndefined();
  expect(checkedTracestate(`a=${'x'.repeat(600)}`)).toBeUndefined();
  expect(checkedTracestate(undefined)).toBeUndefined();
});
