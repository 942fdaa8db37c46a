#!/usr/bin/env node
// The `gannet` command, on every system. bin/gannet is the same for systems with a shell, and starts `serve` 50 ms sooner.
const { main } = await import('../dist/bundle/main.js');
process.exitCode = await main(process.argv.slice(2));
