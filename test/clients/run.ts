// Runs unmodified clients in other languages against the service. Each program calls the APIs, lets its client decode every response and prints a
// line for each call. A language whose tools are missing is skipped, with the reason. The results go into results.json, from which
// docs/compatibility.md shows a table.
// Usage: npm run test:clients [-- python go java]
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startService } from '../support/service.ts';

interface Client {
  /** Name of the package, with its version. */
  readonly name: string;
  readonly version: string;
  readonly language: 'python' | 'go' | 'java';
  /** Installs the dependencies of the program into a folder. @returns the command that runs it, without the URL */
  readonly prepare: (folder: string) => readonly string[];
}

/** Result of one client. */
interface Result {
  readonly name: string;
  readonly version: string;
  readonly calls: number;
  readonly failed: readonly string[];
}

const here = import.meta.dirname;
const RESULTS = path.join(here, 'results.json');

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function python(version: string): Client {
  return {
    name: 'elasticsearch-py',
    version,
    language: 'python',
    prepare(folder) {
      run('python3', ['-m', 'venv', folder], here);
      run(path.join(folder, 'bin/pip'), ['-q', 'install', `elasticsearch==${version}`], here);
      return [path.join(folder, 'bin/python'), '-W', 'ignore', path.join(here, 'calls.py')];
    },
  };
}

const CLIENTS: readonly Client[] = [
  python('7.17.12'),
  python('8.19.3'),
  {
    name: 'go-elasticsearch',
    version: '8.19.0 (typed) and 7.17.10',
    language: 'go',
    prepare(folder) {
      mkdirSync(folder);
      for (const file of ['go.mod', 'main.go']) cpSync(path.join(here, 'go', file), path.join(folder, file));
      run('go', ['build', '-mod=mod', '-o', 'calls', '.'], folder);
      return [path.join(folder, 'calls')];
    },
  },
  {
    name: 'elasticsearch-java',
    version: '8.15.0',
    language: 'java',
    prepare(folder) {
      mkdirSync(folder);
      for (const file of ['pom.xml', 'Calls.java']) cpSync(path.join(here, file), path.join(folder, file));
      run('mvn', ['-q', 'dependency:build-classpath', '-Dmdep.outputFile=classpath'], folder);
      return ['java', '-cp', readFileSync(path.join(folder, 'classpath'), 'utf8'), path.join(folder, 'Calls.java')];
    },
  },
];

const TOOLS = { python: ['python3'], go: ['go'], java: ['mvn', 'java'] } as const;

/** Null if the tools of a language are installed. */
function missingTool(language: Client['language']): string | null {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return TOOLS[language].find((tool) => !folders.some((folder) => existsSync(path.join(folder, tool)))) ?? null;
}

/** Runs a program to its end. @returns the lines that it printed */
function linesOf([command, ...args]: readonly string[], url: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...args, url], { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
    });
    child.once('error', reject);
    child.once('close', () => resolve(text.split('\n').filter((line) => /^(ok|FAIL) /.test(line))));
  });
}

async function test(client: Client, folder: string): Promise<Result> {
  const command = client.prepare(folder);
  const service = await startService();
  try {
    const lines = await linesOf(command, service.url);
    if (lines.length === 0) throw new Error(`${client.name} ${client.version} made no call`);
    return { name: client.name, version: client.version, calls: lines.length, failed: lines.filter((line) => line.startsWith('FAIL')) };
  } finally {
    await service.stop();
  }
}

const wanted = process.argv.slice(2);
const folder = mkdtempSync(path.join(tmpdir(), 'gannet-clients-'));
const known: Result[] = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : [];
const keyOf = ({ name, version }: Result): string => `${name} ${version}`;
const results = new Map(known.map((result) => [keyOf(result), result]));
const counts = { passed: 0, failed: 0, skipped: 0 };
try {
  for (const [i, client] of CLIENTS.entries()) {
    if (wanted.length > 0 && !wanted.includes(client.language)) continue;
    const tool = missingTool(client.language);
    if (tool !== null) {
      console.log(`skipped ${client.name} ${client.version}: ${tool} is not installed`);
      counts.skipped++;
      continue;
    }
    const result = await test(client, path.join(folder, String(i)));
    results.set(keyOf(result), result);
    console.log(`${client.name} ${client.version}: ${result.calls} calls, ${result.failed.length} failed`);
    for (const line of result.failed) console.log(`  ${line}`);
    counts.passed += result.calls - result.failed.length;
    counts.failed += result.failed.length;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
writeFileSync(RESULTS, `${JSON.stringify([...results.values()], null, 2)}\n`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exitCode = counts.failed > 0 ? 1 : 0;
