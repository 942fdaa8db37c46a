import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/crash/**', 'node_modules/**'],
    pool: 'forks',
    // Files wait for services, browsers and timers for a third of their time: two at once use two cores.
    maxWorkers: 2,
    // Ends what hangs; a slow machine may take its time. Tests set no shorter limits of their own.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000 } },
  },
});
