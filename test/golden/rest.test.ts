import { checkSuite } from './runner/check-suite.ts';

checkSuite('rest');
