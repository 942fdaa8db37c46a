// Rewrites the list of known exceptions, test/golden/exceptions.md, to the current differences; review the diff.
//   npm run golden:update [-- SUITE ...]      suites: rest, elasticsearch-7, elasticsearch-8, analysis; without one all of them
// Cases that were in the list keep their reason; write one for each that is listed under "Unexplained",
// which the tests refuse.
import { readExceptions, UNEXPLAINED, writeExceptions } from './runner/exceptions.ts';
import { runSuite, SUITES, type Suite } from './runner/suites.ts';

const named = process.argv.slice(2);
const unknown = named.find((name) => !SUITES.some((suite) => suite === name));
if (unknown !== undefined) throw new Error(`no suite ${unknown}: ${SUITES.join(', ')}`);

const found = new Map<Suite, Map<string, string>>();
for (const suite of SUITES.filter((name) => named.length === 0 || named.includes(name))) {
  const known = readExceptions(suite);
  const { cases, differences } = await runSuite(suite);
  const isNew = (id: string) => !known.has(id);
  found.set(suite, new Map([...differences.keys()].map((id) => [id, known.get(id) ?? UNEXPLAINED])));
  for (const [id, difference] of differences) if (isNew(id)) console.log(`${suite} ${id}\n  ${difference}`);
  const gone = [...known.keys()].filter((id) => !differences.has(id));
  console.log(
    `${suite}: ${cases} cases, ${differences.size} differ, ${[...differences.keys()].filter(isNew).length} new, ${gone.length} gone`,
  );
}
writeExceptions(found);
process.exit(0);
