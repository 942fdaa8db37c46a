import { describe, expect, test } from 'vitest';
import { bodyOf, completions, filterText, paramsOf, queryOf, stateOf, timeFieldOf } from '../../../src/console/discover/discover-search.ts';

const STATE = {
  index: 'logs',
  query: 'a:b',
  filters: [
    { clause: { term: { level: 'error' } }, isNegated: true },
    { clause: { range: { at: { gte: 0, lt: 60000, format: 'epoch_millis' } } }, isNegated: false },
  ],
  columns: ['a', 'b'],
};

describe('the discover page', () => {
  test('keeps its state in the address', () => {
    expect(stateOf(paramsOf(STATE))).toEqual(STATE);
    expect(stateOf({})).toEqual({ index: '', query: '', filters: [], columns: [] });
    expect(stateOf({ filters: '{"x"' }).filters).toEqual([]);
    expect(stateOf({ filters: '[1,{"clause":[]},{"clause":{"exists":{"field":"a"}}}]' }).filters).toEqual([
      { clause: { exists: { field: 'a' } }, isNegated: false },
    ]);
  });

  test('requires its filters and excludes inverted ones', () => {
    expect(queryOf(STATE)).toMatchObject({ bool: { filter: [STATE.filters[1].clause], must_not: [STATE.filters[0].clause] } });
  });

  test('counts documents over time where there is a date', () => {
    expect(
      timeFieldOf(
        new Map([
          ['b', 'date'],
          ['@timestamp', 'date'],
        ]),
      ),
    ).toBe('@timestamp');
    expect(timeFieldOf(new Map([['b', 'keyword']]))).toBeNull();
    expect(bodyOf(STATE, '@timestamp')).toHaveProperty('aggs.time');
    expect(bodyOf(STATE, null)).not.toHaveProperty('aggs');
  });

  test('describes filters in words', () => {
    expect(STATE.filters.map(filterText)).toEqual(['not level: error', 'at: 1970-01-01 00:00 to 1970-01-01 00:01']);
  });

  test('completes names of fields after the last word', () => {
    expect(completions('level:error AND ti', ['title', 'time', 'level'])).toEqual(['level:error AND title:', 'level:error AND time:']);
    expect(completions('', ['a'])).toEqual([]);
  });
});
