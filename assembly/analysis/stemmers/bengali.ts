// The Bengali stemmer: one ending of a verb or noun, if two units stay. Source: P. Sengupta and B. B. Chaudhuri, "Natural Language Processing in an
// Indian Language (Bengali)-I: Verb Phrase Analysis", J. Savoy's light stemmer; the endings as Lucene has them. U+09DF is the composed letter য়.
import { longestOf, suffixLen } from './regions';
import { setLength, wordLen } from './word';

const VERBS = "ি\u09dfাছিলাম িতেছিলাম িতেছিলেন ইতেছিলেন ি\u09dfাছিলেন ই\u09dfাছিলেন িতেছিলি িতেছিলে ি\u09dfাছিলা ি\u09dfাছিলে িতেছিলা ি\u09dfাছিলি িতেছিস িতেছেন ি\u09dfাছিস ি\u09dfাছেন েছিলাম েছিলেন িতেছি িতেছা িতেছে ছিলাম ছিলেন ি\u09dfাছি ি\u09dfাছা ি\u09dfাছে েছিলে েছিলা িলাম িলেন িতাম িতেন িবেন ছিলি ছিলে ছিলা তেছে িতেছ লাম িলি ইলি িলে ইলে লেন িলা ইলা তাম িতি ইতি িতে ইতে তেন িতা িবা ইবা িবি ইবি বেন িবে ইবে ছেন \u09dfোন িস েন লি লে লা তি তে তা বি বে বা ছি ছা ছে ুন ুক";
const NOUNS = "\u09dfেদেরকে েদেরকে \u09dfেদের দেরকে খানা খানি গুলো গুলি \u09dfেরা েদের \u09dfের েরা দের টা টি নি ের রা কে ি ী া ো ে ব ত";

export function bengali(): void {
  const verb = longestOf(VERBS, 2) >= 0 ? suffixLen : 0;
  const noun = longestOf(NOUNS, 2) >= 0 ? suffixLen : 0;
  setLength(wordLen - max(verb, noun));
}
