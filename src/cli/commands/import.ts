// `gannet import`: sends the documents of an NDJSON file to a running service, with a progress bar.
import { createReadStream, statSync } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { type Arguments, checkFlags, flagNumber, flagValue, parseArguments, UsageError } from '../arguments.ts';
import { type ImportSummary, importDocuments } from '../bulk-import.ts';
import { documentLines, type ImportLine } from '../document-lines.ts';
import { Progress } from '../progress.ts';
import { DEFAULT_URL, ServiceClient } from '../service-client.ts';

const SHOWN_REASONS = 10;

interface Source {
  readonly sizeBytes: number;
  readonly lines: AsyncIterable<ImportLine>;
  readBytes(): number;
}

export async function importCommand(argv: string[]): Promise<number> {
  const args = parseArguments(argv);
  checkFlags(args, ['index', 'url', 'id-field', 'user', 'batch-docs', 'connections']);
  const [file, ...others] = args.positionals;
  const index = flagValue(args, 'index');
  if (file === undefined || others.length > 0) throw new UsageError('import needs one FILE.ndjson or FILE.ndjson.gz');
  if (index === null) throw new UsageError('import needs --index NAME');
  const connections = flagNumber(args, 'connections', 2, 1, 64);
  const batchDocs = flagNumber(args, 'batch-docs', 1000, 1, 100_000);
  const client = new ServiceClient(flagValue(args, 'url') ?? DEFAULT_URL, flagValue(args, 'user'), connections);
  const progress = new Progress(index);
  try {
    const source = openSource(file, args);
    const summary = await importDocuments(client, index, source.lines, {
      batchDocs,
      connections,
      onProgress: (docs, retries) =>
        progress.update(source.readBytes() / Math.max(source.sizeBytes, 1), docs, retries > 0 ? `  ${retries} retries` : ''),
    });
    progress.finish(summary.indexed + summary.refused);
    printSummary(summary);
    return summary.refused > 0 ? 1 : 0;
  } catch (error) {
    process.stderr.write(`\ngannet: import stopped: ${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    client.close();
  }
}

/** @throws Error the file does not exist */
function openSource(file: string, args: Arguments): Source {
  const sizeBytes = statSync(file).size;
  const input = createReadStream(file, { highWaterMark: 256 * 1024 });
  const stream = file.endsWith('.gz') ? input.pipe(createGunzip()) : input;
  input.on('error', (error) => stream.destroy(error));
  return { sizeBytes, lines: documentLines(stream, flagValue(args, 'id-field')), readBytes: () => input.bytesRead };
}

function printSummary(summary: ImportSummary): void {
  process.stdout.write(`${summary.indexed} documents indexed, ${summary.refused} refused, ${summary.retries} retries\n`);
  const reasons = [...summary.reasons].sort((a, b) => b[1].count - a[1].count);
  for (const [reason, { count, firstLine }] of reasons.slice(0, SHOWN_REASONS)) {
    process.stdout.write(`  ${count} x  ${reason}  (first: line ${firstLine})\n`);
  }
  if (reasons.length > SHOWN_REASONS) process.stdout.write(`  and ${reasons.length - SHOWN_REASONS} more reasons\n`);
}
