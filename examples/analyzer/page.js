// Script of the page: `?analyzer=NAME&text=TEXT` sets the fields.
import { loadAnalyzer } from '../../dist/analyzer.browser.js';

// The same JSON as the settings of an index. Files that it names are passed as strings.
const FILES = { 'synonyms.txt': 'quick, fast\nfox => fox, small animal' };
const CUSTOM = {
  analysis: {
    filter: {
      short: { type: 'edge_ngram', min_gram: 2, max_gram: 8 },
      same: { type: 'synonym_graph', synonyms_path: 'synonyms.txt' },
    },
    analyzer: {
      synonyms: { tokenizer: 'standard', filter: ['lowercase', 'same'] },
      autocomplete: { tokenizer: 'standard', filter: ['lowercase', 'asciifolding', 'short'] },
      shingles: { tokenizer: 'standard', filter: ['lowercase', 'shingle'] },
      html: { tokenizer: 'standard', char_filter: ['html_strip'], filter: ['lowercase'] },
    },
  },
};
const element = (id) => document.getElementById(id);
const started = performance.now();
const analysis = await loadAnalyzer({ settings: CUSTOM, files: FILES });
element('status').textContent = `kernels loaded in ${(performance.now() - started).toFixed(0)} ms`;

for (const name of analysis.analyzers) element('analyzer').append(new Option(name, name));
const preset = new URLSearchParams(location.search);
element('analyzer').value = 'standard';
if (preset.has('analyzer')) element('analyzer').value = preset.get('analyzer');
if (preset.has('text')) element('text').value = preset.get('text');

function cell(text) {
  const td = document.createElement('td');
  td.textContent = text;
  return td;
}

function show() {
  const text = element('text').value;
  const name = element('analyzer').value;
  const rows = analysis.analyze(text, name).map((token) => {
    const row = document.createElement('tr');
    row.append(...[token.term, token.startOffset, token.endOffset, token.type, token.position].map(cell));
    return row;
  });
  element('tokens').replaceChildren(...rows);
  const [fragment = ''] = analysis.highlight(text, element('query').value, {
    analyzer: name,
    fragmentSize: 0,
    preTag: '\u0001',
    postTag: '\u0002',
  });
  element('highlight').replaceChildren(
    ...fragment.split(/(\u0001[^\u0002]*\u0002)/).map((part) => {
      if (!part.startsWith('\u0001')) return part;
      const mark = document.createElement('em');
      mark.textContent = part.slice(1, -1);
      return mark;
    }),
  );
  document.body.dataset.ready = 'true';
}

for (const id of ['analyzer', 'query', 'text']) element(id).addEventListener('input', show);
show();
