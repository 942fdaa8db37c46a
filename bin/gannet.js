#!/usr/bin/env node
// The `gannet` command for who has Node and no shell at hand; `bin/gannet` is the same and starts `serve` sooner.
const { main } = await import('../dist/bundle/main.js');
process.exitCode = await main(process.argv.slice(2));
