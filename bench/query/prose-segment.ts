// The prose corpus (675 k documents, NDJSON) as one segment. The image is kept next to the corpus and rebuilt when it is older, or with --rebuild.
import { createReadStream, existsSync, statSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { SegmentImageReader } from '../../src/arena/segment-reader.ts';
import type { Kernels } from '../../src/wasm/kernels.ts';
import { openSegmentFile } from '../data/segment-file.ts';
import { buildTextSegment, type IndexFigures, type TextDocument } from './text-segment.ts';

/** @param corpus path of prose.ndjson @param reorder  its similar documents are neighbours */
export async function loadProse(
  corpus: string,
  rebuild: boolean,
  reorder = false,
): Promise<{ k: Kernels; segment: SegmentImageReader; figures: IndexFigures | null }> {
  const file = reorder ? `${corpus}.reordered.segment` : `${corpus}.segment`;
  let figures: IndexFigures | null = null;
  if (rebuild || !existsSync(file) || statSync(file).mtimeMs < statSync(corpus).mtimeMs) {
    const built = await buildTextSegment(documentsOf(corpus), reorder);
    figures = built.figures;
    writeFileSync(file, built.image);
  }
  return { ...openSegmentFile(file), figures };
}

async function* documentsOf(corpus: string): AsyncGenerator<TextDocument> {
  for await (const line of createInterface({ input: createReadStream(corpus, { highWaterMark: 1 << 20 }) })) {
    if (line === '') continue;
    const { id, body } = JSON.parse(line) as { id: string; body: string };
    yield { id, text: body };
  }
}
