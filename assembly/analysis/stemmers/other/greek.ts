// The Greek stemmers. Source: G. Ntais, "Development of a Stemmer for the Greek Language" (2006), and S. Saroukos, "Enhancing a Greek language stemmer"
// (2008). Lucene's expects words in lower case without accents; Snowball's maps the letters itself and includes the derivations of 2008. Their tables
// have one rule per line:
//   endings:kept:words:ends:+ Removes the longest of the endings, and replaces it by `kept` if the rest is one of the words or ends with one of the
//                             ends (* any). Fields may be missing. + : see `goesOn`.
//   :kept:words:ends          Continues with the rest of the lines before if they replaced nothing.
// Each < of `kept` removes a letter; ! replaces nothing and skips the continuation lines. An ending after = may be the whole word.
import { slotOf, reserveIndex } from '../suffix-index';
import { foundAt, groupOf, replaceFound } from '../suffix-table';
import { ends, isWhole, lengthOf, mapUnit, put, setLength, setUnit, unitAt, word, wordLen } from '../word';

const IRREGULAR = `φαγια>φα φαγιου>φα φαγιων>φα σκαγια>σκα σκαγιου>σκα σκαγιων>σκα ολογιου>ολο ολογια>ολο ολογιων>ολο σογιου>σο σογια>σο σογιων>σο
τατογια>τατο τατογιου>τατο τατογιων>τατο κρεασ>κρε κρεατοσ>κρε κρεατα>κρε κρεατων>κρε περασ>περ περατοσ>περ περατα>περ περατων>περ
τερασ>τερ τερατοσ>τερ τερατα>τερ τερατων>τερ φωσ>φω φωτοσ>φω φωτα>φω φωτων>φω
καθεστωσ>καθεστ καθεστωτοσ>καθεστ καθεστωτα>καθεστ καθεστωτων>καθεστ γεγονοσ>γεγον γεγονοτοσ>γεγον γεγονοτα>γεγον γεγονοτων>γεγον`;

/** Verbs in -ιζω and -ωνω, nouns and adjectives in -ιστησ, -ισμοσ, -ισκοσ, diminutives (2008). */
const DERIVATIONS = `ιζα ιζεσ ιζε ιζαμε ιζατε ιζαν ιζανε ιζω ιζεισ ιζει ιζουμε ιζετε ιζουν ιζουνε:ι:αναμπα εμπα επα ξαναπα πα περιπα αθρο συναθρο δανε
:ιζ:μαρκ κορν αμπαρ αρρ βαθυρι βαρκ β βολβορ γκρ γλυκορ γλυκυρ ιμπ λ λου μαρ μ πρ μπρ πολυρ π ρ πιπερορ
ωθηκα ωθηκεσ ωθηκε ωθηκαμε ωθηκατε ωθηκαν ωθηκανε:ων:αλ βι εν υψ λι ζω σ χ
ισα ισεσ ισε ισαμε ισατε ισαν ισανε:ι:αναμπα αθρο εμπα εσε εσωκλε επα ξαναπα επε περιπα συναθρο δανε κλε χαρτοπα εξαρχα μετεπε αποκλε απεκλε εκλε πε
:ισ:αν αφ γε γιγαντοαφ γκε δημοκρατ κομ γκ μ π πουκαμ ολο λαρ
ισω ισεισ ισει ισουμε ισετε ισουν ισουνε:ι:αναμπα εμπα εσε εσωκλε επα ξαναπα επε περιπα αθρο συναθρο δανε κλε χαρτοπα εξαρχα μετεπε αποκλε απεκλε εκλε πε
ιστοσ ιστου ιστο ιστε ιστοι ιστων ιστουσ ιστη ιστησ ιστα ιστεσ:ι:δανε συναθρο κλε σε εσωκλε ασε πλε
:ιστ:μ π απ αρ ηδ κτ σκ σχ υψ φα χρ χτ ακτ αορ ασχ ατα αχν αχτ γεμ γυρ εμπ ευπ εχθ ηφα καθ κακ κυλ λυγ μακ μεγ ταχ φιλ χωρ
ισμο ισμοι ισμοσ ισμου ισμουσ ισμων:ισμ:σε μετασε μικροσε εγκλε αποκλε
:ι:δανε αντιδανε
:<<::αγνωστικ ατομικ γνωστικ εθνικ εκλεκτικ σκεπτικ τοπικ αλεξανδριν βυζαντιν θεατριν
αρακι αρακια ουδακι ουδακια:αρακ:σ χ
ακι ακια ιτσα ιτσασ ιτσεσ ιτσων αρακι αρακια:ακ:βαμβ βρ καιμ κον κορ λαβρ λουλ μερ μουστ ναγκασ πλ ρ ρυ σ σκ σοκ σπαν τζ φαρμ χ καπακ αλισφ αμβρ ανθρ κ φυλ κατραπ κλιμ μαλ σλοβ φ σφ τσεχοσλοβ
:ιτσ:β βαλ γιαν γλ ζ ηγουμεν καρδ μακρυν νυφ πατερ π τοσ τριπολ:κορ
ιδιο ιδια ιδιων:ιδ:αιφν ιρ ολο ψαλ:ε παιχν
ισκοσ ισκου ισκο ισκε:ισκ:δ ιβ μην ρ φραγκ λυκ οβελ`;

/** Plurals in -δεσ; the words of the family and similar ones lose -αδ, too. */
const PLURALS = `αδεσ αδων:!::οκ μαμ μαν μπαμπ πατερ γιαγι νταντ κυρ θει πεθερ
:αδ::*
εδεσ εδων:εδ::οπ ιπ εμπ υπ γηπ δαπ κρασπ μιλ
ουδεσ ουδων:ουδ::αρκ καλιακ πεταλ λιχ πλεξ σκ σ φλ φρ βελ λουλ χν σπ τραγ φε`;

const NOUNS = `εωσ εων:ε:θ δ ελ γαλ ν π ιδ παρ
ια ιου ιων:ι::α ε η ι ο υ ω
ικα ικο ικου ικων:ικ:αλ αδ ενδ αμαν αμμοχαλ ηθ ανηθ αντιδ φυσ βρωμ γερ εξωδ καλπ καλλιν καταδ μουλ μπαν μπαγιατ μπολ μποσ νιτ ξικ συνομηλ πετσ πιτσ πικαντ πλιατσ ποστελν πρωτοδ σερτ συναδ τσαμ υποδ φιλον φυλοδ χασ:α ε η ι ο υ ω:+`;

const PAST_PLURALS = `ηθηκαμε ουσαμε αγαμε ησαμε ηκαμε
αμε:αμ:αναπ αποθ αποκ αποστ βουβ ξεθ ουλ πεθ πικρ ποτ σιχ χ
ιουντανε ιοντανε ιοτανε αγανε =ουντανε =ηθηκανε =οντανε =ουσανε =ησανε =οτανε =ηκανε:αγαν:τρ τσ
ανε:αν:βετερ βουλκ βραχμ γ δραδουμ θ καλπουζ καστελ κορμορ λαοπλ μωαμεθ μ μουσουλμ ν ουλ π πελεκ πλ πολισ πορτολ σαρακατσ σουλτ τσαρλατ ορφ τσιγγ τσοπ φωτοστεφ χ ψυχοπλ αγ γαλ γερ δεκ διπλ αμερικαν ουρ πιθ πουριτ σ ζωντ ικ καστ κοπ λιχ λουθηρ μαιντ μελ σιγ σπ στεγ τραγ τσαγ φ ερ αδαπ αθιγγ αμηχ ανικ ανοργ απηγ απιθ ατσιγγ βασ βασκ βαθυγαλ βιομηχ βραχυκ διατ διαφ ενοργ θυσ καπνοβιομηχ καταγαλ κλιβ κοιλαρφ λιβ μεγλοβιομηχ μικροβιομηχ νταβ ξηροκλιβ ολιγοδαμ ολογαλ πενταρφ περηφ περιτρ πλατ πολυδαπ πολυμηχ στεφ ταβ τετ υπερηφ υποκοπ χαμηλοδαπ ψηλοταβ:α ε η ι ο ω:+`;

const PERSONS = `ησετε
ετε:ετ:αβαρ βεν εναρ αβρ αδ αθ αν απλ βαρον ντρ σκ κοπ μπορ νιφ παγ παρακαλ σερπ σκελ συρφ τοκ υ δ εμ θαρρ θ:α ε η ι ο ω οδ αιρ φορ ταθ διαθ σχ ενδ ευρ τιθ υπερθ ραθ ενθ ροθ σθ πυρ αιν συνδ συν συνθ χωρ πον βρ καθ ευθ εκθ νετ ρον αρκ βαρ βολ ωφελ:+
οντασ ωντασ:οντ:αρχ
:ωντ::κρε`;
/** Lucene has no -ιομαστε; Snowball also replaces -εστε by -ιεστ. */
const PASSIVES = `ομαστε:ομαστ:ον
ιεστε:ιεστ:π απ συμπ ασυμπ ακαταπ αμεταμφ
εστε:εστ:αλ αρ εκτελ ζ μ ξ παρακαλ προ νισ`;
const PASSIVES_SNOWBALL = `ομαστε ιομαστε:ομαστ:ον
ιεστε:ιεστ:π απ συμπ ασυμπ ακαταπ αμεταμφ
εστε:ιεστ:αλ αρ εκτελ ζ μ ξ παρακαλ προ νισ`;

const PAST_SINGULARS = `ηθηκεσ ηθηκα ηθηκε
ηκεσ ηκα ηκε:ηκ:διαθ θ παρακαταθ προσθ συνθ:σκωλ σκουλ ναρθ σφ οθ πιθ
ουσεσ ουσα ουσε:ουσ:φαρμακ χαδ αγκ αναρρ βρομ εκλιπ λαμπιδ λεχ μ πατ ρ λ μεδ μεσαζ υποτειν αμ αιθ ανηκ δεσποζ ενδιαφερ δε δευτερευ καθαρευ πλε τσα:ποδαρ βλεπ πανταχ φρυδ μαντιλ μαλλ κυματ λαχ ληγ φαγ ομ πρωτ`;
const VOWEL_BEFORE_OUS = ":ουσ::α ε η ι ο υ ω";

/** Words that always lose -αγ; the others. */
const AGA = "αγεσ αγα αγε:!:ψοφ ναυλοχ:κολλ";
const AGA_SNOWBALL = "αγεσ αγα αγε:!::ψοφ ναυλοχ";
const AGA_KEPT = ":αγ:αβαστ πολυφ αδηφ παμφ ρ ασπ αφ αμαλ αμαλλι ανυστ απερ ασπαρ αχαρ δερβεν δροσοπ ξεφ νεοπ νομοτ ολοπ ομοτ προστ προσωποπ συμπ συντ τ υποτ χαρ αειπ αιμοστ ανυπ αποτ αρτιπ διατ εν επιτ κροκαλοπ σιδηροπ λ ναυ ουλαμ ουρ π τρ μ:οφ πελ χορτ λλ σφ ρπ φρ πρ λοχ σμην";
const ISA = "ησου ησε ησα:ησ:ν χερσον δωδεκαν ερημον μεγαλον επταν";
const FUTURES = `ηστε:ηστ:ασβ σβ αχρ χρ απλ αειμν δυσχρ ευχρ κοινοχρ παλιμψ
ησουνε ηθουνε ουνε:ουν:ν ρ σπι στραβομουτσ κακομουτσ εξων
ησουμε ηθουμε ουμε:ουμ:παρασουσ φ χ ωριοπλ αζ αλλοσουσ ασουσ`;
const NEUTERS = "ματα ματων ματοσ:μα::*";
/** Endings of words that no earlier rule has changed. */
const INFLECTIONS = "ιοντουσαν ιομασταν ιοσασταν ιουμαστε οντουσαν ιεμαστε ιεσαστε ιομουνα ιοσαστε ιοσουνα ιουνται ιουνταν ηθηκατε ομασταν οσασταν ουμαστε ιομουν ιονταν ιοσουν ηθειτε ηθηκαν ομουνα οσαστε οσουνα ουνται ουνταν ουσατε αγατε ιεμαι ιεται ιεσαι ιοταν ιουμα ηθεισ ηθουν ηκατε ησατε ησουν ομουν ονται ονταν οσουν ουμαι ουσαν αγαν αμαι ασαι αται ειτε εσαι εται ηδεσ ηδων ηθει ηκαν ησαν ησει ησεσ ομαι οταν αει εισ ηθω ησω ουν ουσ αν ασ αω ει εσ ησ οι οσ ου υσ ων α ε η ι ο υ ω";
const DEGREES = "εστερ εστατ οτερ οτατ υτερ υτατ ωτερ ωτατ";

const LETTERS = "ΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫάέήίόύώΐΰϊϋΆΈΉΊΌΎΏς";
/** Snowball's results; that an iota with dialytika becomes an eta is as published. */
const PLAIN_LETTERS = "αβγδεζηθικλμνξοπρστυφχψωιυαεηιουωηυηυαεηιουωσ";

const LINE_END: u32 = 0x0a;
const COLON: u32 = 0x3a;
const BLANK: u32 = 0x20;
const EQUALS: u32 = 0x3d;
const STAR: u32 = 0x2a;
const LESS: u32 = 0x3c;
const STOP: u32 = 0x21;

/** Whether a rule has removed an ending. */
let changed: bool = false;
/** Snowball's program continues after the ends of some rules: what precedes them is also looked up among the words, and the end replaced by `kept`. */
let goesOn: bool = false;
/** Whether the last removal may still be undone. */
let isOpen: bool = false;

/** End of the field or entry that starts at `cur`. */
function entryEnd(cur: usize, end: usize): usize {
  while (cur < end && load<u16>(cur) != COLON && load<u16>(cur) != LINE_END && load<u16>(cur) != BLANK) cur += 2;
  return cur;
}

function fieldEnd(cur: usize, end: usize): usize {
  while (cur < end && load<u16>(cur) != COLON && load<u16>(cur) != LINE_END) cur += 2;
  return cur;
}

/** Length of an entry if the word ends with it after `least` units, otherwise 0. */
function matched(cur: usize, end: usize, least: i32): i32 {
  const len = <i32>((end - cur) >> 1);
  return wordLen - len >= least && memory.compare(word + (<usize>(wordLen - len) << 1), cur, <usize>len << 1) == 0 ? len : 0;
}

/** Length of the longest entry of a field that the word ends with; 0 for none. */
function longestIn(cur: usize, end: usize, least: i32): i32 {
  let best = 0;
  while (cur < end) {
    const mayBeWhole = load<u16>(cur) == EQUALS;
    if (mayBeWhole) cur += 2;
    const next = entryEnd(cur, end);
    best = max(best, matched(cur, next, mayBeWhole ? 0 : least));
    cur = next + 2;
  }
  return best;
}

/** Whether the first `len` units of the word are an entry of a field. */
function isAmong(cur: usize, end: usize, len: i32): bool {
  while (cur < end) {
    const next = entryEnd(cur, end);
    if (<i32>((next - cur) >> 1) == len && memory.compare(word, cur, <usize>len << 1) == 0) return true;
    cur = next + 2;
  }
  return false;
}

function append(cur: usize, end: usize): void {
  for (; cur < end; cur += 2) {
    const unit = load<u16>(cur);
    if (unit == LESS) setLength(wordLen - 1);
    else if (unit != STOP) {
      setLength(wordLen + 1);
      setUnit(wordLen - 1, unit);
    }
  }
}

/** Applies the rules of a table in sequence. @param least minimum length of the rest */
function strip(table: string, least: i32): void {
  const text = changetype<usize>(table), end = text + (<usize>lengthOf(table) << 1), lines = linesOf(table);
  let line = lines;
  for (let cur = text; cur < end; line += LINE) {
    if (lines && isPassed(line)) {
      if (load<u32>(line)) isOpen = false;
      cur = text + (<usize>load<u16>(line, 4) << 1);
      continue;
    }
    const kept = fieldEnd(cur, end);
    if (kept > cur) {
      const len = longestIn(cur, kept, least);
      isOpen = len > 0;
      if (isOpen) changed = true;
      setLength(wordLen - len);
    }
    cur = rest(kept, end);
  }
}

// The last letter of the word rules out most rules: 12 -> 40 MB/s. Index of a table's lines, built on first use:
//   line ├─ a bit for each last letter of its endings, 0 for a continuation line: u32 ─┬─ offset of the next line u16 ─┬─ 0 ─┤
const LINE: usize = 8;

/** Whether a rule cannot apply to the word. */
// @ts-ignore: decorator
@inline
function isPassed(line: usize): bool {
  const letters = load<u32>(line);
  return letters ? wordLen == 0 || !(letters & letterBit(unitAt(wordLen - 1))) : !isOpen;
}

// @ts-ignore: decorator
@inline
function letterBit(unit: u32): u32 {
  return 1 << (unit & 31);
}

/** The index of a table's lines; 0 if there is no memory for it. */
function linesOf(table: string): usize {
  const slot = slotOf(table);
  if (!slot) return 0;
  if (load<u32>(slot)) return load<u32>(slot, 4);
  const text = changetype<usize>(table), end = text + (<usize>lengthOf(table) << 1);
  let count: usize = 1;
  for (let cur = text; cur < end; cur += 2) if (load<u16>(cur) == LINE_END) count++;
  const lines = reserveIndex(table, slot, count * LINE);
  if (!lines) return 0;
  let line = lines;
  for (let cur = text; cur < end; line += LINE) {
    const kept = fieldEnd(cur, end);
    let letters: u32 = 0;
    while (cur < kept) {
      const next = entryEnd(cur, kept);
      letters |= letterBit(load<u16>(next - 2));
      cur = next + 2;
    }
    cur = kept;
    while (cur < end && load<u16>(cur) != LINE_END) cur += 2;
    cur += 2;
    store<u32>(line, letters);
    store<u16>(line, <u16>((cur - text) >> 1), 4);
  }
  return lines;
}

/** Removes the longest of the endings. */
function inflect(endings: string, least: i32): void {
  if (groupOf(endings, least) >= 0) setLength(foundAt);
}

/** Applies the fields after the endings of a rule. Returns the start of the next rule. */
function rest(colon: usize, end: usize): usize {
  const words = nextField(colon, end), ends = nextField(words, end), goOn = nextField(ends, end), next = nextField(goOn, end) + 2;
  if (!isOpen || words == colon) return next;
  if (!isAmong(words + 2, ends, wordLen)) {
    if (goOn == ends) return next;
    const len = load<u16>(ends, 2) == STAR ? 0 : longestIn(ends + 2, goOn, 0);
    if (len == 0 && load<u16>(ends, 2) != STAR) return next;
    if (goesOn && next > goOn + 2 && isAmong(words + 2, ends, wordLen - len)) {
      setLength(wordLen - len);
      append(colon + 2, words);
    }
  }
  append(colon + 2, words);
  isOpen = false;
  return next;
}

/** End of the field after the one before `colon`; `colon` itself at the end of the rule. */
function nextField(colon: usize, end: usize): usize {
  return colon < end && load<u16>(colon) == COLON ? fieldEnd(colon + 2, end) : colon;
}

export function greek(): void {
  if (wordLen < 4) return;
  goesOn = false;
  const before = wordLen;
  if (groupOf(IRREGULAR, 0) >= 0) replaceFound();
  strip(PLURALS, 1);
  strip(NOUNS, 1);
  if (isWhole("αγαμε")) setLength(4);
  strip(PAST_PLURALS, 1);
  strip(PERSONS, 1);
  strip(PASSIVES, 1);
  strip(PAST_SINGULARS, 1);
  strip(VOWEL_BEFORE_OUS, 1);
  strip(AGA, 1);
  strip(AGA_KEPT, 1);
  strip(ISA, 1);
  strip(FUTURES, 1);
  strip(NEUTERS, 1);
  if (wordLen == before) inflect(INFLECTIONS, 1);
  strip(DEGREES, 0);
}

export function greekSnowball(): void {
  for (let i = 0; i < wordLen; i++) setUnit(i, mapUnit(unitAt(i), LETTERS, PLAIN_LETTERS));
  if (wordLen < 3) return;
  goesOn = true;
  changed = groupOf(IRREGULAR, 0) >= 0 || groupOf("περατη>περ", 0) >= 0;
  if (changed) replaceFound();
  strip(DERIVATIONS, 0);
  // The inflection of a word that was a plural in -δεσ is removed, too.
  const derived = changed;
  strip(PLURALS, 0);
  changed = derived;
  strip(NOUNS, 0);
  if (isWhole("αγαμε")) setLength(4);
  strip(PAST_PLURALS, 0);
  strip(PERSONS, 0);
  strip(PASSIVES_SNOWBALL, 0);
  strip(PAST_SINGULARS, 0);
  strip(ISA, 0);
  strip(AGA_SNOWBALL, 0);
  strip(AGA_KEPT, 0);
  strip(FUTURES, 0);
  const inflected = changed;
  strip(NEUTERS, 0);
  if (!inflected) inflect(INFLECTIONS, 0);
  strip(DEGREES, 0);
}
