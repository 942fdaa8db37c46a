// The table of tested clients: those of `npm test` by their versions in package.json, the others by the results of `npm run test:clients`.
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Packages of package.json that test/integration/clients.test.ts runs. */
const IN_NPM_TEST = ['elasticsearch-7', 'elasticsearch-8', 'elasticsearch-9', '@opensearch-project/opensearch'];

/** @param root  folder of the repository */
export function testedClients(root: string): string {
  const read = (file: string) => JSON.parse(readFileSync(path.join(root, file), 'utf8'));
  const { devDependencies } = read('package.json') as { devDependencies: Record<string, string> };
  const inTests = IN_NPM_TEST.map((name) => {
    const [, alias, version] = /^(?:npm:(.*)@)?([\d.]+)$/.exec(devDependencies[name]) ?? [];
    return [alias ?? name, version, '`npm test`'];
  });
  const results = read('test/clients/results.json') as Array<{ name: string; version: string; calls: number; failed: string[] }>;
  const others = results.map(({ name, version, calls, failed }) => {
    const outcome = failed.length === 0 ? `${calls} calls, all decoded` : `${calls} calls, ${failed.length} failed`;
    return [name, version, `\`npm run test:clients\`: ${outcome}`];
  });
  const rows = [...inTests, ...others].map(([name, version, tested]) => `| ${name} | ${version} | ${tested} |`);
  return ['| client | version | tested by |', '|---|---|---|', ...rows].join('\n');
}
