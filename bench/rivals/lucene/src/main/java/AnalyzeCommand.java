import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;

/**
 * Megabytes per second of an analyzer: UTF-8 bytes of the paragraphs, CPU seconds of this thread in the best round. Prints
 * `class, file, MB/s, tokens`, separated by tabs. The class `standard` is the standard analyzer without stop words.
 */
final class AnalyzeCommand {
  private AnalyzeCommand() {}

  static void run(List<String> arguments) throws IOException, ReflectiveOperationException {
    int rounds = Integer.parseInt(arguments.get(0));
    String type = arguments.get(1);
    String file = arguments.get(2);
    List<String> paragraphs = new ArrayList<>();
    long bytes = 0;
    for (String line : Files.readAllLines(Path.of(file))) {
      String paragraph = Rival.JSON.readTree(line).get("text").asText();
      paragraphs.add(paragraph);
      bytes += paragraph.getBytes(StandardCharsets.UTF_8).length;
    }
    Analyzer analyzer = type.equals("standard")
        ? Rival.standardAnalyzer()
        : (Analyzer) Class.forName(type).getDeclaredConstructor().newInstance();
    ThreadMXBean clock = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long bestNanos = Long.MAX_VALUE;
    long tokens = 0;
    for (int round = 0; round < rounds; round++) {
      long start = clock.getCurrentThreadCpuTime();
      tokens = countTokens(analyzer, paragraphs);
      bestNanos = Math.min(bestNanos, clock.getCurrentThreadCpuTime() - start);
    }
    System.out.printf(Locale.ROOT, "%s\t%s\t%.1f\t%d%n", type, file, bytes * 1e3 / bestNanos, tokens);
  }

  private static long countTokens(Analyzer analyzer, List<String> paragraphs) throws IOException {
    long tokens = 0;
    for (String paragraph : paragraphs) {
      try (TokenStream stream = analyzer.tokenStream("text", paragraph)) {
        CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
        stream.reset();
        while (stream.incrementToken()) tokens += term.length() >= 0 ? 1 : 0;
        stream.end();
      }
    }
    return tokens;
  }
}
