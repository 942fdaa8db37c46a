// A small HTTP server with index creation, deletion and `_analyze` alone, so that the golden checker can run against the analysis module.
//   npx tsx test/support/analysis-server.ts --port 18100 [--config DIR]
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { AnalysisRegistry } from '../../src/analysis/analysis-registry.ts';
import { analyzeText } from '../../src/analysis/analyze/analyze-api.ts';
import type { AnalysisSettings } from '../../src/analysis/component-table.ts';
import { ApiError } from '../../src/errors/api-error.ts';
import { illegalArgumentError } from '../../src/errors/catalog.ts';
import { configFiles } from '../../src/node/metadata/config-directory.ts';
import { AnalysisHost } from '../../src/wasm/analysis.ts';

export function analyzerModule(build = 'analyzer'): WebAssembly.Module {
  return new WebAssembly.Module(readFileSync(fileURLToPath(new URL(`../../build/${build}.wasm`, import.meta.url))));
}

function errorBody(error: ApiError): Record<string, unknown> {
  return {
    type: error.type,
    reason: error.reason,
    ...(error.causedBy ? { caused_by: errorBody(error.causedBy) } : {}),
    ...error.details,
  };
}

interface Index {
  registry: AnalysisRegistry;
  maxTokenCount: number;
}

export function startAnalysisServer(port: number, configDir: string | null): Promise<Server> {
  const env = { host: new AnalysisHost(analyzerModule()), files: configDir ? configFiles(configDir) : null };
  const global = AnalysisRegistry.global(env);
  const indices = new Map<string, Index>();
  const handle = (method: string, url: string, body: string): unknown => {
    const [, name, action] = /^\/(?:([^/_][^/]*)\/?)?(_analyze)?$/.exec(url) ?? [];
    if (method === 'PUT') {
      const settings = (JSON.parse(body).settings ?? {}) as AnalysisSettings & Record<string, unknown>;
      const maxTokenCount = Number(settings['analyze.max_token_count'] ?? 10_000);
      if (maxTokenCount < 1)
        throw illegalArgumentError(`Failed to parse value [${maxTokenCount}] for setting [index.analyze.max_token_count] must be >= 1`);
      indices.set(name, { registry: AnalysisRegistry.build(env, settings), maxTokenCount });
      return { acknowledged: true };
    }
    if (method === 'DELETE') return { acknowledged: indices.delete(name) };
    if (!action) return { version: { number: 'golden' } };
    const index = name ? indices.get(name) : null;
    return analyzeText(body, { index: name ?? null, registry: index?.registry ?? global, maxTokenCount: index?.maxTokenCount });
  };
  const server = createServer(async (request, response) => {
    let status = 200;
    let answer: unknown;
    try {
      answer = handle(request.method ?? 'GET', request.url ?? '/', await readBody(request));
    } catch (error) {
      if (!(error instanceof ApiError)) process.stderr.write(`${(error as Error).stack}\n`);
      const api = error instanceof ApiError ? error : new ApiError('exception', 500, String((error as Error).stack));
      status = api.status;
      answer = { error: errorBody(api), status };
    }
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const option = (name: string): string | null => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : null);
  await startAnalysisServer(Number(option('--port') ?? 18100), option('--config'));
}
