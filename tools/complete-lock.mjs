// Adds to package-lock.json the optional packages of other platforms that `npm install` left out because the configured registry does not serve
// them. Without them `npm ci` rejects the lock ("Missing: ... from lock file"); with them it skips those for other platforms.
//   node tools/complete-lock.mjs      run after every `npm install`; prints the entries added
import { readFileSync, writeFileSync } from 'node:fs';

const OS_NAMES = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const CPU_NAMES = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32'];

const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const added = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isFound(path, name)) continue;
    const words = name.replace(/^@[^/]+\//, '').split(/[-_./]/);
    const os = OS_NAMES.filter((word) => words.includes(word));
    const cpu = CPU_NAMES.filter((word) => words.includes(word) || (word === 'arm' && words.includes('armhf')));
    if (os.length + cpu.length === 0) continue;
    const platform = {
      ...(cpu.length > 0 ? { cpu } : {}),
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
      ...(os.length > 0 ? { os } : {}),
    };
    lock.packages[`node_modules/${name}`] = { version: range.replace(/^[\^~]/, ''), ...platform };
    added.push(`${name}@${range}`);
  }
}
// In npm's order, so that npm does not move entries the next time.
const names = Object.keys(lock.packages).sort((a, b) => a.localeCompare(b, 'en'));
lock.packages = Object.fromEntries(names.map((name) => [name, lock.packages[name]]));
writeFileSync('package-lock.json', `${JSON.stringify(lock, null, 2)}\n`);
process.stdout.write(`${added.join('\n')}\n${added.length} entries added\n`);

/** Resolves like Node: next to the package, then in each folder above. */
function isFound(path, name) {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('node_modules/') - 1))) {
    if (lock.packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`]) return true;
    if (at === '') return false;
  }
}
