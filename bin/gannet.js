#!/usr/bin/env node
// `serve` is the one command whose start is waited for: its parent process loads nothing but itself.
const argv = process.argv.slice(2);
if (argv[0] === 'serve' && !argv.some((argument) => argument === '--help' || argument === '-h')) {
  const { supervise } = await import('../dist/bundle/supervisor.js');
  process.exitCode = await supervise(argv.slice(1));
} else {
  const { main } = await import('../dist/bundle/main.js');
  process.exitCode = await main(argv);
}
