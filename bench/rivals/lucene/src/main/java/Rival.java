import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.CharArraySet;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.util.Version;

/** Entry point: a command, its files, and options as `--name value`. Figures are printed as `engine, name, value`, separated by tabs. */
public final class Rival {
  static final String FIELD = "body";
  static final ObjectMapper JSON = new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

  private Rival() {}

  public static void main(String[] args) throws Exception {
    List<String> words = new ArrayList<>();
    Map<String, String> options = new HashMap<>();
    for (int i = 0; i < args.length; i++) {
      if (args[i].startsWith("--")) options.put(args[i].substring(2), args[++i]);
      else words.add(args[i]);
    }
    String command = words.isEmpty() ? "" : words.remove(0);
    switch (command) {
      case "index" -> IndexCommand.run(words, options);
      case "query" -> QueryCommand.run(words, options);
      case "analyze" -> AnalyzeCommand.run(words);
      case "vectors" -> VectorCommand.run(words, options);
      default -> {
        System.err.println("unknown command [" + command + "]: index, query, analyze or vectors; see run.sh");
        System.exit(2);
      }
    }
  }

  /** Standard tokens in lower case, no stop words. */
  static Analyzer standardAnalyzer() {
    return new StandardAnalyzer(CharArraySet.EMPTY_SET);
  }

  static void print(String name, long value) {
    System.out.println("lucene-" + Version.LATEST + "\t" + name + "\t" + value);
  }

  static void print(String name, double value) {
    System.out.println("lucene-" + Version.LATEST + "\t" + name + "\t" + String.format(Locale.ROOT, "%.2f", value));
  }

  static double secondsSince(long startNanos) {
    return (System.nanoTime() - startNanos) / 1e9;
  }
}
