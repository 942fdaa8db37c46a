// Analyzers of tests that are not about analysis: words at white space, `lowercase` and `uppercase` normalizers.
import type { MappingAnalysis } from '../../src/mapping/core/mapping-analysis.ts';

export const simpleAnalysis: MappingAnalysis = {
  hasAnalyzer: (name) => ['default', 'standard', 'english', 'simple', 'whitespace'].includes(name),
  hasNormalizer: (name) => name === 'lowercase' || name === 'uppercase',
  normalize: (name, text) => (name === 'uppercase' ? text.toUpperCase() : text.toLowerCase()),
  normalizeTerm: (_name, text) => text.toLowerCase(),
  analyze: (_name, text) =>
    text
      .split(/\s+/)
      .filter(Boolean)
      .map((term, position) => ({ term, position })),
};
