// Index settings whose values are validated although they have little or no effect.
import { expect, test } from 'vitest';
import {
  checkSettings,
  defaultSettings,
  flattenSettings,
  INDEX_SETTINGS,
  numberSetting,
} from '../../../../src/metadata/settings/index-settings.ts';

const reason = (name: string, value: string): string | null => {
  try {
    checkSettings({ [name]: value });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

test('slow log settings: thresholds by phase and level are times, other names are unknown', () => {
  for (const name of [
    'search.slowlog.threshold.query.warn',
    'search.slowlog.threshold.fetch.trace',
    'indexing.slowlog.threshold.index.info',
  ])
    expect([reason(`index.${name}`, '5s'), reason(`index.${name}`, '-1')]).toEqual([null, null]);
  expect(reason('index.indexing.slowlog.source', '1000')).toBeNull();
  expect(reason('index.search.slowlog.threshold.query.warn', 'x')).toContain('failed to parse setting');
  expect(reason('index.search.slowlog.threshold.query.loud', '1s')).toContain('unknown setting');
  expect(reason('index.search.slowlog.nothing', '1s')).toContain('unknown setting');
  expect(reason('index.indexing.slowlog.reformat', 'maybe')).toContain('only [true] or [false]');
});

test('enumerated values, counts of copies', () => {
  expect(reason('index.shard.check_on_startup', 'checksum')).toBeNull();
  expect(reason('index.shard.check_on_startup', 'x')).toContain('must be one of [true, false, checksum]');
  expect([reason('index.write.wait_for_active_shards', 'all'), reason('index.write.wait_for_active_shards', '2')]).toEqual([null, null]);
  expect(reason('index.write.wait_for_active_shards', 'most')).toBe('cannot parse ActiveShardCount[most]');
});

test('a list in settings may contain values only', () => {
  const settings = { analysis: { filter: { f: { stopwords: ['a', null] } } } };
  expect(() => flattenSettings(settings)).toThrow('Failed to load settings from [{"analysis":{"filter":{"f":{"stopwords":["a",null]}}}}]');
  expect(flattenSettings({ a: { b: ['x', 1] } })).toEqual({ 'index.a.b': ['x', '1'] });
});

test('a number has the value of the index, or the default that is shown', () => {
  expect(numberSetting({ 'index.max_result_window': '7' }, 'index.max_result_window')).toBe(7);
  for (const name of ['index.max_result_window', 'index.max_terms_count', 'index.analyze.max_token_count'])
    expect(String(numberSetting({}, name))).toBe(defaultSettings({})[name]);
  expect(INDEX_SETTINGS['index.mode'].fallback).toBeNull();
  expect(() => numberSetting({}, 'index.mode')).toThrow('must be present');
});
