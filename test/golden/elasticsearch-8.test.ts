import { checkSuite } from './runner/check-suite.ts';

checkSuite('elasticsearch-8');
