import { expect, test } from 'vitest';
import { decodeGeoPoint } from '../../../src/common/encoding/geo-encoding.ts';
import { eachKernelBuild } from '../../support/kernels.ts';
import { forSeeds } from '../../support/rng.ts';
import { columnField, createOpenBuffer, keywordField, openImage, textField } from '../../support/segments.ts';

const META = { version: 1, primaryTerm: 1 };

eachKernelBuild((k, build) => {
  test(`${build}: integers are returned as numbers or bigints`, () =>
    k.scoped(() => {
      const values = [0, 1, -1, 2 ** 31, -(2 ** 31), 2 ** 53 - 1, -(2 ** 53) + 1, 2n ** 63n - 1n, -(2n ** 63n)];
      const buffer = createOpenBuffer(build, [columnField('n', 'i64')]);
      values.forEach((value, seqNo) => {
        buffer.encoder.begin(null);
        buffer.encoder.i64(0, value);
        buffer.encoder.end();
        buffer.add({ id: `${seqNo}`, seqNo, ...META });
      });
      const segment = openImage(k, buffer.flush());
      expect(values.map((_, docId) => segment.values('n', docId)[0])).toEqual(values.map(BigInt));
    }));

  test(`${build}: points keep their place to half a code`, () =>
    k.scoped(() => {
      const points = [
        [90, 180],
        [-90, -180],
        [0, 0],
        [52.37, 4.89],
        [-33.9, -70.6],
      ];
      forSeeds(50, (rng) => points.push([rng.float() * 180 - 90, rng.float() * 360 - 180]));
      const buffer = createOpenBuffer(build, [columnField('place', 'geo')]);
      points.forEach(([lat, lon], seqNo) => {
        buffer.encoder.begin(null);
        buffer.encoder.geo(0, lat, lon);
        buffer.encoder.end();
        buffer.add({ id: `${seqNo}`, seqNo, ...META });
      });
      const segment = openImage(k, buffer.flush());
      expect(segment.column('place')).toMatchObject({ kind: 'geo', valueCount: points.length });
      points.forEach(([lat, lon], docId) => {
        const decoded = decodeGeoPoint(segment.values('place', docId)[0] as bigint);
        expect(Math.abs(decoded.lat - lat)).toBeLessThanOrEqual(180 / 2 ** 32);
        expect(Math.abs(decoded.lon - lon)).toBeLessThanOrEqual(360 / 2 ** 32);
        expect(decoded.lat <= lat && decoded.lon <= lon).toBe(true); // codes are floors
      });
    }));

  test(`${build}: exact terms add up, features carry their frequency`, () =>
    k.scoped(() => {
      const fields = [
        keywordField('word', { postings: 'freqs', column: 'none' }),
        keywordField('feature', { postings: 'freqs', column: 'none' }),
      ];
      const buffer = createOpenBuffer(build, fields);
      buffer.encoder.begin(null);
      for (const word of ['a', 'b', 'a']) buffer.encoder.term(0, Buffer.from(word));
      buffer.encoder.feature(1, Buffer.from('pagerank'), 12_345);
      buffer.encoder.end();
      buffer.add({ id: 'x', seqNo: 0, ...META });
      const segment = openImage(k, buffer.flush());
      expect(segment.lookupTerm('word', Buffer.from('a'))).toMatchObject({ docFreq: 1, totalTermFreq: 2 });
      expect(segment.lookupTerm('word', Buffer.from('b'))).toMatchObject({ docFreq: 1, totalTermFreq: 1 });
      expect(segment.lookupTerm('feature', Buffer.from('pagerank'))).toMatchObject({ docFreq: 1, totalTermFreq: 12_345 });
      expect(segment.column('word')).toBe(null);
    }));

  test(`${build}: nested children precede their parents, grandchildren first`, () =>
    k.scoped(() => {
      const buffer = createOpenBuffer(build, [columnField('n', 'i64')]);
      const { encoder } = buffer;
      encoder.begin(null);
      encoder.i64(0, 1);
      encoder.begin('a');
      encoder.i64(0, 2);
      encoder.begin('a.b');
      encoder.i64(0, 3);
      encoder.end();
      encoder.end();
      encoder.begin('a');
      encoder.i64(0, 4);
      encoder.end();
      encoder.end();
      expect(encoder.documentCount).toBe(4);
      expect(buffer.add({ id: 'x', seqNo: 7, ...META })).toBe(3);
      const segment = openImage(k, buffer.flush());
      expect([0, 1, 2, 3].map((docId) => segment.values('n', docId)[0])).toEqual([3n, 2n, 4n, 1n]);
      expect([0, 1, 2, 3].map((docId) => segment.rootOf(docId))).toEqual([3, 3, 3, 3]);
      expect([0, 1, 2, 3].map((docId) => segment.seqNo(docId))).toEqual([7, 7, 7, 7]);
      expect(segment.numRootDocs).toBe(1);
    }));

  test(`${build}: an unfinished or empty block is not added, reset drops it`, () => {
    const buffer = createOpenBuffer(build, [textField('t')]);
    expect(() => buffer.add({ id: 'x', seqNo: 0, ...META })).toThrow(/not closed/);
    buffer.encoder.begin(null);
    buffer.encoder.text(0, 'lost');
    expect(() => buffer.encoder.finish()).toThrow(/not closed/);
    buffer.encoder.reset();
    buffer.encoder.begin(null);
    buffer.encoder.text(0, 'kept');
    buffer.encoder.end();
    buffer.add({ id: 'y', seqNo: 1, ...META });
    k.scoped(() => {
      const segment = openImage(k, buffer.flush());
      expect(segment.maxDoc).toBe(1);
      expect(segment.lookupTerm('t', Buffer.from('lost'))).toBe(null);
      expect(segment.lookupTerm('t', Buffer.from('kept'))).toMatchObject({ docFreq: 1 });
    });
  });

  test(`${build}: a document with a text without tokens has the field`, () =>
    k.scoped(() => {
      const buffer = createOpenBuffer(build, [textField('t')]);
      for (const [seqNo, text] of ['', null].entries()) {
        buffer.encoder.begin(null);
        if (text !== null) buffer.encoder.text(0, text);
        buffer.encoder.end();
        buffer.add({ id: `${seqNo}`, seqNo, ...META });
      }
      const segment = openImage(k, buffer.flush());
      expect([0, 1].map((docId) => segment.norm('t', docId))).toEqual([255, 0]);
      expect(segment.postings('t')).toMatchObject({ termCount: 0, docCount: 0, normsPtr: expect.any(Number) });
    }));
});
