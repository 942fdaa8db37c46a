// The Greek stemmer: words in lower case without accents, final sigma as sigma. Source: G. Ntais, "Development of a Stemmer for the Greek Language"
// (2006), with the changes of S. Saroukos (2008); which words its exceptions take back is as Lucene has it.
import { longestOf, suffixLen } from './regions';
import { isIn, put, setLength, unitAt, wordLen } from './word';

const VOWELS = "αεηιουω";
const VOWELS_BUT_Y = "αεηιοω";

/** Whether what is left is one of the words, ends with one of the endings or with one of the letters. */
function isException(wholes: string, endings: string, letters: string): bool {
  if (longestOf(wholes, 0) >= 0 && suffixLen == wordLen) return true;
  return longestOf(endings, 0) >= 0 || (wordLen > 0 && isIn(unitAt(wordLen - 1), letters));
}

/** Takes the longest of the suffixes off that leaves a letter. */
function strip(suffixes: string): bool {
  if (longestOf(suffixes, 1) < 0) return false;
  setLength(wordLen - suffixLen);
  return true;
}

/** Takes a suffix off; the first `kept` units of it come back behind an exception. */
function stripBut(suffixes: string, kept: i32, wholes: string, endings: string, letters: string): void {
  if (strip(suffixes) && isException(wholes, endings, letters)) setLength(wordLen + kept);
}

/** Takes `units` off a word that ends with one of the endings. */
function shorten(endings: string, units: i32): bool {
  if (longestOf(endings, 0) < 0) return false;
  setLength(wordLen - units);
  return true;
}

export function greek(): void {
  if (wordLen < 4) return;
  const before = wordLen;
  irregular();
  nouns();
  pastPlural();
  persons();
  pastSingular();
  future();
  if (!(wordLen > 5 && shorten("ματων ματοσ", 3)) && wordLen > 4) shorten("ματα", 2);
  if (wordLen == before) inflection();
  if (!shorten("εστερ εστατ", 5)) shorten("οτερ οτατ υτερ υτατ ωτερ ωτατ", 4);
}

function irregular(): void {
  if (shorten("καθεστωτοσ καθεστωτων γεγονοτοσ γεγονοτων τατογιου τατογιων σκαγιου σκαγιων ολογιου ολογιων κρεατοσ κρεατων περατοσ περατων τερατοσ τερατων φαγιου φαγιων σογιου σογιων", 4)) return;
  if (shorten("καθεστωτα γεγονοτα τατογια σκαγια ολογια κρεατα περατα τερατα φαγια σογια φωτοσ φωτων", 3)) return;
  if (shorten("καθεστωσ γεγονοσ κρεασ περασ τερασ φωτα", 2)) return;
  shorten("φωσ", 1);
}

function nouns(): void {
  // The words of the family and such lose the whole of it, all others keep -αδ.
  if (strip("αδεσ αδων") && !isException("", "οκ μαμ μαν μπαμπ πατερ γιαγι νταντ κυρ θει πεθερ", "")) setLength(wordLen + 2);
  stripBut("εδεσ εδων", 2, "", "οπ ιπ εμπ υπ γηπ δαπ κρασπ μιλ", "");
  stripBut("ουδεσ ουδων", 3, "", "αρκ καλιακ πεταλ λιχ πλεξ σκ σ φλ φρ βελ λουλ χν σπ τραγ φε", "");
  stripBut("εωσ εων", 1, "θ δ ελ γαλ ν π ιδ παρ", "", "");
  stripBut("ια ιου ιων", 1, "", "", VOWELS);
  stripBut("ικα ικο ικου ικων", 2, "αλ αδ ενδ αμαν αμμοχαλ ηθ ανηθ αντιδ φυσ βρωμ γερ εξωδ καλπ καλλιν καταδ μουλ μπαν μπαγιατ μπολ μποσ νιτ ξικ συνομηλ πετσ πιτσ πικαντ πλιατσ ποστελν πρωτοδ σερτ συναδ τσαμ υποδ φιλον φυλοδ χασ", "", VOWELS);
}

function pastPlural(): void {
  if (wordLen == 5 && shorten("αγαμε", 1)) return pastThird();
  strip("ηθηκαμε ουσαμε αγαμε ησαμε ηκαμε");
  stripBut("αμε", 2, "αναπ αποθ αποκ αποστ βουβ ξεθ ουλ πεθ πικρ ποτ σιχ χ", "", "");
  pastThird();
}

function pastThird(): void {
  // One form of each length needs a letter before it; the others may be the whole word.
  const lenA = longestOf("ιουντανε ιοντανε ιοτανε αγανε", 1) >= 0 ? suffixLen : 0;
  const lenB = longestOf("ουντανε ηθηκανε οντανε ουσανε ησανε οτανε ηκανε", 0) >= 0 ? suffixLen : 0;
  const len = max(lenA, lenB);
  setLength(wordLen - len);
  if (len > 0 && isException("τρ τσ", "", "")) put(wordLen, "αγαν");
  stripBut("ανε", 2, "βετερ βουλκ βραχμ γ δραδουμ θ καλπουζ καστελ κορμορ λαοπλ μωαμεθ μ μουσουλμ ν ουλ π πελεκ πλ πολισ πορτολ σαρακατσ σουλτ τσαρλατ ορφ τσιγγ τσοπ φωτοστεφ χ ψυχοπλ αγ γαλ γερ δεκ διπλ αμερικαν ουρ πιθ πουριτ σ ζωντ ικ καστ κοπ λιχ λουθηρ μαιντ μελ σιγ σπ στεγ τραγ τσαγ φ ερ αδαπ αθιγγ αμηχ ανικ ανοργ απηγ απιθ ατσιγγ βασ βασκ βαθυγαλ βιομηχ βραχυκ διατ διαφ ενοργ θυσ καπνοβιομηχ καταγαλ κλιβ κοιλαρφ λιβ μεγλοβιομηχ μικροβιομηχ νταβ ξηροκλιβ ολιγοδαμ ολογαλ πενταρφ περηφ περιτρ πλατ πολυδαπ πολυμηχ στεφ ταβ τετ υπερηφ υποκοπ χαμηλοδαπ ψηλοταβ", "", VOWELS_BUT_Y);
}

function persons(): void {
  strip("ησετε");
  stripBut("ετε", 2, "αβαρ βεν εναρ αβρ αδ αθ αν απλ βαρον ντρ σκ κοπ μπορ νιφ παγ παρακαλ σερπ σκελ συρφ τοκ υ δ εμ θαρρ θ", "οδ αιρ φορ ταθ διαθ σχ ενδ ευρ τιθ υπερθ ραθ ενθ ροθ σθ πυρ αιν συνδ συν συνθ χωρ πον βρ καθ ευθ εκθ νετ ρον αρκ βαρ βολ ωφελ", VOWELS_BUT_Y);
  if (strip("οντασ ωντασ")) {
    if (isException("αρχ", "", "")) put(wordLen, "οντ");
    else if (isException("", "κρε", "")) put(wordLen, "ωντ");
  }
  stripBut("ομαστε", 5, "ον", "", "");
  stripBut("ιεστε", 4, "π απ συμπ ασυμπ ακαταπ αμεταμφ", "", "");
  stripBut("εστε", 3, "αλ αρ εκτελ ζ μ ξ παρακαλ προ νισ", "", "");
}

function pastSingular(): void {
  strip("ηθηκεσ ηθηκα ηθηκε");
  stripBut("ηκεσ ηκα ηκε", 2, "διαθ θ παρακαταθ προσθ συνθ", "σκωλ σκουλ ναρθ σφ οθ πιθ", "");
  stripBut("ουσεσ ουσα ουσε", 3, "φαρμακ χαδ αγκ αναρρ βρομ εκλιπ λαμπιδ λεχ μ πατ ρ λ μεδ μεσαζ υποτειν αμ αιθ ανηκ δεσποζ ενδιαφερ δε δευτερευ καθαρευ πλε τσα", "ποδαρ βλεπ πανταχ φρυδ μαντιλ μαλλ κυματ λαχ ληγ φαγ ομ πρωτ", VOWELS);
  if (strip("αγεσ αγα αγε")) {
    const kept = isException("αβαστ πολυφ αδηφ παμφ ρ ασπ αφ αμαλ αμαλλι ανυστ απερ ασπαρ αχαρ δερβεν δροσοπ ξεφ νεοπ νομοτ ολοπ ομοτ προστ προσωποπ συμπ συντ τ υποτ χαρ αειπ αιμοστ ανυπ αποτ αρτιπ διατ εν επιτ κροκαλοπ σιδηροπ λ ναυ ουλαμ ουρ π τρ μ", "οφ πελ χορτ λλ σφ ρπ φρ πρ λοχ σμην", "");
    if (kept && !isException("ψοφ ναυλοχ", "κολλ", "")) setLength(wordLen + 2);
  }
  stripBut("ησου ησε ησα", 2, "ν χερσον δωδεκαν ερημον μεγαλον επταν", "", "");
  stripBut("ηστε", 3, "ασβ σβ αχρ χρ απλ αειμν δυσχρ ευχρ κοινοχρ παλιμψ", "", "");
}

function future(): void {
  if (strip("ησουνε ηθουνε ουνε") && isException("ν ρ σπι στραβομουτσ κακομουτσ εξων", "", "")) put(wordLen, "ουν");
  if (strip("ησουμε ηθουμε ουμε") && isException("παρασουσ φ χ ωριοπλ αζ αλλοσουσ ασουσ", "", "")) put(wordLen, "ουμ");
}

/** The endings of words that no rule before has changed. */
function inflection(): void {
  strip("ιοντουσαν ιομασταν ιοσασταν ιουμαστε οντουσαν ιεμαστε ιεσαστε ιομουνα ιοσαστε ιοσουνα ιουνται ιουνταν ηθηκατε ομασταν οσασταν ουμαστε ιομουν ιονταν ιοσουν ηθειτε ηθηκαν ομουνα οσαστε οσουνα ουνται ουνταν ουσατε αγατε ιεμαι ιεται ιεσαι ιοταν ιουμα ηθεισ ηθουν ηκατε ησατε ησουν ομουν ονται ονταν οσουν ουμαι ουσαν αγαν αμαι ασαι αται ειτε εσαι εται ηδεσ ηδων ηθει ηκαν ησαν ησει ησεσ ομαι οταν αει εισ ηθω ησω ουν ουσ αν ασ αω ει εσ ησ οι οσ ου υσ ων α ε η ι ο υ ω");
}
