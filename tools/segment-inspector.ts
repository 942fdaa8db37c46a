// Shows the contents of a segment file.
//   npx tsx tools/segment-inspector.ts FILE              header, sections with sizes, fields with statistics
//   npx tsx tools/segment-inspector.ts FILE FIELD [N]    the first N terms of a field (20), its column, and the values of the first N documents
// Reads the file into a private memory and checks every checksum; exit code 1 with the reason if it is damaged.
import { readFileSync } from 'node:fs';
import type { SegmentImageReader } from '../src/arena/segment-reader.ts';
import { openSegment } from '../src/arena/segment-reader.ts';
import { ApiError } from '../src/errors/api-error.ts';
import { compileEngine, createMemory, Kernels, PAGE_BYTES, staticBytes } from '../src/wasm/kernels.ts';

const SCRATCH_BYTES = 1 << 20;
const [file, field, count = '20'] = process.argv.slice(2);
if (!file) {
  process.stderr.write('usage: tsx tools/segment-inspector.ts FILE [FIELD [N]]\n');
  process.exit(2);
}
try {
  const segment = openFile(file);
  const lines = field ? describeField(segment, field, Number(count)) : describeSegment(segment);
  process.stdout.write(`${lines.join('\n')}\n`);
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  process.stderr.write(`${error.reason}\n`);
  process.exit(1);
}

function openFile(path: string): SegmentImageReader {
  const bytes = readFileSync(path);
  const module = compileEngine();
  const start = staticBytes(module);
  const memory = createMemory(Math.ceil((start + SCRATCH_BYTES + bytes.length) / PAGE_BYTES) + 32);
  const kernels = new Kernels(module, memory, start, SCRATCH_BYTES);
  kernels.u8.set(bytes, start + SCRATCH_BYTES);
  return openSegment(kernels, start + SCRATCH_BYTES, bytes.length, { id: 0, file: path, verify: true });
}

function describeSegment(segment: SegmentImageReader): string[] {
  const lines = [`${segment.maxDoc} documents, ${segment.numRootDocs} of them roots, ${segment.bytes} bytes`, ''];
  for (const { kind, field: name, bytes } of segment.sections)
    lines.push(`${kind.padEnd(10)} ${String(bytes).padStart(12)}  ${name ?? ''}`);
  lines.push('');
  for (const name of segment.fieldNames) {
    const postings = segment.postings(name);
    const column = segment.column(name);
    const parts = [
      postings &&
        `${postings.termCount} terms, ${postings.docCount} docs, ${postings.sumDocFreq} postings, ${postings.sumTotalTermFreq} occurrences`,
      column && `${column.kind} column, ${column.valueCount} values in ${column.docCount} docs, ${column.min}..${column.max}`,
    ];
    lines.push(`${name}: ${parts.filter(Boolean).join('; ') || 'nothing'}`);
  }
  return lines;
}

function describeField(segment: SegmentImageReader, name: string, limit: number): string[] {
  const lines = segment
    .walkTerms(name, { from: null, to: null }, limit)
    .map(
      ({ bytes, ord, docFreq, totalTermFreq }) => `${ord}\t${Buffer.from(bytes).toString()}\tdocs ${docFreq}\toccurrences ${totalTermFreq}`,
    );
  if (!segment.column(name)) return lines;
  for (let docId = 0; docId < Math.min(limit, segment.maxDoc); docId++) {
    const bytes = segment.binary(name, docId);
    lines.push(`doc ${docId}\t${bytes ? Buffer.from(bytes).toString('hex') : segment.values(name, docId).join(', ')}`);
  }
  return lines;
}
