// Tables and charts of `npm run bench:all`.
import { expect, test } from 'vitest';
import { chartSvg } from '../../../bench/report/chart.ts';
import { type FigureTable, markdownTables, shortNumber, tableMarkdown } from '../../../bench/report/table.ts';

const OUTPUT = `checked	{"wrong":0}

COUNT, ms

| family | queries | gannet | lucene | gannet / lucene |
|---|--:|--:|--:|--:|
| term | 60 | 0.27 | 0.41 | 0.65x |
| ALL | 1070 | 324.61 | NaN | NaNx |

TOP_10, ms

| family | queries | gannet | lucene | gannet / lucene |
|---|--:|--:|--:|--:|
| term | 60 | 2.30 | 2.63 | 0.88x |

commit 1234
`;

const COUNT: FigureTable = {
  title: 'COUNT',
  unit: 'ms',
  columns: ['gannet', 'lucene'],
  rows: [
    { label: 'term', values: [0.27, 0.41] },
    { label: 'ALL', values: [324.61, null] },
  ],
};

test('reads the tables of a bench with their titles, without unwanted columns', () => {
  const tables = markdownTables(OUTPUT, (head) => /^(gannet|lucene)$/.test(head));
  expect(tables).toEqual([COUNT, { ...COUNT, title: 'TOP_10', rows: [{ label: 'term', values: [2.3, 2.63] }] }]);
  expect(markdownTables(OUTPUT, (head) => head === 'absent')).toEqual([]);
});

test('writes figures with their ratios', () => {
  expect(tableMarkdown(COUNT).split('\n')).toEqual([
    '|  | gannet | lucene | gannet / lucene |',
    '|---|--:|--:|--:|',
    '| term | 0.27 | 0.41 | 0.66x |',
    '| ALL | 325 | - | - |',
  ]);
  expect([0.123456, 12.3456, 1234.56, 0].map(shortNumber)).toEqual(['0.123', '12.3', '1235', '0']);
});

test('draws a bar for each figure, the longest of a row as long as the chart is wide', () => {
  const svg = chartSvg({ ...COUNT, title: 'a < b & "c"' });
  expect(svg).toContain('<title>a &#60; b &#38; &#34;c&#34;, ms</title>');
  const bars = [...svg.matchAll(/<rect x="190" y="(\d+)" width="(\d+)"/g)].map(([, y, width]) => [Number(y), Number(width)]);
  // The first is the colour of the legend.
  expect(bars.slice(1)).toEqual([
    [44, Math.round((0.27 / 0.41) * 420)],
    [56, 420],
    [78, 420],
    [90, 0],
  ]);
  expect(svg).toContain('>not measured</text>');
  expect(chartSvg(COUNT)).toBe(chartSvg(COUNT));
});
