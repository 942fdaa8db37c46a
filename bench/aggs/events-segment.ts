// The events corpus (3 M flights, NDJSON) as one segment in a fresh arena. The image is kept next to the corpus and rebuilt when it is older.
import { createReadStream, existsSync, statSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { OpenBuffer } from '../../src/arena/open-buffer.ts';
import type { SegmentImageReader } from '../../src/arena/segment-reader.ts';
import type { MappingSnapshot } from '../../src/mapping/core/mapping-snapshot.ts';
import { createMapping } from '../../src/mapping/create-mapping.ts';
import { compileEngine, type Kernels } from '../../src/wasm/kernels.ts';
import { openSegmentFile } from '../data/segment-file.ts';

const MAPPINGS = {
  dynamic: false,
  properties: {
    '@timestamp': { type: 'date' },
    origin: { type: 'keyword' },
    destination: { type: 'keyword' },
    route: { type: 'keyword' },
    origin_state: { type: 'keyword' },
    destination_state: { type: 'keyword' },
    distance: { type: 'integer' },
    delay: { type: 'integer' },
    delayed: { type: 'boolean' },
  },
};
const NO_ANALYSIS = {
  hasAnalyzer: () => false,
  hasNormalizer: () => false,
  analyzer: () => ({}),
  normalize: (_: string, text: string) => text,
};
const GIB = 2 ** 30;

export function eventsMapping(): MappingSnapshot {
  return createMapping(MAPPINGS, NO_ANALYSIS as never, {});
}

/** @param corpus  path of events.ndjson */
export async function loadEvents(corpus: string, mapping: MappingSnapshot): Promise<{ k: Kernels; segment: SegmentImageReader }> {
  const file = `${corpus}.segment`;
  if (!existsSync(file) || statSync(file).mtimeMs < statSync(corpus).mtimeMs) writeFileSync(file, await buildImage(corpus, mapping));
  return openSegmentFile(file);
}

async function buildImage(corpus: string, mapping: MappingSnapshot): Promise<Uint8Array> {
  const buffer = new OpenBuffer(compileEngine(), 3 * GIB);
  buffer.useMapping('events', mapping.fields, NO_ANALYSIS as never);
  let seqNo = 0;
  for await (const line of createInterface({ input: createReadStream(corpus, { highWaterMark: 1 << 20 }) })) {
    if (line === '') continue;
    mapping.parseDocument(String(seqNo), JSON.parse(line), buffer.encoder, null);
    buffer.add({ id: String(seqNo), seqNo: seqNo++, version: 1, primaryTerm: 1 });
  }
  return buffer.flush();
}
