import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/crash/**', 'node_modules/**'],
    pool: 'forks',
    // Ends what hangs; a slow machine may take its time.
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
